"""The settings of a data set, and the progress of making it."""

from __future__ import annotations

from dataclasses import dataclass

from claimeven.dataset.errors import InvalidDataset
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.validation import one_of, share, whole_number

SOURCES = ("random", "selfplay", "mixed", "all")
MAX_SEED = (1 << 63) - 1
#: The default chance that a move of the source `mixed` is random.
RANDOM_MOVES = 0.5


@dataclass(frozen=True)
class DatasetProgress:
    """How far the work is: `done` of `total` rows, `resumed` of them from an earlier run.

    `nodes` positions were visited for the others. The source `all` has two parts, named by `what`:
    "positions solved", those of one ply beyond, and then "positions written".
    """

    done: int
    total: int
    resumed: int
    seconds: float
    nodes: int
    what: str = "positions"


@dataclass(frozen=True)
class DatasetPlan:
    """What to make: `positions` rows from a source, of `lowest` to `highest` plies, by a seed.

    The source `all` takes every position of the plies: its `positions` are None and its seed 0.

    In the source `mixed` each move is random with the chance `random_moves`, else one of the best;
    with `one_a_game` one position is drawn from each game instead of all. With several `endings`
    each game is played to its end so many times, anew from the ply `endings_from` on: positions
    before it cost the most to solve, and so are solved once for all of its endings. With
    `right_only` it is asked which columns are right and what these are worth, not what the others
    are: about half the work.

    Raises `InvalidDataset` naming what is out of its range.
    """

    positions: int | None
    lowest: int
    highest: int
    seed: int = 0
    source: str = "random"
    geometry: Geometry = STANDARD
    random_moves: float = RANDOM_MOVES
    one_a_game: bool = False
    endings: int = 1
    endings_from: int | None = None
    right_only: bool = False

    def __post_init__(self) -> None:
        one_of(self.source, "source", SOURCES, InvalidDataset)
        if (self.positions is None) != (self.source == "all"):
            raise InvalidDataset(
                "the source all takes every position of the plies: give no number of positions"
                if self.source == "all"
                else f"the source {self.source} needs a number of positions: only the source all"
                " takes every one"
            )
        checked = {
            "lowest": whole_number(self.lowest, "the lowest ply", InvalidDataset),
            "highest": whole_number(self.highest, "the highest ply", InvalidDataset),
            "seed": whole_number(self.seed, "seed", InvalidDataset, low=0, high=MAX_SEED),
            "endings": whole_number(self.endings, "endings", InvalidDataset, low=1),
        }
        if self.positions is not None:
            checked["positions"] = whole_number(self.positions, "positions", InvalidDataset, low=1)
        if self.endings_from is not None:
            begin = whole_number(self.endings_from, "the ply of endings", InvalidDataset)
            checked["endings_from"] = begin
        for name, number in checked.items():
            object.__setattr__(self, name, number)
        last = self.geometry.cells - 1
        if not 0 <= self.lowest <= self.highest <= last:
            raise InvalidDataset(
                f"plies must be within 0-{last} on {self.geometry}, the lower one first,"
                f" not {self.lowest}-{self.highest}"
            )
        if self.source == "all" and self.seed:
            raise InvalidDataset("the source all takes no seed: nothing in it is random")
        share(self.random_moves, "the share of random moves", InvalidDataset)
        for is_given, what in (
            (self.random_moves != RANDOM_MOVES, "a share of random moves"),
            (self.one_a_game, "one position a game"),
            (self.right_only, "right columns alone"),
        ):
            if is_given and self.source != "mixed":
                raise InvalidDataset(f"only the source mixed takes {what}")
        self._check_endings()

    def _check_endings(self) -> None:
        if self.endings == 1:
            if self.endings_from is not None:
                raise InvalidDataset("games have one ending: give no ply that others begin from")
            return
        if self.source != "mixed" or self.one_a_game:
            raise InvalidDataset(
                "only the source mixed takes several endings, with all positions of its games"
            )
        if self.endings_from is None:
            raise InvalidDataset("several endings need the ply that they begin from")
        if not self.lowest <= self.endings_from <= self.highest:
            raise InvalidDataset(
                f"endings begin from one of the plies asked for, {self.lowest}-{self.highest},"
                f" not {self.endings_from}"
            )

    def header(self) -> dict[str, int | float | str]:
        """Return what two runs must share to be one: everything but the number of positions."""
        header: dict[str, int | float | str] = {
            "source": self.source,
            "plies": f"{self.lowest}-{self.highest}",
            "seed": self.seed,
            **self.geometry.as_dict(),
        }
        if self.source == "mixed":
            header |= {"random_moves": self.random_moves, "one_a_game": int(self.one_a_game)}
        if self.endings_from is not None:
            header |= {"endings": self.endings, "endings_from": self.endings_from}
        if self.right_only:
            header |= {"right_only": 1}
        return header
