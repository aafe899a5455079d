"""The messages of the bot protocol as types (docs/protocol.md says what each field means), for `rookery.Client` and for clients of
your own:

    import json
    from rookery.messages import Move, Turn

    def answer(turn: Turn) -> Move:
        return {"type": "move", "id": turn["id"], "index": 0}

    def send(move: Move) -> None:
        print(json.dumps(move), flush=True)

Each is a dict. Newer servers may send further fields and messages; who does not know them ignores them.
"""

from __future__ import annotations

from typing import Literal, TypedDict, Union

RejectCode = Literal[
    "bad_json",
    "missing_field",
    "unexpected_type",
    "unknown_move",
    "illegal_move",
    "not_your_turn",
    "late",
    "timeout",
    "line_too_long",
]
ErrorCode = Literal[
    "unknown_type",
    "bad_hello",
    "bad_name",
    "bad_secret",
    "bad_token",
    "too_many",
    "no_seat",
    "name_taken",
    "closed",
    "replaced",
    "busy",
]


class Hello(TypedDict):
    """The first message: who is there, and what it can do."""

    type: Literal["hello"]
    protocol: Literal["rookery"]
    version: Literal[1]
    server: str
    features: list[str]
    line_bytes: int
    reply_ms: int


class NamedSeat(TypedDict):
    """Who sits somewhere."""

    name: str
    label: str


class NoClock(TypedDict):
    mode: Literal["none"]
    cap_ms: int


class MoveClock(TypedDict):
    mode: Literal["move"]
    move_ms: int


class GameClock(TypedDict):
    mode: Literal["game"]
    base_ms: int
    increment_ms: int


class BankClock(TypedDict):
    mode: Literal["bank"]
    move_ms: int
    bank_ms: int


Time = Union[NoClock, MoveClock, GameClock, BankClock]


class _NewGame(TypedDict):
    type: Literal["new_game"]
    game: str
    spec: str
    seat: int
    seats: list[NamedSeat]
    seed: str
    time: Time
    position: str
    moves: list[str]
    reply_ms: int


class NewGame(_NewGame, total=False):
    """A game begins, or goes on."""

    token: str


class _Cell(TypedDict):
    id: str


class Cell(_Cell, total=False):
    """A place of the board; `value` where there is something to gain."""

    value: int


class Piece(TypedDict):
    """What stands somewhere."""

    cell: str
    seat: int
    kind: str


class State(TypedDict):
    """A position as data."""

    to_move: int | None
    scores: list[int]
    cells: list[Cell]
    pieces: list[Piece]


class Made(TypedDict):
    """Somebody moved."""

    seat: int
    move: str


class Removed(TypedDict):
    """Somebody is out."""

    seat: int
    removed: str


class TakenBack(TypedDict):
    """Moves were taken back."""

    seat: int
    taken_back_to: int


class Clock(TypedDict):
    """How much time there is."""

    answer_ms: int | None
    left_ms: list[int] | None


class _Turn(TypedDict):
    type: Literal["turn"]
    id: int
    seat: int
    ply: int
    count: int
    moves: list[Union[Made, Removed, TakenBack]]
    clock: Clock


class Turn(_Turn, total=False):
    """The question for a move. With the feature `delta` it has neither `legal`, `position` nor `state`."""

    legal: list[str]
    position: str
    state: State


class Moved(TypedDict):
    """The move was made."""

    type: Literal["moved"]
    id: int
    move: str
    used_ms: int | None
    left_ms: int | None


class Reject(TypedDict):
    """The answer did not count."""

    type: Literal["reject"]
    id: int
    code: RejectCode
    message: str
    sent: str
    legal: list[str]
    chances: int | None


class Said(TypedDict):
    """Somebody said something to all."""

    type: Literal["said"]
    seat: int
    text: str


class SeatResult(TypedDict):
    """How a game ended for a seat."""

    seat: int
    name: str
    place: int | None
    score: int | None
    cause: str | None


class GameOver(TypedDict):
    """A game is over."""

    type: Literal["game_over"]
    cause: str
    seat: int | None
    message: str
    plies: int
    results: list[SeatResult]


class Error(TypedDict):
    """Something was not understood, or the bot is not let in."""

    type: Literal["error"]
    code: ErrorCode
    message: str


class Quit(TypedDict):
    """No more games."""

    type: Literal["quit"]


#: Any message that Rookery sends.
ToBot = Union[Hello, NewGame, Turn, Moved, Reject, Said, GameOver, Error, Quit]


class _BotHello(TypedDict):
    type: Literal["hello"]
    version: Literal[1]


class BotHello(_BotHello, total=False):
    """The answer to `hello`."""

    name: str
    author: str
    games: list[str]
    features: list[str]
    secret: str
    token: str
    process: Literal["game", "session"]


class Ready(TypedDict):
    """The answer to `new_game`."""

    type: Literal["ready"]


class Thoughts(TypedDict, total=False):
    """What a bot thinks of the position."""

    depth: int
    score: float
    line: list[str]
    text: str


class _Move(TypedDict):
    type: Literal["move"]
    id: int


class Move(_Move, total=False):
    """The answer to `turn`: the text of a move, or its number among the legal ones."""

    move: str
    index: int
    info: Thoughts
    say: str


class Resign(TypedDict):
    """The other answer to `turn`."""

    type: Literal["resign"]
    id: int


class Say(TypedDict):
    """Something for all seats."""

    type: Literal["say"]
    text: str


class _Info(TypedDict):
    type: Literal["info"]


class Info(_Info, Thoughts):
    """What the bot thinks, in its turn."""


class _BotError(TypedDict):
    type: Literal["error"]


class BotError(_BotError, total=False):
    """A message that the bot does not know."""

    code: str
    message: str


#: Any message of a bot.
FromBot = Union[BotHello, Ready, Move, Resign, Say, Info, BotError]
