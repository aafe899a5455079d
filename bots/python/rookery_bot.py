"""A small client library for Rookery: the messages of docs/protocol.md as types, and the loop that answers them.

    class First(rookery_bot.Bot):
        def choose(self, turn):
            return turn.legal[0]

    rookery_bot.run(First())

Fields that are not known here are left out; those that a message does not have are None. Python 3.8 or newer.
"""
from __future__ import annotations

import functools
import json
import sys
import typing
from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional, Union

Seat = NamedTuple("Seat", [("name", str), ("label", str)])
Cell = NamedTuple("Cell", [("id", str), ("value", Any)])
Piece = NamedTuple("Piece", [("cell", str), ("seat", int), ("kind", str)])
State = NamedTuple("State", [("to_move", int), ("cells", List[Cell]), ("pieces", List[Piece])])
# The time for this answer, and what each seat has left; None without a time control.
Clock = NamedTuple("Clock", [("answer_ms", Optional[int]), ("left_ms", Optional[List[int]])])


@dataclass
class NewGame:
    game: str
    spec: str
    seat: int  # ours, from 0
    seats: List[Seat]
    seed: str  # digits: randomness for this bot alone
    time: Dict[str, Any]  # "mode" is none, move, game or bank; the rest depends on it
    position: str  # where the moves begin
    moves: List[str]  # made before we came
    token: Optional[str]
    reply_ms: int


@dataclass
class Event:
    """What happened since our last turn: one of `move`, `removed` (why) and `taken_back_to` (a ply)."""
    seat: int
    move: Optional[str]
    removed: Optional[str]
    taken_back_to: Optional[int]


@dataclass
class Turn:
    id: int
    seat: int
    ply: int
    count: int  # of all legal moves
    legal: List[str]  # the first 1000 of them; None with the feature "delta", as are the next two
    position: str
    state: State
    moves: List[Event]
    clock: Clock


Moved = NamedTuple(
    "Moved", [("id", int), ("move", str), ("used_ms", Optional[int]), ("left_ms", Optional[int])])
Reject = NamedTuple(
    "Reject", [("id", int), ("code", str), ("message", str), ("sent", str), ("legal", List[str]), ("chances", int)])
Said = NamedTuple("Said", [("seat", int), ("text", str)])
Result = NamedTuple(
    "Result", [("seat", int), ("name", str), ("place", Optional[int]), ("score", Any), ("cause", Optional[str])])
GameOver = NamedTuple(
    "GameOver", [("cause", str), ("seat", Optional[int]), ("message", str), ("plies", int), ("results", List[Result])])


@dataclass
class Move:
    """An answer with more than a move: `info` may have depth, score, line and text."""
    move: Union[str, int]
    info: Optional[Dict[str, Any]] = None
    say: Optional[str] = None


RESIGN = object()


class Bot:
    """Override `choose`, and of the others what you like."""
    hello: Dict[str, Any] = {"name": "python-bot"}  # may also have author, games and features

    def choose(self, turn: Turn) -> Union[str, int, Move, Any]:
        """Returns the text of a legal move, its index in `turn.legal`, a `Move`, or `RESIGN`."""
        raise NotImplementedError

    def new_game(self, game: NewGame) -> None: ...
    def moved(self, moved: Moved) -> None: ...
    def said(self, said: Said) -> None: ...
    def game_over(self, over: GameOver) -> None: ...

    def reject(self, reject: Reject) -> None:
        print(f"rejected ({reject.code}): {reject.message}", file=sys.stderr)

    def say(self, text: str) -> None:
        send({"type": "say", "text": text})


def send(message: Dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


@functools.lru_cache(maxsize=None)
def _fields(cls: type) -> Dict[str, Any]:
    return typing.get_type_hints(cls)


def _read(kind: Any, value: Any) -> Any:
    """The value of a message as this type."""
    if isinstance(value, list) and typing.get_origin(kind) is list:
        return [_read(typing.get_args(kind)[0], item) for item in value]
    if isinstance(value, dict) and isinstance(kind, type) and _fields(kind):
        return kind(**{name: _read(hint, value.get(name)) for name, hint in _fields(kind).items()})
    return value


def _answer(turn: Turn, chosen: Any) -> Dict[str, Any]:
    if chosen is RESIGN:
        return {"type": "resign", "id": turn.id}
    if not isinstance(chosen, Move):
        chosen = Move(chosen)
    move = {"index" if isinstance(chosen.move, int) else "move": chosen.move}
    more = {key: value for key, value in (("info", chosen.info), ("say", chosen.say)) if value is not None}
    return {"type": "move", "id": turn.id, **move, **more}


def run(bot: Bot) -> None:
    """Plays until Rookery says `quit` or closes the input."""
    told: Dict[str, Any] = {"moved": (Moved, bot.moved), "reject": (Reject, bot.reject), "said": (Said, bot.said),
                            "game_over": (GameOver, bot.game_over)}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            send({"type": "hello", "version": 1, **bot.hello})
        elif kind == "new_game":
            bot.new_game(_read(NewGame, message))
            send({"type": "ready"})
        elif kind == "turn":
            turn = _read(Turn, message)
            send(_answer(turn, bot.choose(turn)))
        elif kind in told:
            cls, tell = told[kind]
            tell(_read(cls, message))
        elif kind == "error":
            print(f"error ({message['code']}): {message['message']}", file=sys.stderr)
        elif kind == "quit":
            break
