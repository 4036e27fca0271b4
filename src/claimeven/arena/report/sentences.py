"""The sentences of a report: the games, the leader, the meaning of the figures."""

from __future__ import annotations

from collections.abc import Iterator

from claimeven.agents.sanitize import printable
from claimeven.arena.report.context import MAX_TEXT, ReportContext, signed
from claimeven.plotting import MAX_LINES
from claimeven.ratings.ladder import Estimate, Ladder

#: Breaks in the ladder and groups of agents that are named, and agents named in one sentence.
_MAX_TIERS, _MAX_GROUPS, _MAX_NAMED = 3, 3, 3


def headline(contents: ReportContext) -> str:
    """Return a sentence on the games."""
    count, agents = len(contents.standings.games), len(contents.ranking)
    parts = [f"{_many(count, 'game')} of {_many(agents, 'agent')} on {contents.geometry}"]
    plan = contents.plan
    if isinstance(plan.get("kind"), str):
        parts.append(plan["kind"])
    if isinstance(plan.get("seed"), int):
        parts.append(f"seed {plan['seed']}")
    if contents.unfinished:
        parts.append(f"{contents.unfinished:,} more unfinished")
    return ", ".join(parts) + "."


def leader(contents: ReportContext) -> str:
    """Return a sentence on the first agent, and its likelihood."""
    ladder = contents.standings.ladder
    if ladder is None or len(ladder.ratings) < 2:
        return "No two agents have played a game to its end, so there are no ratings."
    if len(ladder.groups) == 1:
        return _lead(contents, ladder, ladder.groups[0])
    leads = [_lead(contents, ladder, group) for group in ladder.groups[:_MAX_GROUPS]]
    several = f"No agent is first of all: {len(ladder.groups):,} groups of agents never met."
    return " ".join([several, *leads])


def _lead(contents: ReportContext, ladder: Ladder, group: tuple[str, ...]) -> str:
    first, second = group[:2]
    gap, likely = ladder.gap(first, second), ladder.superiority(first, second)
    others = [contents.label_of[agent] for agent in group[1:]]
    among = "" if len(ladder.groups) == 1 else f" of {_named([contents.label_of[first], *others])}"
    if gap.value < 0.5 or likely <= 0.5:
        level = [each for each in group[1:] if ladder.gap(first, each).value < 0.5] or [second]
        names = _named([contents.label_of[each] for each in (first, *level)])
        return f"{names} are first{among}, equally strong."
    return (
        f"{contents.label_of[first]} is first{among}, {_elo(gap).removeprefix('+')} above"
        f" {others[0]}. It is the stronger of the two with a likelihood of {_likelihood(likely)}."
    )


def ladder_notes(contents: ReportContext) -> Iterator[str]:
    """Yield the meaning of the ratings, and their limits."""
    ladder = contents.standings.ladder
    if ladder is None:
        return
    yield (
        "400 Elo more means ten games won for one lost; 0 is the mean of all agents. Moving first"
        f" is worth {_elo(ladder.first_player)}. An arrowhead is the end of an interval that"
        " reaches beyond the drawing."
    )
    yield from _joined(contents, ladder)
    standings = contents.standings
    yield from (printable(remark, MAX_TEXT) for remark in standings.remarks)
    if 2 * standings.unique_games < len(standings.games):
        yield (
            f"Only {standings.unique_games:,} of {len(standings.games):,} games differ: the same"
            " game again adds no evidence, so the intervals are too narrow."
        )


def accuracy_notes(contents: ReportContext) -> Iterator[str]:
    """Yield the judged games, and the meaning of the figures."""
    accuracy = contents.accuracy
    if accuracy is None:
        yield contents.not_judged or "The moves were not judged against exact scores."
        return
    judged, total = len(accuracy.judged), len(contents.games)
    which = "all games" if judged >= total else f"{judged:,} of {total:,} games, taken evenly"
    yield (
        f"The {accuracy.moves:,} moves of {which}, against exact scores. A move counts if some"
        " column is worse than another. It is perfect if it keeps the score, and keeps the result"
        " if a win stays a win and a draw a draw. It is decisive if some column throws the result"
        " away. Lot is the figure of random columns in the same positions. Wins taken are of"
        " positions with a win at hand, wins blocked of positions with only a win to block."
    )


def ply_note(contents: ReportContext) -> str:
    """Return the agents in the chart by ply, if it does not show all."""
    if len(contents.ranking) <= MAX_LINES:
        return ""
    return f"The first {MAX_LINES} agents of the ladder are drawn."


def _joined(contents: ReportContext, ladder: Ladder) -> Iterator[str]:
    if len(ladder.groups) > 1:
        yield (
            f"The agents fall into {len(ladder.groups)} groups that never met: ratings of different"
            " groups do not compare."
        )
    for tier in _beaten_by_all(contents, ladder)[:_MAX_TIERS]:
        yield (
            f"{_named([contents.label_of[agent] for agent in tier])} took no point from any"
            " agent above: the games do not show the distance, and the rating is only a guess."
        )


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
    named = names if len(names) <= _MAX_NAMED + 1 else names[:_MAX_NAMED]
    if len(named) < len(names):
        named = [*named, f"{len(names) - _MAX_NAMED:,} others"]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def _many(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' * (count != 1)}"


def _elo(estimate: Estimate) -> str:
    low, high = signed(estimate.low), signed(estimate.high)
    return f"{signed(estimate.value)} Elo (95 % interval {low} to {high})"


def _likelihood(number: float) -> str:
    """Return a likelihood as exactly as a thousand resampled tournaments give it."""
    if number > 0.999:
        return "over 99.9 %"
    return f"{100 * number:.1f} %"
