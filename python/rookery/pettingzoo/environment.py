"""The environment of every game."""

from __future__ import annotations

import operator
from typing import Any

try:
    import gymnasium
    import numpy as np
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as missing:
    raise ImportError(f"environments need pettingzoo ({missing}): pip install 'rookery[pettingzoo]'") from None

from .._rookery import IllegalMove, load


class GameEnv(AECEnv):  # type: ignore[misc]
    """A game as PettingZoo sees one: agents `player_0` and so on move in turn.

    An observation is a dictionary of `observation` (planes of bytes, seen by the agent) and `action_mask`. At the end each
    agent gets what `Position.returns` says. A setup with random boards has another board for each seed of `reset`; without a
    seed the next one follows the last.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human", "svg"], "name": "rookery", "is_parallelizable": False, "render_fps": 2}

    def __init__(self, game: str, spec: str | None = None, render_mode: str | None = None) -> None:
        super().__init__()
        spec = game if spec is None else spec
        if spec.partition(":")[0] != game:
            raise ValueError(f"this is the environment of {game}, not of {spec!r}")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode is one of {self.metadata['render_modes']}, not {render_mode!r}")
        self.metadata = {**self.metadata, "name": f"{game}_v1"}
        self.spec_text = spec
        self.render_mode = render_mode
        first = load(spec)
        if first.is_over:
            raise ValueError(f"{spec} is over before the first move: there is nothing to step; choose another setup")
        self.possible_agents = [f"player_{seat}" for seat in range(first.n_seats)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._varies = _takes_seed(spec)
        #: Of the last board; the first one without a seed is that of seed 0.
        self._seed = -1
        space = gymnasium.spaces.Dict(
            {
                "observation": gymnasium.spaces.Box(0, 255, first.observation_shape, np.uint8),
                "action_mask": gymnasium.spaces.Box(0, 1, (first.n_actions,), np.int8),
            }
        )
        self.observation_spaces = {agent: space for agent in self.possible_agents}
        self.action_spaces = {agent: gymnasium.spaces.Discrete(first.n_actions) for agent in self.possible_agents}
        self.position = first

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        spec = self.spec_text
        self._seed = (self._seed + 1) % 2**64 if seed is None else seed
        if self._varies:
            spec += f"{',' if ':' in spec else ':'}seed={self._seed}"
        self.position = load(spec)
        self.agents = self.possible_agents[:]
        self.rewards = {agent: 0.0 for agent in self.agents}
        self._cumulative_rewards = {agent: 0.0 for agent in self.agents}
        self.terminations = {agent: False for agent in self.agents}
        self.truncations = {agent: False for agent in self.agents}
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._to_move()

    def _to_move(self) -> str:
        seat = self.position.to_move
        return self.possible_agents[seat if seat is not None else 0]

    def observe(self, agent: str) -> dict[str, Any]:
        seat = self._seats[agent]
        mask = np.zeros(self.position.n_actions, dtype=np.int8)
        if self.position.to_move == seat:
            self.position.action_mask(out=mask)
        return {"observation": self.position.observation(seat), "action_mask": mask}

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        # Not `int`, which would make an action of 1.7.
        number = operator.index(action)
        self._cumulative_rewards[agent] = 0.0
        try:
            self.position.play(number)
        except IllegalMove as error:
            raise ValueError(f"{agent}: {error}") from None
        if self.position.is_over:
            self.rewards = dict(zip(self.possible_agents, map(float, self.position.returns)))
            self.terminations = {agent: True for agent in self.agents}
        else:
            self.rewards = {agent: 0.0 for agent in self.agents}
            self.agent_selection = self._to_move()
        self._accumulate_rewards()
        if self.position.is_over:
            self.agent_selection = self.agents[0]
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: ansi, human or svg")
            return None
        if self.render_mode == "svg":
            return self.position.svg()
        if self.render_mode == "ansi":
            return str(self.position)
        print(self.position)
        return None

    def close(self) -> None:
        pass


def _takes_seed(spec: str) -> bool:
    try:
        return load(spec + f"{',' if ':' in spec else ':'}seed=0") is not None
    except ValueError:
        return False


def wrapped(env: GameEnv) -> Any:
    """With the checks that PettingZoo's own games have; an illegal move loses the game."""
    checked = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    checked = wrappers.AssertOutOfBoundsWrapper(checked)
    return wrappers.OrderEnforcingWrapper(checked)
