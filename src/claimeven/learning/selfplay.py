"""Training of a net by self-play: the loop of AlphaZero.

In an iteration, the best net so far plays games against itself with PUCT. The net is trained on the
last positions, replaces the best net if it passes the gate, and is measured against exact play,
which training never uses.

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
from claimeven.game.validation import real_number
from claimeven.learning.jax_functions import jax_and_optax
from claimeven.learning.jax_net import JaxNet
from claimeven.learning.metrics import (
    measure_selfplay,
    puct_agent,
    rounded_shares,
    write_with_facts,
)
from claimeven.learning.net_training import Losses, NetTrainer, OptimizerConfig, TrainingBatch
from claimeven.learning.quantization import packed_by_play
from claimeven.learning.run_dir import SECONDS_DIGITS, InvalidRun, OnRow, Row, RunFolder
from claimeven.learning.selfplay_config import JAX, MAX_GATE, SelfPlayConfig
from claimeven.learning.selfplay_games import ReplayBuffer
from claimeven.learning.selfplay_jobs import WORKER_TIMEOUT, InferenceServer, play_selfplay
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
#: The limit on the timeout of a worker in seconds, eleven days.
_MAX_TIMEOUT: Final = 1_000_000
#: Threads that prepare batches during a training step, so that an accelerator does not wait.
_BATCH_THREADS: Final = 4
#: Random plies before the games of a gate.
_OPENING_PLIES: Final = 4
#: The phases of an iteration.
PLAYING, LEARNING, MEASURING = "playing", "learning", "measuring"


@dataclass(frozen=True)
class SelfPlayProgress:
    """Progress of a run: `games` of `total` are played, `resumed` of them before this call.

    `phase` is the phase of iteration number `iteration` (from 1), `seconds` the time of this call,
    and `row` the last measurement.
    """

    phase: str
    iteration: int
    games: int
    total: int
    resumed: int
    seconds: float
    row: Row | None


OnProgress = Callable[[SelfPlayProgress], object]


class SelfPlayLearner:
    """A net that learns from its games: its trainer, the replay buffer and the best net so far."""

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
        self.replay: ReplayBuffer = ReplayBuffer(config.window, config.geometry)
        self.best = config.net_of(self.trainer.arrays())
        self.iteration = 0
        self.positions = 0

    @property
    def games(self) -> int:
        """Games of all finished iterations."""
        return self.iteration * self.config.games

    def learn(self) -> Losses:
        """Take the training steps of an iteration; return the mean losses."""
        config, start = self.config, self.trainer.step
        total = np.zeros(len(Losses._fields))
        with ThreadPoolExecutor(_BATCH_THREADS) as pool:
            steps = iter(range(start, start + config.steps))
            batches = deque(
                pool.submit(self._batch, step) for step in islice(steps, 2 * _BATCH_THREADS)
            )
            while batches:
                total += self.trainer.learn(batches.popleft().result())
                batches.extend(pool.submit(self._batch, step) for step in islice(steps, 1))
        return Losses(*(total / config.steps).tolist())

    def _batch(self, step: int) -> TrainingBatch:
        rng = np.random.default_rng([self.config.seed, step, 2])
        return self.replay.batch(self.config.batch, rng)

    def promote(self) -> dict[str, Any]:
        """Replace the best net if the new net passes the gate; return the figures for the log."""
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
        """Return the state of training."""
        best = {_BEST + name: array for name, array in self.best.arrays.items()}
        arrays = {**self.trainer.checkpoint(), **self.replay.as_arrays(), **best}
        facts = {"iteration": self.iteration, "learnt": self.positions}
        return ModelFile(KIND, self.config.geometry, arrays, facts)

    def resume(self, checkpoint: ModelFile) -> None:
        """Continue from a checkpoint of the same configuration."""
        arrays = checkpoint.arrays
        self.trainer.resume(arrays)
        self.replay.restore(arrays)
        names = self.best.arrays
        self.best = self.config.net_of({name: arrays[_BEST + name] for name in names})
        self.iteration = int(checkpoint.facts["iteration"])
        self.positions = int(checkpoint.facts["learnt"])


def train_selfplay(
    folder: str | Path,
    config: SelfPlayConfig | None = None,
    on_progress: OnProgress | None = None,
    executor: Executor | None = None,
    worker_timeout: float = WORKER_TIMEOUT,
    on_row: OnRow | None = None,
) -> list[Row]:
    """Train a net by self-play in a folder, or continue there; return the rows of its log.

    `on_row` gets each new row. An `executor` (`LocalWorkers`, `RayWorkers`) plays the games, by
    default this process; the net is the same. A worker that is silent for `worker_timeout` seconds
    is replaced.

    `folder/model.npz` is the last net that was measured or stored, at the end the last net. After
    an interruption, also by Ctrl-C or kill, the same call continues from the last iteration and
    leads to the same model. Raises `InvalidRun` for a folder of another run and for a gate that no
    net can pass, `InvalidNetwork` for a board without nets, `MissingPackage` without JAX,
    `InvalidMatch` if workers cannot play, and `CannotWrite`; the last checkpoint stays complete.
    """
    config = config or SelfPlayConfig()
    real_number(worker_timeout, "worker_timeout", InvalidRun, above=0, high=_MAX_TIMEOUT)
    check_gate(config)
    config.shape.arrays(config.geometry)  # rejects a board that nets do not support
    jax_and_optax()
    with RunFolder.opened(folder, config.as_dict(), on_row) as run, ExitStack() as stack:
        checkpoint = run.open_checkpoint(KIND)
        with run.reading_checkpoint():
            done = 0 if checkpoint is None else int(checkpoint.facts["iteration"])
        if done > config.iterations:
            raise InvalidRun(
                f"iterations must be {done} or more, the iterations of {run.path}, got"
                f" {config.iterations}"
            )
        # Ray forks when it starts. JAX warns of forks once it has threads, so Ray starts first.
        players = executor if done < config.iterations else None
        if isinstance(players, LocalWorkers | RayWorkers):  # their workers stay between iterations
            reused: AbstractContextManager[Executor] = players.reused()
            players = stack.enter_context(reused)
        learner = SelfPlayLearner(config)
        if checkpoint is not None:
            with run.reading_checkpoint():
                learner.resume(checkpoint)
        server = _server(players, learner, stack)
        loop = _Loop(learner, run, players, server, worker_timeout, on_progress)
        # A buffer of millions takes seconds to write; the next games start before that.
        writer = stack.enter_context(ThreadPoolExecutor(1))
        saved = writer.submit(lambda: None)
        while learner.iteration < config.iterations:
            row = loop.iterate()
            saved.result()
            run.log(row)
            saved = writer.submit(run.save, learner.checkpoint())
        saved.result()
        if (run.measured() or {}).get("iteration") != learner.iteration:
            loop.write(learner.model(), run.rows[-1])
        return run.rows


def _server(
    players: Executor | None, learner: SelfPlayLearner, stack: ExitStack
) -> InferenceServer[JaxNet] | None:
    """Return the server of the model for local workers, if the machine has an accelerator."""
    config = learner.config
    if not isinstance(players, LocalWorkers) or config.inference != JAX:
        return None
    if jax_and_optax()[0].default_backend() == "cpu":
        return None
    model = JaxNet(learner.best, config.inference_batch)
    model.load()
    return stack.enter_context(InferenceServer.running(model))


@dataclass
class _Loop:
    """The iterations of a run, with their progress reports."""

    learner: SelfPlayLearner
    run: RunFolder
    players: Executor | None
    server: InferenceServer[JaxNet] | None
    worker_timeout: float
    on_progress: OnProgress | None

    def __post_init__(self) -> None:
        self.resumed, self.started = self.learner.games, time.perf_counter()

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
            self.server,
        )
        playing, tally = time.perf_counter() - start, played.tally
        learner.replay.add(played.positions)
        learner.positions += len(played.positions.mines)
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
            "positions": learner.positions,
            "seconds": round(seconds, SECONDS_DIGITS),
            "core_seconds": round(before["core_seconds"] + cores, SECONDS_DIGITS),
            "play_seconds": round(playing, SECONDS_DIGITS),
            "evaluated": tally.evaluated,
            "plies": round(tally.plies / tally.games, 2),
            "first_wins": round(tally.first_wins / tally.games, _DIGITS),
            "draws": round(tally.draws / tally.games, _DIGITS),
            "policy_loss": round(losses.policy, _DIGITS),
            "value_loss": round(losses.value, _DIGITS),
            **({"score_loss": round(losses.score, _DIGITS)} if config.knows_scores else {}),
            **promoted,
        }
        return {**row, **self._measure_if_due(row)}

    def _measure_if_due(self, row: Row) -> dict[str, float | None]:
        config, done = self.learner.config, self.learner.iteration
        is_due = done % config.eval_every == 0 or done == config.iterations
        found: dict[str, float | None] = {}
        if is_due or self.run.stores_next_model:
            self.report(MEASURING)
            model = self.learner.model()
            if is_due:
                found = rounded_shares(measure_selfplay(unpack(model), config))
            self.write(model, {**row, **found})
        return found

    def write(self, model: ModelFile, row: Row) -> None:
        config = self.learner.config
        described = {**config.as_dict(), "iterations": config.iterations}
        write_with_facts(self.run.model_path, model, described, row)

    def report(self, phase: str, games: int = 0) -> None:
        """Report the progress; `games` of this iteration are played."""
        if self.on_progress is None:
            return
        config, done = self.learner.config, self.learner.iteration
        self.on_progress(
            SelfPlayProgress(
                phase,
                done + (phase != MEASURING),
                self.learner.games + games,
                config.iterations * config.games,
                self.resumed,
                time.perf_counter() - self.started,
                self.run.last_row,
            )
        )


def gate(new: Net, best: Net, config: SelfPlayConfig, iteration: int) -> PairCounts:
    """Return the pairs of the `config.gate_games` of a new net against the best net so far."""
    seed = int(np.random.default_rng([config.seed, iteration, 1]).integers(1 << 31))
    result = play_match(
        puct_agent(new, config.simulations, config.search),
        puct_agent(best, config.simulations, config.search),
        games=config.gate_games,
        seed=seed,
        limit=Limit(iterations=config.simulations),
        geometry=config.geometry,
        opening_plies=min(_OPENING_PLIES, config.geometry.cells // 4),
        keep_decisions=False,
    )
    return result.pairs


def check_gate(config: SelfPlayConfig) -> None:
    """Raise `InvalidRun` for a gate that even a net that wins every game cannot pass."""
    if not config.gate_games or _lower_bound(config.gate_games // 2) >= config.gate_min_score:
        return
    most = MAX_GATE // 2
    pairs = bisect_left(range(most + 1), config.gate_min_score, key=_lower_bound)
    needed = f"{2 * pairs:,} gate games or more" if pairs <= most else "a lower gate min score"
    raise InvalidRun(
        f"no net can pass gate games {config.gate_games} with gate min score"
        f" {config.gate_min_score}, even by winning every game: use {needed}"
    )


def _lower_bound(pairs: int) -> float:
    """Return the lower bound of the share of a net that wins both games of each pair."""
    return PairCounts((0, 0, 0, 0, pairs)).share_interval[0]
