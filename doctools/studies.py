"""The studies in the documents: a recorded run, and the tables made of it.

`studies.json` holds what `claimeven study all --json` printed. Whoever changes a study runs it
again (`claimeven study run NAME --json > run.json`), records it (`python -m doctools.studies
run.json`) and has the tables made anew (`python -m doctools`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from claimeven.arena.studies import STUDIES as ALL_STUDIES
from claimeven.arena.studies import ExperimentResult, Figure, MeasuredValue, Study, StudyResult
from claimeven.arena.studies.format import figure_texts

#: The studies that need nothing but this machine.
STUDIES: Final = tuple(study for study in ALL_STUDIES if not study.needs_server)
RECORD: Final = Path(__file__).with_name("studies.json")
_HEADS: Final = ("what is done", "figure", "then", "now", "95 % interval", "times as fast")


class StaleRecord(Exception):
    """The record is not of the studies as they are now."""


def record(printed: dict[str, Any]) -> None:
    """Put the studies of a run in the place of those recorded before, in the order of `STUDIES`."""
    held = {each["study"]: each for each in _read()} if RECORD.is_file() else {}
    for each in printed["studies"]:
        held[each["study"]] = {**each, "machine": printed["machine"]}
    kept = [held[study.name] for study in STUDIES if study.name in held]
    RECORD.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def setting_of(told: dict[str, Any]) -> list[Any]:
    """Return what decides the numbers of a study, of its data for JSON: what is done and counted.

    Titles, remarks and what was reported may change without a new run.
    """
    return [
        (
            each["setting"],
            each["agents"],
            each["games_planned"],
            [(figure["label"], figure["quantity"]) for figure in each["figures"]],
        )
        for each in told["experiments"]
    ]


def recorded() -> Iterator[tuple[StudyResult, str]]:
    """Yield every study as it was recorded, and the machine it ran on. Raises `StaleRecord`."""
    held = {each["study"]: each for each in _read()}
    for study in STUDIES:
        told = held.get(study.name)
        nothing = tuple(ExperimentResult(each, {}, 0.0) for each in study.experiments)
        if told is None or setting_of(told) != setting_of(StudyResult(study, nothing).as_dict()):
            raise StaleRecord(
                f"{study.name} is not what was recorded: run it again with --json and give the"
                " file to python -m doctools.studies"
            )
        yield StudyResult(study, tuple(_experiments(study, told))), told["machine"]


def tables() -> str:
    """Return a table a study, each under its title, and what differs or is to be remarked."""
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
    """Return the table of a study, without the columns in which nothing stands."""
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


def _experiments(study: Study, told: dict[str, Any]) -> Iterator[ExperimentResult]:
    for experiment, held in zip(study.experiments, told["experiments"], strict=True):
        findings = {}
        for figure, row in zip(experiment.figures, held["figures"], strict=True):
            low, high = row["interval_95"] or (None, None)
            findings[figure.quantity, figure.key] = MeasuredValue(row["now"], low, high)
        yield ExperimentResult(
            experiment, findings, held["seconds"], held["games"], held["forfeits"]
        )


def _read() -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return told


if __name__ == "__main__":
    record(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
