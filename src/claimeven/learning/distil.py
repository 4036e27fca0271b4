"""Training of a net on solved positions: policy, value and scores.

Some games are held out to measure progress. Training never uses the positions of the bundled
held-out sets or their mirror images.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimeven.dataset import Dataset, join_datasets, read_dataset
from claimeven.dataset.scored_sets import held_out_sets
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.validation import whole_number
from claimeven.learning.batching import BatchSampler, PlyWeight, sampling_weights
from claimeven.learning.jax_functions import AUTO, PRECISIONS
from claimeven.learning.metrics import write_measured
from claimeven.learning.net_training import (
    ADAMW,
    DEFAULT_WEIGHT,
    EACH,
    OPTIMIZERS,
    POLICY_TARGETS,
    SCORE_LOSS,
    Losses,
    NetTrainer,
    OptimizerConfig,
)
from claimeven.learning.net_weights import can_widen, widen
from claimeven.learning.quantization import DEFAULT_LEVELS
from claimeven.learning.run_dir import (
    MAX_SEED,
    SECONDS_DIGITS,
    InvalidRun,
    OnRow,
    Row,
    RunFolder,
    TrainingProgress,
    check_settings,
    checked_weights,
    choice,
    numeric,
)
from claimeven.networks.model_file import ModelFile
from claimeven.networks.net import SHAPES, NetShape, read_net
from claimeven.networks.net.net import DEFAULTS, SearchDefaults

KIND: Final = "net checkpoint"
#: The share of the games that is held out, and the limit on its positions for measurements.
_HELD_OUT_SHARE, _MAX_HELD_OUT = 0.01, 4000

OnProgress = Callable[[TrainingProgress], object]


@dataclass(frozen=True)
class DistilConfig:
    """The settings of a run; together with the data they determine its result.

    `size` is a name of `SHAPES`. The net sees every position `epochs` times, in batches of `batch`
    positions, and is measured and stored every `eval_every` steps. `dataset_weights`, a number for
    each data set, and `ply_weights` draw the positions of a batch with replacement, in proportion
    to these weights and only from these plies; a position is then seen `epochs` times on average.

    `score_focus`, `aug_successors` and `aug_swaps` (0.9 in total at most) belong to `BatchSampler`.
    Weights are stored with `quant_levels` levels on each side of 0 (see `quantization`); after the
    part `qat_start` of the steps the net is trained with rounded weights. `precision` is one of
    `PRECISIONS`. `start` is the file of a net to start with, of the same size or with
    fewer pairs (see `net_weights`); its search defaults are copied. Other settings belong to
    `OptimizerConfig`. Raises `InvalidRun` for a setting out of range.
    """

    size: str = choice("medium", SHAPES, "Size of the net.")
    epochs: float = numeric(20.0, 1e-6, 1e6, "Passes over the data.")
    batch: int = numeric(512, 1, 1 << 16, "Positions in a step.")
    eval_every: int = numeric(1000, 1, 10**9, "Steps between measurements.")
    optimizer: str = choice(ADAMW, OPTIMIZERS, "Optimizer; muon learns more in a slower step.")
    lr: float = numeric(1e-3, 1e-9, 1, "Highest learning rate.")
    weight_decay: float = numeric(1e-4, 0, 1, "Weight decay.")
    quant_levels: int = numeric(DEFAULT_LEVELS, 1, 127, "Levels of weights on each side of 0.")
    seed: int = numeric(0, 0, MAX_SEED, "Seed of weights and batches.")
    start: str | None = None
    dataset_weights: tuple[float, ...] | None = None
    ply_weights: tuple[PlyWeight, ...] | None = None
    qat_start: float = numeric(1.0, 0, 1, "Part of the steps before quantization-aware training.")
    dropout: float = numeric(0.0, 0, 0.9, "Part of the hidden units dropped in a step.")
    policy_target: str = choice(EACH, POLICY_TARGETS, "each best column equally, or any of them.")
    value_weight: float = numeric(DEFAULT_WEIGHT, 0, 1000, "Of the value loss; the policy has 1.")
    score_weight: float = numeric(DEFAULT_WEIGHT, 0, 1000, "Weight of the loss of column scores.")
    score_focus: float = numeric(0.0, 0, 100, "Extra weight of good columns, 2.5 for example.")
    aug_successors: float = numeric(0.0, 0, 0.9, "Part of a batch: positions after a move.")
    aug_swaps: float = numeric(0.0, 0, 0.9, "Part of a batch: positions with one disc moved.")
    precision: str = choice(AUTO, PRECISIONS, "Of products; auto: bfloat16 if that is fast.")
    geometry: Geometry = STANDARD

    def __post_init__(self) -> None:
        if self.dataset_weights is not None:
            weights = checked_weights(self.dataset_weights, "weights of data sets")
            object.__setattr__(self, "dataset_weights", weights)
        if self.ply_weights is not None:
            object.__setattr__(self, "ply_weights", _checked_ply_weights(self.ply_weights))
        check_settings(self)
        if self.aug_successors + self.aug_swaps > 0.9 + 1e-9:
            both = f"{self.aug_successors:g} and {self.aug_swaps:g}"
            raise InvalidRun(f"aug successors and aug swaps must sum to 0.9 or less, got {both}")

    @property
    def shape(self) -> NetShape:
        """The sizes of the net."""
        return SHAPES[self.size]

    def optimization(self, steps: int) -> OptimizerConfig:
        """Return the settings of the optimizer for this number of steps."""
        names = [each.name for each in fields(OptimizerConfig) if hasattr(self, each.name)]
        return OptimizerConfig(steps, **{name: getattr(self, name) for name in names})

    def loss_of(self, row: Mapping[str, Any]) -> float:
        """Return the loss that training minimizes, from a row of the log."""
        parts = (float(row[f"{name}_loss"]) for name in Losses._fields)
        return float(self.optimization(1).loss.of(Losses(*parts)))

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        settings = {n: v for n, v in vars(self).items() if n not in ("geometry", "start")}
        # The name of the loss is stored, so that a run with another loss does not continue.
        fixed = {"method": "distil", "score_loss": SCORE_LOSS}
        board, shape = self.geometry.as_dict(), self.shape.as_dict()
        return {**fixed, **settings, "shape": shape, "board": board}


def train_distil(
    folder: str | Path,
    data: Sequence[str | Path] | Dataset,
    config: DistilConfig | None = None,
    on_progress: OnProgress | None = None,
    on_row: OnRow | None = None,
) -> list[Row]:
    """Train a net on data sets in a folder, or continue there; return the rows of its log.

    `on_row` gets each new row. `folder/model.npz` is the last measured model. After an
    interruption, also by Ctrl-C or kill, the same call continues from the last measurement and
    leads to the same model. Raises `InvalidRun` for a folder of another run, for a data set of
    another board and for a data set with a weight but no new position, `InvalidDatasetFile` for
    data that cannot be read, `MissingPackage` without JAX, and `CannotWrite`; the last checkpoint
    stays complete.
    """
    config = config or DistilConfig()
    geometry = config.geometry
    parts = [data] if isinstance(data, Dataset) else [read_dataset(p, geometry) for p in data]
    for part in parts:
        if part.geometry != geometry:
            raise InvalidRun(f"the data set is of {part.geometry}, not of {geometry}")
    if config.dataset_weights is not None and len(config.dataset_weights) != len(parts):
        given = len(config.dataset_weights)
        raise InvalidRun(f"{given} weights were given for {len(parts)} data sets")
    training_parts, held_out, excluded = _split(parts, config)
    training = join_datasets(training_parts)
    sampler = BatchSampler(
        training,
        config.batch,
        config.seed,
        sampling_weights(training_parts, config.dataset_weights, config.ply_weights),
        focus=config.score_focus,
        aug_successors=config.aug_successors,
        aug_swaps=config.aug_swaps,
        excluded=excluded,
    )
    steps = max(1, round(config.epochs * len(training) / sampler.batch))
    trainer = NetTrainer(
        config.shape, config.optimization(steps), geometry, config.seed, config.precision
    )
    described = {
        **config.as_dict(),
        "batch": sampler.batch,  # smaller of fewer positions
        "data": data_digest(training),
        "positions": len(training),
        "precision": trainer.precision,
    }
    searching = DEFAULTS
    if config.start is not None:
        described["start"], searching = _start_with(Path(config.start), trainer)
    with RunFolder.opened(folder, described, on_row) as run:
        run.open_checkpoint(KIND, lambda checkpoint: trainer.resume(checkpoint.arrays))
        resumed = trainer.step

        def write() -> dict[str, Any]:
            net = trainer.net(knows_scores=config.score_weight > 0)
            net.search_defaults = searching
            return write_measured(run.model_path, net, described, config.quant_levels, held_out)

        while trainer.step < steps:
            goal = min(steps, (trainer.step // config.eval_every + 1) * config.eval_every)
            row = _learn_to(goal, trainer, sampler, run, resumed, on_progress)
            run.log({**row, **write()})
            run.save(ModelFile(KIND, geometry, trainer.checkpoint()))
        if run.measured() is None:
            write()
        return run.rows


def _checked_ply_weights(weights: Sequence[Any]) -> tuple[PlyWeight, ...]:
    found: list[PlyWeight] = []
    for each in weights:
        try:
            lowest, highest, weight = each
        except (TypeError, ValueError):
            raise InvalidRun(
                "a weight of plies must be the lowest ply, the highest ply and the weight, like"
                f" (4, 11, 0.5), got {each!r}"
            ) from None
        plies = [whole_number(ply, "a ply", InvalidRun) for ply in (lowest, highest)]
        if not (found[-1].highest if found else -1) < plies[0] <= plies[1]:
            raise InvalidRun("weights of plies must be in ascending order, each ply only once")
        found.append(PlyWeight(*plies, *checked_weights([weight], "weights of plies")))
    if not found:
        raise InvalidRun("weights of plies must name some plies")
    return tuple(found)


def _split(
    parts: Sequence[Dataset], config: DistilConfig
) -> tuple[list[Dataset], Dataset, npt.NDArray[np.uint64]]:
    """Return training positions by data set, held-out ones, and all keys not to train on."""
    training, held_out = [], []
    sets = held_out_sets(config.geometry).values()
    for part in parts:
        rest = part
        for each in sets:
            rest = rest.without(each)
        both = rest.split_by_game(1 - _HELD_OUT_SHARE, config.seed)
        training.append(both[0])
        held_out.append(both[1])
    whole = join_datasets(held_out)
    training = _without_repeats([part.without(whole) for part in training])
    excluded = np.concatenate([whole.keys, *(each.keys for each in sets)])
    if len(whole) > _MAX_HELD_OUT:  # drawn from all data sets, which follow one another
        drawn = np.random.default_rng(config.seed).choice(len(whole), _MAX_HELD_OUT, replace=False)
        whole = whole.select(np.sort(drawn))
    return training, whole, excluded


def _without_repeats(parts: Sequence[Dataset]) -> list[Dataset]:
    """Return data sets without the positions of earlier data sets and their mirror images."""
    _, first = np.unique(np.concatenate([part.keys for part in parts]), return_index=True)
    is_first = np.zeros(sum(len(part) for part in parts), dtype=np.bool_)
    is_first[first] = True
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return [
        part if which.all() else part.select(which)
        for part, which in zip(parts, np.split(is_first, ends), strict=True)
    ]


def _start_with(path: Path, trainer: NetTrainer) -> tuple[str, SearchDefaults]:
    """Start training with the net of a file; return the file's digest and its search defaults."""
    net = read_net(path, trainer.geometry)
    if not can_widen(net.shape, trainer.shape):
        raise InvalidRun(f"{path} is a net of another size: {net.shape.as_dict()}")
    trainer.start_with(widen(net, trainer.shape, trainer.seed))
    return hashlib.sha256(path.read_bytes()).hexdigest(), net.search_defaults


def data_digest(data: Dataset) -> str:
    """Return the SHA-256 of the positions and scores of a data set, in their order."""
    digest = hashlib.sha256()
    for array in (data.mines, data.masks, data.scores):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _learn_to(
    goal: int,
    trainer: NetTrainer,
    sampler: BatchSampler,
    run: RunFolder,
    resumed: int,
    on_progress: OnProgress | None,
) -> dict[str, Any]:
    """Take training steps up to a goal; return their row of the log."""
    start, last, total = time.perf_counter() - run.seconds, run.last_row, trainer.config.steps
    losses, count = np.zeros(len(Losses._fields)), goal - trainer.step
    while trainer.step < goal:
        losses += trainer.learn(sampler.batch_at(trainer.step))
        if on_progress is not None:
            seconds = time.perf_counter() - start
            on_progress(TrainingProgress(trainer.step, total, seconds, resumed, last))
    row = {
        "steps": trainer.step,
        "seen": trainer.step * sampler.batch,
        "seconds": round(time.perf_counter() - start, SECONDS_DIGITS),
    }
    means = zip(Losses._fields, (losses / count).tolist(), strict=True)
    return {**row, **{f"{name}_loss": round(mean, 5) for name, mean in means}}
