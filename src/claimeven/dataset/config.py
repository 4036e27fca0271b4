"""The settings of a data set, the progress of making it, and its errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from claimeven import provenance
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.validation import one_of, share, whole_number
from claimeven.messages import WorkProgress
from claimeven.parallel.parts import Part

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
        if (self.positions is None) != (self.source == "all"):
            raise InvalidDataset(
                "the source all takes every position of the plies: leave positions out"
                if self.source == "all"
                else f"the source {self.source} needs a number of positions; only the source all"
                " takes every position"
            )
        checked = {
            "lowest": whole_number(self.lowest, "the lowest ply", InvalidDataset),
            "highest": whole_number(self.highest, "the highest ply", InvalidDataset),
            "seed": whole_number(self.seed, "seed", InvalidDataset, low=0, high=MAX_SEED),
            "playouts_per_game": whole_number(
                self.playouts_per_game, "playouts per game", InvalidDataset, low=1
            ),
        }
        if self.positions is not None:
            checked["positions"] = whole_number(self.positions, "positions", InvalidDataset, low=1)
        if self.branch_ply is not None:
            ply = whole_number(self.branch_ply, "branch ply", InvalidDataset)
            checked["branch_ply"] = ply
        for name, number in checked.items():
            object.__setattr__(self, name, number)
        last = self.geometry.cells - 1
        if not 0 <= self.lowest <= self.highest <= last:
            raise InvalidDataset(
                f"plies must be within 0-{last} on {self.geometry}, the lower one first,"
                f" not {self.lowest}-{self.highest}"
            )
        if self.source == "all" and self.seed:
            raise InvalidDataset("the source all takes no seed: it contains every position")
        share(self.random_moves, "the share of random moves", InvalidDataset)
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
                f" not {self.branch_ply}"
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
