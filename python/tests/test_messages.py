"""The types of messages say what docs/protocol.schema.json says."""

import json
import sys
import types
from pathlib import Path
from typing import Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from rookery import messages

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "protocol.schema.json").read_text())["$defs"]
TYPES = {"string": str, "integer": int, "number": float, "null": type(None)}


def hold(hint, schema, where):
    """Holds a type against a schema, down to the last field."""
    if is_typeddict(hint):
        assert schema["type"] == "object", where
        hints = get_type_hints(hint)
        assert set(hints) == set(schema["properties"]), where
        assert hint.__required_keys__ == set(schema.get("required", [])), where
        for name, own in hints.items():
            hold(own, schema["properties"][name], f"{where}.{name}")
    elif get_origin(hint) is Literal:
        assert list(get_args(hint)) == ([schema["const"]] if "const" in schema else schema["enum"]), where
    elif get_origin(hint) is list:
        assert schema["type"] in ("array", ["array", "null"]), where
        (item,) = get_args(hint)
        hold(item, schema["items"], f"{where}[]")
    elif "oneOf" in schema:
        assert len(get_args(hint)) == len(schema["oneOf"]), where
        for own, part in zip(get_args(hint), schema["oneOf"]):
            hold(own, part, where)
    elif get_origin(hint) in (Union, types.UnionType):
        own, none = get_args(hint)
        assert none is type(None) and schema["type"][1] == "null", where
        hold(own, {**schema, "type": schema["type"][0]}, where)
    else:
        assert hint is TYPES[schema["type"]], where


def named(way):
    return [part["$ref"].rpartition("/")[2] for part in SCHEMA[way]["oneOf"]]


@pytest.mark.parametrize("way, union", [("to_bot", messages.ToBot), ("from_bot", messages.FromBot)])
def test_the_types_are_those_of_the_schema(way, union):
    by_name = {f"{way}_{get_type_hints(message)['type'].__args__[0]}": message for message in get_args(union)}
    assert set(by_name) == set(named(way))
    for name, message in by_name.items():
        hold(message, SCHEMA[name], name)


def test_what_holds_types_sees_what_is_wrong():
    for name, message in [("to_bot_hello", messages.Turn), ("to_bot_turn", messages.Hello), ("from_bot_ready", messages.Resign)]:
        with pytest.raises(AssertionError):
            hold(message, SCHEMA[name], name)


def test_type_checkers_know_the_messages(tmp_path):
    pytest.importorskip("mypy")
    import subprocess

    program = tmp_path / "program.py"
    program.write_text(
        "from rookery.messages import FromBot, Move, ToBot\n"
        "def answer(message: ToBot) -> FromBot:\n"
        "    if message['type'] == 'turn':\n"
        "        return {'type': 'move', 'id': message['id'], 'index': message['count'] - 1}\n"
        "    return {'type': 'ready'}\n"
        "wrong: Move = {'type': 'move', 'id': 'first'}\n"
        "def also_wrong(message: ToBot) -> int:\n"
        "    return message['chances'] or 0 if message['type'] == 'hello' else 0\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program)]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout
    assert "program.py:6: error" in told and "program.py:8: error" in told and "Found 2 errors" in told, told
