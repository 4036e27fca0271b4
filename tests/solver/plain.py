"""Every position of a small board with its score, by plain minimax on strings of discs."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

#: A board is a string a column, one letter a disc from the bottom up, "x" or "o".
Board = tuple[str, ...]
Directions = tuple[tuple[int, int], ...]
Array = npt.NDArray[Any]


DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
STRAIGHT = DIRECTIONS[:2]


def wins_with(board: Board, column: int, connect: int, directions: Directions = DIRECTIONS) -> bool:
    """Whether the top disc of a column is part of a line in one of the directions."""
    discs = board[column]
    row = len(discs) - 1
    disc = discs[row]
    columns = len(board)
    for dc, dr in directions:
        length = 1
        c, r = column + dc, row + dr
        while 0 <= c < columns and 0 <= r < len(board[c]) and board[c][r] == disc:
            length, c, r = length + 1, c + dc, r + dr
        c, r = column - dc, row - dr
        while 0 <= c < columns and 0 <= r < len(board[c]) and board[c][r] == disc:
            length, c, r = length + 1, c - dc, r - dr
        if length >= connect:
            return True
    return False


def played(board: Board, column: int) -> Board:
    """Return the board with one more disc."""
    disc = "xo"[sum(map(len, board)) % 2]
    return (*board[:column], board[column] + disc, *board[column + 1 :])


def scores_from(
    start: Board, rows: int, connect: int, directions: Directions = DIRECTIONS
) -> dict[Board, int]:
    """Return the score, for the side to move, of every position that can follow and is not won."""
    scores: dict[Board, int] = {}

    def score(board: Board) -> int:
        if board in scores:
            return scores[board]
        ply = sum(map(len, board))
        best = None
        for column in range(len(board)):
            if len(board[column]) == rows:
                continue
            child = played(board, column)
            if wins_with(child, column, connect, directions):
                value = (len(board) * rows + 1 - ply) // 2
            else:
                value = -score(child)
            best = value if best is None else max(best, value)
        scores[board] = 0 if best is None else best
        return scores[board]

    score(start)
    return scores


@cache
def all_scores(columns: int, rows: int, connect: int) -> dict[Board, int]:
    """Return the score, for the side to move, of every position that is not won yet."""
    return scores_from(("",) * columns, rows, connect)


def random_board(rng: random.Random, size: tuple[int, int, int], plies: int) -> Board:
    """Return a board after random moves without a win."""
    columns, rows, connect = size
    while True:
        board: Board = ("",) * columns
        for _ in range(plies):
            column = rng.choice([c for c in range(columns) if len(board[c]) < rows])
            board = played(board, column)
            if wins_with(board, column, connect):
                break
        else:
            return board


def as_words(board: Board, rows: int) -> tuple[int, int]:
    """Return (discs of the side to move, all discs) in the layout of the game's geometry."""
    mover = sum(map(len, board)) % 2
    mine = mask = 0
    for column, discs in enumerate(board):
        both = _column_bits(discs)
        shift = column * (rows + 1)
        mask |= (both[0] | both[1]) << shift
        mine |= both[mover] << shift
    return mine, mask


@cache
def _column_bits(discs: str) -> tuple[int, int]:
    """Return the discs "x" and the discs "o" of a column as bits, the lowest one first."""
    bits = [0, 0]
    for row, disc in enumerate(discs):
        bits["xo".index(disc)] |= 1 << row
    return bits[0], bits[1]


def to_arrays(scores: dict[Board, int], rows: int) -> tuple[Array, Array, Array]:
    """Return mines, masks and scores of positions."""
    words = [as_words(board, rows) for board in scores]
    mines, masks = (np.array(part, dtype=np.uint64) for part in zip(*words, strict=True))
    return mines, masks, np.array(list(scores.values()), dtype=np.int64)


@cache
def as_arrays(columns: int, rows: int, connect: int) -> tuple[Array, Array, Array]:
    """Return mines, masks and scores of all positions of `all_scores`."""
    return to_arrays(all_scores(columns, rows, connect), rows)
