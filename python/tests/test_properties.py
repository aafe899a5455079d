"""Any bytes and any games: Python's view is the rules' text, and nothing panics."""

import pytest

pytest.importorskip("hypothesis")

from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

import rookery  # noqa: E402
from second import Four, Hexapawn  # noqa: E402
from test_games import SPECS  # noqa: E402

relaxed = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@relaxed
@given(st.sampled_from(SPECS), st.lists(st.integers(0, 10**6), max_size=60))
def test_play_by_number_is_play_by_text(spec, choices):
    by_text, by_number = rookery.load(spec), rookery.load(spec)
    for choice in choices:
        moves = by_text.legal_moves()
        if not moves:
            break
        by_text.play(moves[choice % len(moves)])
        by_number.play(by_number.legal_actions()[choice % len(moves)])
        assert by_text == by_number and by_text.text == by_number.text
        assert rookery.Position.from_text(by_text.text, by_text.game) == by_number
        assert [by_number.move_to_action(move) for move in by_text.legal_moves()] == by_number.legal_actions()
        assert (list(by_text.action_mask()) == list(by_number.action_mask()))


@relaxed
@given(
    st.one_of(
        st.builds("hexapawn:rows={},cols={}".format, st.integers(2, 8), st.integers(1, 8)),
        st.builds("four:rows={},cols={},line={}".format, st.integers(4, 8), st.integers(3, 8), st.integers(3, 4)),
    ),
    st.lists(st.integers(0, 10**6), max_size=80),
)
def test_what_python_sees_is_what_the_pages_of_the_rules_say(spec, choices):
    position = rookery.load(spec)
    second = Hexapawn if position.game == "hexapawn" else Four
    for choice in choices:
        alike = second(position.text)
        moves = alike.moves()
        assert position.legal_moves() == moves and position.is_over == (not moves)
        mask = position.action_mask()
        assert [position.action_to_move(action) for action in position.legal_actions()] == moves
        assert {position.action_to_move(action) for action, legal in enumerate(mask) if legal} == set(moves)
        if not moves:
            winner = alike.winner()
            assert position.winners == ([int(winner) - 1] if winner else [0, 1])
            assert position.returns == [(seat + 1 == int(winner)) * 2.0 - 1.0 if winner else 0.0 for seat in range(2)]
            break
        assert position.to_move == int(alike.me) - 1
        move = moves[choice % len(moves)]
        expected = alike.after(move)
        position.play(position.move_to_action(move) if choice % 2 else move)
        assert position.text == expected


@relaxed
@given(st.text(max_size=200))
def test_any_text_is_a_spec_or_a_value_error(text):
    for read in (rookery.load, rookery.Position.from_text, lambda text: rookery.Position.from_text(text, "hexapawn"),
                 lambda text: rookery.load("hexapawn:" + text), lambda text: rookery.BatchEnv("fish:" + text, 2)):
        try:
            read(text)
        except ValueError:
            pass


@relaxed
@given(st.sampled_from(SPECS), st.one_of(st.text(max_size=50), st.integers(), st.binary(max_size=20), st.floats(), st.none()))
def test_any_value_is_a_move_or_an_exception(spec, value):
    position = rookery.load(spec)
    before = position.text
    try:
        position.play(value)
    except (ValueError, TypeError):
        assert position.text == before
    else:
        assert position.text != before


@relaxed
@given(st.binary(max_size=400))
def test_any_bytes_are_no_record(data):
    with pytest.raises(ValueError):
        rookery.read_record(data)
