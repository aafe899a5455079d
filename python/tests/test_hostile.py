"""Whatever is handed over: an exception, never a panic, a crash or a hang."""

import os
import pickle
import random
import subprocess
import sys
import threading

import pytest

import rookery

#: What nobody should hand over, to anything.
THINGS = [None, True, -1, 2**31, 2**63, 2**64, 10**400, 1.5, float("nan"), float("inf"), "", "\x00", "\ud800", "x" * 10**6, b"four",
          [], {}, (), object(), rookery, int, lambda *_: 1 / 0]
START, SMALL = rookery.load("four"), rookery.load("hexapawn:rows=3,cols=3")


def of_any(thing):
    """What is called with anything at all."""
    yield lambda: rookery.load(thing)
    yield lambda: rookery.game_info(thing)
    yield lambda: rookery.Position.from_text(thing)
    yield lambda: rookery.Position.from_text("p1 111/.../222", thing)
    yield lambda: START.copy().play(thing)
    yield lambda: START.after(thing)
    yield lambda: START.reason(thing)
    yield lambda: START.action_to_move(thing)
    yield lambda: START.move_to_action(thing)
    yield lambda: START.action_mask(out=thing)
    yield lambda: START.observation(thing)
    yield lambda: START.observation(out=thing)
    yield lambda: START.copy().remove(thing)
    yield lambda: START == thing
    yield lambda: rookery.perft(thing, 1)
    yield lambda: rookery.mcts(START, thing, time=0.01)
    yield lambda: rookery.mcts(START, 10, exploration=thing)
    yield lambda: rookery.best_move(START, level=thing, time=0.01)
    yield lambda: rookery.best_move(START, player=thing, time=0.01)
    yield lambda: rookery.best_move(START, level=1, seed=thing)
    yield lambda: rookery.analyse(START, playouts=20, lines=thing)
    yield lambda: rookery.guided(START, thing, simulations=3)
    yield lambda: rookery.guided(START, lambda asked: thing, simulations=3)
    yield lambda: rookery.guided(START, lambda asked: [thing] * len(asked), simulations=3)
    yield lambda: rookery.guided(START, lambda asked: [(0.5, thing)] * len(asked), simulations=3)
    yield lambda: rookery.guided(START, lambda asked: [0.5] * len(asked), simulations=3, batch=thing)
    yield lambda: rookery.playouts(START, 10, threads=thing)
    yield lambda: rookery.playouts(START, 10, seed=thing)
    yield lambda: rookery.solve(SMALL, memory=thing)
    yield lambda: rookery.match(thing, ["random", "random"])
    yield lambda: rookery.match("four", thing)
    yield lambda: rookery.match("four", [thing, "random"])
    yield lambda: rookery.match("four", [lambda position: thing, "random"])
    yield lambda: rookery.match("four", ["random", "random"], games=thing)
    yield lambda: rookery.match("four", ["random", "random"], seed=thing)
    yield lambda: rookery.match("four", ["random", "random"], time=thing)
    yield lambda: rookery.match("four", ["random", "random"], max_turns=thing)
    yield lambda: rookery.match("four", ["random", "random"], concurrency=thing)
    yield lambda: rookery.tournament("four", ["random", "random"], thing)
    yield lambda: rookery.tournament("four", ["random", "random"], {"kind": thing})
    yield lambda: rookery.sprt("four", ["random", "random"], thing, games=2)
    yield lambda: rookery.ratings(thing)
    yield lambda: rookery.ratings([(["a", "b"], thing)])
    yield lambda: rookery.ratings([([thing] * 100, range(100))])
    yield lambda: rookery._rookery._ratings(["a"] * 99, [(list(range(99)), list(range(99)))])
    yield lambda: rookery.ratings([(["a", "b"], [1, 0])], model=thing)
    yield lambda: rookery.ratings([(["a", "b"], [1, 0])], prior=thing)
    yield lambda: rookery.read_record(thing)
    yield lambda: rookery.verify(thing)
    yield lambda: rookery.review(thing)
    yield lambda: rookery.store_records(thing)
    yield lambda: rookery._rookery._unpickle(thing, "p1 111/.../222", None)
    yield lambda: rookery._rookery._unpickle("hexapawn", thing, None)
    yield lambda: rookery._rookery._unpickle("hexapawn", "p1 111/.../222", thing)


@pytest.mark.parametrize("number", range(len(THINGS)))
def test_anything_anywhere_is_an_exception_at_most(number, tmp_path, monkeypatch):
    # Names of files are texts as well.
    monkeypatch.chdir(tmp_path)
    for call in of_any(THINGS[number]):
        try:
            call()
        except Exception:
            # A panic is no Exception, and comes through.
            pass


def test_a_batch_takes_only_its_own_arrays():
    np = pytest.importorskip("numpy")
    for thing in THINGS:
        for call in (
            lambda: rookery.BatchEnv(thing, 2),
            lambda: rookery.BatchEnv("four", 2, seed=thing),
            lambda: rookery.BatchEnv("four", 2).step(thing),
            lambda: rookery.BatchEnv("four", 2).step([thing, thing]),
            lambda: rookery.BatchEnv("four", 2).position(thing),
        ):
            try:
                call()
            except Exception:
                pass
    env = rookery.BatchEnv("four", 600, seed=1)
    for name in ("masks", "rewards", "to_move", "dones", "observations"):
        own = getattr(env, name)
        wrong = [own[:-1], own[::2], own.astype(np.float64), None if name != "observations" else 7, own[..., None]]
        if own.ndim > 1:
            wrong += [np.asfortranarray(own), own.reshape(own.shape[::-1])]
        for other in wrong:
            setattr(env, name, other)
            with pytest.raises((TypeError, ValueError)):
                env.step(env.sample())
            setattr(env, name, own)
        own.flags.writeable = False
        with pytest.raises((TypeError, ValueError)):
            env.step(env.sample())
        own.flags.writeable = True
    # The same memory twice.
    env.dones = env._actions.view(np.uint8)[:600]
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        env.step(env._actions)


def test_a_batch_that_two_threads_step_is_refused_to_one_of_them():
    pytest.importorskip("numpy")
    env, wrong, done = rookery.BatchEnv("hexapawn:rows=8,cols=8", 2048, seed=1), [], []

    def work():
        try:
            for _ in range(100):
                try:
                    env.step(env.sample().copy())
                    done.append(1)
                except (ValueError, RuntimeError, TypeError):
                    pass
        except BaseException as error:  # a panic is no Exception
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong and done and not any(thread.is_alive() for thread in threads)


def test_garbage_that_plays_on_while_it_is_collected():
    class Last:
        def __init__(self):
            self.position, self.self = rookery.load("stones"), self

        def __del__(self):
            self.position.play(self.position.legal_actions()[0])

    position = rookery.load("hexapawn:rows=8,cols=8")
    actions = position.legal_actions()
    for _ in range(3000):
        Last()
        assert position.legal_actions() == actions


def test_pickles_of_others():
    position = rookery.load("hexapawn:rows=3,cols=3")
    data, rng = pickle.dumps(position), random.Random(5)
    for part in (position.text, position.game, position.spec):
        assert data.count(part.encode()) >= 1
        for _ in range(200):
            changed = list(part)
            for _ in range(rng.randrange(1, 4)):
                changed[rng.randrange(len(changed))] = chr(rng.randrange(128))
            try:
                read = pickle.loads(data.replace(part.encode(), "".join(changed).encode()))
                assert rookery.Position.from_text(read.text, read.game) == read
            except ValueError:
                pass


SCRIPTS = {
    "a fork while threads wait for a batch": """
        env = rookery.BatchEnv("hexapawn:rows=8,cols=8", 4096, seed=1)
        env.step(env.sample())
        for _ in range(20):
            child = os.fork()
            if child == 0:
                env.step(env.sample())
                del env
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            env.step(env.sample())
    """,
    "a fork in the middle of a step": """
        env = rookery.BatchEnv("hexapawn:rows=8,cols=8", 65536, seed=1)
        stop = threading.Event()

        def work():
            while not stop.is_set():
                env.step(env.sample())

        thread = threading.Thread(target=work)
        thread.start()
        stepped = 0
        for _ in range(20):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                try:
                    env.step(env.sample())
                    ended = 0
                except RuntimeError:
                    ended = 3
                rookery.BatchEnv("four", 2048).step([0] * 2048)
                os._exit(ended)
            ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            assert ended in (0, 3), ended
            stepped += ended == 0
        stop.set()
        thread.join()
        # A fork waits for the end of the step; seldom the arrays of the next one are lent already.
        assert stepped > 10, stepped
    """,
    "a fork while another thread begins games of Fish": """
        env = rookery.BatchEnv("fish:rows=3,cols=3", 4096, seed=1)
        stop = threading.Event()

        def work():
            while not stop.is_set():
                env.step(env.sample())

        thread = threading.Thread(target=work)
        thread.start()
        for number in range(60):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                rookery.load("fish")
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0, number
        stop.set()
        thread.join()
    """,
    "a fork while the first threads of a process start": """
        def start_and_fork(delay):
            env = rookery.BatchEnv("hexapawn:rows=8,cols=8", 4096, seed=1)
            thread = threading.Thread(target=lambda: env.step(env.sample()))
            thread.start()
            time.sleep(delay)
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                rookery.BatchEnv("four", 2048).step([0] * 2048)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            thread.join()

        # This process has no threads and makes no batch, so each child is as one that was just started.
        for number in range(40):
            fresh = os.fork()
            if fresh == 0:
                try:
                    start_and_fork(number % 20 / 5000)
                    os._exit(0)
                finally:
                    os._exit(1)
            assert os.waitpid(fresh, 0)[1] == 0, number
    """,
    "a fork while another thread makes short searches": """
        stop = threading.Event()

        def work():
            while not stop.is_set():
                rookery.playouts(rookery.load("four"), 2000)

        thread = threading.Thread(target=work)
        thread.start()
        for number in range(40):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                # It was waited for, so that this process is as any other.
                assert rookery.playouts(rookery.load("four"), 2000)["games"] == 2000
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0, number
        stop.set()
        thread.join()
    """,
    "a fork while another thread searches for long": """
        found = []
        search = lambda: found.append(rookery.mcts(rookery.load("stones"), playouts=10**12, time=6.0))
        thread = threading.Thread(target=search)
        thread.start()
        time.sleep(0.5)
        begin = time.monotonic()
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            position = rookery.load("fish")
            position.play(position.legal_moves()[0])
            for call in (
                lambda: rookery.playouts(position, 10),
                lambda: rookery.best_move(position, level=1),
                lambda: rookery.match("four", ["random", "random"]),
                lambda: rookery.BatchEnv("four", 2048),
            ):
                try:
                    call()
                except RuntimeError as error:
                    assert "forked" in str(error), error
                else:
                    raise AssertionError("what the search held is lost")
            os._exit(0)
        assert time.monotonic() - begin < 5, "a fork does not wait for the end of a long search"
        assert os.waitpid(child, 0)[1] == 0
        thread.join()
        assert found[0]["visits"] and rookery.playouts(rookery.load("four"), 10)["games"] == 10
    """,
    "players that fork": """
        def fork(position):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                assert rookery.playouts(position, 100)["games"] == 100
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            return position.legal_moves()[0]

        def come_back(position):
            child = os.fork()
            if child:
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
            else:
                signal.alarm(60)
            return position.legal_moves()[0]

        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            for player in (fork, come_back):
                for where in ({}, {"store": folder + "/games.db"}) if player is come_back else ({},):
                    result = rookery.match("hexapawn:rows=3,cols=3", [player, "level:5"], games=2, **where)
                    assert [game.removed for game in result.games] == [[], []], result.games
    """,
    "no numpy at all": """
        sys.modules["numpy"] = None
        position = rookery.load("four")
        assert list(position.action_mask()) == [1] * 7
        for call in (
            lambda: position.action_mask(out=bytearray(7)),
            lambda: position.observation(),
            lambda: position.observation(out=bytearray(7)),
            lambda: rookery.BatchEnv("four", 2),
            lambda: rookery._rookery.Games("four", 2, 0, True),
            lambda: rookery.to_arrays([]),
        ):
            try:
                call()
            except ImportError as error:
                assert "numpy" in str(error), error
            else:
                raise AssertionError("it needs numpy")
    """,
    "no further thread": """
        import resource
        first = lambda position: position.legal_moves()[0]
        rookery.match("four", [first, first])
        pages = int(open("/proc/self/statm").read().split()[0])
        # Too little for the stack of a thread, and enough for the words that say so.
        resource.setrlimit(resource.RLIMIT_AS, ((pages << 12) + (1 << 20), resource.RLIM_INFINITY))
        for call in (
            lambda: rookery.match("four", ["random", "random"]),
            lambda: rookery.tournament("four", ["random", "random", "random"]),
            lambda: rookery.playouts(rookery.load("four"), 10),
            lambda: rookery.best_move(rookery.load("four"), level=1),
        ):
            try:
                call()
            except RuntimeError as error:
                assert "no thread can be started" in str(error), error
            else:
                raise AssertionError("there is no thread for it")
    """,
    "many processes of multiprocessing": """
        import multiprocessing
        env = rookery.BatchEnv("four", 4096, seed=1)
        env.step(env.sample())
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(rookery.Position.copy, [rookery.load("four")] * 4) == [rookery.load("four")] * 4
    """,
    "the end of the interpreter while a thread searches": """
        for work in (lambda: rookery.mcts(rookery.load("stones"), playouts=10**12, time=2.0),
                     lambda: rookery.match("stones", ["random", "random"], games=2000)):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.3)
    """,
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("name", SCRIPTS)
def test_processes_and_threads(name):
    pytest.importorskip("numpy")
    lines = SCRIPTS[name].strip("\n").splitlines()
    script = "import os, signal, sys, threading, time, rookery\n" + "\n".join(line[8:] for line in lines)
    command = [sys.executable, "-W", "ignore", "-c", script]
    ended = subprocess.run(command, timeout=120, capture_output=True, text=True)
    assert ended.returncode == 0 and "panicked" not in ended.stderr, ended.stderr


@pytest.mark.parametrize(
    "work",
    [
        lambda: rookery.best_move(rookery.load("fish"), player="mcts:playouts=100000000"),
        lambda: rookery.guided(rookery.load("stones"), lambda asked: [0.5] * len(asked), simulations=10**12),
        lambda: rookery.tournament("stones", ["random", "random", "random"], games=100_000),
        lambda: rookery.sprt("stones", ["a=random", "b=random"], 0, 1, games=10_000_000),
        lambda: rookery.match("four", ["cmd:sleep 1000", "random"]),
        lambda: rookery.match("four", [lambda position: position.legal_moves()[0], "cmd:sleep 1000"]),
        lambda: rookery.match("four", ["tcp:0", "random"]),
    ],
)
def test_ctrl_c_stops_this_too(work, ctrl_c):
    with ctrl_c(0.5):
        work()
