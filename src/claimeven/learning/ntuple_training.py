"""Training of an n-tuple network by self-play and temporal differences.

Both sides play the move with the best value, sometimes a random move. After a game, the value of
each position moves toward its target, the lambda-return (the forward view of eligibility traces): a
mixture of the values of the network one ply later, two plies later, ..., and of the result. A
position before a random move is not trained, unless the move ends the game, and the returns of
earlier positions end there. Positions are trained from the last to the first, with their current
values: earlier errors would correct the shared weights of positions repeatedly.

The value of a position is the hyperbolic tangent of a sum of weights, so each of these weights gets
the same recommended change: the error times the gradient. The step size of a weight depends on how
steady its recommended changes were. With N their sum and A the sum of their absolute values, it is
`step_size * exp(step_decay * (|N| / A - 1))`. The step size decreases from game to game.

Sources: Sutton and Barto, "Reinforcement Learning" (2018), chapter 12; Beal and Smith, "Temporal
coherence and prediction decay in TD learning" (IJCAI 1999); Bagheri, Thill, Koch and Konen, "Online
adaptable learning rates for the game Connect-4" (IEEE TCIAIG 8, 2016), except the step size.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimeven.agents.base import Limit
from claimeven.agents.families.trained import NTupleAgent
from claimeven.compiled import load
from claimeven.dataset.scored_sets import bundled_set
from claimeven.game.bitboard_kernel import board_vector
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.learning import td_kernel as td
from claimeven.learning.metrics import measure_learner
from claimeven.learning.run_dir import (
    CORES,
    MAX_SEED,
    SECONDS_DIGITS,
    InvalidRun,
    OnRow,
    Row,
    RunFolder,
    TrainingProgress,
    check_settings,
    cores_spent,
    default_games,
    numeric,
)
from claimeven.networks.model_file import ModelFile
from claimeven.networks.ntuple import (
    DEFAULT_LENGTH,
    DEFAULT_TUPLES,
    NTupleNetwork,
    NTuples,
    pack,
    unpack,
    write_network,
)
from claimeven.networks.ntuple_search import NTupleSearch

KIND: Final = "ntuple checkpoint"
#: Games between two checks of the clock and of Ctrl-C.
SLICE: Final = 200
#: Seconds of play between two checkpoints.
CHECKPOINT_SECONDS: Final = 30.0
_MAX_GAMES: Final = 10**9

OnProgress = Callable[[TrainingProgress], object]


@dataclass(frozen=True)
class NTupleConfig:
    """The settings of a run; they determine its result.

    After every `eval_every` of the `games`, the network is stored and measured: by `eval_games`
    against the perfect agent (None: 100, or 0 on boards of more than 36 cells except 7x6, on which
    that agent takes hours) and on `eval_positions` (None: all). `step_size` decreases to
    `final_step_size` in equal ratios. Raises `InvalidRun` for a setting out of range.
    """

    games: int = numeric(2_000_000, 1, _MAX_GAMES, "Games of self-play.")
    eval_every: int = numeric(100_000, 1, _MAX_GAMES, "Games between measurements.")
    tuples: int = numeric(DEFAULT_TUPLES, 1, 1000, "Number of tuples.")
    length: int = numeric(DEFAULT_LENGTH, help="Cells in a tuple.")
    step_size: float = numeric(0.02, 1e-9, 10, "Step size at the start.")
    final_step_size: float = numeric(0.001, 1e-9, 10, "Step size at the end.")
    step_decay: float = numeric(2.7, 0, 100, "How fast unsteady weights slow down.")
    td_lambda: float = numeric(0.8, 0, 1, "Lambda of the returns, 0 to 1.")
    epsilon: float = numeric(0.1, 0, 1, "Share of random moves.")
    seed: int = numeric(0, 0, MAX_SEED, "Seed of tuples and games.")
    eval_games: int | None = numeric(
        None, 0, 100_000, "Test games against perfect.  [default: 100, on large boards 0]"
    )
    eval_positions: int | None = numeric(None, 1, 10**6, "Test positions.  [default: all bundled]")
    geometry: Geometry = STANDARD

    def __post_init__(self) -> None:
        if self.eval_games is None:
            object.__setattr__(self, "eval_games", default_games(self.geometry, 100))
        check_settings(self)
        if self.eval_positions is not None and bundled_set(self.geometry) is None:
            raise InvalidRun(
                f"no positions of {self.geometry} are bundled: leave eval positions out"
            )

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        settings = {name: value for name, value in vars(self).items() if name != "geometry"}
        return {"method": "ntuple", **settings, "board": self.geometry.as_dict()}


class NTupleLearner:
    """A network that learns from its games: its weights and the statistics for their step sizes."""

    def __init__(self, config: NTupleConfig) -> None:
        self.config = config
        geometry = config.geometry
        tuples = NTuples.random_walks(config.tuples, config.length, geometry, config.seed)
        self.network: NTupleNetwork = NTupleNetwork(tuples)
        self.changes = np.zeros((len(self.network.weights), 2), dtype=np.float32)
        self.totals = np.zeros(td.TOTALS, dtype=np.int64)
        #: The totals at the last measurement, and the clock and CPU seconds since then.
        self.measured = np.zeros(td.TOTALS, dtype=np.int64)
        self.spent = np.zeros(2)
        log_ratio = math.log(config.final_step_size / config.step_size) / config.games
        rates = (config.step_size, log_ratio, config.step_decay, config.td_lambda, config.epsilon)
        self._rates = np.array(rates, dtype=np.float64)
        plies, slots = geometry.cells + 1, len(tuples.slots)
        self._record = td.EpisodeArrays(
            np.zeros((plies, slots), dtype=np.int64),
            np.zeros(plies),
            np.zeros(plies, dtype=np.int64),
            np.zeros(slots),
            np.zeros(slots, dtype=np.int64),
        )
        self._board = board_vector(geometry).copy()

    @property
    def games(self) -> int:
        """Games played so far."""
        return int(self.totals[td.GAMES])

    def play(self, games: int) -> None:
        """Play more games and learn from each."""
        done = self.games
        td.learn_by_playing(
            self._board,
            self.config.geometry.columns,
            self.network.tuples.arrays,
            self.network.weights,
            self.changes,
            self._rates,
            self._record,
            np.uint64(self.config.seed),
            done,
            done + games,
            self.totals,
        )

    def checkpoint(self) -> ModelFile:
        """Return the state of training, with only the weights that were used."""
        (places,) = np.nonzero(self.changes[:, 1])
        arrays: dict[str, npt.NDArray[Any]] = {
            "places": places.astype(np.int64),
            "weights": self.network.weights[places],
            "changes": self.changes[places],
            "totals": self.totals,
            "measured": self.measured,
            "spent": self.spent,
        }
        return ModelFile(KIND, self.config.geometry, arrays)

    def resume(self, checkpoint: ModelFile) -> None:
        """Continue from a checkpoint of the same configuration."""
        arrays = checkpoint.arrays
        self.network.weights[arrays["places"]] = arrays["weights"]
        self.changes[arrays["places"]] = arrays["changes"]
        self.totals[:] = arrays["totals"]
        # Old checkpoints, only stored after measurements, have neither of the two.
        self.measured[:] = arrays.get("measured", self.totals)
        self.spent[:] = arrays.get("spent", 0.0)


def train_ntuple(
    folder: str | Path,
    config: NTupleConfig | None = None,
    on_progress: OnProgress | None = None,
    on_row: OnRow | None = None,
) -> list[Row]:
    """Train a network in a folder, or continue there; return the rows of its log.

    `on_row` gets each new row. `folder/model.npz` is the last measured model. After an
    interruption, also by Ctrl-C or kill, the same call continues from the interrupted measurement,
    or from at most half a minute earlier, and leads to the same model. Raises `InvalidRun` for a
    folder of another run, and `CannotWrite`; the last checkpoint stays complete.
    """
    config = config or NTupleConfig()
    load(td.learn_by_playing)
    learner = NTupleLearner(config)
    with RunFolder.opened(folder, config.as_dict(), on_row) as run:
        run.open_checkpoint(KIND, learner.resume)
        resumed = learner.games
        while learner.measured[td.GAMES] < config.games:
            _play_to_next(learner, run, resumed, on_progress)
            _measure(learner, run)
            run.save(learner.checkpoint())
        if run.measured() is None:
            _write(learner, run, run.rows[-1])
        return run.rows


def _play_to_next(
    learner: NTupleLearner, run: RunFolder, resumed: int, on_progress: OnProgress | None
) -> None:
    """Play to the next measurement, and store the state before it, since measuring takes long."""
    config = learner.config
    done = int(learner.measured[td.GAMES])
    goal = min(config.games, (done // config.eval_every + 1) * config.eval_every)
    saved = time.perf_counter()
    while learner.games < goal:
        start, cores = time.perf_counter(), cores_spent()
        learner.play(min(SLICE, goal - learner.games))
        learner.spent += time.perf_counter() - start, cores_spent() - cores
        if on_progress is not None:
            done, seconds = learner.games, run.seconds + float(learner.spent[0])
            on_progress(TrainingProgress(done, config.games, seconds, resumed, run.last_row))
        if time.perf_counter() - saved > CHECKPOINT_SECONDS:
            run.save(learner.checkpoint())
            saved = time.perf_counter()
    run.save(learner.checkpoint())


def _rounded(learner: NTupleLearner) -> NTupleNetwork:
    """Return the network with the rounded weights of its file."""
    return unpack(ModelFile("", learner.config.geometry, pack(learner.network)))


def _write(learner: NTupleLearner, run: RunFolder, row: Row) -> None:
    config = learner.config
    positions = bundled_set(config.geometry)
    if positions is not None and config.eval_positions is not None:
        positions = positions.first(config.eval_positions)
    facts = {
        "config": config.as_dict(),
        "measured": {name: value for name, value in row.items() if name != CORES},
        "positions": None if positions is None else positions.digest,
    }
    write_network(run.model_path, _rounded(learner), facts)


def _measure(learner: NTupleLearner, run: RunFolder) -> None:
    """Measure the network, and log it with the games played since the last measurement."""
    config, played = learner.config, learner.totals - learner.measured
    agent = agent_of(_rounded(learner))
    found = measure_learner(
        agent, config.geometry, config.eval_games or 0, config.seed, config.eval_positions
    )
    row = {
        "games": learner.games,
        "seconds": round(run.seconds + float(learner.spent[0]), SECONDS_DIGITS),
        "first_wins": round(played[td.FIRST_WINS] / played[td.GAMES], 4),
        "draws": round(played[td.DRAWS] / played[td.GAMES], 4),
        "plies": round(played[td.PLIES] / played[td.GAMES], 2),
        **found,
    }
    _write(learner, run, row)
    run.log(row, float(learner.spent[1]))
    learner.measured[:] = learner.totals
    learner.spent[:] = 0.0


def agent_of(network: NTupleNetwork) -> NTupleAgent:
    """Return the agent that plays a network without looking ahead."""
    return NTupleAgent(NTupleSearch(network), Limit(depth=1))
