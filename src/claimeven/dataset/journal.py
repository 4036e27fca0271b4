"""The journal of an unfinished data set: its rows on disk."""

from __future__ import annotations

import csv
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.atomic_io import GrowingFile, check_output
from claimeven.dataset.config import InvalidDatasetFile
from claimeven.dataset.dataset import current_name
from claimeven.dataset.files import Lines, check_target
from claimeven.text_io import reading

PARTIAL = ".partial"
#: Rows that are read at a time.
_CHUNK = 1 << 14
#: The limit on the numbers of candidates and games, which ascend.
_MAX_NUMBER = 1 << 63

Cells = Sequence["int | str | None"]


def journal_path(path: Path) -> Path:
    """Return the journal of an unfinished data set.

    >>> journal_path(Path("set.csv")).name
    'set.csv.partial'
    """
    return path.with_name(path.name + PARTIAL)


class DatasetJournal:
    """The finished rows, stored in `path` + ".partial", or at another `place`, line by line.

    The first line has the options. Each other line has the number of the candidate or game, a check
    of the line, and the fields of the row. An incomplete last line is dropped. After `rows` there
    are `count` rows, the last with `last_number`. Raises `InvalidDatasetFile` for a file of other
    options, and for other files.
    """

    def __init__(
        self,
        path: Path,
        header: Mapping[str, Any],
        fields: Sequence[str],
        place: Path | None = None,
    ) -> None:
        check_target(path)
        self.path: Path = journal_path(path) if place is None else place
        self.fields = fields
        self.count = 0
        self.last_number = 0
        check_output(self.path)
        self._file = GrowingFile(self.path, lambda: self._checked(header))
        if not self.path.stat().st_size:
            self._file.append(_head(header))

    def close(self) -> None:
        self._file.close()

    def rows(self) -> Iterator[tuple[int, Cells]]:
        """Yield the rows of an earlier run with their numbers. Raises `InvalidDatasetFile`."""
        for lines in self.chunks():
            for line in lines:
                if not self.count and b":" not in line.partition(b",")[0]:
                    raise InvalidDatasetFile(
                        f"{self.path} is of an earlier version of claimeven: finish it with that"
                        " version, or remove it to start again"
                    )
                try:
                    number, cells = _parted(line, self.fields)
                except (ValueError, StopIteration, csv.Error):
                    raise self.corrupt() from None
                if not self.last_number <= number < _MAX_NUMBER:
                    raise self.corrupt()
                yield number, cells
                self.count += 1
                self.last_number = number

    def append(self, rows: Iterable[tuple[int, Cells]]) -> None:
        """Add rows, (number, fields) each, and write them."""
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
        """Yield the lines of the first `most` rows in chunks, with their line ends."""
        with reading(self.path, InvalidDatasetFile), self.path.open("rb") as stream:
            stream.readline()
            lines = islice(stream, most)
            while chunk := list(islice(lines, _CHUNK)):
                yield chunk

    def lines(self, most: int | None = None) -> Iterator[Lines]:
        """Yield the first `most` rows as lines of a table in chunks, with their numbers."""
        for chunk in self.chunks(most):
            parts = [line.partition(b",") for line in chunk]
            numbers = [int(head.partition(b":")[0]) for head, _, _ in parts]
            yield np.array(numbers, dtype=np.int64), [row for _, _, row in parts]

    def corrupt(self, row: int | None = None) -> InvalidDatasetFile:
        """Return the error for a corrupt row, counted from 0, by default the next row."""
        line = (self.count if row is None else row) + 2
        return InvalidDatasetFile(
            f"{self.path} is corrupt in line {line}: remove it to start again"
        )

    def remove(self) -> None:
        self._file.remove()

    def _checked(self, header: Mapping[str, Any]) -> int:
        """Check the first line; return the length of the complete lines."""
        with reading(self.path, InvalidDatasetFile), self.path.open("rb") as stream:
            first, whole = b"", 0
            for line in stream:
                first = first or line
                whole += len(line) if line.endswith(b"\n") else 0
        if not whole and _head(header).startswith(first):  # missing or incomplete
            return 0
        found = header_in(first) if whole else None
        if found is None:
            raise InvalidDatasetFile(
                f"{self.path} is not a partial data set: remove it to start again"
            )
        for name in {**found, **header}:
            if found.get(name) != header.get(name):
                started = f"with {name} {found[name]}" if name in found else f"without {name}"
                given = str(header[name]) if name in header else "without"
                if name not in found:
                    given = f"with {name} {given}"
                raise InvalidDatasetFile(
                    f"{self.path} was started {started}, not {given}: give the same options, or"
                    " remove it to start again"
                )
        return whole


def header_in(line: bytes) -> dict[str, Any] | None:
    """Return the options in the first line of a journal; None for another line."""
    with suppress(ValueError, RecursionError, AttributeError):
        return {current_name(name): value for name, value in json.loads(line).items()}
    return None


def _head(header: Mapping[str, Any]) -> bytes:
    """Return the first line of a journal."""
    return json.dumps(header).encode() + b"\n"


def _line(number: int, row: bytes) -> bytes:
    """Return a line of a journal: a row with its number and a check of both."""
    return b"%d:%08x,%b" % (number, zlib.crc32(row, number & 0xFFFFFFFF), row)


def _parted(line: bytes, fields: Sequence[str]) -> tuple[int, Cells]:
    """Return number and fields of a line. Raises `ValueError` or `csv.Error` for a corrupt one."""
    head, _, row = line.partition(b",")
    number = int(head.partition(b":")[0])
    if line != _line(number, row):
        raise ValueError("the line does not match its check")
    texts = next(csv.reader([row.decode("ascii")]))
    return number, [
        text if name == "moves" else int(text) if text else None
        for name, text in zip(fields, texts, strict=True)
    ]
