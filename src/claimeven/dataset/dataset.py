"""The settings and the rows of a data set, and a data set in memory.

In memory, positions are words with exact scores and the number of their game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven import provenance
from claimeven.compiled.splitmix64 import mixed_word
from claimeven.errors import ClaimevenError
from claimeven.game.batch import Boards, canonical_keys, disc_counts
from claimeven.game.geometry import STANDARD, WORD_BITS, Geometry, check_geometry
from claimeven.game.position import Position
from claimeven.game.validation import instance, items_of, one_of, whole_number
from claimeven.game.validation import share as checked_share
from claimeven.messages import WorkProgress
from claimeven.parallel.executors import Part

SOURCES = ("random", "selfplay", "mixed", "all")
MAX_SEED = (1 << 63) - 1
#: The default chance that a move of the source `mixed` is random.
RANDOM_MOVES = 0.5


class InvalidDataset(ClaimevenError):
    """A data set that cannot be made or used."""


class InvalidDatasetFile(InvalidDataset):
    """A file of a data set that cannot be written, read or resumed."""


DatasetProgress = WorkProgress


@dataclass(frozen=True)
class DatasetPlan:
    """The settings of a data set: `positions` rows of `lowest` to `highest` plies, by a seed.

    The source `all` takes every position of the plies: its `positions` are None and its seed is 0.

    In the source `mixed` each move is random with the chance `random_moves`, else one of the best.
    `one_per_game` draws one position from each game instead of all. With `playouts_per_game`, each
    game is played to its end that many times from the ply `branch_ply` on. The positions before it
    take the longest to solve, and are solved only once. `optimal_only` finds the best columns and
    their score, not the scores of the other columns, in about half the time.

    Raises `InvalidDataset` for a setting out of its range.
    """

    positions: int | None
    lowest: int
    highest: int
    seed: int = 0
    source: str = "random"
    geometry: Geometry = STANDARD
    random_moves: float = RANDOM_MOVES
    one_per_game: bool = False
    playouts_per_game: int = 1
    branch_ply: int | None = None
    optimal_only: bool = False

    def __post_init__(self) -> None:
        one_of(self.source, "source", SOURCES, InvalidDataset)
        check_geometry(self.geometry, InvalidDataset)
        if (self.positions is None) != (self.source == "all"):
            raise InvalidDataset(
                "the source all takes every position of the plies: leave positions out"
                if self.source == "all"
                else f"the source {self.source} needs a number of positions; only the source all"
                " takes every position"
            )
        for name, what, low, high in (
            ("lowest", "the lowest ply", None, None),
            ("highest", "the highest ply", None, None),
            ("seed", "seed", 0, MAX_SEED),
            ("playouts_per_game", "playouts per game", 1, None),
            ("positions", "positions", 1, None),
            ("branch_ply", "branch ply", None, None),
        ):
            number = getattr(self, name)
            if number is not None or name not in ("positions", "branch_ply"):
                number = whole_number(number, what, InvalidDataset, low=low, high=high)
                object.__setattr__(self, name, number)
        last = self.geometry.cells - 1
        if not 0 <= self.lowest <= self.highest <= last:
            raise InvalidDataset(
                f"plies must be within 0-{last} on {self.geometry}, the lower one first,"
                f" got {self.lowest}-{self.highest}"
            )
        if self.source == "all" and self.seed:
            raise InvalidDataset("the source all takes no seed: it contains every position")
        checked_share(self.random_moves, "the share of random moves", InvalidDataset)
        for is_set, name in (
            (self.random_moves != RANDOM_MOVES, "a share of random moves"),
            (self.one_per_game, "one position per game"),
            (self.optimal_only, "optimal only"),
        ):
            if is_set and self.source != "mixed":
                raise InvalidDataset(f"only the source mixed takes {name}")
        self._check_playouts()

    def _check_playouts(self) -> None:
        if self.playouts_per_game == 1:
            if self.branch_ply is not None:
                raise InvalidDataset("branch ply needs playouts per game of 2 or more")
            return
        if self.source != "mixed" or self.one_per_game:
            raise InvalidDataset(
                "only the source mixed, with all positions of its games, takes several playouts"
                " per game"
            )
        if self.branch_ply is None:
            raise InvalidDataset("several playouts per game need a branch ply")
        if not self.lowest <= self.branch_ply <= self.highest:
            raise InvalidDataset(
                f"branch ply must be one of the plies {self.lowest}-{self.highest},"
                f" got {self.branch_ply}"
            )

    @classmethod
    def of_header(cls, header: Mapping[str, Any]) -> DatasetPlan:
        """Return the plan of a `header`, with its `positions`. Raises `InvalidDataset`."""
        try:
            lowest, highest = map(int, header["plies"].split("-"))
            names = ("seed", "source", "random_moves", "playouts_per_game", "branch_ply")
            return cls(
                header.get("positions"),
                lowest,
                highest,
                geometry=Geometry(header["columns"], header["rows"], header["connect"]),
                one_per_game=bool(header.get("one_per_game")),
                optimal_only=bool(header.get("optimal_only")),
                **{name: header[name] for name in names if name in header},
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InvalidDataset("the options of the data set are unreadable") from None

    def part_header(self, part: Part, split: float | None) -> dict[str, Any]:
        command = provenance.running_command()
        settings = {"positions": self.positions, "split": split, "command": command}
        given = {name: value for name, value in settings.items() if value is not None}
        return {**self.header(), **given, "part": str(part)}

    def header(self) -> dict[str, int | float | str]:
        """Return the settings that must not change between runs: all but `positions`."""
        header: dict[str, int | float | str] = {
            "source": self.source,
            "plies": f"{self.lowest}-{self.highest}",
            "seed": self.seed,
            **self.geometry.as_dict(),
        }
        if self.source == "mixed":
            header |= {"random_moves": self.random_moves, "one_per_game": int(self.one_per_game)}
        if self.branch_ply is not None:
            header |= {"playouts_per_game": self.playouts_per_game, "branch_ply": self.branch_ply}
        if self.optimal_only:
            header |= {"optimal_only": 1}
        return header


#: The score of a column that is worse than the best one by an unknown amount.
WORSE = -127
#: The first fields of every row. On boards of more than 64 bits a word is two fields, its halves.
COMMON = ("game", "moves", "ply", "mine", "mask", "score", "optimal")
HALVES = ("_low", "_high")
_MINE = COMMON.index("mine")
#: Names of settings and fields in 0.2.0, and their present names; such data sets are read.
_OLD_NAMES = {
    "one_a_game": "one_per_game", "endings": "playouts_per_game", "endings_from": "branch_ply",
    "right_only": "optimal_only",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One labelled position.

    `number` is its candidate or game, and `moves` lead to it. `scores` are the scores of its
    columns for the side to move: None for a full column. A data set of the best columns has
    `WORSE` for the other columns.
    """

    number: int
    moves: str
    position: Position
    scores: tuple[int | None, ...]

    @property
    def score(self) -> int:
        """The score of the position, which is the score of its best column."""
        return max(score for score in self.scores if score is not None)

    @property
    def optimal(self) -> int:
        """The number of columns that keep the score."""
        return self.scores.count(self.score)

    def cells(self, optimal_only: bool = False) -> list[int | str | None]:
        """Return the values of the fields `field_names`."""
        at, score = self.position, self.score
        mine, mask = (fields_of_word(word, at.geometry) for word in (at.mine, at.mask))
        columns = self.scores
        if optimal_only:
            columns = tuple(None if each is None else int(each == score) for each in columns)
        return [self.number, self.moves, at.ply, *mine, *mask, score, self.optimal, *columns]


def current_name(name: str) -> str:
    """Return the present name of a setting or field of a data set of any version.

    >>> current_name("right"), current_name("right_2"), current_name("endings"), current_name("ply")
    ('optimal', 'optimal_2', 'playouts_per_game', 'ply')
    """
    return _OLD_NAMES.get(name) or re.sub(r"^right(?=$|_\d+$)", "optimal", name)


def fields_of_word(word: int, geometry: Geometry) -> tuple[int, ...]:
    """Return a word as it is in a row: as its halves on boards of more than 64 bits."""
    return (word,) if geometry.fits_word else divmod(word, 1 << WORD_BITS)[::-1]


def discs_in(cells: Sequence[int | str | None], geometry: Geometry) -> tuple[int, int]:
    """Return mine and mask from the fields of a row."""
    parts = [int(cell or 0) for cell in cells[_MINE : common_fields(geometry).index("score")]]
    if not geometry.fits_word:
        parts = [low | high << WORD_BITS for low, high in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0], parts[1]


def common_fields(geometry: Geometry) -> tuple[str, ...]:
    """Return the first fields of a row of a board.

    >>> common_fields(Geometry(9, 7))[2:6]
    ('ply', 'mine_low', 'mine_high', 'mask_low')
    """
    words = [name + half for name in ("mine", "mask") for half in HALVES]
    return COMMON if geometry.fits_word else (*COMMON[:_MINE], *words, *COMMON[_MINE + 2 :])


def field_names(geometry: Geometry, optimal_only: bool = False) -> list[str]:
    """Return the fields of a row: `common_fields`, and for each column its score or optimality."""
    each = "optimal" if optimal_only else "score"
    columns = [f"{each}_{column + 1}" for column in range(geometry.columns)]
    return [*common_fields(geometry), *columns]


_SHIFT, _WHOLE = np.uint64(11), float(1 << 53)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Positions of one board with exact scores, n of them.

    `mines` and `masks`, uint64 (n,), are the discs of the side to move, and all discs; on boards of
    more than 64 bits they are `WideWords`, whose items are integers. `scores`, int8 (n, columns),
    are for the side to move: `claimeven.solver.ILLEGAL` for full columns, and `WORSE` for columns
    worse than the best by an unknown amount. `games`, int64 (n,), are the same number for positions
    of one game.
    """

    geometry: Geometry
    mines: Boards
    masks: Boards
    scores: npt.NDArray[np.int8]
    games: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.mines)

    @cached_property
    def keys(self) -> Boards:
        """Canonical keys, (n,): equal only for a position and its mirror image."""
        return canonical_keys(self.mines + self.masks, self.geometry)

    @cached_property
    def plies(self) -> npt.NDArray[np.int64]:
        """Discs on the board, (n,)."""
        return disc_counts(self.masks)

    @cached_property
    def best(self) -> npt.NDArray[np.int8]:
        """Scores of the positions, (n,), which are the scores of their best columns."""
        found: npt.NDArray[np.int8] = self.scores.max(axis=1)
        return found

    @cached_property
    def known(self) -> npt.NDArray[np.bool_]:
        """Which columns are playable and have a known score, (n, columns)."""
        return self.scores > WORSE

    @cached_property
    def optimal(self) -> npt.NDArray[np.bool_]:
        """Which columns keep the score of their position, (n, columns)."""
        found: npt.NDArray[np.bool_] = self.scores == self.best[:, None]
        return found

    def select(self, which: npt.NDArray[Any]) -> Dataset:
        """Return some of the positions, by their indices or by a mask."""
        arrays: tuple[Any, ...] = self.mines, self.masks, self.scores, self.games
        return Dataset(self.geometry, *(array[which] for array in arrays))

    def without(self, other: Dataset) -> Dataset:
        """Return the positions that are not in another set, as mirror images either.

        Raises `InvalidDataset` for a set of another board.
        """
        if other.geometry != self.geometry:
            raise InvalidDataset(
                f"data sets of {self.geometry} and of {other.geometry} have no positions in common:"
                " give one of the same board"
            )
        return self.select(~np.isin(self.keys, other.keys))

    def split_by_game(self, share: float, seed: int = 0) -> tuple[Dataset, Dataset]:
        """Return the training set, about `share` of all games, and the held-out set.

        No game is in both sets, and no position or mirror image: these are removed from the
        training set. Raises `InvalidDataset` for a share outside 0 to 1.
        """
        training = is_for_training(self.games, share, seed)
        held_out = self.select(~training)
        return self.select(training).without(held_out), held_out


def join_datasets(parts: Sequence[Dataset]) -> Dataset:
    """Return several data sets of one board as one.

    Games of different parts stay different. Only the first of equal or mirrored positions stays.
    Raises `InvalidDataset` without parts, and for parts of different boards.
    """
    parts = items_of(parts, "parts", InvalidDataset)
    if not parts:
        raise InvalidDataset("joining needs at least one data set")
    for part in parts:
        instance(part, "a part", Dataset, InvalidDataset)
    geometry, games, first = parts[0].geometry, [], 0
    for part in parts:
        if part.geometry != geometry:
            raise InvalidDataset(f"data sets of {geometry} and of {part.geometry} cannot be joined")
        games.append(part.games + first)
        first = int(games[-1].max(initial=first - 1)) + 1
    boards = ((part.mines, part.masks, part.scores) for part in parts)
    arrays: Any = (*zip(*boards, strict=True), games)
    whole = Dataset(geometry, *map(np.concatenate, arrays))
    _, places = np.unique(whole.keys, return_index=True)
    return whole if len(places) == len(whole) else whole.select(np.sort(places))


def is_for_training(
    games: npt.NDArray[np.integer[Any]], share: float, seed: int = 0
) -> npt.NDArray[np.bool_]:
    """Return for each number of a game whether the game is in the training set.

    About `share` of all games are. The result does not depend on the other games, so games stay in
    their set when a data set grows. Raises `InvalidDataset` for a share outside 0 to 1.

    >>> is_for_training(np.array([0, 0, 1, 2, 3, 3]), 0.5).tolist()
    [True, True, False, True, False, False]
    """
    share = checked_share(share, "the share to train on", InvalidDataset)
    seed = whole_number(seed, "seed", InvalidDataset)
    numbers, back = np.unique(games, return_inverse=True)
    # The split must be independent of the generators of games, which start elsewhere.
    start = mixed_word(seed ^ (1 << 63))
    words = [mixed_word((start + number) & ((1 << 64) - 1)) for number in numbers.tolist()]
    drawn = (np.array(words, dtype=np.uint64) >> _SHIFT) / _WHOLE
    sides: npt.NDArray[np.bool_] = (drawn < share)[back.reshape(-1)]
    return sides
