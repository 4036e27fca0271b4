"""Move strings, one game a line: what Pons's programs read, and ours.

A score at the end, after a space, is passed over, so that lines with scores can be read, as the
published test sets have them: a whole number of at most half the cells. Where every column stands
alone, as in 4 4 5, all are moves. A score behind a single space at the beginning is that of a game
without a move.
Empty lines and what follows a # are passed over, so a game without a move is a line with a -.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import parse_moves
from claimeven.records.lines import text_lines
from claimeven.records.record import GameRecord

#: A game without a move.
NO_MOVE = "-"
_SCORE = re.compile(r"[+-]?[0-9]{1,3}")


def items(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that hold a game, with their numbers."""
    for number, line in text_lines(lines):
        moves = line.partition("#")[0].rstrip()
        if moves:
            yield number, moves


def moves_of(line: str, geometry: Geometry = STANDARD) -> str:
    """Return the moves of a line without its score, nothing for a game without a move.

    >>> moves_of("4455 18"), moves_of("4455 667"), moves_of("4 4 5 5"), moves_of("-")
    ('4455', '4455 667', '4 4 5 5', '')
    >>> moves_of(" 1"), moves_of("1")
    ('', '1')
    """
    *words, last = line.split() or [""]
    alone = line.rstrip() == f" {last}"
    are_apart = any(len(word) > 1 for word in (*words, last)) if words else alone
    is_scored = are_apart and _SCORE.fullmatch(last) and 2 * abs(int(last)) <= geometry.cells
    moves = " ".join(words) if is_scored else line.strip()
    return "" if moves == NO_MOVE else moves


def read(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a line."""
    return GameRecord(parse_moves(moves_of(str(item), geometry), geometry), geometry)


def write(stream: TextIO, records: Iterable[GameRecord]) -> None:
    """Write a move string a line."""
    stream.writelines(f"{record.moves or NO_MOVE}\n" for record in records)
