#!/usr/bin/env bash
# A bot for Rookery that plays any game: it picks one of the legal moves at random.
LC_ALL=C # bytes are enough here, and faster

# Your choice goes here: put the index of a move, from 0 to $2 - 1, into REPLY. $1 is the whole message as JSON, with
# the moves themselves in "legal":[...] and the position as text in "position":"...".
choose() {
    REPLY=$((RANDOM % $2))
}

# Puts the number behind the key $2 into REPLY. Type, id, seat, ply and count stand first in a turn, so the first one
# found is right.
number() {
    REPLY=${1#*"$2"}
    REPLY=${REPLY%%[!0-9]*}
}

# Nothing but messages may go to the standard output. For your own lines: echo ... >&2
while IFS= read -r line; do
    case $line in
    '{"type":"hello"'*) echo '{"type":"hello","version":1,"name":"bash-bot"}' ;;
    '{"type":"new_game"'*)
        number "$line" '"seed":"'
        RANDOM=$((10#0$REPLY & 0x7fffffff)) # so that a match can be played again exactly
        echo '{"type":"ready"}'
        ;;
    '{"type":"turn"'*)
        number "${line:0:300}" '"id":' && id=$REPLY
        number "${line:0:300}" '"count":'
        choose "$line" $((REPLY < 1000 ? REPLY : 1000)) # "legal" has the first 1000
        echo '{"type":"move","id":'"$id"',"index":'"$REPLY"'}'
        ;;
    '{"type":"quit"'*) exit ;;
    esac # All other messages need no answer, also those that do not exist yet.
done
