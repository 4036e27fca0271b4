"""Data sets read back from their files: arrays, checked, a million rows in a few seconds."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.dataset.dataset import Dataset
from claimeven.dataset.errors import InvalidDatasetFile
from claimeven.dataset.files import CSV, SUFFIXES, imported_pyarrow
from claimeven.dataset.rows import COMMON, WORSE, Row, field_names
from claimeven.errors import ClaimevenError
from claimeven.game import batch as arrays
from claimeven.game.batch import disc_counts, has_line
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.solver.batch import is_no_position, unfinished
from claimeven.solver.scores import win_score
from claimeven.solver.solver import ILLEGAL

#: Bytes of text that are turned into numbers at a time; no more is held beside the arrays.
_BLOCK = 1 << 24
#: A field that is read, if it is one of the numbers that fit; of 19 digits some do not.
_INTEGER = re.compile(rb"[+-]?\d{1,19}")
_NUMBERS = range(-(2**63), 2**63)
#: The field that is not read: it holds no number.
_UNREAD = "moves"

#: Whole numbers of the fields that are read, one row a position.
_Numbers = npt.NDArray[np.int64]


class _Block(NamedTuple):
    """Some rows of a file that begin with row `first`, from 1: numbers of the fields read."""

    first: int
    numbers: _Numbers
    fields: list[str]

    @property
    def columns(self) -> int:
        """Of the board: what is told of each comes last."""
        return len(self.fields) - (len(COMMON) - 1)

    @property
    def is_right_only(self) -> bool:
        """Whether rows tell which columns are right, and not what each is worth."""
        return self.fields[-1].startswith("right_")

    def of(self, *names: str) -> _Numbers:
        """Return some fields, (rows, fields)."""
        return self.numbers[:, [self.fields.index(name) for name in names]]


def read_dataset(path: str | Path, geometry: Geometry = STANDARD) -> Dataset:
    """Read a data set that `make_dataset` wrote for a board.

    Raises `InvalidDatasetFile`, in a sentence that names the file and the row, for one that cannot
    be read, is of another kind or board, or holds what is no position or no scores of it.
    """
    path = Path(path)
    geometry.check_fits_word("a data set", InvalidDatasetFile)
    if path.suffix not in SUFFIXES:
        raise InvalidDatasetFile(f"{path} is no data set: those end in {' or '.join(SUFFIXES)}")
    try:
        blocks = (_csv_blocks if path.suffix == CSV else _parquet_blocks)(path, geometry)
        parts = [_checked(block, path, geometry) for block in blocks]
    except OSError as error:
        raise InvalidDatasetFile(f"{path} cannot be read: {error.strerror or error}") from None
    if not parts:
        raise InvalidDatasetFile(f"{path} holds no positions")
    mines, masks, scores, games = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Dataset(geometry, mines, masks, scores, games)


def read_rows(path: str | Path, geometry: Geometry = STANDARD) -> list[Row]:
    """Read a data set as its rows, each with the moves that lead to its position.

    Scores are `WORSE` where only the right columns were asked for. What `read_dataset` gives takes
    a twentieth of the time and memory. Raises `InvalidDatasetFile`
    as it does, and for moves that do not lead to the position of their row.
    """
    data = read_dataset(path, geometry)
    rows = []
    for number, moves in enumerate(_moves(Path(path), len(data)), start=1):
        place = number - 1
        try:
            position = Position.from_moves(moves, geometry)
        except ClaimevenError as error:
            raise InvalidDatasetFile(f"row {number} of {path}: {error}") from None
        if (position.mine, position.mask) != (data.mines[place], data.masks[place]):
            raise InvalidDatasetFile(f"row {number} of {path}: {moves} leads to another position")
        scores = tuple(None if score == ILLEGAL else score for score in data.scores[place].tolist())
        rows.append(Row(int(data.games[place]), moves, position, scores))
    return rows


def _moves(path: Path, count: int) -> list[str]:
    """Return the field of moves of a file that was read a moment ago."""
    try:
        if path.suffix == CSV:
            place = COMMON.index(_UNREAD)
            with path.open(encoding="ascii", errors="replace", newline="\n") as stream:
                found = [line.split(",", place + 1)[place] for line in list(stream)[1:]]
        else:
            with _read_by_arrow(path) as (_, parquet):
                table = parquet.read_table(path, columns=[_UNREAD])
                found = [str(moves or "") for moves in table[_UNREAD].to_pylist()]
    except OSError as error:
        raise InvalidDatasetFile(f"{path} cannot be read: {error.strerror or error}") from None
    if len(found) != count:
        raise InvalidDatasetFile(f"{path} changed while it was read")
    return found


def _csv_blocks(path: Path, geometry: Geometry) -> Iterator[_Block]:
    """Yield the rows of a file, many at a time."""
    first = 1
    with path.open("rb") as stream:
        header = stream.readline(_BLOCK).decode("utf-8-sig", "replace").strip()
        fields = header.split(",")
        read = _fields_read(fields, path, geometry)
        places = [fields.index(name) for name in read]
        while lines := stream.readlines(_BLOCK):
            yield _Block(first, _numbers_of(lines, places, len(fields), path, first), read)
            first += len(lines)


def _numbers_of(
    lines: list[bytes], read: list[int], fields: int, path: Path, first: int
) -> _Numbers:
    """Return the numbers of some rows of text; an empty field is a column that is full."""
    for place, line in enumerate(lines):
        if line.count(b",") != fields - 1:
            raise InvalidDatasetFile(f"row {first + place} of {path} has not {fields} fields")
    empty = b"," + str(ILLEGAL).encode()
    text = b"".join(lines).replace(b"\r\n", b"\n")
    # Twice, because fields that follow each other share a comma.
    text = text.replace(b",,", empty + b",").replace(b",,", empty + b",")
    text = text.replace(b",\n", empty + b"\n")
    if text.endswith(b","):
        text += empty[1:]
    try:
        found: _Numbers = np.loadtxt(
            io.StringIO(text.decode("ascii")), np.int64, None, ",", usecols=read, ndmin=2
        )
    except (ValueError, OverflowError):
        found = np.zeros((0, 0), dtype=np.int64)
    if len(found) != len(lines):
        bad = next((n for n, line in enumerate(lines) if not _holds_numbers(line, read)), None)
        rows = f"row {first + bad}" if bad is not None else f"rows {first} and following"
        raise InvalidDatasetFile(f"{path} holds other than whole numbers in {rows}")
    return found


def _holds_numbers(line: bytes, read: list[int]) -> bool:
    """Whether the fields of a line that are read are whole numbers, or empty."""
    fields = line.rstrip(b"\r\n").split(b",")
    return line.isascii() and all(_is_number(fields[place] or b"0") for place in read)


def _is_number(field: bytes) -> bool:
    return _INTEGER.fullmatch(field) is not None and int(field) in _NUMBERS


def _parquet_blocks(path: Path, geometry: Geometry) -> Iterator[_Block]:
    """Yield blocks as `_csv_blocks` does."""
    first = 1
    with path.open("rb") as stream, _read_by_arrow(path) as (arrow, parquet):
        file = parquet.ParquetFile(stream)
        read = _fields_read(file.schema_arrow.names, path, geometry)
        _check_board(file.schema_arrow.metadata or {}, path, geometry)
        for batch in file.iter_batches(batch_size=1 << 16, columns=read):
            columns = [batch.column(name).cast(arrow.int64()) for name in read]
            numbers = np.stack([c.fill_null(ILLEGAL).to_numpy() for c in columns], axis=1)
            yield _Block(first, numbers, read)
            first += batch.num_rows


@contextmanager
def _read_by_arrow(path: Path) -> Iterator[tuple[Any, Any]]:
    """Give PyArrow and its part for Parquet; raise `InvalidDatasetFile` where they find damage."""
    arrow, parquet = imported_pyarrow()
    try:
        yield arrow, parquet
    except InvalidDatasetFile:
        raise
    # The library tells damage in its own words, some as errors of the system.
    except (arrow.ArrowException, OSError, ValueError, TypeError):
        raise InvalidDatasetFile(f"{path} is no Parquet file, or it is damaged") from None


def _fields_read(found: list[str], path: Path, geometry: Geometry) -> list[str]:
    """Return which fields of a file are read; `InvalidDatasetFile` unless they are those of a data
    set of a board.
    """
    if any(found == field_names(geometry, right_only) for right_only in (False, True)):
        return [name for name in found if name != _UNREAD]
    columns = len(found) - len(COMMON)
    if found[: len(COMMON)] == list(COMMON) and columns != geometry.columns:
        raise InvalidDatasetFile(
            f"{path} is of a board of {columns} columns, and {geometry} has {geometry.columns}"
        )
    raise InvalidDatasetFile(
        f"{path} is no data set of this version: its fields must be"
        f" {', '.join(field_names(geometry))}, or right_ in place of score_"
    )


def _check_board(metadata: dict[bytes, bytes], path: Path, geometry: Geometry) -> None:
    """Raise `InvalidDatasetFile` where a Parquet file says that it is of another board."""
    try:
        header = json.loads(metadata[b"claimeven"])
        board = Geometry(header["columns"], header["rows"], header["connect"])
    except (KeyError, ValueError, TypeError, RecursionError):
        raise InvalidDatasetFile(f"{path} is no data set: it does not tell its board") from None
    if board != geometry:
        raise InvalidDatasetFile(f"{path} is of {board}, not {geometry}")


def _checked(block: _Block, path: Path, geometry: Geometry) -> tuple[Any, ...]:
    """Return the arrays of a `Dataset` of some rows."""
    mines, masks = block.of("mine", "mask").T.astype(np.uint64)
    plies = disc_counts(masks)
    goes_on = np.zeros(len(mines), dtype=np.bool_)
    goes_on[unfinished(mines, masks, geometry)] = True
    _refuse(is_no_position(mines, masks, geometry) | ~goes_on, "is no position that goes on of",
            path, block.first, geometry)  # fmt: skip
    scores, unclear = _scores_told(block)
    tops = [
        np.uint64(1 << geometry.bit(column, geometry.rows - 1))
        for column in range(geometry.columns)
    ]
    full = np.stack([masks & top != 0 for top in tops], axis=1)
    most = win_score(geometry, plies)
    told = ~full & (scores != WORSE if block.is_right_only else True)
    impossible = (scores > most[:, None]) | (scores < -most[:, None])
    wrong = unclear | ((scores == ILLEGAL) != full) | (told & impossible)
    for column, (can, theirs, after) in enumerate(arrays.moves(mines, masks, geometry)):
        # What tells a set of another number in a line from one of this board.
        wins = has_line(theirs ^ after, geometry)
        wrong[can, column] |= wins != (scores[can, column] == most[can])
    best = scores.max(axis=1)
    wrong |= (best == WORSE)[:, None]
    right = (scores == best[:, None]).sum(axis=1)
    sums = np.stack([plies, best, right], axis=1)
    wrong_sums = (block.of("ply", "score", "right") != sums).any(axis=1)
    _refuse(wrong.any(axis=1) | wrong_sums, "holds no scores of a position of",
            path, block.first, geometry)  # fmt: skip
    return mines, masks, scores.astype(np.int8), block.of("game")[:, 0]


def _scores_told(block: _Block) -> tuple[_Numbers, npt.NDArray[np.bool_]]:
    """Return the scores that rows tell, (n, columns), and where a field says nothing clear.

    Where a column is told to be right or not, the score of the position is that of the right ones.
    """
    columns = block.numbers[:, len(block.fields) - block.columns :]
    if not block.is_right_only:
        return columns, np.zeros(columns.shape, dtype=np.bool_)
    scores = np.where(columns == 1, block.of("score"), np.where(columns == 0, WORSE, ILLEGAL))
    return scores, ~np.isin(columns, (0, 1, ILLEGAL))


def _refuse(
    bad: npt.NDArray[np.bool_], what: str, path: Path, first: int, geometry: Geometry
) -> None:
    """Raise `InvalidDatasetFile` for the first bad row, if there is one."""
    if bad.any():
        raise InvalidDatasetFile(f"row {first + int(np.argmax(bad))} of {path} {what} {geometry}")
