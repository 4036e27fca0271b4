"""The slopes of learnt tables, compiled: each row's is the sum over the positions that used it."""

from __future__ import annotations

from typing import Any

from claimeven.compiled import Ints, float32, int32, kernel, read_only, void


@kernel(void(read_only(int32[:, ::1]), read_only(float32[:, :, ::1]), float32[:, :, ::1]))
def add_slopes(states: Ints, slopes: Any, found: Any) -> None:
    """Add to `found`, (tables, states, numbers), the `slopes` of rows that were looked up.

    `states` are the rows that were taken of each table, (positions, tables), `slopes` what their
    numbers got, (positions, tables, numbers).
    """
    for table in range(states.shape[1]):
        for position in range(states.shape[0]):
            row, slope = found[table, states[position, table]], slopes[position, table]
            for number in range(slope.shape[0]):
                row[number] += slope[number]
