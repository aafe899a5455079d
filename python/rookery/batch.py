"""Many games stepped at once, in arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ._rookery import Games, Position, load

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Step(NamedTuple):
    """What there is to see after a step. The arrays are those of the environment: the next step changes them."""

    observations: NDArray[np.uint8] | None
    masks: NDArray[np.uint8]
    to_move: NDArray[np.int8]
    rewards: NDArray[np.float32]
    dones: NDArray[np.uint8]


class BatchEnv:
    """`n` games of one setup, stepped together without Python's lock, on all cores.

    A game that is over begins anew at once: `dones` is 1 and `rewards` has what each seat got, while `masks`,
    `observations` and `to_move` are those of the new game. Games of a setup with random boards begin with boards that
    follow from the seed.

    >>> import rookery
    >>> env = rookery.BatchEnv("four", n=3, seed=7)
    >>> env.masks.shape, env.observations.shape
    ((3, 7), (3, 4, 6, 7))
    >>> step = env.step([0, 3, 6])
    >>> step.to_move.tolist()
    [1, 1, 1]
    >>> int(env.step(env.sample()).dones.sum())
    0
    """

    def __init__(self, spec: str, n: int, seed: int = 0, *, observe: bool = True) -> None:
        if not isinstance(spec, str):
            raise TypeError(f"expected a game spec, got {type(spec).__name__}")
        try:
            import numpy as np
        except ImportError:
            raise ImportError("BatchEnv needs numpy: pip install 'rookery[numpy]'") from None
        self._games = Games(spec, n, seed, observe)
        self._first = load(spec)
        seats, actions, planes, rows, cols = self._games.sizes
        self.spec = spec
        self.n = n
        self.n_seats = seats
        self.n_actions = actions
        self.observation_shape = (planes, rows, cols)
        self.to_move: NDArray[np.int8] = np.zeros(n, dtype=np.int8)
        self.rewards: NDArray[np.float32] = np.zeros((n, seats), dtype=np.float32)
        self.dones: NDArray[np.uint8] = np.zeros(n, dtype=np.uint8)
        self.masks: NDArray[np.uint8] = np.zeros((n, actions), dtype=np.uint8)
        self.observations: NDArray[np.uint8] | None = (
            np.zeros((n, planes, rows, cols), dtype=np.uint8) if observe else None
        )
        self._actions: NDArray[np.int64] = np.zeros(n, dtype=np.int64)
        self._step = Step(self.observations, self.masks, self.to_move, self.rewards, self.dones)
        self.reset()

    def _arrays(self) -> tuple[Any, ...]:
        return self.to_move, self.rewards, self.dones, self.masks, self.observations

    def reset(self) -> Step:
        """Begins all games anew, each with its next board."""
        self._games.wait()
        self._games.reset(*self._arrays())
        return self._step

    def step(self, actions: Any) -> Step:
        """Plays one action in each game. If one is not legal, none is played and the error says which."""
        import numpy as np

        if not (isinstance(actions, np.ndarray) and actions.dtype == np.int64 and actions.flags.c_contiguous):
            given = np.asarray(actions)
            if given.dtype.kind not in "iu":
                raise TypeError(f"actions are whole numbers, not {given.dtype}")
            actions = np.ascontiguousarray(given, dtype=np.int64)
        if actions.ndim != 1:
            raise ValueError(f"actions have one dimension, not {actions.ndim}")
        self._games.wait()
        self._games.step(actions, *self._arrays())
        return self._step

    def sample(self) -> NDArray[np.int64]:
        """A random legal action of each game. The array is the environment's: the next call changes it."""
        self._games.wait()
        self._games.sample(self._actions)
        return self._actions

    def position(self, index: int) -> Position:
        """The position of one game, as a copy."""
        return Position.from_text(self._games.text(index), self._first.game)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"<BatchEnv {self.spec} n={self.n}>"
