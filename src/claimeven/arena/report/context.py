"""The games of a store, their standings and plan, as a report shows them; its number formats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from claimeven.agents.sanitize import printable, without_folders
from claimeven.arena.accuracy.stored_games import GamesAccuracy
from claimeven.arena.games.game import Game
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.runs import store_notes
from claimeven.arena.store.store import Store, StoredAgent, public_agents
from claimeven.arena.tournaments.standings import Standings
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: Characters of a name and of a text that are shown.
MAX_NAME, MAX_TEXT = 120, 2000


@dataclass(frozen=True)
class ReportContext:
    """The games of a store and the plan they were played by, ready to be shown.

    Texts that agents or users made up are on one line, bounded, and have no control characters;
    they are still text, to be escaped in a page. Absolute paths in them are cut to the names of
    the files, since pages are sent to others. `games` are all, in the
    order of the schedule. `label` is the name of an agent, by its number. `accuracy` is None
    if no game was judged; if no game can be judged, `not_judged` has the reason.
    """

    title: str
    plan: Mapping[str, Any]
    command: str | None
    start: Position
    standings: Standings
    games: tuple[Game, ...] = ()
    label: Mapping[int, str] = field(default_factory=dict)
    accuracy: GamesAccuracy | None = None
    not_judged: str | None = None

    @classmethod
    def of(cls, store: Store, title: str | None = None) -> ReportContext:
        """Read a store. Raises `InvalidStore` for one without a game."""
        meta, games = store.meta, tuple(store.games())
        standings = Standings.of(store.agents, games, store_notes(store))
        if not games:
            raise InvalidStore(f"{store.path} holds no game to report on")
        plan = meta.get("plan")
        command = meta.get("command")
        return cls(
            title=printable((title or "").strip(), MAX_NAME)
            or _shown(_default_title(standings), MAX_NAME),
            plan=plan if isinstance(plan, dict) else {},
            command=_shown(command, MAX_TEXT) if isinstance(command, str) else None,
            start=store.start,
            standings=standings,
            games=games,
            label={
                agent.id: printable(agent.label.strip(), MAX_NAME) or "(no name)"
                for agent in public_agents(standings.agents)
            },
        )

    @property
    def geometry(self) -> Geometry:
        """The board."""
        return self.start.geometry

    @property
    def unfinished(self) -> int:
        """Number of unfinished games: totals leave them out, but they are shown and judged."""
        return len(self.games) - len(self.standings.games)

    @property
    def ranking(self) -> tuple[StoredAgent, ...]:
        """The agents, best first."""
        return self.standings.ranking

    @cached_property
    def label_of(self) -> dict[str, str]:
        """The name of an agent, from its label in the store."""
        return {agent.label: self.label[agent.id] for agent in self.standings.agents}


def _shown(text: str, most: int) -> str:
    return printable(without_folders(text), most)


def _default_title(standings: Standings) -> str:
    agents = standings.agents
    if len(agents) == 2:
        return f"{agents[0].label} against {agents[1].label}"
    return f"Tournament of {len(agents)} agent{'s' * (len(agents) != 1)}"


_MINUS, _SPACE = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}"
_HALF = "\N{VULGAR FRACTION ONE HALF}"


def reach(ratings: Iterable[float]) -> tuple[float, float]:
    """Return the range of the drawing of ratings: intervals may reach far beyond.

    >>> reach([-100.0, 300.0]), reach([0.0])
    ((-220.0, 420.0), (-100.0, 100.0))
    """
    values = list(ratings)
    low, high = min(values), max(values)
    margin = max(100.0, 0.3 * (high - low))
    return low - margin, high + margin


def signed(number: float) -> str:
    r"""Return a whole number with its sign.

    >>> signed(12.4), ascii(signed(-3.2)), signed(0.2)
    ('+12', "'\\u22123'", '0')
    """
    whole = round(number)
    return f"{whole:+,d}".replace("-", _MINUS) if whole else "0"


def points(number: float) -> str:
    """Return points, halves as they are written in tables of chess.

    >>> points(7.0), points(7.5), points(0.5)
    ('7', '7½', '½')
    """
    whole, half = divmod(round(2 * number), 2)
    return f"{whole or '' if half else whole}{_HALF if half else ''}"


def share(number: float | None) -> str:
    r"""Return a share in per cent.

    >>> share(0.125), share(None)
    ('12.5\xa0%', '-')
    """
    return "-" if number is None else f"{100 * number:.1f}{_SPACE}%"


def decimal(number: float | None) -> str:
    """Return a number with one digit behind the point.

    >>> decimal(2.25), decimal(None)
    ('2.2', '-')
    """
    return "-" if number is None else f"{number:.1f}"


def duration(seconds: float | None) -> str:
    r"""Return a time in the unit that suits it.

    >>> duration(0.0000312), duration(0.0123), duration(1.5), duration(None)
    ('31\xa0µs', '12\xa0ms', '1.5\xa0s', '-')
    """
    if seconds is None:
        return "-"
    for unit, size in (("µs", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            amount = seconds / size
            return f"{amount:.{1 if amount < 9.95 else 0}f}{_SPACE}{unit}"
    return f"{seconds:,.1f}{_SPACE}s"
