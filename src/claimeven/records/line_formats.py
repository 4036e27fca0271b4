"""Formats with a game or position a line: rows of the UCI data set, and turns such as `A_Red`.

A row has the cells of a position as `game.encodings` writes `uci`, with commas, and last "win",
"draw" or "loss" for the first player. A row does not have the order of its discs: the record has
one possible order, and `is_ordered` is false.

Turns are a column and a color, `A_Red`, `B_Yellow`, one or more on a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from claimeven.game.encodings import from_uci, to_uci
from claimeven.game.geometry import Geometry
from claimeven.game.move_order import moves_to
from claimeven.records.record import LABELS, NO_MOVE, GameRecord, InvalidRecord, written_lines

#: The label of a finished game, by its winner's seat.
_LABEL_OF_WINNER = {0: "win", None: "draw", 1: "loss"}
_LETTERS = "ABCDEFGHIJKLMNOP"
_COLORS = ("Red", "Yellow")
_TURN = re.compile(r"([A-P])_(red|yellow)", re.IGNORECASE)
_FIRST_TURN = re.compile(r"[\[\s'\"]*[A-P]_(red|yellow)\b", re.IGNORECASE)
#: Characters between the turns of a line.
_BETWEEN = re.compile(r"[\s,;\[\]'\"]*")


def looks_like_row(line: str) -> bool:
    """Whether a line is one of the UCI data set."""
    words = [word.strip() for word in line.split(",")]
    return len(words) > 1 and all(word in ("x", "o", "b", *LABELS) for word in words)


def read_row(item: object, geometry: Geometry) -> GameRecord:
    """Return the position of a row, reached in some order of its discs."""
    words = [word.strip() for word in str(item).split(",")]
    label = words.pop() if len(words) == geometry.cells + 1 else None
    if len(words) != geometry.cells:
        raise InvalidRecord(f"it has {len(words)} cells, and {geometry} has {geometry.cells}")
    return GameRecord(moves_to(from_uci(words, geometry)), geometry, label=label, is_ordered=False)


def write_rows(stream: TextIO, records: Iterable[GameRecord]) -> None:
    """Write a row a position, its label last. Raises `InvalidRecord` if its label is unknown."""
    for record in records:
        label = label_of(record)
        if label is None:
            raise InvalidRecord(
                f"the perfect result of {record.moves or 'the empty board'} is unknown, and a row"
                f" of the UCI data set ends with it: {', '.join(LABELS)}"
            )
        stream.write(",".join((*to_uci(record.position), label)) + "\n")


def label_of(record: GameRecord) -> str | None:
    """Return the label of a record: by its outcome, or as its file has it."""
    outcome = record.position.outcome
    return record.label if outcome is None else _LABEL_OF_WINNER[outcome.winner]


def looks_like_turns(line: str) -> bool:
    """Whether a line starts with a column and a color."""
    return bool(_FIRST_TURN.match(line))


def turn_items(lines: Iterable[str], geometry: Geometry) -> Iterator[tuple[int, str]]:
    """Yield a game a line, or one game if no line has more than one turn."""
    written = list(written_lines(lines, geometry))
    if written and all(len(_TURN.findall(line)) <= 1 for _, line in written):
        written = [(written[0][0], " ".join(line for _, line in written))]
    yield from written


def read_turns(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a text of turns. Raises `InvalidRecord` naming the move."""
    text = str(item)
    wrong = _BETWEEN.sub("", _TURN.sub("", text))
    if wrong and text.strip() != NO_MOVE:
        raise InvalidRecord(f"{wrong[:20]!r} is not a column and color such as A_Red")
    columns = []
    turns = _TURN.findall(text)
    for number, (letter, color) in enumerate(turns, start=1):
        if (color.lower() == turns[0][1].lower()) != bool(number % 2):
            raise InvalidRecord(f"move {number}: {color} moves twice in a row")
        columns.append(_LETTERS.index(letter.upper()))
    return GameRecord(tuple(columns), geometry)


def write_turns(stream: TextIO, records: Iterable[GameRecord]) -> None:
    for record in records:
        turns = (f"{_LETTERS[c]}_{_COLORS[i % 2]}" for i, c in enumerate(record.columns))
        stream.write((" ".join(turns) or NO_MOVE) + "\n")
