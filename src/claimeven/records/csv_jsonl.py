"""Our own tables of games: `.csv` with a line of names, `.jsonl` with a JSON object a line.

`moves` must be one of the names. `first` and `second` name the players, `opening` has the moves at
the start that the players did not choose. A lost game that was not played to its end has `result`,
`fault` and perhaps `reason`; `score` is the exact score of the position reached, `adjudicated` the
one that ended the game before its end. Other names are ignored.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO

from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_moves
from claimeven.game.validation import one_of
from claimeven.records.record import (
    RESULTS,
    GameRecord,
    InvalidRecord,
    played,
    surveyed,
    text_lines,
    written_lines,
)

#: Moves that other programs have changed into a number.
_NUMBER = re.compile(r"\s*\d+\.\d*([eE][+-]?\d+)?\s*|\d+[eE][+-]?\d+")
#: A row of a table, or its error.
_Row = Mapping[str, object] | InvalidRecord
#: The moves of a JSON object on a line.
_MOVES = re.compile(r'"moves"\s*:\s*"(\d*)"')
#: The names that are written.
_NAMES = ("moves", "first", "second", "opening", "result", "fault", "reason", "adjudicated")


def csv_items(lines: Iterable[str], geometry: Geometry) -> Iterator[tuple[int, _Row]]:
    """Yield the rows of a table, or the error of one, with the numbers of their lines.

    Raises `InvalidRecord` for a file without moves, or whose columns count from 0.
    """

    def moves(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
        return ((n, str(row["moves"])) for n, row in _rows(lines) if isinstance(row, Mapping))

    surveyed(lines, lambda lines: _check_base(moves(lines), geometry))
    yield from _rows(lines)


def json_items(lines: Iterable[str], geometry: Geometry) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty. Raises `InvalidRecord` if columns count from 0."""

    def moves(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
        found = ((number, _MOVES.search(line)) for number, line in written_lines(lines, geometry))
        return ((number, moves[1]) for number, moves in found if moves)

    surveyed(lines, lambda lines: _check_base(moves(lines), geometry))
    yield from written_lines(lines, geometry)


def _check_base(moves: Iterable[tuple[int, str]], geometry: Geometry) -> None:
    """Raise `InvalidRecord` if there is a 0 among moves, and no column that counts from 1."""
    first_0 = 0
    for number, text in moves:
        if text and max(text) >= str(geometry.columns):
            return
        first_0 = first_0 or number * ("0" in text)
    if first_0:
        raise InvalidRecord(
            "a 0 among its moves shows that columns count from 0: add 1 to each column", first_0
        )


def _rows(lines: Iterable[str]) -> Iterator[tuple[int, _Row]]:
    reader = csv.DictReader((f"{line}\n" for _, line in text_lines(lines)), strict=True)
    try:
        heads = [head.strip() for head in reader.fieldnames or ()]
    except csv.Error as error:
        raise InvalidRecord(str(error), 1) from None
    if "moves" not in heads:
        cells = heads[0].replace("\t", ";").split(";") if len(heads) == 1 else []
        if "moves" in (cell.strip() for cell in cells):
            raise InvalidRecord("its cells are parted otherwise: save it with commas", 1)
        raise InvalidRecord("a table of games must have a column named moves", 1)
    reader.fieldnames = heads
    while True:
        begin = reader.reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if str(error) == "unexpected end of data":
                yield begin, InvalidRecord("a quote that starts there does not end")
            else:
                yield reader.reader.line_num, InvalidRecord(str(error))
            continue
        if None in row or None in row.values():
            reason = f"it has not one cell for each of {len(heads)} columns"
            yield reader.line_num, InvalidRecord(reason)
        else:
            yield reader.line_num, row


def read(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a row. Raises `InvalidRecord` with the reason."""
    row: Mapping[str, object] = item if isinstance(item, Mapping) else {}
    columns = parse_moves(_word(row, "moves"), geometry)
    opening = parse_moves(_word(row, "opening"), geometry)
    if columns[: len(opening)] != opening:
        raise InvalidRecord("its moves do not start with its opening")
    result = _word(row, "result")
    if result:
        one_of(result, "result", RESULTS, InvalidRecord)
    fault = _word(row, "fault")
    forfeit: dict[str, Any] = {}
    if fault and result in RESULTS[:2] and not played(columns, geometry).is_over:
        loser, reason = 1 - RESULTS.index(result), _word(row, "reason") or None
        forfeit = {"fault": fault, "fault_seat": loser, "reason": reason}
    names = (_word(row, "first"), _word(row, "second"))
    record = GameRecord(
        columns, geometry, *names, opening=len(opening), scores=_scores(row),
        adjudicated=_number(row, "adjudicated"), **forfeit,
    )  # fmt: skip
    if result and result != record.result:
        raise InvalidRecord(f"its result is {result}, but by its moves it is {record.result}")
    return record


def write_csv(stream: TextIO, records: Iterable[GameRecord]) -> None:
    writer = csv.DictWriter(stream, _NAMES, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_row(record) for record in records)


def write_json(stream: TextIO, records: Iterable[GameRecord]) -> None:
    """Write a JSON object a line, with the scores that a file gave."""
    for record in records:
        scores = {"scores": record.scores} if record.scores else {}
        stream.write(json.dumps(_row(record) | scores, ensure_ascii=False) + "\n")


def _row(record: GameRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in _NAMES} | {"opening": record.opening_moves}


def _scores(row: Mapping[str, object]) -> tuple[int, ...]:
    """Return the score that a row of text gives; documents of JSON have theirs read elsewhere."""
    score = _number(row, "score") if isinstance(row.get("score"), str) else None
    return () if score is None else (score,)


def _number(row: Mapping[str, object], name: str) -> int | None:
    value = row.get(name)
    text = "" if value is None else str(value).strip()
    try:
        return int(text[:9]) if text else None
    except ValueError:
        raise InvalidRecord(f"its {name} must be a whole number, got {text[:20]!r}") from None


def _word(row: Mapping[str, object], name: str) -> str:
    """Return the text of a row under a name, "" if it has no such name."""
    value = row.get(name)
    if value is None:
        return ""
    if name in ("moves", "opening") and _NUMBER.fullmatch(str(value)):
        raise InvalidRecord(
            f"its {name} became a number, {str(value)[:30]}: read and write that column as text"
        )
    if not isinstance(value, str):
        raise InvalidRecord(f"its {name} must be text, got {value!r}"[:200])
    return value.strip()
