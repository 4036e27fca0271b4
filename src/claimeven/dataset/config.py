"""What data set to make."""

from __future__ import annotations

from dataclasses import dataclass

from claimeven.dataset.errors import InvalidDataset
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.validation import whole_number
from claimeven.suggestions import no_such

SOURCES = ("random", "selfplay", "mixed", "all")
SEEDS = 1 << 63
#: The chance that a move of the source `mixed` is random where none is given.
RANDOM_MOVES = 0.5
#: What messages call the fields of a plan.
_TOLD = {"lowest": "the lowest ply", "highest": "the highest ply", "seed": "a seed"}


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
        if self.source not in SOURCES:
            raise InvalidDataset(no_such("source", self.source, SOURCES))
        self._check_positions()
        for name in ("lowest", "highest", "seed"):
            number = whole_number(getattr(self, name), _TOLD.get(name, name), InvalidDataset)
            object.__setattr__(self, name, number)
        last = self.geometry.cells - 1
        if not 0 <= self.lowest <= self.highest <= last:
            raise InvalidDataset(
                f"plies must lie within 0-{last} on {self.geometry}, the lower one first,"
                f" not {self.lowest}-{self.highest}"
            )
        if not 0 <= self.seed < SEEDS:
            raise InvalidDataset(f"a seed is a whole number from 0 to 2**63 - 1, not {self.seed}")
        if self.source == "all" and self.seed:
            raise InvalidDataset("the source all takes no seed: nothing in it is random")
        if not 0 <= self.random_moves <= 1:
            raise InvalidDataset(
                f"the share of random moves is a number from 0 to 1, not {self.random_moves}"
            )
        if self.source != "mixed" and self.random_moves != RANDOM_MOVES:
            raise InvalidDataset("only the source mixed takes a share of random moves")
        if self.source != "mixed" and self.one_a_game:
            raise InvalidDataset("only the source mixed takes one position a game")
        if self.source != "mixed" and self.right_only:
            raise InvalidDataset("only the source mixed takes right columns alone")
        self._check_endings()

    def _check_endings(self) -> None:
        endings = whole_number(self.endings, "endings", InvalidDataset)
        object.__setattr__(self, "endings", endings)
        if endings < 1:
            raise InvalidDataset(f"a game has 1 ending or more, not {endings}")
        if endings == 1:
            if self.endings_from is not None:
                raise InvalidDataset("games have one ending: give no ply that others begin from")
            return
        if self.source != "mixed" or self.one_a_game:
            raise InvalidDataset(
                "only the source mixed takes several endings, with all positions of its games"
            )
        if self.endings_from is None:
            raise InvalidDataset("several endings need the ply that they begin from")
        begin = whole_number(self.endings_from, "the ply of endings", InvalidDataset)
        object.__setattr__(self, "endings_from", begin)
        if not self.lowest <= begin <= self.highest:
            raise InvalidDataset(
                f"endings begin from one of the plies asked for, {self.lowest}-{self.highest},"
                f" not {begin}"
            )

    def _check_positions(self) -> None:
        if self.source == "all":
            if self.positions is not None:
                raise InvalidDataset(
                    "the source all takes every position of the plies: give no number of positions"
                )
            return
        if self.positions is None:
            raise InvalidDataset(
                f"the source {self.source} needs a number of positions: only the source all takes"
                " every one"
            )
        positions = whole_number(self.positions, "positions", InvalidDataset)
        if positions < 1:
            raise InvalidDataset(f"positions must be 1 or more, not {positions}")
        object.__setattr__(self, "positions", positions)

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
