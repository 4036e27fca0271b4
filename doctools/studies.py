"""The studies in the documents: a recorded run, and its tables.

`studies.json` is the output of `claimeven study all --json`. After a change of a study, run it
again (`claimeven study run NAME --json > run.json`), record it (`python -m doctools.studies
run.json`) and make the tables again (`python -m doctools`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from claimeven.arena.studies import STUDIES as ALL_STUDIES
from claimeven.arena.studies import ExperimentResult, Figure, Finding, Study, StudyResult
from claimeven.arena.studies.runner import figure_texts

#: The studies that need no server.
STUDIES: Final = tuple(study for study in ALL_STUDIES if not study.needs_server)
RECORD: Final = Path(__file__).with_name("studies.json")
_HEADS: Final = ("experiment", "figure", "original", "here", "95 % interval", "times as fast")


class StaleRecord(Exception):
    """The record does not match the current studies."""


def record(printed: dict[str, Any]) -> None:
    """Replace the recorded studies by the studies of a run, in the order of `STUDIES`."""
    recorded_studies = {each["study"]: each for each in _read()} if RECORD.is_file() else {}
    for each in printed["studies"]:
        recorded_studies[each["study"]] = {**each, "machine": printed["machine"]}
    ordered = [recorded_studies[study.name] for study in STUDIES if study.name in recorded_studies]
    RECORD.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


def setting_of(data: dict[str, Any]) -> list[Any]:
    """Return the data that decide the numbers of a study, from its JSON: settings and figures.

    Titles, remarks and the original's figures may change without a new run.
    """
    return [
        (
            each["setting"],
            each["agents"],
            each["games_planned"],
            [(figure["label"], figure["quantity"]) for figure in each["figures"]],
        )
        for each in data["experiments"]
    ]


def recorded() -> Iterator[tuple[StudyResult, str]]:
    """Yield every recorded study and its machine. Raises `StaleRecord`."""
    recorded_studies = {each["study"]: each for each in _read()}
    for study in STUDIES:
        data = recorded_studies.get(study.name)
        nothing = tuple(ExperimentResult(each, {}, 0.0) for each in study.experiments)
        if data is None or setting_of(data) != setting_of(StudyResult(study, nothing).as_dict()):
            raise StaleRecord(
                f"the record of {study.name} is stale: run the study again with --json and pass the"
                " file to python -m doctools.studies"
            )
        yield StudyResult(study, tuple(_experiments(study, data))), data["machine"]


def tables() -> str:
    """Return a table for each study, with its title, differences and remarks."""
    parts = []
    machines = set()
    for result, machine in recorded():
        study = result.study
        machines.add(machine)
        parts.append(f"### {study.name}: {study.title}")
        parts.append(_table(result))
        notes = []
        if study.differs:
            notes.append(f"Differs: {study.differs}.")
        if study.remark:
            notes.append(f"{study.remark[0].upper()}{study.remark[1:]}.")
        if notes:
            parts.append("\n".join(notes))
    where = "; ".join(sorted(machines))
    return "\n\n".join([f"Measured on {where}.", *parts])


def _table(result: StudyResult) -> str:
    """Return the table of a study, without empty columns."""
    rows = []
    for each in result.experiments:
        setting = each.experiment.setting
        for figure in each.experiment.figures:
            rows.append((setting, figure.label, *_cells(each, figure)))
            setting = ""
    shown = [place for place in range(len(_HEADS)) if any(row[place] for row in rows)]
    lines = [
        [_HEADS[place] for place in shown],
        ["---" if place < 2 else "---:" for place in shown],
        *([row[place] for place in shown] for row in rows),
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cells(result: ExperimentResult, figure: Figure) -> tuple[str, ...]:
    then, *texts = figure_texts(result, figure)
    # Numbers stay on one line with their units.
    return then, *(text.replace(" ", "\N{NO-BREAK SPACE}") for text in texts)


def _experiments(study: Study, data: dict[str, Any]) -> Iterator[ExperimentResult]:
    for experiment, stored in zip(study.experiments, data["experiments"], strict=True):
        findings = {}
        for figure, row in zip(experiment.figures, stored["figures"], strict=True):
            low, high = row["interval_95"] or (None, None)
            findings[figure.quantity, figure.key] = Finding(row["measured"], low, high)
        yield ExperimentResult(
            experiment, findings, stored["seconds"], stored["games"], stored["forfeits"]
        )


def _read() -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return data


if __name__ == "__main__":
    record(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
