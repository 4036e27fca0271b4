"""How hard puzzles are: the moves that a person must see, checked by another count."""

from __future__ import annotations

from collections import Counter

import pytest

from claimeven import Position, Solver, select_puzzles
from claimeven.puzzles.puzzle import DIFFICULTIES, IDEAS, WIN, Puzzle
from claimeven.puzzles.solutions import IDEA_POINTS, MAX_RECOGNIZED, MOVES, POINTS, rate

#: Maximum number of moves to foresee in a difficulty.
LIMITS = {"beginner": 2, "easy": 4, "medium": 6, "hard": 9}
#: Puzzles of each difficulty that are counted again: of the ones with the most discs.
CHOSEN = slice(0, 80, 4)


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(table_mb=16)


def moves_played(puzzle: Puzzle, solver: Solver) -> int:
    """Discs of the winner until best play is over: in a win, or after the slowest wrong column."""
    position = puzzle.position
    if puzzle.kind == WIN:
        starts = [position]
    else:
        wrong = [c for c in position.legal_columns if c != puzzle.solution[0]]
        starts = [position.play(column) for column in wrong]
    return max((len(solver.principal_variation(start)) + 1) // 2 for start in starts)


def test_a_difficulty_says_how_far_one_must_see(solver: Solver) -> None:
    difficulties = [
        sorted(select_puzzles(difficulty), key=lambda puzzle: -puzzle.position.ply)
        for difficulty in DIFFICULTIES
    ]
    for puzzle in (puzzle for late in difficulties for puzzle in late[CHOSEN]):
        moves = moves_played(puzzle, solver)
        assert puzzle.length == moves
        limit = LIMITS.get(puzzle.difficulty, 99)
        if puzzle.difficulty == "hard" and moves > limit:
            # A won ending that can be recognized is worth less.
            assert puzzle.kind == WIN and puzzle.rating >= MAX_RECOGNIZED
        else:
            assert moves <= limit, puzzle
        if puzzle.difficulty == "beginner":
            assert puzzle.idea not in ("zugzwang", "stops") or moves <= 2


def test_easy_puzzles_have_visible_motifs() -> None:
    """Double threats, threats on top of each other, blocks: not the end of the game."""
    easy = [
        puzzle
        for difficulty in ("beginner", "easy")
        for puzzle in select_puzzles(difficulty, "win")
    ]
    ideas = Counter(puzzle.idea for puzzle in easy)
    assert ideas["double"] + ideas["stack"] + ideas["forces"] > 0.7 * len(easy)
    hard = Counter(
        puzzle.idea
        for difficulty in ("hard", "expert")
        for puzzle in select_puzzles(difficulty, "win")
    )
    assert hard.most_common(1)[0][0] == "zugzwang"


@pytest.mark.parametrize(
    ("moves", "kind", "idea", "solution", "rating"),
    [
        ("4567224455764767744315517", "win", "stack", (1,), 1215),
        ("44444346726555735663373731262", "win", "line", (1,), 600),
        ("4156175311712317647647557662325652", "hold", "block", (1,), 700),
        ("6414733775275771644532213334", "win", "double", (1,), 1000),
        ("3273174212264335727236113", "win", "stack", (3, 6, 6, 5, 4), 1335),
        ("543727456472434", "win", "zugzwang", (1, 2, 1), MAX_RECOGNIZED + 75 + 10),
        ("123555313352", "win", "double", (1, 0, 1), 2210),
    ],
)
def test_ratings_of_known_positions(
    solver: Solver, moves: str, kind: str, idea: str, solution: tuple[int, ...], rating: int
) -> None:
    assert rate(Position.from_moves(moves), kind, idea, solution, solver) == rating


def test_the_scale_rises_and_knows_every_idea() -> None:
    assert list(MOVES) == sorted(MOVES) and list(POINTS) == sorted(POINTS)
    assert set(IDEA_POINTS) == set(IDEAS) and min(IDEA_POINTS.values()) == 0
