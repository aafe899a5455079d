"""Records of matches, read, judged again, and turned into arrays to learn from."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Iterator, NamedTuple, Sequence, Union, overload

from ._rookery import Position, StoredGames, _read_record, _review, _verify_record, load

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The most bytes of a record that is read.
MAX_RECORD = 256 << 20
#: The most games of a store that are read at once.
TOGETHER = 100
#: A record: the path of its file, its bytes, or one that was read.
Source = Union[str, "PathLike[str]", bytes, "Record"]


class Turn(NamedTuple):
    """One move: who made it, its text, and the text of the position before it."""

    seat: int
    move: str
    before: str


@dataclass(frozen=True)
class Record:
    """A recorded match."""

    game: str
    players: list[str]
    start: str
    turns: list[Turn]
    #: What each seat got, all together 0; None while it is not known.
    returns: list[float] | None
    winners: list[int] | None
    text: str | None
    finished: bool
    #: What it was read from, for `review` and `verify`; None for one that was made by hand.
    source: bytes | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name of the game."""
        return self.game.partition(":")[0]

    def positions(self) -> Iterator[Position]:
        """The positions before each move."""
        for turn in self.turns:
            yield Position.from_text(turn.before, self.name)

    @property
    def moves(self) -> list[str]:
        """The moves that stand."""
        return [turn.move for turn in self.turns]


class Arrays(NamedTuple):
    """What a program learns from: what the seat to move saw, what it did, and what it got in the end."""

    observations: NDArray[np.uint8]
    actions: NDArray[np.int64]
    outcomes: NDArray[np.float32]
    seats: NDArray[np.int8]


def _bytes(record: Source) -> bytes:
    if isinstance(record, Record):
        if record.source is None:
            raise ValueError("this Record was not read from anywhere: take one of read_record or store_records, or a path")
        return record.source
    if isinstance(record, (bytes, bytearray)):
        return bytes(record)
    with Path(record).open("rb") as file:
        # One byte more, by which the reader sees that it is too long, whatever else comes.
        return file.read(MAX_RECORD + 1)


def read_record(record: Source) -> Record:
    """Reads a record and judges it again; one that is not right is a ValueError that names the line.

    >>> import rookery, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> played = rookery.match("four", ["level:1", "random"], games=2, record=folder)
    >>> record = rookery.read_record(played.games[0].record)
    >>> record.name, record.finished, len(record.moves) == played.games[0].plies
    ('four', True, True)
    """
    source = _bytes(record)
    told = json.loads(_read_record(source))
    return Record(**{**told, "turns": [Turn(*turn) for turn in told["turns"]], "source": source})


def read_records(folder: str | PathLike[str]) -> list[Record]:
    """All records of a folder, by name.

    >>> import rookery, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> played = rookery.match("four", ["level:1", "random"], games=2, record=folder)
    >>> len(rookery.read_records(folder))
    2
    """
    return [read_record(path) for path in sorted(Path(folder).glob("*.jsonl"))]


class StoredRecords(Sequence[Record]):
    """The games of a store, as a list that reads and judges each one when it is asked for."""

    def __init__(self, games: StoredGames, chosen: range) -> None:
        self._games = games
        self._chosen = chosen

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, idx: int) -> Record: ...
    @overload
    def __getitem__(self, idx: slice) -> StoredRecords: ...
    def __getitem__(self, idx: int | slice) -> Record | StoredRecords:
        if isinstance(idx, slice):
            return StoredRecords(self._games, self._chosen[idx])
        return read_record(self._games.records(self._chosen[idx], 1)[0])

    def __iter__(self) -> Iterator[Record]:
        if self._chosen.step != 1:
            yield from (self[idx] for idx in range(len(self)))
            return
        first = self._chosen.start
        while first < self._chosen.stop:
            some = self._games.records(first, min(TOGETHER, self._chosen.stop - first))
            yield from map(read_record, some)
            first += len(some)

    def __repr__(self) -> str:
        return f"<StoredRecords of {len(self)} games>"


def store_records(location: str | PathLike[str], game: str | None = None) -> StoredRecords:
    """All games of a store (docs/store.md), or those of the game with this name, in the order they were stored.

    They are those that are in the store now; each is read when it is asked for, so that a store may be larger than the memory.

    >>> import rookery, tempfile
    >>> store = tempfile.mkdtemp() + "/games.db"
    >>> played = rookery.match("four", ["level:1", "random"], games=2, store=store)
    >>> records = rookery.store_records(store, game="four")
    >>> [rookery.verify(record) for record in records]
    [True, True]
    """
    games = StoredGames(location, game)
    return StoredRecords(games, range(len(games)))


def verify(record: Source) -> bool:
    """Checks every move, every ruling, the verdict and the hash; whether the record is finished. Else a ValueError.

    >>> import rookery, tempfile
    >>> played = rookery.match("four", ["level:1", "random"], games=2, record=tempfile.mkdtemp())
    >>> rookery.verify(played.games[0].record)
    True
    """
    return _verify_record(_bytes(record))


def review(record: Source, time: float = 10.0) -> dict[str, Any]:
    """Every move of a record, from a file or a store, against what was best, within about `time` seconds: `players` with accuracy and mistakes, `moves`.

    >>> import rookery, tempfile
    >>> played = rookery.match("hexapawn:rows=3,cols=3", ["level:1", "random"], games=2, record=tempfile.mkdtemp())
    >>> review = rookery.review(played.games[0].record, time=1.0)
    >>> len(review["moves"]) == played.games[0].plies, review["exact"]
    (True, True)
    """
    told: dict[str, Any] = json.loads(_review(_bytes(record), time))
    return told


def _setup(spec: str) -> str:
    """A game spec in its shortest form, without its board."""
    name, _, options = (load(spec).spec or spec).partition(":")
    kept = [option for option in options.split(",") if option.partition("=")[0] not in ("", "seed", "board")]
    return f"{name}:{','.join(kept)}" if kept else name


def to_arrays(records: Iterable[Record]) -> Arrays:
    """All moves of finished records of one setup as arrays. Boards, and the seeds they come from, may differ.

    >>> import rookery, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> played = rookery.match("four", ["level:1", "random"], games=2, record=folder)
    >>> arrays = rookery.to_arrays(rookery.read_records(folder))
    >>> len(arrays.actions) == sum(game.plies for game in played.games), arrays.observations.shape[1:]
    (True, (4, 6, 7))
    """
    try:
        import numpy as np
    except ImportError:
        raise ImportError("arrays need numpy: pip install 'rookery[numpy]'") from None
    rows: list[tuple[Any, int, float, int]] = []
    setup: tuple[str, tuple[int, int, int], int] | None = None
    for record in records:
        if record.returns is None:
            continue
        name = _setup(record.game)
        for turn, position in zip(record.turns, record.positions()):
            own = (name, position.observation_shape, position.n_actions)
            setup = setup or own
            if own != setup:
                raise ValueError(
                    f"all records have one setup and one shape; {setup} and {own} are two: make arrays of each by itself"
                )
            action = position.move_to_action(turn.move)
            rows.append((position.observation(turn.seat), action, record.returns[turn.seat], turn.seat))
    observations = np.stack([row[0] for row in rows]) if rows else np.zeros((0, 0, 0, 0), dtype=np.uint8)
    return Arrays(
        observations,
        np.array([row[1] for row in rows], dtype=np.int64),
        np.array([row[2] for row in rows], dtype=np.float32),
        np.array([row[3] for row in rows], dtype=np.int8),
    )
