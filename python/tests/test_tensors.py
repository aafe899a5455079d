"""Masks, observations and batches."""

import random
import sys
import threading
import time

import pytest

import rookery

np = pytest.importorskip("numpy")

from test_games import SPECS, play_on  # noqa: E402


@pytest.mark.parametrize("spec", SPECS)
def test_masks_and_observations_are_written_into_arrays(spec):
    position = play_on(rookery.load(spec), 2, plies=5)
    mask = np.full(position.n_actions, 7, dtype=np.int8)
    assert position.action_mask(out=mask) is mask
    assert (mask == position.action_mask()).all() and mask.dtype == np.int8
    shape = position.observation_shape
    assert len(position.observation_planes) == shape[0]
    for seat in range(position.n_seats):
        out = np.full(shape, 9, dtype=np.uint8)
        assert position.observation(seat, out=out) is out
        assert (out == position.observation(seat)).all()
        again = rookery.Position.from_text(position.text, position.game)
        assert (again.observation(seat) == out).all(), "equal positions have equal tensors"


def test_hexapawn_looks_as_its_board():
    planes = rookery.load("hexapawn:rows=3,cols=3").observation()
    assert planes.shape == (5, 3, 3)
    assert planes[0].tolist() == [[1, 1, 1], [0, 0, 0], [0, 0, 0]]
    assert planes[1].tolist() == [[0, 0, 0], [0, 0, 0], [1, 1, 1]]
    assert planes[3].all(), "the viewer is to move"


@pytest.mark.parametrize(
    "out", [[0, 1], np.zeros(3, dtype=np.uint8), np.zeros((5, 5), dtype=np.uint8), np.zeros(7), b"1234567", None or 5]
)
def test_arrays_that_do_not_fit_are_refused(out):
    with pytest.raises((TypeError, ValueError)):
        rookery.load("four").action_mask(out=out)
    with pytest.raises((TypeError, ValueError)):
        rookery.load("four").observation(out=out)
    frozen = np.zeros(7, dtype=np.uint8)
    frozen.flags.writeable = False
    with pytest.raises((TypeError, ValueError)):
        rookery.load("four").action_mask(out=frozen)
    with pytest.raises((TypeError, ValueError)):
        rookery.load("four").action_mask(out=np.zeros(14, dtype=np.uint8)[::2])
    for out in (np.zeros((7, 6, 4), dtype=np.uint8), np.zeros((4, 7, 6), dtype=np.uint8)):
        with pytest.raises(ValueError, match="shape"):
            rookery.load("four").observation(out=out)
    with pytest.raises(ValueError, match="C order"):
        rookery.load("four").observation(out=np.zeros((4, 6, 7), dtype=np.uint8, order="F"))


@pytest.mark.parametrize("spec", SPECS)
def test_a_batch_is_many_single_games(spec):
    env = rookery.BatchEnv(spec, 9, seed=3)
    rng = random.Random(4)
    for _ in range(60):
        before = [env.position(idx) for idx in range(env.n)]
        for idx, position in enumerate(before):
            assert env.to_move[idx] == position.to_move
            assert (env.masks[idx] == position.action_mask()).all()
            assert (env.observations[idx] == position.observation()).all()
        actions = [rng.choice(position.legal_actions()) for position in before]
        step = env.step(actions)
        for idx, (position, action) in enumerate(zip(before, actions)):
            position.play(action)
            assert bool(step.dones[idx]) == position.is_over
            assert np.allclose(step.rewards[idx], position.returns)
            if not position.is_over:
                assert env.position(idx) == position


def test_large_batches_on_several_threads_are_the_same_games():
    small, large = (rookery.BatchEnv("hexapawn:rows=4,cols=4", n, seed=5) for n in (16, 4096))
    for _ in range(50):
        actions = large.sample()
        assert (actions[:16] == small.sample()).all()
        large.step(actions)
        small.step(actions[:16])
        assert (large.masks[:16] == small.masks).all()
        assert (large.observations[:16] == small.observations).all()


@pytest.mark.parametrize("order", ["reset", "step", "sample"])
def test_other_threads_run_while_a_batch_works(order):
    env, twin = (rookery.BatchEnv("hexapawn:rows=8,cols=8", 1 << 17, seed=1) for _ in range(2))
    ticks, done, moves = 0, threading.Event(), []
    for _ in range(40):
        moves.append(twin.sample().copy())
        twin.step(moves[-1])

    def tick():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    work = {"reset": lambda _: env.reset(), "step": env.step, "sample": lambda _: env.sample()}[order]
    thread, usual = threading.Thread(target=tick), sys.getswitchinterval()
    thread.start()
    try:
        # From now on a thread has Python's lock until it gives it up by itself, and only what works here can do so.
        sys.setswitchinterval(1000)
        # Whoever waited for it before waits in this way now.
        time.sleep(0.1)
        before = ticks
        for actions in moves:
            work(actions)
        after = ticks
    finally:
        sys.setswitchinterval(usual)
        done.set()
        thread.join()
    assert after > before


def test_the_same_seed_gives_the_same_boards_and_another_one_others():
    boards = [[rookery.BatchEnv("fish", 4, seed=seed).position(idx).text for idx in range(4)] for seed in (1, 1, 2)]
    assert boards[0] == boards[1] != boards[2] and len(set(boards[0])) == 4


def test_an_illegal_action_changes_no_game():
    env = rookery.BatchEnv("hexapawn", 600, seed=1)
    before = [env.position(idx).text for idx in range(600)]
    actions = env.sample().copy()
    actions[555] = env.n_actions - 1
    with pytest.raises(ValueError, match="game 555"):
        env.step(actions)
    actions[555] = -1
    with pytest.raises(ValueError, match="there is no action -1"):
        env.step(actions)
    assert [env.position(idx).text for idx in range(600)] == before
    with pytest.raises(ValueError, match="599 actions for 600 games"):
        env.step(actions[:599])
    with pytest.raises(TypeError):
        env.step([0.5] * 600)
    with pytest.raises(ValueError):
        env.step(np.zeros((2, 300), dtype=np.int64))
    with pytest.raises(ValueError):
        env.position(600)


@pytest.mark.parametrize("n", [0, -1, 10**9])
def test_a_batch_has_some_games(n):
    with pytest.raises(ValueError, match="1 to 1048576 games"):
        rookery.BatchEnv("four", n)


def test_a_batch_has_bounded_arrays():
    with pytest.raises(ValueError, match="take at most"):
        rookery.BatchEnv("fish:rows=128,cols=1", 2**20)
    with pytest.raises(ValueError, match="or observe=False"):
        rookery.BatchEnv("fish:rows=128,cols=1", 2**20, observe=True)
    assert len(rookery.BatchEnv("four", 2**16, observe=False)) == 2**16


def test_a_game_that_is_over_at_once_makes_no_batch():
    assert rookery.load("hexapawn:rows=2,cols=1").is_over
    with pytest.raises(ValueError, match="over before the first move"):
        rookery.BatchEnv("hexapawn:rows=2,cols=1", 2)


def test_bad_batches():
    with pytest.raises(ValueError):
        rookery.BatchEnv("chess", 3)
    with pytest.raises(TypeError):
        rookery.BatchEnv(7, 3)
    with pytest.raises(TypeError):
        rookery.BatchEnv("four", "many")
