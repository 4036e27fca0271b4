"""The journal of a data set in the making: its rows on the disk, none of them in memory."""

from __future__ import annotations

import csv
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any

from claimeven import atomic_io
from claimeven.dataset.errors import InvalidDatasetFile
from claimeven.dataset.files import Cells, cells_of, check_target

PARTIAL = ".partial"
#: Rows that are handed out at a time.
_CHUNK = 1 << 14
#: Candidates and games are numbered below this, in the order of the rows.
_MOST_NUMBERS = 1 << 63


def journal_path(path: Path) -> Path:
    """Return where the journal of a data set lies while it is made.

    >>> journal_path(Path("set.csv")).name
    'set.csv.partial'
    """
    return path.with_name(path.name + PARTIAL)


class Journal:
    """The rows made so far, kept in `path` + ".partial" line by line.

    The first line holds the options, each further one the number of a row's candidate or game, a
    check of the line, and the row's fields. A last line that was cut off is dropped. `count` rows
    are there, the last of them of `last_number`, once `take_up` has run. Raises
    `InvalidDatasetFile` for a file of other options or of something else.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], fields: Sequence[str]) -> None:
        check_target(path)
        self.path = journal_path(path)
        self.fields = fields
        self.count = 0
        self.last_number = 0
        atomic_io.check_output(self.path)
        self._file = atomic_io.GrowingFile(self.path, lambda: self._checked(header))
        if not self.path.stat().st_size:
            self._file.append(_head(header))

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def take_up(self) -> Iterator[Cells]:
        """Yield the fields of the rows of an earlier run; anything that is no row is refused."""
        for lines in self.chunks():
            for line in lines:
                if not self.count and b":" not in line.partition(b",")[0]:
                    raise InvalidDatasetFile(
                        f"{self.path} was begun by an earlier version of claimeven: finish it with"
                        " that, or remove it to begin again"
                    )
                try:
                    number, cells = _parted(line, self.fields)
                except (ValueError, StopIteration, csv.Error):
                    raise self.damaged() from None
                if not self.last_number <= number < _MOST_NUMBERS:
                    raise self.damaged()
                yield cells
                self.count += 1
                self.last_number = number

    def append(self, rows: Iterable[tuple[int, Cells]]) -> None:
        """Add rows, (number, fields) each; they are on their way to the disk when this returns."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        lines = []
        for number, cells in rows:
            writer.writerow(cells)
            lines.append(_line(number, text.getvalue().encode()))
            text.seek(0)
            text.truncate()
            self.count += 1
            self.last_number = number
        self._file.append(b"".join(lines))

    def chunks(self, most: int | None = None) -> Iterator[list[bytes]]:
        """Yield the lines of the first `most` rows, some at a time, each with its line end."""
        try:
            with self.path.open("rb") as stream:
                stream.readline()
                lines = islice(stream, most)
                while chunk := list(islice(lines, _CHUNK)):
                    yield chunk
        except OSError as error:
            raise self._unreadable(error) from None

    def damaged(self, row: int | None = None) -> InvalidDatasetFile:
        """Return the error that says that a row is not what was written.

        `row` counts from 0; usually it is the one after those counted.
        """
        line = (self.count if row is None else row) + 2
        return InvalidDatasetFile(
            f"{self.path} is damaged in line {line}: remove it to begin again"
        )

    def done(self) -> None:
        """Remove the journal: the data set is written."""
        self._file.remove()

    def _checked(self, header: Mapping[str, Any]) -> int:
        """Check the first line; return the length of the lines that are whole."""
        try:
            with self.path.open("rb") as stream:
                first, whole = b"", 0
                for line in stream:
                    first = first or line
                    whole += len(line) if line.endswith(b"\n") else 0
        except OSError as error:
            raise self._unreadable(error) from None
        if not whole and _head(header).startswith(first):  # none, or cut off as it was written
            return 0
        try:
            found = json.loads(first) if whole else None
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise InvalidDatasetFile(
                f"{self.path} is not a partial data set: remove it to begin again"
            )
        for name in {**found, **header}:
            if found.get(name) != header.get(name):
                begun = f"with {name} {found[name]}" if name in found else f"without {name}"
                asked = str(header[name]) if name in header else "without"
                if name not in found:
                    asked = f"with {name} {asked}"
                raise InvalidDatasetFile(
                    f"{self.path} was begun {begun}, not {asked}: ask for the same, or remove it"
                    " to begin again"
                )
        return whole

    def _unreadable(self, error: OSError) -> InvalidDatasetFile:
        return InvalidDatasetFile(f"{self.path} cannot be read: {error.strerror or error}")


def _head(header: Mapping[str, Any]) -> bytes:
    """Return the first line of a journal."""
    return json.dumps(header).encode() + b"\n"


def rows_of(lines: Iterable[bytes]) -> tuple[list[int], list[bytes]]:
    """Return the numbers of lines of a journal, and the lines of a table that they hold."""
    parts = [line.partition(b",") for line in lines]
    numbers = [int(head.partition(b":")[0]) for head, _, _ in parts]
    return numbers, [row for _, _, row in parts]


def _line(number: int, row: bytes) -> bytes:
    """Return a line of a journal: a row with its number, and what tells both from damaged ones."""
    return b"%d:%08x,%b" % (number, zlib.crc32(row, number & 0xFFFFFFFF), row)


def _parted(line: bytes, fields: Sequence[str]) -> tuple[int, Cells]:
    """Return number and fields of a line. Raises `ValueError` or `csv.Error` for a damaged one."""
    head, _, row = line.partition(b",")
    number = int(head.partition(b":")[0])
    if line != _line(number, row):
        raise ValueError("the line is not as it was written")
    return number, cells_of(row, fields)
