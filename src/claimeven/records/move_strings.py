"""Move strings, one game a line: what Pons's programs read, ours, and sets with scores.

```text
    4455                             moves, columns counted from 1, with or without spaces
    4455 18                          then the exact score of the position, as published sets have it
    4455 -4 -3 18 2 2 18 -3          or the score of every column, . for a full one
    easy 4455 18                     first a word for the difficulty
```

A score is a whole number of at most half the cells. If every column is a word, as in 4 4 5, all are
moves, unless other lines of the file have scores. A score after a single space at the start of a
line is the score of the empty board. Empty lines and what follows a # are passed over, so a game
without a move is a line with a -.

`moves0` is the same with columns counted from 0. A 0 among the moves of a file, and no column that
only a count from 1 has, shows that the file is of this kind: as `moves` it is refused as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TextIO

from claimeven.errors import ClaimevenError
from claimeven.game.errors import InvalidNotation
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import column_name, parse_moves
from claimeven.game.position import Position
from claimeven.records.record import NO_MOVE, GameRecord, InvalidRecord, surveyed, text_lines

#: The sentence about a file that counts columns from 0.
COUNTS_FROM_0 = (
    "a 0 among its moves shows that columns count from 0: read it with --from moves0, or convert it"
    " first (claimeven convert FILE --from moves0)"
)
_SCORE = re.compile(r"[+-]?[0-9]{1,3}")
#: A line whose score precedes its moves, as its sign shows.
_SCORE_FIRST = re.compile(r"[+-]\d{1,3}[\s,]+[1-9]{2,}")
#: The score of a full column.
_FULL = "."
#: Columns of the widest board that digits name.
_MAX_DIGITS = 9


class MoveLine(NamedTuple):
    """The parts of a line: moves, scores (0, 1, or one for each column) and a band."""

    moves: str
    scores: tuple[int | None, ...] = ()
    band: str = ""


class Item(NamedTuple):
    """A line, and whether its file has scores."""

    text: str
    is_scored: bool = False


def every_item(
    lines: Iterable[str], geometry: Geometry, base: int = 1
) -> Iterator[tuple[int, Item]]:
    """Yield all lines but comments with their numbers; `base` is the number of the first column.

    Raises `InvalidRecord` for a file that counts columns from 0: before its first line if the file
    can be read twice, otherwise at the first line that shows it.
    """
    is_known = not base or geometry.columns > _MAX_DIGITS
    found = surveyed(lines, lambda lines: _survey(lines, geometry, is_known))
    is_known |= found is not None
    for number, line in text_lines(lines):
        text = line.partition("#")[0].rstrip()
        digits = "" if is_known else _digits(text, geometry)
        if digits and max(digits) >= str(geometry.columns):
            is_known = True
        elif "0" in digits:
            raise InvalidRecord(COUNTS_FROM_0, number)
        if text or not line.strip():
            yield number, Item(text, bool(found))


def items(
    lines: Iterable[str], geometry: Geometry, base: int = 1, is_set: bool = False
) -> Iterator[tuple[int, Item]]:
    """Yield the lines that hold a game as `every_item` does; in a set scores follow the moves."""
    for number, line in every_item(lines, geometry, base):
        if line.text:
            yield number, Item(line.text, line.is_scored or is_set)


def _survey(lines: Iterable[str], geometry: Geometry, is_known: bool) -> bool:
    """Return whether a file has scores. Raises `InvalidRecord` if its columns count from 0."""
    is_scored, first_0, top = False, 0, str(geometry.columns)
    for number, line in enumerate(lines, start=1):
        if not ("0" in line or " " in line or (top in line and not is_known)):
            continue  # most lines show neither
        text = line.removeprefix("\ufeff").partition("#")[0].rstrip()
        if _SCORE_FIRST.fullmatch(text):
            raise InvalidRecord("its scores precede the moves: put them after the moves", number)
        if not is_scored and " " in text.strip():
            parts = _split(text, geometry)
            is_scored = len(parts.moves) > 1 and " " not in parts.moves and bool(parts.scores)
        if not is_known:
            digits = _digits(text, geometry)
            is_known = bool(digits) and max(digits) >= top
            first_0 = first_0 or number * ("0" in digits)
        if is_known and is_scored:
            return True
    if first_0 and not is_known:
        raise InvalidRecord(COUNTS_FROM_0, first_0)
    return is_scored


def _digits(text: str, geometry: Geometry) -> str:
    """Return the moves of a line that names columns by digits, "" for another."""
    moves = "".join(_split(text, geometry).moves.split())
    return moves if moves.isascii() and moves.isdigit() else ""


def _split(text: str, geometry: Geometry) -> MoveLine:
    try:
        return split_line(text, geometry)
    except ClaimevenError:
        return MoveLine("")


def split_line(line: str, geometry: Geometry = STANDARD, is_scored: bool = False) -> MoveLine:
    """Return the parts of a line; with `is_scored` a number after the moves is a score.

    Raises `InvalidNotation` for a line whose parts cannot be distinguished.

    >>> split_line("4455 18"), split_line("4455 667").moves, split_line("4 5").moves
    (MoveLine(moves='4455', scores=(18,), band=''), '4455 667', '4 5')
    >>> split_line("4 5", is_scored=True).scores, split_line(" 1"), split_line("1").moves
    ((5,), MoveLine(moves='', scores=(1,), band=''), '1')
    """
    words = line.replace(",", " ").split()
    has_no_moves = line[:1] == " " and line[1:2] not in (" ", "\t", "")
    count = _count_scores(words, has_no_moves, geometry, is_scored)
    rest = words[: len(words) - count]
    if count == 1 and len(rest) == 1 and rest[0].isalpha():
        if not _are_moves(rest[0], geometry):
            count, rest = 0, words
        elif _are_moves(words[1], geometry) and column_name(0, geometry).isdigit():
            raise InvalidNotation(
                f"{rest[0]} {words[1]} may be moves and a score, or a word and moves: write moves"
                " in digits, and a score with its sign"
            )
    is_word = len(rest) > 1 and rest[0].isalpha()
    has_band = is_word and (rest[1][0].isdigit() or not _are_moves(rest[0], geometry))
    band, *rest = rest if has_band else ["", *rest]
    if is_scored and len(rest) > 1 and any(len(word) > 1 for word in rest):
        raise InvalidNotation(_wrong_scores(words[has_band:], geometry))
    moves = " ".join(rest)
    scores = tuple(None if word == _FULL else int(word) for word in words[len(words) - count :])
    return MoveLine("" if moves == NO_MOVE else moves, scores if count else (), band)


def _count_scores(words: list[str], has_no_moves: bool, geometry: Geometry, is_scored: bool) -> int:
    """Return how many of the last words of a line are scores: 0, 1, or one for each column."""
    columns = geometry.columns
    is_telling = any(len(word) > 1 for word in words) or (
        is_scored and len(words) in (2, columns + 1)
    )
    is_row = columns < len(words) <= columns + 2 or (has_no_moves and len(words) == columns)
    if is_telling and is_row and all(_is_score(word, geometry) for word in words[-columns:]):
        return columns
    is_alone = has_no_moves and len(words) == 1
    is_last = is_alone or (is_telling and len(words) > 1)
    return int(is_last and words[-1] != _FULL and _is_score(words[-1], geometry))


def _wrong_scores(words: list[str], geometry: Geometry) -> str:
    moves, *rest = words
    if len(rest) in (1, geometry.columns):
        wrong = next((word for word in rest if not _is_score(word, geometry)), rest[0])
        return f"{wrong!r} is not a score of a position of {geometry}"
    return (
        f"{moves} has {len(rest)} scores: give one for each of {geometry.columns} columns, one for"
        " the position, or none"
    )


def _is_score(word: str, geometry: Geometry) -> bool:
    is_number = _SCORE.fullmatch(word)
    return word == _FULL or (bool(is_number) and 2 * abs(int(word)) <= geometry.cells)


def _are_moves(word: str, geometry: Geometry) -> bool:
    try:
        Position.from_moves(word, geometry)
    except ClaimevenError:
        return False
    return True


def doubt(item: object, geometry: Geometry) -> str:
    """Say how a line that can be read is read, if it may be meant otherwise; "" if it may not.

    >>> doubt("4455 3 4 5", STANDARD)
    'the moves 445534 and the score 5, as the words after moves are no score of each of 7 columns'
    >>> doubt("4,4,5,5", STANDARD), doubt("4455", STANDARD)
    ('moves whose columns count from 1; --from openspiel or moves0 counts from 0', '')
    """
    text = item.text if isinstance(item, Item) else str(item)
    parts = split_line(text, geometry)
    first, *rest = parts.moves.split() or [""]
    if len(first) > 1 and rest and all(_is_score(word, geometry) for word in rest):
        score = f" and the score {parts.scores[0]}" if len(parts.scores) == 1 else ""
        moves = "".join((first, *rest))
        which = f"no score of each of {geometry.columns} columns"
        return f"the moves {moves}{score}, as the words after moves are {which}"
    digits = text.replace(",", " ").split()
    is_listed = "," in text and len(digits) > 1 and all(map(str.isdigit, digits))
    if is_listed and not {"0", str(geometry.columns)} & {*digits} and max(map(len, digits)) == 1:
        return "moves whose columns count from 1; --from openspiel or moves0 counts from 0"
    return ""


def read(item: object, geometry: Geometry, base: int = 1) -> GameRecord:
    """Return the game of a line; columns from 0, if more than 10, are separated, without scores."""
    line = item if isinstance(item, Item) else Item(str(item))
    is_wide = not base and geometry.columns > _MAX_DIGITS + 1
    parts = MoveLine(line.text) if is_wide else split_line(line.text, geometry, line.is_scored)
    columns = parse_moves(parts.moves, geometry) if base else _from_0(parts.moves, geometry)
    return scored(GameRecord(columns, geometry, scores=parts.scores, band=parts.band))


def _from_0(moves: str, geometry: Geometry) -> tuple[int, ...]:
    """Return the columns of moves that count from 0. Raises `InvalidNotation` naming the move."""
    words = moves.replace(",", " ").replace(NO_MOVE, " ").split()
    names = words if geometry.columns > _MAX_DIGITS + 1 else "".join(words)
    choices = {str(column): column for column in range(geometry.columns)}
    for place, name in enumerate(names, start=1):
        if name not in choices:
            raise InvalidNotation(
                f"move {place}: {name[:20]!r} is not a column: choose from 0 to {len(choices) - 1}"
            )
    return tuple(choices[name] for name in names)


def scored(record: GameRecord) -> GameRecord:
    """Return a record whose scores fit it. Raises `InvalidRecord` if a full column has one."""
    if len(record.scores) > 1:
        for column, score in enumerate(record.scores):
            if (score is None) == (column in record.position.legal_columns):
                can = "can" if score is None else "cannot"
                name = column_name(column, record.geometry)
                raise InvalidRecord(f"column {name} {can} be played after {record.moves}")
    return record


def write(stream: TextIO, records: Iterable[GameRecord], base: int = 1) -> None:
    for record in records:
        between = " " if record.geometry.columns > _MAX_DIGITS + 1 else ""
        moves = record.moves if base else between.join(map(str, record.columns))
        stream.write(f"{moves or NO_MOVE}\n")
