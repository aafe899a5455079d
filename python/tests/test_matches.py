"""Matches, tournaments, ratings and tests."""

import random
import socket

import pytest

import rookery


def first(position):
    return position.legal_moves()[0]


class Unreadable:
    """No number, although it looks like one: asked for it, it raises this."""

    def __init__(self, kind):
        self.kind = kind

    def __index__(self):
        raise self.kind("no number")


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


def test_a_bot_may_be_handed_over_as_its_class():
    class First(rookery.Bot):
        def __init__(self):
            self.asked = 0

        def choose(self, position):
            self.asked += 1
            return position.legal_moves()[0]

        def game_over(self, game):
            assert self.asked > 0
            over.append(game.players)

    over = []
    result = rookery.match("four", players=[First, "random"], games=2)
    assert over == [game.players for game in result.games]
    assert sorted(over) == [["First", "random"], ["random", "First"]]
    assert not any(game.removed for game in result.games), result.games


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
    [("a9-a10", "malformed"), (None, "malformed"), (Unreadable(KeyError), "malformed"), (Unreadable(TypeError), "malformed"), (10**9, "malformed"), ([], "malformed"), ("a1-a5", "illegal_move"),
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
    short = rookery.sprt("four", [first, "random"], 0, 100, games=4, max_turns=3)
    assert all(game.plies == 3 for game in short.games)


@pytest.mark.parametrize("players", [["level:4", "random"], ["level:4", first]])
def test_a_test_is_a_format_and_kept_in_a_store(tmp_path, players):
    store = tmp_path / "tests.db"
    held = rookery.sprt("four", players, 0, 100, games=400, seed=3, store=store, name="stronger")
    assert held.sprt.decision == "H1" and held.id and held.elo is not None
    # Games behind the block that decides count for nothing; of those that count each has two players.
    assert sum(row.games for row in held.standings) == 2 * held.sprt.games <= 2 * len(held.games)
    assert len(rookery.store_records(store)) == len(held.games)
    shape = {"kind": "sprt", "elo1": 100}
    passing = rookery.tournament("four", players, shape, games=400, seed=3)
    assert (passing.sprt, passing.elo, passing.standings) == (held.sprt, held.elo, held.standings)
    assert rookery.tournament("four", players, {**shape, "model": "normalized"}, games=400, seed=3).sprt != held.sprt
    if first not in players:
        again = rookery.tournament(store=store, resume=held.id)
        assert again.games == [] and (again.sprt, again.elo, again.standings) == (held.sprt, held.elo, held.standings)


def test_a_test_that_was_stopped_goes_on(tmp_path, ctrl_c):
    store, players = tmp_path / "tests.db", ["mcts:playouts=20000", "mcts:playouts=19999"]
    with ctrl_c(stored(store, 3)):
        rookery.sprt("hexapawn:rows=4,cols=4", players, 0, 1, games=40, store=store, concurrency=1)
    before = len(rookery.store_records(store))
    import sqlite3

    with sqlite3.connect(store) as database:
        ((ident,),) = database.execute("SELECT id FROM tournaments").fetchall()
    held = rookery.tournament(store=store, resume=ident)
    assert held.sprt.games == 40 and held.sprt.decision is None and len(held.games) == 40 - before
    assert held.elo is not None


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


@pytest.mark.parametrize("spec, players", [("fish:players=3", ["level:3", "level:1", "random"]), ("four", ["level:2", "random"])])
def test_ratings_of_games_are_those_of_their_result(spec, players):
    result = rookery.match(spec, players, games=24, seed=3)
    again = rookery.ratings(result.games)
    assert [each.name for each in again] == [each.name for each in result.ratings]
    for own, other in zip(again, result.ratings):
        assert own.rating == pytest.approx(other.rating, abs=1e-6) and own.games == other.games


def test_a_game_that_nobody_won_says_nothing_of_strength():
    from dataclasses import replace

    games = rookery.match("four", ["level:2", "random"], games=8, seed=3).games
    nobody = replace(games[0], winners=[], scores=[0, 0])
    assert rookery.ratings([*games, nobody]) == rookery.ratings(games)
    assert rookery.ratings([nobody, replace(games[0], winners=None, scores=None)]) == []


def test_winners_come_first_and_the_others_by_score():
    from dataclasses import replace

    game = rookery.match("fish:players=3", ["a=random", "b=random", "c=random"], games=3).games[0]
    games = [replace(game, winners=[0], scores=[1, 9, 5])] * 5
    assert [each.name for each in rookery.ratings(games)] == game.players[:3]


def test_tables_of_pandas():
    pandas = pytest.importorskip("pandas")
    result = rookery.match("four", ["random", "level:1"], games=4)
    frame = result.to_frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame["name"]) == [row.name for row in result.standings]
    assert len(result.games_frame()) == 4


@pytest.mark.parametrize(
    "players, error",
    [(["random"], ValueError), (["random", "nobody"], ValueError), (["random", 7], TypeError), ("random", TypeError),
     (None, TypeError), (["random"] * 3, ValueError), (["cmd:", "random"], ValueError), (["cmd:\ud800", "random"], ValueError)],
)
def test_players_that_cannot_be(players, error):
    refused(error, lambda: rookery.match("four", players))


def refused(error, call, words=""):
    with pytest.raises(error, match=words) as raised:
        call()
    # Nobody wrote the lines that are in between.
    assert " line 1" not in str(raised.value) and "column" not in str(raised.value), raised.value


def test_other_bad_orders():
    pair = ["random", "level:1"]
    for spec, error in [("chess", ValueError), (7, TypeError)]:
        refused(error, lambda: rookery.match(spec, pair))
    for games, error in [(0, ValueError), (-4, ValueError), (1.5, TypeError), ("many", TypeError), (True, TypeError)]:
        refused(error, lambda: rookery.match("four", pair, games=games))
    for seed, error in [(1.7, TypeError), ("1", TypeError), (True, TypeError), (-1, ValueError), (2**64, ValueError)]:
        refused(error, lambda: rookery.match("four", pair, seed=seed), "`seed`")
    for turns, error in [(1.7, TypeError), (0, ValueError)]:
        refused(error, lambda: rookery.match("four", pair, max_turns=turns), "`max_turns`")
    refused(ValueError, lambda: rookery.match("four", [first, "random"], time="1s"), "time control")
    refused(TypeError, lambda: rookery.match("four", pair, time=1.0), "`time` is a text such as '1s\\+100ms', not float")
    refused(ValueError, lambda: rookery.match("four", pair, time="soon"), "soon")
    refused(ValueError, lambda: rookery.tournament("four", pair, "beauty contest"), "beauty contest")
    refused(ValueError, lambda: rookery.tournament("four", pair, {"kind": "swiss", "rounds": 1.5}), "1.5")
    refused(ValueError, lambda: rookery.tournament("four", pair, {"kind": "sprt", "elo1": float("nan")}), "finite")
    refused(ValueError, lambda: rookery.tournament("four", pair, {"kind": "sprt", "elo1": 10**400}), "too large")
    refused(TypeError, lambda: rookery.tournament("four", pair, {"kind": object()}), "docs/formats.md")
    refused(TypeError, lambda: rookery.tournament("four", pair, 7), "`format` is a word")
    refused(TypeError, lambda: rookery.tournament("four", pair, name=7), "`name`")
    refused(ValueError, lambda: rookery.sprt("four", pair, model="guess"), "logistic or normalized")


def test_whole_numbers_of_numpy_are_numbers():
    np = pytest.importorskip("numpy")
    result = rookery.match("four", ["random", "level:1"], games=np.int64(4), seed=np.uint8(7), max_turns=np.int32(30))
    assert len(result.games) == 4 and result == rookery.match("four", ["random", "level:1"], games=4, seed=7, max_turns=30)
    for games in (np.float64(4), np.array([4, 5]), np.bool_(True)):
        refused(TypeError, lambda: rookery.match("four", ["random", "level:1"], games=games), "`games` is a whole number")


def test_sys_exit_in_a_player_is_no_loss():
    def leaves(position):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        rookery.match("four", [leaves, "random"])


@pytest.mark.parametrize("players", [["level:1", "random", "level:2"], [first, "random", "level:1"]])
def test_a_tournament_is_kept_in_a_store(tmp_path, players):
    store = tmp_path / "evening.db"
    held = [rookery.tournament("four", players, games=2, seed=seed, store=store) for seed in (1, 2)]
    assert held[0].id and held[0].id != held[1].id
    records = rookery.store_records(store)
    assert len(records) == sum(len(result.games) for result in held) == 12
    told = sorted(game.text for result in held for game in result.games)
    assert sorted(record.text for record in records) == told
    assert held[0] == rookery.Result(**{**vars(rookery.tournament("four", players, games=2, seed=1)), "id": held[0].id})


def test_a_match_is_kept_in_a_store_and_an_interrupted_one_as_far_as_it_came(tmp_path):
    store, calls = tmp_path / "match.db", []

    def interrupts(position):
        calls.append(position)
        if len(calls) > 30:
            raise KeyboardInterrupt
        return position.legal_moves()[0]

    with pytest.raises(KeyboardInterrupt):
        rookery.match("four", [interrupts, "random"], games=100, store=store)
    before = rookery.store_records(store)
    assert 1 <= sum(record.winners is not None for record in before) < 100
    assert len(rookery.match("four", [first, "random"], games=2, store=store).games) == 2
    assert len(rookery.store_records(store)) == len(before) + 2


def test_where_games_cannot_be_kept(tmp_path):
    with pytest.raises(ValueError, match="not in both"):
        rookery.match("four", ["random", "random"], record=tmp_path / "folder", store=tmp_path / "store.db")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OSError):
        rookery.match("four", ["random", "random"], store=tmp_path / "file" / "store.db")
    (tmp_path / "text.db").write_text("this is no store, but a text " * 100)
    with pytest.raises(ValueError):
        rookery.tournament("four", ["random", "level:1"], store=tmp_path / "text.db")
    with pytest.raises(TypeError):
        rookery.tournament("four", ["random", "level:1"], store=7)


@pytest.mark.parametrize("other", ["random", first])
def test_one_failure_is_one_exception_whoever_plays(tmp_path, other):
    players = ["level:1", other]
    rookery.match("four", players, record=tmp_path / "games")
    with pytest.raises(FileExistsError, match="record already; name another folder"):
        rookery.match("four", players, record=tmp_path / "games")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OSError, match="no folder"):
        rookery.match("four", players, record=tmp_path / "file")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=str(port)):
            rookery.match("four", [f"tcp:{port}", other])
    for players in (["cmd:/no/such/program", other], ["mine=nobody", other]):
        with pytest.raises(ValueError):
            rookery.match("four:rows=99", players)


def test_a_player_may_hold_matches_of_its_own():
    inner = []

    def thoughtful(position):
        result = rookery.match("four", [first, "random"], games=2)
        inner.append(len(result.games))
        rookery.match("four", ["random", "random"], games=2)
        return position.legal_moves()[0]

    result = rookery.match("hexapawn:rows=3,cols=3", [thoughtful, "random"], games=2)
    assert len(result.games) == 2 and not any(game.removed for game in result.games), result.games
    assert inner and set(inner) == {2}


def test_an_exception_at_the_beginning_of_a_game_is_a_loss_with_its_traceback():
    class Late(rookery.Bot):
        def choose(self, position):
            return position.legal_moves()[0]

        def new_game(self, seat, spec):
            raise KeyError("no book for this board")

    result = rookery.match("four", [Late(), "random"], games=2)
    assert result.standings[0].name == "random" and result.standings[0].wins == 2
    for game in result.games:
        assert game.removed[0].cause == "crashed"
        assert "no book for this board" in game.removed[0].evidence["stderr"]
        assert "in new_game" in game.removed[0].evidence["stderr"]


def test_an_exception_after_a_game_is_told_and_costs_nothing(monkeypatch):
    import sys

    class Sore(rookery.Bot):
        def choose(self, position):
            return position.legal_moves()[0]

        def game_over(self, game):
            raise KeyError("I hate losing")

    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda raised: told.append(raised.exc_value))
    result = rookery.match("four", [Sore(), "random"], games=4)
    assert len(result.games) == 4 and not any(game.removed for game in result.games), result.games
    assert [str(error) for error in told] == ["'I hate losing'"] * 4


@pytest.mark.parametrize("player", ["human", "ann=human", "remote:ann", "remote:python1"])
@pytest.mark.parametrize("other", ["random", first])
def test_who_is_not_here_is_refused(player, other):
    with pytest.raises(ValueError, match="cannot play"):
        rookery.match("four", [player, other])


def test_a_function_without_a_name_has_one():
    result = rookery.match("four", [lambda position: position.legal_moves()[0], "random"])
    assert {standing.name for standing in result.standings} == {"lambda", "random"}


def stored(store, n_games):
    """Waits until so many games are stored, and says whether they are."""
    import sqlite3

    def wait(done):
        while not done.wait(0.01):
            try:
                with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
                    ((n,),) = database.execute("SELECT count(*) FROM games").fetchall()
            except sqlite3.Error:
                continue
            if n >= n_games:
                return True
        return False

    return wait


def test_a_tournament_that_was_stopped_goes_on(tmp_path, ctrl_c):
    import sqlite3

    store, players = tmp_path / "evening.db", ["mcts:playouts=20000", "random"]
    with ctrl_c(stored(store, 3)):
        rookery.tournament("hexapawn:rows=4,cols=4", players, games=60, store=store, name="evening", concurrency=1)
    with sqlite3.connect(store) as database:
        ((ident, spec),) = database.execute("SELECT id, spec FROM tournaments").fetchall()
    assert '"evening"' in spec
    before = len(rookery.store_records(store))
    assert 3 <= before < 60
    held = rookery.tournament(store=store, resume=ident)
    assert len(held.games) == 60 - before and len(rookery.store_records(store)) == 60
    assert sum(row.wins + row.losses + row.draws for row in held.standings) == 120


def test_what_is_over_stands_as_it_stood_and_what_cannot_be_resumed_is_refused(tmp_path):
    store = tmp_path / "evening.db"
    held = rookery.tournament("four", ["level:1", "random", "level:2"], games=2, seed=4, store=store)
    again = rookery.tournament(store=store, resume=held.id)
    assert again.games == [] and again.id == held.id
    assert (again.standings, again.ratings) == (held.standings, held.ratings)
    own = rookery.tournament("four", [first, "random"], games=2, store=store)
    with pytest.raises(ValueError, match="cannot play"):
        rookery.tournament(store=store, resume=own.id)
    with pytest.raises(ValueError):
        rookery.tournament(store=store, resume="nothing")
    with pytest.raises(ValueError, match="store"):
        rookery.tournament(resume=held.id)
    with pytest.raises(ValueError, match="agreed"):
        rookery.tournament(store=store, resume=held.id, games=4)
    with pytest.raises(OSError):
        rookery.tournament(store=tmp_path / "missing.db", resume=held.id)
    with pytest.raises(TypeError):
        rookery.tournament("four")


def test_an_answer_that_ends_everything_when_it_is_read_ends_the_match():
    with pytest.raises(KeyboardInterrupt, match="no number"):
        rookery.match("four", [lambda position: Unreadable(KeyboardInterrupt), "random"], games=100)


@pytest.mark.parametrize("method", ["choose", "new_game", "game_over"])
def test_what_ends_everything_ends_the_match_wherever_it_is_raised(method):
    class Leaving(rookery.Bot):
        def choose(self, position):
            return position.legal_moves()[0]

    def leave(*_):
        raise SystemExit(7)

    bot = Leaving()
    setattr(bot, method, leave)
    with pytest.raises(SystemExit):
        rookery.match("four", [bot, "random"], games=100)


def spying(path, name):
    """A program that writes down the seed it is told before it plays."""
    import sys

    bot = path / f"{name}.py"
    bot.write_text(
        "import json, sys\n"
        "def say(message):\n"
        "    print(json.dumps(message), flush=True)\n"
        "for line in sys.stdin:\n"
        "    told = json.loads(line)\n"
        "    if told['type'] == 'hello':\n"
        f"        say({{'type': 'hello', 'version': 1, 'name': {name!r}}})\n"
        "    elif told['type'] == 'new_game':\n"
        f"        print(told['seed'], file=open({str(path / name)!r}, 'a'))\n"
        "        say({'type': 'ready'})\n"
        "    elif told['type'] == 'turn':\n"
        "        say({'type': 'move', 'id': told['id'], 'index': 0})\n"
    )
    return f"{name}=cmd:{sys.executable} {bot}", path / name


@pytest.mark.parametrize("other", ["random", first])
def test_no_program_can_guess_the_seed_that_nobody_gave(tmp_path, other):
    program, seeds = spying(tmp_path, "spy")
    drawn = [rookery.match("hexapawn:rows=3,cols=3", [program, other], games=2) for _ in range(2)]
    assert 0 != drawn[0].seed != drawn[1].seed != 0
    again = rookery.match("hexapawn:rows=3,cols=3", [program, other], games=2, seed=drawn[0].seed)
    assert again.seed == drawn[0].seed and again.games == drawn[0].games
    # The games of one match may be played at the same time.
    told = seeds.read_text().split()
    assert len(told) == 6 and set(told[:2]) == set(told[4:]) and not set(told[:2]) & set(told[2:4])
    assert rookery.sprt("hexapawn:rows=3,cols=3", [program, other], games=2).seed > 0
    store = tmp_path / "evening.db"
    held = rookery.tournament("hexapawn:rows=3,cols=3", [program, other], games=2, store=store)
    assert held.seed > 0
    if isinstance(other, str):
        assert rookery.tournament(store=store, resume=held.id).seed == held.seed


@pytest.mark.parametrize("other", ["level:1", first])
def test_without_a_program_the_same_call_plays_the_same_games(other):
    results = [rookery.match("four", ["random", other], games=4) for _ in range(2)]
    assert results[0] == results[1] and results[0].seed == 0
    assert rookery.match("four", ["random", other], games=4, seed=0) == results[0]
