"""The games of a store as a report shows them: plan, standings, sentences and number formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
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
from claimeven.ratings.ladder import SURE, Estimate, Ladder
from claimeven.review.claims import join_words

#: Characters of a name and of a text that are shown.
MAX_NAME, MAX_TEXT = 120, 2000


@dataclass(frozen=True)
class ReportContext:
    """The games of a store and the plan they were played by, ready to be shown.

    Texts of agents and users are on one line, bounded, without control characters, and have to be
    escaped in a page. Absolute paths in them are cut to the names of the files. `games` are all, in
    the order of the schedule. `label` is the name of an agent, by its number. `accuracy` is None if
    no game was judged; if no game can be judged, `not_judged` has the reason.
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
        plan, command, agents = meta.get("plan"), meta.get("command"), standings.agents
        default_title = f"Tournament of {_many(len(agents), 'agent')}"
        if len(agents) == 2:
            default_title = f"{agents[0].label} against {agents[1].label}"
        return cls(
            title=printable((title or "").strip(), MAX_NAME) or _shown(default_title, MAX_NAME),
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


_MINUS, _SPACE = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}"
_HALF = "\N{VULGAR FRACTION ONE HALF}"


def reach(ratings: Iterable[float]) -> tuple[float, float]:
    """Return the range of the drawing of ratings: intervals may reach far beyond.

    >>> reach([-100.0, 300.0]), reach([0.0])
    ((-220.0, 420.0), (-100.0, 100.0))
    """
    values = sorted(ratings)
    margin = max(100.0, 0.3 * (values[-1] - values[0]))
    return values[0] - margin, values[-1] + margin


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


def number(amount: float | None, style: str = ".2f") -> str:
    """Return a number as text."""
    return "-" if amount is None else format(amount, style)


def duration(seconds: float | None) -> str:
    r"""Return a time in the unit that suits it.

    >>> duration(0.0000312), duration(0.0123), duration(1.5), duration(None)
    ('31\xa0µs', '12\xa0ms', '1.5\xa0s', '-')
    """
    if seconds is None:
        return "-"
    for unit, size in (("µs", 1e-6), ("ms", 1e-3)):
        if (amount := seconds / size) < 999.5:
            return f"{amount:.{1 if amount < 9.95 else 0}f}{_SPACE}{unit}"
    return f"{seconds:,.1f}{_SPACE}s"


#: Breaks in the ladder and groups of agents that are named, and agents named in one sentence.
_MAX_TIERS, _MAX_GROUPS, _MAX_NAMED = 3, 3, 3


def headline(contents: ReportContext) -> str:
    """Return a sentence on the games."""
    count, agents = len(contents.standings.games), len(contents.ranking)
    text = f"{_many(count, 'game')} of {_many(agents, 'agent')} on {contents.geometry}"
    kind, seed = map(contents.plan.get, ("kind", "seed"))
    text += f", {kind}" if isinstance(kind, str) else ""
    text += f", seed {seed}" if isinstance(seed, int) else ""
    text += f", {contents.unfinished:,} more unfinished" if contents.unfinished else ""
    return f"{text}."


def leader(contents: ReportContext) -> str:
    """Return a sentence on the first agent, and its likelihood."""
    ladder = contents.standings.ladder
    if ladder is None or len(ladder.ratings) < 2:
        return "No two agents have played a game to its end, so there are no ratings."
    leads = [_lead(contents, ladder, group) for group in ladder.groups[:_MAX_GROUPS]]
    if len(ladder.groups) > 1:
        leads.insert(0, f"No agent is first: {len(ladder.groups):,} groups of agents never met.")
    return " ".join(leads)


def _lead(contents: ReportContext, ladder: Ladder, group: tuple[str, ...]) -> str:
    first, second = group[:2]
    gap, name = ladder.gap(first, second), contents.label_of
    among = "" if len(ladder.groups) == 1 else f" of {_named([name[agent] for agent in group])}"
    tied = [agent for agent in group[1:] if ladder.superiority(first, agent) < SURE]
    above = f"{_elo(gap).removeprefix('+')} above {name[second]}"
    if tied:
        names = _named([name[agent] for agent in (first, *tied)])
        lead = f" {name[first]} is {above}, which may be chance." if gap.value >= 0.5 else ""
        return f"{names} share first place{among}.{lead}"
    # A thousand resampled tournaments give a likelihood no more exactly.
    likely = ladder.superiority(first, second)
    likelihood = "over 99.9 %" if likely > 0.999 else f"{100 * likely:.1f} %"
    stronger = f"It is the stronger of the two with a likelihood of {likelihood}"
    return f"{name[first]} is first{among}, {above}. {stronger}."


def findings(contents: ReportContext) -> Iterator[str]:
    """Yield what to look at in addition to forfeits: ties, odd results, doubts."""
    standings = contents.standings
    ratings = standings.ladder.ratings if standings.ladder else ()
    if tied := [row.rank_text for row in ratings if row.rank[0] < row.rank[1]]:
        share = f"{len(tied):,} of {_many(len(ratings), 'agent')} share a rank, such as {tied[0]}"
        yield f"{share}: the games do not decide their order, and more rounds may."
    if odd := _odd_results(contents):
        yield f"Against the ladder: {_named(odd)}."
    yield from (printable(remark, MAX_TEXT) for remark in standings.remarks)
    if 2 * standings.unique_games < len(standings.games):
        only = f"Only {standings.unique_games:,} of {len(standings.games):,} games differ"
        yield f"{only}: the same game again adds no evidence, so the intervals are too narrow."


def _odd_results(contents: ReportContext) -> list[str]:
    """Return the meetings lost by an agent of a better rank, the widest gap first."""
    standings, name = contents.standings, contents.label_of
    number = {agent.label: agent.id for agent in standings.agents}
    odd = []
    for upper, lower in combinations(standings.ladder.ratings if standings.ladder else (), 2):
        record = standings.between(number[lower.agent], number[upper.agent])
        if (gap := lower.rank[0] - upper.rank[1]) > 0 and 2 * record.points > record.games:
            took = f"took {points(record.points)} of {_many(record.games, 'point')} from"
            odd.append((-gap, f"{name[lower.agent]} {took} {name[upper.agent]}"))
    return [text for _, text in sorted(odd)]


def ladder_notes(contents: ReportContext) -> Iterator[str]:
    """Yield what the games do not show: distances of agents."""
    ladder = contents.standings.ladder
    if ladder is None:
        return
    if len(ladder.groups) > 1:
        apart = f"The agents fall into {len(ladder.groups)} groups that never met"
        yield f"{apart}: ratings of different groups do not compare."
    unknown = "the games do not show the distance, and the rating is only a guess"
    for tier in _beaten_by_all(contents, ladder)[:_MAX_TIERS]:
        names = _named([contents.label_of[agent] for agent in tier])
        yield f"{names} took no point from any agent above: {unknown}."


def _beaten_by_all(contents: ReportContext, ladder: Ladder) -> list[tuple[str, ...]]:
    """Return the tiers that met agents rated above them and took no point from any."""
    place = {row.agent: number for number, row in enumerate(ladder.ratings)}
    tier_of = {agent: number for number, tier in enumerate(ladder.tiers) for agent in tier}
    met, took = set[int](), set[int]()
    for game in contents.standings.rated:
        upper, lower = sorted((game.first, game.second), key=place.__getitem__)
        if tier_of[upper] != tier_of[lower]:
            met.add(tier_of[lower])
            if game.points != float(game.first == upper):
                took.add(tier_of[lower])
    return [ladder.tiers[number] for number in sorted(met - took)]


def _named(names: list[str]) -> str:
    more = len(names) - _MAX_NAMED
    return join_words([*names[:_MAX_NAMED], f"{more:,} others"] if more > 1 else names)


def _many(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' * (count != 1)}"


def _elo(estimate: Estimate) -> str:
    low, high = signed(estimate.low), signed(estimate.high)
    return f"{signed(estimate.value)} Elo (95 % interval {low} to {high})"
