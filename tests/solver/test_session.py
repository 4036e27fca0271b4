"""One solver shared by threads, stopped, interrupted, asked from within, and out of time."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.parallel import interrupts
from claimeven.solver import ExactSearch, SearchStopped, SolveProgress, Solver, SolverBusy
from claimeven.solver import search as module_of_searches
from tests import forks
from tests.positions import random_positions
from tests.pressing import pressed_as_python_looks, pressed_as_usual

#: Takes a search of 58 million nodes without a book, half a minute of a core.
HARD = Position()
#: Long enough for any immediate result, on any machine.
PATIENCE = 60.0


def middle_game(count: int, seed: int) -> list[Position]:
    """Return positions that take a search, each a moment."""
    source = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        position = Position()
        while not position.is_over and position.ply < 16:
            position = position.play(source.choice(position.legal_columns))
        if not position.is_over:
            found.append(position)
    return found


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    Solver(table_mb=1, book=None).load()


class InThread:
    """A call that runs in a separate thread; `result` waits for it."""

    def __init__(self, call: Callable[[], object]) -> None:
        self.failure: BaseException | None = None
        self.value: object = None

        def run() -> None:
            try:
                self.value = call()
            except BaseException as failure:
                self.failure = failure

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def wait(self) -> None:
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


SHARED_BY_THREADS = """
import sys, threading
from claimeven import Position
from claimeven.solver import Solver
positions = [Position.from_moves(moves) for moves in sys.argv[1:]]
alone = Solver(table_mb=8, book=None)
expected = {position: (alone.scores(position), alone.score(position)) for position in positions}
shared = Solver(table_mb=8, book=None, threads=2)
wrong = []
def ask(turn):
    for number in range(40):
        position = positions[(turn + number) % len(positions)]
        if (shared.scores(position), shared.score(position)) != expected[position]:
            wrong.append(position)
        if number == 20:
            shared.clear()
threads = [threading.Thread(target=ask, args=(turn,)) for turn in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(wrong), "wrong")
"""


def test_threads_may_share_a_solver() -> None:
    """In a separate process, since it would crash the tests too."""
    moves = ["4444443265123", "226744515337", "44455554221", "47577272232"]
    done = forks.run_program(
        [sys.executable, "-c", SHARED_BY_THREADS, *moves],
        env=forks.environment(), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


def test_threads_may_share_a_search_in_bulk() -> None:
    positions = middle_game(60, seed=1)
    mines = np.array([position.mine for position in positions], dtype=np.uint64)
    masks = np.array([position.mask for position in positions], dtype=np.uint64)
    expected = ExactSearch(Geometry(), table_mb=4).score_many(mines, masks)[0]
    shared = ExactSearch(Geometry(), table_mb=4, threads=2)

    def ask(number: int) -> None:
        if number % 2:
            np.testing.assert_array_equal(shared.score_many(mines, masks)[0], expected)
            return
        for mine, mask, score in zip(mines, masks, expected, strict=True):
            assert shared.score(int(mine), int(mask)) == score

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, range(8)))


def test_stop_ends_the_call_that_runs_and_no_other() -> None:
    solver = Solver(table_mb=16, book=None)
    easy = middle_game(1, seed=2)[0]
    running = InThread(lambda: solver.score(HARD))
    until(lambda: solver.statistics.nodes > 0)
    waiting = [InThread(lambda: solver.score(easy)) for _ in range(3)]
    time.sleep(0.05)
    solver.stop()
    for call in (running, *waiting):
        call.wait()
    assert isinstance(running.failure, SearchStopped)
    assert [call.failure for call in waiting] == [None] * 3
    assert {call.value for call in waiting} == {Solver(table_mb=1).score(easy)}


@pytest.mark.parametrize("threads", [1, 2])
def test_stop_ends_a_call_of_many_searches(threads: int) -> None:
    """The stop falls between two of them as well as into one."""
    solver = Solver(table_mb=16, book=None, threads=threads)
    many = [*middle_game(400, seed=3), HARD]
    for call in (
        lambda: solver.scores(HARD),
        lambda: solver.best_columns(HARD),
        lambda: solver.principal_variation(HARD),
        lambda: solver.score_many(many),
        lambda: solver.scores_many(many),
    ):
        before = solver.statistics.nodes
        running = InThread(call)
        until(lambda before=before: solver.statistics.nodes > before)  # type: ignore[misc]  # default binds it
        solver.stop()
        running.wait()
        assert isinstance(running.failure, SearchStopped)


def test_stop_without_a_call_has_no_effect() -> None:
    solver = Solver(table_mb=1, book=None)
    solver.stop()
    assert solver.score(Position.from_moves("4455")) == 18


@pytest.mark.parametrize("threads", [1, 2])
def test_a_progress_callback_that_uses_the_solver_gets_an_error(threads: int) -> None:
    solver = Solver(table_mb=16, book=None, threads=threads)
    refused: list[str] = []

    def report(at: SolveProgress) -> None:
        for ask in (lambda: solver.score(HARD), solver.clear):
            try:
                ask()
            except SolverBusy as busy:
                refused.append(str(busy))
        solver.stop()

    hard = [HARD.play(column) for column in range(4)]
    for call in (
        lambda: solver.score(HARD, on_progress=report),
        lambda: solver.scores(HARD, on_progress=report),
        lambda: solver.score_many(hard, on_progress=report),
    ):
        refused.clear()
        with pytest.raises(SearchStopped):
            call()
        assert len(refused) >= 2
        assert set(refused) == {
            "this solver is in the middle of a call, which cannot call it again"
        }
    assert solver.score(Position.from_moves("4455")) == 18


def test_an_error_of_a_progress_callback_ends_the_call_and_frees_the_solver() -> None:
    solver = Solver(table_mb=16, book=None, threads=2)

    def report(at: SolveProgress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        solver.score(HARD, on_progress=report)
    with pytest.raises(RuntimeError, match="enough"):
        solver.score_many([HARD, HARD.play(0), HARD.play(1)], on_progress=report)
    assert solver.score(Position.from_moves("4455")) == 18


INTERRUPTED = """
import os, signal, threading, time
from claimeven import Position
from claimeven.solver import Solver
solver = Solver(table_mb=16, book=None, threads=2)
solver.load()
def interrupt(again):
    time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGINT)
def interrupted(call):
    threading.Thread(target=interrupt, args=(0,), daemon=True).start()
    try:
        call()
    except KeyboardInterrupt:
        return True
hard = Position()
print(interrupted(lambda: solver.score(hard)), "at work")
print(solver.score(Position.from_moves("4455")))
def held():
    try:
        solver.score(hard)
    except BaseException as failure:
        print(type(failure).__name__)
other = threading.Thread(target=held)
other.start()
before = solver.statistics.nodes
while solver.statistics.nodes == before:
    time.sleep(0.01)
print(interrupted(lambda: solver.score(hard)), "while waiting")
print(interrupted(lambda: solver.score(hard, seconds=1000)), "while waiting under a limit")
print(other.is_alive())
solver.stop()
other.join()
print(solver.score(Position.from_moves("4455")))
late = Position.from_moves("62352673232646611533624214375411")
for many in ([hard, late], [late, hard]):  # one thread has a moment of work, the other much
    print(interrupted(lambda: solver.score_many(many)), "while one thread waits for the other")
    print(solver.score(Position.from_moves("4455")))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends itself the signal of Ctrl-C")
def test_ctrl_c_ends_a_call_that_works_and_one_that_waits() -> None:
    done = forks.run_program(
        [sys.executable, "-c", INTERRUPTED],
        env=forks.environment(), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "True at work", "18", "True while waiting", "True while waiting under a limit", "True",
        "SearchStopped", "18",
        "True while one thread waits for the other", "18",
        "True while one thread waits for the other", "18",
    ]  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="sends itself the signal of Ctrl-C")
@pytest.mark.parametrize("seconds", [None, PATIENCE])
def test_ctrl_c_as_a_wait_ends_leaves_the_search_free(seconds: float | None) -> None:
    search = ExactSearch(Geometry(4, 4, 3), table_mb=1)
    search.load()

    def end_and_press() -> None:
        time.sleep(0.05)
        search._call_lock.release()
        os.kill(os.getpid(), signal.SIGINT)

    default = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        search._call_lock.acquire()  # as a call of another thread does
        threading.Thread(target=end_and_press).start()
        with pytest.raises(KeyboardInterrupt):
            search.score(0, 0, seconds=seconds)
            time.sleep(PATIENCE)
    finally:
        signal.signal(signal.SIGINT, default)
    assert search.score(0, 0, seconds=PATIENCE) == 4


class OtherCall:
    """Has the search to itself, as a call of another thread, until the main thread waits for it.

    Or until the end of the block: Ctrl-C may come before that.
    """

    def __init__(self, search: ExactSearch) -> None:
        self._call_lock = search._call_lock
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> None:
        self._call_lock.acquire()
        self._thread.start()

    def __exit__(self, *ended_by: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not (self._over.is_set() or self._is_waited_for()):
            time.sleep(0.0005)
        self._call_lock.release()

    @staticmethod
    def _is_waited_for() -> bool:
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        while frame is not None and frame.f_code is not ExactSearch._wait_for_session.__code__:
            frame = frame.f_back
        return frame is not None


@pytest.mark.parametrize("seconds", [None, PATIENCE])
@pytest.mark.parametrize("waits", [False, True])
def test_ctrl_c_at_any_step_leaves_the_search_free(seconds: float | None, waits: bool) -> None:
    """A call that has to wait for its turn, and one that does not."""
    search = ExactSearch(Geometry(4, 4, 3), table_mb=1)
    search.load()
    found: list[int] = []
    for step in itertools.count(1):
        with OtherCall(search) if waits else contextlib.nullcontext(), pressed_as_usual():
            pressed = pressed_as_python_looks(
                step, lambda: search.score(0, 0, seconds=seconds),
                module_of_searches, interrupts, contextlib,
            )  # fmt: skip
        assert not search._call_lock.locked(), step
        again = threading.Thread(target=lambda: found.append(search.score(0, 0, seconds=PATIENCE)))
        again.start()
        again.join()
        assert search.score(0, 0, seconds=PATIENCE) == 4, "it is not busy for this thread either"
        if pressed.is_past_the_end:
            break
        assert isinstance(pressed.raised, KeyboardInterrupt), step
    assert found == [4] * step
    assert step > (20 if waits else 8)


@pytest.mark.parametrize("threads", [1, 2])
def test_every_call_ends_at_its_deadline(threads: int) -> None:
    solver = Solver(table_mb=16, book=None, threads=threads)
    hard = [HARD.play(column) for column in range(4)]
    for call in (
        lambda limit: solver.score(HARD, seconds=limit),
        lambda limit: solver.outcome(HARD, seconds=limit),
        lambda limit: solver.scores(HARD, seconds=limit),
        lambda limit: solver.best_columns(HARD, seconds=limit),
        lambda limit: solver.principal_variation(HARD, seconds=limit),
        lambda limit: solver.score_many(hard, seconds=limit),
        lambda limit: solver.scores_many(hard, seconds=limit),
    ):
        for limit in (0.02, 0):
            start_time = time.perf_counter()
            with pytest.raises(SearchStopped) as stopped:
                call(limit)
            taken = time.perf_counter() - start_time
            assert stopped.value.low < stopped.value.high
            assert limit <= taken < limit + 2


def test_a_deadline_that_is_not_reached_has_no_effect() -> None:
    free, limited = (Solver(table_mb=1, book=None) for _ in range(2))
    for position in middle_game(15, seed=4):
        assert limited.scores(position, seconds=PATIENCE) == free.scores(position)
        assert limited.principal_variation(position, seconds=PATIENCE) == (
            free.principal_variation(position)
        )
    assert limited.statistics.nodes == free.statistics.nodes


def test_the_time_of_a_call_includes_its_waiting() -> None:
    solver = Solver(table_mb=16, book=None)
    running = InThread(lambda: solver.score(HARD))
    until(lambda: solver.statistics.nodes > 0)
    with pytest.raises(SearchStopped) as stopped:
        solver.scores(HARD, seconds=0.05)
    assert (stopped.value.low, stopped.value.high) == (-21, 21)
    assert stopped.value.scores == (None,) * 7
    assert running.thread.is_alive()
    solver.stop()
    running.wait()


def test_bounds_at_the_deadline_are_reported() -> None:
    """Wins at hand and finished games take no search; bounds hold for the position asked about."""
    solver = Solver(table_mb=1, book=None)
    must_block = Position.from_moves("12131")  # the first player threatens column 1
    with pytest.raises(SearchStopped) as stopped:
        solver.scores(must_block, seconds=0)
    assert stopped.value.scores == (None, *[-18] * 6)
    assert -18 <= stopped.value.low < stopped.value.high
    for position in random_positions(Geometry(5, 4), 40, seed=5):
        if position.is_over:
            continue
        whole = Solver(Geometry(5, 4), table_mb=1)
        score, scores = whole.score(position), whole.scores(position)
        try:
            found = Solver(Geometry(5, 4), table_mb=1).scores(position, seconds=0)
        except SearchStopped as early:
            assert early.low <= score <= early.high
            assert all(a in (None, b) for a, b in zip(early.scores, scores, strict=True))
        else:
            assert found == scores


def test_a_book_answers_without_time() -> None:
    assert Solver(table_mb=1).scores(Position(), seconds=0) == (-2, -1, 0, 1, 0, -1, -2)
