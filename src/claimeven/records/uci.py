"""Rows of the UCI data set "Connect-4": the cells of a position and what perfect play makes of it.

Cells stand as `game.encodings` has them under `uci`, with commas, and last "win", "draw" or "loss"
for the first player. A row tells which discs lie, not in which order they fell: the order is then
one that could have been, and `is_ordered` is false.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from claimeven.game.encodings import from_uci, to_uci
from claimeven.game.geometry import Geometry
from claimeven.game.move_order import moves_to
from claimeven.records.lines import written_lines
from claimeven.records.record import LABELS, GameRecord, InvalidRecord

#: The label of a finished game, by its winner's seat.
_OF_WINNER = {0: "win", None: "draw", 1: "loss"}


#: A row is a line.
items = written_lines


def read(item: object, geometry: Geometry) -> GameRecord:
    """Return the position of a row, reached in some order of its discs."""
    words = [word.strip() for word in str(item).split(",")]
    label = words.pop() if len(words) == geometry.cells + 1 else None
    if len(words) != geometry.cells:
        raise InvalidRecord(f"it has {len(words)} cells, and {geometry} has {geometry.cells}")
    return GameRecord(moves_to(from_uci(words, geometry)), geometry, label=label, is_ordered=False)


def write(stream: TextIO, records: Iterable[GameRecord]) -> None:
    """Write a row a position, its label last. Raises `InvalidRecord` where none is known."""
    for record in records:
        label = label_of(record)
        if label is None:
            raise InvalidRecord(
                f"what perfect play makes of {record.moves or 'the empty board'} is not told, and"
                f" a row of the UCI data set ends with it: {', '.join(LABELS)}"
            )
        stream.write(",".join((*to_uci(record.position), label)) + "\n")


def label_of(record: GameRecord) -> str | None:
    """Return the label of a record: by its outcome, or as its file told it."""
    outcome = record.position.outcome
    return record.label if outcome is None else _OF_WINNER[outcome.winner]
