"""Rows of a data set as arrays, and made text or columns of Arrow without a loop over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven.game.batch import Boards
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_names
from claimeven.solver.solver import ILLEGAL

_Text = npt.NDArray[np.uint8]

_TEN, _ZERO = np.uint64(10), ord("0")
#: The numbers -128 to 127 as text, blank where it ends; `ILLEGAL`, -128, is all blank.
_SMALL = np.array(
    [list(str(n).encode().ljust(4, b"\0")) if n != ILLEGAL else [0] * 4 for n in range(-128, 128)],
    dtype=np.uint8,
)


@dataclass(frozen=True)
class Block:
    """Rows of one ply, n of them.

    `games` is an int64 array (n,), `moves` (n, ply) holds columns from 0, `mines` and `masks` are
    uint64 arrays (n,), and `scores` (n, columns) of int8 has `ILLEGAL` where a column is full.
    """

    games: npt.NDArray[np.int64]
    moves: npt.NDArray[np.uint8]
    mines: Boards
    masks: Boards
    scores: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.games)

    @property
    def best(self) -> npt.NDArray[np.int8]:
        """Scores of the positions, (n,)."""
        found: npt.NDArray[np.int8] = self.scores.max(axis=1)
        return found

    @property
    def sums(self) -> npt.NDArray[np.int8]:
        """The fields ply, score and right, (n, 3)."""
        ply = np.full(len(self), self.moves.shape[1])
        right = (self.scores == self.best[:, None]).sum(axis=1)
        return np.stack((ply, self.best, right), axis=1).astype(np.int8)

    def picked(self, which: npt.NDArray[np.bool_]) -> Block:
        """Return some of the rows."""
        return Block(
            self.games[which],
            self.moves[which],
            self.mines[which],
            self.masks[which],
            self.scores[which],
        )


def csv_text(block: Block, geometry: Geometry) -> bytes:
    """Return rows as lines of CSV, the same that `Row.cells` gives one by one."""
    sums = block.sums
    fields = [
        _digits(block.games.astype(np.uint64)),
        _names(block, geometry),
        _SMALL[sums[:, 0].astype(np.int64) + 128],
        _digits(block.mines),
        _digits(block.masks),
        *(_SMALL[column.astype(np.int64) + 128] for column in (*sums.T[1:], *block.scores.T)),
    ]
    comma = np.full((len(block), 1), ord(","), dtype=np.uint8)
    text = np.concatenate([piece for field in fields for piece in (field, comma)], axis=1)
    text[:, -1] = ord("\n")
    written: _Text = text[text != 0]
    return written.tobytes()


def arrow_arrays(block: Block, geometry: Geometry, arrow: Any) -> list[Any]:
    """Return the columns of rows for a table of Arrow: the fields as `field_names` lists them."""
    ends = np.arange(len(block) + 1, dtype=np.int32) * block.moves.shape[1]
    names = np.ascontiguousarray(_names(block, geometry))
    moves = arrow.StringArray.from_buffers(
        len(block), arrow.py_buffer(ends.tobytes()), arrow.py_buffer(names.tobytes())
    )
    ply, score, right = (arrow.array(field.astype(np.int16)) for field in block.sums.T)
    scores = [arrow.array(s.astype(np.int16), mask=s == ILLEGAL) for s in block.scores.T]
    discs = [arrow.array(words) for words in (block.mines, block.masks)]
    return [arrow.array(block.games), moves, ply, *discs, score, right, *scores]


def _names(block: Block, geometry: Geometry) -> _Text:
    """Return the moves as characters, (n, ply)."""
    names: _Text = np.frombuffer(column_names(geometry.columns).encode(), dtype=np.uint8)
    return names[block.moves]


def _digits(numbers: Boards) -> _Text:
    """Return numbers as digits, one a column, blank before the first."""
    width = len(str(int(numbers.max(initial=0))))
    text = np.zeros((len(numbers), width), dtype=np.uint8)
    for place in reversed(range(width)):
        tenths = numbers // _TEN
        digit = (numbers - tenths * _TEN).astype(np.uint8) + np.uint8(_ZERO)
        # Nothing is left where the number has begun already; the last digit of 0 stays.
        text[:, place] = np.where(numbers != 0, digit, 0) if place < width - 1 else digit
        numbers = tenths
    return text
