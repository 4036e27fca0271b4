"""Solutions of puzzles, held against the oracle: a grid of lists and plain minimax."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from bench.check_puzzles import puzzle_errors

from claimeven import Geometry, Solver
from claimeven.puzzles.generate import PuzzlePlan, _random_game, candidate
from claimeven.puzzles.puzzle import HOLD, WIN, InvalidPuzzles, Puzzle
from claimeven.puzzles.solutions import (
    best_reply,
    check_solution,
    kind_of,
    puzzle_at,
    right_columns,
)
from tests import naive

BOARD = Geometry(4, 4)
PLAN = PuzzlePlan(1, 5, 4, 11, BOARD)


def game_of(columns: tuple[int, ...]) -> naive.Game:
    return naive.from_columns(list(columns), BOARD.columns, BOARD.rows, BOARD.connect)


def scores_of(game: naive.Game, known: dict[object, int]) -> dict[int, int]:
    return {column: -naive.score(game.after(column), known) for column in game.legal()}


def wins_whatever_is_answered(game: naive.Game) -> bool:
    """Whether each answer leaves the side that has just moved an immediate win."""
    answered = [game.after(answer) for answer in game.legal()]
    return all(
        not after.over()
        and any(naive.winner(after.after(column)) is not None for column in after.legal())
        for after in answered
    )


@pytest.fixture(scope="module")
def found() -> list[tuple[tuple[int, ...], Puzzle]]:
    solver = Solver(BOARD, 1, book=None)

    def select_puzzles() -> Iterator[tuple[tuple[int, ...], Puzzle]]:
        for game in range(250):
            made = candidate(PLAN, game, solver, set())
            if made is not None:
                columns, position, kind = made
                moves = "".join(str(column + 1) for column in columns)
                yield columns, puzzle_at(1, moves, position, kind, solver)

    return list(select_puzzles())


def test_the_oracle_finds_the_same_solutions(
    found: list[tuple[tuple[int, ...], Puzzle]],
) -> None:
    known: dict[object, int] = {}
    assert {puzzle.kind for _, puzzle in found} == {WIN, HOLD}
    assert max(puzzle.columns_to_find for _, puzzle in found) > 1
    for columns, puzzle in found:
        least = 1 if puzzle.kind == WIN else 0
        game = game_of(columns)
        for place, column in enumerate(puzzle.solution):
            scores = scores_of(game, known)
            if place % 2 == 0:
                assert [c for c, score in scores.items() if score >= least] == [column]
                assert place or len(game.legal()) >= 3
            else:
                assert scores[column] == max(scores.values())  # the best defence
            game = game.after(column)
        assert len(puzzle.solution) % 2 == 1


def test_a_solution_continues_until_an_evident_win_or_a_choice(
    found: list[tuple[tuple[int, ...], Puzzle]],
) -> None:
    solver = Solver(BOARD, 1, book=None)
    ends = set()
    for columns, puzzle in found:
        game = game_of((*columns, *puzzle.solution))
        if game.over() or puzzle.columns_to_find == 6 or puzzle.idea == "block":
            continue
        if puzzle.kind == WIN and wins_whatever_is_answered(game):
            ends.add("plain")
            continue
        position = puzzle.position
        for column in puzzle.solution:
            position = position.play(column)
        after = position.play(best_reply(position, puzzle.kind, solver))
        good = () if after.is_over else right_columns(solver.scores(after), puzzle.kind)
        assert len(good) != 1
        ends.add("choice")
    assert ends == {"plain", "choice"}


def test_the_first_position_is_quiet_or_decided_immediately(
    found: list[tuple[tuple[int, ...], Puzzle]],
) -> None:
    ideas = set()
    for columns, puzzle in found:
        game = game_of(columns)
        other = game.copy()
        other.player = 1 - other.player
        mine, theirs = (
            [c for c in game.legal() if naive.winner(side.after(c)) is not None]
            for side in (game, other)
        )
        if mine:
            assert (puzzle.idea, puzzle.kind, puzzle.length) == ("line", WIN, 1)
            assert [*puzzle.solution] == mine
        elif theirs:
            assert (puzzle.idea, puzzle.kind, puzzle.length) == ("block", HOLD, 1)
            assert [*puzzle.solution] == theirs
        else:
            assert puzzle.idea not in ("line", "block")
        ideas.add(puzzle.idea)
    assert "block" in ideas


def test_in_the_games_both_sides_take_wins_and_else_block_them() -> None:
    board = Geometry(5, 4, 3)
    taken = blocked = both = 0
    for seed in range(60):
        columns, _ = _random_game(board, board.cells, np.random.default_rng(seed))
        game = naive.Game(board.columns, board.rows, board.connect)
        for column in columns:
            other = game.copy()
            other.player = 1 - other.player
            mine, theirs = (
                [c for c in game.legal() if naive.winner(side.after(c)) is not None]
                for side in (game, other)
            )
            assert column in (mine or theirs or game.legal())
            taken += bool(mine)
            blocked += bool(theirs and not mine)
            both += bool(set(mine) - set(theirs) and set(theirs) - set(mine))
            game = game.after(column)
        assert game.over()
    assert min(taken, blocked, both) > 5


def test_the_puzzle_of_a_game_is_the_one_nearest_to_the_ply_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If the position at that ply is a puzzle, its neighbors do not matter."""
    solver = Solver(BOARD, 1, book=None)
    near = [candidate(PLAN, game, solver, set()) for game in range(150)]
    monkeypatch.setattr("claimeven.puzzles.generate.MAX_DISTANCE", 0)
    there = [candidate(PLAN, game, solver, set()) for game in range(150)]
    assert all(one is None or one == other for one, other in zip(there, near, strict=True))
    assert 10 < sum(map(bool, there)) < sum(map(bool, near))


def test_existing_puzzles_are_passed_over(
    found: list[tuple[tuple[int, ...], Puzzle]],
) -> None:
    solver = Solver(BOARD, 1, book=None)
    seen = {puzzle.position.mirror().canonical_key for _, puzzle in found}
    again = [candidate(PLAN, game, solver, seen) for game in range(100)]
    others = [made[1].canonical_key for made in again if made is not None]
    assert others and not seen.intersection(others)


def test_a_solution_that_is_not_the_only_one_is_refused(
    found: list[tuple[tuple[int, ...], Puzzle]],
) -> None:
    solver = Solver(BOARD, 1, book=None)
    known: dict[object, int] = {}
    output = set()
    for columns, puzzle in found:
        if len(columns) < 9:
            continue  # the oracle takes long there
        check_solution(puzzle, solver)
        least = 1 if puzzle.kind == WIN else 0
        scores = scores_of(game_of(columns), known)
        wrong = next(column for column, score in scores.items() if score < least)
        with pytest.raises(InvalidPuzzles) as refused:
            check_solution(replace(puzzle, solution=(wrong,)), solver)
        output.add(str(refused.value))
    message = "puzzle 1 is invalid: its solution is not the only column that"
    assert output == {f"{message} wins", f"{message} draws"}


@pytest.mark.parametrize(
    ("scores", "kind"),
    [
        ((1, 0, -3), WIN),
        ((1, 2, -3), None),
        ((0, -1, -3), HOLD),
        ((0, 0, -3), None),
        ((-1, -2, -3), None),
        ((1, 0, None), None),  # two columns: a guess is half the solution
    ],
)
def test_the_kind_follows_from_the_scores(scores: tuple[int | None, ...], kind: str | None) -> None:
    assert kind_of(scores) == kind


def test_faults_are_reported(found: list[tuple[tuple[int, ...], Puzzle]]) -> None:
    solver = Solver(BOARD, 1, book=None)
    _, puzzle = next(pair for pair in found if pair[1].kind == WIN)
    assert puzzle_errors(puzzle, solver) == []
    other = (puzzle.solution[0] + 1) % 4
    for wrong in (
        Puzzle(1, puzzle.moves, HOLD, 1500, puzzle.idea, puzzle.solution, BOARD),
        Puzzle(1, puzzle.moves, WIN, 1500, puzzle.idea, (other,), BOARD),
        Puzzle(1, puzzle.moves, WIN, 1500, "denies", puzzle.solution, BOARD),
        Puzzle(1, puzzle.moves, WIN, puzzle.rating + 1, puzzle.idea, puzzle.solution, BOARD),
        Puzzle(1, "121212", WIN, 1500, puzzle.idea, (0,), BOARD),
    ):
        assert len(puzzle_errors(wrong, solver)) == 1
