"""Learning an n-tuple network by self-play: temporal differences against nothing but itself.

Both sides play by the network, each to the position that it likes best, now and then at random.
After a game every position is drawn towards what came of it. Its target is the lambda-return: a
mixture of what the network thought one ply later, two plies later, ..., and of the result, the
forward view of eligibility traces. A random move says nothing of the position before it, so that
position is left alone, unless the move ended the game, and the returns of earlier ones end there.
Positions are learnt from the last to the first, each error by what the position is worth by then:
positions of a game share weights, and errors of before the game would correct what they share again
and again.

A position is worth the hyperbolic tangent of a sum of weights, so each weight looked up is
recommended the same change: the error times the slope. How much of it is taken is the weight's own
step size, from how steady its recommended changes have been: with N their sum and A the sum of
their absolute values it is `step_size * exp(steepness * (|N| / A - 1))`, where the step size fades
from game to game.

Sources: Sutton and Barto, "Reinforcement Learning" (2018), chapter 12; Beal and Smith, "Temporal
coherence and prediction decay in TD learning" (IJCAI 1999); Bagheri, Thill, Koch and Konen, "Online
adaptable learning rates for the game Connect-4" (IEEE TCIAIG 8, 2016), whose settings these are but
for the step size.
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

import claimeven
from claimeven.agents.base import Limit
from claimeven.agents.families.trained import NTupleAgent
from claimeven.compiled import load
from claimeven.dataset.scored_sets import shipped_set
from claimeven.game.bitboard_kernel import board_vector
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.learning.defaults import usual_against
from claimeven.learning.evaluation import measure_learner
from claimeven.learning.progress import TrainingProgress
from claimeven.learning.run_dir import (
    CORES,
    SECONDS_DIGITS,
    InvalidRun,
    Row,
    RunFolder,
    cores_spent,
)
from claimeven.learning.settings import MAX_SEED, check_settings, numeric
from claimeven.learning.td_kernel import (
    DRAWS,
    EXPLORING,
    FADING,
    FIRST_WINS,
    GAMES,
    PLIES,
    RATES,
    STEEPNESS,
    STEP_SIZE,
    TOTALS,
    TRACE,
    Lesson,
    learn_by_playing,
)
from claimeven.networks.model_file import ModelFile
from claimeven.networks.ntuple import USUAL_LENGTH, USUAL_TUPLES, NTupleNetwork, NTuples
from claimeven.networks.ntuple_file import packed, unpacked, write_network
from claimeven.networks.ntuple_search import NTupleSearch

KIND: Final = "ntuple checkpoint"
#: Games between two looks at the clock and at Ctrl-C.
SLICE: Final = 200
#: Seconds of play after which it is kept where learning stands.
KEPT_EVERY: Final = 30.0
_MOST_GAMES: Final = 10**9


@dataclass(frozen=True)
class NTupleRecipe:
    """All that decides what a run learns.

    `games` are played; `every` so many of them it is measured, by `against` games against the
    perfect agent (None: 100, but none on boards of more than 36 cells other than 7x6, where it
    thinks for hours) and `positions` of the shipped ones (None for all), and kept. `tuples` of
    `length` cells are drawn. `step_size` (which fades to `last_step_size` in equal ratios),
    `steepness` and `trace` (lambda, 0 to 1) are told above; `exploring` is the share of random
    moves. Raises `InvalidRun` for anything out of range.
    """

    games: int = numeric(2_000_000, 1, _MOST_GAMES, "Games of self-play.")
    every: int = numeric(100_000, 1, _MOST_GAMES, "Games between measurements.")
    tuples: int = numeric(USUAL_TUPLES, 1, 1000, "Tuples to draw.")
    length: int = numeric(USUAL_LENGTH, help="Cells of a tuple.")
    step_size: float = numeric(0.02, 1e-9, 10, "Largest step of a weight.")
    last_step_size: float = numeric(0.001, 1e-9, 10, "And at the end.")
    steepness: float = numeric(2.7, 0, 100, "How soon unsteady ones slow.")
    trace: float = numeric(0.8, 0, 1, "Lambda of the returns, 0 to 1.")
    exploring: float = numeric(0.1, 0, 1, "Share of random moves.")
    seed: int = numeric(0, 0, MAX_SEED, "Seed of tuples and games.")
    against: int | None = numeric(
        None, 0, 100_000, "Games against perfect to measure; 100, on large boards 0."
    )
    positions: int | None = numeric(None, 1, 10**6, "Positions to measure on; all that come along.")
    geometry: Geometry = STANDARD

    def __post_init__(self) -> None:
        """Check every number."""
        if self.against is None:
            object.__setattr__(self, "against", usual_against(self.geometry, 100))
        check_settings(self)
        if self.positions is not None and shipped_set(self.geometry) is None:
            raise InvalidRun(f"no positions of {self.geometry} come along: leave positions out")

    def as_dict(self) -> dict[str, Any]:
        """Return the recipe as plain data; how often it is measured changes nothing learnt."""
        told = {name: value for name, value in vars(self).items() if name != "geometry"}
        return {"method": "ntuple", **told, "board": self.geometry.as_dict()}


class NTupleLearner:
    """A network that learns by playing: its weights and what decides their step sizes."""

    def __init__(self, recipe: NTupleRecipe) -> None:
        self.recipe = recipe
        geometry = recipe.geometry
        tuples = NTuples.drawn(recipe.tuples, recipe.length, geometry, recipe.seed)
        self.network = NTupleNetwork(tuples)
        self.changes = np.zeros((len(self.network.weights), 2), dtype=np.float32)
        self.totals = np.zeros(TOTALS, dtype=np.int64)
        #: The totals when it was measured last, and the seconds played since, of clock and cores.
        self.measured = np.zeros(TOTALS, dtype=np.int64)
        self.spent = np.zeros(2)
        self._rates = np.zeros(RATES)
        self._rates[STEP_SIZE] = recipe.step_size
        self._rates[FADING] = math.log(recipe.last_step_size / recipe.step_size) / recipe.games
        self._rates[STEEPNESS] = recipe.steepness
        self._rates[TRACE] = recipe.trace
        self._rates[EXPLORING] = recipe.exploring
        plies, slots = geometry.cells + 1, len(tuples.slots)
        self._lesson = Lesson(
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
        return int(self.totals[GAMES])

    def play(self, games: int) -> None:
        """Play so many games more and learn from each."""
        done = self.games
        learn_by_playing(
            self._board,
            self.recipe.geometry.columns,
            self.network.tuples.arrays,
            self.network.weights,
            self.changes,
            self._rates,
            self._lesson,
            np.uint64(self.recipe.seed),
            done,
            done + games,
            self.totals,
        )

    def checkpoint(self) -> ModelFile:
        """Return all that is needed to go on, only the weights that were met."""
        (places,) = np.nonzero(self.changes[:, 1])
        arrays: dict[str, npt.NDArray[Any]] = {
            "places": places.astype(np.int64),
            "weights": self.network.weights[places],
            "changes": self.changes[places],
            "totals": self.totals,
            "measured": self.measured,
            "spent": self.spent,
        }
        return ModelFile(KIND, self.recipe.geometry, arrays)

    def take_up(self, checkpoint: ModelFile) -> None:
        """Go on from a checkpoint of the same recipe."""
        arrays = checkpoint.arrays
        self.network.weights[arrays["places"]] = arrays["weights"]
        self.changes[arrays["places"]] = arrays["changes"]
        self.totals[:] = arrays["totals"]
        # Checkpoints were kept after measurements alone once, and told neither.
        self.measured[:] = arrays.get("measured", self.totals)
        self.spent[:] = arrays.get("spent", 0.0)


def train_ntuple(
    folder: str | Path,
    recipe: NTupleRecipe | None = None,
    watch: Callable[[TrainingProgress], object] | None = None,
) -> list[Row]:
    """Train a network in a folder, or go on where it stands; return the rows of its log.

    The model of the last measurement is in `folder/model.npz`. Ended in any way, Ctrl-C and kill
    included, the same call goes on where it was half a minute before, or at the measurement that
    was interrupted, and leads to the same model. Raises `InvalidRun` for a folder of another run,
    and `CannotWrite`; the last checkpoint stays whole.
    """
    recipe = recipe or NTupleRecipe()
    load(learn_by_playing)
    learner = NTupleLearner(recipe)
    with RunFolder.opened(folder, recipe.as_dict()) as run:
        run.take_up(KIND, learner.take_up)
        resumed = learner.games
        while learner.measured[GAMES] < recipe.games:
            _play_to_next(learner, run, resumed, watch)
            _measure(learner, run)
            run.keep(learner.checkpoint())
        if not run.has_model():
            _write(learner, run, run.rows[-1])
        return run.rows


def write_as_measured(path: Path, network: NTupleNetwork, recipe: NTupleRecipe, row: Row) -> None:
    """Write a network as a model that carries its recipe and a row of the log: what it is worth."""
    positions = shipped_set(recipe.geometry)
    if positions is not None and recipe.positions is not None:
        positions = positions.first(recipe.positions)
    facts = {
        "recipe": recipe.as_dict(),
        "measured": dict(row),
        "positions": None if positions is None else positions.digest,
        "made_by": f"claimeven {claimeven.__version__}",
    }
    write_network(path, network, facts)


def _play_to_next(
    learner: NTupleLearner,
    run: RunFolder,
    resumed: int,
    watch: Callable[[TrainingProgress], object] | None,
) -> None:
    """Play to the next measurement, and keep where that is: to measure takes long."""
    recipe = learner.recipe
    goal = min(recipe.games, (int(learner.measured[GAMES]) // recipe.every + 1) * recipe.every)
    kept = time.perf_counter()
    while learner.games < goal:
        begin, cores = time.perf_counter(), cores_spent()
        learner.play(min(SLICE, goal - learner.games))
        learner.spent += time.perf_counter() - begin, cores_spent() - cores
        if watch is not None:
            last = run.rows[-1] if run.rows else None
            watch(
                TrainingProgress(learner.games, recipe.games, _seconds(learner, run), resumed, last)
            )
        if time.perf_counter() - kept > KEPT_EVERY:
            run.keep(learner.checkpoint())
            kept = time.perf_counter()
    run.keep(learner.checkpoint())


def _rounded(learner: NTupleLearner) -> NTupleNetwork:
    """Return the network as its file will be read again."""
    return unpacked(ModelFile("", learner.recipe.geometry, packed(learner.network)))


def _write(learner: NTupleLearner, run: RunFolder, row: Row) -> None:
    """Write the model, with what the log tells of it."""
    measured = {name: value for name, value in row.items() if name != CORES}
    write_as_measured(run.model_path, _rounded(learner), learner.recipe, measured)


def _measure(learner: NTupleLearner, run: RunFolder) -> None:
    """Measure the network, and note what it is worth and what was played since it was last."""
    recipe, played = learner.recipe, learner.totals - learner.measured
    agent = agent_of(_rounded(learner))
    found = measure_learner(
        agent, recipe.geometry, recipe.against or 0, recipe.seed, recipe.positions
    )
    row = {
        "games": learner.games,
        "seconds": round(_seconds(learner, run), SECONDS_DIGITS),
        "first_wins": round(played[FIRST_WINS] / played[GAMES], 4),
        "draws": round(played[DRAWS] / played[GAMES], 4),
        "plies": round(played[PLIES] / played[GAMES], 2),
        **found,
    }
    _write(learner, run, row)
    run.note(row, float(learner.spent[1]))
    learner.measured[:] = learner.totals
    learner.spent[:] = 0.0


def _seconds(learner: NTupleLearner, run: RunFolder) -> float:
    """Return the seconds of play so far."""
    return float(run.rows[-1]["seconds"] if run.rows else 0.0) + float(learner.spent[0])


def agent_of(network: NTupleNetwork, depth: int = 1) -> NTupleAgent:
    """Return the agent that plays by a network, looking so many plies ahead."""
    return NTupleAgent(NTupleSearch(network), Limit(depth=depth))
