"""The examples in docstrings of the extension; those of the package's own files are run by pytest itself."""

import doctest

import pytest

import rookery
from rookery import _rookery


def documented():
    for name in sorted(dir(_rookery)):
        value = getattr(_rookery, name)
        yield name, value
        if isinstance(value, type):
            yield from ((f"{name}.{inner}", getattr(value, inner)) for inner in sorted(vars(value)))


EXAMPLES = [
    pytest.param(value.__doc__, id=name)
    for name, value in documented()
    if not name.rpartition(".")[2].startswith("__") and ">>>" in (getattr(value, "__doc__", None) or "")
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples(text):
    test = doctest.DocTestParser().get_doctest(text, {}, "docstring", None, 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted and not results.failed


def test_everything_public_is_documented():
    assert len(EXAMPLES) > 8
    for name in rookery.__all__:
        value = getattr(rookery, name)
        if callable(value):
            assert value.__doc__, name


def test_what_is_called_has_an_example():
    public = [getattr(rookery, name) for name in rookery.__all__]
    functions = [value for value in public if callable(value) and not isinstance(value, type)]
    # What a static method holds is called as well.
    own = {name: getattr(rookery.Position, name) for name in vars(rookery.Position) if not name.startswith("_")}
    methods = [value for value in own.values() if callable(value)]
    assert len(functions) > 15 and len(methods) > 10
    for value in (*functions, *methods, rookery.BatchEnv, rookery.Bot, rookery.Client):
        assert ">>>" in (value.__doc__ or ""), value


def test_import_needs_nothing_else():
    import subprocess
    import sys

    code = (
        "import sys; before = set(sys.modules); import rookery; "
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "assert not new & {'numpy', 'pandas', 'pettingzoo', 'dataclasses', 'asyncio'}, new"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_modules_of_others_names_need_no_import_of_their_own():
    import subprocess
    import sys

    code = (
        "import sys, rookery; modules = ('openspiel', 'pettingzoo'); "
        "assert not any(f'rookery.{name}' in sys.modules for name in modules), 'read before they are asked for'; "
        "assert set(modules) <= set(dir(rookery)) and len(dir(rookery)) == len(set(dir(rookery))); "
        "rookery.openspiel.load_game, rookery.pettingzoo.fish_v1.env; "
        "assert set(modules) <= set(dir(rookery)); "
        "assert not hasattr(rookery, 'chess')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_figures_are_printed():
    import importlib.util
    import subprocess
    import sys

    command = [sys.executable, "-m", "rookery.bench", "--seconds", "0.05"]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout
    rows = [line for line in told.splitlines() if line.startswith(("single steps", "bulk", "tree search", "BatchEnv"))]
    assert len(rows) == 3 + 2 * (importlib.util.find_spec("numpy") is not None), told
    assert "more than json (goal: at most +50)" in told and "the extension of Rookery has" in told
    others = importlib.util.find_spec("pyspiel") is not None
    # The third figure of a row is OpenSpiel's.
    assert all((row[44 + 2 * 14 : 44 + 3 * 14].strip() != "-") == others for row in rows), told
    assert ("SKIPPED: open_spiel is not installed" in told) != others
    assert ("import pyspiel" in told and "the extension of OpenSpiel has" in told) == others
