"""A tournament written down: what is to be played, in a TOML file.

```toml
agents = ["bots/*.py", "greedy", "alphabeta:depth=4"]
rounds = 5
seed = 2025
seconds = 1
memory = 512
```

Each field is called as the option of `claimeven tournament`, with `_` for `-`. An agent with a `*`
stands for all files of that form, in the order of their names. Paths count from the folder one
stands in, as on the command line.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from claimeven.agents.base import Limit
from claimeven.agents.process.sandbox import Isolation
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.games.openings import SOURCES, make_openings
from claimeven.arena.tournaments.tournament import KINDS, TournamentPlan
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.suggestions import did_you_mean, no_such


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


_WHOLE = ("a whole number", _is_whole)
_NUMBER = ("a number", _is_number)
_TEXT = ("a text", _is_text)

#: What each field takes, in words, and whether a value is it.
FIELDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "agents": ('a list of texts such as ["bots/*.py", "greedy"]', _is_list_of_texts),
    "rounds": _WHOLE,
    "kind": _TEXT,
    "openings": _TEXT,
    "opening_plies": _WHOLE,
    "seed": _WHOLE,
    "columns": _WHOLE,
    "rows": _WHOLE,
    "connect": _WHOLE,
    "seconds": _NUMBER,
    "bank": _NUMBER,
    "iterations": _WHOLE,
    "depth": _WHOLE,
    "nodes": _WHOLE,
    "memory": _WHOLE,
    "load_seconds": _NUMBER,
    "isolate": ("true or false", lambda value: isinstance(value, bool)),
    "jobs": _WHOLE,
    "executor": _TEXT,
    "address": _TEXT,
    "out": _TEXT,
    "report": _TEXT,
}
#: Who plays, usually the first: processes of this machine, or Ray.
EXECUTORS = ("local", "ray")
#: Rounds and plies of an opening where nothing else is said.
ROUNDS, PLIES = 10, 4


def read_settings(path: str | Path) -> dict[str, Any]:
    """Return the fields of a file, those that stand in it; `agents` with every `*` filled in.

    Raises `InvalidMatch`, naming the field and what it takes, for a file that cannot be read, a
    field that there is not, a value of another type, and files of agents that are not there.
    """
    try:
        text = Path(path).read_text("utf-8")
        told = tomllib.loads(text)
    except OSError as error:
        raise InvalidMatch(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InvalidMatch(f"{path} cannot be read: it is no text") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidMatch(f"{path} is no TOML file: {error}") from None
    for name, value in told.items():
        if name not in FIELDS:
            raise InvalidMatch(f"{path}: {no_such('field', name, FIELDS)}")
        wanted, fits = FIELDS[name]
        if not fits(value):
            raise InvalidMatch(f"{path}: {name} takes {wanted}, not {_shown(value)}")
    kind = told.get("kind", KINDS[0])
    if kind not in KINDS:
        guess = did_you_mean(kind, KINDS)
        raise InvalidMatch(f"{path}: kind takes {' or '.join(KINDS)}, not {kind!r}{guess}")
    if "agents" in told:
        told["agents"] = [spec for part in told["agents"] for spec in _specs_of(part, path)]
    return told


def read_plan(path: str | Path) -> TournamentPlan:
    """Return the tournament of a file; how it is played (`jobs`, `out`) is left to the caller.

    Raises `InvalidMatch` as `read_settings`, and whatever a wrong plan raises.
    """
    told = read_settings(path)
    if "agents" not in told:
        raise InvalidMatch(f"{path} names no agents")
    names = ("columns", "rows", "connect")
    start = Position(Geometry(**{name: told[name] for name in names if name in told}))
    rounds, seed = told.get("rounds", ROUNDS), told.get("seed", 0)
    limits = ("seconds", "iterations", "depth", "nodes", "bank")
    return TournamentPlan(
        agents=tuple(told["agents"]),
        rounds=rounds,
        seed=seed,
        kind=told.get("kind", KINDS[0]),
        openings=make_openings(
            told.get("openings", SOURCES[0]),
            max(1, rounds),
            told.get("opening_plies", PLIES),
            max(0, seed),
            start,
        ),
        start=start,
        limit=Limit(**{name: told[name] for name in limits if name in told}),
        isolation=Isolation(
            told.get("isolate", False),
            told.get("memory"),
            load_seconds=told.get("load_seconds"),
        ),
    )


def _specs_of(part: str, path: str | Path) -> list[str]:
    """Return the agents that an entry stands for: itself, or the files of its form."""
    if "*" not in part:
        return [part]
    anchor = Path(part).anchor
    found = sorted(str(file) for file in Path(anchor).glob(part.removeprefix(anchor)))
    if not found:
        raise InvalidMatch(f"{path}: agents names {part!r}, and there is no such file")
    return found


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
