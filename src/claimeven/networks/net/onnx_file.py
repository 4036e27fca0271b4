"""Nets as ONNX files with their features: they need only a runtime of ONNX, such as onnxruntime."""

from __future__ import annotations

import json
import operator
from pathlib import Path
from typing import Any, Final

import numpy as np

import claimeven
from claimeven.atomic_io import write_bytes
from claimeven.networks.net.array_features import ArrayFeatures
from claimeven.networks.net.forward import Forward
from claimeven.networks.net.net import Net
from claimeven.networks.net.onnx_graph import IR_VERSION, OPSET, OnnxGraph, Tensor, onnx_package

#: The names in the metadata of a file.
BOARD: Final = "claimeven.board"
SEARCH: Final = "claimeven.search_defaults"


def write_onnx(path: str | Path, net: Net) -> int:
    """Write a net as an ONNX file; return its size in bytes.

    The input `planes` is float32 (n, 2, rows, columns), 0 or 1, top row first: the discs of the
    side to move, and of the other side. The outputs are `policy`, float32 (n, columns), the
    probabilities of the columns, 0 for full ones, and `value`, float32 (n,), from -1 to 1 for the
    side to move, as `Net.evaluate` returns them. A net that knows scores has the output `scores`,
    (n, columns), as `Net.predict`. Raises `InvalidNetwork` without the package onnx, and
    `CannotWrite`.
    """
    content: bytes = onnx_model(net).SerializeToString()
    write_bytes(path, content)
    return len(content)


def onnx_model(net: Net) -> Any:
    """Return the net of `write_onnx` as an `onnx.ModelProto`."""
    onnx: Any = onnx_package()
    board, graph, helper = net.geometry, OnnxGraph(), onnx.helper
    shape = ("n", 2, board.rows, board.columns)
    planes = helper.make_tensor_value_info("planes", onnx.TensorProto.FLOAT, shape)
    features = ArrayFeatures(net.features, graph)
    forward = Forward(net.features, graph, operator.matmul, graph.relu)
    # The planes have rows from the top; cells are numbered column by column from the bottom.
    places = np.arange(board.cells).reshape(board.rows, board.columns)[::-1].T.ravel()
    flat = Tensor(graph, "planes", np.float32).reshape(0, 2 * board.cells)
    found, states, playable = features.of(flat[:, places], flat[:, places + board.cells])
    embedded = forward.look_up(net.arrays, forward.rows(states))
    outputs = forward.outputs(net.arrays, embedded, found)
    values, priors = forward.judge(outputs, playable, net.grading)
    named = [
        graph.output("policy", priors, "n", board.columns),
        graph.output("value", values.reshape(-1), "n"),
    ]
    if net.knows_scores:
        scores = outputs[:, board.columns + 1 :] * net.SCORE_UNIT
        known = graph.where(playable, scores, np.float32(np.nan))
        named.append(graph.output("scores", known, "n", board.columns))
    body = helper.make_graph(graph.nodes, "claimeven net", [planes], named, graph.constants)
    made = helper.make_model(
        body,
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="claimeven",
        producer_version=claimeven.__version__,
    )
    search = {name: getattr(net.search_defaults, name) for name in ("c", "prior_temperature")}
    helper.set_model_props(made, {BOARD: json.dumps(board.as_dict()), SEARCH: json.dumps(search)})
    return made
