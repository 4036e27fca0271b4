"""Explanations: every claim of many positions holds, by the oracle as well as by the package."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace

import pytest

from claimeven import Geometry, Position
from claimeven.solver import Solver
from claimeven.solver.checks import CHECKS, holds
from claimeven.solver.claims import SENTENCES, Claim
from claimeven.solver.errors import InvalidSolve
from claimeven.solver.explain import explain
from tests import naive
from tests.solver.claims_oracle import JUDGES, judge
from tests.solver.standin import PlainSolver

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


def random_positions(geometry: Geometry, lowest: int, count: int, seed: int) -> list[list[int]]:
    rng = random.Random(seed)
    found: list[list[int]] = []
    while len(found) < count:
        plies = rng.randint(lowest, geometry.cells - 1)
        game, moves = naive.random_moves(
            rng, geometry.columns, geometry.rows, geometry.connect, plies
        )
        if not game.over():
            found.append(moves)
    return found


@pytest.fixture(scope="module")
def told() -> list[tuple[Position, list[int], Solver, list[Claim]]]:
    rows = []
    for number, (geometry, lowest) in enumerate(BOARDS):
        solver = Solver(geometry, table_mb=1)
        for moves in random_positions(geometry, lowest, POSITIONS, number):
            position = Position.from_moves(moves, geometry)
            rows.append((position, moves, solver, list(explain(position, solver).all_claims())))
    return rows


def test_every_claim_is_true_by_the_oracle(
    told: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    for position, moves, _, claims in told:
        g = position.geometry
        game = naive.from_columns(moves, g.columns, g.rows, g.connect)
        for claim in claims:
            assert judge(claim, game, KNOWN[g]), (g, moves, claim)


def test_every_claim_holds_by_its_own_check(
    told: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    for position, moves, solver, claims in told:
        for claim in claims:
            assert holds(claim, position, solver), (position.geometry, moves, claim)


def test_every_kind_is_met_and_known_everywhere(
    told: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    assert set(SENTENCES) == set(CHECKS) == set(JUDGES)
    met = Counter(claim.kind for *_, claims in told for claim in claims)
    assert set(SENTENCES) - set(met) == set(), met


def test_false_claims_are_refuted_by_check_and_oracle_alike(
    told: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    """Claims moved to another column or cell: both judges agree on which are still true."""
    rng = random.Random(5)
    refuted: Counter[str] = Counter()
    for position, moves, solver, claims in told:
        g = position.geometry
        game = naive.from_columns(moves, g.columns, g.rows, g.connect)
        for claim in rng.sample(claims, min(3, len(claims))):
            if claim.kind in ("forces", "line", "follow_up", "reply", "closed", "makes"):
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
            if changed.kind in ("standing", "verdict"):
                assert holds(changed, position, solver) == truth, (moves, changed)
            elif not truth:
                assert not holds(changed, position, solver), (moves, changed)
            refuted[changed.kind] += not truth
    assert refuted["verdict"] > 20


def test_a_claim_whose_line_cannot_be_played_does_not_hold() -> None:
    geometry = Geometry(4, 4, 3)
    claim = Claim("makes", 0, column=0, cells=((0, 3),), line=(0, 0, 0, 0, 0))
    assert not holds(claim, Position(geometry), PlainSolver(geometry))


def test_explanations_fit_the_screen_and_are_short(
    told: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    for position, _, solver, _ in told[:: len(told) // 40]:
        told_all = explain(position, solver)
        assert all(len(line) <= 80 for line in told_all.text().splitlines())
        assert all(len(line) <= 60 for line in told_all.text(60).splitlines())
        assert all(1 <= len(column.claims) <= 4 for column in told_all.columns)
        for claim in told_all.all_claims():
            sentence = claim.sentence(position)
            assert sentence[0].isupper() and sentence.endswith(".") and "  " not in sentence


def test_scores_and_best_columns_are_the_solvers(
    told: list[tuple[Position, list[int], Solver, list[Claim]]],
) -> None:
    for position, _, solver, _ in told[::7]:
        explanation = explain(position, solver)
        assert explanation.scores == solver.scores(position)
        assert explanation.score == solver.score(position)
        assert {c.column for c in explanation.columns} == set(position.legal_columns)
        assert {c.column for c in explanation.columns if c.is_best} == set(explanation.best)
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
    assert first["kind"] == "verdict" and first["column"] == data["columns"][0]["column"]
    assert first["line"] == str(first["column"])
    sentences = [claim.sentence(position) for claim in explanation.all_claims()]
    written = [c["text"] for c in data["claims"]]
    written += [c["text"] for column in data["columns"] for c in column["claims"]]
    assert written == sentences


def test_a_double_threat_is_told_in_words() -> None:
    geometry = Geometry(5, 3, 3)
    position = Position.from_moves("33", geometry)
    text = explain(position, PlainSolver(geometry)).text()
    head = "The first player wins with disc 5, in 3 plies. Columns 2 and 4 are equally good."
    assert text.splitlines()[0] == head
    assert "It threatens columns 1 and 4 at" in text


def test_a_finished_game_is_refused() -> None:
    geometry = Geometry(4, 4, 3)
    with pytest.raises(InvalidSolve, match="nothing to explain, the game is over: first player"):
        explain(Position.from_moves("12121", geometry), PlainSolver(geometry))


def test_every_claim_about_positions_of_the_large_board_holds() -> None:
    solver = Solver(table_mb=8)
    rng = random.Random(11)
    told = 0
    while told < 12:
        _, moves = naive.random_moves(rng, 7, 6, 4, rng.randint(14, 34))
        position = Position.from_moves(moves)
        if position.is_over:
            continue
        told += 1
        for claim in explain(position, solver).all_claims():
            assert holds(claim, position, solver), (moves, claim)


def test_what_is_said_of_a_known_position() -> None:
    explanation = explain(Position.from_moves("475772722323"), Solver(table_mb=8))
    assert explanation.scores == (-14, 4, 4, 3, 4, -3, 4)
    said = {
        column.column: [claim.sentence(explanation.position) for claim in column.claims]
        for column in explanation.columns
    }
    assert said[0] == [
        "Column 1 turns the win into a loss: the second player wins with disc 16, in 4 plies.",
        "The second player answers in column 4 and threatens columns 1 and 5 at once:"
        " only one can be blocked.",
    ]
    assert said[4][1] == (
        "The first player then holds a threat in row 3 of column 6, an odd row: once all else is"
        " full, the second player must play below it."
    )
