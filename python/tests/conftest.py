"""Where all packages were installed, a test that is skipped for want of one is a mistake."""

import os

import pytest

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
