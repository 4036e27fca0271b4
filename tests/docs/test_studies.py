"""The recorded run matches the current studies; the tables show all of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from doctools import studies
from doctools.studies import STUDIES


@pytest.fixture
def recorded() -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = json.loads(studies.RECORD.read_text("utf-8"))
    return data


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "studies.json"
    path.write_text(studies.RECORD.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(studies, "RECORD", path)
    return path


def test_all_games_of_all_studies_were_played(recorded: list[dict[str, Any]]) -> None:
    assert [each["study"] for each in recorded] == [study.name for study in STUDIES]
    for experiment in (experiment for each in recorded for experiment in each["experiments"]):
        assert experiment["games"] == experiment["games_planned"]
        assert experiment["forfeits"] == 0
        assert all(figure["measured"] is not None for figure in experiment["figures"])


def test_the_tables_have_a_row_a_figure() -> None:
    text = studies.tables()
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    figures = [row[1] for row in rows if row[1] not in ("figure", "---")]
    assert figures == [figure.label for study in STUDIES for _, figure in study.figures]
    assert text.count("\n### ") == len(STUDIES)


@pytest.mark.parametrize(
    ("key", "value"), [("setting", "something else"), ("games_planned", 3), ("agents", ["a", "b"])]
)
def test_a_record_of_another_study_is_refused(
    recorded: list[dict[str, Any]], elsewhere: Path, key: str, value: object
) -> None:
    recorded[0]["experiments"][0][key] = value
    elsewhere.write_text(json.dumps(recorded), "utf-8")
    with pytest.raises(studies.StaleRecord, match="the record of polito-alphabeta is stale"):
        studies.tables()


def test_a_study_that_was_not_run_is_noticed(
    recorded: list[dict[str, Any]], elsewhere: Path
) -> None:
    elsewhere.write_text(json.dumps(recorded[:-1]), "utf-8")
    with pytest.raises(studies.StaleRecord, match=recorded[-1]["study"]):
        studies.tables()


def test_a_run_takes_the_place_of_the_one_before(
    recorded: list[dict[str, Any]], elsewhere: Path
) -> None:
    fresh = {**recorded[1], "seconds": 0.5}
    studies.record({"studies": [fresh], "machine": "another"})
    now = json.loads(elsewhere.read_text("utf-8"))
    assert now[1] == {**fresh, "machine": "another"}
    assert [*now[:1], *now[2:]] == [*recorded[:1], *recorded[2:]]
    assert "another" in studies.tables().splitlines()[0]
