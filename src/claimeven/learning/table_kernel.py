"""The gradients of learned tables, compiled: a row's is the sum over the positions that used it."""

from __future__ import annotations

from typing import Any

from claimeven.compiled import Ints, float32, int32, kernel, read_only, void


@kernel(void(read_only(int32[:, ::1]), read_only(float32[:, :, ::1]), float32[:, :, ::1]))
def add_gradients(rows: Ints, gradients: Any, found: Any) -> None:
    """Add to `found`, (tables, rows, numbers), the gradients of rows that were looked up.

    `rows` are the rows taken of each table, (positions, tables), `gradients` those of their
    numbers, (positions, tables, numbers).
    """
    for table in range(rows.shape[1]):
        for position in range(rows.shape[0]):
            row, gradient = found[table, rows[position, table]], gradients[position, table]
            for number in range(gradient.shape[0]):
                row[number] += gradient[number]
