"""Nets in files: written and read, and other files rejected in a sentence, quickly."""

from __future__ import annotations

import os
import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry
from claimeven.montecarlo.puct import options
from claimeven.networks import (
    InvalidNetwork,
    ModelFile,
    PuctOptions,
    read_model,
    read_policy_value,
    recommended_options,
    write_model,
)
from claimeven.networks.net import (
    Net,
    NetShape,
    SearchDefaults,
    read_net,
    write_net,
)
from claimeven.networks.net.file import pack, round_to_steps, round_weights, units_of
from claimeven.networks.net.net import BOUNDS
from tests.networks.net.support import TINY, drawn_net

SMALL = Geometry(4, 4, 3)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nets") / "whole.npz"
    write_net(path, drawn_net(SMALL), {"recipe": {"seed": 3}})
    return path


def test_a_net_goes_there_and_back(tmp_path: Path) -> None:
    net, path = drawn_net(SMALL), tmp_path / "a.npz"
    for steps in (31, 127):
        write_net(path, net, steps=steps)
        back = read_net(path, SMALL)
        assert (back.geometry, back.shape) == (SMALL, TINY)
        for name, array in net.arrays.items():
            rough = 0.0 if name.endswith("_bias") else float(np.abs(array).max()) / steps
            # Half a unit of rounding, and far values are cut off.
            assert (np.abs(back.arrays[name] - array) <= rough / 2 + 1e-6).mean() > 0.95
    before = path.read_bytes()
    write_net(tmp_path / "b.npz", net, steps=127)
    assert (tmp_path / "b.npz").read_bytes() == before
    write_net(path, back, steps=127)
    again = read_policy_value(path)
    assert isinstance(again, Net)
    for name, array in back.arrays.items():
        assert np.allclose(array, again.arrays[name], atol=0.02)


def test_the_header_describes_the_net(whole: Path, tmp_path: Path) -> None:
    facts = dict(read_model(whole).facts)
    assert facts.pop("provenance")["kind"] == "model"
    assert facts == {"shape": TINY.as_dict(), "knows_scores": False, "recipe": {"seed": 3}}
    model, path = pack(drawn_net(SMALL, knows_scores=True)), tmp_path / "a.npz"
    for output, knows in ((True, True), (False, False), ("no", False)):
        facts = {**model.facts, "knows_scores": output}
        write_model(path, ModelFile("net", SMALL, model.arrays, facts))
        assert read_net(path).knows_scores is knows
        assert not read_net(path).knows_only_best
    write_net(path, drawn_net(SMALL, knows_scores=True, knows_only_best=True))
    assert read_model(path).facts["knows_scores"] is True
    assert read_net(path).knows_scores and read_net(path).knows_only_best


def test_tables_the_output_and_the_first_layer_are_rounded_finer_than_the_rest() -> None:
    net = drawn_net(SMALL)
    for given, steps in (({"steps": 7}, 7), ({}, 31)):
        arrays = pack(net, **given).arrays
        for name, weights in net.arrays.items():
            if not name.endswith("_bias"):
                fine = name in ("lines", "columns", "out_sum", "out_difference")
                finer = 4 if fine else 2 if name in ("in_sum", "in_difference") else 1
                unit = units_of(weights, min(finer * steps, 127))
                assert np.array_equal(arrays[name + "_unit"], unit)


def test_no_weight_takes_more_steps_than_fit() -> None:
    """Else it would change its sign."""
    far, unit = np.array([[400.0], [-400.0], [-127.6]]), np.ones(1, dtype=np.float32)
    assert round_to_steps(far, unit).tolist() == [[127.0], [-127.0], [-127.0]]


def test_a_file_larger_than_any_model_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with path.open("wb") as stream:
        stream.truncate((1 << 29) + 1)  # of a hole, which takes no room
    tracemalloc.start()
    try:
        with pytest.raises(InvalidNetwork, match="is not a model: it is larger than 512 MB"):
            read_net(path)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(not Path("/dev/zero").is_char_device(), reason="there is no such device")
def test_an_endless_file_is_read_up_to_the_maximum(whole: Path) -> None:
    most = 1 << 22
    with pytest.raises(InvalidNetwork, match=r"^/dev/zero is not a model: it is larger than 4 MB$"):
        read_model("/dev/zero", max_bytes=most)
    ours, theirs = os.pipe()
    os.write(theirs, whole.read_bytes())
    os.close(theirs)
    try:
        assert read_net(f"/dev/fd/{ours}").shape == TINY
    finally:
        os.close(ours)


def test_a_small_file_of_a_huge_net_is_refused(tmp_path: Path) -> None:
    huge = NetShape(2048, 16, 1, 1)
    zeros = pack(drawn_net(SMALL)).arrays
    zeros |= {
        f"block{block}_{part}": np.zeros((2048, 2048), dtype=np.int8)
        for block in range(16)
        for part in ("sum", "difference")
    }
    path = tmp_path / "a.npz"
    write_model(path, ModelFile("net", SMALL, zeros, {"shape": huge.as_dict()}), quick=True)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(
        InvalidNetwork, match=r"a net must have at most 67,108,864 numbers, got 134"
    ):
        read_net(path)
    with pytest.raises(InvalidNetwork, match="at most 67,108,864 numbers"):
        Net.zeros(huge)


def test_another_board_and_another_kind_are_refused(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidNetwork, match="knows 4x4 connect 3, not 7x6 connect 4"):
        read_net(whole, Geometry())
    path = tmp_path / "a.npz"
    write_model(path, ModelFile("net checkpoint", SMALL, {}))
    with pytest.raises(InvalidNetwork, match="of the kind 'net checkpoint', not 'net'"):
        read_net(path)
    for geometry, message in ((Geometry(9, 9), "64 bits"), (Geometry(7, 6, 7), "up to 6 cells")):
        facts = {"shape": TINY.as_dict()}
        write_model(path, ModelFile("net", geometry, {}, facts))
        with pytest.raises(ValueError, match=message):
            read_net(path)


TOLD = TINY.as_dict()


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (None, "has no sizes of its layers"),
        ({"pairs": 6}, "has no sizes of its layers"),
        ({**TOLD, "pairs": 10**9}, "the pairs of a net must be 1 to 2,048, got 1,000,000,000"),
        ({**TOLD, "pairs": "6"}, "a whole number, got '6'"),
        ({**TOLD, "pairs": [1]}, r"a whole number, got \[1\]"),
        (dict.fromkeys(TOLD, 64), r"'lines' must be of shape \(12, 64, "),
        ({**TOLD, "blocks": 3}, "its part 'block2_sum' is missing"),
    ],
)
def test_sizes_that_differ_from_the_arrays(shape: Any, message: str, tmp_path: Path) -> None:
    model = pack(drawn_net(SMALL))
    path = tmp_path / "a.npz"
    write_model(path, ModelFile("net", SMALL, model.arrays, {"shape": shape}))
    with pytest.raises(InvalidNetwork, match=message):
        read_net(path)
    with pytest.raises(InvalidNetwork, match=message):
        read_policy_value(path)


def test_search_defaults_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    write_net(path, drawn_net(SMALL))
    assert "searching" not in read_model(path).facts
    assert read_net(path).search_defaults == SearchDefaults()
    suits = SearchDefaults(c=0.25, prior_temperature=2.0, score_share=0.75, score_scale=4.0)
    write_net(path, drawn_net(SMALL, search_defaults=suits))
    assert read_net(path).search_defaults == suits
    found = recommended_options(read_policy_value(path), prior_temperature=3.0)
    assert (found.c, found.prior_temperature) == (0.25, 3.0)


def test_defaults_of_nets_equal_defaults_of_searches() -> None:
    defaults, bounds = PuctOptions(), BOUNDS
    assert SearchDefaults()[:2] == (defaults.c, defaults.prior_temperature)
    for name in ("c", "prior_temperature"):
        assert bounds[name] == options.BOUNDS[name]
    assert tuple(bounds) == SearchDefaults._fields


@pytest.mark.parametrize(
    ("defaults", "message"),
    [
        ("fast", "search defaults are invalid"),
        ({"d": 1}, "search defaults are invalid"),
        ({"c": "1"}, "its c must be"),
        ({"c": True}, "its c must be"),
        ({"prior_temperature": 0}, "its prior_temperature must be"),
        ({"score_share": 1.5}, "its score_share must be"),
        ({"score_scale": -1}, "its score_scale must be"),
    ],
)
def test_invalid_search_defaults_are_rejected(defaults: Any, message: str, tmp_path: Path) -> None:
    model, path = pack(drawn_net(SMALL)), tmp_path / "a.npz"
    write_model(path, ModelFile("net", SMALL, model.arrays, {**model.facts, "searching": defaults}))
    with pytest.raises(InvalidNetwork, match=re.escape(message)):
        read_net(path)


@pytest.mark.parametrize(
    ("suits", "message"),
    [
        (SearchDefaults(prior_temperature=20), "its prior_temperature must be"),
        (SearchDefaults(c=-1), "its c must be"),
        (SearchDefaults(c=float("nan")), "its c must be"),
    ],
)
def test_invalid_search_defaults_are_not_written(
    suits: SearchDefaults, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.npz"
    with pytest.raises(InvalidNetwork, match=re.escape(message)):
        write_net(path, drawn_net(SMALL, search_defaults=suits))
    assert not path.exists()


def test_a_board_of_one_column(tmp_path: Path) -> None:
    """It has no pairs of columns, and so parts without a number."""
    net, path = drawn_net(Geometry(1, 9, 4)), tmp_path / "a.npz"
    write_net(path, net)
    empty = np.zeros(1, dtype=np.uint64)
    values, priors = read_net(path).evaluate(empty, empty)
    assert priors.tolist() == [[1.0]]
    assert values == pytest.approx(net.evaluate(empty, empty)[0], abs=0.1)


def test_invalid_arrays(tmp_path: Path) -> None:
    model = pack(drawn_net(SMALL))
    path = tmp_path / "a.npz"
    good = model.arrays
    for name, array, message in (
        ("in_sum", good["in_sum"].astype(np.float32), "'in_sum' is not of int8 with a unit"),
        ("in_sum", good["in_sum"][:, :3], r"'in_sum' must be of shape \(187, 6\), got \(187, 3\)"),
        ("in_sum_unit", good["in_sum_unit"][:3], "'in_sum' is not of int8 with a unit"),
        ("in_sum_unit", good["in_sum_unit"][None], "'in_sum' is not of int8 with a unit"),
        (
            "in_sum_unit",
            np.full(6, np.inf, dtype=np.float32),
            "'in_sum' must hold numbers of at most",
        ),
        ("in_bias", good["in_bias"].astype(np.float64), "'in_bias' must be float32"),
        ("out_bias", good["out_bias"][None], r"'out_bias' must be of shape \(5,\)"),
    ):
        write_model(path, ModelFile("net", SMALL, {**good, name: array}, model.facts))
        with pytest.raises(InvalidNetwork, match=rf"a\.npz is not a model: .*{message}"):
            read_net(path)
        with pytest.raises(InvalidNetwork, match=rf"a\.npz is not a model: .*{message}"):
            read_policy_value(path)


def test_false_sizes_allocate_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    huge = NetShape(2048, 64, 64, 64).as_dict()
    write_model(path, ModelFile("net", SMALL, pack(drawn_net(SMALL)).arrays, {"shape": huge}))
    tracemalloc.start()
    try:
        with pytest.raises(InvalidNetwork):
            read_net(path)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_a_weight_far_from_the_others_is_kept() -> None:
    """It takes more steps than the others, which do not lose by it."""
    weights = np.random.default_rng(1).normal(size=(1000, 3)).astype(np.float32)
    before = units_of(weights, 15)
    weights[7, 1] = 20.0
    whole, unit = round_weights(weights, 15)
    assert unit[1] < 1.3 * before[1]
    assert whole[7, 1] * unit[1] == pytest.approx(20.0, abs=float(unit[1]) / 2)
    weights[7, 1] = 200.0  # the steps that an int8 can hold, which are longer then
    whole, unit = round_weights(weights, 15)
    assert (whole[7, 1], unit[1]) == (127, pytest.approx(200 / 127))
