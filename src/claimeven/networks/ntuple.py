"""N-tuple networks: a value looked up in many small tables, one for each group of cells.

A tuple is a group of cells. Each cell has one of four states, a digit in base 4: `EMPTY` and out of
reach, a disc of the `FIRST` or of the `SECOND` player, or empty and `PLAYABLE` by the next disc.
The digits of a tuple's cells make an index, first cell least, into a table of weights. There is
one table a tuple for each side to move, and a tuple shares its table with its mirror image, so a
position and its mirror image are worth the same. The value for the **first player** is the
hyperbolic tangent of the sum of all weights looked up, from -1 to 1.

A tuple and its mirror image are two *slots*: two places on the board, one table. Here a tuple of
three cells, numbered by their digits, after the discs 4, 4 and 5 (x the first player's):

```text
    slot 0, the tuple          slot 1, its image          a position
    .  .  .  .  .  .  .        .  .  .  .  .  .  .        .  .  .  .  .  .  .
    .  .  .  2  .  .  .        .  .  .  2  .  .  .        .  .  .  o  .  .  .
    .  .  0  1  .  .  .        .  .  .  1  0  .  .        .  .  .  x  x  .  .

    cells of slot 0: PLAYABLE, FIRST, SECOND    index 3 + 1 * 4 + 2 * 16 = 39
    cells of slot 1: FIRST, FIRST, SECOND       index 1 + 1 * 4 + 2 * 16 = 37
    sum of weights: table[39] + table[37] + the weights of all other tuples
```

In a file only the trained weights are stored, in 10 bits each. Arrays: `tuples` int8
(tuples, cells, 2), the column and row of each cell, -1 if a tuple has fewer; `places` uint8
(4, weights), the distances from one weight that is not zero to the next as byte planes, lowest byte
first; `weights` uint8 (2, weights), the weights as signed 16-bit numbers in steps of `unit`, 511
either side of zero, the same way. Planes pack better than numbers, and with 10 bits, without
measurable loss of strength, the file of the bundled network is a fifth smaller than with 12.

Source: Thill, Koch and Konen, "Reinforcement learning with n-tuples on the game Connect-4" (PPSN
2012); the idea is Bledsoe and Browning's (1959), and for games Lucas's (2008).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.compiled import Ints, int64, named_tuple
from claimeven.game.bitboard import playable_cells
from claimeven.game.geometry import STANDARD, Geometry, check_geometry
from claimeven.game.position import Position, check_position
from claimeven.game.validation import instance, seed_number, whole_number
from claimeven.montecarlo.puct.policy_value import InvalidNetwork
from claimeven.networks.model_file import ModelFile, name_in_errors, read_model, write_model

#: The digits of a cell.
EMPTY, FIRST, SECOND, PLAYABLE = 0, 1, 2, 3
STATES = 4
#: Tuples and cells of each in the published network, and the most cells a table can bear.
DEFAULT_TUPLES, DEFAULT_LENGTH, MAX_LENGTH = 70, 8, 10

#: A value of 1 as the whole number that searches compare.
SCALE = 1_000_000

Cell = tuple[int, int]
Tuple = tuple[Cell, ...]


class TupleArrays(NamedTuple):
    """The tuples of a network for kernels, int64. Slot 2i is tuple i, slot 2i + 1 its mirror image.

    The uses of the cell whose bit is b (see `Geometry.bit`) are `places[b]:places[b + 1]` of
    `use_slots` and `use_powers`: in which slot it is, and the weight of its digit there.
    `slot_tables` is the start of each slot's table, `start_indices` its index on the empty board.
    """

    places: Ints
    use_slots: Ints
    use_powers: Ints
    slot_tables: Ints
    start_indices: Ints


TUPLES: Final = named_tuple(TupleArrays, int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])


@dataclass(frozen=True)
class NTuples:
    """The tuples of a network: cells (column, row), 0-based, row 0 the bottom one.

    Raises `InvalidNetwork` for a tuple that is empty, too long, off the board or holds a cell
    twice, and `InvalidGeometry` for boards of over 64 bits.

    >>> tuples = NTuples.random_walks(count=3, length=4, seed=1)
    >>> len(tuples.tuples), tuples.table_size
    (3, 768)
    """

    tuples: tuple[Tuple, ...]
    geometry: Geometry = STANDARD

    def __post_init__(self) -> None:
        check_geometry(self.geometry, InvalidNetwork)
        self.geometry.check_fits_word("a network")
        if not self.tuples:
            raise InvalidNetwork("a network has at least one tuple")
        for number, cells in enumerate(self.tuples, start=1):
            if not 1 <= len(cells) <= MAX_LENGTH:
                raise InvalidNetwork(
                    f"tuple {number} has {len(cells)} cells: 1 to {MAX_LENGTH} are"
                )
            if len(set(cells)) < len(cells):
                raise InvalidNetwork(f"tuple {number} holds a cell twice")
            if not all(self.geometry.has(column, row) for column, row in cells):
                raise InvalidNetwork(f"tuple {number} holds a cell that is not on {self.geometry}")

    @classmethod
    def random_walks(
        cls,
        count: int = DEFAULT_TUPLES,
        length: int = DEFAULT_LENGTH,
        geometry: Geometry = STANDARD,
        seed: int = 0,
    ) -> NTuples:
        """Return tuples drawn at random: each the cells of a walk between neighbors.

        No two are equal or mirror images of each other. Raises `InvalidNetwork` for too many.
        """
        check_geometry(geometry, InvalidNetwork)
        maximum = min(MAX_LENGTH, geometry.cells)
        cells = f"the cells of a tuple on {geometry}"
        length = whole_number(length, cells, InvalidNetwork, low=1, high=maximum)
        count = whole_number(count, "count", InvalidNetwork, low=1)
        rng = random.Random(seed_number(seed, InvalidNetwork))
        walks: dict[Tuple, None] = {}
        failures = 0
        while len(walks) < count:
            walk = _walk(geometry, length, rng)
            image = tuple(sorted((geometry.columns - 1 - column, row) for column, row in walk))
            if walk in walks or image in walks:
                failures += 1
                if failures > 1000:
                    raise InvalidNetwork(
                        f"{geometry} has fewer than {count} different tuples of {length} cells"
                    )
                continue
            failures = 0
            walks[walk] = None
        return cls(tuple(walks), geometry)

    @cached_property
    def slots(self) -> tuple[Tuple, ...]:
        """Every tuple and, after each, its mirror image, its cells in the same order."""
        last = self.geometry.columns - 1
        found = []
        for cells in self.tuples:
            found += [cells, tuple((last - column, row) for column, row in cells)]
        return tuple(found)

    @cached_property
    def table_size(self) -> int:
        """Weights in the tables of one side to move."""
        return sum(STATES ** len(cells) for cells in self.tuples)

    @cached_property
    def arrays(self) -> TupleArrays:
        """The tuples for kernels."""
        geometry = self.geometry
        uses: list[list[tuple[int, int]]] = [[] for _ in range(geometry.bits + 1)]
        tables, start, start_index = [], [], 0
        for slot, cells in enumerate(self.slots):
            for number, (column, row) in enumerate(cells):
                uses[geometry.bit(column, row)].append((slot, STATES**number))
            tables.append(start_index)
            start.append(self.index(cells, Position(geometry)))
            start_index += STATES ** len(cells) if slot % 2 else 0
        flat = [use for each in uses for use in each]
        slots, powers = [slot for slot, _ in flat], [power for _, power in flat]
        places = np.cumsum([0, *map(len, uses)])
        columns = (places, slots, powers, tables, start)
        return TupleArrays(*(np.array(numbers, dtype=np.int64) for numbers in columns))

    def indices(self, position: Position) -> npt.NDArray[np.int64]:
        """Return the indices of all slots, shape (slots,): see `index` for one."""
        check_position(position, InvalidNetwork, self.geometry)
        tuples = self.arrays
        every = np.arange(len(tuples.places) - 1, dtype=np.uint64)
        first, second = position.discs
        digits = np.zeros(len(every), dtype=np.int64)
        playable = playable_cells(position.mask, self.geometry)
        for digit, cells in ((FIRST, first), (SECOND, second), (PLAYABLE, playable)):
            digits += digit * (np.uint64(cells) >> every & np.uint64(1)).astype(np.int64)
        of_uses = np.repeat(digits, np.diff(tuples.places)) * tuples.use_powers
        return np.bincount(tuples.use_slots, of_uses, len(self.slots)).astype(np.int64)

    def index(self, cells: Tuple, position: Position) -> int:
        """Return the index that the cells of a slot make in a position."""
        index = 0
        for number, (column, row) in enumerate(cells):
            index += self.digit(position, column, row) * STATES**number
        return index

    def digit(self, position: Position, column: int, row: int) -> int:
        """Return the digit of a cell."""
        owner = position.cell(column, row)
        if owner is not None:
            return FIRST + owner
        return PLAYABLE if row == position.height_of(column) else EMPTY


class NTupleNetwork:
    """Tuples and their weights: the value of a position.

    `weights` is a float32 array of 2 * `tuples.table_size`: the tables for positions in which the
    first player is to move, then the weights for the second. By default they are zero.

    >>> network = NTupleNetwork(NTuples.random_walks(count=3, length=4))
    >>> network.value(Position.from_moves("44"))
    0.0
    """

    def __init__(self, tuples: NTuples, weights: npt.NDArray[np.float32] | None = None) -> None:
        instance(tuples, "tuples", NTuples, InvalidNetwork)
        size = 2 * tuples.table_size
        self.tuples = tuples
        self.geometry: Geometry = tuples.geometry
        zeros = np.zeros(size, dtype=np.float32)
        self.weights: npt.NDArray[np.float32] = zeros if weights is None else np.asarray(weights)
        if self.weights.shape != (size,) or self.weights.dtype != np.float32:
            raise InvalidNetwork(f"the weights of these tuples are {size} of type float32")

    def value(self, position: Position) -> float:
        """Return the value of a position that is not over, for the side to move, from -1 to 1.

        The textbook: `ntuple_search.NTupleSearch` looks ahead with its compiled twin.
        """
        tuples = self.tuples
        check_position(position, InvalidNetwork, self.geometry)
        start_index = position.turn * tuples.table_size
        total = 0.0
        for number, cells in enumerate(tuples.slots):
            table = start_index + int(tuples.arrays.slot_tables[number])
            total += float(self.weights[table + tuples.index(cells, position)])
        value = float(np.tanh(total))
        return -value if position.turn else value

    def evaluate(self, position: Position) -> int:
        """Return the value as searches take evaluations: times `SCALE`, a whole number."""
        return round(SCALE * self.value(position))

    def column_values(self, position: Position) -> tuple[float | None, ...]:
        """Return the value of each column for the side to move, one ply ahead.

        1 for a win, 0 for a full board, None for a column that is full. The textbook.
        """
        check_position(position, InvalidNetwork, self.geometry)
        values: list[float | None] = [None] * self.geometry.columns
        for column in position.legal_columns:
            after = position.play(column)
            if after.outcome is not None:
                values[column] = float(after.outcome.winner is not None)
            else:
                values[column] = -self.value(after)
        return tuple(values)


def _walk(geometry: Geometry, length: int, rng: random.Random) -> Tuple:
    """Return the cells of a random walk between neighbors, in order of column and row."""
    column, row = rng.randrange(geometry.columns), rng.randrange(geometry.rows)
    met = {(column, row)}
    while len(met) < length:
        steps: Sequence[Cell] = [
            (column + across, row + up)
            for across in (-1, 0, 1)
            for up in (-1, 0, 1)
            if (across or up) and geometry.has(column + across, row + up)
        ]
        column, row = rng.choice(steps)
        met.add((column, row))
    return tuple(sorted(met))


KIND: Final = "ntuple"
_MAX_TUPLES: Final = 4096
_MAX_STEP: Final = (1 << 9) - 1
#: The greatest weight that is read: sums could overflow, and a hundred already counts as won.
_MAX_WEIGHT: Final = 1e6


def write_network(
    path: str | Path, network: NTupleNetwork, facts: Mapping[str, Any] | None = None
) -> None:
    """Write a network with its header, its weights in 10 bits. Raises `CannotWrite`."""
    write_model(path, ModelFile(KIND, network.geometry, pack(network), facts or {}))


def read_network(path: str | Path, geometry: Geometry | None = None) -> NTupleNetwork:
    """Read a network, for a board if one is given. Raises `InvalidNetwork`."""
    model = read_model(path, KIND, geometry)
    with name_in_errors(path):
        return unpack(model)


def pack(network: NTupleNetwork) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a file."""
    instance(network, "network", NTupleNetwork, InvalidNetwork)
    tuples = network.tuples.tuples
    cells = np.full((len(tuples), max(map(len, tuples)), 2), -1, dtype=np.int8)
    for number, each in enumerate(tuples):
        cells[number, : len(each)] = each
    weights = network.weights
    greatest = float(np.abs(weights).max(initial=0.0))
    unit = np.float32(greatest / _MAX_STEP if greatest else 1.0)
    steps = np.rint(weights / unit).astype(np.int16)
    (places,) = np.nonzero(steps)
    return {
        "tuples": cells,
        "places": _planes(np.diff(places, prepend=-1).astype("<u4")),
        "weights": _planes(steps[places].astype("<i2")),
        "unit": np.array([unit], dtype=np.float32),
    }


def _planes(numbers: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Return the bytes of numbers: all lowest ones, then all of the next."""
    return np.ascontiguousarray(numbers.view(np.uint8).reshape(len(numbers), numbers.itemsize).T)


def _numbers(planes: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    size = np.dtype(kind).itemsize
    if planes.ndim != 2 or planes.shape[0] != size:
        raise InvalidNetwork(f"its numbers are not of {size} bytes")
    return np.ascontiguousarray(planes.T).reshape(-1).view(kind)


def unpack(model: ModelFile) -> NTupleNetwork:
    """Return the network of a file. Raises `InvalidNetwork` for other arrays."""
    types = {"tuples": "int8", "places": "uint8", "weights": "uint8", "unit": "float32"}
    for name, kind in types.items():
        if name not in model.arrays or model.arrays[name].dtype != np.dtype(kind):
            raise InvalidNetwork(f"its part {name!r} is missing, or not of type {kind}")
    cells, unit = model.arrays["tuples"], model.arrays["unit"]
    if cells.ndim != 3 or cells.shape[2] != 2 or not 1 <= len(cells) <= _MAX_TUPLES:
        raise InvalidNetwork("its tuples are not lists of cells")
    if not 1 <= cells.shape[1] <= MAX_LENGTH or unit.shape != (1,) or not np.isfinite(unit[0]):
        raise InvalidNetwork("its tuples are too long, or its unit is not a number")
    tuples = NTuples(
        tuple(tuple((int(c), int(r)) for c, r in each if c >= 0) for each in cells), model.geometry
    )
    distances = _numbers(model.arrays["places"], "<u4").astype(np.int64)
    places = np.cumsum(distances) - 1
    values = _numbers(model.arrays["weights"], "<i2")
    size = 2 * tuples.table_size
    if len(values) != len(places) or (len(places) and not places[-1] < size):
        raise InvalidNetwork("it has not one place for each of its weights")
    if (distances < 1).any():
        raise InvalidNetwork("it has two weights for one place")
    scaled = values * np.float64(unit[0])
    if np.abs(scaled).max(initial=0.0) > _MAX_WEIGHT:
        raise InvalidNetwork(f"its weights are greater than {_MAX_WEIGHT:,.0f}")
    try:
        weights = np.zeros(size, dtype=np.float32)
    except MemoryError:
        raise InvalidNetwork(
            f"its tables take {size >> 18:,} MB, for which there is no room"
        ) from None
    weights[places] = scaled
    return NTupleNetwork(tuples, weights)
