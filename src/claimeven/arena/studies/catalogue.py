"""The studies: the experiments of the five originals, read from `catalogue.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from claimeven.agents.registry import Contestant
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.studies import measurements
from claimeven.arena.studies.study import Experiment, Figure, Match, Measurement, Source, Study
from claimeven.game.geometry import Geometry
from claimeven.suggestions import no_such

#: What an agent that is a function of `measures` begins with in the file.
_FUNCTION: Final = "measures."


class InvalidStudy(InvalidMatch):
    """A name that no study has."""


def study_of(name: str) -> Study:
    """Return the study of a name. Raises `InvalidStudy`."""
    for study in STUDIES:
        if study.name == name:
            return study
    raise InvalidStudy(no_such("study", name, [study.name for study in STUDIES]))


def _studies(path: Path) -> tuple[Study, ...]:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    sources = {name: Source(name, **each) for name, each in data["source"].items()}
    return tuple(
        Study(
            each["name"],
            each["title"],
            sources[each["source"]],
            tuple(map(_experiment, each["experiment"])),
            each.get("differs", ""),
            each.get("remark", ""),
        )
        for each in data["study"]
    )


def _experiment(data: dict[str, Any]) -> Experiment:
    given = dict(data)
    figures = tuple(Figure(**each) for each in given.pop("figures"))
    if "agents" in given:
        first, second = map(_agent, given.pop("agents"))
        return Match((first, second), figures=figures, **given)
    arguments = {name: _argument(name, each) for name, each in given.get("arguments", {}).items()}
    return Measurement(
        given["setting"], getattr(measurements, given["measure"]), figures, arguments
    )


def _agent(name: str) -> Contestant:
    is_function = name.startswith(_FUNCTION)
    agent: Contestant = getattr(measurements, name.removeprefix(_FUNCTION)) if is_function else name
    return agent


def _argument(name: str, value: Any) -> Any:
    if name == "geometry":
        return Geometry(*map(int, value.split("x")))
    return tuple(value) if isinstance(value, list) else value


STUDIES: Final = _studies(Path(__file__).with_suffix(".toml"))
