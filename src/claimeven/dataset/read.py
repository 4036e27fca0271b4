"""Reading of data sets: checked arrays, a million rows in a few seconds."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven.compiled import MAX_BITS
from claimeven.compiled.wide import joined, words_of
from claimeven.dataset.dataset import (
    COMMON,
    HALVES,
    WORSE,
    Dataset,
    InvalidDatasetFile,
    Row,
    common_fields,
    current_name,
    field_names,
)
from claimeven.dataset.files import CSV, SUFFIXES, card_path, imported_pyarrow, read_card
from claimeven.errors import ClaimevenError, path_of
from claimeven.game import batch
from claimeven.game.batch import disc_counts, has_line
from claimeven.game.geometry import STANDARD, Geometry, check_geometry
from claimeven.game.position import Position
from claimeven.provenance import check_schema
from claimeven.solver.queries import is_invalid_position, unfinished
from claimeven.solver.scores import win_score
from claimeven.solver.solver import ILLEGAL
from claimeven.text_io import reading

#: Bytes of text that are converted at a time, which limits the memory.
_BLOCK = 1 << 24
#: The field that is not read, since it is not a number.
_UNREAD = "moves"

#: Whole numbers, a row a position: the fields of a file but for `_UNREAD`. The low half of a word
#: may be negative: it has all of its 64 bits.
_Numbers = npt.NDArray[np.int64]


def read_dataset(path: str | Path, geometry: Geometry = STANDARD) -> Dataset:
    """Read a data set that `make_dataset` wrote for a board.

    Raises `InvalidDatasetFile` for a file that cannot be read, is of another kind or board, or
    contains invalid positions or scores. The message names the file and the row.
    """
    path = path_of(path, InvalidDatasetFile)
    check_geometry(geometry, InvalidDatasetFile)
    geometry.check_fits_word("a data set", InvalidDatasetFile, MAX_BITS)
    if path.suffix not in SUFFIXES:
        raise InvalidDatasetFile(f"{path} must end in {' or '.join(SUFFIXES)} as data sets do")
    parts, first = [], 1
    with reading(path, InvalidDatasetFile):
        rows = (_of_csv if path.suffix == CSV else _of_parquet)(path, geometry)
        for numbers, optimal_only in rows:
            parts.append(_checked(numbers, optimal_only, path, first, geometry))
            first += len(numbers)
    if not parts:
        raise InvalidDatasetFile(f"{path} contains no positions")
    return Dataset(geometry, *(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def read_rows(path: str | Path, geometry: Geometry = STANDARD) -> list[Row]:
    """Read a data set as its rows, with the moves that lead to the positions.

    `read_dataset` takes a twentieth of the time and memory. Raises `InvalidDatasetFile` as it does,
    and for moves that do not lead to the position of their row.
    """
    data = read_dataset(path, geometry)
    rows = []
    for place, moves in enumerate(_moves(Path(path), len(data))):
        try:
            position = Position.from_moves(moves, geometry)
        except ClaimevenError as error:
            raise InvalidDatasetFile(f"row {place + 1} of {path}: {error}") from None
        if (position.mine, position.mask) != (data.mines[place], data.masks[place]):
            raise InvalidDatasetFile(
                f"row {place + 1} of {path}: {moves} leads to another position"
            )
        scores = tuple(None if score == ILLEGAL else score for score in data.scores[place].tolist())
        rows.append(Row(int(data.games[place]), moves, position, scores))
    return rows


def _moves(path: Path, count: int) -> list[str]:
    """Return the moves in a file that has been read before."""
    with reading(path, InvalidDatasetFile):
        if path.suffix == CSV:
            place = COMMON.index(_UNREAD)
            with path.open(encoding="ascii", errors="replace", newline="\n") as stream:
                found = [line.split(",", place + 1)[place] for line in list(stream)[1:]]
        else:
            with _read_by_arrow(path) as (_, parquet):
                table = parquet.read_table(path, columns=[_UNREAD])
                found = [str(moves or "") for moves in table[_UNREAD].to_pylist()]
    if len(found) != count:
        raise InvalidDatasetFile(f"{path} changed while it was read")
    return found


def _of_csv(path: Path, geometry: Geometry) -> Iterator[tuple[_Numbers, bool]]:
    """Yield the numbers of rows in chunks, and whether the file has only the best columns."""
    first, card = 1, card_path(path)
    about = (read_card(card) if card.is_file() else None) or {"board": geometry.as_dict()}
    check_schema("data set", about.get("schema"), path, about, InvalidDatasetFile)
    with path.open("rb") as stream:
        header = stream.readline(_BLOCK).decode("utf-8-sig", "replace").strip()
        fields = header.split(",")
        read, optimal_only = _fields_read(fields, path, geometry)
        kinds = {fields.index(name): _kind(name) for name in read}
        while lines := stream.readlines(_BLOCK):
            yield _numbers_of(lines, kinds, len(fields), path, first), optimal_only
            first += len(lines)
    if about.get("board") != geometry.as_dict():  # few positions may fit both boards
        raise InvalidDatasetFile(f"{path} is not of {geometry}: {card} names its board")


def _numbers_of(
    lines: list[bytes], kinds: dict[int, type], fields: int, path: Path, first: int
) -> _Numbers:
    """Return the numbers of rows of text; an empty field is a full column."""
    for place, line in enumerate(lines):
        if line.count(b",") != fields - 1:
            raise InvalidDatasetFile(f"row {first + place} of {path} does not have {fields} fields")
        if not line.isascii():
            raise InvalidDatasetFile(f"{path} must contain whole numbers in row {first + place}")
    text = b"".join(lines).replace(b"\r\n", b"\n")
    if not text.endswith(b"\n"):
        text += b"\n"
    full = b"," + str(ILLEGAL).encode()
    for empty in (b",,", b",,", b",\n"):  # twice, because consecutive fields share a comma
        text = text.replace(empty, full + empty[1:])
    kind = np.dtype([(str(place), each) for place, each in kinds.items()])
    rows = f"rows {first} and following"
    try:
        found = np.loadtxt(
            io.StringIO(text.decode("ascii")), kind, None, ",", usecols=list(kinds), ndmin=1
        )
    except (ValueError, OverflowError) as error:
        found = np.zeros(0, dtype=kind)
        if (at := re.search(r"at row (\d+)", str(error))) is not None:
            rows = f"row {first + int(at[1])}"
    if len(found) != len(lines):
        raise InvalidDatasetFile(f"{path} must contain whole numbers in {rows}")
    return found.view(np.int64).reshape(len(found), -1)


def _kind(name: str) -> type[np.uint64 | np.int64]:
    return np.uint64 if name.endswith(HALVES[0]) else np.int64


def _of_parquet(path: Path, geometry: Geometry) -> Iterator[tuple[_Numbers, bool]]:
    """Yield the same as `_of_csv`."""
    with path.open("rb") as stream, _read_by_arrow(path) as (_, parquet):
        file = parquet.ParquetFile(stream)
        read, optimal_only = _fields_read(file.schema_arrow.names, path, geometry)
        _check_board(file.schema_arrow.metadata or {}, path, geometry)
        for rows in file.iter_batches(batch_size=1 << 16, columns=read):
            columns = [rows.column(name).cast(np.dtype(_kind(name)).name) for name in read]
            filled = [
                c.fill_null(0 if _kind(n) is np.uint64 else ILLEGAL)
                for n, c in zip(read, columns, strict=True)
            ]
            yield np.stack([c.to_numpy().view(np.int64) for c in filled], axis=1), optimal_only


@contextmanager
def _read_by_arrow(path: Path) -> Iterator[tuple[Any, Any]]:
    """Yield PyArrow and its Parquet module; raise `InvalidDatasetFile` for their errors."""
    arrow, parquet = imported_pyarrow()
    try:
        yield arrow, parquet
    except InvalidDatasetFile:
        raise
    # Corrupt files raise errors of the library or of the system.
    except (arrow.ArrowException, OSError, ValueError, TypeError):
        raise InvalidDatasetFile(f"{path} is not a Parquet file, or it is corrupt") from None


def _fields_read(found: list[str], path: Path, geometry: Geometry) -> tuple[list[str], bool]:
    """Return the fields to read, and whether the file has only the best columns; or raise."""
    for optimal_only in (False, True):
        if [current_name(name) for name in found] == field_names(geometry, optimal_only):
            return [name for name in found if name != _UNREAD], optimal_only
    common = common_fields(geometry)
    columns = len(found) - len(common)
    first = tuple(current_name(name) for name in found[: len(common)])
    if first == common and columns != geometry.columns:
        raise InvalidDatasetFile(
            f"{path} must have {geometry.columns} columns for {geometry}, got {columns}"
        )
    raise InvalidDatasetFile(
        f"{path} is not a data set of this version: its fields must be"
        f" {', '.join(field_names(geometry))}, or optimal_ in place of score_"
    )


def _check_board(metadata: dict[bytes, bytes], path: Path, geometry: Geometry) -> None:
    try:
        header = json.loads(metadata[b"claimeven"])
        board = Geometry(header["columns"], header["rows"], header["connect"])
        about = header.get("provenance", {})
        check_schema("data set", about.get("schema"), path, about, InvalidDatasetFile)
    except (KeyError, ValueError, TypeError, RecursionError):
        raise InvalidDatasetFile(f"{path} is not a data set: it does not state its board") from None
    if board != geometry:
        raise InvalidDatasetFile(f"{path} is of {board}, not {geometry}")


def _checked(
    numbers: _Numbers, optimal_only: bool, path: Path, first: int, geometry: Geometry
) -> tuple[Any, ...]:
    """Return the arrays of a `Dataset` of some rows; `first` is the number of the first, from 1."""
    read = len(common_fields(geometry)) - 1
    games, ply, *discs, score, optimal = numbers[:, :read].T
    columns = numbers[:, read:]
    halves = np.reshape(discs, (2, -1, len(numbers))).astype(np.uint64)
    mines, masks = (
        words_of(each[0], geometry.bits) if geometry.fits_word else joined(*each) for each in halves
    )
    plies = disc_counts(masks)
    is_over = np.ones(len(mines), dtype=np.bool_)
    is_over[unfinished(mines, masks, geometry)] = False
    bad = is_invalid_position(mines, masks, geometry) | is_over
    _reject(bad, "is not an unfinished position of", path, first, geometry)
    scores, most = columns, win_score(geometry, plies)[:, None]
    tops = [1 << geometry.bit(column, geometry.rows - 1) for column in range(geometry.columns)]
    full = masks[:, None] & words_of(tops, geometry.bits) != 0
    wrong = np.zeros(columns.shape, dtype=np.bool_)
    if optimal_only:  # the best columns have the score of the position
        wrong |= ~np.isin(columns, (0, 1, ILLEGAL))
        scores = np.where(columns == 1, score[:, None], np.where(columns == 0, WORSE, ILLEGAL))
    known = ~full & ((scores != WORSE) | (not optimal_only))
    wrong |= ((scores == ILLEGAL) != full) | (known & ((scores > most) | (scores < -most)))
    for column, (can, theirs, after) in enumerate(batch.moves(mines, masks, geometry)):
        # This rejects data sets for another number of discs in a line.
        wins = has_line(theirs ^ after, geometry)
        wrong[can, column] |= wins != (scores[can, column] == most[can, 0])
    best = scores.max(axis=1)
    best_columns = (scores == best[:, None]).sum(axis=1)
    bad = wrong.any(axis=1) | (best == WORSE)
    bad |= (ply != plies) | (score != best) | (optimal != best_columns)
    _reject(bad, "contains no scores of a position of", path, first, geometry)
    return mines, masks, scores.astype(np.int8), games


def _reject(
    bad: npt.NDArray[np.bool_], what: str, path: Path, first: int, geometry: Geometry
) -> None:
    if bad.any():
        raise InvalidDatasetFile(f"row {first + int(np.argmax(bad))} of {path} {what} {geometry}")
