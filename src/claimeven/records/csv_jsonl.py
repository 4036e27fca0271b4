"""Our own tables of games: `.csv` with a line of names, `.jsonl` with a JSON object a line.

`moves` must be one of the names; `first` and `second` name the players; `opening` holds moves at
the start that were not the players' own. A lost game that was not played to its end has `result`,
`fault` and perhaps `reason`; `score` is the exact score of the position reached. Other names are
passed over.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO

from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_moves
from claimeven.records.lines import text_lines, written_lines
from claimeven.records.record import RESULTS, GameRecord, InvalidRecord, played
from claimeven.suggestions import no_such

#: What other programs make of moves that they take for a number.
_NUMBER = re.compile(r"\s*\d+\.\d*([eE][+-]?\d+)?\s*|\d+[eE][+-]?\d+")
#: A row of a table, or what is wrong with it.
_Row = Mapping[str, object] | InvalidRecord
#: The moves of a JSON object on a line.
_MOVES = re.compile(r'"moves"\s*:\s*"(\d*)"')
#: The names that are written.
_NAMES = ("moves", "first", "second", "opening", "result", "fault", "reason")


def csv_items(lines: Iterable[str], geometry: Geometry) -> Iterator[tuple[int, _Row]]:
    """Yield the rows of a table, or what is wrong with one, with the numbers of their lines.

    Raises `InvalidRecord` for a file without moves, or whose columns count from 0.
    """
    if getattr(lines, "seekable", bool)():
        moves = ((n, str(row["moves"])) for n, row in _rows(lines) if isinstance(row, Mapping))
        _check_base(lines, moves, geometry)
    yield from _rows(lines)


def json_items(lines: Iterable[str], geometry: Geometry) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty. Raises `InvalidRecord` if columns count from 0."""
    if getattr(lines, "seekable", bool)():
        found = ((number, _MOVES.search(line)) for number, line in written_lines(lines, geometry))
        _check_base(lines, ((number, moves[1]) for number, moves in found if moves), geometry)
    yield from written_lines(lines, geometry)


def _check_base(lines: Any, moves: Iterable[tuple[int, str]], geometry: Geometry) -> None:
    """Raise `InvalidRecord` if there is a 0 among moves, and no column that counts from 1."""
    start, first_0 = lines.tell(), 0
    for number, text in moves:
        if text and max(text) >= str(geometry.columns):
            first_0 = 0
            break
        first_0 = first_0 or number * ("0" in text)
    lines.seek(start)
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
        raise InvalidRecord("a table of games has a column moves; this one has none", 1)
    reader.fieldnames = heads
    while True:
        begin = reader.reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if str(error) == "unexpected end of data":
                yield begin, InvalidRecord("a quote that begins there does not end")
            else:
                yield reader.reader.line_num, InvalidRecord(str(error))
            continue
        if None in row or None in row.values():
            reason = f"it has not one cell for each of {len(heads)} columns"
            yield reader.line_num, InvalidRecord(reason)
        else:
            yield reader.line_num, row


def read(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a row. Raises `InvalidRecord` that says what is wrong with it."""
    row: Mapping[str, object] = item if isinstance(item, Mapping) else {}
    columns = parse_moves(_word(row, "moves"), geometry)
    opening = parse_moves(_word(row, "opening"), geometry)
    if columns[: len(opening)] != opening:
        raise InvalidRecord("its moves do not begin with its opening")
    told = _word(row, "result")
    if told and told not in RESULTS:
        raise InvalidRecord(no_such("result", told, RESULTS))
    fault = _word(row, "fault")
    is_forfeit = bool(fault) and told in RESULTS[:2] and not played(columns, geometry).is_over
    record = GameRecord(
        columns,
        geometry,
        _word(row, "first"),
        _word(row, "second"),
        len(opening),
        fault if is_forfeit else None,
        1 - RESULTS.index(told) if is_forfeit else None,
        (_word(row, "reason") or None) if is_forfeit else None,
        scores=_scores(row),
    )
    if told and told != record.result:
        raise InvalidRecord(f"its result is {told}, but by its moves it is {record.result}")
    return record


def write_csv(stream: TextIO, records: Iterable[GameRecord]) -> None:
    """Write a table with a line a game."""
    writer = csv.DictWriter(stream, _NAMES, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_row(record) for record in records)


def write_json(stream: TextIO, records: Iterable[GameRecord]) -> None:
    """Write a JSON object a line, with the scores that a file gave."""
    for record in records:
        scores = {"scores": record.scores} if record.scores else {}
        stream.write(json.dumps(_row(record) | scores, ensure_ascii=False) + "\n")


def _row(record: GameRecord) -> dict[str, Any]:
    values = (
        record.moves,
        record.first,
        record.second,
        record.opening_moves,
        record.result,
        record.fault,
        record.reason,
    )
    return dict(zip(_NAMES, values, strict=True))


def _scores(row: Mapping[str, object]) -> tuple[int, ...]:
    """Return the score that a row of text gives; documents of JSON have theirs read elsewhere."""
    told = row.get("score")
    if not isinstance(told, str) or not told.strip():
        return ()
    try:
        return (int(told[:9]),)
    except ValueError:
        raise InvalidRecord(f"its score is {told[:20]!r}, which is no whole number") from None


def _word(row: Mapping[str, object], name: str) -> str:
    """Return what a row has under a name as text, nothing where it has none."""
    value = row.get(name)
    if value is None:
        return ""
    if name in ("moves", "opening") and _NUMBER.fullmatch(str(value)):
        raise InvalidRecord(
            f"its {name} became a number, {str(value)[:30]}: read and write that column as text"
        )
    if not isinstance(value, str):
        raise InvalidRecord(f"its {name} is no text but {value!r}"[:200])
    return value.strip()
