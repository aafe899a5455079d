"""Searches answer, agree with each other, and stop with Ctrl-C."""

import sys
import threading
import time

import pytest

import rookery


@pytest.fixture
def winning():
    """Player 1 wins with a2-a3."""
    return rookery.Position.from_text("p1 .../1../..2", "hexapawn")


def test_all_of_them_find_the_winning_move(winning):
    assert rookery.best_move(winning, level=8) == "a2-a3"
    assert rookery.best_move(winning, player="mcts:playouts=200") == "a2-a3"
    assert rookery.mcts(winning, playouts=200)["move"] == "a2-a3"
    assert rookery.analyse(winning, time=0.5)["lines"][0]["moves"][0] == "a2-a3"
    assert rookery.analyse(winning, playouts=500)["lines"][0]["moves"][0] == "a2-a3"
    assert rookery.solve(winning)["winner"] == 0
    assert rookery.guided(winning, lambda asked: [0.5] * len(asked))["move"] == "a2-a3"


def test_counts():
    start = rookery.load("hexapawn:rows=3,cols=3")
    assert [rookery.perft(start, depth) for depth in (0, 1, 2, 4)] == [1, 3, 10, 56]

    def count(position, depth):
        return 1 if depth == 0 else sum(count(position.after(move), depth - 1) for move in position.legal_moves())

    four = rookery.load("four:rows=4,cols=4")
    assert rookery.perft(four, 5) == count(four, 5)


def test_playouts_do_not_depend_on_the_number_of_threads():
    start = rookery.load("hexapawn:rows=8,cols=8")
    one, two = (rookery.playouts(start, 3000, seed=9, threads=threads) for threads in (1, 2))
    assert one == two and one["games"] == sum(one["wins"]) == 3000
    assert rookery.playouts(start, 3000, seed=10) != one


def test_the_same_seed_gives_the_same_search():
    start = rookery.load("stones:rows=5,cols=5")
    assert rookery.mcts(start, 500, seed=3) == rookery.mcts(start, 500, seed=3)
    assert rookery.best_move(start, level=2, seed=5) == rookery.best_move(start, level=2, seed=5)


def test_a_function_guides_the_search_in_batches():
    start = rookery.load("four")
    sizes = []

    def evaluate(positions):
        sizes.append(len(positions))
        priors = [[1.0 if action == 3 else 0.01 for action in range(7)] for _ in positions]
        return list(zip([0.5] * len(positions), priors))

    found = rookery.guided(start, evaluate, simulations=200, batch=32)
    assert found["move"] == "d" and sum(found["visits"].values()) == 200
    assert max(sizes) > 16, "positions come in batches"
    values = rookery.guided(start, lambda asked: [[0.9, 0.1]] * len(asked), simulations=50)["values"]
    assert all(value == pytest.approx(0.9, abs=0.2) for value in values.values() if value)


@pytest.mark.parametrize("answer", [[], [2.0], ["x"], [(0.5, [1.0])], [float("nan")], None, [(0.5, [-1.0] * 7)]])
def test_a_function_that_answers_wrongly_is_an_exception(answer):
    with pytest.raises((TypeError, ValueError)):
        rookery.guided(rookery.load("four"), lambda asked: answer, simulations=5)


def test_a_function_that_answers_for_ever_is_an_exception():
    import itertools

    with pytest.raises(ValueError, match="got 1 positions and returned more values"):
        rookery.guided(rookery.load("four"), lambda asked: itertools.repeat(0.5), simulations=5)


@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: [value, value], lambda value: (0.5, [value] * 7)])
def test_a_value_that_ends_everything_when_it_is_read_comes_out(wrap):
    class Value:
        def __float__(self):
            raise KeyboardInterrupt("now")

    with pytest.raises(KeyboardInterrupt, match="now"):
        rookery.guided(rookery.load("four"), lambda asked: [wrap(Value()) for _ in asked], simulations=5)


def test_time_alone_decides_how_long_a_tree_search_takes():
    start, seconds = rookery.load("hexapawn:rows=8,cols=8"), 0.25
    assert rookery.mcts(start)["playouts"] == 10_000
    assert rookery.mcts(start, playouts=300, time=3600)["playouts"] == 300
    while rookery.mcts(start, time=seconds)["playouts"] <= 10_000:
        seconds *= 2
        assert seconds < 100, "it does not end after the usual number"


def test_an_exception_of_the_function_comes_out():
    with pytest.raises(ZeroDivisionError):
        rookery.guided(rookery.load("four"), lambda asked: 1 / 0)


def test_bad_orders():
    start = rookery.load("four")
    over = rookery.Position.from_text("p1 111/.../222", "hexapawn")
    while not over.is_over:
        over.play(over.legal_moves()[0])
    for search in (rookery.best_move, rookery.mcts, rookery.analyse):
        with pytest.raises(ValueError, match="over"):
            search(over)
        with pytest.raises(TypeError):
            search("four")
    for bad in (dict(level=9), dict(level=0), dict(level=1, player="hard"), dict(player="nobody"), dict(time=-1.0)):
        with pytest.raises(ValueError):
            rookery.best_move(start, **bad)
    for bad in (lambda: rookery.mcts(start, playouts=0), lambda: rookery.analyse(start, playouts=0), lambda: rookery.analyse(start, lines=0),
                lambda: rookery.analyse(start, lines=0, playouts=10)):
        with pytest.raises(ValueError, match="at least 1"):
            bad()
    with pytest.raises(ValueError, match="cannot be solved"):
        rookery.solve(start)
    with pytest.raises((ValueError, OverflowError)):
        rookery.playouts(start, -1)
    for depth in (1001, 2**32 - 1):
        with pytest.raises(ValueError, match="depth"):
            rookery.perft(start, depth)


def test_a_long_count_does_not_run_out_of_stack(ctrl_c):
    assert rookery.perft(rookery.load("hexapawn:rows=3,cols=3"), 1000) == 0
    with ctrl_c(0.5):
        rookery.perft(rookery.load("renpaarden"), 1000)


def test_games_that_hardly_end_are_cut_short():
    begin = time.monotonic()
    rookery.mcts(rookery.load("renpaarden"), playouts=1000)
    rookery.analyse(rookery.load("renpaarden"), playouts=1000)
    # Played to their ends these are more than two million moves; here they are 80,000.
    assert time.monotonic() - begin < 60


def holds_a_match(players):
    def player(position):
        rookery.match("stones", players, games=10_000_000)

    return player


@pytest.mark.parametrize(
    "search",
    [
        lambda: rookery.mcts(rookery.load("hexapawn:rows=8,cols=8"), playouts=10**12),
        lambda: rookery.perft(rookery.load("hexapawn:rows=8,cols=8"), 14),
        lambda: rookery.playouts(rookery.load("stones"), 10**12),
        lambda: rookery.analyse(rookery.load("fish"), time=3600),
        lambda: rookery.solve(rookery.load("hexapawn:rows=8,cols=8")),
        lambda: rookery.match("stones", ["random", "random"], games=10_000_000),
        lambda: rookery.match("four", [lambda position: position.legal_moves()[0], "random"], games=10_000_000),
        lambda: rookery.match("stones", [lambda position: position.legal_moves()[0], "mcts:playouts=100000000"]),
        lambda: rookery.match("four", [holds_a_match(["random", "random"]), "random"]),
        lambda: rookery.match("four", [holds_a_match([lambda position: position.legal_moves()[0], "random"]), "random"]),
    ],
)
def test_ctrl_c_stops_it(search, ctrl_c):
    with ctrl_c(0.3):
        search()


def test_ctrl_c_stops_a_review(tmp_path, ctrl_c):
    played = rookery.match("fish", ["random", "random"], games=2, record=tmp_path)
    with ctrl_c(0.3):
        rookery.review(played.games[0].record, time=100_000.0)


@pytest.mark.parametrize(
    "search",
    [
        lambda position: rookery.mcts(position, playouts=10**12, time=1.0),
        lambda position: rookery.analyse(position, time=1.0),
        lambda position: rookery.best_move(position, player="mcts:playouts=100000000", time=1.0),
        lambda position: rookery.playouts(position, 300_000, threads=1),
        lambda position: rookery.perft(position, 7),
        lambda position: rookery.guided(position, lambda asked: [0.5] * len(asked), simulations=2000),
    ],
)
def test_a_position_may_be_played_on_while_it_is_searched(search):
    position, found = rookery.load("hexapawn:rows=8,cols=8"), []
    thread = threading.Thread(target=lambda: found.append(search(position)))
    thread.start()
    while thread.is_alive() and not position.is_over:
        time.sleep(0.02)
        # An exception if the search holds it.
        position.play(position.legal_actions()[0])
    thread.join()
    assert found


def test_other_threads_run_while_a_guided_search_goes_down_its_tree():
    ticks = 0
    done = threading.Event()

    def tick():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread, usual = threading.Thread(target=tick), sys.getswitchinterval()
    thread.start()
    try:
        # From now on a thread has Python's lock until it gives it up by itself, and the function here does not.
        sys.setswitchinterval(1000)
        # Whoever waited for it before waits in this way now.
        time.sleep(0.1)
        before = ticks
        rookery.guided(rookery.load("hexapawn:rows=8,cols=8"), lambda asked: [0.5] * len(asked), simulations=50_000, batch=1000)
        after = ticks
    finally:
        sys.setswitchinterval(usual)
        done.set()
        thread.join()
    assert after > before


def test_a_guided_search_ends_before_its_tree_fills_the_memory():
    wide = rookery.load("fish:rows=8,cols=16")
    assert len(wide.legal_moves()) == 128
    found = rookery.guided(wide, lambda asked: [0.5] * len(asked), simulations=200_000, batch=1 << 14, exploration=100.0)
    assert 100_000 < sum(found["visits"].values()) < 200_000


def test_other_threads_run_while_a_search_works():
    ticks = 0
    done = threading.Event()

    def tick():
        nonlocal ticks
        while not done.wait(0.01):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    rookery.mcts(rookery.load("hexapawn:rows=8,cols=8"), playouts=10**12, time=0.5)
    done.set()
    thread.join()
    assert ticks > 3
