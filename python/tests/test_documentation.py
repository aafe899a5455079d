"""The examples of docs/python.md, one after the other in one program."""

import inspect
import re
from pathlib import Path

import pytest

import rookery
import rookery.links

pytest.importorskip("numpy")
pytest.importorskip("pettingzoo")

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_the_examples_of_the_page_run(tmp_path, monkeypatch):
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) > 4
    monkeypatch.chdir(tmp_path)
    # What the page takes as there: records, a store, and somebody to connect to.
    rookery.match("fish:rows=3,cols=3", ["random", "level:1"], games=2, record="games")
    rookery.match("fish:rows=3,cols=3", ["random", "level:1"], games=2, store="rookery.db")
    called = []
    for name in ("run", "connect"):
        signature = inspect.signature(getattr(rookery.Client, name))

        def stub(*args, signature=signature, **options):
            bound = signature.bind(*args, **options)
            called.append(bound.arguments.get("address"))
            if called[-1]:
                rookery.links.Way.of(called[-1], bound.arguments.get("ca"))

        monkeypatch.setattr(rookery.Client, name, stub)
    known = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{PAGE.name}, example {number}", "exec"), known)
    assert known["result"].sprt is None and known["arrays"].actions.size and len(known["records"]) == 2
    assert called[0] is None and len(called) > 2
