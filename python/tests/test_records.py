"""Records and stores: read, verified, reviewed, turned into arrays."""

import pickle
import time
from pathlib import Path

import pytest

import rookery
from rookery import records


@pytest.fixture
def folder(tmp_path):
    rookery.match("hexapawn:rows=4,cols=4", ["random", lambda position: position.legal_moves()[0]], games=4, record=tmp_path)
    return tmp_path


def test_records_are_read_and_replayed(folder):
    records = rookery.read_records(folder)
    assert len(records) == 4
    for record in records:
        assert record.finished and record.name == "hexapawn" and sum(record.returns) == 0
        position = rookery.Position.from_text(record.start, record.name)
        for turn, before in zip(record.turns, record.positions()):
            assert position == before and position.to_move == turn.seat
            position.play(turn.move)
        assert position.is_over and position.winners == record.winners


def test_a_record_is_verified_and_a_changed_one_refused(folder):
    path = sorted(folder.glob("*.jsonl"))[0]
    assert rookery.verify(path) and rookery.verify(path.read_bytes())
    for bad in (b"", b"{}", path.read_bytes()[1:], b"\xff\xfe" * 100, path.read_bytes().replace(b"a1", b"b1", 1)):
        with pytest.raises(ValueError):
            rookery.verify(bad)
        with pytest.raises(ValueError):
            rookery.read_record(bad)
    with pytest.raises(OSError):
        rookery.read_record(folder / "none")


def test_a_review_judges_every_move(folder):
    path = sorted(folder.glob("*.jsonl"))[0]
    review = rookery.review(path, time=2.0)
    assert len(review["moves"]) == len(rookery.read_record(path).turns) and len(review["players"]) == 2


def test_what_was_read_is_verified_and_reviewed_without_its_file(folder, tmp_path_factory):
    record = rookery.read_records(folder)[0]
    assert rookery.verify(record) and rookery.read_record(record) == record
    store = tmp_path_factory.mktemp("store") / "games.db"
    rookery.match("hexapawn:rows=3,cols=3", ["random", "level:1"], games=2, store=store)
    for stored in rookery.store_records(store):
        assert rookery.verify(stored) and rookery.verify(stored.source)
        assert len(rookery.review(stored, time=1.0)["moves"]) == len(stored.turns)
    from dataclasses import replace

    with pytest.raises(ValueError, match="not read from anywhere"):
        rookery.verify(replace(record, source=None))


def test_arrays_are_of_one_setup_and_of_any_boards(tmp_path):
    pytest.importorskip("numpy")
    for number, spec in enumerate(["four", "four:line=5", "four:line=4", "fish", "fish:board=11111/22222/33333/22222/11111"]):
        rookery.match(spec, ["random", "random"], games=4, record=tmp_path / str(number))
    four, five, also_four, fish, given = (rookery.read_records(tmp_path / str(number)) for number in range(5))
    with pytest.raises(ValueError, match="four:line=5"):
        rookery.to_arrays([*four, *five])
    assert len(rookery.to_arrays([*four, *also_four]).actions) == sum(len(record.turns) for record in four + also_four)
    assert len({record.game for record in fish}) == 2, "there are two boards"
    assert len(rookery.to_arrays([*fish, *given]).actions) == sum(len(record.turns) for record in fish + given)


def test_records_become_arrays(folder):
    np = pytest.importorskip("numpy")
    records = rookery.read_records(folder)
    arrays = rookery.to_arrays(records)
    moves = sum(len(record.turns) for record in records)
    first = rookery.load("hexapawn:rows=4,cols=4")
    assert arrays.observations.shape == (moves, *first.observation_shape)
    assert arrays.actions.shape == arrays.outcomes.shape == arrays.seats.shape == (moves,)
    assert set(np.unique(arrays.outcomes)) == {-1.0, 1.0}
    assert first.action_to_move(int(arrays.actions[0])) == records[0].moves[0]
    other = rookery.Position.from_text("p1 111/.../222", "hexapawn")
    mixed = rookery.Record("hexapawn", ["a", "b"], other.text, [rookery.records.Turn(0, "a1-a2", other.text)], [1.0, -1.0], [0], "", True)
    with pytest.raises(ValueError, match="one shape"):
        rookery.to_arrays([*records, mixed])


def test_a_store_that_is_not_there(tmp_path):
    with pytest.raises(OSError, match="no such store"):
        rookery.store_records(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("no store at all, only a text that is long enough to be one " * 100)
    with pytest.raises(ValueError):
        rookery.store_records(tmp_path / "text.db")


def test_records_of_a_store_are_found_from_another_folder_and_another_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rookery.match("four", ["random", "random"], games=2, store="games.db")
    records = rookery.store_records("games.db", "four")
    sent = pickle.dumps(records[1:])
    rookery.match("four", ["random", "random"], games=2, store="games.db")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert records[1].turns
    assert [record.turns for record in pickle.loads(sent)] == [records[1].turns]


def test_a_store_is_read_one_record_after_the_other(tmp_path, monkeypatch):
    store = tmp_path / "games.db"
    rookery.match("four", ["random", "level:1"], games=6, store=store, concurrency=1)
    rookery.match("hexapawn:rows=3,cols=3", ["random", "level:1"], games=2, store=store)
    read, usual = [], records.read_record
    monkeypatch.setattr(records, "read_record", lambda source: read.append(source) or usual(source))
    four = rookery.store_records(store, game="four")
    assert len(four) == 6 and len(rookery.store_records(store)) == 8 and read == [], "nothing is read before it is asked for"
    first = next(iter(four))
    assert len(read) == 1
    all_of_them = list(four)
    assert [record.name for record in all_of_them] == ["four"] * 6 and all_of_them[0] == first
    assert four[0] == first and four[-1] == all_of_them[5] and four[5] in four
    assert list(four[1:4]) == all_of_them[1:4] and list(four[::-2]) == all_of_them[::-2] and len(four[2:]) == 4
    monkeypatch.setattr(records, "TOGETHER", 2)
    assert list(four) == all_of_them, "they are read in parts"
    for idx in (6, -7):
        with pytest.raises(IndexError):
            four[idx]
    rookery.match("four", ["random", "level:1"], games=2, store=store)
    assert len(four) == 6 and len(rookery.store_records(store, game="four")) == 8


@pytest.fixture(scope="module")
def long_record(tmp_path_factory):
    spec = "renpaarden:width=11,height=11,max-turns=600000"
    played = rookery.match(spec, ["random", "random"], games=1, record=tmp_path_factory.mktemp("long"))
    return Path(played.games[0].record).read_bytes()


@pytest.mark.parametrize("read", [rookery.verify, rookery.read_record, lambda record: rookery.review(record, time=0.0)])
def test_ctrl_c_stops_reading_a_long_record(long_record, ctrl_c, read):
    begin = time.process_time()
    rookery.verify(long_record)
    whole = time.process_time() - begin
    begin = time.process_time()
    with ctrl_c(whole / 20):
        read(long_record)
    assert time.process_time() - begin < whole / 2
