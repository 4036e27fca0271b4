"""Settings for every test."""

import compileall
import gc
import importlib
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import claimeven
from claimeven.compiled.decorators import PLAIN
from tests import ahead, forks
from tests.browser import browser, chromium  # noqa: F401

#: Set if every requirement of the tests is installed: a skipped test then fails.
WHOLE = "CLAIMEVEN_WHOLE_TESTS"
#: Whether Python was started without writing bytecode. Collecting tests does not write bytecode
#: either: each of pytest's processes would compile them, and Hypothesis, again.
NO_BYTECODE = sys.dont_write_bytecode

#: A folder without books: tests use only the bundled book.
os.environ["CLAIMEVEN_BOOK_DIR"] = os.devnull
#: Many containers set this variable. The templates that processes are forked from (`tests.forks`)
#: start without it, so workers that inherited it would each be started again.
os.environ.pop("PYTHONUNBUFFERED", None)
#: Numba's compiler raises thousands of errors that it catches itself, and colors each if it can: a
#: twentieth of the compilation time.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
#: Functions of JAX run shortly here: optimizing them would take longer.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")


def pytest_configure(config: pytest.Config) -> None:
    """Set up what no single test does: Ctrl-C, NumPy's warnings, bytecode, Hypothesis."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # In the background of a shell the tests, and all their processes, would ignore Ctrl-C,
        # which some tests send.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if PLAIN:
        # Words wrap around there, and NumPy warns of it.
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered:RuntimeWarning")
    if NO_BYTECODE and not hasattr(config, "workerinput"):
        # The tests start hundreds of processes: each would compile all of our modules again.
        compileall.compile_dir(Path(claimeven.__file__).parent, quiet=2)
    sys.dont_write_bytecode = False
    if _shares_out_all_tests(config) and not PLAIN:
        config.add_cleanup(ahead.started())
    if sys.platform == "linux":
        forks.launch_workers()
    from hypothesis import settings

    # No test depends on timing: a machine under load, or the first compilation, must not fail one.
    settings.register_profile("claimeven", deadline=None)
    settings.load_profile("claimeven")


def _shares_out_all_tests(config: pytest.Config) -> bool:
    """Whether other processes run the tests for this one, and no part of them was asked for."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    given_out = getattr(config.option, "dist", "no") != "no" and not hasattr(config, "workerinput")
    return whole and given_out


def pytest_collection(session: pytest.Session) -> None:
    """Exclude the long-lived objects from garbage collection; share the compilation of tests.

    Pytest's processes import all tests in the same order at the same time, so that each would
    compile them all: each starts with others, and finds the rest compiled.
    """
    gc.disable()
    if (given := getattr(session.config, "workerinput", None)) is not None:
        here = Path(__file__).parent
        first = int(given["workerid"].removeprefix("gw"))
        for path in sorted(here.rglob("test_*.py"))[first :: given["workercount"]]:
            with suppress(Exception, pytest.skip.Exception):  # told when its turn comes
                importlib.import_module(
                    ".".join(path.relative_to(here.parent).with_suffix("").parts)
                )


def pytest_collection_finish(session: pytest.Session) -> None:
    """Collect garbage again, without the tests; restore the setting for bytecode.

    Collections are rare, since tests make few cycles. Numba's compiler makes many long-lived
    objects, and collections took a tenth of its time.
    """
    gc.freeze()
    gc.set_threshold(100_000, 20)
    gc.enable()
    sys.dont_write_bytecode = NO_BYTECODE


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """Look for no more garbage, once pytest has: Python would do so thrice when it ends."""
    gc.freeze()


@pytest.fixture
def wide_words(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give every board words of 128 bits."""
    from claimeven.compiled import types
    from claimeven.game.bitboard_kernel import board_vector
    from claimeven.minimax import transpositions

    if PLAIN:
        pytest.skip("Python has no words of 128 bits")
    caches = (board_vector, transpositions.no_arrays)
    for each in caches:
        each.cache_clear()
    monkeypatch.setattr(types, "narrow_bits", 0)
    yield
    for each in caches:
        each.cache_clear()


@pytest.fixture
def real_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start Python itself for each process, if a test is about that start."""
    monkeypatch.setenv(forks.REAL, "1")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run two processes more than there are cores: many tests wait for processes they started.

    With one more, two cores were idle for a sixth of the time.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (cores or 1) + 2


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):  # type: ignore[no-untyped-def]  # as pytest passes them
    """Fail a test that is skipped if that is not allowed."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get(WHOLE):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped: {call.excinfo.value}"
