"""How good a net is on labelled positions, and its file with these figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import claimeven
from claimeven.dataset import Dataset
from claimeven.dataset.scored_sets import shipped_set
from claimeven.learning.held_out import HELD_OUT, held_out, policy_accuracy, sign_accuracy
from claimeven.learning.quantization import POSITIONS, Watch, packed_by_play
from claimeven.networks.model_file import ModelFile, write_model
from claimeven.networks.net import Net
from claimeven.networks.net.file import unpacked


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


def write_measured(
    path: Path,
    net: Net,
    recipe: Mapping[str, Any],
    steps: int,
    held: Dataset | None = None,
    positions_each: int = POSITIONS,
    watch: Watch | None = None,
) -> dict[str, Any]:
    """Write a net with how it was made and how good it is; return these figures.

    It is measured as its file will be read again, rounded to `steps` either side of zero by
    `rounding.packed_by_play`, which takes `positions_each` and `watch` too: on the positions `held`
    out of its data, if there are any, and on the held-out sets of its board, if it has such.
    Figures are shares; None where no position counts. Raises `CannotWrite`.
    """
    model = packed_by_play(net, steps, positions_each, watch)
    kept = unpacked(model)
    sets = [name for name in HELD_OUT if shipped_set(net.geometry, name) is not None]
    data = {name: held_out(name, net.geometry) for name in sets}
    if held is not None and len(held):
        data = {"held_out": held, **data}
    found: dict[str, Any] = {}
    for name, positions in data.items():
        figures = accuracy_facts(kept, positions)
        found |= {name: figures["accuracy"], f"{name}_sign": figures["sign"]}
    facts = {
        **model.facts,
        "recipe": dict(recipe),
        "measured": found,
        "parameters": kept.parameters,
        "made_by": f"claimeven {claimeven.__version__}",
    }
    write_model(path, ModelFile(model.kind, net.geometry, model.arrays, facts))
    return {name: None if value is None else round(value, 4) for name, value in found.items()}
