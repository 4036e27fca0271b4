"""Games in tables and JSON: our own, replays of Kaggle, boards with scores, also within a page.

Our tables are `.csv` with a line of names, `.jsonl` with a JSON object a line. `moves` must be one
of the names. `first` and `second` name the players, `opening` has the moves at the start that the
players did not choose. A lost game that was not played to its end has `result`, `fault` and perhaps
`reason`; `score` is the exact score of the position reached, `adjudicated` the one that ended the
game before its end; `mine` and `mask` of a data set must fit the board. Other names are ignored.

A file holds one document, a list of them, or one a line. A document is one of these:

- a replay of ConnectX or of Kaggle's Game Arena (`replays`), or only its `steps`;
- an object with `moves`: as `claimeven` writes them, or a list of columns counted from 0;
- an object with a `board`, as Kaggle shows it to agents. Published sets add its `score` and the
  scores of its columns (`move score`);
- a list of columns counted from 0, a board (see `boards`), or lines such as `A_Red`.

A web page that shows a replay holds it as JSON too.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TextIO

from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_moves
from claimeven.game.validation import one_of
from claimeven.records import boards, replays
from claimeven.records.line_formats import read_turns
from claimeven.records.move_strings import scored
from claimeven.records.record import (
    RESULTS,
    GameRecord,
    InvalidRecord,
    played,
    surveyed,
    text_lines,
    written_lines,
)

#: Ends of the names of such files.
ENDINGS = (".json", ".html", ".htm")
#: Characters of a file that are read; a replay has about a hundred thousand.
_MAX_CHARACTERS = 1 << 26
#: The place of the replay in its web page.
_IN_PAGE = re.compile(r"window\.kaggle\s*=\s*(?=\{)")
#: The names of the scores of the columns in published sets.
_COLUMN_SCORES = ("move score", "move_score", "move scores", "move_scores", "scores")
_TOO_LONG = InvalidRecord(f"the document is longer than {_MAX_CHARACTERS >> 20} MB")

#: Moves that other programs have changed into a number.
_NUMBER = re.compile(r"\s*\d+\.\d*([eE][+-]?\d+)?\s*|\d+[eE][+-]?\d+")
#: A row of a table, or its error.
_Row = Mapping[str, object] | InvalidRecord
#: The moves of a JSON object on a line.
_MOVES = re.compile(r'"moves"\s*:\s*"(\d*)"')
#: The names that are written.
_NAMES = ("moves", "first", "second", "opening", "result", "fault", "reason", "adjudicated")


def items(lines: Iterable[str], geometry: Geometry) -> Iterator[tuple[int, Any]]:
    """Yield the documents, or the error of one, with the numbers of the lines they start on.

    From the first line that is not a whole document, all lines are one document. If they are not,
    each line that is a document by itself is read.
    """
    numbered = written_lines(lines, geometry)
    are_lines = False
    for number, line in numbered:
        if not are_lines and line.lstrip().startswith("<"):
            yield number, _of_page([line, *(text for _, text in numbered)])
            return
        found = _parsed(line)
        if not isinstance(found, InvalidRecord):
            yield number, _games_of(found)
            are_lines = True
            continue
        rest, size, whole = [(number, line)], len(line), None
        for each in numbered:
            rest.append(each)
            size += len(each[1])
            if size > _MAX_CHARACTERS:
                whole = _TOO_LONG
                break
        whole = whole or _parsed("\n".join(text for _, text in rest))
        if not isinstance(whole, InvalidRecord):
            yield number, _games_of(whole)
            return
        # A line of a document may be a number, which is JSON by itself, but no replay.
        if not (are_lines or any(isinstance(_parsed(text), dict | list) for _, text in rest)):
            raise InvalidRecord(whole.reason, rest[(whole.line or 1) - 1][0])
        for place, text in itertools.chain(rest, numbered):
            yield place, _games_of(_parsed(text))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        return InvalidRecord(f"not JSON: {error.msg.removesuffix(' at')}", error.lineno)
    except (ValueError, RecursionError):  # numbers without end, lists within lists
        return InvalidRecord("not a replay")


def _of_page(lines: list[str]) -> Any:
    text = "\n".join(lines)
    for found in _IN_PAGE.finditer(text):
        try:
            return _games_of(json.JSONDecoder().raw_decode(text, found.end())[0])
        except (ValueError, RecursionError):
            continue
    return InvalidRecord("it is a web page without a replay: download the file itself")


def _games_of(found: Any) -> Any:
    """Return the games of a document, a list if there are several."""
    if isinstance(found, Mapping) and isinstance(found.get("environment"), Mapping):
        return found["environment"]  # as a page has it
    if not isinstance(found, list):
        return found
    if found and all(isinstance(each, list) and each and _are_objects(each) for each in found):
        return {"steps": found}
    if all(isinstance(each, str) and each.isdigit() for each in found):
        return [{"moves": moves} for moves in found]
    return found if _are_objects(found) else [found]


def _are_objects(items: list[Any]) -> bool:
    return all(isinstance(each, Mapping) for each in items)


def read_line(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a JSON line, as `claimeven` writes it, or of another document."""
    found = _parsed(str(item))
    if not isinstance(found, Mapping) or not {"moves", "board", "steps"} & set(found):
        raise InvalidRecord("expected a JSON object with moves")
    return read(found, geometry)


def read(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a document; `geometry` is the board if it does not name one."""
    if isinstance(item, list):
        return _of_list(item, geometry)
    if replays.is_arena(item):
        return replays.read_arena(item, geometry)
    if not isinstance(item, Mapping) or "steps" in item:
        return replays.read(item, geometry)
    if "cells" in item and "nbformat" in item:
        raise InvalidRecord("it is a notebook: print its games or boards into a text file")
    if "moves" not in item and "board" not in item:
        raise InvalidRecord("it is an object without moves, a board or steps")
    sizes = [item.get(name) for name in ("columns", "rows", "connect")]
    if all(isinstance(size, int) for size in sizes):
        geometry = Geometry(*sizes)  # type: ignore[arg-type]  # which these are now
    if "moves" not in item:
        record = boards.board_of(item["board"], geometry).record()
        mark = item.get("mark")
        if mark is not None and mark != record.position.turn + 1:
            raise InvalidRecord(
                f"its mark is {mark!r:.20}, and its discs say the other side is to move"
            )
    elif isinstance(item["moves"], list):
        record = _of_list(item["moves"], geometry)
    else:
        record = read_cells(item, geometry)
    return scored(replace(record, scores=_scores(item, record)))


def _of_list(cells: list[Any], geometry: Geometry) -> GameRecord:
    if any(isinstance(cell, str) and "_" in cell for cell in cells):
        return read_turns(" ".join(map(str, cells)), geometry)
    are_columns = all(type(cell) is int and 0 <= cell < geometry.columns for cell in cells)
    if are_columns and len(cells) != geometry.cells:
        return GameRecord(tuple(cells), geometry)
    return boards.board_of(cells, geometry).record()


def _scores(item: Mapping[str, Any], record: GameRecord) -> tuple[int | None, ...]:
    """Return the scores that an object gives; sets write some number for a full column."""
    each = next((item[name] for name in _COLUMN_SCORES if item.get(name) is not None), None)
    score, most = item.get("score"), record.geometry.cells // 2
    if each is None:
        each = [] if score is None else [score]
    elif isinstance(each, list) and len(each) == record.geometry.columns:
        legal = record.position.legal_columns
        each = [score if column in legal else None for column, score in enumerate(each)]
    else:
        raise InvalidRecord(f"its scores are {each!r:.40}, not one for each column")
    for value in each:
        if value is not None and (type(value) is not int or abs(value) > most):
            raise InvalidRecord(f"{value!r:.20} is not a score of a position of {record.geometry}")
    return tuple(each)


# -- our tables


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


def read_cells(item: object, geometry: Geometry) -> GameRecord:
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
    # Only of text: the score of a JSON document is read by `read`.
    score = _number(row, "score") if isinstance(row.get("score"), str) else None
    record = GameRecord(
        columns, geometry, *names, opening=len(opening), scores=() if score is None else (score,),
        adjudicated=_number(row, "adjudicated"), **forfeit,
    )  # fmt: skip
    if result and result != record.result:
        raise InvalidRecord(f"its result is {result}, but by its moves it is {record.result}")
    discs = {name: str(row[name]) for name in ("mine", "mask") if name in row}
    if any(discs[name] != str(getattr(record.position, name)) for name in discs):
        raise InvalidRecord(
            f"its mine and mask are not of {geometry}: --columns, --rows, --connect name theirs"
        )
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
