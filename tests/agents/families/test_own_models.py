"""`puct` and `net` with a model of the user: code in its own process, and ONNX files."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position, play_match
from claimeven.agents import InvalidSpec, Limit, make_agent
from claimeven.agents.fingerprint import digests_of
from claimeven.agents.process.agent import ProcessAgent
from claimeven.arena.store.runs import runs_of
from claimeven.arena.store.store import Store
from claimeven.networks.net import read_net, write_net, write_onnx
from tests.agents.support import decided
from tests.networks.net.support import drawn_net

CODE = """
import os
import numpy as np

def left(planes):
    '''Likes the left columns, and its own discs.'''
    n, _, rows, columns = planes.shape
    print("evaluates", n)
    values = (planes[:, 0] - planes[:, 1]).sum(axis=(1, 2)) / (rows * columns)
    return values, np.tile(np.arange(columns, 0, -1.0), (n, 1))

class Model:
    def __call__(self, planes):
        columns = planes.shape[3]
        return np.zeros(len(planes)), np.eye(columns)[np.full(len(planes), 2)] + 0.01

class Wide:
    def __call__(self, planes):
        return np.full(len(planes), 7.0), np.ones((len(planes), planes.shape[3]))

class Late:
    '''Answers NaN after the first call.'''
    calls = 0

    def __call__(self, planes):
        self.calls += 1
        value = 0.0 if self.calls < 3 else np.nan
        return np.full(len(planes), value), np.ones((len(planes), planes.shape[3]))

class Broken:
    def __init__(self):
        raise ValueError("no weights")

def quits(planes):
    os._exit(3)
"""


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(CODE)
    return tmp_path / "mine.py"


def test_a_net_of_code_plays_its_favorite(code: Path, capfd: pytest.CaptureFixture[str]) -> None:
    decision = decided("net:model=mine.py:left", "1111112")
    assert decision.column == 1
    assert decision.value == pytest.approx(-1 / 42)
    assert decision.details["priors"][0] == 0.0
    out, err = capfd.readouterr()
    assert out == ""
    assert "evaluates 1" in err


def test_code_has_a_process_and_knows_each_board(code: Path) -> None:
    for board in (Geometry(), Geometry(5, 4, 3)):
        agent = make_agent("puct:model=mine.py:Model,iterations=30", board)
        try:
            assert isinstance(agent, ProcessAgent)
            assert agent.process not in (None, os.getpid())
            decision = decided(agent, Position(board), Limit(iterations=10))
            assert decision.iterations == 10
            assert max(decision.details["priors"]) == decision.details["priors"][2]
        finally:
            agent.close()


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (
            "puct:model=mine.py:Wide",
            "the model mine.py:Wide returned values from 7 to 7 .*: expected values from -1",
        ),
        (
            "net:model=mine.py:Wide",
            "the model mine.py:Wide returned values from 7 to 7 .*: expected values from -1",
        ),
        ("puct:model=mine.py:Broken", "ValueError: no weights"),
        ("puct:model=mine.py:Modell", "mine.py does not define 'Modell': it has left, Model"),
        ("net:model=mine.py:quits", "ended its process"),
        ("puct:model=none.py:Model", "there is no file none.py"),
        ("ntuple:model=mine.py:Model", "mine.py:Model cannot be read"),
        ("puct:model=none.onnx", "none.onnx cannot be read as an ONNX|onnxruntime"),
    ],
)
def test_models_that_cannot_play_are_named(code: Path, spec: str, reason: str) -> None:
    with pytest.raises(InvalidSpec, match=reason):
        make_agent(spec, Geometry()).close()


def test_nan_in_a_game_is_a_forfeit_with_the_reason(code: Path) -> None:
    result = play_match("puct:model=mine.py:Late,iterations=50", "random", games=1, seed=1)
    (game,) = result.games
    assert "the model mine.py:Late returned values from nan to nan" in str(game.forfeit)


def test_the_store_has_the_digest_of_the_code(code: Path) -> None:
    """A model in a module: the same file, and its helper."""
    code.write_text("from helper import left\n")
    (code.parent / "helper.py").write_text(CODE)
    spec = "net:model=mine.py:left"
    assert sorted(digests_of(spec)) == ["helper.py", "mine.py"]
    play_match(spec, "net:model=helper:left", games=2, seed=1, out="games.db")
    with Store.read("games.db") as store:
        (run,) = runs_of(store)
    for digest in digests_of(spec).values():
        assert digest in json.dumps(run)


def test_an_onnx_file_plays_as_the_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if any(importlib.util.find_spec(name) is None for name in ("onnx", "onnxruntime")):
        pytest.skip("the extra onnx is not installed")
    monkeypatch.chdir(tmp_path)
    board = Geometry(5, 4, 4)
    net = drawn_net(board)
    write_net("net.npz", net)
    write_onnx("net.onnx", read_net("net.npz"))
    start = Position.from_moves("3", board)
    for agent in ("net:model=net", "puct:iterations=120,model=net"):
        one, other = (
            make_agent(f"{agent}{end}", board).choose(start, Limit(), np.random.default_rng(1))
            for end in (".npz", ".onnx")
        )
        assert one.column == other.column
        assert one.value == pytest.approx(other.value, abs=1e-4)
        assert one.policy == pytest.approx(other.policy, abs=1e-4)
    assert not isinstance(make_agent("puct:model=net.onnx", board), ProcessAgent)
    with pytest.raises(InvalidSpec, match="the net knows 5x4 connect 4, not 7x6"):
        make_agent("net:model=net.onnx", Geometry())
    assert list(digests_of("puct:model=net.onnx")) == ["net.onnx"]
