"""Whole games judged: against the oracle, by definition, and at the edges."""

from __future__ import annotations

import random
import re

import pytest

from claimeven import ClaimevenError, Geometry, IllegalMove, InvalidNotation, Position, explain
from claimeven.review.analysis import JUDGEMENTS, Analysis, JudgedMove, analyze, move_lines
from claimeven.review.review_html import analysis_html
from claimeven.solver import Solver
from tests import naive

SMALL = Geometry(4, 4, 3)


def test_every_move_of_random_games_is_judged_as_the_oracle_does() -> None:
    rng = random.Random(3)
    for geometry, lowest in ((SMALL, 4), (Geometry(4, 4, 4), 8)):
        solver, known = Solver(geometry, table_mb=1), {}
        for _ in range(12):
            game, moves = naive.random_moves(
                rng, geometry.columns, geometry.rows, geometry.connect, rng.randint(5, 16)
            )
            analysis = analyze(moves, solver)
            assert [move.column for move in analysis.moves] == moves
            before = naive.Game(geometry.columns, geometry.rows, geometry.connect)
            for number, move in enumerate(analysis.moves):
                after = before.play(move.column)
                if number >= lowest:
                    had, has = naive.score(before, known), -naive.score(after, known)
                    assert (move.before, move.after) == (had, has)
                    assert analysis.score_history[number] == (had if number % 2 == 0 else -had)
                    sign = [(had > 0) - (had < 0), (has > 0) - (has < 0)]
                    assert (move.judgement == "perfect") == (had == has)
                    assert move.steps == sign[0] - sign[1]
                    assert move.mark or sign[0] == sign[1]
                    assert bool(move.mark) == bool(move.reason)
                    assert all(claim.holds(move.position, solver) for claim in move.claims)
                before = after
            assert (analysis.outcome is not None) == game.over()


def judged(scores: tuple[int | None, ...], column: int, ply: int = 0) -> JudgedMove:
    geometry = Geometry(len(scores), 4, 4)
    moves = [0, 1, 2, 3, 1, 0][:ply]
    return JudgedMove(Position.from_moves(moves, geometry), column, scores)


@pytest.mark.parametrize(
    ("scores", "column", "judgement", "credit"),
    [
        ((5, 5, 1, 0), 0, "perfect", 1.0),
        ((5, 3, 1, 0), 1, "good", 0.75),
        ((5, 3, 1, 0), 2, "inaccurate", 0.5),
        ((5, 3, 1, 0), 3, "blunder", 0.25),
        ((5, 3, -1, 0), 2, "blunder", 0.0),
        ((0, -3, 0, 0), 1, "mistake", 0.25),
        ((-2, -5, -8, -2), 1, "good", 0.75),
        ((-2, -5, -8, -2), 2, "mistake", 0.5),
    ],
)
def test_judgement_and_credit(
    scores: tuple[int, ...], column: int, judgement: str, credit: float
) -> None:
    move = judged(scores, column)
    assert (move.judgement, move.credit, move.counts) == (judgement, credit, True)


def test_the_credit_of_a_good_move_counts_the_possible_loss() -> None:
    """After 4 discs of 16 the soonest loss is to disc 6, when 5 of 8 discs are left: -6."""
    move = judged((-2, -4, -6, -2), 1, ply=4)
    assert (move.judgement, move.credit) == ("good", 0.75)
    assert judged((-2, -4, -6, -2), 2, ply=4).credit == 0.5


def test_central_columns_come_first_among_equal_ones() -> None:
    assert judged((1, 1, 1, 1, 1), 0).best == (2, 1, 3, 0, 4)
    assert judged((1, 0, None, 1, 1), 0).best == (3, 0, 4)


def test_moves_without_a_choice_do_not_count() -> None:
    assert not judged((2, None, 2, 2), 0).counts
    assert not judged((-3, None, None, None), 0).counts
    geometry = Geometry(1, 4, 4)
    analysis = analyze("1111", Solver(geometry, table_mb=1))
    assert analysis.accuracy(0) is analysis.accuracy(1) is None
    assert [move.judgement for move in analysis.moves] == ["perfect"] * 4
    assert str(analysis.outcome) == "draw"


def test_accuracy_is_the_mean_credit_of_the_moves_that_count() -> None:
    analysis = analyze("12123", Solver(SMALL, table_mb=1))
    for player in (0, 1):
        credits = [m.credit for m in analysis.of(player) if m.counts]
        assert analysis.accuracy(player) == 100 * sum(credits) / len(credits)
        assert sum(analysis.count(player, j) for j in JUDGEMENTS) == len(analysis.of(player))


def test_a_game_can_be_empty_unfinished_or_finished() -> None:
    solver = Solver(SMALL, table_mb=1)
    empty = analyze("", solver)
    assert (empty.moves, empty.outcome, len(empty.score_history)) == ((), None, 1)
    won = analyze("12121", solver)
    assert str(won.outcome) == "Yellow wins"
    assert won.moves[-1].after == won.moves[-1].before > 0
    assert won.score_history[-1] == won.moves[-1].after


def test_json_counts_from_one() -> None:
    data = analyze("1213", Solver(SMALL, table_mb=1)).as_dict()
    assert data["moves"] == "1213"
    assert [move["column"] for move in data["judged_moves"]] == [1, 2, 1, 3]
    assert data["judged_moves"][0]["player"] == 1 and data["judged_moves"][0]["ply"] == 0
    for output in data["judged_moves"]:
        top = max(score for score in output["scores"] if score is not None)
        assert sorted(output["best"]) == [
            column for column, score in enumerate(output["scores"], start=1) if score == top
        ]


def test_json_distinguishes_the_players() -> None:
    """The first player makes two perfect moves and a blunder, the second a blunder."""
    scores = ((5, 5, 1, 0), (5, 3, -1, 0))
    analysis = Analysis(
        (
            judged(scores[0], 0),
            judged(scores[1], 2, ply=1),
            judged(scores[0], 1, ply=2),
            judged(scores[0], 3, ply=4),
        ),
        Position.from_moves("12342", Geometry(4, 4, 4)),
        3,
    )
    data = analysis.as_dict()
    assert data["judgement_counts"] == [
        {"perfect": 2, "good": 0, "inaccurate": 0, "mistake": 0, "blunder": 1},
        {"perfect": 0, "good": 0, "inaccurate": 0, "mistake": 0, "blunder": 1},
    ]
    assert data["accuracy"] == [75, 0]
    assert data["score_history"] == [5, -5, 5, 5, -3]
    assert data["outcome"] is None
    assert [move["credit"] for move in data["judged_moves"]] == [1, 0, 1, 0.25]
    lines = analysis.text().splitlines()
    assert lines[6] == "Best play from here: Red wins in 4 moves."
    assert lines[8:10] == [
        "Yellow: accuracy  75.0%; perfect 2, good 0, inaccurate 0, mistake 0, blunder 1",
        "Red:    accuracy   0.0%; perfect 0, good 0, inaccurate 0, mistake 0, blunder 1",
    ]
    won = analyze("12121", Solver(SMALL, table_mb=1))
    assert won.as_dict()["outcome"] == "Yellow wins"
    assert "The game is over: Yellow wins with move 3." in str(won)
    forced = Analysis((judged((2, 2, None, 2), 0),), Position.from_moves("1", SMALL), -2)
    assert forced.as_dict()["judged_moves"][0]["credit"] is None
    assert "Yellow: accuracy      -; perfect 1" in forced.text()


def test_a_move_is_reported_in_a_line() -> None:
    assert move_lines(judged((5, 3, 1, 0), 1)) == (
        "   1  2          +5     +3  good          best 1"
    )
    assert move_lines(judged((0, 0, 0, 0), 1)) == "   1  2           0      0  perfect"


def test_notebooks_name_a_better_column_only_where_there_is_one() -> None:
    moves = (judged((5, 3, 1, 0), 1), judged((0, 2, 2, 0), 2, ply=1))
    shown = analysis_html(Analysis(moves, Position.from_moves("13", Geometry(4, 4)), 3))
    rows = re.findall(r"<tr>(.*?)</tr>", shown, re.DOTALL)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in rows]
    assert [row for row in cells if len(row) == 7 and row[4] in JUDGEMENTS] == [
        ["2", "1", "+5", "+3", "good", "1", ""],
        ["3", "2", "+2", "+2", "perfect", "", ""],
    ]


def test_a_board_is_no_solver() -> None:
    for ask in (analyze, explain):
        with pytest.raises(ClaimevenError, match=r"solver must be a solver such as Solver\(Geo"):
            ask("1", Geometry(4, 4))  # type: ignore[operator]


def test_bad_games_are_refused_with_the_number_of_the_move() -> None:
    with pytest.raises(IllegalMove, match=r"^move 5: column 1 is full$"):
        Position.replay("11111", SMALL)
    with pytest.raises(IllegalMove, match=r"^move 6: column 4 cannot be played: the game is over$"):
        Position.replay("121214", SMALL)
    with pytest.raises(InvalidNotation, match="move 2: '5' is not a column"):
        Position.replay("15", SMALL)
