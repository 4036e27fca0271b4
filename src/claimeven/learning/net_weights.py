"""Nets built from other nets: averaged nets and wider nets.

Nets that continue training from the same net make different errors. The mean of their weights is
often better than any of them. A wider net first gives the same answers as the narrow net: its new
hidden units have random input weights, and their output weights to the old units are 0.

Sources: Wortsman and others, "Model soups: averaging weights of multiple fine-tuned models improves
accuracy without increasing inference time" (ICML 2022); Chen, Goodfellow and Shlens, "Net2Net:
accelerating learning via knowledge transfer" (ICLR 2016), whose new units are copies of others.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven.atomic_io import check_output
from claimeven.game.validation import whole_number
from claimeven.learning.metrics import write_measured
from claimeven.learning.net_training import initial_weights
from claimeven.learning.quantization import DEFAULT_LEVELS, MANY_POSITIONS, OnProgress
from claimeven.learning.run_dir import InvalidRun
from claimeven.networks.model_file import read_model
from claimeven.networks.net import Net, NetShape, read_net
from claimeven.networks.net.file import KIND, MAX_STEPS
from claimeven.networks.net.net import DEFAULTS


def average_nets(
    models: Sequence[str | Path],
    out: str | Path,
    model_weights: Sequence[float] | None = None,
    quant_levels: int = DEFAULT_LEVELS,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Write the mean of the weights of nets to a file, and return its accuracy.

    `models` are files of nets of one size and board; `model_weights` are equal by default. The
    file stores the digest and the configuration of each net, and the search defaults if all nets
    share them. The figures are shares of right answers on the held-out sets of the board, and of
    right signs, as in the log of a run. Quantizing the mean takes most of the time: `on_progress`
    gets the number of matrices done, and of all. Raises `InvalidRun` for fewer than two nets, for
    nets that differ in size or board, for invalid weights and if `out` is one of the nets;
    `InvalidNetwork` for a file that is not a net; `CannotWrite`.
    """
    if len(models) < 2:
        raise InvalidRun(f"a mean must have 2 nets or more, got {len(models)}")
    weights = [float(each) for each in model_weights or [1.0] * len(models)]
    if len(weights) != len(models):
        raise InvalidRun(f"{len(weights)} weights were given for {len(models)} nets")
    if not (all(weight > 0 for weight in weights) and sum(weights) < math.inf):
        raise InvalidRun("model weights must be greater than 0, and their sum finite")
    whole_number(quant_levels, "quant levels", InvalidRun, low=1, high=MAX_STEPS)
    if os.path.realpath(out) in map(os.path.realpath, models):
        raise InvalidRun(f"{out} is one of the nets: name another file for the mean")
    check_output(out)
    nets = [read_net(path) for path in models]
    for path, net in zip(models[1:], nets[1:], strict=True):
        if net.geometry != nets[0].geometry:
            raise InvalidRun(
                f"{path} is for {net.geometry}, and {models[0]} for {nets[0].geometry}"
            )
        if net.shape != nets[0].shape:
            raise InvalidRun(f"{path} and {models[0]} have different sizes")
    config = {
        "method": "average",
        "models": [_origin_of(path) for path in models],
        "model_weights": weights,
        "quant_levels": quant_levels,
    }
    mean = _mean_of(nets, weights)
    return write_measured(Path(out), mean, config, quant_levels, None, MANY_POSITIONS, on_progress)


def _origin_of(path: str | Path) -> dict[str, Any]:
    """Return the digest of the file of a net, and its training configuration if it has one."""
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    facts = read_model(path, KIND).facts
    return {"digest": digest, "config": facts.get("config", facts.get("recipe"))}  # as in 0.2.0


def _mean_of(nets: Sequence[Net], weights: Sequence[float]) -> Net:
    parts = [np.float32(weight / sum(weights)) for weight in weights]
    arrays = {name: np.zeros_like(array) for name, array in nets[0].arrays.items()}
    for net, part in zip(nets, parts, strict=True):
        for name, array in net.arrays.items():
            arrays[name] += part * array
    knows_scores = all(net.knows_scores for net in nets)
    only_best = knows_scores and any(net.knows_only_best for net in nets)
    each = {net.search_defaults for net in nets}
    searching = nets[0].search_defaults if len(each) == 1 else DEFAULTS
    return Net(nets[0].shape, arrays, nets[0].geometry, knows_scores, searching, only_best)


def can_widen(shape: NetShape, wide: NetShape) -> bool:
    """Whether nets of a shape can be widened to another shape, with the same or more pairs.

    >>> can_widen(NetShape(pairs=384), NetShape(pairs=512))
    True
    >>> can_widen(NetShape(pairs=384, blocks=3), NetShape(pairs=512, blocks=4))
    False
    """
    return shape.pairs <= wide.pairs and replace(shape, pairs=wide.pairs) == wide


def widen(net: Net, wide: NetShape, seed: int = 0) -> Net:
    """Return a net of a wider shape that gives the same answers."""
    drawn = initial_weights(wide, net.geometry, seed)
    arrays = {name: _widened(array, drawn[name]) for name, array in net.arrays.items()}
    knows = net.knows_scores
    return Net(wide, arrays, net.geometry, knows, net.search_defaults, net.knows_only_best)


def _widened(
    narrow: npt.NDArray[np.float32], drawn: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    wide = drawn.copy()
    if narrow.ndim == 2:  # of a matrix: new inputs do not change old outputs
        wide[len(narrow) :, : narrow.shape[1]] = 0.0
    wide[tuple(map(slice, narrow.shape))] = narrow
    return wide
