# Ends at its first turn.
while IFS= read -r line; do
    case $line in
    '{"type":"hello"'*) echo '{"type":"hello","version":1}' ;;
    '{"type":"new_game"'*) echo '{"type":"ready"}' ;;
    '{"type":"turn"'*)
        echo 'thinking is too hard for me' >&2
        exit 3
        ;;
    esac
done
