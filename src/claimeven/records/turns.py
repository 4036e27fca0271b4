"""Games as lines of a column and a color: `A_Red`, `B_Yellow`, one or more on a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from claimeven.game.geometry import Geometry
from claimeven.records.lines import written_lines
from claimeven.records.record import GameRecord, InvalidRecord

_LETTERS = "ABCDEFGHIJKLMNOP"
_COLORS = ("Red", "Yellow")
#: A game without a move.
NO_MOVE = "-"
_TURN = re.compile(r"([A-P])_(red|yellow)", re.IGNORECASE)
#: What may be between the turns of a line.
_BETWEEN = re.compile(r"[\s,;\[\]'\"]*")


def looks_like_turns(line: str) -> bool:
    """Whether a line starts with a column and a color."""
    return bool(re.match(r"[\[\s'\"]*[A-P]_(red|yellow)\b", line, re.IGNORECASE))


def items(lines: Iterable[str], geometry: Geometry) -> Iterator[tuple[int, str]]:
    """Yield a game a line, or one game if no line has more than one turn."""
    written = list(written_lines(lines, geometry))
    if all(len(_TURN.findall(line)) <= 1 for _, line in written):
        written = [(written[0][0], " ".join(line for _, line in written))] if written else []
    yield from written


def columns_of(text: str, geometry: Geometry) -> tuple[int, ...]:
    """Return the columns of a text of turns. Raises `InvalidRecord` naming the move."""
    wrong = _BETWEEN.sub("", _TURN.sub("", text))
    if wrong and text.strip() != NO_MOVE:
        raise InvalidRecord(f"{wrong[:20]!r} is no column and color such as A_Red")
    columns = []
    turns = _TURN.findall(text)
    for number, (letter, color) in enumerate(turns, start=1):
        if (color.lower() == turns[0][1].lower()) != bool(number % 2):
            raise InvalidRecord(f"move {number}: {color} moves twice in a row")
        columns.append(_LETTERS.index(letter.upper()))
    return tuple(columns)


def read(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a text of turns."""
    return GameRecord(columns_of(str(item), geometry), geometry)


def write(stream: TextIO, records: Iterable[GameRecord]) -> None:
    """Write a game a line."""
    for record in records:
        turns = (f"{_LETTERS[c]}_{_COLORS[i % 2]}" for i, c in enumerate(record.columns))
        stream.write((" ".join(turns) or NO_MOVE) + "\n")
