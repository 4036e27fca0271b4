"""Gradients of tables, compiled: the gradient of a row is the sum over positions that used it."""

from __future__ import annotations

from typing import Any

from claimeven.compiled import Ints, float32, int32, kernel, read_only, void


@kernel(void(read_only(int32[:, ::1]), read_only(float32[:, :, ::1]), float32[:, :, ::1]))
def add_gradients(rows: Ints, gradients: Any, found: Any) -> None:
    """Add the gradients of looked-up rows to `found`, (tables, rows, numbers).

    `rows` are the looked-up rows of each table, (positions, tables), and `gradients` their
    gradients, (positions, tables, numbers).
    """
    for table in range(rows.shape[1]):
        for position in range(rows.shape[0]):
            row, gradient = found[table, rows[position, table]], gradients[position, table]
            for number in range(gradient.shape[0]):
                row[number] += gradient[number]
