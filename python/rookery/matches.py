"""Matches, tournaments, ratings and tests between specs, functions and bots."""

from __future__ import annotations

import json
import operator
import re
from dataclasses import dataclass, field, fields
from numbers import Real
from os import PathLike
from typing import TYPE_CHECKING, Any, Callable, Iterable, Sequence, Union

from ._rookery import MAX_SEATS, Position, _hold, _ratings, _resume, load

if TYPE_CHECKING:
    import pandas as pd


class Bot:
    """A player of your own: override `choose`, and of the others what you like.

    >>> import rookery
    >>> class First(rookery.Bot):
    ...     def choose(self, position):
    ...         return position.legal_moves()[0]
    >>> result = rookery.match("four", players=[First(), "random"], games=2)
    >>> sorted(standing.name for standing in result.standings)
    ['First', 'random']
    """

    #: What it is called in results; without one the name of its class.
    name: str | None = None

    def choose(self, position: Position) -> str | int:
        """A legal move: its text, or the number of its action; or `rookery.RESIGN`."""
        raise NotImplementedError(f"{type(self).__name__} needs a method `choose`")

    def new_game(self, seat: int, spec: str) -> None:
        """A game begins, and the bot sits at `seat`."""

    def game_over(self, game: Game) -> None:
        """A game is over."""


Player = Union[str, Bot, type[Bot], Callable[[Position], Union[str, int]]]


@dataclass(frozen=True)
class Standing:
    """How somebody stands."""

    name: str
    place: int
    points: float
    games: int
    wins: int
    draws: int
    losses: int
    #: How often it was removed for what.
    faults: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Ending:
    """Why a game ended or somebody was removed, with what speaks for it."""

    cause: str
    seat: int | None
    text: str
    #: `note`, `sent`, `expected`; `stderr` has the traceback of an exception.
    evidence: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Game:
    """What came of a game."""

    game: str
    #: Who sat where.
    players: list[str]
    #: The seats that won or share the first place; None if the game was aborted.
    winners: list[int] | None
    scores: list[int] | None
    plies: int
    ending: Ending
    removed: list[Ending]
    text: str
    round: int | None = None
    record: str | None = None


@dataclass(frozen=True)
class Sprt:
    """What a sequential test has decided: `H0`, `H1`, or None when the games were not enough."""

    decision: str | None
    llr: float
    lower: float
    upper: float
    games: int
    blocks: int
    elo: float | None
    error: float | None


@dataclass(frozen=True)
class Rating:
    """How strong somebody is, in Elo, and within which bounds (95 %)."""

    name: str
    rating: float
    error: float | None
    games: int


@dataclass(frozen=True)
class Result:
    """What came of a match or a tournament."""

    #: How everybody stands, the best first.
    standings: list[Standing]
    #: All games, in the order they were paired; of a tournament that was gone on with, those that were played now.
    games: list[Game]
    ratings: list[Rating]
    #: Of two players: how much stronger the first is, and the lower and upper end of that (95 %).
    elo: tuple[float | None, float | None, float | None] | None = None
    sprt: Sprt | None = None
    #: What it is called in its store: `rookery tournament show ID --store FILE`.
    id: str | None = None
    #: What everything followed from that was left to chance: the same seed gives the same games.
    seed: int = 0

    @property
    def winner(self) -> Standing:
        """The best of all; the first one of several."""
        return self.standings[0]

    def to_frame(self) -> pd.DataFrame:
        """The standings as a table of pandas."""
        return _frame([vars(standing) for standing in self.standings])

    def games_frame(self) -> pd.DataFrame:
        """The games as a table of pandas."""
        keys = ("game", "players", "winners", "scores", "plies", "text", "round")
        return _frame([{key: getattr(game, key) for key in keys} for game in self.games])

    def __str__(self) -> str:
        width = max(len(standing.name) for standing in self.standings)
        lines = [f"{'':{width}}  points  games  won  drawn  lost"]
        for row in self.standings:
            lines.append(
                f"{row.name:{width}}  {row.points:6g}  {row.games:5}  {row.wins:3}  {row.draws:5}  {row.losses:4}"
            )
        return "\n".join(lines)


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    try:
        import pandas
    except ImportError:
        raise ImportError("tables need pandas: pip install 'rookery[pandas]'") from None
    return pandas.DataFrame(rows)


def _ending(told: dict[str, Any]) -> Ending:
    return Ending(told["cause"], told["seat"], told["text"], told["evidence"] or {})


def _game(told: dict[str, Any]) -> Game:
    return Game(**{**told, "ending": _ending(told["ending"]), "removed": [_ending(each) for each in told["removed"]]})


_SPEC = re.compile(r"^([A-Za-z0-9_-]{1,40})=(.+)$", re.DOTALL)


def _entrant(player: Player) -> tuple[str, str, tuple[Any, Any, Any] | None]:
    """The name, the seat spec, and what is called of whoever sits in Python."""
    if isinstance(player, str):
        named = _SPEC.match(player)
        return (named[1], named[2], None) if named else (player, player, None)
    if isinstance(player, type) and issubclass(player, Bot):
        player = player()
    if isinstance(player, Bot):
        bot = player
        name = bot.name or type(bot).__name__
        return name, "", (bot.choose, bot.new_game, lambda told: bot.game_over(_game(json.loads(told))))
    if not callable(player):
        raise TypeError(
            f"expected a player: a spec such as 'hard', a function of a position, or a Bot; got {type(player).__name__}"
        )
    name = getattr(player, "__name__", type(player).__name__)
    return name.strip("<>"), "", (player, None, None)


def _hold_all(
    games: Sequence[str],
    players: Iterable[Player],
    shape: dict[str, Any],
    seed: int | None,
    time: str | None,
    max_turns: int | None,
    record: str | PathLike[str] | None,
    store: str | PathLike[str] | None,
    concurrency: int | None,
    name: str = "python",
) -> Result:
    _several(players)
    if isinstance(games, str) or not all(isinstance(game, str) for game in games):
        raise TypeError("a game spec is a text such as 'hexapawn:rows=4,cols=4'")
    if time is not None and not isinstance(time, str):
        raise TypeError(f"`time` is a text such as '1s+100ms', not {type(time).__name__}")
    if not isinstance(name, str):
        raise TypeError(f"`name` is a text, not {type(name).__name__}")
    seats = load(games[0]).n_seats
    found = [_entrant(player) for player in players]
    names: list[str] = []
    for wanted, _, _ in found:
        clean = re.sub(r"[^A-Za-z0-9_.:=,+#-]", "_", wanted)[:40] or "player"
        same = sum(other == clean or other.startswith(f"{clean}#") for other in names)
        names.append(clean if same == 0 else f"{clean}#{same + 1}")
    entrants = [
        {"name": own, "player": spec if calls is None else f"remote:python{idx}"}
        for idx, (own, (_, spec, calls)) in enumerate(zip(names, found))
    ]
    spec: dict[str, Any] = {
        "name": name,
        "games": list(games),
        "seats": seats,
        "format": shape,
        "entrants": entrants,
    }
    if seed is not None:
        spec["seed"] = str(_whole(seed, "seed", 0, 2**64 - 1))
    if time is not None:
        spec["time"] = time
    if max_turns is not None:
        spec["max_turns"] = _whole(max_turns, "max_turns", 1, 2**64 - 1)
    try:
        told = json.dumps(spec, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise type(error)(f"`format` has words, texts, finite numbers and lists of them (docs/formats.md): {error}") from None
    return _result(_hold(told, [calls for _, _, calls in found], record, store, concurrency))


def _result(held: str) -> Result:
    told = json.loads(held)
    return Result(
        standings=[Standing(**row) for row in told["standings"]],
        games=[_game(game) for game in told["games"]],
        ratings=[Rating(**row) for row in told["ratings"] or []],
        elo=tuple(told["elo"]) if told["elo"] else None,
        sprt=Sprt(**{each.name: told["sprt"][each.name] for each in fields(Sprt)}) if told["sprt"] else None,
        id=told["id"],
        seed=told["seed"],
    )


def _several(players: Any) -> None:
    if isinstance(players, str) or not isinstance(players, Iterable):
        raise TypeError(f"`players` is a list of specs, functions and bots, not {type(players).__name__}")


def match(
    spec: str,
    players: Iterable[Player],
    games: int = 2,
    *,
    seed: int | None = None,
    time: str | None = None,
    max_turns: int | None = None,
    record: str | PathLike[str] | None = None,
    store: str | PathLike[str] | None = None,
    concurrency: int | None = None,
) -> Result:
    """Lets players meet at one table, in whole blocks in which each has every seat equally often.

    A player is a spec as on the command line (`hard`, `mine=level:3`, `cmd:./bot.py`), a function from a position to a
    move, or a `Bot`. An exception in a player is its loss, with the traceback as evidence; only what is no `Exception`, such
    as Ctrl-C and `SystemExit`, ends the match and comes out of it. Records go to the folder
    `record`, or everything to a `store` as `tournament` does. A `time` such as `1s+100ms` is for specs alone.

    Without a `seed` it is 0, so that the same call plays the same games. Where a program plays (`cmd:`, `tcp:`, `ws:`) a seed
    is drawn instead that it cannot guess: whoever knows it can compute what the others do. `result.seed` has it.

    >>> import rookery
    >>> def last(position):
    ...     return position.legal_moves()[-1]
    >>> result = rookery.match("hexapawn:rows=4,cols=4", players=["level:8", last], games=4)
    >>> result.standings[0].name, result.standings[0].games
    ('level:8', 4)
    """
    _several(players)
    players = list(players)
    games = _whole(games, "games")
    seats = load(spec).n_seats
    if len(players) != seats:
        raise ValueError(f"{spec} has {seats} seats, and {len(players)} players were given; name one for each seat")
    shape = {"kind": "series", "games": games}
    return _hold_all([spec], players, shape, seed, time, max_turns, record, store, concurrency)


def sprt(
    spec: str,
    players: Iterable[Player],
    elo0: float = 0.0,
    elo1: float = 10.0,
    *,
    alpha: float = 0.05,
    beta: float = 0.05,
    model: str = "logistic",
    games: int = 10_000,
    seed: int | None = None,
    time: str | None = None,
    max_turns: int | None = None,
    record: str | PathLike[str] | None = None,
    store: str | PathLike[str] | None = None,
    concurrency: int | None = None,
    name: str = "python",
) -> Result:
    """Lets players meet until a test has decided whether the first is stronger than the second, or `games` were played.

    `elo0` and `elo1` are what H0 and H1 stand for, by the `model` logistic or normalized (docs/ratings.md), as for `rookery sprt`.
    The test goes by whole blocks in which everybody has every seat: games behind the one that decides are in `games` of the
    result, and count for nothing else. It is a format like others: `store` and `name` are those of `tournament`, which also
    goes on with it (`resume`).

    >>> import rookery
    >>> rookery.sprt("four", ["level:4", "random"], 0, 100, games=400).sprt.decision
    'H1'
    """
    shape = {
        "kind": "sprt",
        "elo0": float(elo0),
        "elo1": float(elo1),
        "alpha": float(alpha),
        "beta": float(beta),
        "model": model,
        "games": _whole(games, "games"),
    }
    return _hold_all([spec], players, shape, seed, time, max_turns, record, store, concurrency, name)


def tournament(
    spec: str | Sequence[str] | None = None,
    players: Iterable[Player] | None = None,
    format: str | dict[str, Any] = "round-robin",
    *,
    games: int | None = None,
    rounds: int | None = None,
    seed: int | None = None,
    time: str | None = None,
    max_turns: int | None = None,
    record: str | PathLike[str] | None = None,
    store: str | PathLike[str] | None = None,
    concurrency: int | None = None,
    name: str = "python",
    resume: str | None = None,
) -> Result:
    """Holds a tournament: `round-robin`, `swiss`, `knock-out`, `gauntlet`, `ladder`, `sprt`, or a format as in docs/formats.md.

    With `store`, the file of a store (docs/store.md) that is made where it is missing, every game is kept there as soon as
    it is over: `rookery tournament show ID --store FILE` shows the tournament that `result.id` names, `rookery ratings
    --recompute` counts it, and `store_records` reads its games. `name` is what it is called there.

    `tournament(store=FILE, resume=ID)` goes on with one that was stopped and whose players are all specs: everything else is
    as it was agreed. `games` of the result are those that are played now; standings and ratings count all.

    >>> import rookery
    >>> result = rookery.tournament("four", ["level:1", "level:3", "random"], games=2)
    >>> len(result.games)
    6
    """
    if resume is not None:
        agreed = (spec, players, games, rounds, time, max_turns, record)
        if store is None or any(word is not None for word in agreed) or (format, seed, name) != ("round-robin", None, "python"):
            raise ValueError("`resume` takes the `store` and, if you like, `concurrency`: nothing else is agreed again")
        return _result(_resume(store, resume, concurrency))
    if spec is None or players is None:
        raise TypeError("a tournament needs a `spec` and `players`, or a `store` and what to `resume`")
    if not isinstance(format, (str, dict)):
        raise TypeError(f"`format` is a word such as 'swiss', or a dict as in docs/formats.md, not {type(format).__name__}")
    shape: dict[str, Any] = {"kind": format} if isinstance(format, str) else dict(format)
    if games is not None:
        shape["best_of" if shape.get("kind") == "knock-out" else "games"] = _whole(games, "games")
    if rounds is not None:
        shape["rounds"] = _whole(rounds, "rounds")
    specs = [spec] if isinstance(spec, str) else list(spec)
    if not specs:
        raise ValueError("a tournament needs a game")
    return _hold_all(specs, players, shape, seed, time, max_turns, record, store, concurrency, name)


def _whole(number: int, name: str, least: int = 1, most: int = 10_000_000) -> int:
    try:
        # Those of numpy count as well; True is one for Python, and never meant as one here.
        whole = operator.index(None if isinstance(number, bool) else number)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"`{name}` is a whole number, not {type(number).__name__}") from None
    if not least <= whole <= most:
        raise ValueError(f"`{name}` takes {least} to {most}, not {whole}")
    return whole


def ratings(
    games: Iterable[Game | tuple[Sequence[str], Sequence[float]]], model: str | None = None, prior: float = 1.0
) -> list[Rating]:
    """Ratings from all games at once, the strongest first: games of results, or pairs of names and scores.

    Games that were aborted, or that nobody won, are left out, as in `Result.ratings`.
    `model` is bradley-terry, davidson, rao-kupper, plackett-luce or weng-lin (docs/ratings.md).

    >>> import rookery
    >>> rated = rookery.ratings([(["Ann", "Bob"], [1, 0])] * 3 + [(["Bob", "Ann"], [1, 0])])
    >>> [each.name for each in rated]
    ['Ann', 'Bob']
    """
    names: dict[str, int] = {}
    told: list[tuple[list[int], list[int]]] = []
    for game in games:
        if isinstance(game, Game):
            # As everywhere: a game that was aborted, or that nobody won, says nothing of strength.
            if not game.winners:
                continue
            sat = game.players
            counted = game.scores or [0] * len(sat)
            # Winners share the first place whatever they have, the others come by score.
            ranks: Sequence[Any] = [
                (True, 0) if seat in game.winners else (False, counted[seat]) for seat in range(len(sat))
            ]
        else:
            sat, ranks = list(game[0]), list(game[1])
            if len(sat) != len(ranks) or not 2 <= len(sat) <= MAX_SEATS:
                raise ValueError(f"a game has 2 to {MAX_SEATS} players and a score for each")
            if not all(isinstance(name, str) for name in sat) or not all(isinstance(score, Real) for score in ranks):
                raise TypeError("a game is a list of names and a list of numbers")
        places = [1 + sum(other > rank for other in ranks) for rank in ranks]
        told.append(([names.setdefault(name, len(names)) for name in sat], places))
    if not told:
        return []
    return [Rating(**row) for row in json.loads(_ratings(list(names), told, model, prior))]
