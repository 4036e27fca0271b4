"""The formats of game records by name, and reading and writing files of them."""

from __future__ import annotations

import gzip
import io
import itertools
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from shlex import quote
from typing import Any, TextIO

from claimeven.atomic_io import DATABASE, starts_with
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.records import (
    boards,
    csv_jsonl,
    documents,
    kaggle,
    move_strings,
    openspiel,
    turns,
    uci,
)
from claimeven.records.record import LABELS, GameRecord, InvalidRecord
from claimeven.suggestions import no_such
from claimeven.text_io import identified


@dataclass(frozen=True)
class Format:
    """A way to write games down: `items` finds them in lines, `read` and `write` translate.

    Of an item that is damaged `items` tells an `InvalidRecord`, of which the reason counts; it
    raises one where nothing can be read from a line on.

    `endings` are those of files that hold it.
    """

    name: str
    endings: tuple[str, ...]
    items: Callable[[Iterable[str], Geometry], Iterator[tuple[int, Any]]]
    read: Callable[[object, Geometry], GameRecord]
    write: Callable[[TextIO, Iterable[GameRecord]], None]


#: Every format by its name, in the order they are listed.
FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format("moves", (".txt",), move_strings.items, move_strings.read, move_strings.write),
        Format(
            "moves0",
            (".moves0",),
            move_strings.items_from_0,
            move_strings.read_from_0,
            move_strings.write_from_0,
        ),
        Format("csv", (".csv",), csv_jsonl.csv_items, csv_jsonl.read, csv_jsonl.write_csv),
        Format(
            "jsonl", (".jsonl",), csv_jsonl.json_items, documents.read_line, csv_jsonl.write_json
        ),
        Format("kaggle", documents.ENDINGS, documents.items, documents.read, kaggle.write),
        Format("openspiel", (".openspiel",), openspiel.items, openspiel.read, openspiel.write),
        Format("uci", (".data",), uci.items, uci.read, uci.write),
        Format("board", (".board",), boards.items, boards.read, boards.write),
        Format("turns", (".turns",), turns.items, turns.read, turns.write),
    )
}

#: How the file of a tournament begins, which is a database, read as text.
_DATABASE = DATABASE.decode()
#: Characters of a word that is moves before a score rather than an action.
_MOVES = 3
#: How a file packed with gzip starts.
_PACKED = b"\x1f\x8b"
#: Bytes of the start of a file that are looked at.
_HEAD = 512
#: Lines of prose before a drawing that are looked at.
_PROSE = 20
#: The numbers of columns above a drawing.
_HEADERS = [" ".join(map(str, names)) for names in (range(17), range(1, 17), "abcdefghijklmnop")]
_IS_PROSE = re.compile(r".*[A-Za-z]{3,}.*")


@dataclass(frozen=True)
class Tried:
    """A game of a file and the line it stood on; `record` is None where `error` says why.

    `text` is the line, of formats with a game a line; `board` the discs, of formats that draw them.
    """

    line: int
    record: GameRecord | None
    error: str = ""
    text: str = ""
    board: boards.Board | None = None

    def game(self) -> GameRecord:
        """Return the record. Raises `InvalidRecord` with line and reason where there is none."""
        if self.record is None:
            raise InvalidRecord(self.error, self.line)
        return self.record


def format_of(name: str) -> Format:
    """Return a format by its name. Raises `InvalidRecord` naming the choices.

    >>> format_of("uci").endings
    ('.data',)
    """
    if name not in FORMATS:
        raise InvalidRecord(no_such("format", name, FORMATS))
    return FORMATS[name]


def guess_format(name: str, beginning: str = "") -> Format:
    """Return the format of a file by the ending of its name, or else by how its text begins.

    >>> guess_format("games.csv").name, guess_format("-", "3, 3, 4\\n").name
    ('csv', 'openspiel')
    """
    ending = PurePath(name).suffix.lower()
    text = beginning.lstrip("\ufeff \t\r\n")
    is_document = text.startswith(("<", "{")) and ending != ".jsonl"
    if not is_document and (ending != ".jsonl" or '"steps"' not in text.partition("\n")[0]):
        for each in FORMATS.values():
            if ending in each.endings and each.name != "moves":
                return each
    return FORMATS[_by_text(text)]


def guess_by_lines(name: str, lines: Iterable[str]) -> tuple[Format, Iterable[str]]:
    """Return the format of an open file and all its lines, those looked at included.

    Only what comes before the end of the first line that is not empty is looked at, so that lines
    somebody types are answered one by one; more only if that line is no game by itself. Raises
    `InvalidRecord` for a file that holds no text.
    """
    stream: Any = lines
    can_rewind = getattr(lines, "seekable", bool)()
    start = stream.tell() if can_rewind else 0
    source = iter(lines)
    looked_at: list[str] = []
    form = None
    while True:
        with _unpacking():
            line = next(source, "")
        if not line:
            break
        looked_at.append(line)
        if len(looked_at) == 1:
            check_first_line(name, line)
        if not line.strip("\ufeff \t\r\n"):
            continue
        form = form or guess_format(name, "".join(looked_at))
        if (
            form.name != "moves"
            or boards.looks_like_board(line)
            or not _may_go_on(line, looked_at, can_rewind)
        ):
            break
    is_moves = looked_at and form is not None and form.name == "moves"
    if is_moves and boards.looks_like_board(looked_at[-1]):
        form = FORMATS["board"]
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
    return len(looked_at) < _PROSE and (
        is_header or is_rule or (can_rewind and bool(_IS_PROSE.fullmatch(text)))
    )


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
    try:
        if Path(path).is_file() and starts_with(path, _PACKED):  # a pipe is read once
            return gzip.open(path, "rt", encoding="utf-8", errors="surrogateescape")
        return Path(path).open(encoding="utf-8", errors="surrogateescape")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidRecord(f"{path} cannot be read: {reason}") from None


@contextmanager
def _unpacking() -> Iterator[None]:
    """Raise `InvalidRecord` if a file cannot be read to its end."""
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise InvalidRecord("it cannot be unpacked: it is corrupt or cut off", 1) from None
    except OSError as error:
        raise InvalidRecord(f"it cannot be read: {error.strerror or error}", 1) from None


def tried_records(
    lines: Iterable[str], form: str | Format, geometry: Geometry = STANDARD
) -> Iterator[Tried]:
    """Yield the games of lines, those that cannot be read with the reason.

    `geometry` is the board of games that do not name theirs. Raises `InvalidRecord` naming the
    line from where on nothing can be read, and for an unknown format.
    """
    form = format_of(form) if isinstance(form, str) else form
    items = form.items(lines, geometry)
    while True:
        with _unpacking():
            line, item = next(items, (0, None))
        if not line:
            return
        several = item if isinstance(item, list) else [item]
        for each in several:
            if isinstance(each, InvalidRecord):
                yield Tried(line, None, each.reason)
                continue
            text = each if isinstance(each, str) else getattr(each, "text", "")
            board = each if isinstance(each, boards.Board) else None
            try:
                yield Tried(line, form.read(each, geometry), "", text, board)
            except ClaimevenError as error:
                yield Tried(line, None, str(error), text, board)


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
    """Return the one game or position of a text, in whatever format. Raises `ClaimevenError`.

    >>> read_text("[[0, 0, 0], [0, 2, 0], [0, 1, 1]]", Geometry(3, 3, 3)).position.ply
    3
    """
    form, lines = guess_by_lines("", io.StringIO(text))
    if form.name == "moves":  # over several lines, too
        return move_strings.read(text, geometry)
    found = list(itertools.islice(read_records(lines, form, geometry), 2))
    if len(found) != 1:
        raise InvalidRecord("a text with one game or position is needed")
    return found[0]


def write_records(stream: TextIO, records: Iterable[GameRecord], form: str | Format) -> int:
    """Write games to an open text file; return how many. Raises `InvalidRecord`."""
    form = format_of(form) if isinstance(form, str) else form
    count = itertools.count()
    form.write(stream, (record for record in records if next(count) >= 0))
    return next(count)


def write_text(records: Iterable[GameRecord], form: str | Format) -> str:
    """Return games as text. Raises `InvalidRecord`."""
    stream = io.StringIO()
    write_records(stream, records, form)
    return stream.getvalue()


def _by_text(text: str) -> str:
    """Return the name of the format that a text begins in."""
    line = text.partition("\n")[0].strip()
    words = [word.strip() for word in line.split(",")]
    if line.startswith(("{", "<")):
        is_ours = line.endswith("}") and '"moves"' in line and '"steps"' not in line
        return "jsonl" if is_ours else "kaggle"
    if line.startswith(("# Automatically generated by OpenSpiel", "[Meta]", "[Game]")):
        return "openspiel"
    if turns.looks_like_turns(line):
        return "turns"
    if boards.looks_like_board(line):
        return "board"
    if line.startswith("["):
        return "openspiel" if line[1:2].isdigit() or line == "[]" else "kaggle"
    if "moves" in words:
        return "csv"
    if len(words) > 1 and all(word in ("x", "o", "b", *LABELS) for word in words):
        return "uci"
    return "openspiel" if len(words) > 1 and len(words[0]) < _MOVES else "moves"
