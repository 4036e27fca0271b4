"""Explanations: every claim of many positions holds, by the oracle as well as by the package."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from claimeven import Geometry, Position
from claimeven.errors import ClaimevenError
from claimeven.review.claims import KINDS, Claim
from claimeven.review.column_claims import Makes
from claimeven.review.explain import explain
from claimeven.review.threats import (
    cornered_cells,
    follow_up_reaches,
    forced_below,
    is_playable,
    winning_cells,
    wins_now,
)
from claimeven.review.win_claims import Zugzwang
from claimeven.solver import Solver
from claimeven.solver.errors import InvalidSolve
from tests import naive
from tests.positions import random_games
from tests.review.claims_oracle import JUDGES, judge
from tests.standin import PlainSolver

#: Boards whose every position is solved in seconds, with the plies at which explaining starts.
BOARDS = (
    (Geometry(4, 4, 4), 9),
    (Geometry(4, 4, 3), 2),
    (Geometry(5, 4, 4), 13),
    (Geometry(4, 5, 4), 13),
    (Geometry(5, 5, 3), 15),
    (Geometry(6, 4, 4), 17),
)
POSITIONS = 30
#: Scores the oracle has worked out, for each board.
KNOWN: dict[Geometry, dict[object, int]] = {geometry: {} for geometry, _ in BOARDS}


@pytest.fixture(scope="module")
def output() -> list[tuple[Position, list[int], Solver, list[Claim]]]:
    rows = []
    for number, (geometry, lowest) in enumerate(BOARDS):
        solver = Solver(geometry, table_mb=1)
        for moves in random_games(geometry, POSITIONS, number, ongoing=True, lowest=lowest):
            position = Position.from_moves(moves, geometry)
            rows.append((position, moves, solver, list(explain(position, solver).all_claims())))
    return rows


def test_every_claim_is_true_by_the_oracle(
    output: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    for position, moves, _, claims in output:
        g = position.geometry
        game = naive.from_columns(moves, g.columns, g.rows, g.connect)
        for claim in claims:
            assert judge(claim, game, KNOWN[g]), (g, moves, claim)


def test_every_claim_holds_by_its_own_check(
    output: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    for position, moves, solver, claims in output:
        for claim in claims:
            assert claim.holds(position, solver), (position.geometry, moves, claim)


def test_every_kind_is_met_and_known_everywhere(
    output: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    assert set(KINDS) == set(JUDGES)
    met = Counter(claim.kind for *_, claims in output for claim in claims)
    assert set(KINDS) - set(met) == set(), met


def test_false_claims_are_refuted_by_check_and_oracle(
    output: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    """Claims moved to another column or cell: both judges agree on which are still true."""
    rng = random.Random(5)
    refuted: Counter[str] = Counter()
    for position, moves, solver, claims in output:
        g = position.geometry
        game = naive.from_columns(moves, g.columns, g.rows, g.connect)
        for claim in rng.sample(claims, min(3, len(claims))):
            if claim.kind in ("forces", "best_play", "follow_up", "reply", "closed", "makes"):
                continue
            score = claim.after if claim.after is None else claim.after + rng.choice((-1, 0, 1))
            changed = replace(claim, after=score)
            if claim.column is not None and len(claim.line) == 1:
                column = rng.choice(position.legal_columns)
                changed = replace(changed, column=column, line=(column,))
            try:
                truth = judge(changed, game, KNOWN[g])
            except (AssertionError, ValueError, IndexError):
                truth = False
            if changed.kind in ("position_score", "column_score"):
                assert changed.holds(position, solver) == truth, (moves, changed)
            elif not truth:
                assert not changed.holds(position, solver), (moves, changed)
            refuted[changed.kind] += not truth
    assert refuted["column_score"] > 20


def test_a_wrong_beginning_or_end_is_refuted_by_check_and_oracle(
    output: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    """Each claim of a line holds from that move on, with that score."""
    refuted: Counter[str] = Counter()
    for position, moves, solver, claims in output:
        g = position.geometry
        game = naive.from_columns(moves, g.columns, g.rows, g.connect)
        for claim in claims:
            if claim.kind not in ("zugzwang", "forces", "stops", "double", "stack"):
                continue
            changes = [replace(claim, player=1 - claim.player)]
            if claim.kind in ("zugzwang", "forces", "stops"):
                changes += [replace(claim, start=claim.start + step) for step in (-2, -1, 1, 2)]
            if claim.line:
                assert claim.after is not None
                changes.append(replace(claim, after=claim.after + 1))
            if len(claim.cells) > 1:
                changes.append(replace(claim, cells=claim.cells[:1]))
            for changed in changes:
                if changed.start < 0 or (claim.kind, len(changed.cells)) == ("stack", 1):
                    continue
                assert not changed.holds(position, solver), (moves, changed)
                assert not judge(changed, game, KNOWN[g]), (moves, changed)
                refuted[changed.kind] += 1
    assert min(refuted[kind] for kind in ("zugzwang", "forces", "stops", "double", "stack")) > 5


def test_wrong_lines_answers_and_cells_are_refuted_by_check_and_oracle(
    output: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    rng = random.Random(6)
    refuted: Counter[str] = Counter()
    for position, moves, solver, claims in output:
        g = position.geometry
        game = naive.from_columns(moves, g.columns, g.rows, g.connect)
        for claim in claims:
            changes: list[Claim] = []
            if claim.kind == "reply":
                changes = [replace(claim, line=(claim.line[0], c)) for c in range(g.columns)]
            elif claim.kind == "best_play":
                # Another move somewhere, and best play from there to the end.
                place = rng.randrange(1, len(claim.line))
                *before, column = claim.line[: place + 1]
                now = position
                for played in before:
                    now = now.play(played)
                for other in set(now.legal_columns) - {column}:
                    rest = solver.principal_variation(now.play(other))
                    changes.append(replace(claim, line=(*before, other, *rest)))
                changes.append(replace(claim, line=claim.line[:-1]))
            elif claim.kind in ("makes", "closed"):
                column, row = claim.cells[0]
                for cell in ((column, row + 1), ((column + 1) % g.columns, row)):
                    changes.append(replace(claim, cells=(cell, *claim.cells[1:])))
                changes.append(replace(claim, player=1 - claim.player))
            elif claim.kind == "follow_up":
                # A win in place of a draw; a draw in place of a win, which is less but true.
                changes.append(replace(claim, after=0 if claim.after else 1))
                changes.append(replace(claim, player=1 - claim.player))
            for changed in changes:
                try:
                    truth = judge(changed, game, KNOWN[g])
                except (AssertionError, IndexError, ValueError):
                    truth = False
                assert changed.holds(position, solver) == truth, (moves, changed)
                refuted[changed.kind] += not truth
    kinds = ("best_play", "reply", "makes", "closed", "follow_up")
    assert min(refuted[kind] for kind in kinds) > 5, refuted


def test_a_claim_whose_line_cannot_be_played_does_not_hold() -> None:
    geometry = Geometry(4, 4, 3)
    claim = Makes(0, column=0, cells=((0, 3),), line=(0, 0, 0, 0, 0))
    assert not claim.holds(Position(geometry), PlainSolver(geometry))


def test_a_claim_about_another_column_than_its_line_does_not_hold(
    output: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    for position, _, solver, claims in output[::5]:
        for claim in claims:
            if claim.column is not None and claim.line:
                other = (claim.column + 1) % position.geometry.columns
                assert not replace(claim, column=other).holds(position, solver), claim


def test_explanations_fit_the_screen_and_are_short(
    output: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    for position, _, solver, _ in output[:: len(output) // 40]:
        told_all = explain(position, solver)
        assert all(len(line) <= 80 for line in told_all.text().splitlines())
        assert all(len(line) <= 60 for line in told_all.text(60).splitlines())
        assert all(len(line) <= 20 for line in told_all.text(20).splitlines())
        with pytest.raises(ClaimevenError, match="width must be 20 or more, got 19"):
            told_all.text(19)
        assert all(1 <= len(column.claims) <= 4 for column in told_all.columns)
        for claim in told_all.all_claims():
            sentence = claim.sentence(position)
            assert sentence[0].isupper() and sentence.endswith(".") and "  " not in sentence


def test_scores_and_best_columns_are_the_solvers(
    output: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    for position, _, solver, _ in output[::7]:
        explanation = explain(position, solver)
        assert explanation.scores == solver.scores(position)
        assert explanation.score == solver.score(position)
        assert {c.column for c in explanation.columns} == set(position.legal_columns)
        assert {c.column for c in explanation.columns if c.is_best} == set(explanation.best)
        # If all columns are equally good no column is named.
        is_named = any(claim.kind == "best" for claim in explanation.claims)
        assert is_named == (len(explanation.best) < len(position.legal_columns))
        scores = [column.score for column in explanation.columns]
        assert scores == sorted(scores, reverse=True)


def test_json_counts_from_one_and_holds_every_sentence() -> None:
    geometry = Geometry(4, 4, 3)
    position = Position.from_moves("2233", geometry)
    explanation = explain(position, PlainSolver(geometry))
    data = json.loads(json.dumps(explanation.as_dict()))
    assert data["score"] == explanation.score
    assert data["best"] == [column + 1 for column in explanation.best]
    first = data["columns"][0]["claims"][0]
    assert first["kind"] == "column_score" and first["column"] == data["columns"][0]["column"]
    assert first["line"] == str(first["column"])
    sentences = [claim.sentence(position) for claim in explanation.all_claims()]
    written = [c["text"] for c in data["claims"]]
    written += [c["text"] for column in data["columns"] for c in column["claims"]]
    assert written == sentences


def test_json_counts_players_and_cells_from_1_as_boards_do() -> None:
    """The first player completes three in the first column."""
    geometry = Geometry(4, 4, 3)
    position = Position.from_moves("1212", geometry)
    output = explain(position, PlainSolver(geometry)).as_dict()["columns"][0]
    (wins,) = (claim for claim in output["claims"] if claim["kind"] == "wins")
    assert (wins["player"], wins["column"], wins["line"]) == (1, 1, "1")
    assert sorted(wins["cells"]) == [[1, 1], [1, 2], [1, 3]]


def test_a_proof_of_follow_up_play_is_given_up_where_it_takes_too_much() -> None:
    """On the empty board more than one position has to be looked at."""
    start = Position(Geometry(4, 4))
    assert follow_up_reaches(start, 1, 0, budget=1) is None
    assert follow_up_reaches(start, 1, 0) in (True, False)


def test_a_double_threat_is_described_in_words() -> None:
    geometry = Geometry(5, 3, 3)
    position = Position.from_moves("33", geometry)
    text = explain(position, PlainSolver(geometry)).text()
    head = "Yellow wins in 2 moves. Columns 2 and 4 are equally good."
    assert text.splitlines()[0] == head
    assert "It threatens to win in columns 1" in text


def test_a_finished_game_is_refused() -> None:
    geometry = Geometry(4, 4, 3)
    with pytest.raises(InvalidSolve, match="the game is over: Yellow"):
        explain(Position.from_moves("12121", geometry), PlainSolver(geometry))


@pytest.mark.parametrize("text", ["236336556312", "3242345345566", "5767641244462", "4455"])
def test_zugzwang_is_the_reason_only_where_best_play_ends_in_it(text: str) -> None:
    position, solver = Position.from_moves(text), Solver(table_mb=32)
    explanation = explain(position, solver)
    for claim in explanation.all_claims():
        assert claim.holds(position, solver), claim
        if claim.kind == "zugzwang":
            assert claim.after is not None
            assert claim.player == (position.turn if claim.after > 0 else 1 - position.turn)
            now = naive.from_columns([int(c) - 1 for c in text], 7, 6, 4)
            for column in claim.line:
                last = column, now.grid[column].index(None)
                now = now.play(column)
            assert (naive.winner(now), last) == (claim.player, claim.cells[0])
    for column in explanation.columns:
        assert {claim.kind for claim in column.claims} - {"column_score", "best_play"}, column


@pytest.mark.parametrize(
    ("text", "column", "cell", "answer"),
    [
        ("236336556312", 2, (3, 1), 1),
        ("3242345345566", 5, (2, 4), 3),
        ("5767641244462", None, (2, 2), None),
    ],
)
def test_a_threat_that_only_counting_favours_is_refuted(
    text: str, column: int | None, cell: tuple[int, int], answer: int | None
) -> None:
    """These threats last, and their rows favor their owner, but the game is not won there."""
    position, solver = Position.from_moves(text), Solver(table_mb=32)
    owner = 1 - position.turn
    line = () if column is None or answer is None else (column, answer)
    now = position
    for played in line:
        now = now.play(played)
    assert cell in winning_cells(now, owner) and not is_playable(now, cell)
    assert forced_below(position.geometry, cell) == 1 - owner
    score = solver.score(position) if column is None else solver.scores(position)[column]
    whole = (*line, *solver.principal_variation(now))
    claim = Zugzwang(owner, column, cells=(cell,), line=whole, after=score)
    assert not any(replace(claim, start=start).holds(position, solver) for start in range(4))
    explanation = explain(position, solver)
    about = [c.claims for c in explanation.columns if c.column == column] or [explanation.claims]
    named = [c.cells for c in about[0] if c.kind == "zugzwang"]
    assert all(cell not in cells for cells in named)


def test_a_column_that_wins_or_loses_always_has_a_reason(
    output: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    for position, moves, solver, _ in output:
        for column in explain(position, solver).columns:
            kinds = {claim.kind for claim in column.claims} - {"column_score", "best_play"}
            assert kinds or column.score == 0, (position.geometry, moves, column)


def test_the_only_column_is_named_whether_the_others_draw_or_lose(
    output: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    met = set()
    for position, _, solver, claims in output:
        for claim in claims:
            if claim.kind == "only":
                scores = enumerate(solver.scores(position))
                others = max(s for c, s in scores if s is not None and c != claim.column)
                met.add((solver.outcome(position), (others > 0) - (others < 0)))
    assert met >= {(1, 0), (0, -1)}


def test_a_column_that_draws_a_won_game_names_the_threat_of_its_side(
    output: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    """The other side is the one that stops it."""
    met = [
        claim.player == 1 - position.turn
        for position, _, _, claims in output
        for claim in claims
        if claim.kind == "stops" and claim.before is not None and claim.before > 0
    ]
    assert met and all(met)


def test_a_cell_above_is_not_blamed_where_a_threat_is_left_standing() -> None:
    """On top of column 4 the first player would win too, but already wins in column 3."""
    geometry = Geometry(5, 4)
    position = Position.from_moves("3514322221453", geometry)
    columns = explain(position, Solver(geometry, table_mb=1)).columns
    (fourth,) = (column for column in columns if column.column == 3)
    assert [claim.kind for claim in fourth.claims] == ["column_score", "ignores"]
    assert fourth.claims[1].cells == ((2, 3),)
    assert {column for column, _ in wins_now(position.play(3), 0)} == {2, 3}


def test_a_losing_block_is_described_as_a_block() -> None:
    position = Position.from_moves("44455554221")
    explanation = explain(position, Solver(table_mb=8))
    third = next(column for column in explanation.columns if column.column == 2)
    assert [claim.sentence(position) for claim in third.claims] == [
        "Column 3 loses, but no column holds out longer.",
        "It blocks Yellow, who would win there immediately.",
        "Yellow then wins on top of it, in row 2.",
    ]


def test_a_slower_win_names_the_answer_that_prevents_the_quick_one() -> None:
    position = Position.from_moves("4455")
    output = {c.column: c.claims for c in explain(position, Solver(table_mb=32)).columns}
    assert [claim.sentence(position) for claim in output[3][1:]] == [
        "The answer in column 3 takes the cell from which Yellow would threaten to win"
        " in columns 2 and 6.",
        "Best play continues 3, 3, 4, 3, 5, 4, 4, 3 and so on to Yellow's move 20.",
        "With move 14 Yellow gets a threat in row 3 of column 2, an odd row: in the end Red must"
        " play below it.",
    ]
    assert output[0][-1].kind == "zugzwang"


def test_cornered_means_that_every_column_loses_to_the_disc_on_top() -> None:
    """Positions of random games, and positions from which best play led to zugzwang."""
    geometry = Geometry(4, 5, 4)
    rng = random.Random(3)
    met = 0
    for _ in range(1500):
        game, moves = naive.random_moves(rng, 4, 5, 4, rng.randint(10, 18))
        if game.over():
            continue
        cells = cornered_cells(Position.from_moves(moves, geometry))
        safe = [column for column in game.legal() if not loses_on_top(game, column)]
        threats = [c for c in game.legal() for player in (0, 1) if wins_in(game, c, player)]
        assert bool(cells) == (not safe and not threats), moves
        assert not cells or [column for column, _ in cells] == game.legal()
        met += bool(cells)
    assert met > 3


def loses_on_top(game: naive.Game, column: int) -> bool:
    after = game.play(column)
    return not after.over() and column in after.legal() and wins_in(after, column, after.player)


def wins_in(game: naive.Game, column: int, player: int) -> bool:
    moved = game.copy()
    moved.player = player
    return naive.winner(moved.play(column)) == player


def test_every_claim_about_positions_of_the_large_board_holds() -> None:
    solver = Solver(table_mb=8)
    rng = random.Random(11)
    output = 0
    while output < 12:
        _, moves = naive.random_moves(rng, 7, 6, 4, rng.randint(14, 34))
        position = Position.from_moves(moves)
        if position.is_over:
            continue
        output += 1
        for claim in explain(position, solver).all_claims():
            assert claim.holds(position, solver), (moves, claim)


def test_sentences_about_a_known_position() -> None:
    explanation = explain(Position.from_moves("475772722323"), Solver(table_mb=8))
    assert explanation.scores == (-14, 4, 4, 3, 4, -3, 4)
    said = {
        column.column: [claim.sentence(explanation.position) for claim in column.claims]
        for column in explanation.columns
    }
    assert said[0] == [
        "Column 1 turns the win into a loss: Red wins in 2 moves.",
        "Red answers in column 4 and threatens to win in columns 1 and 5: only one can be blocked.",
    ]
    assert said[4][1:] == [
        "It makes a threat in row 3 of column 6.",
        "Best play continues 5, 3, 4, 4, 3, 4, 5, 4 and so on to Yellow's move 18.",
        "From move 15 on, Yellow makes threat after threat: Red can only block.",
    ]
    assert said[1][1:] == [
        "Best play continues 2, 5, 5, 5, 4, 5, 5, 6 and so on to Yellow's move 18.",
        "With move 8 Yellow gets a threat in row 3 of column 6, an odd row: in the end Red must"
        " play below it or below row 4 of column 3.",
    ]


def test_every_kind_of_claim_is_in_the_table_of_the_document() -> None:
    text = (Path(__file__).parents[2] / "docs" / "explain.md").read_text()
    assert all(f"`{kind}`" in text for kind in KINDS)
