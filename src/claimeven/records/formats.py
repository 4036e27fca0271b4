"""The formats of game records by name, and reading and writing files of them."""

from __future__ import annotations

import gzip
import io
import itertools
import logging
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from shlex import quote
from typing import Any, TextIO, TypeVar

from claimeven.atomic_io import DATABASE, starts_with
from claimeven.errors import ClaimevenError, path_of
from claimeven.game.geometry import STANDARD, Geometry, check_geometry
from claimeven.game.validation import instance, one_of
from claimeven.records import boards, documents, line_formats, move_strings, replays
from claimeven.records.record import GameRecord, InvalidRecord, written_lines
from claimeven.text_io import identified, reading

T = TypeVar("T")
_logger = logging.getLogger("claimeven.records")


def _certain(item: object, geometry: Geometry) -> str:
    return ""


@dataclass(frozen=True)
class Format:
    """A way to write games down: `items` finds them in lines, `read` and `write` translate.

    For a corrupt item `items` yields an `InvalidRecord` with the reason; it raises one if all lines
    from some line on cannot be read.

    `endings` are the endings of its files. `doubt` explains how an item was read, if ambiguous.
    """

    name: str
    endings: tuple[str, ...]
    items: Callable[[Iterable[str], Geometry], Iterator[tuple[int, Any]]]
    read: Callable[[object, Geometry], GameRecord]
    write: Callable[[TextIO, Iterable[GameRecord]], None]
    doubt: Callable[[object, Geometry], str] = _certain


#: Every format by its name, in the order they are listed.
FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format(
            "moves", (".txt",), move_strings.items, move_strings.read, move_strings.write,
            move_strings.doubt,
        ),
        Format(
            "moves0", (".moves0",), partial(move_strings.items, base=0),
            partial(move_strings.read, base=0), partial(move_strings.write, base=0),
        ),
        Format("csv", (".csv",), documents.csv_items, documents.read_cells, documents.write_csv),
        Format(
            "jsonl", (".jsonl",), documents.json_items, documents.read_line, documents.write_json
        ),
        Format("kaggle", documents.ENDINGS, documents.items, documents.read, replays.write),
        Format(
            "openspiel", (".openspiel",), line_formats.histories, line_formats.read_history,
            line_formats.write_histories, line_formats.history_doubt,
        ),
        Format("uci", (".data",), written_lines, line_formats.read_row, line_formats.write_rows),
        Format("board", (".board",), boards.items, boards.read, boards.write),
        Format(
            "turns", (".turns",), line_formats.turn_items, line_formats.read_turns,
            line_formats.write_turns,
        ),
    )
}  # fmt: skip


#: Tests of the first line of a text, in this order, for each format; the default is `moves`.
_RECOGNIZED_BY: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("jsonl", re.compile(r'(?!.*"steps")\{.*"moves".*\}').fullmatch),
    ("kaggle", lambda line: line.startswith(("{", "<"))),
    ("turns", line_formats.FIRST_TURN.match),
    ("board", boards.looks_like_board),
    ("csv", lambda line: "moves" in (word.strip() for word in line.split(","))),
    ("uci", line_formats.looks_like_row),
    ("openspiel", line_formats.looks_like_history),
    ("kaggle", lambda line: line.startswith("[")),
)
#: How the file of a tournament starts, which is a database, read as text.
_DATABASE = DATABASE.decode()
#: How a file packed with gzip starts.
_PACKED = b"\x1f\x8b"
#: Bytes of the start of a file that are looked at, and lines of prose before a drawing.
_HEAD, _PROSE = 512, 20
#: The numbers of columns above a drawing.
_HEADERS = [" ".join(map(str, names)) for names in (range(17), range(1, 17), "abcdefghijklmnop")]
_IS_PROSE = re.compile(r".*[A-Za-z]{3,}.*")


@dataclass(frozen=True)
class Tried:
    """A game of a file and its line; `record` is None if `error` says why.

    `text` is the line, for formats with a game a line, `board` the discs, for formats that draw
    them. `doubt` explains how it was read if that is not certain.
    """

    line: int
    record: GameRecord | None
    error: str = ""
    text: str = ""
    board: boards.DrawnBoard | None = None
    doubt: str = ""

    def game(self) -> GameRecord:
        """Return the record. Raises `InvalidRecord` with line and reason if `record` is None."""
        if self.record is None:
            raise InvalidRecord(self.error, self.line)
        return self.record


def format_of(name: str) -> Format:
    """Return a format by its name. Raises `InvalidRecord` naming the choices.

    >>> format_of("uci").endings
    ('.data',)
    """
    return FORMATS[one_of(name, "format", FORMATS, InvalidRecord)]


def guess_format(name: str, beginning: str = "") -> Format:
    """Return the format of a file by the ending of its name, or else by how its text starts.

    >>> guess_format("games.csv").name, guess_format("-", "3, 3, 4\\n").name
    ('csv', 'openspiel')
    """
    ending = PurePath(name).suffix.lower()
    text = beginning.lstrip("\ufeff \t\r\n")
    line = text.partition("\n")[0].strip()
    is_document = text.startswith(("<", "{")) and ending != ".jsonl"
    if not is_document and (ending != ".jsonl" or '"steps"' not in line):
        for each in FORMATS.values():
            if ending in each.endings and each.name != "moves":
                return replace(each, doubt=_certain)
    return FORMATS[next((name for name, fits in _RECOGNIZED_BY if fits(line)), "moves")]


def guess_by_lines(name: str, lines: Iterable[str]) -> tuple[Format, Iterable[str]]:
    """Return the format of an open file and all its lines, those looked at included.

    Only the text up to the first line that is not empty is read, so that typed lines are answered
    one by one; more only if that line is no game. Raises `InvalidRecord` for files without text.
    """
    stream: Any = lines
    can_rewind = getattr(lines, "seekable", bool)()
    start = stream.tell() if can_rewind else 0
    source = _readable(lines)
    looked_at: list[str] = []
    form = None
    for line in source:
        looked_at.append(line)
        if len(looked_at) == 1:
            check_first_line(name, line)
        if not line.strip("\ufeff \t\r\n"):
            continue
        form = form or guess_format(name, "".join(looked_at))
        if form.name == "moves" and boards.looks_like_board(line):
            form = FORMATS["board"]
        if form.name != "moves" or not _may_go_on(line, looked_at, can_rewind):
            break
    form = form or guess_format(name)
    if can_rewind:
        stream.seek(start)
        return form, lines
    return form, itertools.chain(looked_at, source)


def _may_go_on(line: str, looked_at: list[str], can_rewind: bool) -> bool:
    """Whether a drawing may follow a line: column numbers, a rule, or in a file a little prose."""
    text = " ".join(line.split())
    is_header = any(f"{names} ".startswith(f"{text} ") for names in _HEADERS) and " " in text
    is_rule = set(text) <= {"-", "="}
    is_prose = can_rewind and bool(_IS_PROSE.fullmatch(text))
    return len(looked_at) < _PROSE and (is_header or is_rule or is_prose)


def check_first_line(name: str, line: str) -> None:
    """Raise `InvalidRecord` if the first line of a file shows that it holds no text of games.

    The message about a tournament's file names no line, but the file.
    """
    if line.startswith(_DATABASE):
        is_stream = name in ("", "-")
        raise InvalidRecord(
            f"{'stdin' if is_stream else name} holds games of a tournament: `claimeven games"
            f" {'FILE' if is_stream else quote(name)} --export games.txt` writes them as text"
        )
    try:
        head = line[:_HEAD].encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character, which JSON may hold
        head = line[:_HEAD].encode("utf-8", "replace")
    reason = identified(head[:_HEAD], name)
    if reason:
        raise InvalidRecord(reason, 1)


def open_records(path: str | Path) -> TextIO:
    """Open a text file, unpacked if it is packed with gzip.

    It is read as UTF-8. Bytes that are not become lone surrogates, which no reader of lines takes
    for anything, so only their line is refused. Raises `InvalidRecord` if it cannot be opened.
    """
    file = path_of(path, InvalidRecord)
    with reading(path, InvalidRecord):
        if file.is_file() and starts_with(file, _PACKED):  # a pipe is read once
            return gzip.open(file, "rt", encoding="utf-8", errors="surrogateescape")
        return file.open(encoding="utf-8", errors="surrogateescape")


def _readable(source: Iterable[T]) -> Iterator[T]:
    """Yield the items of a file. Raises `InvalidRecord` if it cannot be read to its end."""
    try:
        for each in source:  # noqa: UP028 - `yield from` would close the file too
            yield each
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise InvalidRecord("it cannot be unpacked: it is corrupt or cut off", 1) from None
    except OSError as error:
        raise InvalidRecord(f"it cannot be read: {error.strerror or error}", 1) from None


def tried_records(
    lines: Iterable[str], form: str | Format, geometry: Geometry = STANDARD
) -> Iterator[Tried]:
    """Yield the games of lines, those that cannot be read with the reason.

    `geometry` is the board of games that do not name theirs. A format given by name is certain.
    Raises `InvalidRecord` for an unknown format, and naming the line from which on a file cannot be
    read.
    """
    form = form if isinstance(form, Format) else replace(format_of(form), doubt=_certain)
    check_geometry(geometry, InvalidRecord)
    for line, item in _readable(form.items(lines, geometry)):
        for each in item if isinstance(item, list) else [item]:
            if isinstance(each, InvalidRecord):
                yield Tried(line, None, each.reason)
                continue
            text = each if isinstance(each, str) else getattr(each, "text", "")
            board = each if isinstance(each, boards.DrawnBoard) else None
            try:
                record = form.read(each, geometry)
                yield Tried(line, record, "", text, board, form.doubt(each, geometry))
            except ClaimevenError as error:
                yield Tried(line, None, str(error), text, board)


def made_of_records(
    lines: Iterable[str],
    form: str | Format,
    name: str,
    board: Geometry,
    make: Callable[[GameRecord], T],
) -> Iterator[T]:
    """Yield what `make` returns for each game of a file of one board, and log a first doubt.

    Raises `InvalidRecord` with the line for a game that cannot be read or made, or on other boards.
    """
    is_noted = False
    for tried in tried_records(lines, form, board):
        if tried.doubt and not is_noted:
            is_noted = True
            _logger.warning("%s, line %d is read as %s", name, tried.line, tried.doubt)
        record = tried.game()
        try:
            if record.geometry != board:
                raise InvalidRecord(f"its board is {record.geometry}, not {board}")
            yield make(record)
        except ClaimevenError as error:
            raise InvalidRecord(getattr(error, "reason", str(error)), tried.line) from None


def read_records(
    lines: Iterable[str] | str, form: str | Format, geometry: Geometry = STANDARD
) -> Iterator[GameRecord]:
    """Yield the games of lines, or of a text. Raises `InvalidRecord` naming the line and why.

    >>> [game.moves for game in read_records("445\\n1 # by hand\\n", "moves")]
    ['445', '1']
    """
    lines = io.StringIO(lines) if isinstance(lines, str) else lines
    for tried in tried_records(lines, form, geometry):
        yield tried.game()


def read_text(text: str, geometry: Geometry = STANDARD) -> GameRecord:
    """Return the one game or position of a text, in any format. Raises `ClaimevenError`.

    >>> read_text("[[0, 0, 0], [0, 2, 0], [0, 1, 1]]", Geometry(3, 3, 3)).position.ply
    3
    """
    instance(text, "a text of games", str, InvalidRecord)
    check_geometry(geometry, InvalidRecord)
    form, lines = guess_by_lines("", io.StringIO(text))
    if form.name == "moves":  # over several lines, too
        return move_strings.read(text, geometry)
    found = list(itertools.islice(read_records(lines, form, geometry), 2))
    if len(found) != 1:
        raise InvalidRecord("a text with one game or position is needed")
    return found[0]


def write_records(stream: TextIO, records: Iterable[GameRecord], form: str | Format) -> int:
    """Write games to an open text file; return how many. Raises `InvalidRecord`."""
    form = form if isinstance(form, Format) else format_of(form)
    count = itertools.count()
    form.write(stream, (record for record in records if next(count) >= 0))
    return next(count)


def write_text(records: Iterable[GameRecord], form: str | Format) -> str:
    """Return games as text. Raises `InvalidRecord`."""
    stream = io.StringIO()
    write_records(stream, records, form)
    return stream.getvalue()
