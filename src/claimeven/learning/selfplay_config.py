"""The settings of a self-play run: play, targets, training and evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from claimeven.game.geometry import STANDARD, Geometry
from claimeven.learning.quantization import DEFAULT_LEVELS
from claimeven.learning.run_dir import (
    MAX_SEED,
    InvalidRun,
    check_settings,
    choice,
    default_games,
    numeric,
)
from claimeven.montecarlo.puct import PuctOptions
from claimeven.montecarlo.puct.forest import DIRICHLET_ALPHA_BOUNDS, MAX_NODES
from claimeven.networks.net import SHAPES, Net, NetShape, SearchDefaults
from claimeven.networks.net.net import Arrays

#: The library that evaluates positions of the games.
NUMPY: Final = "numpy"
JAX: Final = "jax"
INFERENCES: Final = (NUMPY, JAX)
#: Schedules of the learning rate.
LR_SCHEDULES: Final = ("none", "stepwise", "cosine")
#: The approximate number of batches in which JAX evaluates a position of each game.
_BATCHES: Final = 4
#: The limit on the games of a gate.
MAX_GATE: Final = 100_000


@dataclass(frozen=True)
class SelfPlayConfig:
    """The settings of a self-play run; they determine its result.

    Each of the `iterations` plays `games`, `games_per_worker` of them in lockstep. It then trains
    the net for `steps` steps, on batches of `batch` positions from the last `window` positions.

    Play: a share `full_search_fraction` of the positions gets a full search of `simulations` of
    PUCT, including the reused tree, with noise in the priors: the weight `dirichlet_fraction` of a
    Dirichlet distribution. Only these positions are trained on; the others get
    `fast_simulations`. The first `temperature_plies` plies are drawn by visits to the power of
    1 / `temperature`. A share `random_start_fraction` of the games starts with 1 to `random_plies`
    random moves (None: two thirds of the board). `c`, `fpu` and `prior_temperature` belong to
    `PuctOptions`.

    Targets: the shares of the visits, and the result of the game, reduced by up to
    `draw_length_penalty` on a full board, or proven. `search_value_weight` is the weight of the
    value of the search in the target. With a `score_weight`, the net also learns the final scores
    of its games, and its values include them as in `SearchDefaults`.

    With `inference` "jax", JAX evaluates positions, on an accelerator if possible. With
    `gate_games`, a new net replaces the best net if the lower bound of its score against it is at
    least `gate_min_score`. Every `eval_every` iterations, a search answers `eval_positions` of each
    held-out set, and plays `eval_games` against the perfect agent (None: 10, or 0 on boards of more
    than 36 cells except 7x6, on which that agent takes hours). Other settings belong to
    `OptimizerConfig`. Raises `InvalidRun` for a setting out of range.
    """

    iterations: int = numeric(300, 1, 10**6, "Rounds of play and training.")
    games: int = numeric(1000, 1, 10**7, "Games in an iteration.")
    games_per_worker: int = numeric(250, 1, 1 << 14, "Games that a worker plays in parallel.")
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
    # A checkpoint cannot store more on the widest board.
    window: int = numeric(250_000, 1, 5 * 10**7, "Positions in the replay buffer.")
    batch: int = numeric(512, 1, 1 << 16, "Positions in a training step.")
    steps: int = numeric(250, 1, 10**6, "Training steps in an iteration.")
    lr: float = numeric(1e-3, 1e-9, 1, "Highest learning rate.")
    weight_decay: float = numeric(1e-4, 0, 1, "Weight decay.")
    lr_schedule: str = choice("none", LR_SCHEDULES, "Decrease of the learning rate.")
    ema_decay: float = numeric(0.998, 0, 0.999999, "Decay of the mean of the weights.")
    score_weight: float = numeric(4.0, 0, 1000, "Of scores in the loss; 0: none.")
    score_value_weight: float = numeric(0.8, 0, 1, "Of the score in a value.")
    score_value_scale: float = numeric(6.0, 0.1, 1000, "Points of a clear advantage.")
    size: str = choice("small", SHAPES, "Size of the net.")
    inference: str = choice(NUMPY, INFERENCES, "Backend; jax for accelerators.")
    gate_games: int = numeric(0, 0, MAX_GATE, "Games of a new net; 0: no gate.")
    gate_min_score: float = numeric(0.5, 0, 1, "Lower bound of its score.")
    quant_levels: int = numeric(DEFAULT_LEVELS, 1, 127)
    eval_every: int = numeric(1, 1, 10**6, "Iterations between measurements.")
    eval_positions: int = numeric(500, 0, 10**6, "Test positions with a search.")
    eval_games: int | None = numeric(
        None, 0, 100_000, "Test games against perfect.  [default: 10, on large boards 0]"
    )
    seed: int = numeric(0, 0, MAX_SEED, "Seed of weights and games.")
    geometry: Geometry = STANDARD

    def __post_init__(self) -> None:
        if self.eval_games is None:
            object.__setattr__(self, "eval_games", default_games(self.geometry, 10))
        check_settings(self)
        games = min(self.games_per_worker, self.games)
        if (nodes := games * self.nodes_per_tree) > MAX_NODES:
            raise InvalidRun(
                f"a task of {games} games of {self._max_simulations} simulations needs {nodes:,}"
                f" nodes, more than {MAX_NODES:,}"
            )

    @property
    def nodes_per_tree(self) -> int:
        """Nodes that the tree of a game needs, including nodes for the next move."""
        return 1 + self.geometry.columns * (self._max_simulations + 2)

    @property
    def _max_simulations(self) -> int:
        fast = self.fast_simulations if self.full_search_fraction < 1 else 0
        return max(self.simulations, fast)

    @property
    def shape(self) -> NetShape:
        """The sizes of the net."""
        return SHAPES[self.size]

    @property
    def inference_batch(self) -> int:
        """The limit on the positions of a batch for JAX."""
        return max(1, self.games // _BATCHES)

    @property
    def knows_scores(self) -> bool:
        """Whether the net learns scores."""
        return self.score_weight > 0

    def net_of(self, arrays: Arrays) -> Net:
        """Return a net with these arrays and with search defaults, except `fpu`."""
        knows, scores = self.knows_scores, (self.score_value_weight, self.score_value_scale)
        searching = SearchDefaults(self.c, self.prior_temperature, *scores)
        return Net(self.shape, arrays, self.geometry, knows, searching, knows_only_best=knows)

    @property
    def search(self) -> PuctOptions:
        """The options of searches, for play and for evaluation."""
        return PuctOptions(c=self.c, fpu=self.fpu, prior_temperature=self.prior_temperature)

    @property
    def max_random_plies(self) -> int:
        """The limit on the random moves at the start of a game."""
        cells = self.geometry.cells
        return cells * 2 // 3 if self.random_plies is None else min(self.random_plies, cells - 1)

    @property
    def tasks(self) -> list[int]:
        """The number of games of each task of an iteration."""
        whole, rest = divmod(self.games, self.games_per_worker)
        return [self.games_per_worker] * whole + [rest] * bool(rest)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, without `iterations` if the run can be extended (constant rate)."""
        left_out = {"geometry"} | ({"iterations"} if self.lr_schedule == "none" else set())
        settings = {name: value for name, value in vars(self).items() if name not in left_out}
        return {
            "method": "selfplay",
            **settings,
            "shape": self.shape.as_dict(),
            "board": self.geometry.as_dict(),
        }
