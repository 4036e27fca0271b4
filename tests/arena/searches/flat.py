"""Flat Monte Carlo on a NumPy array, round by round."""

import numpy as np


def moves_of(board):
    return [column for column in range(board.shape[1]) if board[0, column] == 0]


def after(board, column, player):
    new = board.copy()
    row = np.flatnonzero(new[:, column] == 0)[-1]
    new[row, column] = player
    return new


def flat(board, playouts, playout, player):
    columns = moves_of(board)
    totals = dict.fromkeys(columns, 0)
    for _ in range(playouts):
        for column in columns:
            totals[column] += playout(after(board, column, player), player)
    best = max(columns, key=lambda column: totals[column])
    return totals[best] / playouts, best
