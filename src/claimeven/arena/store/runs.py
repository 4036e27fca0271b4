"""The runs that played the games of a store, and the merging of the stores of parts of a run.

A store has a list of runs: descriptions (`claimeven.provenance`), each with the number of games
when it started. A run is added only if version, files or machine have changed since the previous
run; changes of version and files need `resume` "changed".
"""

from __future__ import annotations

import heapq
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice, pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any

from claimeven.agents.fingerprint import digest_of_files
from claimeven.agents.registry import current_spec
from claimeven.arena.games.plan import (
    REMEDY,
    AgentFiles,
    brief_names,
    change_of,
    differences,
)
from claimeven.arena.options import InvalidMatch
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.store import Store, StoredAgent
from claimeven.messages import report
from claimeven.parallel.executors import check_complete, check_parts

#: The value of `resume` that continues although something has changed.
CHANGED = "changed"
#: Parts of a description that are equal in one run.
_SAME_RUN = ("claimeven", "python", "packages", "machine", "files")
#: Seconds between two checks of files while games are played.
_WAIT = 1.0

#: Fields of a plan that cannot change when a run is resumed.
_FIXED = (
    "agents", "kind", "seed", "columns", "rows", "connect", "start", "limit", "unlimited",
    "memory_mb", "swap", "adjudicate",
)  # fmt: skip


def check_runs(
    store: Store,
    now: Mapping[str, Any],
    specs: Sequence[str | None],
    names: Sequence[str],
    resume: bool | str,
) -> None:
    """Raise `InvalidStore` if version or files have changed since the last run, or are unknown.

    With `resume` "changed" the run, whose description is `now`, is added to the list instead.
    """
    runs = runs_of(store)
    if runs:
        changed = list(differences(runs[-1], now, names))
    else:  # a store of version 0.2 knows some digests
        changed = [
            f"the file of {name}"
            for agent, spec, name in zip(store.agents, specs, names, strict=True)
            if agent.digest is not None and agent.digest != digest_of_files(spec or "")
        ]
    refuse_changes(store.path, changed, bool(runs), resume)
    if runs and all(runs[-1].get(name) == now.get(name) for name in _SAME_RUN):
        store.set_meta("runs", [*runs[:-1], {**runs[-1], **now}])
    else:
        store.set_meta("runs", [*runs, {**now, "games": len(store)}])


def refuse_changes(path: Path, changed: Sequence[str], is_known: bool, resume: bool | str) -> None:
    """Raise `InvalidStore` for changed or unknown files, unless `resume` is "changed"."""
    if not isinstance(resume, bool) and resume != CHANGED:
        raise InvalidMatch(f"resume must be True, False or {CHANGED!r}, got {resume!r}")
    if resume is True and changed:
        raise InvalidStore(f"{change_of(changed)} since the games of {path} were played: {REMEDY}")
    if resume is True and not is_known:
        raise InvalidStore(
            f"{path} does not say which version of claimeven and which files its games were played"
            f" with, as it is of version 0.2 or older, so they may have changed: {REMEDY}"
        )


def runs_of(store: Store) -> list[dict[str, Any]]:
    """Return the runs of a store, [] for one of 0.2 or of imports. Raises `InvalidStore`."""
    runs = store.meta.get("runs", [])
    if not (isinstance(runs, list) and all(map(_is_run, runs))):
        raise InvalidStore(f"{store.path} is corrupt: its list of runs is unreadable")
    return runs


def store_notes(store: Store) -> tuple[str, ...]:
    """Return sentences that cast doubt on the games of a store, which have just been read."""
    notes, dropped = [], store.meta.get("dropped")
    if store.corrupt:
        count = _games(len(store.corrupt))
        notes.append(f"{count} of the file cannot be read as a game: left out.")
    if isinstance(dropped, int):
        notes.append(f"{_games(dropped)} of the file could not be read and had to be played again.")
    return (*notes, *run_notes(store))


def _games(count: int) -> str:
    return f"{count:,} game{'s' * (count != 1)}"


def run_notes(store: Store) -> Iterator[str]:
    """Yield sentences on changes while the games of a store were played."""
    runs, names = runs_of(store), [agent.label for agent in store.agents]
    if runs and runs[0]["games"]:
        yield f"the files and the version behind the first {_games(runs[0]['games'])} are unknown."
    for before, run in pairwise(runs):
        if changed := list(differences(before, run, names)):
            yield f"{change_of(changed)} after {run['games']:,} games: the results mix both."
    for run in runs:
        if run.get("changed_files"):
            yield (
                f"{change_of(run['changed_files'])} while games were played, after"
                f" {run.get('changed_at')} of them: the results may mix both."
            )


class FileChangeMonitor:
    """Stores which files have changed while games are played, and reports them once."""

    def __init__(
        self, store: Store, files: AgentFiles, on_message: Callable[[str], object] | None
    ) -> None:
        self._store, self._files, self._on_message = store, files, on_message
        self._known: list[str] = []
        self._checked_at = time.monotonic()

    def check(self, at_end: bool = False) -> None:
        """Check the files, at most once in `_WAIT` seconds unless the games are over."""
        now = time.monotonic()
        if not at_end and now - self._checked_at < _WAIT:
            return
        self._checked_at = now
        found = self._files.changed()
        if not set(found) - set(self._known):
            return
        self._known = list(found)
        runs, count = runs_of(self._store), len(self._store)
        if runs:
            runs[-1].update(changed_files=found, changed_at=runs[-1].get("changed_at", count))
            self._store.set_meta("runs", runs)
        changed = f"{change_of(found)} while games are played: later games may be by another"
        report(self._on_message, changed)


def _is_run(run: object) -> bool:
    return (
        isinstance(run, dict)
        and isinstance(run.get("claimeven"), str)
        and isinstance(run.get("games"), int)
        and isinstance(run.get("changed_at", 0), int)
        and _are_texts(run.get("changed_files", []))
        and isinstance(run.get("files"), list)
        and all(isinstance(each, dict) and _are_texts(list(each.values())) for each in run["files"])
    )


def _are_texts(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(each, str) for each in found)


def check_plan(
    store: Store, now: Mapping[str, Any], started: int, agents: Sequence[StoredAgent]
) -> dict[str, Any]:
    """Return the plan of a store if games of the plan `now` may be added to it.

    The openings of its first `started` rounds have to be equal. Raises `InvalidStore`.
    """
    before, path = plan_of(store), store.path
    for what in _FIXED:
        old, new = (each.get(what, True if what == "swap" else None) for each in (before, now))
        if what == "agents" and isinstance(old, list):  # stores of 0.2 have old names of options
            old, new = list(map(current_spec, map(str, old))), list(map(current_spec, new))
        if old != new:
            verb = "differ" if what.endswith("s") else "differs"
            raise InvalidStore(
                f"{path} holds games of another tournament: its {what} {verb}"
                f" ({_difference(old, new)})"
            )
    openings = before.get("openings")
    if not (isinstance(before.get("rounds"), int) and openings and _are_texts(openings)):
        raise InvalidStore(f"{path} is corrupt: its plan is unreadable")
    rounds = min(started, now["rounds"])
    for number in range(min(rounds, len(before["openings"]) * len(now["openings"]))):
        old, new = (each["openings"][number % len(each["openings"])] for each in (before, now))
        if old != new:
            old, new = old or "the empty board", new or "the empty board"
            raise InvalidStore(
                f"{path} holds games of another tournament: its openings differ"
                f" (round {number + 1} has {old}, got {new})"
            )
    if [agent.id for agent in store.agents] != [agent.id for agent in agents]:
        raise InvalidStore(f"{path} is corrupt: its agents are unreadable")
    return before


def plan_of(store: Store) -> dict[str, Any]:
    """Return the plan in a store, {} without one. Raises `InvalidStore`."""
    plan = store.meta.get("plan", {})
    if not isinstance(plan, dict):
        raise InvalidStore(f"{store.path} is corrupt: its plan is unreadable")
    if plan.get("agents") and _are_texts(plan["agents"]):  # of version 0.2: absolute paths
        plan["agents"] = list(brief_names(plan["agents"]))
    return plan


def _difference(before: object, now: object) -> str:
    if isinstance(before, list) and isinstance(now, list):
        missing = [entry for entry in before if entry not in now]
        added = [entry for entry in now if entry not in before]
        if not missing + added:
            return "their order differs"
        changes = [f"{each} is missing" for each in missing]
        changes += [f"{each} is new" for each in added]
        more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
        return ", ".join(changes[:3]) + more
    old, new = (t if len(t) <= 60 else t[:57] + "..." for t in map(json.dumps, (before, now)))
    return f"{old}, not {new}"


#: Games added at a time.
_BATCH = 1000
#: Settings of a run that parts share, also if their machines differ.
_SHARED = ("claimeven", "files")


def merge_stores(out: str | Path, paths: Sequence[str | Path]) -> int:
    """Write the games of parts to a new store, in the order of their numbers; return how many.

    Raises `InvalidStore` for a file that exists or is no store, and `InvalidParts` for a part less.
    """
    with ExitStack() as stack:
        stores = [stack.enter_context(Store.read(path)) for path in paths]
        parts = check_parts(paths, [_header_of(store) for store in stores])
        for store, part in zip(stores, parts, strict=True):
            total = len(part.games(store.meta["part"]["games"]))
            check_complete(store.path, len(store), total)
        meta = {name: value for name, value in stores[0].meta.items() if name != "part"}
        with Store.create(out, meta, stores[0].agents) as merged:
            games = heapq.merge(*(store.games() for store in stores), key=attrgetter("number"))
            while some := list(islice(games, _BATCH)):
                merged.add(some)
            for store in stores:
                if store.corrupt:
                    raise InvalidStore(f"{store.path} is corrupt: play its part again")
            return len(merged)


def _header_of(store: Store) -> dict[str, Any]:
    """Return the part of a store, and all that parts of one run have in common."""
    part = (store.meta.get("part") or {}).get("part")
    run = {name: each.get(name) for each in runs_of(store)[-1:] for name in _SHARED}
    return {**run, **store.meta.get("plan", {}), "agents in the file": store.agents, "part": part}
