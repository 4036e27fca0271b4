"""Flat rows of results: the same names in each, plain values, tables of pandas and polars."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from claimeven import Geometry, analyze
from claimeven.arena import (
    GameFilter,
    Standings,
    find_games,
    place_on_ladder,
    play_match,
    play_tournament,
    run_sprt,
    run_study,
)
from claimeven.blocks import flat_rows
from claimeven.learning import read_run
from claimeven.solver import Solver

AGENTS = ("greedy", "random", "alphabeta:depth=1")


def checked(rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Check that rows are flat and fit the tables of the packages that are installed."""
    assert rows
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    values = [value for row in rows for value in row.values()]
    assert all(value is None or isinstance(value, bool | int | float | str) for value in values)
    for package in ("pandas", "polars"):
        if find_spec(package) is not None:
            frame = import_module(package).DataFrame(rows)
            assert frame.shape == (len(rows), len(rows[0]))
    return rows


def test_rows_of_nested_data() -> None:
    data = [
        {"a": 1, "b_95": [0.5, 0.75], "c": {"d": {"e": "x"}, "f_95": None}, "g": [3, None, 4]},
        {"a": 2, "h": [{"i": 1}], "j": [[1]], "k": ()},
    ]
    assert checked(flat_rows(data)) == [
        {"a": 1, "b_95_low": 0.5, "b_95_high": 0.75, "c_d_e": "x", "c_f_95_low": None,
         "c_f_95_high": None, "g": "3 . 4", "k": None},
        {"a": 2, "b_95_low": None, "b_95_high": None, "c_d_e": None, "c_f_95_low": None,
         "c_f_95_high": None, "g": None, "k": ""},
    ]  # fmt: skip


def test_games_and_standings(tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []
    result = play_tournament(AGENTS, rounds=1, seed=4, out=tmp_path / "a.db", on_row=seen.append)
    rows = checked(result.rows())
    assert len(rows) == 6
    assert seen == rows
    assert [row["moves"] for row in rows] == [game.all_moves for game in result.standings.games]
    assert {row["winner"] for row in rows} <= {*AGENTS, None}
    agents = checked(Standings.read(tmp_path / "a.db").rows())
    data = json.loads(json.dumps(result.standings.as_dict()))
    for row, agent, rating in zip(agents, data["agents"], data["ratings"]["ratings"], strict=True):
        assert (row["label"], row["points"]) == (agent["label"], agent["points"])
        assert [row["elo_interval_95_low"], row["elo_interval_95_high"]] == rating[
            "elo_interval_95"
        ]
    lost = find_games(tmp_path / "a.db", GameFilter(("random",), "loss"))
    assert lost.rows() == [
        row for row in rows if "random" in (row["first"], row["second"])
        and row["winner"] not in (None, "random")
    ]  # fmt: skip


def test_matches_tests_and_placements(tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []
    match = play_match("greedy", "random", games=4, seed=1, on_row=seen.append)
    assert checked(match.rows()) == seen
    wins = [row["winner"] for row in seen]
    assert (wins.count("greedy"), wins.count("random")) == match.wins
    seen.clear()
    out = tmp_path / "a.db"
    play_match("greedy", "random", games=2, seed=1, out=out)
    play_match("greedy", "random", games=4, seed=1, out=out, resume=True, on_row=seen.append)
    assert [row["game"] for row in seen] == [3, 4]  # those that were not there
    seen.clear()
    test = run_sprt("greedy", "random", elo0=0, elo1=100, seed=1, on_row=seen.append)
    assert checked(test.rows()) == seen
    meetings = checked(place_on_ladder("greedy:win=yes", rounds=1).rows())
    assert len(meetings) == 12
    assert {row["verdict"] for row in meetings} <= {"stronger", "weaker", "unclear"}


def test_studies_and_analyses() -> None:
    found = run_study("polito-alphabeta", games=2)
    rows = checked(found.rows())
    data: Any = found.as_dict()
    figures = [each for experiment in data["experiments"] for each in experiment["figures"]]
    assert [row["label"] for row in rows] == [each["label"] for each in figures]
    review = analyze("12121", Solver(Geometry(4, 4, 3), table_mb=1))
    moves = checked(review.rows())
    assert [row["column"] for row in moves] == [1, 2, 1, 2, 1]
    assert [row["before"] for row in moves] == [move.before for move in review.moves]


def test_runs(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    lines = [{"seconds": 1.0, "games": 5}, {"seconds": 2.0, "games": 9, "hard": {"share": 0.25}}]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = checked(read_run(tmp_path).rows())
    assert [row["games"] for row in rows] == [5, 9]
    assert [row["hard_share"] for row in rows] == [None, 0.25]


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_table_has_the_types_of_the_values(package: str) -> None:
    frames = pytest.importorskip(package)
    rows = play_match("greedy", "random", games=2, seed=1).rows()
    frame = frames.DataFrame(rows)
    assert frame["plies"].sum() == sum(row["plies"] for row in rows)
