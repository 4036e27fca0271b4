"""Learning a net from nothing but games against itself: the loop of AlphaZero.

An iteration: the best net so far plays games against itself, thinking by PUCT; their positions join
a window of the last ones; the net learns steps from it, what the search preferred and what came of
the game; it takes over at once, or if it passes the gate; and it is measured against exact play,
which it never learns from.

Source: Silver et al., "Mastering chess and shogi by self-play with a general reinforcement learning
algorithm" (2017).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

import claimeven
from claimeven.learning.extras import jax_and_optax
from claimeven.learning.inference_server import SharedJudge
from claimeven.learning.jax_net import NetInJax
from claimeven.learning.net_training import Batch, Descent, Losses, NetTrainer
from claimeven.learning.quantization import packed_by_play
from claimeven.learning.replay_buffer import Replay
from claimeven.learning.run_dir import SECONDS_DIGITS, InvalidRun, Row, RunFolder
from claimeven.learning.selfplay_config import JAX, SelfPlayRecipe
from claimeven.learning.selfplay_jobs import PATIENCE, Played, play_selfplay
from claimeven.learning.selfplay_measuring import check_gate, gate, measure_selfplay
from claimeven.networks.model_file import ModelFile, write_model
from claimeven.networks.net.file import unpacked
from claimeven.parallel.jobs import Executor
from claimeven.parallel.pool import LocalWorkers
from claimeven.parallel.ray_workers import RayWorkers

KIND: Final = "selfplay checkpoint"
#: The names of the arrays of the best net begin with this, in a checkpoint.
_BEST: Final = "best_"
#: Shares and losses of the log are kept with so many digits.
_DIGITS: Final = 4
#: The most seconds that a worker may say nothing, eleven days.
_MOST_PATIENCE: Final = 1_000_000
#: Threads that draw batches while the last one is learnt, which an accelerator would wait for.
_AHEAD: Final = 4
#: What an iteration is doing.
PLAYING, LEARNING, JUDGING = "playing", "learning", "measuring"


@dataclass(frozen=True)
class SelfPlayProgress:
    """How far a run is.

    `games` are played of `total`, `resumed` of them before this call, which has taken `seconds`;
    `doing` is what iteration number `iteration` (from 1) is at; `row` is the last measurement.
    """

    doing: str
    iteration: int
    games: int
    total: int
    resumed: int
    seconds: float
    row: Row | None


Watch = Callable[[SelfPlayProgress], object]


class SelfPlayLearner:
    """A net that learns from its own games: its training, the window, the best net so far."""

    def __init__(self, recipe: SelfPlayRecipe) -> None:
        self.recipe = recipe
        steps = recipe.iterations * recipe.steps
        descent = Descent(
            steps,
            recipe.rate,
            recipe.decay,
            recipe.fall,
            recipe.stays,
            score_weight=recipe.score_weight,
        )
        self.trainer = NetTrainer(recipe.shape, descent, recipe.geometry, recipe.seed)
        self.replay = Replay(recipe.window, recipe.geometry)
        self.best = recipe.net_of(self.trainer.arrays())
        self.iteration = 0
        self.learnt = 0

    def learn(self) -> Losses:
        """Learn the steps of an iteration; return the mean losses."""
        recipe, begin = self.recipe, self.trainer.step
        total = np.zeros(len(Losses._fields))
        with ThreadPoolExecutor(_AHEAD) as pool:
            steps = iter(range(begin, begin + recipe.steps))
            drawn = deque(pool.submit(self._drawn, step) for step in islice(steps, 2 * _AHEAD))
            while drawn:
                total += self.trainer.learn(drawn.popleft().result())
                drawn.extend(pool.submit(self._drawn, step) for step in islice(steps, 1))
        return Losses(*(float(part) for part in total / recipe.steps))

    def _drawn(self, step: int) -> Batch:
        """Return the batch of a step."""
        rng = np.random.default_rng([self.recipe.seed, step, 2])
        return self.replay.batch(self.recipe.batch, rng)

    def promote(self) -> dict[str, Any]:
        """Let the net take over, if it passes the gate; return what the log says of it."""
        new = self.recipe.net_of(self.trainer.arrays())
        if not self.recipe.gate:
            self.best = new
            return {}
        pairs = gate(new, self.best, self.recipe, self.iteration)
        passed = pairs.share_interval[0] >= self.recipe.gate_least
        if passed:
            self.best = new
        return {
            "gate": round(pairs.share, _DIGITS),
            "gate_low": round(pairs.share_interval[0], _DIGITS),
            "taken": int(passed),
        }

    def checkpoint(self) -> ModelFile:
        """Return all that is needed to go on."""
        best = {_BEST + name: array for name, array in self.best.arrays.items()}
        arrays = {**self.trainer.checkpoint(), **self.replay.as_arrays(), **best}
        facts = {"iteration": self.iteration, "learnt": self.learnt}
        return ModelFile(KIND, self.recipe.geometry, arrays, facts)

    def take_up(self, checkpoint: ModelFile) -> None:
        """Go on from a checkpoint of the same recipe."""
        arrays = checkpoint.arrays
        self.trainer.take_up(arrays)
        self.replay.take_up(arrays)
        names = self.best.arrays
        self.best = self.recipe.net_of({name: arrays[_BEST + name] for name in names})
        self.iteration = int(checkpoint.facts["iteration"])
        self.learnt = int(checkpoint.facts["learnt"])


def train_selfplay(
    folder: str | Path,
    recipe: SelfPlayRecipe | None = None,
    watch: Watch | None = None,
    executor: Executor | None = None,
    patience: float = PATIENCE,
) -> list[Row]:
    """Train a net by self-play in a folder, or go on where it stands; return the rows of its log.

    An `executor` of the arena (`LocalWorkers`, `RayWorkers`) plays the games; without one they are
    played here. The net is the same wherever they are played; a worker that has said nothing for
    `patience` seconds is taken to hang, and another one plays its task. `folder/model.npz` is the
    last net that was measured, or kept to look back at, and in the end that of the last iteration.
    Ended in any way, Ctrl-C and kill included, the same call goes on from the last iteration and
    leads to the same model. Raises `InvalidRun` for a folder of another run and for a gate that no
    net can pass, `InvalidNetwork` for a board that no net can be of, `MissingPackage` without JAX,
    `InvalidMatch` where workers cannot play, and `CannotWrite`; the last checkpoint stays whole.
    """
    recipe = recipe or SelfPlayRecipe()
    if not 0 < patience <= _MOST_PATIENCE:
        raise InvalidRun(
            f"a patience of {patience:g} s: more than 0 and up to {_MOST_PATIENCE:,} can be"
        )
    check_gate(recipe)
    recipe.shape.arrays(recipe.geometry)  # refuses a board that no net can be of
    jax_and_optax()
    with RunFolder.opened(folder, recipe.as_dict()) as run, ExitStack() as stack:
        checkpoint = run.take_up(KIND)
        with run.reading_checkpoint():
            done = 0 if checkpoint is None else int(checkpoint.facts["iteration"])
        if done > recipe.iterations:
            raise InvalidRun(
                f"{run.path} has made {done} iterations already, not {recipe.iterations}: ask for"
                " as many, or more"
            )
        # Ray forks as it starts, of which JAX warns once it has threads: so before the learner.
        players = _kept(executor, stack) if done < recipe.iterations else None
        learner = SelfPlayLearner(recipe)
        if checkpoint is not None:
            with run.reading_checkpoint():
                learner.take_up(checkpoint)
        judge = _judge(players, learner, stack)
        # A window of millions takes seconds to write: meanwhile the next games are played.
        keeper = stack.enter_context(ThreadPoolExecutor(1))
        kept = keeper.submit(lambda: None)
        meter = _Meter(learner, run, watch)
        while learner.iteration < recipe.iterations:
            row = _iterate(learner, players, judge, meter, patience)
            row |= _measured(learner, run, meter, row)
            kept.result()
            run.note(row)
            kept = keeper.submit(run.keep, learner.checkpoint())
            meter.begin()
        kept.result()
        if run.measured().get("iteration") != learner.iteration:
            _write(_packed(learner), run.model_path, recipe, run.rows[-1])
        return run.rows


def _kept(executor: Executor | None, stack: ExitStack) -> Executor | None:
    """Return who plays all iterations: those of ours stay from one to the next."""
    if isinstance(executor, LocalWorkers | RayWorkers):
        players: AbstractContextManager[Executor] = executor.kept()
        return stack.enter_context(players)
    return executor


def _judge(
    players: Executor | None, learner: SelfPlayLearner, stack: ExitStack
) -> SharedJudge[NetInJax] | None:
    """Return what judges for all processes of this machine, where there is an accelerator."""
    recipe = learner.recipe
    if not isinstance(players, LocalWorkers) or recipe.inference != JAX:
        return None
    if jax_and_optax()[0].default_backend() == "cpu":
        return None
    model = NetInJax(learner.best, recipe.judged_at_once)
    model.load()
    return stack.enter_context(SharedJudge.opened(model))


def _iterate(
    learner: SelfPlayLearner,
    executor: Executor | None,
    judge: SharedJudge[NetInJax] | None,
    meter: _Meter,
    patience: float,
) -> dict[str, Any]:
    """Play, learn and promote; return what the log tells of it."""
    recipe = learner.recipe

    def tell(games: int) -> None:
        meter.tell(PLAYING, games)

    tell(0)
    begin, cores = time.perf_counter(), time.process_time()
    best, iteration = learner.best, learner.iteration
    played = play_selfplay(best, recipe, iteration, executor, tell, patience, judge)
    seconds = time.perf_counter() - begin
    learner.replay.add(played.positions)
    learner.learnt += len(played.positions.mines)
    meter.tell(LEARNING, recipe.games)
    losses = learner.learn()
    learner.iteration += 1
    promoted = learner.promote()
    cores = time.process_time() - cores + played.core_seconds
    return {
        "iteration": learner.iteration,
        "games": learner.iteration * recipe.games,
        "positions": learner.learnt,
        **meter.spent(cores),
        "playing": round(seconds, SECONDS_DIGITS),
        **_tally(played),
        "policy_loss": round(losses.policy, _DIGITS),
        "value_loss": round(losses.value, _DIGITS),
        **({"score_loss": round(losses.score, _DIGITS)} if recipe.knows_scores else {}),
        **promoted,
    }


def _measured(
    learner: SelfPlayLearner, run: RunFolder, meter: _Meter, row: Row
) -> dict[str, float | None]:
    """Measure and write the net where that is due; return what the log tells of it."""
    recipe, done = learner.recipe, learner.iteration
    is_due = done % recipe.every == 0 or done == recipe.iterations
    found: dict[str, float | None] = {}
    if is_due or run.is_next_kept:
        meter.tell(JUDGING)
        model = _packed(learner)
        if is_due:
            found = _rounded(measure_selfplay(unpacked(model), recipe))
        _write(model, run.model_path, recipe, {**row, **found})
    return found


def _packed(learner: SelfPlayLearner) -> ModelFile:
    """Return what the file of the best net so far holds."""
    return packed_by_play(learner.best, learner.recipe.weight_steps)


def _tally(played: Played) -> dict[str, Any]:
    """Return what the log tells of games."""
    tally = played.tally
    return {
        "judged": tally.judged,
        "plies": round(tally.plies / tally.games, 2),
        "first_wins": round(tally.first_wins / tally.games, _DIGITS),
        "draws": round(tally.draws / tally.games, _DIGITS),
    }


class _Meter:
    """Time spent, and what is told of it while a run goes on."""

    def __init__(self, learner: SelfPlayLearner, run: RunFolder, watch: Watch | None) -> None:
        self.learner, self.run, self.watch = learner, run, watch
        self.resumed = learner.iteration * learner.recipe.games
        self.started = time.perf_counter()
        self.begin()

    def begin(self) -> None:
        """Begin to count for the next row."""
        self.since = time.perf_counter()

    def spent(self, cores: float) -> dict[str, float]:
        """Return seconds and seconds of cores of the run so far, measurements left out."""
        last = self.run.rows[-1] if self.run.rows else {"seconds": 0.0, "core_seconds": 0.0}
        seconds = time.perf_counter() - self.since
        return {
            "seconds": round(last["seconds"] + seconds, SECONDS_DIGITS),
            "core_seconds": round(last["core_seconds"] + cores, SECONDS_DIGITS),
        }

    def tell(self, doing: str, games: int = 0) -> None:
        """Tell whoever watches how far the run is; `games` of this iteration are played."""
        if self.watch is None:
            return
        recipe, done = self.learner.recipe, self.learner.iteration
        judging = doing == JUDGING
        self.watch(
            SelfPlayProgress(
                doing,
                done + (not judging),
                done * recipe.games + games,
                recipe.iterations * recipe.games,
                self.resumed,
                time.perf_counter() - self.started,
                self.run.rows[-1] if self.run.rows else None,
            )
        )


def _write(model: ModelFile, path: Path, recipe: SelfPlayRecipe, row: Row) -> None:
    """Write a model with what is known of it."""
    facts = {
        **model.facts,
        "recipe": {**recipe.as_dict(), "iterations": recipe.iterations},
        "measured": dict(row),
        "parameters": unpacked(model).parameters,
        "made_by": f"claimeven {claimeven.__version__}",
    }
    write_model(path, ModelFile(model.kind, recipe.geometry, model.arrays, facts))


def _rounded(found: dict[str, float | None]) -> dict[str, float | None]:
    return {name: None if n is None else round(n, _DIGITS) for name, n in found.items()}
