"""Board games between programs and people: rules, searches, matches and bots.

>>> import rookery
>>> position = rookery.load("hexapawn:rows=3,cols=3")
>>> position.legal_moves()
['c1-c2', 'b1-b2', 'a1-a2']
>>> position.play("b1-b2")
>>> position.text
'p2 1.1/.1./222'
>>> print(position)
   a b c
 1 1 . 1
 2 . 1 .
 3 2 2 2
player 2 to move

What needs numpy, pandas or pettingzoo imports it when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._rookery import (
    RESIGN,
    IllegalMove,
    Position,
    __version__,
    analyse,
    best_move,
    game_info,
    games,
    guided,
    load,
    mcts,
    perft,
    playouts,
    solve,
)

if TYPE_CHECKING:
    from . import openspiel as openspiel
    from . import pettingzoo as pettingzoo
    from .batch import BatchEnv, Step
    from .client import Client
    from .matches import Bot, Game, Result, Sprt, Standing, match, ratings, sprt, tournament
    from .records import Record, read_record, read_records, review, store_records, to_arrays, verify

# Where the rest is: read when it is first asked for, so that `import rookery` stays quick.
_LATER = {
    "BatchEnv": "batch",
    "Step": "batch",
    "Client": "client",
    "Bot": "matches",
    "Game": "matches",
    "Result": "matches",
    "Sprt": "matches",
    "Standing": "matches",
    "match": "matches",
    "ratings": "matches",
    "sprt": "matches",
    "tournament": "matches",
    "Record": "records",
    "read_record": "records",
    "read_records": "records",
    "review": "records",
    "store_records": "records",
    "to_arrays": "records",
    "verify": "records",
}
#: Modules of the same kind.
_MODULES = ("openspiel", "pettingzoo")


def __getattr__(name: str) -> Any:
    if name not in _LATER and name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    found = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_MODULES})


__all__ = [
    "RESIGN",
    "BatchEnv",
    "Bot",
    "Client",
    "Game",
    "IllegalMove",
    "Position",
    "Record",
    "Result",
    "Sprt",
    "Standing",
    "Step",
    "__version__",
    "analyse",
    "best_move",
    "game_info",
    "games",
    "guided",
    "load",
    "match",
    "mcts",
    "perft",
    "playouts",
    "ratings",
    "read_record",
    "read_records",
    "review",
    "solve",
    "sprt",
    "store_records",
    "to_arrays",
    "tournament",
    "verify",
]
