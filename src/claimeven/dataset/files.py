"""The files of a data set: CSV and Parquet, written row by row."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from claimeven import atomic_io
from claimeven.dataset.errors import InvalidDatasetFile
from claimeven.dataset.row_batches import Block, arrow_arrays, csv_text
from claimeven.game.geometry import Geometry

Cells = Sequence["int | str | None"]
CSV, PARQUET = SUFFIXES = (".csv", ".parquet")
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
    atomic_io.check_output(path)


def cells_of(row: bytes, fields: Sequence[str]) -> Cells:
    """Return the fields of a row of CSV. Raises `ValueError` or `csv.Error` for anything else."""
    texts = next(csv.reader([row.decode("ascii")]))
    return [
        text if name in _TEXT else int(text) if text else None
        for name, text in zip(fields, texts, strict=True)
    ]


def write_table(
    stream: BinaryIO,
    kind: str,
    fields: Sequence[str],
    chunks: Iterable[Sequence[bytes]],
    header: Mapping[str, Any],
) -> None:
    """Write rows of CSV, some at a time, as a file of a kind: one of `SUFFIXES`.

    `header` tells of the data set where a file has room for it.
    """
    if kind == CSV:
        stream.write(",".join(fields).encode() + b"\n")
        for rows in chunks:
            stream.writelines(rows)
    else:
        _write_parquet(stream, fields, chunks, header)


def write_blocks(
    stream: BinaryIO,
    kind: str,
    fields: Sequence[str],
    blocks: Iterable[Block],
    geometry: Geometry,
    header: Mapping[str, Any],
) -> None:
    """Write rows as `write_table` does, from arrays."""
    if kind == CSV:
        stream.write(",".join(fields).encode() + b"\n")
        for block in blocks:
            stream.write(csv_text(block, geometry))
    else:
        arrow, _ = imported_pyarrow()
        tables = (arrow_arrays(block, geometry, arrow) for block in blocks)
        _write_arrays(stream, _schema(fields, header), tables)


def _write_parquet(
    stream: BinaryIO,
    fields: Sequence[str],
    chunks: Iterable[Sequence[bytes]],
    header: Mapping[str, Any],
) -> None:
    arrow, _ = imported_pyarrow()
    schema = _schema(fields, header)

    def arrays_of(rows: Sequence[bytes]) -> list[Any]:
        columns = zip(*(cells_of(row, fields) for row in rows), strict=True)
        return [arrow.array(c, type=kind) for c, kind in zip(columns, schema.types, strict=True)]

    _write_arrays(stream, schema, (arrays_of(rows) for rows in chunks if rows))


def _schema(fields: Sequence[str], header: Mapping[str, Any]) -> Any:
    """Return the types of the fields of a Parquet file, and what it tells of itself."""
    arrow, _ = imported_pyarrow()
    wide = {"moves": arrow.string(), "game": arrow.int64()}
    wide |= {"mine": arrow.uint64(), "mask": arrow.uint64()}
    kinds = [(name, wide.get(name, arrow.int16())) for name in fields]
    return arrow.schema(kinds, metadata={"claimeven": json.dumps(dict(header))})


def _write_arrays(stream: BinaryIO, schema: Any, tables: Iterable[list[Any]]) -> None:
    arrow, parquet = imported_pyarrow()
    with parquet.ParquetWriter(stream, schema) as writer:
        for arrays in tables:
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


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
