"""The tasks of the workers of a store: standings and the report."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.arena.report.report import report_page
from claimeven.arena.store.query import UnreadGames
from claimeven.arena.store.store import Store, public_agents
from claimeven.arena.tournaments.standings import SEED, Totals
from claimeven.errors import ClaimevenError
from claimeven.ratings.ladder import RESAMPLES, rate_evidence

#: Maximum of games in a report (more take a minute, and over a gigabyte), of agents in a table.
MAX_REPORT_GAMES, MAX_CROSS_TABLE = 200_000, 100
#: Minimum seconds between two drafts, and minimum ratio of the times for reading and for drafts.
DRAFT_SECONDS, READING_RATIO = 1.0, 9
#: Resampled tournaments for intervals while games are added, and maximum number of agents for it.
DRAFT_RESAMPLES, MAX_DRAFT_AGENTS = 50, 40


class GrowingStandings:
    """The standings of a growing store; each game is read only once."""

    def __init__(self, store: Store) -> None:
        self.file: tuple[int, int] = _file_of(store.path)
        self.name: str = store.path.name
        self.unread: UnreadGames = UnreadGames()
        self.agents = store.agents
        self.totals: Totals = Totals(public_agents(self.agents))

    def is_of(self, store: Store) -> bool:
        """Whether these are the standings of a store."""
        return self.file == _file_of(store.path) and self.agents == store.agents

    def read(self, store: Store, state: Any) -> bool:
        """Add new games, and send drafts; return whether exactly the store's games are read."""
        stored, next_at = len(store), time.monotonic() + DRAFT_SECONDS
        for number, game in enumerate(self.unread.read(store)):
            self.totals.note(game)
            if number % 100 == 0 and (start := time.monotonic()) > next_at:
                state.send("standings", self.as_dict(stored, 0))
                took = time.monotonic() - start
                next_at = time.monotonic() + max(DRAFT_SECONDS, READING_RATIO * took)
        return self.unread.has_all_of(stored, len(store))

    def as_dict(self, stored: int, resamples: int) -> dict[str, Any]:
        """Return the standings as plain data; with 0 resamples the ratings have no intervals."""
        evidence = self.totals.evidence
        ladder = None
        if evidence.agents:
            rng = np.random.default_rng(SEED)
            ladder = rate_evidence(evidence, rng, resamples=max(1, resamples))
        standings: Any = self.totals.as_dict(ladder)
        if len(self.totals.agents) > MAX_CROSS_TABLE:
            standings["cross_table"] = None
        if ladder is not None and not resamples:
            ratings = standings["ratings"]
            for each in ratings["ratings"]:
                each["elo_interval_95"] = None
            for name in ("first_player_elo", "draws_between_equals"):
                ratings[name]["interval_95"] = None
        count = self.unread.count
        games = {"games_read": count, "games_stored": stored}
        return {"store": self.name, **games, "standings": standings}


def standings(state: Any, path: str, final: bool) -> dict[str, Any]:
    """Return the standings of a store; send drafts every second.

    Intervals are as in `claimeven report` if the standings are `final`, otherwise approximate.
    `took` is the CPU time in seconds. All games are read again if some are gone or the file is new.
    """
    start = time.process_time()
    with _opened(path) as store:
        known, state.standings = state.standings, None  # invalid if the task is interrupted
        if known is None or not known.is_of(store):
            known = GrowingStandings(store)
        stored = len(store)
        if not known.read(store, state):
            known = GrowingStandings(store)
            known.read(store, state)
        state.standings = known
        resamples = DRAFT_RESAMPLES if len(known.totals.agents) <= MAX_DRAFT_AGENTS else 0
        stored = max(stored, known.unread.count)
        found: dict[str, Any] = known.as_dict(stored, RESAMPLES if final else resamples)
    return {**found, "took": time.process_time() - start}


def report(state: Any, path: str, out: str) -> None:
    """Write the report of a store, without an analysis of the games, into a file."""
    with _opened(path) as store:
        if (count := len(store)) > MAX_REPORT_GAMES:
            raise ClaimevenError(
                f"{path} has {count:,} games; a report of the server has at most"
                f" {MAX_REPORT_GAMES:,}:"
                f" run `claimeven report {store.path.name}`"
            )
        Path(out).write_text(report_page(store), encoding="utf-8", errors="replace")


@contextmanager
def _opened(path: str) -> Iterator[Store]:
    """Open a store. Error messages do not contain its folder, which is not public."""
    try:
        with Store.read(Path(path)) as store:
            yield store
    except ClaimevenError as error:
        raise ClaimevenError(str(error).replace(path, Path(path).name)) from None


def _file_of(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino
