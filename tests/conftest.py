"""Settings for every test."""

import os

import pytest
from hypothesis import settings

from claimeven.compiled.kernels import PLAIN
from tests.browser import browser  # noqa: F401

# No test depends on timing: a machine under load, or the first compilation, must not fail one.
settings.register_profile("claimeven", deadline=None)
settings.load_profile("claimeven")

#: Set where everything a test may need is installed: a test that is skipped all the same fails.
WHOLE = "CLAIMEVEN_WHOLE_TESTS"


#: A folder without books: tests know no other book than that of the package.
os.environ["CLAIMEVEN_BOOK_DIR"] = os.devnull


def pytest_configure(config: pytest.Config) -> None:
    """Let words wrap around where kernels are plain Python: there NumPy warns of it."""
    if PLAIN:
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered:RuntimeWarning")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):  # type: ignore[no-untyped-def]
    """Fail a test that is skipped where none may be."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get(WHOLE):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped: {call.excinfo.value}"
