"""Speed and accuracy of a net: `python -m bench.nets [PART ...] [--model FILE ...]`.

Parts (default: the first three):

    decisions  the agent decides position by position
    batches    many positions in a call, as in training and search
    accuracy   right answers on the held-out sets, by ply and by number of right columns, with the
               share of random play, and signs of values
    learning   steps of a new net of the same sizes, in float32 and in bfloat16 (extra `learn`)
    seeds      right answers of several nets, for example of several seeds: mean, minimum, maximum

--model gives the nets (default: the bundled net). With several, each part but `seeds` measures each
net. The script asserts that a net evaluates a position equally in a call with one and with many
positions. It asserts that the figures equal the figures in the files. It asserts that the losses
fall and are nearly equal in both precisions.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.timing import best_of, machine
from claimeven import Limit, Position
from claimeven.agents.families.trained import NetAgent
from claimeven.dataset import Dataset
from claimeven.errors import ClaimevenError
from claimeven.learning import (
    HELD_OUT,
    AnswerShare,
    PolicyAccuracy,
    held_out,
    policy_accuracy,
    sign_accuracy,
)
from claimeven.learning.batching import make_batch
from claimeven.learning.jax_functions import BFLOAT16, FLOAT32
from claimeven.learning.net_training import Losses, NetTrainer, OptimizerConfig, TrainingBatch
from claimeven.montecarlo.puct.policy_value import Floats
from claimeven.networks import read_model
from claimeven.networks.loading import BUNDLED_NET
from claimeven.networks.net import Net, read_net

#: Positions evaluated one by one, and in a call.
DECISIONS = 1000
SIZES = (1, 4, 8, 64, 512, 3000)
#: Positions of a training step.
LESSON = 1024
#: Maximum difference of two ways to compute a number.
CLOSE = 1e-5


def decisions(net: Net, path: Path) -> None:
    data, agent = held_out("hard"), NetAgent(net)
    boards = list(zip(data.mines.tolist(), data.masks.tolist(), strict=True))[:DECISIONS]
    positions = [Position(net.geometry, mine, mask) for mine, mask in boards]
    rng, limit = np.random.default_rng(0), Limit()
    agent.load(net.geometry)
    seconds, columns = best_of(
        3, lambda: [agent.choose(position, limit, rng).column for position in positions]
    )
    _, priors = net.evaluate(data.mines[:DECISIONS], data.masks[:DECISIONS])
    chosen = priors[np.arange(len(columns)), columns]
    assert (chosen >= priors.max(axis=1) - CLOSE).all(), "in a single call it chose another column"
    print(f"one decision: {seconds / len(positions) * 1e3:.3f} ms")


def _judged(net: Net, data: Dataset, parts: list[slice]) -> list[tuple[Floats, Floats]]:
    return [net.evaluate(data.mines[part], data.masks[part]) for part in parts]


def batches(net: Net, path: Path) -> None:
    data = held_out("hard")
    values, priors = net.evaluate(data.mines, data.masks)
    for size in SIZES:
        parts = [slice(start, start + size) for start in range(0, len(data), size)]
        parts = parts[: max(1, DECISIONS // size)]
        seconds, found = best_of(3, partial(_judged, net, data, parts))
        for part, (some_values, some_priors) in zip(parts, found, strict=True):
            assert np.abs(some_values - values[part]).max() < CLOSE
            assert np.abs(some_priors - priors[part]).max() < CLOSE
        count = sum(len(each) for each, _ in found)
        print(f"{size:>5} in a call: {count / seconds:>8,.0f} positions a second")


class Answers(NamedTuple):
    """The results of a net on a held-out set: its policy, and the signs of its values."""

    policy: PolicyAccuracy
    sign: float | None


def answers_of(net: Net, path: Path, name: str) -> Answers:
    """Measure a net on a held-out set; assert that the figures equal the figures in its file."""
    data = held_out(name)
    judged = net.predict(data.mines, data.masks)
    policy = policy_accuracy(data, judged.priors.argmax(axis=1))
    answers = Answers(policy, sign_accuracy(data, judged.values))
    carried = read_model(path).facts.get("measured", {})
    for key, share in ((name, policy.share), (f"{name}_sign", answers.sign)):
        recorded = carried.get(key)
        assert recorded is None or abs(recorded - share) < 1e-3, (
            f"{path}: {key} is {share}, not {recorded}"
        )
    return answers


def accuracy(net: Net, path: Path) -> None:
    for name in HELD_OUT:
        policy, sign = answers_of(net, path, name)
        print(f"{name}: {_shares(policy)}; sign of the value right {sign:.1%}")
        for word, parts in (("ply", policy.by_ply), ("best columns", policy.by_best_columns)):
            for number, part in parts.items():
                print(f"  {word} {number:>2}: {_shares(part)}")


def seeds(nets: Sequence[tuple[Net, Path]]) -> None:
    for name in HELD_OUT:
        each = [answers_of(net, path, name) for net, path in nets]
        policies = [policy for policy, _ in each]
        first = policies[0]
        signs = _range([sign for _, sign in each])
        print(f"{name}: {_range_of(policies)}; sign of the value right {signs}")
        for number in first.by_ply:
            print(f"  ply {number:>2}: {_range_of([one.by_ply[number] for one in policies])}")
        for number in first.by_best_columns:
            parts = [one.by_best_columns[number] for one in policies]
            print(f"  right columns {number}: {_range_of(parts)}")


def _range_of(parts: Sequence[AnswerShare]) -> str:
    whole = parts[0]
    shares = _range([part.share for part in parts])
    return f"{shares} right of {whole.positions:>5,}, floor {whole.floor:.1%}"


def _range(shares: Sequence[float | None]) -> str:
    known = np.array([np.nan if share is None else share for share in shares])
    return f"{known.mean():6.1%} ({known.min():.1%} to {known.max():.1%})"


def _steps(trainer: NetTrainer, batch: TrainingBatch) -> Losses:
    return [trainer.learn(batch) for _ in range(10)][-1]


def learning(net: Net, path: Path) -> None:
    batch = make_batch(held_out("hard").select(np.arange(LESSON)), net.features)
    rates, losses = [], []
    for precision in (FLOAT32, BFLOAT16):
        descent = OptimizerConfig(steps=10**6)
        trainer = NetTrainer(net.shape, descent, net.geometry, precision=precision)
        first = trainer.learn(batch)  # compiles
        seconds, last = best_of(3, partial(_steps, trainer, batch))
        assert last.policy < first.policy, "the loss did not fall"
        rates.append(10 * LESSON / seconds)
        losses.append(last.policy)
        print(f"{precision}: {rates[-1]:,.0f} positions a second, loss {last.policy:.4f}")
    assert abs(losses[1] - losses[0]) < 0.02, "bfloat16 gives another loss"
    print(f"ratio: {rates[1] / rates[0]:.2f}")


def _shares(part: AnswerShare) -> str:
    share = 0.0 if part.share is None else part.share
    return f"{share:6.1%} right of {part.positions:>5,}, floor {part.floor:.1%}"


PARTS: dict[str, Callable[[Net, Path], None]] = {
    "decisions": decisions,
    "batches": batches,
    "accuracy": accuracy,
    "learning": learning,
}
SEEDS = "seeds"
DEFAULT_PARTS = ("decisions", "batches", "accuracy")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    names = (*PARTS, SEEDS)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(names))
    parser.add_argument(
        "--model", type=Path, nargs="+", default=[BUNDLED_NET], help="files of nets"
    )
    arguments = parser.parse_args()
    for part in arguments.parts:
        if part not in names:
            parser.error(f"PART must be one of {', '.join(names)}, got {part!r}")
    try:
        nets = [(read_net(path, held_out("hard").geometry), path) for path in arguments.model]
    except ClaimevenError as error:
        parser.error(str(error))
    print(machine())
    for net, path in nets:
        net.load()
        print(f"\n{path.name}: {net.parameters:,} parameters, {path.stat().st_size:,} bytes")
        print(net.shape)
        for part in arguments.parts or DEFAULT_PARTS:
            if part != SEEDS:
                print(f"\n{part}")
                PARTS[part](net, path)
    if SEEDS in arguments.parts:
        print(f"\n{SEEDS}: mean of {len(nets)} (minimum to maximum)")
        seeds(nets)


if __name__ == "__main__":
    main()
