"""Scores: their meaning, the end of the game they imply, and their words.

A score s of a position is for its side to move: 0 is a draw. If the side to move wins with best
play, s = (cells + 1 - n) // 2 with n discs on the board before its winning disc. If it loses, s is
minus that number for the opponent. Only one of the two n with the same s has the parity of the
winner's turns, so a score gives the exact disc on which the game ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from claimeven.compiled import Int, inlined
from claimeven.game.geometry import Geometry
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position
from claimeven.game.validation import whole_number
from claimeven.solver.errors import InvalidSolve

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: A number of discs, or an array of them.
Discs = TypeVar("Discs", int, "npt.NDArray[np.int64]")

OUTCOMES = {1: "win", 0: "draw", -1: "loss"}


def win_score(geometry: Geometry, ply: Discs) -> Discs:
    """Return the score of a side that completes a line with the disc after `ply` discs.

    >>> win_score(Geometry(), 6)
    18
    """
    return (geometry.cells + 1 - ply) // 2


@inlined
def win_score_kernel(cells: Int, ply: Int) -> Int:
    """`win_score` for a number of cells; also for empty cells, and discs from now on."""
    return (cells + 1 - ply) // 2


def score_range(geometry: Geometry, ply: int) -> tuple[int, int]:
    """Return the least and the greatest score of an unfinished position with `ply` discs.

    A loss at the second next disc, a win at the next one.

    >>> score_range(Geometry(4, 4), 0)
    (-8, 8)
    """
    return -win_score(geometry, ply + 1), win_score(geometry, ply)


def final_score(position: Position) -> int:
    """Return the score of a finished game for the side that would be to move: 0, or its loss.

    Raises `InvalidSolve` for an unfinished game.
    """
    outcome = position.outcome
    if outcome is None:
        raise InvalidSolve("the game is not over yet")
    if outcome.winner is None:
        return 0
    return -win_score(position.geometry, position.ply - 1)


def last_disc(position: Position, score: int) -> int:
    """Return the number of the disc on which the game ends with best play, counted from 1.

    That is the winning disc, or the one that fills the board. Raises `InvalidSolve` for a score
    that the position cannot have.

    >>> last_disc(Position.from_moves("4455"), 18)
    7
    """
    cells, ply = position.geometry.cells, position.ply
    score = whole_number(score, "a score", InvalidSolve)
    if score == 0:
        if not (position.is_over and ply < cells):
            return cells
    else:
        before = cells + 1 - 2 * abs(score)
        winner_turn = ply % 2 if score > 0 else 1 - ply % 2
        if before % 2 != winner_turn:
            before -= 1
        over = position.is_over
        if (before == ply - 1 and score < 0) if over else before >= ply + (score < 0):
            return before + 1
    raise InvalidSolve(f"{score} is not a score of a position with {ply} of {cells} discs")


def plies_to_end(position: Position, score: int) -> int:
    """Return how many discs both sides still play with best play; 0 once the game is over.

    Raises `InvalidSolve` for a score that the position cannot have.

    >>> plies_to_end(Position.from_moves("4455"), 18)
    3
    """
    return last_disc(position, score) - position.ply


def sign(score: int) -> int:
    """Return 1 for a win, 0 for a draw, -1 for a loss."""
    return (score > 0) - (score < 0)


def outcome_word(score: int) -> str:
    """Return "win", "draw" or "loss" for the side to move."""
    return OUTCOMES[sign(score)]


def score_in_words(position: Position, score: int) -> str:
    """Say who wins, and in how many moves of the winner.

    Raises `InvalidSolve` for a score that the position cannot have.

    >>> score_in_words(Position(), 1), score_in_words(Position.from_moves("4455"), 18)
    ('Yellow wins in 21 moves', 'Yellow wins in 2 moves')
    """
    moves = (plies_to_end(position, score) + 1) // 2
    if score == 0 or moves == 0:
        return "draw" if score == 0 else str(position.outcome)
    winner = position.turn if score > 0 else 1 - position.turn
    return f"{PLAYER_NAMES[winner]} wins in {moves} move{'s' * (moves > 1)}"


def column_in_words(position: Position, score: int) -> str:
    """Return the meaning of a column's score for the side to move, in moves of the winner.

    Raises `InvalidSolve` for a score that the position cannot have.

    >>> column_in_words(Position.from_moves("4455"), 18), column_in_words(Position(), 0)
    ('wins in 2 moves', 'draws')
    >>> column_in_words(Position.from_moves("445"), -18)
    'loses in 2 moves'
    """
    if score == 0:
        return "draws"
    moves = (plies_to_end(position, score) + 1) // 2
    if moves == 1:
        return "wins immediately" if score > 0 else "loses to the next move"
    return f"{'wins' if score > 0 else 'loses'} in {moves} moves"


# -- softmax play: columns drawn with chances that fall with the score they lose


def softmax_chances(scores: Sequence[int | None], temperature: float) -> tuple[float, ...]:
    """Return a chance for each column, from its exact score; 0 if the score is None.

    A column is less likely than the best one by a factor e for every `temperature` points it loses
    (the softmax of the scores).

    >>> [round(chance, 2) for chance in softmax_chances((1, None, 1, -3), 2.0)]
    [0.47, 0.0, 0.47, 0.06]
    """
    best = max(score for score in scores if score is not None)
    weights = [0.0 if s is None else math.exp((s - best) / temperature) for s in scores]
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def sample_column(chances: Sequence[float], share: float) -> int:
    """Return the column at a share in [0, 1) of the cumulated chances.

    A column with chance 0 is never returned, in spite of rounding.

    >>> [sample_column((0.25, 0.0, 0.75), share) for share in (0.0, 0.24, 0.26, 0.99)]
    [0, 0, 2, 2]
    """
    likely = [column for column, chance in enumerate(chances) if chance > 0]
    left = share * sum(chances)
    for column in likely:
        left -= chances[column]
        if left < 0:
            return column
    return likely[-1]
