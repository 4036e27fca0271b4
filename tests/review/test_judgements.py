"""Which moves are marked, and why: moves that lose, hasten a loss, let a win go or miss it."""

from __future__ import annotations

import pytest

from claimeven import Position, Solver, analyze
from claimeven.review.analysis import JUDGEMENTS, MARKS, Analysis, expected_result, judge


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(table_mb=16)


def marks(analysis: Analysis) -> dict[int, str]:
    """The marks of a game by disc, counted from 1."""
    return {move.ply + 1: move.mark for move in analysis.moves if move.mark}


def test_the_move_that_hastened_the_loss_is_marked_with_its_reason(solver: Solver) -> None:
    """Disc 7 goes from a loss in 15 moves to a loss in 2; discs 10 and 12 miss a win
    immediately."""
    judged = analyze("54346576414573", solver)
    assert marks(judged) == {1: "?!", 3: "?!", 7: "??", 10: "?", 12: "?"}
    seventh = judged.moves[6]
    assert (seventh.before, seventh.after) == (-4, -17)
    assert seventh.reason == (
        "Column 7 loses in 2 moves instead of 15. Red answers in column 6 and"
        " threatens to win in columns 3 and 7: only one can be blocked."
    )
    assert "It misses immediate wins in columns 3 and 7." in judged.moves[9].reason
    output = judged.as_dict()["judged_moves"][6]
    assert (output["mark"], output["reason"]) == ("??", seventh.reason)
    assert " ".join(claim["text"] for claim in output["claims"]) == seventh.reason
    assert "   7  7          -4    -17  blunder ??    best 3" in judged.text().splitlines()
    shown = " ".join(judged.text().split())
    assert seventh.reason in shown


@pytest.mark.parametrize("column", range(7))
def test_no_first_move_is_a_mistake(solver: Solver, column: int) -> None:
    scores = solver.scores(Position())
    own = scores[column]
    assert own is not None
    assert MARKS[judge(Position(), 1, own)] in ("", "?!")


@pytest.mark.parametrize(
    ("moves", "column", "mark"),
    [
        ("445536", 0, "??"),  # a win immediately is missed, and lost
        ("5434657641", 3, ""),  # lost immediately in every column
        ("44553", 0, ""),  # lost either way in a move
        ("12121", 6, "??"),  # a threat is not blocked
        ("", 3, ""),
    ],
)
def test_marks_of_plain_positions(solver: Solver, moves: str, column: int, mark: str) -> None:
    analysis = analyze(moves + str(column + 1), solver)
    assert analysis.moves[-1].mark == mark


def test_a_far_win_is_worth_little_more_than_a_draw() -> None:
    start, near = Position(), Position.from_moves("4455")
    worth = [expected_result(start, score) for score in (-2, 0, 1)]
    assert worth == sorted(worth) and worth[-1] < 0.57
    assert expected_result(near, 18) == 0.95
    assert expected_result(near, -18) == pytest.approx(0.05)
    assert list(MARKS) == list(JUDGEMENTS)
