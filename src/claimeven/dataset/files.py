"""The files of a data set, CSV and Parquet, their cards, and the journal of an unfinished set.

A card is a page of Markdown next to a file, as on the hub of Hugging Face. The head is YAML. Its
line `claimeven:` is the description of the data set as JSON, which is YAML too, so a CSV file has a
description without lines that other readers would not understand.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import compress, islice
from pathlib import Path
from string import Template
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from claimeven import atomic_io
from claimeven.dataset.dataset import (
    HALVES,
    DatasetPlan,
    InvalidDatasetFile,
    current_name,
    field_names,
    is_for_training,
)
from claimeven.errors import ClaimevenError
from claimeven.provenance import describe
from claimeven.text_io import reading

#: The end of a card's name.
CARD_SUFFIX = ".md"
_TEMPLATE = Path(__file__).parent / "data" / "card.md"
#: The start of the line with the description.
_LINE = "claimeven: "
#: The size categories of the hub, by powers of ten.
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")

#: Positions by ply and score.
PlyScores = Counter[tuple[int, int]]


def card_path(path: Path) -> Path:
    """Return the path of the card of a data set.

    >>> card_path(Path("set.csv")).name
    'set.csv.md'
    """
    return path.with_name(path.name + CARD_SUFFIX)


def count_rows(rows: Iterable[bytes], fields: Sequence[str]) -> PlyScores:
    """Count rows, as lines of CSV with these fields, by ply and score.

    >>> count_rows([b"44,2,-2,1\\n", b"43,2,-2,1\\n"], ["moves", "ply", "score", "optimal"])
    Counter({(2, -2): 2})
    """
    ply, score = fields.index("ply"), fields.index("score")
    found = Counter((r[ply], r[score]) for r in (row.split(b",", score + 1) for row in rows))
    return Counter({(int(ply), int(score)): count for (ply, score), count in found.items()})


def card_text(
    name: str, plan: DatasetPlan, about: Mapping[str, Any], counts: PlyScores, digest: str
) -> str:
    """Return the card of the file `name`: its description, sampling, columns, counts and digest."""
    plies: dict[int, Counter[int]] = {}
    scores = Counter[int]()
    for (ply, score), count in sorted(counts.items()):
        plies.setdefault(ply, Counter())[(score > 0) - (score < 0)] += count
        scores[score] += count
    total = counts.total()
    return Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(
        name=name,
        board=plan.geometry,
        size=_SIZES[min(max(len(str(total)) - 3, 0), len(_SIZES) - 1)],
        total=f"{total:,}",
        description=json.dumps(about),
        settings="\n".join(f"- {key}: {value}" for key, value in about["settings"].items()),
        version=about["claimeven"],
        machine=about["machine"],
        plies=_rows([ply, n.total(), n[1], n[0], n[-1]] for ply, n in plies.items()),
        scores=_rows(sorted(scores.items())),
        digest=digest,
    )


def _rows(rows: Iterable[Iterable[object]]) -> str:
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def read_card(path: Path) -> dict[str, Any] | None:
    """Return the description in a card, None for another file. Raises `OSError`."""
    head, _, _ = path.read_text(encoding="utf-8", errors="replace").partition("\n---\n")
    lines = [line for line in head.splitlines() if line.startswith(_LINE)]
    try:
        found: dict[str, Any] = json.loads(lines[0].removeprefix(_LINE))
        return {**found}
    except (LookupError, ValueError, TypeError, RecursionError):
        return None


CSV, PARQUET = SUFFIXES = (".csv", ".parquet")
#: The numbers of the games of some rows, int64 (n,), and the rows as lines of CSV.
Lines = tuple[npt.NDArray[np.int64], Sequence[bytes]]


@dataclass(frozen=True)
class DatasetResult:
    """The number of rows in the file, and of `held_out` rows in a second file."""

    positions: int
    held_out: int = 0
    held_out_path: Path | None = None


def check_target(path: Path) -> None:
    """Raise `InvalidDatasetFile` or `CannotWrite` unless a new data set can be written there."""
    if path.suffix not in SUFFIXES:
        raise InvalidDatasetFile(f"{path} must end in {' or '.join(SUFFIXES)}")
    if path.suffix == PARQUET:
        imported_pyarrow()
    if path.exists():
        raise InvalidDatasetFile(f"{path} already exists: choose another name or remove it")
    if (card := card_path(path)).is_file() and read_card(card) is None:
        raise InvalidDatasetFile(f"{card} is in the way: choose another name or remove it")
    atomic_io.check_output(path)
    atomic_io.check_output(card)


def held_out_path(path: Path) -> Path:
    """Return the file of the held-out set of a split.

    >>> held_out_path(Path("set.csv")).name
    'set-held-out.csv'
    """
    return path.with_name(f"{path.stem}-held-out{path.suffix}")


def write_rows(
    path: Path, plan: DatasetPlan, lines: Callable[[], Iterable[Lines]], split: float | None
) -> DatasetResult:
    """Write all rows to a file or, with `split`, to two files, each with its card.

    `lines` is called for each of them.
    """
    fields, header = field_names(plan.geometry, plan.optimal_only), plan.header()
    about = describe("data set", board=plan.geometry.as_dict(), seed=plan.seed)
    about["settings"] = header
    sides: Sequence[bool | None] = (None,)
    paths = [path]
    if split is not None:
        header["split"], sides, paths = split, (True, False), [path, held_out_path(path)]
    counts = []
    with atomic_io.binary_files(*paths, *map(card_path, paths)) as streams:
        for place, (stream, side) in enumerate(zip(streams, sides, strict=False)):
            found = PlyScores()
            with _table(stream, path.suffix, fields, {**header, "provenance": about}) as write:
                for games, rows in lines():
                    if side is not None and split is not None:
                        which = is_for_training(games, split, plan.seed) == side
                        rows = list(compress(rows, which))  # noqa: PLW2901 - rows of this side
                    write(rows)
                    found.update(count_rows(rows, fields))
            stream.flush()
            with Path(stream.name).open("rb") as written:
                digest = hashlib.file_digest(written, "sha256").hexdigest()
            text = card_text(paths[place].name, plan, about, found, digest)
            streams[len(paths) + place].write(text.encode())
            counts.append(found.total())
    return DatasetResult(counts[0], sum(counts[1:]), None if split is None else paths[1])


@contextmanager
def _table(
    stream: BinaryIO, kind: str, fields: Sequence[str], header: Mapping[str, Any]
) -> Iterator[Callable[[Sequence[bytes]], None]]:
    """Yield a function that writes lines of CSV to a file of a kind, one of `SUFFIXES`."""
    if kind == CSV:
        stream.write(",".join(fields).encode() + b"\n")
        yield stream.writelines
        return
    arrow, parquet = imported_pyarrow()
    from pyarrow import csv as tables  # noqa: PLC0415 - an extra

    wide = {"moves": arrow.string(), "game": arrow.int64()}
    wide |= {f"{n}{half}": arrow.uint64() for n in ("mine", "mask") for half in ("", *HALVES)}
    kinds = [(name, wide.get(name, arrow.int16())) for name in fields]
    schema = arrow.schema(kinds, metadata={"claimeven": json.dumps(dict(header))})
    read = tables.ReadOptions(column_names=list(fields), use_threads=False)
    convert = tables.ConvertOptions(column_types=schema)
    with parquet.ParquetWriter(stream, schema) as writer:

        def write(lines: Sequence[bytes]) -> None:
            if lines:
                content = io.BytesIO(b"".join(lines))
                table = tables.read_csv(content, read_options=read, convert_options=convert)
                writer.write_table(table.combine_chunks())

        yield write


def imported_pyarrow(error: type[ClaimevenError] = InvalidDatasetFile) -> tuple[Any, Any]:
    """Return `pyarrow` and `pyarrow.parquet`. Raises `error` if it is missing."""
    try:
        import pyarrow  # noqa: PLC0415 - an extra
        import pyarrow.parquet  # noqa: PLC0415 - for a quick start
    except ImportError:
        raise error(
            "Parquet files need pyarrow: pip install 'claimeven[data]', or use a .csv file"
        ) from None
    return pyarrow, pyarrow.parquet


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
        atomic_io.check_output(self.path)
        self._file = atomic_io.GrowingFile(self.path, lambda: self._checked(header))
        if not self.path.stat().st_size:
            self._file.append(atomic_io.json_line(header))

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
        if not whole and atomic_io.json_line(header).startswith(first):  # missing or incomplete
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
