"""Nets as ONNX files: run by onnxruntime they answer as the nets do; and files of other authors."""

from __future__ import annotations

import importlib.util
import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.game.encodings import to_openspiel, to_pettingzoo
from claimeven.montecarlo.puct.policy_value import evaluate_checked
from claimeven.networks import InvalidNetwork, read_policy_value, recommended_options
from claimeven.networks.loading import default_policy_value
from claimeven.networks.net import Net, SearchDefaults, write_onnx
from claimeven.networks.net.file import OPSET
from claimeven.networks.own_models import metadata_of
from tests.networks.net.support import drawn_net
from tests.positions import random_positions

needs = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("onnx", "onnxruntime")),
    reason="the extra onnx is not installed",
)
SMALL = Geometry(5, 4, 3)
NETS: dict[str, Callable[[], Net]] = {
    "bundled": default_policy_value,  # type: ignore[dict-item]  # it is a net
    "4x4x3": lambda: drawn_net(Geometry(4, 4, 3)),
    "8x7": lambda: drawn_net(Geometry(8, 7), knows_scores=True),
    "5x6x5": lambda: drawn_net(Geometry(5, 6, 5), seed=3),
    "1x6": lambda: drawn_net(Geometry(1, 6, 4)),
    "6x2x2": lambda: drawn_net(Geometry(6, 2, 2), knows_scores=True),
}


def planes_of(positions: list[Position]) -> np.ndarray:
    """Planes by the encodings of the package: rows from the top, the side to move first."""
    seen = np.array([to_pettingzoo(each, each.turn) for each in positions], dtype=np.float32)
    return np.moveaxis(seen, 3, 1)


def words_of(positions: list[Position]) -> list[np.ndarray]:
    return [
        np.array([getattr(each, name) for each in positions], dtype=np.uint64)
        for name in ("mine", "mask")
    ]


@needs
@pytest.mark.parametrize("name", NETS)
def test_a_runtime_answers_as_the_net_does(name: str, tmp_path: Path) -> None:
    """Hundreds of positions together, and some alone, which another kernel of ours evaluates."""
    import onnx
    import onnxruntime

    net, path = NETS[name](), tmp_path / "net.onnx"
    assert write_onnx(path, net) == path.stat().st_size
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    assert [each.version for each in model.opset_import] == [OPSET]
    session = onnxruntime.InferenceSession(str(path))
    origin = json.loads(session.get_modelmeta().custom_metadata_map["claimeven.provenance"])
    assert (origin["kind"], origin["board"]) == ("model", net.geometry.as_dict())
    names = [each.name for each in session.get_outputs()]
    assert names == ["policy", "value", *(["scores"] if net.knows_scores else [])]
    positions = list(random_positions(net.geometry, 300, seed=4, ongoing=True))
    for part in (positions, *([each] for each in positions[:20])):
        words = words_of(part)
        policy, value, *scores = session.run(None, {"planes": planes_of(part)})
        values, priors = net.evaluate(*words)
        assert policy.shape == priors.shape
        assert value.shape == values.shape
        assert np.abs(policy - priors).max() < 1e-5
        assert np.abs(value - values).max() < 1e-5
        assert (policy == 0).tolist() == (priors == 0).tolist()
        if net.knows_scores:
            expected = net.predict(*words).scores
            assert np.isnan(scores[0]).tolist() == np.isnan(expected).tolist()
            assert np.nanmax(np.abs(scores[0] - expected)) < 1e-3


@needs
def test_a_file_of_ours_is_a_model_with_its_search_defaults(tmp_path: Path) -> None:
    defaults = SearchDefaults(1.5, 2.0, 0.6, 8.0)
    net = drawn_net(SMALL, knows_scores=True, search_defaults=defaults)
    write_onnx(tmp_path / "net.onnx", net)
    model = read_policy_value(tmp_path / "net.onnx")
    assert model.geometry == SMALL
    about = json.loads(metadata_of(tmp_path / "net.onnx")["claimeven.provenance"])
    assert about["kind"] == "model" and about["board"] == SMALL.as_dict()
    assert recommended_options(model) == recommended_options(net)
    words = words_of(list(random_positions(SMALL, 50, seed=1, ongoing=True)))
    again = pickle.loads(pickle.dumps(model))
    for found, same, expected in zip(
        model.evaluate(*words), again.evaluate(*words), net.evaluate(*words), strict=True
    ):
        assert np.array_equal(found, same)
        assert np.abs(found - expected).max() < 1e-5


PLANES, CELLS = ["n", 2, 4, 5], ["n", 4, 5]


def foreign(
    path: Path, shape: list[Any], names: list[str], kind: str = "FLOAT", **more: Any
) -> Any:
    """Write a file of another author: logits are sums of inputs with weights, the value is tanh."""
    from onnx import TensorProto, helper, numpy_helper, save

    cells = SMALL.cells * (1 if len(shape) == 3 else 2)
    weights = np.random.default_rng(2).normal(size=(cells, SMALL.columns + 1)).astype(np.float32)
    tables = {"w": weights[:, :-1], "weights of the value": weights[:, -1:]}
    policy, value = names
    act = more.get("act", "Softmax")
    nodes = [
        helper.make_node("Cast", ["boards"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Flatten", ["numbers"], ["flat"], axis=1),
        helper.make_node("MatMul", ["flat", "w"], ["raw"]),
        helper.make_node(act, ["raw"], [policy]),
        helper.make_node("MatMul", ["flat", "weights of the value"], ["sum"]),
        helper.make_node(more.get("last", "Tanh"), ["sum"], [value]),
    ]
    batch = shape[0]
    graph = helper.make_graph(
        nodes,
        "foreign",
        [helper.make_tensor_value_info("boards", getattr(TensorProto, kind), shape)],
        [
            helper.make_tensor_value_info(value, TensorProto.FLOAT, [batch, 1]),
            helper.make_tensor_value_info(policy, TensorProto.FLOAT, [batch, SMALL.columns]),
        ],
        [numpy_helper.from_array(np.ascontiguousarray(t), n) for n, t in tables.items()],
    )
    save(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)]), path)
    return weights


@needs
@pytest.mark.parametrize(
    ("shape", "names", "more"),
    [
        (PLANES, ["policy", "value"], {}),
        (PLANES, ["a", "b"], {"kind": "INT8"}),
        (CELLS, ["policy_logits", "my_value"], {"act": "Identity"}),
        ([1, 4, 5], ["log_policy", "value"], {"act": "LogSoftmax", "kind": "DOUBLE"}),
        ([8, 2, "h", "w"], ["pi", "v"], {}),
    ],
    ids=str,
)
def test_files_of_other_authors(
    shape: list[Any], names: list[str], more: dict[str, str], tmp_path: Path
) -> None:
    """Any of the layouts, types and names, and a fixed number of positions."""
    weights = foreign(tmp_path / "theirs.onnx", shape, names, **more)
    model: Any = read_policy_value(tmp_path / "theirs.onnx")
    model.bind(SMALL)
    positions = list(random_positions(SMALL, 21, seed=5, ongoing=True))
    seen = planes_of(positions)
    if len(shape) == 3:
        seen = seen[:, 0] - seen[:, 1]
    raw = seen.reshape(len(positions), -1) @ weights
    chances = np.exp(raw[:, :-1])
    full = [[c not in each.legal_columns for c in range(SMALL.columns)] for each in positions]
    chances[np.array(full)] = 0
    values, priors = evaluate_checked(model, *words_of(positions))
    assert np.abs(values - np.tanh(raw[:, -1])).max() < 1e-5
    assert np.abs(priors - chances / chances.sum(axis=1, keepdims=True)).max() < 1e-5
    if "h" not in shape:
        other: Any = read_policy_value(tmp_path / "theirs.onnx")
        other.bind(Geometry())
        with pytest.raises(InvalidNetwork, match=r"theirs\.onnx takes boards of shape .*, got"):
            other.evaluate(*words_of([Position()]))


@needs
@pytest.mark.parametrize(
    ("shape", "names", "more", "reason"),
    [
        (
            ["n", 40],
            ["policy", "value"],
            {},
            r"one input, \(n, 2, rows, columns\).*got boards.*, 40",
        ),
        (
            PLANES,
            ["policy", "value"],
            {"act": "Identity"},
            "priors from -.*expected values from -1 to 1 and finite priors of 0 or more",
        ),
        (
            PLANES,
            ["policy", "value"],
            {"last": "Exp"},
            "returned values from .*: expected values from -1 to 1",
        ),
        (PLANES, ["policy", "value"], {"last": "Log"}, "values from nan to nan .*: expected"),
    ],
    ids=["input", "logits", "range", "nan"],
)
def test_files_that_cannot_be_models(
    shape: list[Any], names: list[str], more: dict[str, str], reason: str, tmp_path: Path
) -> None:
    foreign(tmp_path / "theirs.onnx", shape, names, **more)
    with pytest.raises(InvalidNetwork, match=reason):
        model: Any = read_policy_value(tmp_path / "theirs.onnx")
        model.bind(SMALL)
        evaluate_checked(model, *words_of(list(random_positions(SMALL, 40, seed=5, ongoing=True))))


@needs
def test_other_outputs_and_other_files_are_named(tmp_path: Path) -> None:
    import onnx

    path = tmp_path / "theirs.onnx"
    foreign(path, PLANES, ["policy", "value"])
    model = onnx.load(path)
    del model.graph.output[1]
    onnx.save(model, path)
    with pytest.raises(InvalidNetwork, match=r"and the outputs value and policy, got .* and value"):
        read_policy_value(path)
    foreign(path, PLANES, ["policy", "value"], "BOOL")
    with pytest.raises(InvalidNetwork, match=r"got boards .* tensor\(bool\) and value, policy"):
        read_policy_value(path)
    path.write_bytes(b"no model")
    with pytest.raises(InvalidNetwork, match="cannot be read as an ONNX model: "):
        read_policy_value(path)
    with pytest.raises(InvalidNetwork, match=r"cannot be read as an ONNX model: .*none"):
        read_policy_value(tmp_path / "none.onnx")


@pytest.mark.parametrize(("package", "why"), [("onnx", "write"), ("onnxruntime", "read")])
def test_a_missing_package_is_named(
    package: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InvalidNetwork, match=r"pip install 'claimeven\[onnx\]'"):
        if why == "write":
            write_onnx(tmp_path / "net.onnx", drawn_net(SMALL))
        else:
            read_policy_value(tmp_path / "net.onnx")


def test_the_planes_equal_the_encodings() -> None:
    """The planes of OpenSpiel are a third way to write a board."""
    for each in random_positions(SMALL, 5, seed=1, ongoing=True):
        first, second = to_openspiel(each)[:2, ::-1]
        expected = [first, second] if each.turn == 0 else [second, first]
        assert np.array_equal(planes_of([each])[0], expected)
