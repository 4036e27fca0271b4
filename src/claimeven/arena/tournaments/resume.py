"""Whether the games of a tournament may be added to a file that holds games of one already."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from claimeven.arena.games.provenance import brief_names
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.models import StoredAgent
from claimeven.arena.store.store import Store

#: What a run that is taken up again cannot change.
_FIXED = (
    "agents", "kind", "seed", "columns", "rows", "connect", "start", "limit", "unlimited",
    "memory_mb", "swap",
)  # fmt: skip

#: What is meant by a plan that does not say.
_DEFAULTS = {"swap": True}


def rounds_begun(store: Store, games_a_round: int) -> int:
    """Return how many rounds a store holds games of."""
    return -(-(store.last_number() + 1) // games_a_round)


def check_plan(
    store: Store, now: Mapping[str, Any], begun: int, agents: Sequence[StoredAgent]
) -> dict[str, Any]:
    """Return the plan of a store, if games of the one that is asked for `now` may be added to it.

    So many of its rounds are `begun`, whose openings have to be the same; both plans are plain
    data. Raises `InvalidStore`.
    """
    before, path = _plan_of(store), store.path
    for what in _FIXED:
        old, new = (each.get(what, _DEFAULTS.get(what)) for each in (before, now))
        if old != new:
            verb = "differ" if what.endswith("s") else "differs"
            raise InvalidStore(
                f"{path} holds games of another tournament: its {what} {verb}"
                f" ({_difference(old, new)})"
            )
    if not (isinstance(before.get("rounds"), int) and _are_texts(before.get("openings"))):
        raise InvalidStore(f"{path} is damaged: what was planned is lost")
    rounds = min(begun, now["rounds"])
    for number in range(min(rounds, len(before["openings"]) * len(now["openings"]))):
        old, new = (each["openings"][number % len(each["openings"])] for each in (before, now))
        if old != new:
            raise InvalidStore(
                f"{path} holds games of another tournament: its openings differ"
                f" ({_opening(new)} in round {number + 1}, where it was {_opening(old)})"
            )
    if [agent.id for agent in store.agents] != [agent.id for agent in agents]:
        raise InvalidStore(f"{path} is damaged: it has lost who its agents are")
    return before


def _plan_of(store: Store) -> dict[str, Any]:
    """Return the plan that a store was begun with; nothing where it was begun without."""
    told = store.meta.get("plan", {})
    if not isinstance(told, dict):
        raise InvalidStore(f"{store.path} is damaged: what was planned is lost")
    if _are_texts(told.get("agents")):  # stores of version 0.2 have absolute paths in them
        told["agents"] = list(brief_names(told["agents"]))
    return told


def _are_texts(told: object) -> bool:
    return isinstance(told, list) and bool(told) and all(isinstance(o, str) for o in told)


def _opening(moves: str) -> str:
    return moves or "the empty board"


def _difference(before: object, now: object) -> str:
    """Say how a field of a plan has changed; of a list, which entries."""
    if isinstance(before, list) and isinstance(now, list):
        missing = [entry for entry in before if entry not in now]
        added = [entry for entry in now if entry not in before]
        if not missing + added:
            return "they stand in another order"
        told = [f"{entry} is missing" for entry in missing] + [f"{entry} is new" for entry in added]
        return ", ".join(told[:3]) + (f" and {len(told) - 3} more" if len(told) > 3 else "")
    return f"{_short(before)}, not {_short(now)}"


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
