"""The recorded run of the studies is of the studies as they are; its tables hold it whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from doctools import studies
from doctools.studies import STUDIES


@pytest.fixture
def held() -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = json.loads(studies.RECORD.read_text("utf-8"))
    return told


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "studies.json"
    path.write_text(studies.RECORD.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(studies, "RECORD", path)
    return path


def test_all_games_of_all_studies_were_played(held: list[dict[str, Any]]) -> None:
    assert [each["study"] for each in held] == [study.name for study in STUDIES]
    for experiment in (experiment for each in held for experiment in each["experiments"]):
        assert experiment["games"] == experiment["games_planned"]
        assert experiment["forfeits"] == 0
        assert all(figure["now"] is not None for figure in experiment["figures"])


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
    held: list[dict[str, Any]], elsewhere: Path, key: str, value: object
) -> None:
    held[0]["experiments"][0][key] = value
    elsewhere.write_text(json.dumps(held), "utf-8")
    with pytest.raises(studies.StaleRecord, match="polito-alphabeta is not what was recorded"):
        studies.tables()


def test_a_study_that_was_not_run_is_noticed(held: list[dict[str, Any]], elsewhere: Path) -> None:
    elsewhere.write_text(json.dumps(held[:-1]), "utf-8")
    with pytest.raises(studies.StaleRecord, match=held[-1]["study"]):
        studies.tables()


def test_a_run_takes_the_place_of_the_one_before(
    held: list[dict[str, Any]], elsewhere: Path
) -> None:
    fresh = {**held[1], "seconds": 0.5}
    studies.record({"studies": [fresh], "machine": "another"})
    now = json.loads(elsewhere.read_text("utf-8"))
    assert now[1] == {**fresh, "machine": "another"}
    assert [*now[:1], *now[2:]] == [*held[:1], *held[2:]]
    assert "another" in studies.tables().splitlines()[0]
