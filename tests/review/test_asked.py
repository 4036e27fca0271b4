"""Explaining and judging without a word about the board or the solver."""

from __future__ import annotations

import pytest

from claimeven import (
    GameLine,
    Geometry,
    IllegalMove,
    InvalidNotation,
    InvalidSolve,
    Position,
    Solver,
    analyze,
    explain,
)
from tests.standin import PlainSolver

SMALL = Geometry(4, 3, 3)
PLAIN = PlainSolver(SMALL)


def test_moves_are_played_on_the_solvers_board() -> None:
    expected = explain(Position.from_moves("1223", SMALL), PLAIN)
    assert explain("1223", PLAIN) == explain([0, 1, 1, 2], PLAIN) == expected
    assert expected.position.geometry == SMALL


def test_without_a_solver_there_is_one() -> None:
    position = Position.from_moves("44455554221")
    solver = Solver(table_mb=4)
    assert explain("44455554221") == explain(position) == explain(position, solver)
    small = Position.from_moves("1223", SMALL)
    assert explain(small).scores == PLAIN.scores(small)
    assert analyze("44455554221") == analyze("44455554221", solver)


def test_a_line_may_start_anywhere() -> None:
    start = Position.from_moves("12", SMALL)
    judged = analyze(GameLine(start, [1, 2]), PLAIN)
    assert [move.position.ply for move in judged.moves] == [2, 3]
    assert judged.moves == analyze("1223", PLAIN).moves[2:]
    assert analyze(GameLine(start, [1, 2]).undo(), PLAIN).moves == judged.moves[:1]
    assert judged == analyze(GameLine(start, [1, 2]))


def test_they_print_as_text() -> None:
    explanation, analysis = explain("1223", PLAIN), analyze("1223", PLAIN)
    assert str(explanation) == explanation.text()
    assert str(analysis) == analysis.text()
    assert analysis.text().splitlines()[0] == "disc  column before  after  judgement"
    assert "│" not in analysis.text(charset="ascii")


def test_invalid_questions_are_refused() -> None:
    with pytest.raises(InvalidNotation, match="'8' is not a column"):
        explain("8")
    with pytest.raises(IllegalMove, match="move 4: column 1 is full"):
        analyze("1111", PLAIN)
    with pytest.raises(InvalidSolve, match="the game is over: Yellow wins"):
        explain("11223", PLAIN)
    with pytest.raises(InvalidSolve, match="the solver supports boards"):
        explain(Position(Geometry(13, 9)))
