"""Runs of all kinds measured alike: measurements, stored results, pictures."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from claimeven import Geometry, Position, make_agent
from claimeven.learning import (
    InvalidRun,
    NTupleConfig,
    RunFolder,
    score_against_perfect,
    train_ntuple,
)
from claimeven.learning.compare_runs import (
    CompareConfig,
    ModelScores,
    compare_runs,
    draw_comparison,
)
from claimeven.networks import read_network
from claimeven.networks.net import Net, NetShape, write_net

SMALL = Geometry(4, 4, 3)
BRIEF = CompareConfig(positions=20, games=2, rounds=1)
BOARD = {"columns": 4, "rows": 4, "connect": 3}


@pytest.fixture(scope="module")
def ntuple(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of n-tuples with three measurements."""
    path = tmp_path_factory.mktemp("runs") / "ntuple"
    train_ntuple(path, NTupleConfig(300, 100, 8, 4, eval_games=1, geometry=SMALL))
    return path


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of self-play with one measurement, of an untrained net."""
    path = tmp_path_factory.mktemp("runs") / "net"
    with RunFolder.opened(path, {"method": "selfplay", "board": BOARD}) as run:
        run.open_checkpoint("a checkpoint")
        write_net(run.model_path, Net.zeros(NetShape(8, 1, 2), SMALL))
        run.log({"seconds": 3.0})
    return path


def test_each_model_of_each_kind_is_judged(ntuple: Path, net: Path) -> None:
    seen: list[str] = []
    found = compare_runs(
        [ntuple, net], BRIEF, on_progress=lambda at, of, who: seen.append(f"{at}/{of} {who}")
    )
    assert [(each.label, each.number) for each in found] == [
        *(("ntuple: ntuple", number) for number in (1, 2, 3)),
        *(("ntuple: ntuple-alphabeta:depth=6", number) for number in (1, 2, 3)),
        ("net: net", 1),
        ("net: puct:iterations=100", 1),
    ]
    assert seen[0] == "1/8 ntuple: ntuple, model 1" and len(seen) == 8
    agent = make_agent(f"ntuple:model={ntuple}/models/2.npz", SMALL)
    assert found[1].against_perfect == score_against_perfect(agent, SMALL, 2, BRIEF.seed)
    rows = (ntuple / "log.jsonl").read_text().splitlines()
    cores = [json.loads(line)["core_seconds"] for line in rows]
    assert [each.core_seconds for each in found[:3]] == cores
    assert found[0].hard is found[0].elo is found[0].place is None  # this board has no such figure


def test_measured_models_are_not_measured_again(ntuple: Path, tmp_path: Path) -> None:
    run = tmp_path / "again"
    shutil.copytree(ntuple, run)
    first = compare_runs([run], BRIEF, last_only=True)
    kept = run / "comparison.jsonl"
    rows = [json.loads(line) for line in kept.read_text().splitlines()]
    rows[-1]["figures"]["against_perfect"] = 0.125
    kept.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert compare_runs([run], BRIEF, last_only=True)[-1].against_perfect == 0.125
    other = compare_runs([run], CompareConfig(games=2, seed=3), last_only=True)
    assert [each.number for each in first + other] == [3] * 4
    shutil.copy(run / "models" / "1.npz", run / "model.npz")  # another model under the same name
    assert compare_runs([run], BRIEF, last_only=True)[-1].against_perfect != 0.125
    kept.write_text("{}\n")
    with pytest.raises(InvalidRun, match="is corrupt in line 1: delete it"):
        compare_runs([run], BRIEF)


def test_runs_that_cannot_be_compared_are_rejected(ntuple: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidRun, match="is not the folder of a run: it has no config"):
        compare_runs([tmp_path])
    with pytest.raises(InvalidRun, match="a,b must not have a comma in its name"):
        compare_runs([tmp_path / "a,b"])
    shutil.copytree(ntuple, tmp_path / "run")
    (tmp_path / "run" / "model.npz").unlink()
    with pytest.raises(InvalidRun, match="contains no model yet"):
        compare_runs([tmp_path / "run"])
    shutil.copy(ntuple / "model.npz", tmp_path / "run")
    (tmp_path / "run" / "log.jsonl").write_text('{"games": 1}\n')
    with pytest.raises(InvalidRun, match=r"log\.jsonl is corrupt in line 1: it has no seconds"):
        compare_runs([tmp_path / "run"])
    (tmp_path / "run" / "config.json").write_text('{"method": "magic"}')
    with pytest.raises(InvalidRun, match="is corrupt: its models cannot be measured"):
        compare_runs([tmp_path / "run"])
    with pytest.raises(InvalidRun, match="jobs must be 1 or more, got 0"):
        compare_runs([ntuple], jobs=0)
    with pytest.raises(InvalidRun, match="rounds must be 1 to 16, got 17"):
        CompareConfig(rounds=17)


def judged(run: str, agent: str, number: int) -> ModelScores:
    low, high = -50.0 * number, 100.0 * number
    return ModelScores(
        run, agent, number, 3600.0, 7200.0 if run == "one" else None, 0.5, 0.25 * number,
        25.0 * number, (low, high), 3, 13,
    )  # fmt: skip


def test_runs_of_one_name_are_distinguished(ntuple: Path, net: Path, tmp_path: Path) -> None:
    runs = [tmp_path / "a" / "run", tmp_path / "b" / "run"]
    for source, run in zip((ntuple, net), runs, strict=True):
        shutil.copytree(source, run)
    found = compare_runs([*runs, runs[0]], BRIEF, last_only=True)
    assert [each.run for each in found] == [str(runs[0])] * 2 + [str(runs[1])] * 2
    assert len({each.label for each in found}) == 4


def test_a_run_that_was_made_again_is_judged_again(ntuple: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(ntuple, run)
    before = compare_runs([run], BRIEF, last_only=True)
    shutil.rmtree(run)
    train_ntuple(run, NTupleConfig(200, 100, 3, 2, seed=5, eval_games=0, geometry=SMALL))
    agent = make_agent(f"ntuple:model={run}/model.npz", SMALL)
    position = Position(SMALL)
    fresh = read_network(run / "model.npz").value(position)
    assert agent.search.network.value(position) == fresh
    assert fresh != read_network(ntuple / "model.npz").value(position)
    after = compare_runs([run], BRIEF, last_only=True)
    assert [each.number for each in before] == [3, 3] and [each.number for each in after] == [2, 2]


def test_a_chart_has_a_panel_a_measure_and_a_line_an_agent(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra plot")
    points = [judged(run, "net", number) for run in ("one", "two") for number in (1, 2)]
    assert [each.hours for each in points] == [2.0, 2.0, 1.0, 1.0]
    files = draw_comparison(points, tmp_path)
    assert [path.name for path in files] == ["comparison.png", "comparison.svg"]
    svg = files[1].read_text()
    for words in ("core-hours", "hard set", "against perfect", "Elo", "one: net", "two: net"):
        assert words in svg
    assert "uct:iterations=2500" in svg  # the pool stands next to them
    assert "_child" not in svg and "math" not in svg  # no private names
    with pytest.raises(
        InvalidRun, match="7 agents of runs are too many for a chart, the limit is 6"
    ):
        draw_comparison([judged(str(number), "net", 1) for number in range(7)], tmp_path)
