"""Games with a share of random moves: the random moves, one position a game, immediate ends."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from contextlib import closing
from itertools import islice
from typing import Any

import pytest

from claimeven import Geometry, Position
from claimeven.dataset import DatasetPlan
from claimeven.dataset import games as module_of_games
from claimeven.dataset.dataset import Row
from claimeven.dataset.games import Games
from claimeven.game.notation import parse_moves
from claimeven.solver import Solver
from tests.standin import PlainSolver

SMALL = Geometry(4, 4)
#: Every position of the last part of a game, which the plain solver can judge.
LOWEST = 9


def games(share: float, count: int = 250, *, one: bool = False, seed: int = 1) -> list[list[Row]]:
    plan = DatasetPlan(10, LOWEST, 15, seed, "mixed", SMALL, random_moves=share, one_per_game=one)
    return first_games(plan, Solver(SMALL, table_mb=1), count)


def first_games(plan: DatasetPlan, solver: Solver, count: int) -> list[list[Row]]:
    with closing(Games(plan, solver).rows(itertools.count())) as rows:
        return list(islice(rows, count))


def moves_with_scores(rows: list[Row]) -> list[tuple[int, tuple[int | None, ...]]]:
    """The moves of a game that are known, with the scores of the columns before each.

    Games that a move can end are left out, because finished games do not show it.
    """
    if not rows:
        return []
    last = parse_moves(rows[-1].moves, SMALL)
    return [
        (last[row.position.ply], row.scores)
        for row in rows[:-1]
        if not any(row.position.play(column).is_over for column in row.position.legal_columns)
    ]


def test_rows_are_the_positions_of_one_game_with_plain_scores() -> None:
    plain = PlainSolver(SMALL)
    found = [game for game in games(0.5, 60) if game]
    assert max(map(len, found)) > 2
    for number, game in enumerate(found):
        for row, after in zip(game, [*game[1:], None], strict=True):
            assert row.position == Position.from_moves(row.moves, SMALL)
            assert row.scores == plain.scores(row.position)
            assert after is None or after.moves.startswith(row.moves)
        assert len({row.number for row in game}) == 1, number
        assert [row.position.ply for row in game] == list(range(LOWEST, LOWEST + len(game)))


def test_without_random_moves_every_move_is_best() -> None:
    played = [each for game in games(0.0) for each in moves_with_scores(game)]
    assert len(played) > 100
    assert all(
        scores[column] == max(s for s in scores if s is not None) for column, scores in played
    )
    # Equally good columns are all played, not only the first of them.
    several = [(c, s.index(max(x for x in s if x is not None))) for c, s in played]
    assert sum(column != first for column, first in several) > 10


@pytest.mark.parametrize("share", [0.2, 0.5, 1.0])
def test_the_share_of_random_moves_is_as_asked(share: float) -> None:
    """A random move is right by chance: of the moves that lose something, the law is known."""
    wrong = expected = variance = 0.0
    for game in games(share, 350):
        for column, scores in moves_with_scores(game):
            known = [score for score in scores if score is not None]
            chance = share * (1 - known.count(max(known)) / len(known))
            wrong += scores[column] != max(known)
            expected += chance
            variance += chance * (1 - chance)
    assert expected > 30
    assert abs(wrong - expected) < 4.5 * variance**0.5


def test_random_games_ask_for_no_score_on_the_way() -> None:
    """With one position a game, a score is computed if a move needs one, and for the row."""
    plan = DatasetPlan(10, 4, 12, 3, "mixed", SMALL, random_moves=1.0, one_per_game=True)
    solver = Solver(SMALL, table_mb=1)
    asked: list[Position] = []
    original = solver.scores

    def scores(position: Position) -> tuple[int | None, ...]:
        asked.append(position)
        return original(position)

    solver.scores = scores  # type: ignore[method-assign, assignment]  # in its place
    found = [row for game in first_games(plan, solver, 50) for row in game]
    assert [row.position for row in found] == asked and len(asked) > 30


@pytest.mark.parametrize("optimal_only", [False, True])
def test_the_cache_changes_no_row(monkeypatch: pytest.MonkeyPatch, optimal_only: bool) -> None:
    """Best moves are asked for again once they are forgotten, and only then."""
    plan = DatasetPlan(
        10, LOWEST, 15, 1, "mixed", SMALL, random_moves=0.5, optimal_only=optimal_only
    )
    found, asked = [], []
    for most in (0, 5, 10**6):
        monkeypatch.setattr(module_of_games, "_CACHE_SIZE", most)
        solver = Solver(SMALL, table_mb=1)
        calls: list[Position] = []
        original = solver.best

        def best(position: Position, original: Any = original, calls: Any = calls) -> Any:
            calls.append(position)
            return original(position)

        solver.best = best  # type: ignore[method-assign, assignment]  # in its place
        found.append(first_games(plan, solver, 60))
        asked.append(calls)
    assert found[0] == found[1] == found[2]
    none, few, every = asked
    assert len(none) > len(few) > len(every) == len(set(every)) == len(set(none))


def test_one_a_game_is_drawn_evenly_from_the_positions_of_the_game() -> None:
    whole, single = games(0.5, 300), games(0.5, 300, one=True)
    places = []
    for rows, drawn in zip(whole, single, strict=True):
        assert len(drawn) == min(1, len(rows))
        if len(rows) >= 2:
            (place,) = (n for n, row in enumerate(rows) if row == drawn[0])
            places.append(place / (len(rows) - 1))
    assert len(places) > 60
    assert 0.35 < sum(places) / len(places) < 0.65


def test_playouts_share_the_opening_and_differ_after_it() -> None:
    plain, begin, endings = PlainSolver(SMALL), 11, 5
    plan = DatasetPlan(
        10,
        LOWEST,
        15,
        1,
        "mixed",
        SMALL,
        random_moves=0.5,
        playouts_per_game=endings,
        branch_ply=begin,
    )
    several = different = 0
    for game, single in zip(
        first_games(plan, Solver(SMALL, table_mb=1), 120), games(0.5, 120), strict=True
    ):
        before = [row for row in game if row.position.ply < begin]
        after = [row for row in game if row.position.ply >= begin]
        assert before == [row for row in single if row.position.ply < begin]
        assert after[: len(single) - len(before)] == single[len(before) :]
        starts = [row for row in after if row.position.ply == begin]
        assert len(starts) in (0, endings) and len(set(starts)) <= 1
        for row, earlier in zip(after, [None, *after], strict=False):
            assert row.scores == plain.scores(row.position)
            assert row.position == Position.from_moves(row.moves, SMALL)
            if earlier is not None and row.position.ply > begin:
                assert row.moves.startswith(earlier.moves)
        seconds = {row.moves for row in after if row.position.ply == begin + 1}
        several += len(starts) == endings
        different += len(seconds) > 1
    assert several > 40 and different > 20


def test_self_play_takes_every_position_from_the_lowest_ply_on() -> None:
    plain = PlainSolver(SMALL)
    plan = DatasetPlan(10, LOWEST, 14, 1, "selfplay", SMALL)
    found = first_games(plan, Solver(SMALL, table_mb=1), 40)
    for number, game in enumerate(found):
        assert [row.position.ply for row in game] == list(range(LOWEST, LOWEST + len(game)))
        for row, before in zip(game, [game[0], *game] if game else (), strict=False):
            assert (row.number, row.scores) == (number, plain.scores(row.position))
            assert row.position == Position.from_moves(row.moves, SMALL)
            assert row.moves.startswith(before.moves)
    assert {game[-1].position.ply for game in found if game} >= {LOWEST, 14}


def test_another_seed_gives_other_games() -> None:
    assert games(0.5, 20) == games(0.5, 20) != games(0.5, 20, seed=2)


def test_ctrl_c_gives_up_games_in_work() -> None:
    """Its workers are deep in positions that take hours; the end of the test is the proof."""
    board = Geometry(8, 7)
    played = Games(
        DatasetPlan(10, 0, 55, 1, "mixed", board, random_moves=0.0),
        Solver(board, table_mb=4, threads=2),
    )
    original = signal.signal(signal.SIGINT, signal.default_int_handler)
    ctrl_c = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt):
            ctrl_c.start()
            next(played.rows(itertools.count()))
    finally:
        signal.signal(signal.SIGINT, original)
