"""The files of a data set: the journal of work in progress, CSV, Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from claimeven import outputs
from claimeven.dataset.errors import InvalidDatasetFile

Cells = Sequence["int | str | None"]
CSV, PARQUET = SUFFIXES = (".csv", ".parquet")
PARTIAL = ".partial"
#: Fields that are text; the others are whole numbers, empty where there is none.
_TEXT = ("moves",)


def check_target(path: Path) -> None:
    """Raise `InvalidDatasetFile` or `CannotWrite` unless a new data set can be written there."""
    if path.suffix not in SUFFIXES:
        raise InvalidDatasetFile(f"{path} must end in {' or '.join(SUFFIXES)}")
    if path.suffix == PARQUET:
        imported_pyarrow()
    if path.exists():
        raise InvalidDatasetFile(f"{path} is there already: choose another name or remove it")
    outputs.check_output(path)


class Journal:
    """The rows made so far, kept in `path` + ".partial" line by line.

    The first line holds the options, each further one the number of a row's candidate and its
    fields. A last line that was cut off is dropped; anything else that is wrong is refused with
    `InvalidDatasetFile`. `rows` holds the fields of all rows.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], fields: Sequence[str]) -> None:
        check_target(path)
        self.path = path.with_name(path.name + PARTIAL)
        self.fields = fields
        self.rows: list[Cells] = []
        self.last_number = 0
        outputs.check_output(self.path)
        whole = self._load(header) if self.path.exists() else 0
        self._file = outputs.GrowingFile(self.path, whole)
        if not whole:
            self._file.append(json.dumps(header).encode() + b"\n")

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def append(self, rows: Iterable[tuple[int, Cells]]) -> None:
        """Add rows, (number, fields) each; they are on their way to the disk when this returns."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for number, cells in rows:
            writer.writerow([number, *cells])
            self.rows.append(cells)
            self.last_number = number
        self._file.append(text.getvalue().encode())

    def damaged(self, line: int) -> InvalidDatasetFile:
        """Return the error that says which line is not what was written."""
        return InvalidDatasetFile(
            f"{self.path} is damaged in line {line}: remove it to begin again"
        )

    def done(self) -> None:
        """Remove the journal: the data set is written."""
        self._file.remove()

    def _load(self, header: Mapping[str, Any]) -> int:
        """Read the rows of an earlier run; return the length of the lines that are whole."""
        try:
            content = self.path.read_bytes()
        except OSError as error:
            reason = error.strerror or error
            raise InvalidDatasetFile(f"{self.path} cannot be read: {reason}") from None
        whole = content.rfind(b"\n") + 1
        first, _, rest = content[:whole].partition(b"\n")
        if not first:
            return 0
        self._check_header(first, header)
        for number, line in enumerate(rest.splitlines(), start=2):
            try:
                cells = next(csv.reader([line.decode("ascii")]))
                source, *values = (
                    text if name in _TEXT else int(text) if text else None
                    for name, text in zip(("number", *self.fields), cells, strict=True)
                )
                assert isinstance(source, int)
            except (ValueError, AssertionError, StopIteration, csv.Error):
                raise self.damaged(number) from None
            self.rows.append(values)
            self.last_number = source
        return whole

    def _check_header(self, line: bytes, header: Mapping[str, Any]) -> None:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise InvalidDatasetFile(
                f"{self.path} is not a partial data set: remove it to begin again"
            )
        for name, value in header.items():
            if found.get(name) != value:
                raise InvalidDatasetFile(
                    f"{self.path} was begun with {name} {found.get(name)}, not {value}:"
                    " ask for the same, or remove it to begin again"
                )


def write_table(
    path: Path, fields: Sequence[str], rows: Sequence[Cells], header: Mapping[str, Any]
) -> None:
    """Write rows as CSV or Parquet, whole or not at all. Raises `CannotWrite`."""
    write: Callable[..., None] = _write_csv if path.suffix == CSV else _write_parquet
    with outputs.binary_file(path) as stream:
        write(stream, fields, rows, header)


def _write_csv(
    stream: BinaryIO, fields: Sequence[str], rows: Sequence[Cells], header: Mapping[str, Any]
) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(fields)
    writer.writerows(rows)
    text.detach()


def _write_parquet(
    stream: BinaryIO, fields: Sequence[str], rows: Sequence[Cells], header: Mapping[str, Any]
) -> None:
    arrow, parquet = imported_pyarrow()
    wide = {"moves": arrow.string(), "game": arrow.int64()}
    wide |= {"mine": arrow.uint64(), "mask": arrow.uint64()}
    types = [wide.get(name, arrow.int16()) for name in fields]
    columns = [
        arrow.array([row[place] for row in rows], type=kind) for place, kind in enumerate(types)
    ]
    table = arrow.Table.from_arrays(columns, names=list(fields))
    parquet.write_table(
        table.replace_schema_metadata({"claimeven": json.dumps(dict(header))}), stream
    )


def imported_pyarrow() -> tuple[Any, Any]:
    """Return `pyarrow` and `pyarrow.parquet`. Raises `InvalidDatasetFile` where it is missing."""
    try:
        import pyarrow  # noqa: PLC0415 - an extra
        import pyarrow.parquet  # noqa: PLC0415 - for a quick start
    except ImportError:
        raise InvalidDatasetFile(
            "Parquet files need pyarrow: pip install 'claimeven[data]', or take a .csv file"
        ) from None
    return pyarrow, pyarrow.parquet
