"""Results and hints of puzzles; every claim is one that the solver confirms."""

from __future__ import annotations

import pytest

from claimeven import IllegalMove, Position, Solver, select_puzzles
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.puzzles import InvalidPuzzles, Puzzle, hints_for, try_column
from claimeven.puzzles.solutions import MAX_CELLS, position_after

LONG = Puzzle(3, "543727456472434", "win", 1103, "zugzwang", (1, 2, 1))


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(table_mb=16)


def test_the_only_column_is_right_and_answered(solver: Solver) -> None:
    first = try_column(LONG, 0, 1, solver)
    assert (first.correct, first.solved, first.reply) == (True, False, 2)
    assert first.text.startswith("Column 2 wins in")
    assert len(first.claims) == 1  # the reason would give away the next columns
    last = try_column(LONG, 1, 1, solver)
    assert (last.correct, last.solved, last.reply) == (True, True, None)
    assert last.text.startswith("Column 2 wins in") and len(last.claims) > 1


def test_a_solution_is_followed_to_its_end(solver: Solver) -> None:
    puzzle = next(each for each in select_puzzles() if each.columns_to_find >= 3)
    moves = puzzle.moves
    for found in range(puzzle.columns_to_find):
        column, *answer = puzzle.solution[2 * found : 2 * found + 2]
        assert position_after(puzzle, found) == Position.from_moves(moves)
        attempt = try_column(puzzle, found, column, solver)
        assert (attempt.correct, attempt.solved) == (True, found == puzzle.columns_to_find - 1)
        assert [attempt.reply] == (answer or [None])
        moves += "".join(str(each + 1) for each in (column, *answer))


def test_a_wrong_column_is_refuted(solver: Solver) -> None:
    position = position_after(LONG, 0)
    for column in set(position.legal_columns) - {1}:
        attempt = try_column(LONG, 0, column, solver)
        assert not attempt.correct and not attempt.solved
        assert attempt.reply is not None
        played = position.play(column)
        assert attempt.reply in solver.best_columns(played)
        gives = ("gives the win away", "turns the win into a loss")
        assert any(words in attempt.text for words in gives)
        assert all(claim.holds(position, solver) for claim in attempt.claims)
        assert attempt.as_dict(position)["column"] == column + 1


def test_a_wrong_column_that_ends_the_game_gets_no_answer(solver: Solver) -> None:
    """A user's puzzle may be wrong itself: here column 6 wins as well."""
    wrong = Puzzle(1, "445533", "win", 1500, "double", (1,))
    attempt = try_column(wrong, 0, 5, solver)
    assert (attempt.correct, attempt.solved, attempt.reply) == (False, False, None)
    assert attempt.text.startswith("Column 6 wins immediately.")


def test_illegal_moves_are_refused(solver: Solver) -> None:
    with pytest.raises(IllegalMove, match="column 4 is full"):
        try_column(Puzzle(1, "444444", "win", 1500, "double", (1,)), 0, 3, solver)
    with pytest.raises(InvalidPuzzles, match="puzzle 3 has 2 columns to find: the number"):
        hints_for(LONG, 2, solver)
    with pytest.raises(InvalidPuzzles, match="must be 0 to 1, got -1"):
        position_after(LONG, -1)


def test_hints_say_more_step_by_step(solver: Solver) -> None:
    kinds = set()
    for puzzle in (LONG, *select_puzzles()[::401]):
        for found in range(puzzle.columns_to_find):
            position, column = position_after(puzzle, found), puzzle.solution[2 * found]
            idea, cells, last = hints_for(puzzle, found, solver)
            assert (idea.step, cells.step, last.step) == ("idea", "cells", "column")
            assert not idea.cells and not idea.columns
            assert not any(sign.isdigit() for sign in idea.text)
            assert bool(cells.cells) != bool(cells.columns)
            kinds.add(cells.text.partition(" in ")[0] if cells.columns else cells.text[:7])
            assert column not in cells.columns
            assert len(set(cells.cells)) == len(cells.cells) <= MAX_CELLS
            if not cells.cells:  # half of the other columns are ruled out
                others = len(position.legal_columns) - 1
                assert len(set(cells.columns)) == len(cells.columns) == (others + 1) // 2
            assert cells.as_dict()["cells"] == [[c + 1, row + 1] for c, row in cells.cells]
            assert cells.as_dict()["columns"] == [c + 1 for c in cells.columns]
            assert all(
                each != column and row >= position.height_of(each) for each, row in cells.cells
            )
            assert last.columns == (column,)
            assert last.text.startswith(f"Column {column + 1} ")
    assert kinds == {"Look at", "It is not"}


@pytest.mark.parametrize(
    ("number", "hint", "holds"),
    [
        (
            37,
            "Win by a threat out of reach: the other side must play below it in the end.",
            "{} holds a threat in",
        ),
        (
            34,
            "See which threat out of reach will be filled in the end, and by whom.",
            "where {} has had a threat",
        ),
    ],
)
def test_the_first_hint_is_true_where_the_side_to_move_holds_the_threat(
    number: int, hint: str, holds: str, solver: Solver
) -> None:
    puzzle = next(each for each in select_puzzles() if each.number == number)
    idea, _, column = hints_for(puzzle, 0, solver)
    assert idea.text == hint
    assert holds.format(PLAYER_NAMES[puzzle.position.turn]) in column.text
