"""Where all packages were installed, a test that is skipped for want of one is a mistake. How tests press Ctrl-C."""

import contextlib
import os
import signal
import threading
import time

import pytest

# A shell that starts something in the background has it ignore Ctrl-C, which is what many tests are about.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Stores of tests are small: a nearly full disk has room for them.
os.environ.setdefault("ROOKERY_STORE_RESERVE", "0")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("ROOKERY_ALL_PACKAGES"):
        report.outcome = "failed"


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("ROOKERY_ALL_PACKAGES"):
        report.outcome = "failed"


@contextlib.contextmanager
def pressed(wait):
    """Ctrl-C as soon as `wait`, which gets an event, has come back with True. It has to end what is done here, and comes at no other time:
    when that is done, the event is set, on which `wait` comes back at once."""
    done = threading.Event()

    def press():
        if wait(done):
            signal.raise_signal(signal.SIGINT)

    thread, begin = threading.Thread(target=press, daemon=True), time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        try:
            thread.start()
            yield
        finally:
            done.set()
            thread.join()
    assert time.monotonic() - begin < 60


@pytest.fixture
def ctrl_c():
    """`with ctrl_c(0.5): …`: Ctrl-C after so many seconds has to end what is done there; with a function, when it has come back."""
    return lambda wait: pressed(wait if callable(wait) else lambda done: not done.wait(wait))
