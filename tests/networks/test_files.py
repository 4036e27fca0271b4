"""Models in files: written and read, and every fault of a file rejected in a sentence."""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.atomic_io import CannotWrite
from claimeven.networks import (
    InvalidNetwork,
    ModelFile,
    NTupleNetwork,
    NTuples,
    model_file,
    read_model,
    read_network,
    write_model,
    write_network,
)
from tests import forks
from tests.networks.test_ntuple import made, some_position


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "whole.npz"
    write_network(path, made(Geometry()), {"recipe": {"games": 3}, "measured": {"perfect": 0.5}})
    return path


@pytest.mark.parametrize("geometry", [Geometry(), Geometry(5, 4, 3)])
def test_a_network_goes_there_and_back(geometry: Geometry, tmp_path: Path) -> None:
    network, path, rng = made(geometry), tmp_path / "a.npz", random.Random(1)
    sparse = network.weights.copy()
    sparse[np.random.default_rng(2).random(len(sparse)) < 0.9] = 0
    for weights in (network.weights, sparse, np.zeros_like(sparse)):
        write_network(path, NTupleNetwork(network.tuples, weights), {"recipe": {"seed": 1}})
        back = read_network(path, geometry)
        assert back.tuples == network.tuples
        unit = float(np.abs(weights).max()) / 511
        assert np.abs(back.weights - weights).max() <= unit * 0.51
        position = some_position(rng, geometry)
        assert back.value(position) == pytest.approx(
            NTupleNetwork(network.tuples, weights).value(position),
            abs=4e-3,
        )
        first = path.read_bytes()
        write_network(path, back, {"recipe": {"seed": 1}})
        assert path.read_bytes() == first


def test_the_header_describes_the_model(whole: Path) -> None:
    model = read_model(whole, "ntuple", Geometry())
    facts = dict(model.facts)
    assert facts.pop("provenance")["kind"] == "model"
    assert facts == {"recipe": {"games": 3}, "measured": {"perfect": 0.5}}
    assert model.as_dict()["board"] == {"columns": 7, "rows": 6, "connect": 4}


class Trap:
    """An object that leaves a trace when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return Path.touch, (self.path,)


def member(array: object, pickled: bool = False) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), allow_pickle=pickled)
    return stream.getvalue()


def changed(whole: Path, name: str, content: bytes | None) -> bytes:
    """The archive with one member another, or gone."""
    out = io.BytesIO()
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            if info.filename != name:
                new.writestr(info, old.read(info))
            elif content is not None:
                new.writestr(name, content)
        if name not in old.namelist() and content is not None:
            new.writestr(name, content)
    return out.getvalue()


def test_a_pickle_is_refused_and_not_run(whole: Path, tmp_path: Path) -> None:
    trace, path = tmp_path / "trace", tmp_path / "bad.npz"
    trapped = np.array([Trap(trace)], dtype=object)
    path.write_bytes(changed(whole, "weights.npy", member(trapped, pickled=True)))
    with pytest.raises(InvalidNetwork, match=r"'weights.npy' must be an array of numbers"):
        read_network(path)
    path.write_bytes(changed(whole, "weights.npy", pickle.dumps(Trap(trace))))
    with pytest.raises(InvalidNetwork, match=r"'weights.npy' must be an array of numbers"):
        read_network(path)
    path.write_bytes(pickle.dumps(Trap(trace)))
    with pytest.raises(InvalidNetwork, match="is not a model: it is corrupt"):
        read_network(path)
    assert not trace.exists()


def test_damaged_files_are_refused(whole: Path, tmp_path: Path) -> None:
    data, path = whole.read_bytes(), tmp_path / "bad.npz"
    for end in (0, 1, 30, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:end])
        with pytest.raises(InvalidNetwork, match="is not a model"):
            read_network(path)
    rng = random.Random(4)
    for _ in range(60):
        place = rng.randrange(len(data))
        path.write_bytes(
            data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]
        )
        try:
            back = read_network(path)
        except InvalidNetwork:
            continue
        # A bit without a meaning, like the time of a member.
        assert np.array_equal(back.weights, read_network(whole).weights)


LONG = member(np.zeros(8, dtype=np.uint8)).replace(b"(8,)", b"(9,)")
SHORT = LONG.replace(b"(9,)", b"(7,)")
OTHERS = {"format": "another", "version": 1, "kind": "ntuple", "board": {}}
HUGE = member(np.zeros(8, dtype=np.uint8)).replace(b"(8,), }      ", b"(99999999,), }")[:]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("header.npy", None, "it has no header of claimeven"),
        ("header.npy", member(np.frombuffer(b"{}", np.uint8)), "it has no header of claimeven"),
        ("header.npy", member(np.frombuffer(b'{"format": 1}', np.uint8)), "no header of claimeven"),
        (
            "header.npy",
            member(np.frombuffer(json.dumps(OTHERS).encode(), np.uint8)),
            "it has no header of claimeven",
        ),
        ("header.npy", member(np.frombuffer(b"null", np.uint8)), "it has no header of claimeven"),
        ("header.npy", member(np.frombuffer(b"hello", np.uint8)), "it has no header of claimeven"),
        ("header.npy", member(np.zeros(0, np.uint8)), "it has no header of claimeven"),
        (
            "header.npy",
            member(np.frombuffer(b"[" * 100_000, np.uint8)),
            "it has no header of claimeven",
        ),
        ("weights.npy", None, "its part 'weights' is missing"),
        ("weights.npy", member(np.zeros((2, 3), np.float32)), "'weights' is missing, or not of"),
        ("weights.npy", LONG, "'weights.npy' must be an array of numbers, as long"),
        ("weights.npy", SHORT, "'weights.npy' must be an array of numbers, as long"),
        ("weights.npy", HUGE, "'weights.npy' must be an array of numbers, as long"),
        ("weights.npy", member(np.zeros((2, 3), np.uint8)), "one place for each of its weights"),
        ("weights.npy", member(np.zeros((3, 3), np.uint8)), "its numbers are not of 2 bytes"),
        ("tuples.npy", member(np.zeros((2, 3), np.int8)), "its tuples are not lists of cells"),
        ("tuples.npy", member(np.zeros((9, 4, 3), np.int8)), "its tuples are not lists of cells"),
        ("tuples.npy", member(np.full((9, 4, 2), 9, np.int8)), "tuple 1 holds a cell"),
        ("unit.npy", member(np.array([np.nan], np.float32)), "its unit is not a number"),
        ("unit.npy", member(np.ones(2, np.float32)), "its unit is not a number"),
        ("unit.npy", member(np.float32(1)), "its unit is not a number"),
        (
            "unit.npy",
            member(np.array([3e38], np.float32)),
            "its weights are greater than 1,000,000",
        ),
        ("unit.npy", member(np.ones(1)).replace(b"(1,)", b"(1,( "), "'unit.npy' must be an"),
        (
            "unit.npy",
            member(np.ones(1)).replace(b"'descr'", b"{descr}"),
            "'unit.npy' must be an array",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    whole: Path, tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    path = tmp_path / "bad.npz"
    path.write_bytes(changed(whole, name, content))
    with pytest.raises(InvalidNetwork, match=message):
        read_network(path)


def test_models_of_others_are_refused(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.npz"
    with pytest.raises(InvalidNetwork, match=r"whole\.npz knows 7x6 connect 4, not 5x4"):
        read_network(whole, Geometry(5, 4))
    with pytest.raises(InvalidNetwork, match="a model of the kind 'ntuple', not 'net'"):
        read_model(whole, "net")
    with pytest.raises(InvalidNetwork, match="cannot be read: No such file"):
        read_network(tmp_path / "nowhere.npz")
    with pytest.raises(InvalidNetwork, match="cannot be read: Is a directory"):
        read_network(tmp_path)
    newer = {"version": 99, "provenance": {"claimeven": "9.1.0"}}
    write_model(path, ModelFile("ntuple", Geometry(), {}, newer))
    with pytest.raises(
        InvalidNetwork, match=r"it has schema 99, .* less: claimeven 9.1.0 reads it"
    ):
        read_network(path)
    np.savez(path, weights=np.zeros(3))
    with pytest.raises(InvalidNetwork, match="it has no header of claimeven"):
        read_network(path)
    monkeypatch.setattr(model_file, "MAX_BYTES", 1 << 20)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.npy", bytes(2 << 20))
    with pytest.raises(InvalidNetwork, match="it unpacks to more than 1 MB"):
        read_network(path)


def test_two_weights_for_one_place_are_refused(whole: Path, tmp_path: Path) -> None:
    model = read_model(whole)
    places = np.array(model.arrays["places"])
    places[:, 3] = 0
    path = tmp_path / "twice.npz"
    write_model(path, ModelFile(model.kind, model.geometry, {**model.arrays, "places": places}))
    with pytest.raises(InvalidNetwork, match="it has two weights for one place"):
        read_network(path)


def test_a_weight_beyond_the_tables_is_refused(tmp_path: Path) -> None:
    """One tuple of one cell has four weights for each side to move: places 0 to 7."""
    tuples, path = NTuples((((3, 0),),)), tmp_path / "beyond.npz"
    weights = np.zeros(8, np.float32)
    weights[7] = 1.0
    write_network(path, NTupleNetwork(tuples, weights))
    assert read_network(path).weights.tolist() == weights.tolist()
    model = read_model(path)
    places = np.array(model.arrays["places"])
    assert places[:, 0].tolist() == [8, 0, 0, 0]
    places[0, 0] = 9
    write_model(path, ModelFile(model.kind, model.geometry, {**model.arrays, "places": places}))
    with pytest.raises(InvalidNetwork, match="it has not one place for each of its weights"):
        read_network(path)


@pytest.mark.parametrize(
    "array", [np.array(["text"]), np.ones(2, complex), np.zeros(2, "M8[s]"), np.zeros(2, "V3")]
)
def test_arrays_of_other_types_are_refused_in_any_part(tmp_path: Path, array: object) -> None:
    path = tmp_path / "other.npz"
    write_model(path, ModelFile("any", Geometry(), {}))
    path.write_bytes(changed(path, "more.npy", member(array)))
    with pytest.raises(InvalidNetwork, match=r"'more\.npy' must be an array of numbers"):
        read_model(path)


def test_a_file_as_large_as_can_be_is_read_and_a_larger_one_is_not(tmp_path: Path) -> None:
    """Bytes drawn at random take more room packed than unpacked."""
    path = tmp_path / "random.npz"
    drawn = np.frombuffer(random.Random(1).randbytes(3 << 20), np.uint8)
    write_model(path, ModelFile("any", Geometry(), {"drawn": drawn}), quick=True)
    size = path.stat().st_size
    assert size > len(drawn) + 500
    assert np.array_equal(read_model(path, max_bytes=size).arrays["drawn"], drawn)
    with pytest.raises(InvalidNetwork, match=r"random\.npz is not a model: it is larger than 3 MB"):
        read_model(path, max_bytes=size - 1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of POSIX")
def test_a_model_may_come_through_a_pipe(whole: Path, tmp_path: Path) -> None:
    """A pipe has no size: one with a byte too many is rejected as a file is."""
    pipe, content = tmp_path / "pipe", whole.read_bytes()
    os.mkfifo(pipe)

    def read(most: int | None) -> ModelFile:
        writer = threading.Thread(target=pipe.write_bytes, args=(content,), daemon=True)
        writer.start()
        try:
            return read_model(pipe, max_bytes=most)
        finally:
            writer.join(10)

    assert read(None).facts == read_model(whole).facts
    with pytest.raises(InvalidNetwork, match="pipe is not a model: it is larger than 0 MB"):
        read(len(content) - 1)


def test_an_unsupported_board_is_reported_with_its_file(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "wide.npz"
    write_model(path, ModelFile("ntuple", Geometry(16, 4), read_model(whole).arrays))
    with pytest.raises(
        InvalidNetwork, match=r"wide\.npz is not a model: its board cannot be: a model"
    ):
        read_network(path)


@pytest.mark.parametrize(
    ("board", "message"),
    [
        (None, "it does not state the sizes of its board"),
        ("7x6", "it does not state the sizes of its board"),
        ([7, 6, 4], "it does not state the sizes of its board"),
        ({"columns": 7, "rows": 6}, "it does not state the sizes of its board"),
        ({"columns": 7.0, "rows": 6, "connect": 4}, "columns must be a whole number, got 7.0"),
        ({"columns": 7, "rows": -6, "connect": 4}, "its board cannot be: rows must be 1 to 16"),
    ],
)
def test_an_invalid_board_is_reported(tmp_path: Path, board: object, message: str) -> None:
    path = tmp_path / "board.npz"
    write_model(path, ModelFile("any", Geometry(), {}, {"board": board}))
    with pytest.raises(InvalidNetwork, match=rf"board\.npz is not a model: .*{message}"):
        read_model(path)


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    """In any order of its facts; packed quickly it takes more room."""
    one, other, quick = (tmp_path / name for name in ("a.npz", "b.npz", "c.npz"))
    arrays = {"some": np.arange(5000) % 97}
    model = ModelFile("any", Geometry(), arrays, {"x": 1, "y": 2})
    write_model(one, model)
    write_model(other, ModelFile("any", Geometry(), arrays, {"y": 2, "x": 1}))
    assert one.read_bytes() == other.read_bytes()
    write_model(quick, model, quick=True)
    assert quick.stat().st_size > one.stat().st_size
    assert read_model(quick).as_dict() == read_model(one).as_dict()


def test_parts_count_together_however_small_each_is(tmp_path: Path) -> None:
    path, zeros = tmp_path / "parts.npz", np.zeros(700_000, dtype=np.uint8)
    write_model(path, ModelFile("any", Geometry(), {"one": zeros, "other": zeros}))
    with pytest.raises(InvalidNetwork, match="it unpacks to more than 1 MB"):
        read_model(path, max_bytes=1 << 20)


def test_an_invalid_file_name_is_reported() -> None:
    with pytest.raises(InvalidNetwork, match="cannot be read: a path must not contain a null"):
        read_model("no\0name")


def test_arrays_as_numpy_writes_them_are_read(tmp_path: Path) -> None:
    """Truth values, and the second version of its format; long names are cut in messages."""
    path, second = tmp_path / "a.npz", io.BytesIO()
    truths = np.array([True, False])
    write_model(path, ModelFile("any", Geometry(), {"truths": truths}))
    np.lib.format.write_array(second, np.arange(3), version=(2, 0))
    path.write_bytes(changed(path, "second.npy", second.getvalue()))
    model = read_model(path)
    assert model.arrays["truths"].tolist() == [True, False]
    assert model.arrays["second"].tolist() == [0, 1, 2]
    path.write_bytes(changed(path, "x" * 1000, b"no array"))
    with pytest.raises(InvalidNetwork, match="its part '" + "x" * 40 + "' must be an array"):
        read_model(path)


def test_unreadable_models_are_not_written(tmp_path: Path) -> None:
    path = tmp_path / "large.npz"
    model = ModelFile("any", Geometry(), {"much": np.zeros(3 << 20, dtype=np.uint8)})
    with pytest.raises(CannotWrite, match="it would hold more than 2 MB"):
        write_model(path, model, max_bytes=2 << 20)
    assert not path.exists()
    write_model(path, model, max_bytes=4 << 20)
    with pytest.raises(InvalidNetwork, match="it unpacks to more than 2 MB"):
        read_model(path, max_bytes=2 << 20)
    assert len(read_model(path).arrays["much"]) == 3 << 20


def test_drawn_tuples_of_many_lengths_are_kept(tmp_path: Path) -> None:
    tuples = NTuples((((0, 0),), ((3, 0), (3, 1), (3, 2)), ((1, 1), (2, 2))))
    path = tmp_path / "short.npz"
    write_network(path, NTupleNetwork(tuples))
    assert read_network(path).tuples == tuples
    assert read_network(path).value(Position()) == 0


BOUNDED = """
import resource, sys
from claimeven.networks import InvalidNetwork, read_network
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))
try:
    read_network(sys.argv[1])
except InvalidNetwork as error:
    print(error)
"""


def test_a_small_file_of_huge_tables_is_reported_by_name(tmp_path: Path) -> None:
    cells = [[(column, row) for column in range(5) for row in range(2)]] * 4096
    arrays = {
        "tuples": np.array(cells, dtype=np.int8),
        "places": np.zeros((4, 0), dtype=np.uint8),
        "weights": np.zeros((2, 0), dtype=np.uint8),
        "unit": np.ones(1, dtype=np.float32),
    }
    path = tmp_path / "huge.npz"
    write_model(path, ModelFile("ntuple", Geometry(), arrays))
    ran = forks.run_program(
        [sys.executable, "-c", BOUNDED, str(path)],
        env=forks.environment(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout == (
        f"{path} is not a model: its tables take 32,768 MB, for which there is no room\n"
    )
