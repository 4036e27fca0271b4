"""Learning a net from exact labels: policy, value and scores of positions that are solved.

The policy's target is an equal share for every column that keeps the exact score, the value's the
sign of that score. A part of the games is held out to show how far the learning is; the positions
of the held-out sets that come along, and their mirror images, are never learnt from.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import claimeven
from claimeven.arena.positions import shipped_set
from claimeven.dataset import Dataset, joined, read_dataset
from claimeven.game.arrays import mirrored_keys
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.learning.held_out import HELD_OUT, held_out, policy_accuracy, sign_accuracy
from claimeven.learning.net_training import Batch, Descent, Losses, NetTrainer
from claimeven.learning.progress import TrainingProgress
from claimeven.learning.run_folder import InvalidRun, Row, RunFolder
from claimeven.networks.model_file import ModelFile, write_model
from claimeven.networks.net import SHAPES, Features, Net, NetShape, read_net
from claimeven.networks.net.file import STEPS, packed, unpacked
from claimeven.solver.solver import ILLEGAL
from claimeven.suggestions import no_such

KIND: Final = "net checkpoint"
#: The part of the games that is held out of the data, and the most of its positions measured on.
_HELD_SHARE, _MOST_HELD = 0.01, 4000


@dataclass(frozen=True)
class DistilRecipe:
    """All that decides what a run learns, but for the data.

    `size` is a name of `SHAPES`. `epochs` times every position is seen, as it lies or mirrored, in
    batches of `batch`; `every` so many steps the net is measured and kept. `rate` and `decay` are
    those of `Descent`; weights are kept with `weight_steps` steps either side of zero. `start` is
    the file of a net of that size to begin with, else weights are drawn. Raises `InvalidRun` for
    anything out of range.
    """

    size: str = "medium"
    epochs: float = 20.0
    batch: int = 512
    every: int = 1000
    rate: float = 1e-3
    decay: float = 1e-4
    weight_steps: int = STEPS
    seed: int = 0
    start: str | None = None
    geometry: Geometry = STANDARD

    def __post_init__(self) -> None:
        """Check every number."""
        if self.size not in SHAPES:
            raise InvalidRun(no_such("size", self.size, tuple(SHAPES)))
        for name, low, high in (
            ("epochs", 1e-6, 1e6),
            ("batch", 1, 1 << 16),
            ("every", 1, 10**9),
            ("rate", 1e-9, 1),
            ("decay", 0, 1),
            ("weight_steps", 1, 127),
            ("seed", 0, 2**63 - 1),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidRun(f"{name.replace('_', ' ')} is {value}: {low} to {high} can be")

    @property
    def shape(self) -> NetShape:
        """The sizes of the net."""
        return SHAPES[self.size]

    def as_dict(self) -> dict[str, Any]:
        """Return the recipe as plain data."""
        board = self.geometry
        told = {n: v for n, v in vars(self).items() if n not in ("geometry", "start")}
        sizes = {"columns": board.columns, "rows": board.rows, "connect": board.connect}
        return {"method": "distil", **told, "shape": self.shape.as_dict(), "board": sizes}


class Lessons:
    """Labelled positions as batches, in an order that a seed and the step decide."""

    def __init__(self, data: Dataset, batch: int, seed: int) -> None:
        if not len(data):
            raise InvalidRun("the data sets hold no position to learn from")
        self.data, self.batch, self.seed = data, batch, seed
        self.features = Features(data.geometry)
        self._epoch = -1
        self._order: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    @property
    def steps(self) -> int:
        """Batches of an epoch; what is left over waits for the next order."""
        return max(1, len(self.data) // self.batch)

    def at(self, step: int) -> Batch:
        """Return the batch of a step, from 0."""
        epoch, place = divmod(step, self.steps)
        if epoch != self._epoch:
            rng = np.random.default_rng([self.seed, epoch])
            # The last bit of a number says whether the position is mirrored.
            order = rng.permutation(len(self.data))
            self._order = order * 2 + rng.integers(0, 2, len(order))
            self._epoch = epoch
        chosen = self._order[place * self.batch : (place + 1) * self.batch]
        return batch_of(self.data.picked(chosen // 2), chosen % 2 == 1, self.features)


def batch_of(data: Dataset, mirrored: npt.NDArray[np.bool_], features: Features) -> Batch:
    """Return labelled positions as a batch, some of them mirrored."""

    def boards(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        return np.where(mirrored, mirrored_keys(words, data.geometry), words)

    def columns(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.where(mirrored[:, None], array[:, ::-1], array)

    keeps = columns(data.keeps).astype(np.float32)
    scores = columns(data.scores)
    playable = scores != ILLEGAL
    planes, states = features.of(boards(data.mines), boards(data.masks))
    return Batch(
        planes,
        states,
        keeps / keeps.sum(axis=1, keepdims=True),
        np.sign(data.best).astype(np.float32),
        np.where(playable, scores, 0).astype(np.float32),
        playable,
        playable,
    )


def train_distil(
    folder: str | Path,
    data: Sequence[str | Path] | Dataset,
    recipe: DistilRecipe | None = None,
    watch: Callable[[TrainingProgress], object] | None = None,
) -> list[Row]:
    """Train a net on data sets in a folder, or go on where it stands; return the rows of its log.

    The model of the last measurement is in `folder/model.npz`. Ended in any way, Ctrl-C and kill
    included, the same call goes on from the last measurement and leads to the same model. Raises
    `InvalidRun` for a folder of another run, `InvalidDatasetFile` for data that cannot be read,
    `MissingPackage` without JAX, and `CannotWrite`; the last checkpoint stays whole.
    """
    recipe = recipe or DistilRecipe()
    geometry = recipe.geometry
    if not isinstance(data, Dataset):
        data = joined([read_dataset(path, geometry) for path in data])
    for name in HELD_OUT:
        if shipped_set(geometry, name) is not None:
            data = data.without(held_out(name, geometry))
    learnt, held = data.split_by_game(1 - _HELD_SHARE, recipe.seed)
    if len(held) > _MOST_HELD:  # from all data sets, which lie one after the other
        drawn = np.random.default_rng(recipe.seed).choice(len(held), _MOST_HELD, replace=False)
        held = held.picked(np.sort(drawn))
    lessons = Lessons(learnt, recipe.batch, recipe.seed)
    steps = max(1, round(recipe.epochs * len(learnt) / recipe.batch))
    trainer = NetTrainer(
        recipe.shape, Descent(steps, recipe.rate, recipe.decay), geometry, recipe.seed
    )
    told = {**recipe.as_dict(), "data": data_digest(learnt), "positions": len(learnt)}
    if recipe.start is not None:
        told["start"] = _begin_with(Path(recipe.start), trainer)
    with RunFolder.opened(folder, told) as run:
        checkpoint = run.take_up(KIND)
        if checkpoint is not None:
            trainer.take_up(checkpoint.arrays)
        resumed = trainer.step
        while trainer.step < steps:
            goal = min(steps, (trainer.step // recipe.every + 1) * recipe.every)
            row = _learn_to(goal, trainer, lessons, run, resumed, watch)
            row |= _measured(trainer, recipe, held, run, told)
            run.note(row)
            run.keep(ModelFile(KIND, geometry, trainer.checkpoint()))
        return run.rows


def _begin_with(path: Path, trainer: NetTrainer) -> str:
    """Let training begin with the net of a file; return the digest of the file."""
    net = read_net(path, trainer.geometry)
    if net.shape != trainer.shape:
        raise InvalidRun(f"{path} is a net of another size: {net.shape.as_dict()}")
    trainer.begin_with(net)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def data_digest(data: Dataset) -> str:
    """Return the SHA-256 of the positions and scores of a data set, in their order."""
    digest = hashlib.sha256()
    for array in (data.mines, data.masks, data.scores):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def accuracy_facts(net: Net, data: Dataset) -> dict[str, Any]:
    """Return how good a net is on labelled positions: see `policy_accuracy`, `sign_accuracy`."""
    found = net.judge(data.mines, data.masks)
    accuracy = policy_accuracy(data, found.priors.argmax(axis=1))
    return {
        "positions": accuracy.positions,
        "accuracy": accuracy.share,
        "floor": accuracy.floor,
        "sign": sign_accuracy(data, found.values),
    }


def _learn_to(
    goal: int,
    trainer: NetTrainer,
    lessons: Lessons,
    run: RunFolder,
    resumed: int,
    watch: Callable[[TrainingProgress], object] | None,
) -> dict[str, Any]:
    """Take steps up to a goal; return what there is to tell of them."""
    begin = time.perf_counter()
    earlier = float(run.rows[-1]["seconds"]) if run.rows else 0.0
    last = run.rows[-1] if run.rows else None
    total, count = np.zeros(len(Losses._fields)), 0
    while trainer.step < goal:
        total += trainer.learn(lessons.at(trainer.step))
        count += 1
        if watch is not None:
            seconds = earlier + time.perf_counter() - begin
            watch(TrainingProgress(trainer.step, trainer.descent.steps, seconds, resumed, last))
    seconds = earlier + time.perf_counter() - begin
    losses = Losses(*(float(part) for part in total / count))
    return {
        "steps": trainer.step,
        "seen": trainer.step * lessons.batch,
        "seconds": round(seconds, 1),
        "policy_loss": round(losses.policy, 5),
        "value_loss": round(losses.value, 5),
        "score_loss": round(losses.score, 5),
    }


def _measured(
    trainer: NetTrainer, recipe: DistilRecipe, held: Dataset, run: RunFolder, told: dict[str, Any]
) -> dict[str, Any]:
    """Measure the net as its file will be read again, rounded; write it, and return the figures."""
    geometry = recipe.geometry
    model = packed(trainer.net(knows_scores=True), steps=recipe.weight_steps)
    net = unpacked(model)
    found: dict[str, Any] = {}
    if len(held):
        figures = accuracy_facts(net, held)
        found |= {"held_out": figures["accuracy"], "held_out_sign": figures["sign"]}
    for name in HELD_OUT:
        if shipped_set(geometry, name) is not None:
            figures = accuracy_facts(net, held_out(name, geometry))
            found |= {name: figures["accuracy"], f"{name}_sign": figures["sign"]}
    facts = {
        **model.facts,
        "recipe": told,
        "measured": found,
        "parameters": net.parameters,
        "made_by": f"claimeven {claimeven.__version__}",
    }
    write_model(run.model_path, ModelFile(model.kind, geometry, model.arrays, facts))
    return {name: None if value is None else round(value, 4) for name, value in found.items()}
