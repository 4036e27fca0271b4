"""Games, matches, standings and ratings as sections of blocks, for notebooks and terminals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from claimeven import markup
from claimeven.agents.external import split_foreign
from claimeven.agents.fingerprint import digest_of_files
from claimeven.agents.options import name_in
from claimeven.agents.registry import AGENTS
from claimeven.agents.sanitize import printable
from claimeven.arena.games.game import Game
from claimeven.arena.report.context import number, reach
from claimeven.arena.store.store import StoredAgent
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.results import (
    MatchResult,
    Meeting,
    Placement,
    SequentialResult,
    TournamentResult,
)
from claimeven.arena.tournaments.standings import Standings, remarks
from claimeven.arena.tuning import TuneResult
from claimeven.blocks import Block, Board, Code, Sections, Styled, Table, bar, strong
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.ratings.ladder import Estimate, Ladder
from claimeven.ratings.sprt import SprtVerdict

#: Width in pixels of the drawing of a rating with its interval.
_WIDTH = 160
#: Characters of an agent's label in the tables of a match.
_MAX_LABEL = 28
#: Quantities of the table of costs, and how each is written.
_COSTS = {
    "seconds": ".6f", "nodes": ",.1f", "iterations": ",.1f", "depth": ".2f", "branching": ".2f"
}  # fmt: skip


def game(result: Game) -> Sections:
    """Return the last board, the moves and the result; agents of a plan are numbered from 1."""
    columns = result.all_columns
    section: list[Block] = []
    if result.job:
        first, second = result.first + 1, result.second + 1
        section.append(f"Game {result.number + 1}: agent {first} first, agent {second} second")
    section += [Board(result.final, columns[-1] if columns else None), strong(_ending(result))]
    if result.opening:
        section.append(f"Opening: {result.opening}")
    return Sections([[*section, f"Moves: {result.all_moves}"]])


def _ending(result: Game) -> str:
    if result.forfeit is not None:
        return f"{PLAYER_NAMES[result.forfeit.seat]} forfeits: {result.forfeit.reason}"
    text = "A draw" if result.winner is None else f"{PLAYER_NAMES[result.winner]} wins"
    return text + ("." if result.adjudicated is None else f" by exact score {result.adjudicated}.")


def match(result: MatchResult) -> Sections:
    """Return the totals of both agents, by seat, the cost of a move, and how far games differ."""
    names, measures = result.plan.names, [result.measures(agent) for agent in (0, 1)]
    marks = labels(names)
    head = [
        Code([f"{letter} is {name}"], 0)
        for letter, name, mark in zip("AB", names, marks, strict=True)
        if name not in mark
    ]
    low, high = result.interval
    totals, seats = [], []
    for agent, interval in ((0, (low, high)), (1, (1 - high, 1 - low))):
        counts = (result.wins[agent], result.draws, result.wins[1 - agent])
        score = result.scores[agent]
        ends = f"{interval[0]:.1%} to {interval[1]:.1%}"
        totals.append([marks[agent], *map(str, counts), bar(share(score), score), ends])
        for seat, word in enumerate(("first", "second")):
            counts = result.seat_counts(agent, seat)
            if sum(counts):
                score = (counts[0] + counts[1] / 2) / sum(counts)
                seats.append([f"{marks[agent]}, {word}", *map(str, counts), share(score)])
    costs = [
        name for name in _COSTS if name != "iterations" or any(m.counts[name] for m in measures)
    ]
    rows = [
        [mark, str(one.moves), *(number(one.mean(name), _COSTS[name]) for name in costs)]
        for mark, one in zip(marks, measures, strict=True)
    ]
    more = [
        f"most nodes stored by {name}: {one.max_stored:,}"
        for name, one in zip(names, measures, strict=True)
        if one.max_stored
    ]
    for agent, mark in enumerate(marks):
        if evaluations := result.evaluations_a_game(agent):
            a_move = measures[agent].mean("evaluations")
            more.append(f"evaluations by {mark}: {evaluations:,.1f} a game, {a_move:,.1f} a move")
    agents = [
        StoredAgent(place, "AB"[place], names[place], digest_of_files(spec or ""))
        for place, spec in enumerate(result.plan.agent_files.specs)
    ]
    forfeits = [
        f"- forfeits of {name}: {text}"
        for name, faults in zip(names, result.faults, strict=True)
        for text in fault_texts(faults)
    ]
    heads = ["wins", "draws", "losses", "score"]
    return Sections([
        [_headline(result), *head, Table(["", *heads, "95 % interval"], totals)],
        [Table(["by seat", *heads], seats)] if seats else [],
        [Table(["one move", "moves", *costs], rows), *more],
        [_uniqueness(result), *result.totals.adjudication] if result.games else [],
        list(remarks(agents, ())),
        forfeits,
    ])  # fmt: skip


def tuning(result: TuneResult) -> Sections:
    """Return the tries, the best options and the given ones in fresh games, and the spec."""
    games = sum(len(each.games) for each in result.tries)
    ends = [
        f"{len(result.tries)} tries of {result.agent} against {', '.join(result.against)}:"
        f" {games:,} games, seed {result.seed}, {result.seconds:.1f} s"
    ]
    rows = [
        [
            ",".join(f"{name}={text}" for name, text in each.options.items()),
            f"{len(each.games):,}{'*' * each.stopped}",
            bar(share(each.score), each.score),
            share(each.best),
        ]
        for each in result.tries
    ]
    table = Table(["options", "games", "score", "best so far"], rows)
    note = ["* stopped early, clearly worse than the best"] * any(t.stopped for t in result.tries)
    final = [each for each in (result.best, result.given) if each is not None]
    fresh = [
        [each.agent, f"{len(each.games):,}", bar(share(each.score), each.score),
         "{:.1%} to {:.1%}".format(*each.interval)]
        for each in final
    ]  # fmt: skip
    last: list[Block] = []
    if result.best is not None:
        last = [Table(["fresh games", "games", "score", "95 % interval"], fresh)]
        if result.gain is not None:
            last.append("gain {:+.1%}, 95 % interval {:+.1%} to {:+.1%}".format(*result.gain))
        last.append(strong(f"best: {result.best.agent}"))
    return Sections([ends, [table, *note], last])


def labels(names: Sequence[str], most: int = _MAX_LABEL) -> tuple[str, str]:
    """Return the names of two agents in tables, of at most `most` characters each.

    Specs that are too long, or equal, become a letter and the kind of the agent.

    >>> labels(("random", "greedy"), 20)
    ('random', 'greedy')
    >>> labels(("alphabeta:depth=3,eval=sequences", "bots/my_agent.py:agent"), 20)
    ('A alphabeta', 'B my_agent.py:agent')
    """
    if names[0] != names[1] and max(map(len, names)) <= most:
        return names[0], names[1]
    first, second = (
        f"{letter} {_brief(name, most - 2)}" for letter, name in zip("AB", names, strict=True)
    )
    return first, second


def _brief(name: str, most: int) -> str:
    kind, foreign = name_in(name), split_foreign(name)
    brief = name
    if len(name) > most:
        own = kind if kind in AGENTS else PurePath(name).name
        brief = own if foreign is None else foreign[0].short_name(foreign[1])
    return brief if len(brief) <= most else brief[: most - 3] + "..."


def _headline(result: MatchResult) -> str:
    plan = result.plan
    words = [f"{_count(len(result.games), 'game')} on {plan.geometry}"]
    if plan.opening.columns:
        words.append(f"from {plan.opening.moves}")
    words.append(f"seed {plan.seed}")
    if plies := plan.opening_plies:
        words.append(f"{plies} random {'ply' if plies == 1 else 'plies'}")
    if any(plan.openings):
        words.append(_count(len(set(plan.openings)), "opening"))
    return ", ".join([*words, f"{result.seconds:.2f} s"])


def _uniqueness(result: MatchResult) -> str:
    unique, played = result.unique_games, len(result.games)
    text = f"unique games: {unique} ({unique / played:.0%})"
    if not result.is_repetitive:
        return text
    advice = "" if result.plan.is_varied else "; --opening-plies 4 would vary them"
    return f"{text}: repeated games are not new evidence, so the interval counts each once" + advice


def tournament(result: TournamentResult, cure: str = "") -> Sections:
    """Return the standings of a tournament; `cure` is advice for more openings."""
    found, plan = result.standings, result.plan
    played, openings = len(found.games), {game.opening for game in found.games}
    starts = "empty board" if openings == {""} else _count(len(openings), "opening")
    head = (
        f"{_count(played, 'game')} of {len(plan.agents)} agents on {plan.geometry}, {plan.kind},"
        f" seed {plan.seed}, {starts}, {result.seconds:.1f} s"
    )
    return Sections([
        [head],
        [_standings_table(found)],
        _groups(found),
        _repeated(found, "deterministic agents repeat them", cure),
        list(found.remarks),
        _forfeits(found),
    ])  # fmt: skip


def _repeated(found: Standings, why: str, cure: str) -> list[Block]:
    """Return a sentence if most of the games are repeated ones, and there is a cure."""
    unique, played = found.unique_games, len(found.games)
    more = f"More openings give more information: {cure}"
    is_shown = cure and 2 * unique < played
    return [f"only {unique} of {played} games differ: {why}. {more}"] if is_shown else []


def standings(result: Standings | TournamentResult) -> Sections:
    """Return the standings and the cross table."""
    if isinstance(result, TournamentResult):
        result = result.standings
    if result.ladder is None:
        return Sections([["No games of two agents yet."]])
    order = result.ranking

    def points(one: StoredAgent, other: StoredAgent) -> str:
        record = result.between(one.id, other.id)
        text = f"{record.points:g} / {record.games}" if record.games else "-"
        return "" if one is other else text

    cross = Table(["", *(str(place) for place in range(1, len(order) + 1))], [
        [f"{place} {printable(one.label)}", *(points(one, other) for other in order)]
        for place, one in enumerate(order, start=1)
    ])  # fmt: skip
    games = f"{len(result.games):,} games, {result.unique_games:,} of them different"
    return Sections(
        [[_standings_table(result)], _groups(result), [cross], [games], _forfeits(result)]
    )


def _standings_table(result: Standings) -> Table:
    ratings = {row.agent: row for row in result.ladder.ratings} if result.ladder else {}
    ends = reach([row.elo.value for row in ratings.values()] or [0.0])
    rows, ranks = [], []
    for agent in result.ranking:
        record, row = result.records[agent.id], ratings.get(agent.label)
        ranks.append("-" if row is None else row.rank_text.replace("\N{EN DASH}", "-"))
        rows.append([
            printable(agent.label), "-" if row is None else f"{row.elo.value:+z.0f}",
            "-" if row is None else _whisker(row.elo, *ends), f"{record.games}", f"{record.wins}",
            f"{record.draws}", f"{record.losses}", number(record.mean("seconds"), ".6f"),
        ])  # fmt: skip
    heads = ["agent", "elo", "95 % interval", "games", "win", "draw", "loss", "s a move"]
    return _numbered(heads, rows, ranks)


def _numbered(
    heads: list[str], rows: list[list[str]], ranks: Sequence[object], marked: int | None = None
) -> Table:
    """Return a table with the ranks of its rows; one row, from 1, may be marked."""
    size = max((len(f"{rank}") for rank in ranks), default=1)
    blank = "" if marked is None else "  "
    named = []
    for place, (rank, (name, *cells)) in enumerate(zip(ranks, rows, strict=True), start=1):
        text = f"{rank:>{size}} {name}"
        own = Styled(f"> {text}", markup.strong(text)) if place == marked else blank + text
        named.append([own, *cells])
    return Table([blank + " " * (size + 1) + heads[0], *heads[1:]], named)


def _groups(result: Standings) -> list[Block]:
    """Return what the ratings do not decide: the order of agents that tie or never met."""
    groups = result.ladder.groups if result.ladder else ()
    text = f"the agents fall into {len(groups)} groups that never met: ratings of different groups"
    if len(groups) > 1:
        return [f"{text} do not compare"]
    ratings = result.ladder.ratings if result.ladder else ()
    tied = ["{}-{}".format(*row.rank) for row in ratings if row.rank[0] < row.rank[1]]
    return [f"ranks such as {tied[0]}: the games do not decide the order"] if tied else []


def _forfeits(result: Standings) -> list[Block]:
    """Return how many games each agent forfeited by which kind of fault, with the usual reason."""
    faults: dict[int, list[tuple[str, str]]] = {}
    for game in result.games:
        if (lost := game.forfeit) is not None:
            faults.setdefault(game.agents[lost.seat], []).append((lost.kind, lost.reason))
    texts = [
        f"  {printable(result.label[agent])}: {text}"
        for agent, found in sorted(faults.items())
        for text in fault_texts(found)
    ]
    return ["forfeits", *texts] if texts else []


def ladder(result: Ladder) -> Sections:
    """Return the agents with their ratings."""
    if not result.ratings:
        return Sections([["No games to rate."]])
    return Sections([[_ladder_table(result)], [_scale(result)]])


def _ladder_table(
    result: Ladder, met: Mapping[str, Meeting] | None = None, agent: str = ""
) -> Table:
    """Return a ladder; with meetings the score of a new agent against each in its last columns."""
    heads = ["games", "score"] if met is None else ["its score", "it is"]
    ends = reach(row.elo.value for row in result.ratings)
    rows, marked = [], None
    for place, row in enumerate(result.ratings, start=1):
        if met is None:
            more = [f"{row.games}", share(row.share)]
        else:
            meeting = met.get(row.agent)
            more = ["", ""]
            if meeting is not None:
                more = [share(meeting.record.share).strip("-"), meeting.verdict]
        ends_text = _whisker(row.elo, *ends) if row.elo.low < row.elo.high else "-"
        rows.append([printable(row.agent), f"{row.elo.value:+z.0f}", ends_text, *more])
        marked = place if met is not None and row.agent == agent else marked
    heads = ["agent", "elo", "95 % interval", *heads]
    return _numbered(heads, rows, range(1, len(rows) + 1), marked)


def pool(result: Standings) -> Sections:
    """Return the games of the pool as a ladder."""
    played, same = len(result.games), reference_pool.same_games(result.games)
    digest = reference_pool.pool_digest()
    head = f"pool {reference_pool.VERSION}, digest {digest}, {_count(played, 'game')}"
    if not played:
        return Sections([[head]])
    found = reference_pool.ladder_of(result)
    other = _count(played - same, "game")
    more = [f"{other} unlike the bundled ones: another machine or version"]
    return Sections([
        [head], [_ladder_table(found)], [_scale(found), *(more if same != played else [])]
    ])  # fmt: skip


def placement(result: Placement) -> Sections:
    """Return an agent's place, the ladder around it, and its results against each agent."""
    rating, name, place = result.rating, printable(result.agent.label), result.place
    if rating is None or place is None:
        return Sections([[f"{name} has played no game"]])
    head = (
        f"{name}: place {place} of {len(result.ladder.ratings)}, {rating.elo.value:+z.0f} Elo"
        f" (95 % interval {_interval(rating.elo)})"
    )
    met = {meeting.opponent: meeting for meeting in result.meetings}
    verdicts = [meeting.verdict for meeting in met.values()]
    beaten = sum((meeting.record.share or 0) > 0.5 for meeting in met.values())
    pool_games = len(reference_pool.pool_standings().games)
    forfeits = result.standings.records[result.agent.id].forfeits.most_common()
    return Sections([
        [head],
        [_ladder_table(result.ladder, met, result.agent.label)],
        [
            f"It took more than half the points off {beaten} of {len(verdicts)}; it is stronger"
            f" than {verdicts.count('stronger')} and weaker than {verdicts.count('weaker')}, 95 %"
            " sure",
            _scale(result.ladder),
            *(f"forfeits: {count} x {kind}" for kind, count in forfeits),
            f"{_count(len(result.standings.games), 'game')} in {result.seconds:.1f} s, rated with"
            f" the {pool_games} of pool {reference_pool.VERSION}, digest"
            f" {reference_pool.pool_digest()}",
        ],
    ])  # fmt: skip


def _scale(result: Ladder) -> str:
    first, draws = result.first_player, result.draws
    return (
        f"0 is {result.anchor or 'the mean'}; moving first is worth {first.value:+z.0f} Elo"
        f" ({_interval(first)}), equals draw {draws.value:.1%}"
    )


def sequential(result: SequentialResult, cure: str = "") -> Sections:
    """Return the verdict of a sequential test; `cure` is advice for more openings."""
    test, run, counts = result.test, result.run, result.run.counts
    low, high = test.bounds
    verdict = {
        SprtVerdict.ELO0: f"elo0 accepted: a lead of {test.elo0:g} Elo fits better than one of"
        f" {test.elo1:g} (risk {test.beta:.2g})",
        SprtVerdict.ELO1: f"elo1 accepted: a lead of {test.elo1:g} Elo fits better than one of"
        f" {test.elo0:g} (risk {test.alpha:.2g})",
        SprtVerdict.UNDECIDED: f"undecided: {counts.pairs} pairs do not distinguish a lead of"
        f" {test.elo1:g} Elo from a lead of {test.elo0:g}",
    }[result.verdict]
    names = [
        f"{letter} is {printable(n)}" for letter, n in zip("AB", result.plan.names, strict=True)
    ]
    beyond = len(result.standings.games) - 2 * counts.pairs
    more = f" ({beyond} more played, not counted)" if beyond else ""
    words = ("lost", "lost and drawn", "split", "won and drawn", "won")
    pairs = ", ".join(f"{count} {word}" for count, word in zip(counts.counts, words, strict=True))
    figures = {
        "log ratio": f"{run.ratio:+z.2f}: elo0 at {low:+.2f}, elo1 at {high:+.2f}",
        "kind of Elo": f"{test.model}, on {result.plan.geometry}, seed {result.plan.seed}",
        "games": f"{2 * counts.pairs} in {result.seconds:.1f} s{more}",
        "pairs of A": pairs,
    }
    for name, value, interval, style in (
        ("score of A", counts.share, counts.share_interval, ".1%"),
        ("Elo", counts.elo, counts.elo_interval, "+z.0f"),
        ("normalized Elo", counts.normalized_elo, counts.normalized_elo_interval, "+z.0f"),
    ):
        ends = f"{interval[0]:{style}} to {interval[1]:{style}}"
        figures[name] = f"{value:{style}} (95 % interval {ends})"
    figures["A is stronger"] = f"with likelihood {counts.superiority:.1%}"
    counted, doubt = result.counted, "so do not trust the risks"
    forfeits = [
        f"forfeits of {letter}: {count} x {kind}"
        for letter, agent in zip("AB", counted.agents, strict=True)
        for kind, count in counted.records[agent.id].forfeits.most_common()
    ]
    return Sections([
        [*names, strong(verdict)],
        [f"{name:<16} {text}" for name, text in figures.items()],
        _repeated(counted, f"repeated games are not new evidence, {doubt}", cure),
        list(result.standings.remarks),
        forfeits,
    ])  # fmt: skip


def fault_texts(faults: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield how many faults, given by kind and reason, were of each kind, and the usual reason.

    >>> list(fault_texts([("crash", "raised KeyError: 1"), ("crash", "raised KeyError: 2")]))
    ['2 x crash: such as raised KeyError: 1']
    """
    reasons: dict[str, Counter[str]] = {}
    for kind, reason in faults:
        reasons.setdefault(kind, Counter())[reason] += 1
    for kind, found in sorted(reasons.items(), key=lambda each: (-each[1].total(), each[0])):
        ((reason, count),) = found.most_common(1)
        such = "" if count == found.total() else "such as "
        yield f"{found.total()} x {kind}: {such}{reason}"


def share(mean: float | None) -> str:
    """Return a share as text."""
    return "-" if mean is None else f"{mean:.1%}"


def _count(amount: int, thing: str) -> str:
    return f"{amount} {thing}{'s' * (amount != 1)}"


def _interval(elo: Estimate) -> str:
    return f"{elo.low:+z.0f} to {elo.high:+z.0f}"


def _whisker(elo: Estimate, left: float, right: float) -> Styled:
    def at(value: float) -> str:
        return f"{_WIDTH * (min(max(value, left), right) - left) / (right - left):.1f}"

    drawing = (
        f"<svg width='{_WIDTH}' height='12' viewBox='0 0 {_WIDTH} 12' aria-hidden='true'>"
        f"<path d='M{at(elo.low)} 6H{at(elo.high)}' stroke='currentColor' stroke-width='2'"
        f" stroke-opacity='.6'/><circle cx='{at(elo.value)}' cy='6' r='4.5' fill='#4a80d0'/></svg>"
    )
    return Styled(_interval(elo), markup.Html(f"{drawing} {_interval(elo)}"))
