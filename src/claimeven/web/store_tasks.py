"""What a worker of its own makes of a store: standings, as games are read, and the report."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.arena.report.report import report_page
from claimeven.arena.store.models import public_agents
from claimeven.arena.store.store import Store
from claimeven.arena.store.unread import UnreadGames
from claimeven.arena.tournaments.standings import SEED
from claimeven.arena.tournaments.totals import Totals
from claimeven.errors import ClaimevenError
from claimeven.ratings.ladder import RESAMPLES, rate_evidence

#: The most games that are reported on: more take a minute, and more than a gigabyte.
MOST_REPORTED = 200_000
#: The most agents whose cross table is told: it holds a row and a column for each.
MOST_CROSSED = 100

Tell = Callable[[str, Any], None]

#: Seconds between two tellings of what has been read by then.
TICK = 1.0
#: They are told less often where that takes long: this many times as long goes into reading.
TELLING = 9
#: Resampled tournaments behind intervals while games may still come, and the most agents for which
#: these are quick; for more there are none until all is read and stays as it is.
DRAFT_RESAMPLES, MOST_DRAFTED = 50, 40


class GrowingStandings:
    """The standings of a store that may grow; only games that it has not read are read."""

    def __init__(self, store: Store) -> None:
        self.file = _file_of(store.path)
        self.unread = UnreadGames()
        self.agents = store.agents
        self.totals = Totals(public_agents(self.agents), store.start.ply)

    def is_of(self, store: Store) -> bool:
        """Whether these are the standings of that file and its agents."""
        return self.file == _file_of(store.path) and self.agents == store.agents

    def read(self, store: Store, tell: Callable[[], None]) -> bool:
        """Count in the games that are new; whether those read are now the games of the store."""
        least, next_at = len(store), time.monotonic() + TICK
        for number, game in enumerate(self.unread.read(store)):
            self.totals.note(game)
            if number % 100 == 0 and (begin := time.monotonic()) > next_at:
                tell()
                took = time.monotonic() - begin
                next_at = time.monotonic() + max(TICK, TELLING * took)
        return self.unread.has_all_of(least, len(store))

    def as_dict(self, name: str, stored: int, resamples: int) -> dict[str, Any]:
        """Return what is known as plain data, the ratings without intervals for 0 resamples."""
        evidence = self.totals.evidence
        ladder = None
        if evidence.agents:
            rng = np.random.default_rng(SEED)
            ladder = rate_evidence(evidence, rng, resamples=max(1, resamples))
        standings: Any = self.totals.as_dict(ladder)
        if len(self.totals.agents) > MOST_CROSSED:
            standings["cross_table"] = None
        if ladder is not None and not resamples:
            _leave_out_intervals(standings["ratings"])
        return {
            "store": name,
            "read": self.unread.count,
            "stored": stored,
            "standings": standings,
        }


def standings(tools: Any, tell: Tell, path: str, final: bool) -> dict[str, Any]:
    """Return the standings of a store; tell those of the games read by then every second.

    Intervals are those of `claimeven report` if these are `final`, else quick ones. `took` is how
    many seconds of work this was.
    """
    place, begin = Path(path), time.process_time()
    try:
        with Store.read(place) as store:
            known, stored = _read(tools, store, tell)
    except ClaimevenError as error:
        raise _by_name(error, place) from None
    quick = DRAFT_RESAMPLES if len(known.totals.agents) <= MOST_DRAFTED else 0
    found = known.as_dict(place.name, stored, RESAMPLES if final else quick)
    return {**found, "took": time.process_time() - begin}


def _read(tools: Any, store: Store, tell: Tell) -> tuple[GrowingStandings, int]:
    """Count in the games that are new; return the standings, and how many games are stored.

    All are read anew if some were removed or the file was replaced.
    """
    known: GrowingStandings | None = tools.standings
    tools.standings = None  # so that no standings that are half counted in stay
    if known is None or not known.is_of(store):
        known = GrowingStandings(store)
    stored = len(store)
    told = partial(known.as_dict, store.path.name, stored, 0)
    if not known.read(store, lambda: tell("standings", told())):
        known = GrowingStandings(store)
        known.read(store, lambda: None)
    tools.standings = known
    return known, max(stored, known.unread.count)


def report(tools: Any, tell: Tell, path: str, out: str) -> None:
    """Write the report of a store's games, none of them judged, into a file."""
    place = Path(path)
    try:
        with Store.read(place) as store:
            if (count := len(store)) > MOST_REPORTED:
                raise ClaimevenError(
                    f"{path} holds {count:,} games, and the server reports on {MOST_REPORTED:,} at"
                    f" most: `claimeven report {place.name}` writes a page on all"
                )
            Path(out).write_text(report_page(store), encoding="utf-8", errors="replace")
    except ClaimevenError as error:
        raise _by_name(error, place) from None


def _by_name(error: ClaimevenError, path: Path) -> ClaimevenError:
    """Return an error that names a file without its folders, which are nothing for who asks."""
    return ClaimevenError(str(error).replace(str(path), path.name))


def _file_of(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _leave_out_intervals(ratings: dict[str, Any]) -> None:
    for each in ratings["ratings"]:
        each["elo_interval_95"] = None
    for name in ("first_player_elo", "draws_between_equals"):
        ratings[name]["interval_95"] = None
