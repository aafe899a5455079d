"""Matches, tournaments, ratings and tests."""

import random

import pytest

import rookery


def first(position):
    return position.legal_moves()[0]


def test_specs_functions_and_bots_play(tmp_path):
    class Careful(rookery.Bot):
        begun, over = [], []

        def choose(self, position):
            return position.legal_actions()[0]

        def new_game(self, seat, spec):
            self.begun.append((seat, spec))

        def game_over(self, game):
            self.over.append(game)

    result = rookery.match("hexapawn:rows=4,cols=4", players=[Careful(), "level:8"], games=6, seed=2, record=tmp_path)
    assert [standing.name for standing in result.standings] == ["level:8", "Careful"]
    assert result.standings[0].wins > result.standings[1].wins and len(result.games) == 6
    assert sum(standing.games for standing in result.standings) == 12
    assert {seat for seat, _ in Careful.begun} == {0, 1} and len(Careful.over) == 6
    assert isinstance(Careful.over[0], rookery.Game) and result.winner.name == "level:8"
    assert len(list(tmp_path.glob("*.jsonl"))) == 6
    assert "level:8" in str(result)


def test_many_games_of_built_ins_run_at_once():
    result = rookery.match("four", players=["strong=level:4", "weak=random"], games=20, seed=1)
    assert result.standings[0].name == "strong" and result.ratings[0].name == "strong"
    assert len(result.elo) == 3
    again = rookery.match("four", players=["strong=level:4", "weak=random"], games=20, seed=1, concurrency=1)
    assert again == result, "the same seed gives the same match, whatever the number of threads"


def test_three_at_a_table():
    result = rookery.match("fish:players=3", players=[first, "random", "level:2"], games=6)
    assert sum(standing.wins for standing in result.standings) <= 6 and len(result.games) == 6


@pytest.mark.parametrize("game", rookery.games())
def test_an_exception_is_a_loss_with_its_traceback_and_never_the_end(game):
    def broken(position):
        raise KeyError("no plan for this position")

    result = rookery.match(game, players=[broken, "random"], games=4)
    assert result.standings[0].name == "random" and result.standings[0].wins == 4
    assert result.standings[1].faults == {"crashed": 4}
    removed = result.games[0].removed[0]
    assert removed.cause == "crashed" and "no plan for this position" in removed.evidence["note"]
    assert "in broken" in removed.evidence["stderr"]


@pytest.mark.parametrize(
    "answer, cause",
    [("a9-a10", "malformed"), (None, "malformed"), (10**9, "malformed"), ([], "malformed"), ("a1-a5", "illegal_move"),
     (rookery.RESIGN, "resigned"), (True, "malformed")],
)
def test_wrong_answers_lose(answer, cause):
    result = rookery.match("hexapawn", players=[lambda position: answer, "random"], games=2)
    assert result.standings[0].wins == 2
    game = result.games[0]
    assert cause in [ending.cause for ending in [game.ending, *game.removed]]


def test_a_player_that_changes_its_position_changes_nothing():
    def meddler(position):
        move = position.legal_moves()[0]
        while not position.is_over:
            position.play(position.legal_moves()[0])
        return move

    assert len(rookery.match("four", [meddler, "random"], games=2).games) == 2


def test_programs_play_too(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import rookery\n"
        "rookery.Client(lambda position: position.legal_moves()[-1], name='last').run()\n"
    )
    import sys

    command = f"program=cmd:{sys.executable} {bot}"
    for other in (first, "random"):
        result = rookery.match("hexapawn", players=[command, other], games=2)
        assert {standing.name for standing in result.standings} >= {"program"}
        assert not any(standing.faults for standing in result.standings), result.games[0].text


def test_tournaments_of_every_kind():
    players = [first, "random", "level:1", "level:2"]
    for kind, more in [("round-robin", dict(games=2)), ("swiss", dict(rounds=2)), ("knock-out", {}), ("gauntlet", dict(games=2)),
                       ("ladder", dict(games=8))]:
        result = rookery.tournament("four", players, kind, seed=3, **more)
        assert len(result.standings) == 4 and result.games, kind
    built_in = rookery.tournament(["four", "hexapawn"], ["random", "level:1", "level:3"], games=4)
    assert {game.game.partition(":")[0] for game in built_in.games} == {"four", "hexapawn"}


def test_a_test_decides():
    result = rookery.sprt("four", ["level:5", "random"], 0, 100, games=1000)
    assert result.sprt.decision == "H1" and result.sprt.games < 1000
    result = rookery.sprt("four", [first, first], 0, 100, games=20)
    assert result.sprt.decision in (None, "H0")


def test_ratings_know_who_is_stronger():
    rng = random.Random(7)
    strength = {"Ann": 3.0, "Bob": 2.0, "Cy": 1.0}
    games = []
    for _ in range(300):
        pair = rng.sample(sorted(strength), 2)
        won = rng.random() < strength[pair[0]] / (strength[pair[0]] + strength[pair[1]])
        games.append((pair, [1, 0] if won else [0, 1]))
    rated = rookery.ratings(games)
    assert [each.name for each in rated] == ["Ann", "Bob", "Cy"] and all(each.error > 0 for each in rated)
    assert rookery.ratings([]) == []
    with pytest.raises(ValueError, match="unknown model"):
        rookery.ratings(games, model="guess")


def test_tables_of_pandas():
    pandas = pytest.importorskip("pandas")
    result = rookery.match("four", ["random", "level:1"], games=4)
    frame = result.to_frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame["name"]) == [row.name for row in result.standings]
    assert len(result.games_frame()) == 4


@pytest.mark.parametrize(
    "players, error",
    [(["random"], ValueError), (["random", "nobody"], ValueError), (["random", 7], TypeError), ("random", TypeError),
     (None, TypeError), (["random"] * 3, ValueError), (["cmd:", "random"], ValueError)],
)
def test_players_that_cannot_be(players, error):
    with pytest.raises(error):
        rookery.match("four", players)


def test_other_bad_orders():
    for spec, error in [("chess", ValueError), (7, TypeError)]:
        with pytest.raises(error):
            rookery.match(spec, ["random", "random"])
    for games, error in [(0, ValueError), (-4, ValueError), (1.5, TypeError), ("many", TypeError)]:
        with pytest.raises(error):
            rookery.match("four", ["random", "random"], games=games)
    with pytest.raises(ValueError, match="time control"):
        rookery.match("four", [first, "random"], time="1s")
    with pytest.raises(ValueError):
        rookery.tournament("four", ["random", "level:1"], "beauty contest")


def test_sys_exit_in_a_player_is_no_loss():
    def leaves(position):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        rookery.match("four", [leaves, "random"])
