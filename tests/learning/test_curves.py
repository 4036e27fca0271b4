"""Learning curves show the logs of runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from claimeven.learning import InvalidRun
from claimeven.learning.curves import Run, curves_of, draw_curves, names_of, read_run

pytest.importorskip("matplotlib", reason="charts need the extra plot")

ROWS: list[dict[str, Any]] = [
    {"games": 100, "seconds": 300.0, "perfect": 0.25, "loss": {"policy": 2.0, "value": 1.0}},
    {"games": 200, "seconds": 900.0, "perfect": 0.5, "loss": {"policy": 1.5}, "by_ply": [1, 2]},
    {"games": 300, "seconds": 7200.0, "perfect": None, "note": "text", "done": True},
]


def folder_of(path: Path, rows: list[dict[str, Any]], end: str = "") -> Path:
    path.mkdir(parents=True)
    (path / "config.json").write_text("{}")
    (path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + end)
    return path


def test_numbers_of_the_log_become_points(tmp_path: Path) -> None:
    run = read_run(folder_of(tmp_path / "run", ROWS, end='{"games": 400, "sec'))
    assert run.name == "run"
    assert run.points("seconds", "perfect") == ([300.0, 900.0], [0.25, 0.5])
    assert run.points("games", "loss.policy") == ([100, 200], [2.0, 1.5])
    assert run.points("games", "loss.value") == ([100], [1.0])
    pictures = curves_of([run])
    assert [*pictures] == ["by-games", "by-time"]
    for panels in pictures.values():
        assert [panel.name for panel in panels] == ["perfect", "loss.policy", "loss.value"]


def test_curves_are_in_their_stated_units(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    other = [{"steps": 1, "seconds": 10_000, "core_seconds": 18_000, "perfect": 0.75}]
    runs = [read_run(folder_of(tmp_path / name, rows)) for name, rows in
            (("one", ROWS), ("two", other))]  # fmt: skip
    panels = {(name, panel.name): panel for name, panels in curves_of(runs).items()
              for panel in panels}  # fmt: skip
    axes = Figure().add_subplot()
    panels["by-time", "perfect"].draw(axes)
    assert axes.get_xlabel() == "minutes"
    first, second = axes.get_lines()
    assert first.get_xdata().tolist() == [5.0, 15.0]
    assert first.get_ydata().tolist() == [25.0, 50.0]
    assert second.get_ydata().tolist() == [75.0]
    assert axes.get_ylabel() == "answers that keep the exact score, %"
    axes = Figure().add_subplot()
    panels["by-cores", "perfect"].draw(axes)
    assert axes.get_xlabel() == "core-hours"
    assert [line.get_xdata().tolist() for line in axes.get_lines()] == [[5.0]]
    axes = Figure().add_subplot()
    panels["by-games", "loss.policy"].draw(axes)
    assert [line.get_label() for line in axes.get_lines()] == [
        " one"
    ] and axes.get_xlabel() == "games"


@pytest.mark.parametrize(
    ("longest", "unit", "across"),
    [
        (600.0, "seconds", 600.0),
        (660.0, "minutes", 11.0),
        (18_000.0, "minutes", 300.0),
        (21_600.0, "hours", 6.0),
    ],
)
def test_time_is_reported_in_the_unit_that_suits_the_longest_run(
    longest: float, unit: str, across: float
) -> None:
    from matplotlib.figure import Figure

    times = (longest / 2, longest)
    runs = [Run(f"to {time}", ({"seconds": time, "plies": 9},)) for time in times]
    (panel,) = curves_of(runs)["by-time"]
    axes = Figure().add_subplot()
    panel.draw(axes)
    assert axes.get_xlabel() == unit
    assert [line.get_xdata().tolist() for line in axes.get_lines()] == [[across / 2], [across]]


def test_a_run_looks_the_same_in_every_panel_and_its_parts_of_shares_are_in_per_cent() -> None:
    from matplotlib.figure import Figure

    both = Run("one", ({"steps": 1, "plies": 9},)), Run("two", ({"steps": 1, "plies": 8,
                                                                 "hard.late": 0.25},))  # fmt: skip
    looks = {}
    for panel in curves_of(both)["by-steps"]:
        axes = Figure().add_subplot()
        panel.draw(axes)
        line = axes.get_lines()[-1]
        looks[panel.name] = (line.get_color(), line.get_marker(), line.get_linestyle())
        if panel.name == "hard.late":
            assert line.get_ydata().tolist() == [25.0]
    assert looks["plies"] == looks["hard.late"]


def test_a_folder_without_a_last_name_is_called_by_all_of_it() -> None:
    assert names_of(["/", "a/run"]) == {"/": "/", "a/run": "run"}


def test_files_are_written_and_the_same_every_time(tmp_path: Path) -> None:
    rows = [{key: row[key] for key in ("seconds", "perfect")} for row in ROWS[:2]]
    run = folder_of(tmp_path / "run", rows)
    files = draw_curves([run])
    assert {path.parent for path in files} == {run / "plots"} and len(files) == 2
    svg = run / "plots" / "by-time.svg"
    first = svg.read_bytes()
    assert re.search(rb">minutes<", first) and b"keep the exact score" in first
    draw_curves([run])
    assert svg.read_bytes() == first
    assert b"> run<" not in first
    both = draw_curves([run, folder_of(tmp_path / "other", rows)], tmp_path / "a" / "b")
    assert all(name in both[1].read_bytes() for name in (b"run<", b"other<"))
    assert len(both) == 2 and all(path.stat().st_size > 2000 for path in both)


def test_curves_that_cannot_be_drawn_are_rejected(tmp_path: Path) -> None:
    good = folder_of(tmp_path / "good", ROWS)
    empty = folder_of(tmp_path / "empty", [])
    torn = folder_of(tmp_path / "torn", ROWS[:1], end="[1]\n")
    cut = folder_of(tmp_path / "cut", ROWS[:1], end="{\n")
    huge = folder_of(
        tmp_path / "huge", ROWS[:1], end='{"seconds": 1, "games": 1' + "0" * 400 + "}\n"
    )
    endless = folder_of(tmp_path / "endless", ROWS[:1], end='{"seconds": Infinity}\n')
    bare = folder_of(tmp_path / "bare", [{"seconds": 1.0}])
    new = tmp_path / "new"
    new.mkdir()
    (new / "config.json").write_text("{}")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for folders, message in (
        ([tmp_path], "is not the folder of a run: it has no config.json"),
        ([loop], "is not the folder of a run: it has no config.json"),
        ([empty], "contains no measurement yet"),
        ([new], "contains no measurement yet"),
        ([torn], "log.jsonl is corrupt in line 2"),
        ([cut], "log.jsonl is corrupt in line 2"),
        ([huge], "log.jsonl is corrupt in line 2"),
        ([endless], "log.jsonl is corrupt in line 2"),
        ([bare], "has no measurements to draw"),
        ([good, good], "a chart of several runs needs a folder: give one"),
        ([good] * 7, "a chart must have 1 to 6 runs, got 7"),
        ([], "a chart must have 1 to 6 runs, got 0"),
    ):
        with pytest.raises(InvalidRun, match=message):
            draw_curves(folders)
