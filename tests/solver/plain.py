"""Every position of a small board with its score, by plain minimax on strings of discs."""

from __future__ import annotations

from functools import cache

import numpy as np

#: A board is a string a column, one letter a disc from the bottom up, "x" or "o".
Board = tuple[str, ...]


def wins_with(board: Board, column: int, connect: int) -> bool:
    """Whether the top disc of a column is part of a line."""
    row = len(board[column]) - 1
    disc = board[column][row]

    def same(c: int, r: int) -> bool:
        return 0 <= c < len(board) and 0 <= r < len(board[c]) and board[c][r] == disc

    for dc, dr in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            step = sign
            while same(column + step * dc, row + step * dr):
                length += 1
                step += sign
        if length >= connect:
            return True
    return False


@cache
def all_scores(columns: int, rows: int, connect: int) -> dict[Board, int]:
    """Return the score, for the side to move, of every position that is not won yet."""
    scores: dict[Board, int] = {}

    def score(board: Board) -> int:
        if board in scores:
            return scores[board]
        ply = sum(map(len, board))
        best = None
        for column in range(columns):
            if len(board[column]) == rows:
                continue
            after = list(board)
            after[column] += "xo"[ply % 2]
            child = tuple(after)
            if wins_with(child, column, connect):
                value = (columns * rows + 1 - ply) // 2
            else:
                value = -score(child)
            best = value if best is None else max(best, value)
        scores[board] = 0 if best is None else best
        return scores[board]

    score(("",) * columns)
    return scores


def as_words(board: Board, rows: int) -> tuple[int, int]:
    """Return (discs of the side to move, all discs) in the layout of the game's geometry."""
    mover = "xo"[sum(map(len, board)) % 2]
    mine = mask = 0
    for column, discs in enumerate(board):
        for row, disc in enumerate(discs):
            bit = 1 << (column * (rows + 1) + row)
            mask |= bit
            mine |= bit if disc == mover else 0
    return mine, mask


def as_arrays(columns: int, rows: int, connect: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mines, masks and scores of all positions of `all_scores`."""
    scores = all_scores(columns, rows, connect)
    words = [as_words(board, rows) for board in scores]
    mines, masks = (np.array(part, dtype=np.uint64) for part in zip(*words, strict=True))
    return mines, masks, np.array(list(scores.values()), dtype=np.int64)
