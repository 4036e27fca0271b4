"""The tables of a report as rows of text: ladder, cross table, forfeits, facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from claimeven.agents.sanitize import printable, without_folders
from claimeven.arena.accuracy.metrics import Accuracy
from claimeven.arena.report.context import MOST_NAME, MOST_TEXT, Contents
from claimeven.arena.report.format import points, reach
from claimeven.arena.tournaments.totals import Record
from claimeven.ratings.ladder import Estimate

#: How limits are said.
_LIMITS = {
    "seconds": "{} s",
    "bank": "a bank of {} s a game beside it",
    "iterations": "{} iterations",
    "depth": "depth {}",
    "nodes": "{} nodes",
}
#: Openings that are named one by one.
_MOST_OPENINGS = 12
#: Reasons of forfeits told for each agent and kind.
_MOST_REASONS = 3


@dataclass(frozen=True)
class Whisker:
    """A rating in a drawing, from 0 (left) to 100 (right); an end may lie beyond the drawing."""

    low: float
    value: float
    high: float
    cut_low: bool
    cut_high: bool


@dataclass(frozen=True)
class LadderRow:
    """One agent of the ladder."""

    place: int
    id: int
    label: str
    record: Record
    elo: Estimate | None
    whisker: Whisker | None

    @property
    def forfeits(self) -> int:
        """Games the agent forfeited."""
        return sum(self.record.forfeits.values())


@dataclass(frozen=True)
class Forfeits:
    """Games an agent forfeited through one kind of fault.

    `reasons` are what was told: the text, how often, and one of the games.
    """

    label: str
    kind: str
    count: int
    reasons: tuple[tuple[str, int, int], ...]


def ladder_rows(contents: Contents) -> list[LadderRow]:
    """Return the agents, best first."""
    standings = contents.standings
    ratings = {row.agent: row.elo for row in standings.ladder.ratings} if standings.ladder else {}
    left, right = reach([elo.value for elo in ratings.values()] or [0.0])

    def whisker(elo: Estimate) -> Whisker:
        low, value, high = (
            round(100 * (min(max(at, left), right) - left) / (right - left), 2)
            for at in (elo.low, elo.value, elo.high)
        )
        return Whisker(low, value, high, elo.low < left, elo.high > right)

    return [
        LadderRow(
            place,
            agent.id,
            contents.label[agent.id],
            standings.records[agent.id],
            elo := ratings.get(agent.label),
            whisker(elo) if elo else None,
        )
        for place, agent in enumerate(contents.ranking, start=1)
    ]


def cross_rows(contents: Contents) -> list[tuple[LadderRow, list[Record | None]]]:
    """Return each agent with its record against each other, in the order of the ladder."""
    rows = ladder_rows(contents)
    return [
        (one, [None if one is other else contents.standings.between(one.id, other.id)
               for other in rows])
        for one in rows
    ]  # fmt: skip


def cross_letters(contents: Contents) -> int:
    """Return how many letters the widest cell of the cross table has, its head among them."""
    alike = games_of_two(contents) is not None
    cells = [cell for _, row in cross_rows(contents) for cell in row if cell and cell.games]
    told = [points(cell.points) + ("" if alike else f"/{cell.games:,}") for cell in cells]
    return max(map(len, [*told, str(len(contents.ranking))]))


def games_of_two(contents: Contents) -> int | None:
    """Return how many games any two agents that met have played, None where that differs."""
    games = [game for game in contents.standings.games if game.first != game.second]
    met = {frozenset(game.agents): 0 for game in games}
    for game in games:
        met[frozenset(game.agents)] += 1
    counts = set(met.values())
    return counts.pop() if len(counts) == 1 else None


def forfeit_rows(contents: Contents) -> list[Forfeits]:
    """Return what each agent forfeited, by kind: who forfeited most first."""
    reasons: dict[tuple[int, str], Counter[str]] = {}
    examples: dict[tuple[int, str, str], int] = {}
    for game in contents.games:
        if game.fault is None or game.fault_seat is None:
            continue
        key = game.agents[game.fault_seat], printable(game.fault, MOST_NAME)
        reason = printable(game.reason or "no reason was stored")
        reasons.setdefault(key, Counter())[reason] += 1
        examples.setdefault((*key, reason), game.number + 1)
    rows = [
        Forfeits(
            contents.label[agent],
            kind,
            sum(told.values()),
            tuple(
                (reason, count, examples[agent, kind, reason])
                for reason, count in told.most_common(_MOST_REASONS)
            ),
        )
        for (agent, kind), told in reasons.items()
    ]
    whole: Counter[str] = Counter()
    for row in rows:
        whole[row.label] += row.count
    return sorted(rows, key=lambda row: (-whole[row.label], row.label, -row.count, row.kind))


def accuracy_rows(contents: Contents) -> list[tuple[str, Accuracy]]:
    """Return each agent's label and accuracy, in the order of the ladder; none if not judged."""
    accuracy = contents.accuracy
    if accuracy is None:
        return []
    return [(contents.label[agent.id], accuracy[agent.label]) for agent in contents.ranking]


def agent_rows(contents: Contents) -> list[dict[str, str | None]]:
    """Return label, full spec and digest of each agent, best first."""
    return [
        {
            "label": contents.label[agent.id],
            "spec": printable(without_folders(agent.spec), MOST_TEXT),
            "digest": printable(agent.digest, MOST_NAME) if agent.digest else None,
        }
        for agent in contents.ranking
    ]


def facts(contents: Contents) -> Iterator[tuple[str, str]]:
    """Yield how the games came about, as (what, text)."""
    plan, geometry = contents.plan, contents.geometry
    if contents.command:
        yield "command", contents.command
    yield "board", f"{geometry.columns} columns, {geometry.rows} rows, {geometry.connect} in a line"
    for what in ("kind", "rounds", "seed"):
        if what in plan:
            yield what, printable(str(plan[what]), MOST_NAME)
    if contents.start.ply:
        yield "start", f"a position with {contents.start.ply} discs"
    yield "openings", openings_text(contents)
    yield "limit of a move", limit_text(contents)
    if plan.get("isolate"):
        yield "processes", "every agent in one of its own"
    if isinstance(plan.get("memory_mb"), (int, float)):
        yield "memory of an agent from a file", f"{plan['memory_mb']:,g} MB"
    standings = contents.standings
    yield "different games", f"{standings.unique_games:,} of {len(standings.games):,}"
    if contents.unfinished:
        yield "left unfinished", f"{contents.unfinished:,} games, which count nowhere"


def openings_text(contents: Contents) -> str:
    """Say after which moves the agents took over."""
    openings = list(dict.fromkeys(game.opening for game in contents.games))
    if openings == [""]:
        return "none: every game begins at the start"
    named = ", ".join(opening or "(none)" for opening in openings[:_MOST_OPENINGS])
    more = len(openings) - _MOST_OPENINGS
    return printable(f"{len(openings):,}: {named}" + (f" and {more:,} more" if more > 0 else ""))


def limit_text(contents: Contents) -> str:
    """Say what the agents were allowed for a move."""
    limit = contents.plan.get("limit")
    if not isinstance(limit, dict) or not limit:
        return "none but the agents' own"
    told = [
        _LIMITS.get(what, what + " {}").format(f"{amount:,g}")
        for what, amount in limit.items()
        if isinstance(amount, (int, float))
    ]
    return printable(", ".join(told) or "none but the agents' own", MOST_TEXT)
