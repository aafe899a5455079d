"""Where all packages were installed, a test that is skipped for want of one is a mistake."""

import os

import pytest


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
