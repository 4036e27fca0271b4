"""Merging the stores of parts: the result is the store of one run, game for game."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.runs import runs_of
from claimeven.arena.store.store import Store
from claimeven.parallel.parts import check_parts, unfinished

#: Games added at a time.
_BATCH = 1000
#: Settings of a run that parts share, also if their machines differ.
_SHARED = ("claimeven", "files")


def merge_stores(out: str | Path, paths: Sequence[str | Path]) -> int:
    """Write the games of parts to a new store, in the order of their numbers; return how many.

    Raises `InvalidStore` for a file that exists or is not a store, and `InvalidParts` unless the
    files are all parts of one run, and complete.
    """
    with ExitStack() as stack:
        stores = [stack.enter_context(Store.read(path)) for path in paths]
        found = [(store, store.meta.get("part") or {}) for store in stores]
        parts = check_parts(
            [(store.path, part.get("part"), _settings(store)) for store, part in found]
        )
        for (store, about), part in zip(found, parts, strict=True):
            pairs = part.share(range((about["games"] + 1) // 2))
            total = sum(min(2, about["games"] - 2 * pair) for pair in pairs)
            if len(store) != total:
                raise unfinished(store.path, len(store), total)
        meta = {name: value for name, value in stores[0].meta.items() if name != "part"}
        with Store.create(out, meta, stores[0].agents) as merged:
            games = heapq.merge(*(store.games() for store in stores), key=attrgetter("number"))
            while some := list(islice(games, _BATCH)):
                merged.add(some)
            for store in stores:
                if store.corrupt:
                    raise InvalidStore(f"{store.path} is corrupt: play its part again")
            return len(merged)


def _settings(store: Store) -> dict[str, Any]:
    """Return all that parts of one run have in common."""
    runs = runs_of(store)
    run = {name: runs[-1].get(name) for name in _SHARED} if runs else {}
    return {**run, **store.meta.get("plan", {}), "agents in the file": store.agents}
