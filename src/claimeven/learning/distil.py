"""Learning a net from exact labels: policy, value and scores of positions that are solved.

The policy's target are the columns that keep the exact score, the value's is the sign of that
score. A part of the games is held out to show how far the learning is; the positions of the
held-out sets that come along, and their mirror images, are never learnt from.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimeven.dataset import Dataset, joined, read_dataset
from claimeven.dataset.scored_sets import shipped_set
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.validation import whole_number
from claimeven.learning.batching import Lessons, PlyShare, chances_of
from claimeven.learning.held_out import HELD_OUT, held_out
from claimeven.learning.net2net import can_grow, grown
from claimeven.learning.net_measuring import write_measured
from claimeven.learning.net_training import (
    ADAMW,
    EACH,
    OPTIMIZERS,
    POLICY_TARGETS,
    SCORE_LOSS,
    USUAL_WEIGHT,
    Descent,
    Losses,
    NetTrainer,
)
from claimeven.learning.precision import AUTO, PRECISIONS
from claimeven.learning.progress import TrainingProgress
from claimeven.learning.quantization import WEIGHT_STEPS
from claimeven.learning.run_dir import SECONDS_DIGITS, InvalidRun, Row, RunFolder
from claimeven.learning.settings import MAX_SEED, check_settings, checked_shares, choice, numeric
from claimeven.networks.model_file import ModelFile
from claimeven.networks.net import SHAPES, NetShape, read_net
from claimeven.networks.net.search_defaults import USUAL, Searching

KIND: Final = "net checkpoint"
#: The part of the games that is held out of the data, and the most of its positions measured on.
_HELD_SHARE, _MOST_HELD = 0.01, 4000


@dataclass(frozen=True)
class DistilRecipe:
    """All that decides what a run learns, but for the data.

    `size` is a name of `SHAPES`. `epochs` times every position is seen, in batches of `batch`;
    `every` so many steps the net is measured and kept. With `shares`, a number for each data set,
    positions are drawn anew for every step, from the data sets in that proportion; with
    `ply_shares`, plies and a number each, positions of these plies in that proportion, and no
    others; with both, within plies from the data sets that have such. Then a position is seen
    `epochs` times on average. `optimizer`, `rate` and `decay` are those of `Descent`, and so are
    `policy_target`, `value_weight`, `score_weight`, and `dropped`, against learning by heart.
    `score_focus`, `ahead` and `beside` are those of `Lessons`; the two have 0.9 together at most.
    Weights are kept with `weight_steps` steps either side of zero (see `rounding`), which the net
    knows of from the part `round_from` of its steps on. `precision` is one of those of `precision`.
    `start` is the file of a net to begin with, of that size or with fewer pairs (see `growing`),
    and what suits a search with it is kept; else weights are drawn. Raises `InvalidRun` for
    anything out of range.
    """

    size: str = choice("medium", SHAPES, "Size of the net.")
    epochs: float = numeric(20.0, 1e-6, 1e6, "Times each position is seen.")
    batch: int = numeric(512, 1, 1 << 16, "Positions of a step.")
    every: int = numeric(1000, 1, 10**9, "Steps between measurements.")
    optimizer: str = choice(
        ADAMW, OPTIMIZERS, "adamw, or muon: learns more in a step, which takes longer."
    )
    rate: float = numeric(1e-3, 1e-9, 1, "Greatest rate of the descent.")
    decay: float = numeric(1e-4, 0, 1, "Decay of the weights.")
    weight_steps: int = numeric(WEIGHT_STEPS, 1, 127, "Steps a weight is kept in.")
    seed: int = numeric(0, 0, MAX_SEED, "Seed of weights and order.")
    start: str | None = None
    shares: tuple[float, ...] | None = None
    ply_shares: tuple[PlyShare, ...] | None = None
    round_from: float = numeric(
        1.0, 0, 1, "Part of the steps after which the net sees its weights rounded."
    )
    dropped: float = numeric(
        0.0, 0, 0.9, "Part of the hidden numbers left out of a step, against learning by heart."
    )
    policy_target: str = choice(
        EACH, POLICY_TARGETS, "each right column alike, or any of them: errs less, shows one."
    )
    value_weight: float = numeric(
        USUAL_WEIGHT, 0, 1000, "What errors of who wins count for, beside those of the policy."
    )
    score_weight: float = numeric(
        USUAL_WEIGHT, 0, 1000, "What errors of the columns' scores count for."
    )
    score_focus: float = numeric(
        0.0, 0, 100, "How much more scores of good columns count than those of bad ones: 2.5, say."
    )
    ahead: float = numeric(
        0.0, 0, 0.9, "Part of each batch one move on, where the score is known too."
    )
    beside: float = numeric(
        0.0, 0, 0.9, "Part of each batch with a disc elsewhere, where one score is known."
    )
    precision: str = choice(
        AUTO, PRECISIONS, "Of products: float32, bfloat16, or auto: bfloat16 where it is quick."
    )
    geometry: Geometry = STANDARD

    def __post_init__(self) -> None:
        """Check every number."""
        if self.shares is not None:
            shares = checked_shares(self.shares, "shares of data sets")
            object.__setattr__(self, "shares", shares)
        self._check_ply_shares()
        check_settings(self)
        if self.ahead + self.beside > 0.9 + 1e-9:
            both = f"{self.ahead:g} and {self.beside:g}"
            raise InvalidRun(f"ahead and beside are {both}: 0.9 together can be")

    def _check_ply_shares(self) -> None:
        if self.ply_shares is None:
            return
        found = tuple(_ply_share(each) for each in self.ply_shares)
        object.__setattr__(self, "ply_shares", found)
        if not found:
            raise InvalidRun("shares of plies are of some plies: name one at least")
        before = -1
        for each in found:
            if not before < each.lowest <= each.highest:
                raise InvalidRun("shares of plies are of plies that rise, none of them twice")
            before = each.highest

    @property
    def shape(self) -> NetShape:
        """The sizes of the net."""
        return SHAPES[self.size]

    def descent(self, steps: int) -> Descent:
        """Return how the weights of a net go down in so many steps."""
        return Descent(
            steps,
            self.rate,
            self.decay,
            weight_steps=self.weight_steps,
            round_from=self.round_from,
            dropped=self.dropped,
            optimizer=self.optimizer,
            policy_target=self.policy_target,
            value_weight=self.value_weight,
            score_weight=self.score_weight,
        )

    def loss_of(self, row: Mapping[str, Any]) -> float:
        """Return the loss that the descent lowers, by a row of the log."""
        parts = (float(row[f"{name}_loss"]) for name in Losses._fields)
        return float(self.descent(1).aim.of(Losses(*parts)))

    def as_dict(self) -> dict[str, Any]:
        """Return the recipe as plain data."""
        told = {n: v for n, v in vars(self).items() if n not in ("geometry", "start")}
        # The loss is told so that no run goes on that had another.
        fixed = {"method": "distil", "score_loss": SCORE_LOSS}
        return {**fixed, **told, "shape": self.shape.as_dict(), "board": self.geometry.as_dict()}


def train_distil(
    folder: str | Path,
    data: Sequence[str | Path] | Dataset,
    recipe: DistilRecipe | None = None,
    watch: Callable[[TrainingProgress], object] | None = None,
) -> list[Row]:
    """Train a net on data sets in a folder, or go on where it stands; return the rows of its log.

    The model of the last measurement is in `folder/model.npz`. Ended in any way, Ctrl-C and kill
    included, the same call goes on from the last measurement and leads to the same model. Raises
    `InvalidRun` for a folder of another run, for a data set of another board and for one that has a
    share but no position that others have not, `InvalidDatasetFile` for data that cannot be read,
    `MissingPackage` without JAX, and `CannotWrite`; the last checkpoint stays whole.
    """
    recipe = recipe or DistilRecipe()
    geometry = recipe.geometry
    parts = [data] if isinstance(data, Dataset) else [read_dataset(p, geometry) for p in data]
    for part in parts:
        if part.geometry != geometry:
            raise InvalidRun(f"the data set is of {part.geometry}, not of {geometry}")
    if recipe.shares is not None and len(recipe.shares) != len(parts):
        raise InvalidRun(f"{len(recipe.shares)} shares were given for {len(parts)} data sets")
    learnt_parts, held, barred = _split(parts, recipe)
    learnt = joined(learnt_parts)
    chances = chances_of(learnt_parts, recipe.shares, recipe.ply_shares)
    lessons = Lessons(
        learnt,
        recipe.batch,
        recipe.seed,
        chances,
        focus=recipe.score_focus,
        ahead=recipe.ahead,
        beside=recipe.beside,
        barred=barred,
    )
    steps = max(1, round(recipe.epochs * len(learnt) / lessons.batch))
    descent = recipe.descent(steps)
    trainer = NetTrainer(recipe.shape, descent, geometry, recipe.seed, recipe.precision)
    # Fewer positions than a batch make smaller ones, which another version did not know of.
    sizes = {"batch": lessons.batch}
    told = {**recipe.as_dict(), **sizes, "data": data_digest(learnt), "positions": len(learnt)}
    told["precision"] = trainer.precision
    searching = USUAL
    if recipe.start is not None:
        told["start"], searching = _begin_with(Path(recipe.start), trainer)
    with RunFolder.opened(folder, told) as run:
        run.take_up(KIND, lambda checkpoint: trainer.take_up(checkpoint.arrays))
        resumed = trainer.step

        def write() -> dict[str, Any]:
            net = trainer.net(knows_scores=recipe.score_weight > 0)
            net.searching = searching
            return write_measured(run.model_path, net, told, recipe.weight_steps, held)

        while trainer.step < steps:
            goal = min(steps, (trainer.step // recipe.every + 1) * recipe.every)
            row = _learn_to(goal, trainer, lessons, run, resumed, watch)
            run.note({**row, **write()})
            run.keep(ModelFile(KIND, geometry, trainer.checkpoint()))
        if not run.has_model():
            write()
        return run.rows


def _ply_share(told: Any) -> PlyShare:
    """Return the share of some plies, checked."""
    try:
        lowest, highest, share = told
    except (TypeError, ValueError):
        raise InvalidRun(
            "a share of plies is the lowest of them, the highest and the share, as (4, 11, 0.5),"
            f" not {told!r}"
        ) from None
    plies = [whole_number(ply, "a ply", InvalidRun) for ply in (lowest, highest)]
    return PlyShare(*plies, *checked_shares([share], "shares of plies"))


def _split(
    parts: Sequence[Dataset], recipe: DistilRecipe
) -> tuple[list[Dataset], Dataset, npt.NDArray[np.uint64]]:
    """Return what of each data set is learnt from, what is held out of them and measured on, and
    the keys of all that is not to be learnt from.

    No position is in two of them, nor its image.
    """
    learnt, held = [], []
    sets = [name for name in HELD_OUT if shipped_set(recipe.geometry, name) is not None]
    for part in parts:
        rest = part
        for name in sets:
            rest = rest.without(held_out(name, recipe.geometry))
        both = rest.split_by_game(1 - _HELD_SHARE, recipe.seed)
        learnt.append(both[0])
        held.append(both[1])
    whole = joined(held)
    learnt = _without_repeats([part.without(whole) for part in learnt])
    barred = _barred(whole, recipe.geometry)
    if len(whole) > _MOST_HELD:  # from all data sets, which lie one after the other
        drawn = np.random.default_rng(recipe.seed).choice(len(whole), _MOST_HELD, replace=False)
        whole = whole.picked(np.sort(drawn))
    return learnt, whole, barred


def _barred(held: Dataset, geometry: Geometry) -> npt.NDArray[np.uint64]:
    """Return the keys of all positions that are not to be learnt from."""
    sets = [name for name in HELD_OUT if shipped_set(geometry, name) is not None]
    return np.concatenate([held.keys, *(held_out(name, geometry).keys for name in sets)])


def _without_repeats(parts: Sequence[Dataset]) -> list[Dataset]:
    """Return data sets without the positions, or their images, that an earlier one has."""
    _, first = np.unique(np.concatenate([part.keys for part in parts]), return_index=True)
    kept = np.zeros(sum(len(part) for part in parts), dtype=np.bool_)
    kept[first] = True
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return [
        part if which.all() else part.picked(which)
        for part, which in zip(parts, np.split(kept, ends), strict=True)
    ]


def _begin_with(path: Path, trainer: NetTrainer) -> tuple[str, Searching]:
    """Let training begin with the net of a file; return the file's digest and what suits it."""
    net = read_net(path, trainer.geometry)
    if not can_grow(net.shape, trainer.shape):
        raise InvalidRun(f"{path} is a net of another size: {net.shape.as_dict()}")
    trainer.begin_with(grown(net, trainer.shape, trainer.seed))
    return hashlib.sha256(path.read_bytes()).hexdigest(), net.searching


def data_digest(data: Dataset) -> str:
    """Return the SHA-256 of the positions and scores of a data set, in their order."""
    digest = hashlib.sha256()
    for array in (data.mines, data.masks, data.scores):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


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
        "seconds": round(seconds, SECONDS_DIGITS),
        "policy_loss": round(losses.policy, 5),
        "value_loss": round(losses.value, 5),
        "score_loss": round(losses.score, 5),
    }
