"""PettingZoo's own tests, for every game."""

import importlib

import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, render_test, seed_test  # noqa: E402

import rookery  # noqa: E402

# Small boards, so that whole games are quick.
SMALL = {
    "renpaarden": "renpaarden:width=4,height=5,max-turns=40",
    "stones": "stones:rows=4,cols=4,max-turns=60",
}


SPECS = [SMALL.get(game, game) for game in rookery.games()] + [
    # More than two at a table.
    "fish:players=3",
    "stones:rows=4,cols=4,players=3,max-turns=60",
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("spec", SPECS)
def test_pettingzoo_s_own_tests_pass(spec, capsys):
    module = importlib.import_module(f"rookery.pettingzoo.{spec.partition(':')[0]}_v1")
    api_test(module.env(spec=spec), num_cycles=300, verbose_progress=False)
    api_test(module.raw_env(spec=spec), num_cycles=300, verbose_progress=False)
    seed_test(lambda: module.env(spec=spec), num_cycles=100)
    render_test(lambda render_mode=None: module.env(spec=spec, render_mode=render_mode),
                custom_tests={"svg": lambda shown: isinstance(shown, str) and shown.startswith("<svg")})


def test_an_illegal_move_loses():
    from rookery.pettingzoo import four_v1

    env = four_v1.env(spec="four:rows=3,cols=3,line=3")
    env.reset(seed=1)
    for _ in range(3):
        env.step(0)
    env.step(0)
    assert env.terminations["player_1"] and env.rewards["player_1"] == -1


def test_a_seed_is_a_board_and_a_wrong_spec_an_error():
    from rookery.pettingzoo import fish_v1

    env = fish_v1.raw_env()
    boards = []
    for seed in (1, 1, 2):
        env.reset(seed=seed)
        boards.append(env.position.text)
    assert boards[0] == boards[1] != boards[2]
    following = []
    for seed in (2, None, None, 3):
        env.reset(seed=seed)
        following.append(env.position.text)
    assert len(set(following)) == 3 and following[1] == following[3], "without a seed the next board follows"
    with pytest.raises(ValueError):
        fish_v1.raw_env(spec="four")
    with pytest.raises(ValueError):
        fish_v1.raw_env(render_mode="smell")


def test_a_game_that_is_over_at_once_is_no_environment():
    from rookery.pettingzoo import hexapawn_v1

    with pytest.raises(ValueError, match="over before the first move"):
        hexapawn_v1.env(spec="hexapawn:rows=2,cols=1")


@pytest.mark.parametrize("action", [1.7, 1.0, "1", None])
def test_an_action_is_a_whole_number(action):
    from rookery.pettingzoo import four_v1

    env = four_v1.raw_env()
    env.reset(seed=1)
    before = env.position.text
    with pytest.raises(TypeError):
        env.step(action)
    assert env.position.text == before


def test_type_checkers_know_the_modules(tmp_path):
    pytest.importorskip("mypy")
    import subprocess
    import sys

    program = tmp_path / "program.py"
    program.write_text(
        "import rookery\n"
        "from rookery.pettingzoo import fish_v1\n"
        "envs = fish_v1.env(spec='fish:players=3'), rookery.pettingzoo.four_v1.env()\n"
        # An error if nothing is known of it.
        "def players() -> int:\n"
        "    return rookery.openspiel.load_game('four').num_players()\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program)]
    checked = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
