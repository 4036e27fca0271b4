"""The tasks of the workers of a store: standings and the report."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.agents.sanitize import printable, without_folders
from claimeven.arena.games.game import Game
from claimeven.arena.report.report import report_page
from claimeven.arena.store.database import place_of
from claimeven.arena.store.query import UnreadGames, game_dict
from claimeven.arena.store.store import Store, public_agents
from claimeven.arena.tournaments.standings import SEED, Totals
from claimeven.errors import ClaimevenError
from claimeven.game.encodings import to_characters
from claimeven.parallel.executors import Part
from claimeven.ratings.bradley_terry import NamedKind, count_kinds
from claimeven.ratings.ladder import RESAMPLES, Ladder, rate_evidence

#: Maximum of games in a report (more take a minute, and over a gigabyte), of agents in a table.
MAX_REPORT_GAMES, MAX_CROSS_TABLE = 200_000, 100
#: Minimum seconds between two drafts, and minimum ratio of the times for reading and for drafts.
DRAFT_SECONDS, READING_RATIO = 1.0, 9
#: Resampled tournaments for intervals while games are added, and maximum number of agents for it.
DRAFT_RESAMPLES, MAX_DRAFT_AGENTS = 50, 40
#: Number of newest games and forfeits that are sent, and of changes that the rate of games spans.
MAX_NEWEST, MAX_CHANGES = 20, 200


class GrowingStandings:
    """The standings of a growing store; each game is read only once."""

    def __init__(self, store: Store) -> None:
        self.source = place_of(store.path)[0], store.agents
        self.name: str = store.path.name
        self.unread: UnreadGames = UnreadGames()
        self.totals: Totals = Totals(public_agents(store.agents))
        self.planned: int | None = None
        self.start = store.start
        self._newest: deque[Game] = deque(maxlen=MAX_NEWEST)
        self._forfeits: deque[Game] = deque(maxlen=MAX_NEWEST)
        self._growth: deque[tuple[float, int]] = deque(maxlen=MAX_CHANGES)  # times, games
        self._round, self._before = 1, Counter[NamedKind]()  # its number, the pairs before it

    def read(self, store: Store, state: Any) -> bool:
        """Add new games, and send drafts; return whether exactly the store's games are read."""
        stored, next_at = len(store), time.monotonic() + DRAFT_SECONDS
        self.planned, of_round = planned_games(store.meta)
        if not self._growth or self._growth[-1][1] < stored:
            changed = store.path.stat().st_mtime
            with suppress(OSError):  # there may be no log
                log = Path(f"{store.path}-wal").stat()  # empty if it is of this reader
                changed = max(changed, log.st_mtime) if log.st_size else changed
            self._growth.append((changed, stored))
        for number, game in enumerate(self.unread.read(store)):
            if of_round and game.number >= self._round * of_round:
                self._round = game.number // of_round + 1
                self._before = +self.totals.kinds
            self.totals.note(game)
            self._newest.append(game)
            if game.fault is not None:
                self._forfeits.append(game)
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
            ladder = rate_evidence(evidence, np.random.default_rng(SEED), resamples=resamples or 1)
        standings: Any = self.totals.as_dict(ladder)
        if len(self.totals.agents) > MAX_CROSS_TABLE:
            standings["cross_table"] = None
        if ladder is not None and not resamples:
            ratings = standings["ratings"]
            for each in ratings["ratings"]:
                each["elo_interval_95"] = each["rank"] = None
            for name in ("first_player_elo", "draws_between_equals"):
                ratings[name]["interval_95"] = None
        (begin, before), (end, after) = self._growth[0], self._growth[-1]
        moved = self._moved(ladder) if ladder is not None and self._before else {}
        board = self.start.geometry
        return {
            "store": self.name,
            "games_read": self.unread.count,
            "games_stored": stored,
            "games_planned": self.planned,
            "games_per_second": (after - before) / (end - begin) if end > begin else None,
            "last_game_at": end,
            "standings": standings,
            "round": self._round,
            "moved": moved,
            "board": f"{board.columns}x{board.rows}",
            "connect": board.connect,
            "start": "/".join(map("".join, to_characters(self.start))),
            "newest": list(map(self._shown, reversed(self._newest))),
            "newest_forfeits": list(map(self._shown, reversed(self._forfeits))),
        }

    def _moved(self, ladder: Ladder) -> dict[str, int]:
        """Return by how many places agents moved up, or down below 0, since the round began."""
        rng = np.random.default_rng(SEED)
        before = rate_evidence(count_kinds(self._before), rng, resamples=1).ratings
        places = {row.agent: place for place, row in enumerate(before)}
        now = enumerate(row.agent for row in ladder.ratings)
        return {agent: up for place, agent in now if (up := places.get(agent, place) - place)}

    def _shown(self, game: Game) -> dict[str, Any]:
        """Return a game as plain data, without figures of its moves and folders of this machine."""
        reason = game.reason and printable(without_folders(game.reason))
        return {**game_dict(game, self.totals.label), "reason": reason, "move_stats": {}}


def standings(state: Any, path: str, final: bool) -> dict[str, Any]:
    """Return the standings of a store; send drafts every second.

    Intervals are as in `claimeven report` if the standings are `final`, otherwise approximate.
    `took` is the CPU time in seconds. All games are read again if some are gone or the file is new.
    """
    start = time.process_time()
    with _opened(path) as store:
        known, state.standings = state.standings, None  # invalid if the task is interrupted
        if known is None or known.source != (place_of(store.path)[0], store.agents):
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
                f" {MAX_REPORT_GAMES:,}: run `claimeven report {store.path.name}`"
            )
        Path(out).write_text(report_page(store), encoding="utf-8", errors="replace")


def planned_games(meta: Any) -> tuple[int | None, int]:
    """Return how many games a store is for, None if that is unknown, and the games of a round."""
    with suppress(ArithmeticError, LookupError, TypeError, ValueError, ClaimevenError):
        plan, agents = meta["plan"], len(meta["plan"]["agents"])
        of_round = (agents - 1) * (2 if plan["kind"] == "gauntlet" else agents)
        pairs = range(of_round * int(plan["rounds"]) // 2)
        if "part" in meta:
            pairs = Part.of(meta["part"]["part"]).share(pairs)
        games = min(2 * len(pairs), plan.get("max_games", 10**9))
        return None if "test" in meta else games, of_round
    return None, 0


@contextmanager
def _opened(path: str) -> Iterator[Store]:
    """Open a store. Error messages do not contain its folder, which is not public."""
    try:
        with Store.read(Path(path)) as store:
            yield store
    except ClaimevenError as error:
        raise ClaimevenError(str(error).replace(path, Path(path).name)) from None
