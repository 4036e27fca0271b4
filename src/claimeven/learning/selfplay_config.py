"""What decides a run of self-play: how games are played, what is learnt of them, who takes over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from claimeven.game.geometry import STANDARD, Geometry
from claimeven.learning.quantization import WEIGHT_STEPS
from claimeven.learning.run_dir import InvalidRun
from claimeven.learning.settings import (
    MAX_SEED,
    check_settings,
    choice,
    default_eval_games,
    numeric,
)
from claimeven.montecarlo.puct import PuctOptions
from claimeven.montecarlo.puct.forest import DIRICHLET_ALPHA_BOUNDS, MAX_NODES
from claimeven.networks.net import SHAPES, Net, NetShape, SearchDefaults
from claimeven.networks.net.net import Arrays

#: By what the net judges positions of the games.
NUMPY: Final = "numpy"
JAX: Final = "jax"
INFERENCES: Final = (NUMPY, JAX)
#: How the rate of learning may fall.
FALLS: Final = ("none", "stepwise", "cosine")
#: In how many batches JAX judges once for all games of an iteration, about.
_BATCHES: Final = 4
#: The most games of a gate.
MAX_GATE: Final = 100_000


@dataclass(frozen=True)
class SelfPlayConfig:
    """The settings of a run of self-play, all that decides its result.

    A run makes `iterations`: `games` are played by the net as it is, `task` of them side by side;
    then it learns `steps` batches of `batch` positions drawn from the last `window` positions.

    Play: a move is searched by `searches` iterations of PUCT (see `PuctOptions` for `c`, `fpu` and
    `prior_temperature`), kept ones included, in a share `full_share` of the positions, drawn for
    each: only there noise is mixed into the priors at the root (a part `noise` of Dirichlet's,
    `concentration` a column), and only these positions are learned. The others get
    `quick_searches`. The first `hot_plies` plies are drawn by visits to the power of
    1 / `temperature`, later ones are the most visited move. A share `random_share` of the games
    starts with random moves, a number drawn from 1 to `random_plies` (None: two thirds of the
    board).

    Targets: the shares of the visits, and the result of the game, if the board is full at its end
    worth `fade` less than 1. A part `mix` of that is the value of the search instead. A result that
    the search has proven is learned as it is, with the moves that lead there. With a `score_weight`
    in the loss the net also learns how its games ended in points of score, and its values are
    graded by that: `score_share` and `score_scale` are those of `SearchDefaults`.

    Positions are evaluated by NumPy on the processor, or with `inference` "jax" by JAX, on an
    accelerator if there is one: then tasks should be of thousands of games. JAX rounds numbers
    differently, so the games differ.

    Training: `rate`, `decay`, `fall` and `stays` are those of `OptimizerConfig`; `size` names one
    of `SHAPES`. With a `gate` the net plays that number of games against the net that plays now,
    and takes over if the lower bound of its share of the points is at least `gate_least`; 0: it
    always does. A gate of fewer than 8 games cannot show half of the points; a gate that could
    never be passed is rejected.

    The net is measured after every `every`-th iteration and the last: `positions` of each held-out
    set are searched, and `against` games played with the perfect agent (None: 10, but none on
    boards of more than 36 cells other than 7x6, where it thinks for hours). Raises `InvalidRun` for
    anything out of range.
    """

    iterations: int = numeric(300, 1, 10**6, "Rounds of play and training.")
    games: int = numeric(1000, 1, 10**7, "Games in an iteration.")
    games_per_worker: int = numeric(250, 1, 1 << 14, "Games that a worker plays at once.")
    simulations: int = numeric(100, 1, 100_000, "Simulations of a full search.")
    fast_simulations: int = numeric(16, 1, 100_000, "Of a fast search, not trained on.")
    full_search_fraction: float = numeric(1.0, 0.001, 1, "Share of full searches.")
    c: float = numeric(0.8, 0, 1000, "Exploration constant of PUCT.")
    fpu: float = numeric(0.2, 0, 2, "Value reduction of unvisited moves.")
    prior_temperature: float = numeric(1.6, 0.1, 10, "Higher: priors count less.")
    dirichlet_fraction: float = numeric(0.25, 0, 1, "Weight of the noise in priors.")
    dirichlet_alpha: float = numeric(1.0, *DIRICHLET_ALPHA_BOUNDS, "Alpha of the Dirichlet noise.")
    temperature_plies: int = numeric(12, 0, 1000, "Plies with sampled moves.")
    temperature: float = numeric(1.0, 0.01, 1000, "Temperature of these plies.")
    random_start_fraction: float = numeric(0.5, 0, 1, "Games with a random opening.")
    random_plies: int | None = numeric(None, 0, 1000, "Their limit.  [default: 2/3 of the cells]")
    draw_length_penalty: float = numeric(0.5, 0, 1, "Value lost on a full board.")
    search_value_weight: float = numeric(0.3, 0, 1, "Of search value in the target.")
    # The limit is what a checkpoint can hold on the widest board.
    window: int = numeric(250_000, 1, 5 * 10**7, "Positions in the replay buffer.")
    batch: int = numeric(512, 1, 1 << 16, "Positions in a training step.")
    steps: int = numeric(250, 1, 10**6, "Training steps in an iteration.")
    lr: float = numeric(1e-3, 1e-9, 1, "Highest learning rate.")
    weight_decay: float = numeric(1e-4, 0, 1, "Weight decay.")
    lr_schedule: str = choice("none", FALLS, "Decrease of the learning rate.")
    ema_decay: float = numeric(0.998, 0, 0.999999, "Decay of the mean of the weights.")
    score_weight: float = numeric(4.0, 0, 1000, "Of scores in the loss; 0: none.")
    score_value_weight: float = numeric(0.8, 0, 1, "Of the score in a value.")
    score_value_scale: float = numeric(6.0, 0.1, 1000, "Points of a clear advantage.")
    size: str = choice("small", SHAPES, "Size of the net.")
    inference: str = choice(NUMPY, INFERENCES, "Backend; jax for accelerators.")
    gate_games: int = numeric(0, 0, MAX_GATE, "Games of a new net; 0: no gate.")
    gate_min_score: float = numeric(0.5, 0, 1, "Lower bound of its score.")
    quant_levels: int = numeric(WEIGHT_STEPS, 1, 127)
    eval_every: int = numeric(1, 1, 10**6, "Iterations between measurements.")
    eval_positions: int = numeric(500, 0, 10**6, "Test positions with a search.")
    eval_games: int | None = numeric(
        None, 0, 100_000, "Test games against perfect.  [default: 10, on large boards 0]"
    )
    seed: int = numeric(0, 0, MAX_SEED, "Seed of weights and games.")
    geometry: Geometry = STANDARD

    def __post_init__(self) -> None:
        if self.eval_games is None:
            object.__setattr__(self, "eval_games", default_eval_games(self.geometry, 10))
        check_settings(self)
        nodes = min(self.games_per_worker, self.games) * self.nodes_per_tree
        if nodes > MAX_NODES:
            raise InvalidRun(
                f"a task of {min(self.games_per_worker, self.games)} games of"
                f" {self._max_simulations} simulations needs {nodes:,} nodes:"
                f" {MAX_NODES:,} can be"
            )

    @property
    def nodes_per_tree(self) -> int:
        """Nodes that the tree of a game needs, those kept for the next move included."""
        return 1 + self.geometry.columns * (self._max_simulations + 2)

    @property
    def _max_simulations(self) -> int:
        """The most simulations of a move."""
        fast = self.fast_simulations if self.full_search_fraction < 1 else 0
        return max(self.simulations, fast)

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
        """Return a net of these arrays, with the options of its search but `fpu`."""
        knows, scores = self.knows_scores, (self.score_value_weight, self.score_value_scale)
        searching = SearchDefaults(self.c, self.prior_temperature, *scores)
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
        whole, rest = divmod(self.games, self.games_per_worker)
        return [self.games_per_worker] * whole + [rest] * bool(rest)

    def as_dict(self) -> dict[str, Any]:
        """Return the config as plain data.

        How long a run is is no part of it where the rate does not fall, so that it can be made
        longer.
        """
        left_out = {"geometry"} | ({"iterations"} if self.lr_schedule == "none" else set())
        told = {name: value for name, value in vars(self).items() if name not in left_out}
        return {
            "method": "selfplay",
            **told,
            "shape": self.shape.as_dict(),
            "board": self.geometry.as_dict(),
        }
