"""What decides a run of self-play: how games are played, what is learnt of them, who takes over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from claimeven.game.geometry import STANDARD, Geometry
from claimeven.learning.bounds import check_numbers
from claimeven.learning.rounding import WEIGHT_STEPS
from claimeven.learning.run_folder import InvalidRun
from claimeven.learning.usual import usual_against
from claimeven.networks.net import SHAPES, Net, NetShape, Searching
from claimeven.networks.net.net import Arrays
from claimeven.networks.puct import PuctOptions
from claimeven.networks.puct.forest import CONCENTRATIONS, MOST_NODES
from claimeven.suggestions import no_such

#: By what the net judges positions of the games.
NUMPY: Final = "numpy"
JAX: Final = "jax"
INFERENCES: Final = (NUMPY, JAX)
#: How the rate of learning may fall.
FALLS: Final = ("none", "stepwise", "cosine")
#: In how many batches JAX judges once for all games of an iteration, about.
_BATCHES: Final = 4
#: The most games of a gate.
MOST_GATE: Final = 100_000
_BOUNDS: Final = (
    ("iterations", 1, 10**6),
    ("games", 1, 10**7),
    ("task", 1, 1 << 14),
    ("searches", 1, 100_000),
    ("quick_searches", 1, 100_000),
    ("full_share", 0.001, 1),
    ("c", 0, 1000),
    ("fpu", 0, 2),
    ("prior_temperature", 0.1, 10),
    ("noise", 0, 1),
    ("concentration", *CONCENTRATIONS),
    ("hot_plies", 0, 1000),
    ("temperature", 0.01, 1000),
    ("random_share", 0, 1),
    ("random_plies", 0, 1000),
    ("fade", 0, 1),
    ("mix", 0, 1),
    ("window", 1, 5 * 10**7),  # that a checkpoint can hold, on the widest board
    ("batch", 1, 1 << 16),
    ("steps", 1, 10**6),
    ("rate", 1e-9, 1),
    ("decay", 0, 1),
    ("stays", 0, 0.999999),
    ("weight_steps", 1, 127),
    ("score_weight", 0, 1000),
    ("score_share", 0, 1),
    ("score_scale", 0.1, 1000),
    ("gate", 0, MOST_GATE),
    ("gate_least", 0, 1),
    ("every", 1, 10**6),
    ("positions", 0, 10**6),
    ("against", 0, 100_000),
    ("seed", 0, 2**63 - 1),
)


@dataclass(frozen=True)
class SelfPlayRecipe:
    """All that decides what a run of self-play learns.

    A run makes `iterations`: `games` are played by the net as it is, `task` of them side by side;
    then it learns `steps` batches of `batch` positions drawn from the last `window` of them.

    Play: a move is thought about with `searches` iterations of PUCT (see `PuctOptions` for `c`,
    `fpu` and `prior_temperature`), kept ones included, in a share `full_share` of the positions,
    drawn anew each time: only there noise is mixed into the priors at the root (a part `noise` of
    Dirichlet's, `concentration` a column), and only these positions are learnt from. In the others
    there are `quick_searches`. The first `hot_plies` plies are drawn by visits to the power of
    1 / `temperature`, later ones are the most visited move. A share `random_share` of the games
    begins with random moves, as many as are drawn from 1 to `random_plies` (None: two thirds of the
    board).

    What is learnt: the shares of the visits, and what came of the game, where an end that fills the
    board is worth `fade` less than 1. A part `mix` of that is what the search thought instead.
    Where the search has proven the result it is learnt as it is, with the moves that lead there.
    With a `score_weight` the net learns beside it how its games ended in points of score, which
    counts so much in the loss, and its values are graded by that: `score_share` and `score_scale`
    are those of `Searching`.

    Positions are judged by NumPy on the processor, or with `inference` "jax" by JAX, on an
    accelerator where there is one: then tasks should be of thousands of games. Numbers are rounded
    otherwise there, and so the games are others.

    Learning: `rate`, `decay`, `fall` and `stays` are those of `Descent`; `size` names one of
    `SHAPES`. With a `gate` the net plays so many games against the one that plays by now, and takes
    over if the lower bound of its share of the points is at least `gate_least`; 0: it always does.
    Fewer than 8 games cannot show half of the points, and a run that could never pass is refused.

    It is measured after each `every`-th iteration and the last: `positions` of each held-out set
    are searched, and `against` games played with the perfect agent (None: 10, but none on boards of
    more than 36 cells other than 7x6, where it thinks for hours). Raises `InvalidRun` for
    anything out of range.
    """

    iterations: int = 300
    games: int = 1000
    task: int = 250
    searches: int = 100
    quick_searches: int = 16
    full_share: float = 1.0
    c: float = 0.8
    fpu: float = 0.2
    prior_temperature: float = 1.6
    noise: float = 0.25
    concentration: float = 1.0
    hot_plies: int = 12
    temperature: float = 1.0
    random_share: float = 0.5
    random_plies: int | None = None
    fade: float = 0.5
    mix: float = 0.3
    window: int = 250_000
    batch: int = 512
    steps: int = 250
    rate: float = 1e-3
    decay: float = 1e-4
    fall: str = "none"
    stays: float = 0.998
    score_weight: float = 4.0
    score_share: float = 0.8
    score_scale: float = 6.0
    size: str = "small"
    inference: str = NUMPY
    gate: int = 0
    gate_least: float = 0.5
    weight_steps: int = WEIGHT_STEPS
    every: int = 1
    positions: int = 500
    against: int | None = None
    seed: int = 0
    geometry: Geometry = STANDARD

    def __post_init__(self) -> None:
        """Check every setting."""
        if self.against is None:
            object.__setattr__(self, "against", usual_against(self.geometry, 10))
        for name, choices in (
            ("size", tuple(SHAPES)),
            ("fall", FALLS),
            ("inference", INFERENCES),
        ):
            if getattr(self, name) not in choices:
                raise InvalidRun(no_such(name, getattr(self, name), choices))
        check_numbers(self, _BOUNDS)
        nodes = min(self.task, self.games) * self.nodes_each
        if nodes > MOST_NODES:
            raise InvalidRun(
                f"a task of {min(self.task, self.games)} games of"
                f" {self._most_searches} searches needs {nodes:,} nodes:"
                f" {MOST_NODES:,} can be"
            )

    @property
    def nodes_each(self) -> int:
        """Nodes that the tree of a game needs, those kept for the next move included."""
        return 1 + self.geometry.columns * (self._most_searches + 2)

    @property
    def _most_searches(self) -> int:
        """The most iterations for a move; there are no quick ones where all are learnt from."""
        return max(self.searches, self.quick_searches) if self.full_share < 1 else self.searches

    @property
    def shape(self) -> NetShape:
        """The sizes of the net."""
        return SHAPES[self.size]

    @property
    def judged_at_once(self) -> int:
        """Positions of a batch that JAX judges, at the most, whoever plays."""
        return max(1, self.games // _BATCHES)

    @property
    def knows_scores(self) -> bool:
        """Whether the net learns scores."""
        return self.score_weight > 0

    def net_of(self, arrays: Arrays) -> Net:
        """Return a net of these arrays, which tells how it was searched, but for `fpu`."""
        searching = Searching(self.c, self.prior_temperature, self.score_share, self.score_scale)
        knows = self.knows_scores
        return Net(self.shape, arrays, self.geometry, knows, searching, knows_only_best=knows)

    @property
    def search(self) -> PuctOptions:
        """How its searches work: those that play, and those that measure."""
        return PuctOptions(c=self.c, fpu=self.fpu, prior_temperature=self.prior_temperature)

    @property
    def most_random_plies(self) -> int:
        """The most random moves a game begins with."""
        cells = self.geometry.cells
        return cells * 2 // 3 if self.random_plies is None else min(self.random_plies, cells - 1)

    @property
    def tasks(self) -> list[int]:
        """Games of each task of an iteration."""
        whole, rest = divmod(self.games, self.task)
        return [self.task] * whole + [rest] * bool(rest)

    def as_dict(self) -> dict[str, Any]:
        """Return the recipe as plain data.

        How long a run is is no part of it where the rate does not fall, so that it can be made
        longer.
        """
        board = self.geometry
        left_out = {"geometry"} | ({"iterations"} if self.fall == "none" else set())
        told = {name: value for name, value in vars(self).items() if name not in left_out}
        sizes = {"columns": board.columns, "rows": board.rows, "connect": board.connect}
        return {"method": "selfplay", **told, "shape": self.shape.as_dict(), "board": sizes}
