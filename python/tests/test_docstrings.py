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


def test_import_needs_nothing_else():
    import subprocess
    import sys

    code = (
        "import sys; before = set(sys.modules); import rookery; "
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "assert not new & {'numpy', 'pandas', 'pettingzoo', 'dataclasses', 'asyncio'}, new"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
