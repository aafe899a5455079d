"""Rookery's games under the names that OpenSpiel's have.

>>> from rookery import openspiel
>>> game = openspiel.load_game("hexapawn:rows=4,cols=4")
>>> state = game.new_initial_state()
>>> while not state.is_terminal():
...     state.apply_action(state.legal_actions()[0])
>>> sum(state.returns())
0.0
"""

from __future__ import annotations

from typing import Any

from ._rookery import Position, load

#: What `current_player` is once the game is over.
TERMINAL = -4


class State:
    """A position under OpenSpiel's names."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self._history: list[int] = []

    def current_player(self) -> int:
        seat = self.position.to_move
        return TERMINAL if seat is None else seat

    def legal_actions(self) -> list[int]:
        return sorted(self.position.legal_actions())

    def legal_actions_mask(self) -> list[int]:
        # Numbers of Python, also where the mask is an array of numpy.
        return list(bytes(self.position.action_mask()))

    def apply_action(self, action: int) -> None:
        self.position.play(action)
        self._history.append(action)

    def child(self, action: int) -> State:
        child = self.clone()
        child.apply_action(action)
        return child

    def clone(self) -> State:
        copy = State(self.position.copy())
        copy._history = self._history[:]
        return copy

    def is_terminal(self) -> bool:
        return self.position.is_over

    def returns(self) -> list[float]:
        return self.position.returns

    def history(self) -> list[int]:
        return self._history[:]

    def action_to_string(self, player: int, action: int | None = None) -> str:
        """The text of an action. OpenSpiel takes it alone or behind a player; here it means the same for everybody."""
        return self.position.action_to_move(player if action is None else action)

    def string_to_action(self, text: str) -> int:
        return self.position.move_to_action(text)

    def observation_tensor(self, player: int | None = None) -> Any:
        return self.position.observation(player).ravel()

    def num_players(self) -> int:
        return self.position.n_seats

    def __str__(self) -> str:
        return str(self.position)


class Game:
    """A setup under OpenSpiel's names."""

    def __init__(self, spec: str) -> None:
        self._first = load(spec)
        self.spec = spec

    def new_initial_state(self) -> State:
        return State(self._first.copy())

    def num_distinct_actions(self) -> int:
        return self._first.n_actions

    def num_players(self) -> int:
        return self._first.n_seats

    def observation_tensor_shape(self) -> list[int]:
        return list(self._first.observation_shape)

    def __str__(self) -> str:
        return self.spec


def load_game(spec: str) -> Game:
    """The game of a spec."""
    return Game(spec)
