"""A compiled search of one position that can be taken up again where it paused."""

from __future__ import annotations

import numpy as np

from claimeven.evaluation.registry import Evaluation
from claimeven.game.position import Position
from claimeven.minimax.kernel import search_slice, start_search
from claimeven.minimax.layout import (
    BEST,
    COUNTERS,
    CUTOFFS,
    DEEPEST,
    DEPTH_LIMIT,
    EVALUATION,
    EVALUATIONS,
    EXPANDED,
    IS_EXACT,
    NODES,
    PRUNE,
    REGISTERS,
    ROOT_FIELDS,
    ROOT_VIEW,
    TABLE_BITS,
    TABLE_HITS,
    UNSEEN,
    Progress,
    root_rows,
    rules_of,
)
from claimeven.minimax.transpositions_kernel import NO_ARRAYS, NO_TABLE, CompiledTranspositionTable
from claimeven.minimax.types import ColumnValue, Counters


class SearchState:
    """The arrays of one search of one position, ready for `run`."""

    def __init__(
        self,
        position: Position,
        depth: int,
        prune: bool,
        evaluation: Evaluation,
        order: str,
        table: CompiledTranspositionTable | None,
        view: str,
    ) -> None:
        self.rows = root_rows(position)
        self.rules = rules_of(position, order, evaluation)
        options = {
            DEPTH_LIMIT: depth,
            PRUNE: prune,
            TABLE_BITS: NO_TABLE if table is None else table.bits,
            EVALUATION: evaluation.kernel,
            ROOT_VIEW: view == "root",
        }
        registers = np.zeros(REGISTERS, dtype=np.int64)
        registers[list(options)] = list(options.values())
        self.progress = Progress(
            registers,
            np.zeros(COUNTERS, dtype=np.int64),
            np.zeros((position.geometry.columns, ROOT_FIELDS), dtype=np.int64),
        )
        self.table = NO_ARRAYS if table is None else table.arrays
        start_search(self.rows, self.rules, self.progress, self.table)

    def run(self, nodes: int) -> bool:
        """Search on until the node count reaches `nodes`; return whether the search is done."""
        return bool(search_slice(self.rows, self.rules, self.progress, self.table, nodes))

    @property
    def nodes(self) -> int:
        """Positions looked at so far."""
        return int(self.progress.counts[NODES])

    @property
    def value(self) -> int:
        """Value at the root, for the side to move; meaningful once done."""
        return int(self.rows.numbers[0, BEST])

    @property
    def line(self) -> tuple[int, ...]:
        """The principal variation as 0-based columns; meaningful once done."""
        lines = self.rows.lines
        return tuple(lines[0, 1 : 1 + lines[0, 0]].tolist())

    @property
    def columns(self) -> tuple[ColumnValue | None, ...]:
        """What is known of each root column."""
        return tuple(
            None if state == UNSEEN else ColumnValue(value, state == IS_EXACT)
            for value, state in self.progress.roots.tolist()
        )

    @property
    def counters(self) -> Counters:
        """The counts so far."""
        counts = self.progress.counts.tolist()
        return Counters(
            counts[NODES],
            counts[EVALUATIONS],
            counts[CUTOFFS],
            counts[EXPANDED],
            counts[TABLE_HITS],
            counts[DEEPEST],
            searches=1,
        )
