"""Move strings, one game a line: what Pons's programs read, and ours.

What follows a space is passed over if it is a whole number, so that lines with scores, as the
published test sets have them, can be read. Empty lines and what follows a # are passed over, so a
game without a move is a line with a -.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_moves
from claimeven.records.lines import text_lines
from claimeven.records.record import GameRecord

#: A game without a move.
NO_MOVE = "-"
_SCORE = re.compile(r"[+-]?\d+")


def items(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that hold a game, with their numbers."""
    for number, line in text_lines(lines):
        moves = line.partition("#")[0].strip()
        if moves:
            yield number, moves


def read(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a line."""
    moves, *rest = str(item).rsplit(maxsplit=1)
    if rest and not _SCORE.fullmatch(rest[0]):
        moves = str(item)
    if moves == NO_MOVE:
        return GameRecord((), geometry)
    return GameRecord(parse_moves(moves, geometry), geometry)


def write(stream: TextIO, records: Iterable[GameRecord]) -> None:
    """Write a move string a line."""
    stream.writelines(f"{record.moves or NO_MOVE}\n" for record in records)
