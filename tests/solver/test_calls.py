"""Short calls: the same answers and counts as long ones, and as safe."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable

import pytest

from claimeven import Geometry, Position
from claimeven.solver import ExactSearch, Solver, queries, search, session, solver
from claimeven.solver.call_kernel import SHORT
from tests.positions import random_positions
from tests.pressing import pressed_as_python_looks, pressed_as_usual

PATIENCE = 60.0
#: Boards of even and odd width and height, one without a choice, one of 64 bits.
BOARDS = ((4, 4, 3), (5, 4, 4), (3, 3, 2), (1, 5, 4), (6, 5, 4), (7, 6, 4), (8, 7, 4))


def near_the_end(geometry: Geometry, count: int, empty: int = 14) -> list[Position]:
    """Return unfinished positions, each with its mirror image."""
    positions = random_positions(geometry, 30 * count, seed=3, ongoing=True)
    late = [each for each in positions if geometry.cells - each.ply <= empty][:count]
    return [each for position in late for each in (position, position.mirror())]


@pytest.mark.parametrize("size", BOARDS, ids=str)
def test_a_short_call_answers_and_counts_as_a_long_one(size: tuple[int, int, int]) -> None:
    """A call with a deadline looks at the clock from the start, and takes all steps in Python."""
    geometry = Geometry(*size)
    short, long = (Solver(geometry, table_mb=1, book=None) for _ in range(2))
    for position in (Position(geometry), *near_the_end(geometry, 30)):
        if geometry.cells > 30 and position.ply == 0:
            continue
        for name in ("score", "outcome", "scores", "best", "best_columns", "principal_variation"):
            expected = getattr(long, name)(position, seconds=PATIENCE)
            assert getattr(short, name)(position) == expected, (name, position)
    after, other = short.statistics, long.statistics
    assert (after.nodes, after.searched) == (other.nodes, other.searched)


def test_a_call_that_is_too_long_continues_where_it_was() -> None:
    moves = ("226744515337", "475772722323", "44455554221", "62352673232646611533624")
    short, long = (Solver(table_mb=8, book=None) for _ in range(2))
    for position in map(Position.from_moves, moves):
        assert short.scores(position) == long.scores(position, seconds=PATIENCE)
        assert short.score(position) == long.score(position, seconds=PATIENCE)
        assert short.best(position) == long.best(position, seconds=PATIENCE)
    assert short.statistics.nodes == long.statistics.nodes > 20 * SHORT
    assert short.statistics.searched == long.statistics.searched


def test_a_stop_that_comes_late_does_not_stop_the_next_call() -> None:
    exact = ExactSearch(Geometry(), table_mb=8)
    ended = exact.run_session(lambda session: session)
    is_over = threading.Event()

    def stop_again() -> None:
        while not is_over.wait(0.0001):
            ended.stop()

    late = threading.Thread(target=stop_again)
    late.start()
    try:
        for moves, score in (("226744515337", 7), ("475772722323", 4)):
            position = Position.from_moves(moves)
            assert exact.score(position.mine, position.mask) == score
    finally:
        is_over.set()
        late.join()


@pytest.mark.parametrize("name", ["score", "scores", "best", "principal_variation"])
def test_ctrl_c_at_any_step_leaves_the_solver_free(name: str) -> None:
    exact = Solver(Geometry(4, 4, 3), table_mb=1, book=None)
    position = Position.from_moves("1234", exact.geometry)
    ask: Callable[[Position], object] = getattr(exact, name)
    expected = ask(position)
    for step in itertools.count(1):
        with pressed_as_usual():
            pressed = pressed_as_python_looks(
                step, lambda: ask(position), solver, queries, search, session
            )
        assert not exact._search._call_lock.locked(), step
        assert exact._search._running is None
        assert ask(position) == expected
        if pressed.is_past_the_end:
            break
        assert isinstance(pressed.raised, KeyboardInterrupt), step
    assert step > 15
