"""Figures side by side with OpenSpiel, from one run: `python -m rookery.bench [--seconds S]`.

Rookery's Hexapawn on 8 x 8 squares and OpenSpiel's Breakthrough move alike: pawns ahead, captures aslant. All figures are per
second of processor time, so that other work on the machine matters less; where two threads work, their time counts twice, and
the figure by the clock stands beside it. Ours and theirs take turns, a few tenths of a second each.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any, Callable

import rookery

SPEC = "hexapawn:rows=8,cols=8"


#: How often ours and theirs take turns, so that both meet the same machine.
TURNS = 6


class Work:
    """How much was done, and what it took."""

    def __init__(self, once: Callable[[], int]) -> None:
        self.once, self.done, self.cpu, self.clock = once, 0, 0.0, 0.0
        once()

    def go_on(self, seconds: float) -> None:
        cpu, clock = time.process_time(), time.perf_counter()
        while time.perf_counter() - clock < seconds:
            self.done += self.once()
        self.cpu += time.process_time() - cpu
        self.clock += time.perf_counter() - clock

    def rates(self) -> tuple[float, float]:
        """Per second of processor time, and per second by the clock."""
        return self.done / max(self.cpu, 1e-9), self.done / max(self.clock, 1e-9)


def measure(seconds: float, *once: Callable[[], int]) -> list[tuple[float, float]]:
    """The rates of each, taken by turns."""
    works = [Work(each) for each in once]
    for _ in range(TURNS):
        for work in works:
            work.go_on(seconds / TURNS)
    return [work.rates() for work in works]


def ours_steps(start: rookery.Position) -> int:
    """Moves of one random game, step by step from Python."""
    position, moves, draw = start.copy(), 0, random.random
    while not position.is_over:
        actions = position.legal_actions()
        position.play(actions[int(draw() * len(actions))])
        moves += 1
    return moves


def theirs_steps(game: Any) -> int:
    state, moves, draw = game.new_initial_state(), 0, random.random
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply_action(actions[int(draw() * len(actions))])
        moves += 1
    return moves


def ours_bulk() -> int:
    return int(rookery.playouts(rookery.load(SPEC), 20_000, seed=random.getrandbits(32), threads=1)["games"])


def theirs_bulk(pyspiel: Any, game: Any) -> list[Callable[[], int]]:
    """Whole random games by each way that OpenSpiel has: a loop in Python, two random bots that play one game in a call, and
    a search of one simulation whose evaluation is many random games. The fastest of them stands beside ours."""
    bots = [pyspiel.make_uniform_random_bot(seat, random.getrandbits(31)) for seat in range(2)]

    def by_loop() -> int:
        theirs_steps(game)
        return 1

    def by_bots() -> int:
        pyspiel.evaluate_bots(game.new_initial_state(), bots, random.getrandbits(31))
        return 1

    def by_search(games: int = 1000) -> int:
        return theirs_mcts(pyspiel, game, simulations=1, games=games)

    return [by_loop, by_bots, by_search]


def ours_mcts(simulations: int = 50_000) -> int:
    return int(rookery.mcts(rookery.load(SPEC), simulations, seed=random.getrandbits(32))["playouts"])


def theirs_mcts(pyspiel: Any, game: Any, simulations: int = 1000, games: int = 1) -> int:
    """How many random games were played: so many in each simulation."""
    evaluator = pyspiel.RandomRolloutEvaluator(games, random.getrandbits(31))
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, simulations, 1000, False, random.getrandbits(31), False)
    bot.step(game.new_initial_state())
    return simulations * games


def batch(observe: bool, n: int = 8192) -> Callable[[], int]:
    env = rookery.BatchEnv(SPEC, n, seed=7, observe=observe)

    def work() -> int:
        for _ in range(20):
            env.step(env.sample())
        return 20 * n

    return work


def theirs_batch(game: Any, observe: bool, n: int = 1024) -> Callable[[], int]:
    """OpenSpiel steps one state in a call, so that many games are a loop in Python. Masks and observations stay the lists that it
    gives; to put them into arrays would take more."""
    states = [game.new_initial_state() for _ in range(n)]

    def work() -> int:
        draw = random.random
        for idx, state in enumerate(states):
            actions = state.legal_actions()
            state.apply_action(actions[int(draw() * len(actions))])
            if state.is_terminal():
                states[idx] = state = game.new_initial_state()
            state.legal_actions_mask()
            if observe:
                state.observation_tensor()
        return n

    return work


def import_ms(module: str) -> float:
    """The processor time of a start of Python with this import; the best of nine."""
    import resource

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    best = float("inf")
    for _ in range(9):
        before = spent()
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
        best = min(best, spent() - before)
    return best * 1000


def row(name: str, rates: list[tuple[float, float]], goal: str = "") -> None:
    """Our figure, and beside it the best of theirs."""
    (ours, clock), *others = rates
    theirs = max((rate for rate, _ in others), default=None)
    other = f"{theirs:14,.0f}" if theirs else f"{'-':>14}"
    ratio = f"{ours / theirs:7.1f} x" if theirs else f"{'':9}"
    print(f"{name:44}{ours:14,.0f}{clock:14,.0f}{other}{ratio}  {goal}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m rookery.bench", description="Figures side by side with OpenSpiel.")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each figure is measured")
    seconds = parser.parse_args().seconds
    random.seed(7)
    try:
        import pyspiel
    except ImportError:
        pyspiel = None
        print("SKIPPED: open_spiel is not installed, so there is nothing beside our figures (pip install open_spiel)\n")
    game = pyspiel.load_game("breakthrough") if pyspiel else None
    start = rookery.load(SPEC)

    def theirs(once: Callable[[], int]) -> list[Callable[[], int]]:
        return [once] if pyspiel else []

    print(f"{'':44}{'per CPU s':>14}{'by the clock':>14}{'OpenSpiel':>14}{'':9}  goal")
    rates = measure(seconds, lambda: ours_steps(start), *theirs(lambda: theirs_steps(game)))
    row("single steps from Python (moves)", rates, "3 x")
    bulk = theirs_bulk(pyspiel, game) if pyspiel else []
    row("bulk playouts (games)", measure(seconds, ours_bulk, *bulk), "30 x")
    rates = measure(seconds, ours_mcts, *theirs(lambda: theirs_mcts(pyspiel, game)))
    row("tree search (simulations)", rates, "30 x")
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("SKIPPED: numpy is not installed, so BatchEnv is not measured")
    else:
        for seen, observe, goal in (("masks", False, "5,000,000 by the clock on two cores"), ("masks and observations", True, "2,000,000")):
            others = [theirs_batch(game, observe)] if pyspiel else []
            row(f"BatchEnv, steps with {seen}", measure(seconds, batch(observe), *others), goal)
    print()
    imports(["rookery", "json", *(["pyspiel"] if pyspiel else [])])
    libraries = [("Rookery", next(Path(rookery.__file__).parent.glob("_rookery*.so"), None))]
    if pyspiel:
        libraries.append(("OpenSpiel", Path(pyspiel.__file__)))
    for name, library in libraries:
        if library:
            packed = len(zlib.compress(library.read_bytes(), 9))
            print(f"the extension of {name} has {library.stat().st_size / 1e6:.1f} MB, packed as in a wheel {packed / 1e6:.1f} MB")


def imports(modules: list[str]) -> None:
    """What an import of each takes, and how much more ours takes than `json`."""
    try:
        took = {module: import_ms(module) for module in modules}
    except ImportError:
        print("SKIPPED: this system does not tell the processor time of other processes")
        return
    told = ", ".join(f"import {module} {spent:.1f} ms" for module, spent in took.items())
    print(f"{told} of processor time; rookery takes {took['rookery'] - took['json']:+.1f} ms more than json (goal: at most +50)")


if __name__ == "__main__":
    main()
