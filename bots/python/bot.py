"""A bot for Rookery that plays any game: it picks one of the legal moves at random."""
import json
import random
import sys


def choose(legal, position, turn):
    """Your choice goes here: return one of the texts in `legal`.

    `position` is the position as text, `turn` the whole message: its "state" has the same as data,
    its "clock" the time, its "moves" what the others did.
    """
    return random.choice(legal)


def send(**message):
    # Without the flush Rookery would wait for a line that is still in a buffer here.
    print(json.dumps(message), flush=True)


# Nothing but messages may go to the standard output. For your own lines: print(..., file=sys.stderr)
for line in sys.stdin.buffer:
    message = json.loads(line)
    if message["type"] == "hello":
        send(type="hello", version=1, name="python-bot")
    elif message["type"] == "new_game":
        random.seed(message["seed"])  # so that a match can be played again exactly
        send(type="ready")
    elif message["type"] == "turn":
        move = choose(message["legal"], message["position"], message)
        send(type="move", id=message["id"], move=move)
    elif message["type"] == "quit":
        break
    # All other messages need no answer, also those that do not exist yet.
