"""The formats of game records by name, and reading and writing files of them."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from shlex import quote
from typing import Any, TextIO

from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.outputs import DATABASE
from claimeven.records import kaggle, moves, openspiel, tables, uci
from claimeven.records.record import LABELS, GameRecord, InvalidRecord
from claimeven.suggestions import no_such


@dataclass(frozen=True)
class Format:
    """A way to write games down: `items` finds them in lines, `read` and `write` translate.

    Of an item that is damaged `items` tells an `InvalidRecord`, of which the reason counts; it
    raises one where nothing can be read from a line on.

    `endings` are those of files that hold it, `meaning` is a phrase for lists.
    """

    name: str
    endings: tuple[str, ...]
    meaning: str
    items: Callable[[Iterable[str]], Iterator[tuple[int, Any]]]
    read: Callable[[object, Geometry], GameRecord]
    write: Callable[[TextIO, Iterable[GameRecord]], None]


#: Every format by its name, in the order they are listed.
FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format("moves", (".txt",), "a move string a line", moves.items, moves.read, moves.write),
        Format("csv", (".csv",), "our table", tables.csv_items, tables.read, tables.write_csv),
        Format(
            "jsonl",
            (".jsonl",),
            "our JSON lines",
            tables.json_items,
            tables.read_json,
            tables.write_json,
        ),
        Format(
            "kaggle", (".json",), "replays of ConnectX", kaggle.items, kaggle.read, kaggle.write
        ),
        Format(
            "openspiel",
            (".openspiel",),
            "histories of OpenSpiel",
            openspiel.items,
            openspiel.read,
            openspiel.write,
        ),
        Format("uci", (".data",), "rows of the UCI data set", uci.items, uci.read, uci.write),
    )
}


#: Characters that tell whether a text is in UTF-16: every other one is nothing then.
_LOOKED_AT = 40
#: How a file in UTF-16 begins, read as UTF-8 with its bytes as lone surrogates.
_UTF_16 = ("\udcff\udcfe", "\udcfe\udcff")
#: How the file of a tournament begins, which is a database, read as text.
_DATABASE = DATABASE.decode()


@dataclass(frozen=True)
class Tried:
    """A game of a file and the line it stood on; `record` is None where `error` says why."""

    line: int
    record: GameRecord | None
    error: str = ""

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
    if ending != ".jsonl" or '"steps"' not in text.partition("\n")[0]:
        for each in FORMATS.values():
            if ending in each.endings and each.name != "moves":
                return each
    return FORMATS[_by_text(text)]


def guess_by_lines(name: str, lines: Iterable[str]) -> tuple[Format, Iterator[str]]:
    """Return the format of an open file and all its lines, those looked at included.

    Only what comes before the end of the first line that is not empty is looked at, so that lines
    somebody types are answered one by one.
    """
    source = iter(lines)
    looked_at = []
    for line in source:
        looked_at.append(line)
        if line.strip("\ufeff \t\r\n"):
            break
    check_first_line(name, "".join(looked_at[:1]))
    return guess_format(name, "".join(looked_at)), itertools.chain(looked_at, source)


def check_first_line(name: str, line: str) -> None:
    """Raise `InvalidRecord` where the first line of a file shows that it holds no text in UTF-8.

    That of a tournament's file names no line, but the file.
    """
    if line.startswith(_DATABASE):
        is_stream = name in ("", "-")
        raise InvalidRecord(
            f"{'stdin' if is_stream else name} holds games of a tournament: `claimeven games"
            f" {'FILE' if is_stream else quote(name)} --export games.txt` writes them as text"
        )
    beginning = line[:_LOOKED_AT]
    if beginning[:2] in _UTF_16 or beginning.count("\0") > len(beginning) // 4:
        raise InvalidRecord("its text is in UTF-16: save it as UTF-8", 1)


def tried_records(
    lines: Iterable[str], form: str | Format, geometry: Geometry = STANDARD
) -> Iterator[Tried]:
    """Yield the games of lines, those that cannot be read with the reason.

    `geometry` is the board of games that do not name theirs. Raises `InvalidRecord` naming the
    line from where on nothing can be read, and for an unknown format.
    """
    form = format_of(form) if isinstance(form, str) else form
    for line, item in form.items(lines):
        several = item if isinstance(item, list) else [item]
        for each in several:
            if isinstance(each, InvalidRecord):
                yield Tried(line, None, each.reason)
                continue
            try:
                yield Tried(line, form.read(each, geometry))
            except ClaimevenError as error:
                yield Tried(line, None, str(error))


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
    if line.startswith("{"):
        is_ours = line.endswith("}") and '"moves"' in line and '"steps"' not in line
        return "jsonl" if is_ours else "kaggle"
    if line.startswith(("# Automatically generated by OpenSpiel", "[Meta]", "[Game]")):
        return "openspiel"
    if line.startswith("["):
        return "openspiel" if line[1:2].isdigit() or line == "[]" else "kaggle"
    if "moves" in words:
        return "csv"
    if len(words) > 1 and all(word in ("x", "o", "b", *LABELS) for word in words):
        return "uci"
    if len(words) > 1:
        return "openspiel"
    return "moves"
