"""Games and positions: what they say is what the rules say, and bad input is an exception."""

import copy
import os
import pickle
import random
import signal
import threading

import pytest

import rookery
from rookery import IllegalMove, Position

SPECS = [
    "fish:players=3,seed=7",
    "fish:rows=3,cols=4,holes=2,seed=3",
    "hexapawn",
    "hexapawn:rows=8,cols=8",
    "hexapawn:rows=4,cols=5,eliminate=choose",
    "renpaarden:width=5,height=6,max-turns=60",
    "stones:rows=4,cols=4,players=3,max-turns=80",
    "four:rows=5,cols=5",
]


def play_on(position, seed, plies=10_000):
    rng = random.Random(seed)
    while not position.is_over and plies > 0:
        position.play(rng.choice(position.legal_moves()))
        plies -= 1
    return position


def test_every_game_is_tried():
    assert {spec.partition(":")[0] for spec in SPECS} == set(rookery.games()), "SPECS needs a line for each game"


def test_every_game_is_listed_and_loads():
    assert {"fish", "hexapawn", "renpaarden", "stones", "four"} <= set(rookery.games())
    for name in rookery.games():
        assert rookery.load(name).game == name
        info = rookery.game_info(name)
        assert info["title"] and info["rules"] and "easy" in info["players"]


@pytest.mark.parametrize("spec", SPECS)
def test_texts_and_actions_are_the_same_moves_in_the_same_order(spec):
    position = rookery.load(spec)
    rng = random.Random(spec)
    while not position.is_over:
        moves, actions = position.legal_moves(), position.legal_actions()
        assert [position.action_to_move(action) for action in actions] == moves
        assert [position.move_to_action(move) for move in moves] == actions
        mask = position.action_mask()
        assert len(mask) == position.n_actions
        assert sorted(actions) == [action for action, legal in enumerate(mask) if legal]
        idx = rng.randrange(len(moves))
        after = position.after(moves[idx])
        position.play(actions[idx])
        assert after == position and after.text == position.text and hash(after) == hash(position)
    assert position.legal_actions() == [] and not any(position.action_mask())
    assert position.to_move is None and len(position.scores) == position.n_seats
    assert abs(sum(position.returns)) < 1e-6


@pytest.mark.parametrize("spec", SPECS)
def test_a_position_survives_its_text_pickling_and_copying(spec):
    position = play_on(rookery.load(spec), 5, plies=7)
    for again in (
        Position.from_text(position.text, position.game),
        Position.from_text(position.game, position.text),
        pickle.loads(pickle.dumps(position)),
        copy.copy(position),
        copy.deepcopy(position),
        position.copy(),
    ):
        assert again == position and again.text == position.text and again.legal_moves() == position.legal_moves()
        assert again.hash == position.hash
        assert again.n_actions == position.n_actions and again.legal_actions() == position.legal_actions()
        assert again.observation_shape == position.observation_shape
        assert again.observation_planes == position.observation_planes
    assert pickle.loads(pickle.dumps(position)).spec == position.spec


def test_copies_are_independent():
    first = rookery.load("four")
    second = first.copy()
    second.play("a")
    assert first != second and first.to_move == 0 and second.to_move == 1


def test_a_text_that_only_one_game_knows_needs_no_name():
    text = rookery.load("renpaarden").text
    assert Position.from_text(text).game == "renpaarden"
    with pytest.raises(ValueError, match="no position of any game"):
        Position.from_text("nothing of the kind")


def test_a_board_shows_in_a_notebook_and_in_print():
    position = rookery.load("hexapawn:rows=3,cols=3")
    assert position._repr_svg_().startswith("<svg")
    assert "1 1 1 1" in str(position) or "111" in str(position).replace(" ", "")
    assert repr(position) == "<Position hexapawn \"p1 111/.../222\">"
    assert position.seat_labels == ["player 1", "player 2"]
    assert rookery.load("stones").seat_labels == ["player 0", "player 1"]


@pytest.mark.parametrize("move", ["", "x9", "a1-a9", "e1-e5", "\x00", "a1" * 200_000, 10**6, -1, 2**80])
def test_illegal_moves_change_nothing(move):
    position = rookery.load("hexapawn")
    before = position.text
    for attempt in (position.play, position.after):
        with pytest.raises(ValueError):
            attempt(move)
    assert position.text == before


@pytest.mark.parametrize("move", [None, 1.5, b"a1-a2", [], object(), True, ("a",)])
def test_a_move_of_the_wrong_type_is_a_type_error(move):
    position = rookery.load("hexapawn")
    with pytest.raises(TypeError):
        position.play(move)
    with pytest.raises(TypeError):
        position.reason(move)


def raising(kind):
    class Number:
        def __index__(self):
            raise kind("my own reason")

    return Number()


@pytest.mark.parametrize("error", [KeyError, MemoryError, KeyboardInterrupt, SystemExit])
def test_what_a_value_raises_comes_out(error):
    position = rookery.load("hexapawn")
    for read in (position.play, position.after, position.reason, position.action_to_move):
        with pytest.raises(error, match="my own reason"):
            read(raising(error))


def test_what_is_no_number_although_it_looks_like_one_is_a_type_error():
    position = rookery.load("hexapawn")
    things = [raising(TypeError), int]
    try:
        import numpy as np

        things += [np.array([1, 2]), np.array([0.5]), np.array([])]
        assert position.after(np.int16(0)) == position.after(np.array(0)) == position.after(0)
    except ImportError:
        pass
    for thing in things:
        for read in (position.play, position.after, position.reason, position.action_to_move):
            with pytest.raises(TypeError, match="expected a move: its text, or the number of its action, got"):
                read(thing)
    for large in (2**127, 10**400, -(10**400)):
        with pytest.raises(IllegalMove, match="too large"):
            position.play(large)


@pytest.mark.parametrize(
    "spec",
    ["", "chess", "hexpawn", "hexapawn:rows=99", "hexapawn:rows=", "fish:players=3,players=3", "fish:" + "9" * 10**6,
     "four:" + ",".join(f"rows={n}" for n in range(10_000)), "\x00", "hexapawn:rows=-1"],
)
def test_specs_that_cannot_be_are_value_errors(spec):
    with pytest.raises(ValueError):
        rookery.load(spec)


@pytest.mark.parametrize("spec", [None, 7, b"hexapawn", ["hexapawn"]])
def test_a_spec_of_the_wrong_type_is_a_type_error(spec):
    with pytest.raises(TypeError):
        rookery.load(spec)


def test_errors_have_our_sentences():
    with pytest.raises(ValueError, match="did you mean `hexapawn`"):
        rookery.load("hexpawn")
    position = rookery.load("hexapawn")
    with pytest.raises(IllegalMove, match="illegal move a1-a3"):
        position.play("a1-a3")
    assert position.reason("a1-a2") is None and position.reason("a1-a3")
    over = play_on(rookery.load("four"), 3)
    with pytest.raises(IllegalMove, match="the game is over"):
        over.play("a")
    with pytest.raises(ValueError, match="seats are 0 to 1"):
        position.observation(seat=2)


def test_foreign_pickles_are_refused():
    data = pickle.dumps(rookery.load("hexapawn"))
    assert b"p1 " in data
    with pytest.raises(ValueError):
        pickle.loads(data.replace(b"11111", b"77777"))
    with pytest.raises(TypeError):
        rookery._rookery._unpickle(1, 2, 3)


def test_a_removed_seat_is_out():
    position = rookery.load("fish:players=3,seed=1")
    position.remove(0)
    assert position.to_move != 0
    with pytest.raises(ValueError):
        position.remove(7)


def test_threads_may_share_a_position_without_a_crash():
    position, errors = rookery.load("hexapawn:rows=8,cols=8"), []

    def work():
        try:
            for _ in range(2000):
                position.copy().legal_actions()
                try:
                    position.play(position.legal_actions()[0])
                except (ValueError, IndexError, RuntimeError):
                    pass
        except BaseException as error:  # a panic is no Exception
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors and not any(thread.is_alive() for thread in threads)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_plays_on():
    np = pytest.importorskip("numpy")
    env = rookery.BatchEnv("hexapawn:rows=8,cols=8", 1024, seed=1)
    env.step(env.sample())
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)
            env.step(env.sample())
            rookery.playouts(rookery.load("four"), 2000)
            rookery.match("four", ["random", "random"], games=2)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    env.step(env.sample())
    assert isinstance(env.masks, np.ndarray)


def test_open_spiel_names():
    from rookery import openspiel

    game = openspiel.load_game("hexapawn:rows=4,cols=4")
    state = game.new_initial_state()
    assert state.current_player() == 0 and game.num_players() == 2
    assert game.num_distinct_actions() == 78 and game.observation_tensor_shape() == [5, 4, 4]
    assert str(game) == game.spec == "hexapawn:rows=4,cols=4"
    while not state.is_terminal():
        legal, mask = state.legal_actions(), state.legal_actions_mask()
        assert all(type(each) is int for each in mask) and len(mask) == game.num_distinct_actions()
        assert legal == [action for action, each in enumerate(mask) if each]
        for action in legal:
            text = state.action_to_string(action)
            assert text in state.position.legal_moves() and text == state.action_to_string(state.current_player(), action)
            assert state.string_to_action(text) == action
        before, copy = str(state), state.clone()
        child = state.child(legal[0])
        copy.apply_action(legal[0])
        assert str(state) == before != str(copy) == str(child) and copy.history() == child.history() == [*state.history(), legal[0]]
        state = child
    assert sorted(state.returns()) == [-1.0, 1.0] and len(state.history()) > 3 and state.current_player() == openspiel.TERMINAL


def test_open_spiel_s_observations_are_flat():
    np = pytest.importorskip("numpy")
    from rookery import openspiel

    game = openspiel.load_game("fish:players=3,seed=2")
    state = game.new_initial_state()
    for player in (None, 0, 1, 2):
        tensor = state.observation_tensor(player)
        assert tensor.shape == (np.prod(game.observation_tensor_shape()),)
        assert (tensor.reshape(game.observation_tensor_shape()) == state.position.observation(player)).all()


def test_the_table_of_the_documentation_is_right():
    from pathlib import Path

    text = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
    for name in rookery.games():
        position = rookery.load(name)
        shape = " x ".join(map(str, position.observation_shape))
        title = rookery.game_info(name)["title"]
        assert any(
            line.startswith(f"| {title} |") and line.endswith(f"| {position.n_actions} | {shape} |")
            for line in text.splitlines()
        ), name
