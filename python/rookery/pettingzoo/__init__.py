"""PettingZoo environments, one module for every game: `rookery.pettingzoo.fish_v1`, `hexapawn_v1` and so on.

Each module has `env()` and `raw_env()`, made from the game's moves and planes: a new game needs no Python.

>>> from rookery.pettingzoo import four_v1
>>> env = four_v1.env()
>>> env.reset(seed=7)
>>> env.agent_selection
'player_0'
>>> env.last()[0]["action_mask"].tolist()
[1, 1, 1, 1, 1, 1, 1]
"""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

from .._rookery import game_info, games

__all__ = [f"{name}_v1" for name in games()]


if TYPE_CHECKING:
    # The modules are made below, which a type checker does not see.
    def __getattr__(name: str) -> Any: ...


def _module(game: str) -> types.ModuleType:
    name = f"{__name__}.{game}_v1"
    module = types.ModuleType(name, f"{game_info(game)['title']} as an environment of PettingZoo (AEC).")

    def raw_env(**options: Any) -> Any:
        from .environment import GameEnv

        return GameEnv(game, **options)

    def env(**options: Any) -> Any:
        from .environment import wrapped

        return wrapped(raw_env(**options))

    raw_env.__doc__ = f"{game} without wrappers: `spec` is a game spec of it, `render_mode` ansi, human or svg."
    env.__doc__ = f"{game} with PettingZoo's usual wrappers: steps are checked, an illegal move ends the game."
    for function in (raw_env, env):
        function.__module__ = name
    module.__dict__.update(raw_env=raw_env, env=env, __all__=["env", "raw_env"], __package__=__name__)
    return module


for _game in games():
    _made = _module(_game)
    sys.modules[_made.__name__] = _made
    globals()[f"{_game}_v1"] = _made
