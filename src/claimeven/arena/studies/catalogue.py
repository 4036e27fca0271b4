"""The studies: the experiments of the five originals, read from `catalogue.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from claimeven.agents.registry import AgentLike
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.studies import measurements
from claimeven.arena.studies.study import Experiment, Figure, Match, Measurement, Source, Study
from claimeven.game.geometry import Geometry
from claimeven.suggestions import no_such

#: The prefix, in the file, of an agent that is a function of `measurements`.
_FUNCTION: Final = "measures."


class InvalidStudy(InvalidMatch):
    """A name that no study has."""


def study_of(name: str) -> Study:
    """Return the study of a name. Raises `InvalidStudy`."""
    found = {study.name: study for study in STUDIES}
    if name not in found:
        raise InvalidStudy(no_such("study", name, list(found)))
    return found[name]


def _experiment(data: dict[str, Any]) -> Experiment:
    figures = tuple(Figure(**each) for each in data.pop("figures"))
    if "agents" in data:
        first, second = map(_agent, data.pop("agents"))
        return Match((first, second), figures=figures, **data)
    arguments = {name: _argument(name, each) for name, each in data.get("arguments", {}).items()}
    return Measurement(data["setting"], getattr(measurements, data["measure"]), figures, arguments)


def _agent(name: str) -> AgentLike:
    function = name.removeprefix(_FUNCTION)
    agent: AgentLike = name if function == name else getattr(measurements, function)
    return agent


def _argument(name: str, value: Any) -> Any:
    if name == "geometry":
        return Geometry(*map(int, value.split("x")))
    return tuple(value) if isinstance(value, list) else value


_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_SOURCES = {name: Source(name, **each) for name, each in _DATA["source"].items()}
STUDIES: Final = tuple(
    Study(
        each["name"],
        each["title"],
        _SOURCES[each["source"]],
        tuple(map(_experiment, each["experiment"])),
        each.get("differs", ""),
        each.get("remark", ""),
    )
    for each in _DATA["study"]
)
