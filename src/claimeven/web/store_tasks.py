"""The tasks of a store's workers: standings, as games are read, and the report."""

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

#: Games that are reported on at most: more take a minute, and more than a gigabyte.
MAX_REPORTED = 200_000
#: Agents with a cross table at most: it holds a row and a column for each.
MAX_CROSSED = 100
#: Seconds between two drafts of standings, more if they take long: then reading gets this many
#: times as long.
TICK, READING_SHARE = 1.0, 9
#: Resampled tournaments behind intervals while games may still come, and the most agents for which
#: these are quick; with more agents there are none until all is read and stays as it is.
DRAFT_RESAMPLES, MAX_DRAFTED = 50, 40


class GrowingStandings:
    """The standings of a store that may grow; only games that it has not read are read."""

    def __init__(self, store: Store) -> None:
        self.file: tuple[int, int] = _file_of(store.path)
        self.name: str = store.path.name
        self.unread: UnreadGames = UnreadGames()
        self.agents = store.agents
        self.totals: Totals = Totals(public_agents(self.agents))

    def is_of(self, store: Store) -> bool:
        """Whether these are the standings of that file and its agents."""
        return self.file == _file_of(store.path) and self.agents == store.agents

    def read(self, store: Store, tools: Any) -> bool:
        """Count in the games that are new, and send drafts; whether all games of the store, and no
        others, are counted now.
        """
        stored, next_at = len(store), time.monotonic() + TICK
        for number, game in enumerate(self.unread.read(store)):
            self.totals.note(game)
            if number % 100 == 0 and (begin := time.monotonic()) > next_at:
                tools.send("standings", self.as_dict(stored, 0))
                took = time.monotonic() - begin
                next_at = time.monotonic() + max(TICK, READING_SHARE * took)
        return self.unread.has_all_of(stored, len(store))

    def as_dict(self, stored: int, resamples: int) -> dict[str, Any]:
        """Return what is known as plain data, the ratings without intervals for 0 resamples."""
        evidence = self.totals.evidence
        ladder = None
        if evidence.agents:
            rng = np.random.default_rng(SEED)
            ladder = rate_evidence(evidence, rng, resamples=max(1, resamples))
        standings: Any = self.totals.as_dict(ladder)
        if len(self.totals.agents) > MAX_CROSSED:
            standings["cross_table"] = None
        if ladder is not None and not resamples:
            ratings = standings["ratings"]
            for each in ratings["ratings"]:
                each["elo_interval_95"] = None
            for name in ("first_player_elo", "draws_between_equals"):
                ratings[name]["interval_95"] = None
        count = self.unread.count
        return {"store": self.name, "read": count, "stored": stored, "standings": standings}


def standings(tools: Any, path: str, final: bool) -> dict[str, Any]:
    """Return the standings of a store; send those of the games read by then every second.

    Intervals are those of `claimeven report` if these are `final`, else quick ones. `took` is how
    many seconds of work this was. All games are read again if some were removed or the file was
    replaced.
    """
    begin = time.process_time()
    with _opened(path) as store:
        known, tools.standings = tools.standings, None  # half counted in, they would be wrong
        if known is None or not known.is_of(store):
            known = GrowingStandings(store)
        stored = len(store)
        if not known.read(store, tools):
            known = GrowingStandings(store)
            known.read(store, tools)
        tools.standings = known
        resamples = DRAFT_RESAMPLES if len(known.totals.agents) <= MAX_DRAFTED else 0
        stored = max(stored, known.unread.count)
        found: dict[str, Any] = known.as_dict(stored, RESAMPLES if final else resamples)
    return {**found, "took": time.process_time() - begin}


def report(tools: Any, path: str, out: str) -> None:
    """Write the report of a store's games, none of them judged, into a file."""
    with _opened(path) as store:
        if (count := len(store)) > MAX_REPORTED:
            raise ClaimevenError(
                f"{path} holds {count:,} games, and the server reports on {MAX_REPORTED:,} at"
                f" most: `claimeven report {store.path.name}` writes a page on all"
            )
        Path(out).write_text(report_page(store), encoding="utf-8", errors="replace")


@contextmanager
def _opened(path: str) -> Iterator[Store]:
    """Open a store. Errors name its file without the folders, which are not public."""
    try:
        with Store.read(Path(path)) as store:
            yield store
    except ClaimevenError as error:
        raise ClaimevenError(str(error).replace(path, Path(path).name)) from None


def _file_of(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino
