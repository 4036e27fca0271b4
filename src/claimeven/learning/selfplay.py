"""Training a net on nothing but games against itself: the loop of AlphaZero.

An iteration: the best net so far plays games against itself, thinking by PUCT; their positions join
a window of the last ones; the net learns steps from it, the preference of the search and the
result of the game; it takes over immediately, or if it passes the gate; and it is measured against
exact play, which it is never trained on.

Source: Silver et al., "Mastering chess and shogi by self-play with a general reinforcement learning
algorithm" (2017).
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from claimeven.agents.base import Limit
from claimeven.arena.api import play_match
from claimeven.learning.inference_server import InferenceServer
from claimeven.learning.jax_functions import jax_and_optax
from claimeven.learning.jax_net import NetInJax
from claimeven.learning.metrics import (
    measure_selfplay,
    puct_agent,
    rounded_shares,
    write_with_facts,
)
from claimeven.learning.net_training import Batch, Losses, NetTrainer, OptimizerConfig
from claimeven.learning.quantization import packed_by_play
from claimeven.learning.run_dir import SECONDS_DIGITS, InvalidRun, Row, RunFolder
from claimeven.learning.selfplay_config import JAX, MAX_GATE, SelfPlayConfig
from claimeven.learning.selfplay_games import Replay
from claimeven.learning.selfplay_jobs import PATIENCE, Played, play_selfplay
from claimeven.networks.model_file import ModelFile
from claimeven.networks.net import Net
from claimeven.networks.net.file import unpack
from claimeven.parallel.jobs import Executor
from claimeven.parallel.pool import LocalWorkers
from claimeven.parallel.ray_workers import RayWorkers
from claimeven.ratings.pentanomial import PairCounts

KIND: Final = "selfplay checkpoint"
#: The names of the arrays of the best net start with this, in a checkpoint.
_BEST: Final = "best_"
#: Digits of shares and losses in the log.
_DIGITS: Final = 4
#: The most seconds that a worker may be silent, eleven days.
_MAX_PATIENCE: Final = 1_000_000
#: Threads that draw batches while one is learned, which an accelerator would wait for.
_AHEAD: Final = 4
#: Random plies before the games of a gate.
_OPENING: Final = 4
#: The phases of an iteration.
PLAYING, LEARNING, MEASURING = "playing", "learning", "measuring"


@dataclass(frozen=True)
class SelfPlayProgress:
    """How far a run is.

    `games` are played of `total`, `resumed` of them before this call, which has taken `seconds`;
    `doing` is the phase of iteration number `iteration` (from 1); `row` is the last measurement.
    """

    doing: str
    iteration: int
    games: int
    total: int
    resumed: int
    seconds: float
    row: Row | None


OnProgress = Callable[[SelfPlayProgress], object]


class SelfPlayLearner:
    """A net that learns from its own games: its training, the window, the best net so far."""

    def __init__(self, config: SelfPlayConfig) -> None:
        self.config = config
        optimization = OptimizerConfig(
            config.iterations * config.steps,
            config.lr,
            config.weight_decay,
            config.lr_schedule,
            config.ema_decay,
            score_weight=config.score_weight,
        )
        self.trainer: NetTrainer = NetTrainer(
            config.shape, optimization, config.geometry, config.seed
        )
        self.replay: Replay = Replay(config.window, config.geometry)
        self.best = config.net_of(self.trainer.arrays())
        self.iteration = 0
        self.learnt = 0

    @property
    def games(self) -> int:
        """Games of all iterations made."""
        return self.iteration * self.config.games

    def learn(self) -> Losses:
        """Learn the steps of an iteration; return the mean losses."""
        config, start = self.config, self.trainer.step
        total = np.zeros(len(Losses._fields))
        with ThreadPoolExecutor(_AHEAD) as pool:
            steps = iter(range(start, start + config.steps))
            drawn = deque(pool.submit(self._batch, step) for step in islice(steps, 2 * _AHEAD))
            while drawn:
                total += self.trainer.learn(drawn.popleft().result())
                drawn.extend(pool.submit(self._batch, step) for step in islice(steps, 1))
        return Losses(*(total / config.steps).tolist())

    def _batch(self, step: int) -> Batch:
        rng = np.random.default_rng([self.config.seed, step, 2])
        return self.replay.batch(self.config.batch, rng)

    def promote(self) -> dict[str, Any]:
        """Let the net take over, if it passes the gate; return what the log reports of it."""
        new = self.config.net_of(self.trainer.arrays())
        if not self.config.gate_games:
            self.best = new
            return {}
        pairs = gate(new, self.best, self.config, self.iteration)
        passed = pairs.share_interval[0] >= self.config.gate_min_score
        if passed:
            self.best = new
        shares = {"gate": pairs.share, "gate_low": pairs.share_interval[0]}
        return {**rounded_shares(shares), "promoted": int(passed)}

    def model(self) -> ModelFile:
        """Return the content of the file of the best net so far."""
        return packed_by_play(self.best, self.config.quant_levels)

    def checkpoint(self) -> ModelFile:
        """Return all that is needed to continue."""
        best = {_BEST + name: array for name, array in self.best.arrays.items()}
        arrays = {**self.trainer.checkpoint(), **self.replay.as_arrays(), **best}
        facts = {"iteration": self.iteration, "learnt": self.learnt}
        return ModelFile(KIND, self.config.geometry, arrays, facts)

    def take_up(self, checkpoint: ModelFile) -> None:
        """Continue from a checkpoint of the same configuration."""
        arrays = checkpoint.arrays
        self.trainer.resume(arrays)
        self.replay.take_up(arrays)
        names = self.best.arrays
        self.best = self.config.net_of({name: arrays[_BEST + name] for name in names})
        self.iteration = int(checkpoint.facts["iteration"])
        self.learnt = int(checkpoint.facts["learnt"])


def train_selfplay(
    folder: str | Path,
    config: SelfPlayConfig | None = None,
    on_progress: OnProgress | None = None,
    executor: Executor | None = None,
    worker_timeout: float = PATIENCE,
) -> list[Row]:
    """Train a net by self-play in a folder, or continue there; return the rows of its log.

    An `executor` of the arena (`LocalWorkers`, `RayWorkers`) plays the games; without one they are
    played here. The net is the same wherever they are played; a worker that is silent for
    `worker_timeout` seconds is replaced by another, which plays its task. `folder/model.npz` is the
    last net that was measured, or stored to look back at, and finally that of the last iteration.
    Ended in any way, Ctrl-C and kill included, the same call continues from the last iteration and
    leads to the same model. Raises `InvalidRun` for a folder of another run and for a gate that no
    net can pass, `InvalidNetwork` for a board that no net can know, `MissingPackage` without JAX,
    `InvalidMatch` if workers cannot play, and `CannotWrite`; the last checkpoint stays complete.
    """
    config = config or SelfPlayConfig()
    if not 0 < worker_timeout <= _MAX_PATIENCE:
        raise InvalidRun(
            f"worker_timeout must be more than 0 and up to {_MAX_PATIENCE:,} s,"
            f" not {worker_timeout:g}"
        )
    check_gate(config)
    config.shape.arrays(config.geometry)  # rejects a board that no net can know
    jax_and_optax()
    with RunFolder.opened(folder, config.as_dict()) as run, ExitStack() as stack:
        checkpoint = run.take_up(KIND)
        with run.reading_checkpoint():
            done = 0 if checkpoint is None else int(checkpoint.facts["iteration"])
        if done > config.iterations:
            raise InvalidRun(
                f"{run.path} has made {done} iterations already, not {config.iterations}: ask for"
                " as many, or more"
            )
        # Ray forks as it starts, of which JAX warns once it has threads: so before the learner.
        players = _kept(executor, stack) if done < config.iterations else None
        learner = SelfPlayLearner(config)
        if checkpoint is not None:
            with run.reading_checkpoint():
                learner.take_up(checkpoint)
        judge = _judge(players, learner, stack)
        loop = _Loop(learner, run, players, judge, worker_timeout, on_progress)
        # A window of millions takes seconds to write, during which the next games are played.
        keeper = stack.enter_context(ThreadPoolExecutor(1))
        kept = keeper.submit(lambda: None)
        while learner.iteration < config.iterations:
            row = loop.iterate()
            kept.result()
            run.note(row)
            kept = keeper.submit(run.keep, learner.checkpoint())
        kept.result()
        if (run.measured() or {}).get("iteration") != learner.iteration:
            loop.write(learner.model(), run.rows[-1])
        return run.rows


def _kept(executor: Executor | None, stack: ExitStack) -> Executor | None:
    """Return the executor for all iterations: workers of ours stay from one to the next."""
    if isinstance(executor, LocalWorkers | RayWorkers):
        players: AbstractContextManager[Executor] = executor.reused()
        return stack.enter_context(players)
    return executor


def _judge(
    players: Executor | None, learner: SelfPlayLearner, stack: ExitStack
) -> InferenceServer[NetInJax] | None:
    """Return the model that serves all processes of this machine, if there is an accelerator."""
    config = learner.config
    if not isinstance(players, LocalWorkers) or config.inference != JAX:
        return None
    if jax_and_optax()[0].default_backend() == "cpu":
        return None
    model = NetInJax(learner.best, config.judged_at_once)
    model.load()
    return stack.enter_context(InferenceServer.opened(model))


class _Loop:
    """The iterations of a run, and the progress that they report."""

    def __init__(
        self,
        learner: SelfPlayLearner,
        run: RunFolder,
        players: Executor | None,
        judge: InferenceServer[NetInJax] | None,
        worker_timeout: float,
        on_progress: OnProgress | None,
    ) -> None:
        self.learner, self.run, self.players, self.judge = learner, run, players, judge
        self.worker_timeout, self.on_progress = worker_timeout, on_progress
        self.resumed = learner.games
        self.started = time.perf_counter()

    def iterate(self) -> dict[str, Any]:
        """Play, learn, promote and measure; return the row of the log."""
        learner, config = self.learner, self.learner.config
        start, cores = time.perf_counter(), time.process_time()
        self.report(PLAYING)
        played = play_selfplay(
            learner.best,
            config,
            learner.iteration,
            self.players,
            lambda games: self.report(PLAYING, games),
            self.worker_timeout,
            self.judge,
        )
        playing = time.perf_counter() - start
        learner.replay.add(played.positions)
        learner.learnt += len(played.positions.mines)
        self.report(LEARNING, config.games)
        losses = learner.learn()
        learner.iteration += 1
        promoted = learner.promote()
        cores = time.process_time() - cores + played.core_seconds
        before = self.run.last_row or {"core_seconds": 0.0}
        seconds = self.run.seconds + time.perf_counter() - start
        row = {
            "iteration": learner.iteration,
            "games": learner.games,
            "positions": learner.learnt,
            "seconds": round(seconds, SECONDS_DIGITS),
            "core_seconds": round(before["core_seconds"] + cores, SECONDS_DIGITS),
            "play_seconds": round(playing, SECONDS_DIGITS),
            **_tally(played),
            "policy_loss": round(losses.policy, _DIGITS),
            "value_loss": round(losses.value, _DIGITS),
            **({"score_loss": round(losses.score, _DIGITS)} if config.knows_scores else {}),
            **promoted,
        }
        return {**row, **self._measured(row)}

    def _measured(self, row: Row) -> dict[str, float | None]:
        """Measure and write the net when that is due; return the measurements."""
        config, done = self.learner.config, self.learner.iteration
        is_due = done % config.eval_every == 0 or done == config.iterations
        found: dict[str, float | None] = {}
        if is_due or self.run.is_next_kept:
            self.report(MEASURING)
            model = self.learner.model()
            if is_due:
                found = rounded_shares(measure_selfplay(unpack(model), config))
            self.write(model, {**row, **found})
        return found

    def write(self, model: ModelFile, row: Row) -> None:
        """Write a model with its measurements."""
        config = self.learner.config
        described = {**config.as_dict(), "iterations": config.iterations}
        write_with_facts(self.run.model_path, model, described, row)

    def report(self, doing: str, games: int = 0) -> None:
        """Report how far the run is; `games` of this iteration are played."""
        if self.on_progress is None:
            return
        config, done = self.learner.config, self.learner.iteration
        self.on_progress(
            SelfPlayProgress(
                doing,
                done + (doing != MEASURING),
                self.learner.games + games,
                config.iterations * config.games,
                self.resumed,
                time.perf_counter() - self.started,
                self.run.last_row,
            )
        )


def _tally(played: Played) -> dict[str, Any]:
    """Return what the log reports of games."""
    tally = played.tally
    return {
        "evaluated": tally.evaluated,
        "plies": round(tally.plies / tally.games, 2),
        "first_wins": round(tally.first_wins / tally.games, _DIGITS),
        "draws": round(tally.draws / tally.games, _DIGITS),
    }


def gate(new: Net, best: Net, config: SelfPlayConfig, iteration: int) -> PairCounts:
    """Return the pairs of games of the new net against the best so far, `config.gate` games."""
    seed = int(np.random.default_rng([config.seed, iteration, 1]).integers(1 << 31))
    result = play_match(
        puct_agent(new, config.simulations, config.search),
        puct_agent(best, config.simulations, config.search),
        games=config.gate_games,
        seed=seed,
        limit=Limit(iterations=config.simulations),
        geometry=config.geometry,
        opening_plies=min(_OPENING, config.geometry.cells // 4),
        keep_decisions=False,
    )
    return result.pairs


def check_gate(config: SelfPlayConfig) -> None:
    """Raise `InvalidRun` for a gate that not even a net which wins every game of it passes.

    All training of such a run would be thrown away.
    """
    if not config.gate_games or _lower_bound(config.gate_games // 2) >= config.gate_min_score:
        return
    most = MAX_GATE // 2
    pairs = bisect_left(range(most + 1), config.gate_min_score, key=_lower_bound)
    needed = f"it takes {2 * pairs:,} games or more"
    if pairs > most:
        needed = f"nor would {MAX_GATE:,} games do"
    raise InvalidRun(
        f"gate games {config.gate_games} and gate min score {config.gate_min_score} cannot be"
        f" passed, not even by a net that wins every game: {needed}"
    )


def _lower_bound(pairs: int) -> float:
    """Return the lower bound of the share of a net that wins both games of each pair."""
    return PairCounts((0, 0, 0, 0, pairs)).share_interval[0]
