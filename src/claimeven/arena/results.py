"""Games, matches, standings and accuracy as sections of blocks, for notebooks and terminals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from claimeven import markup
from claimeven.agents.sanitize import printable
from claimeven.arena.accuracy.measure import MAX_FAULTS, AgentAccuracy, SetAccuracy
from claimeven.arena.accuracy.metrics import Accuracy, Blunder, Tally
from claimeven.arena.accuracy.stored_games import GamesAccuracy
from claimeven.arena.diagnostics import COLD_ADVICE
from claimeven.arena.games.game import Game
from claimeven.arena.report.format import duration, reach
from claimeven.arena.tournaments.results import (
    MatchResult,
    Placement,
    SequentialResult,
    TournamentResult,
)
from claimeven.arena.tournaments.standings import Standings
from claimeven.blocks import Block, Board, Sections, Styled, Table, bar, strong
from claimeven.game.notation import column_name
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.ratings.ladder import Estimate, Ladder
from claimeven.ratings.sprt import Verdict
from claimeven.solver.scores import outcome_word

#: Width in pixels of the drawing of a rating with its interval.
_WIDTH = 160
#: Plies that share a line.
_PLIES = 4
#: What the figures of accuracy mean.
LEGEND = (
    "perfect: keeps the exact score; loss: points of score given away a move. decisive: moves where"
    " a column throws the outcome away; keeps: those that do not. floor: what random moves get"
    " there. wins, blocks: shares of wins at hand that are taken, and of the opponent's that are"
    " blocked. Moves where all columns are worth the same do not count."
)


def game(result: Game) -> Sections:
    """Return the board at the end, the moves and who won; agents of a plan are numbered from 1."""
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
        return f"{PLAYER_NAMES[result.forfeit.seat].capitalize()} forfeits: {result.forfeit.reason}"
    if result.winner is None:
        return "A draw."
    return f"{PLAYER_NAMES[result.winner].capitalize()} wins."


def match(result: MatchResult) -> Sections:
    """Return the totals of both agents, the cost of a move, and how far the games differ."""
    low, high = result.interval
    faults = [sum(reasons.values()) for reasons in result.forfeits]
    rows = []
    for agent, interval in ((0, (low, high)), (1, (1 - high, 1 - low))):
        measures, score = result.measures(agent), result.scores[agent]
        counts = (result.wins[agent], result.draws, result.wins[1 - agent])
        rows.append([
            printable(result.plan.names[agent]), *map(str, counts), bar(share(score), score),
            _range(interval, share), duration(measures.mean("seconds")),
            number(measures.mean("nodes"), ".1f"), *([str(faults[agent])] if any(faults) else []),
        ])  # fmt: skip
    heads = ["agent", "wins", "draws", "losses", "score", "95 % interval", "a move", "nodes"]
    heads += ["forfeits"] if any(faults) else []
    return Sections([
        [Table(heads, rows)],
        [f"{len(result.games):,} games, {result.unique_games:,} of them different,"
         f" {result.seconds:.2f} s"],
    ])  # fmt: skip


def standings(result: Standings | TournamentResult) -> Sections:
    """Return the ladder and the cross table."""
    if isinstance(result, TournamentResult):
        result = result.standings
    if result.ladder is None:
        return Sections([["No games of two agents yet."]])
    order = result.ranking
    cross = Table(
        ["", *(str(place) for place in range(1, len(order) + 1))],
        [
            [f"{place} {printable(one.label)}", *(
                "" if one is other else _points_against(result, one.id, other.id)
                for other in order
            )]
            for place, one in enumerate(order, start=1)
        ],
    )  # fmt: skip
    games = f"{len(result.games):,} games, {result.unique_games:,} of them different"
    return Sections([*ladder(result.ladder), [cross], [games]])


def _points_against(result: Standings, one: int, other: int) -> str:
    record = result.between(one, other)
    return f"{record.points:g} / {record.games}" if record.games else "-"


def ladder(result: Ladder, marked: str = "") -> Sections:
    """Return the agents with their ratings; the agent `marked` stands out."""
    if not result.ratings:
        return Sections([["No games to rate."]])
    ends = reach(row.elo.value for row in result.ratings)
    rows = [
        [
            strong(name) if row.agent == marked else name,
            f"{row.elo.value:+z.0f}",
            _whisker(row.elo, *ends),
            f"{row.games}",
            f"{row.points:g}",
            share(row.share),
        ]
        for place, row in enumerate(result.ratings, start=1)
        for name in (f"{place} {printable(row.agent)}",)
    ]
    return Sections([[Table(["agent", "Elo", "95 % interval", "games", "points", "share"], rows)]])


def placement(result: Placement) -> Sections:
    """Return an agent's place and the ladder."""
    rating, name = result.rating, printable(result.agent.label)
    if rating is None:
        return Sections([[f"{name} has played no game yet."]])
    head = (
        f"{name}: place {result.place} of {len(result.ladder.ratings)}, {rating.elo.value:+z.0f}"
        f" Elo ({_interval(rating.elo)})"
    )
    return Sections([[head], *ladder(result.ladder, result.agent.label)])


def sequential(result: SequentialResult) -> Sections:
    """Return the verdict of a sequential test and the evidence."""
    test, counts = result.test, result.run.counts
    first, second = map(printable, result.plan.names)
    verdict = {
        Verdict.ELO0: f"a lead of {test.elo0:g} Elo fits better than one of {test.elo1:g}",
        Verdict.ELO1: f"a lead of {test.elo1:g} Elo fits better than one of {test.elo0:g}",
        Verdict.UNDECIDED: f"no telling yet a lead of {test.elo1:g} Elo from {test.elo0:g}",
    }[result.verdict]
    heads = ["pairs of games", "score", "95 % interval", "log ratio", "bounds"]
    figures = [
        str(counts.pairs),
        share(counts.share),
        _range(counts.share_interval, share),
        f"{result.run.ratio:+z.2f}",
        "{:+.2f} to {:+.2f}".format(*test.bounds),
    ]
    return Sections([[f"{first} against {second}: {verdict}"], [Table(heads, [figures])]])


def accuracy(result: Accuracy) -> Sections:
    """Return what became of the moves of one agent."""
    return accuracy_tables([AgentAccuracy(result.agent or "agent", result)])


def accuracy_tables(rows: Sequence[AgentAccuracy]) -> Sections:
    """Return the tables of some agents, one a row: means, and their intervals."""
    timed = any(row.seconds_a_move is not None for row in rows)
    means, intervals = [], []
    for row in rows:
        name, whole, decisive = printable(row.agent), row.accuracy.all, row.accuracy.decisive
        tactics = [row.accuracy.wins, row.accuracy.blocks]
        keeping = decisive.mean("keeping")
        means.append([
            name, f"{whole.moves:,}", share(whole.mean("perfect")), number(whole.mean("loss")),
            f"{decisive.moves:,}", bar(share(keeping), keeping),
            share(decisive.mean("floor_keeping")),
            *(share(each.mean("perfect")) for each in tactics),
        ])  # fmt: skip
        intervals.append([
            name, _between(whole, "perfect"), _between(whole, "loss"),
            _between(decisive, "keeping"), *(_between(each, "perfect") for each in tactics),
            *[number(row.seconds_a_move, ".4f")] * timed,
        ])  # fmt: skip
    heads = ["agent", "moves", "perfect", "loss", "decisive", "keeps", "floor", "wins", "blocks"]
    of_intervals = ["95 % interval", "perfect", "loss", "keeps", "wins", "blocks"]
    of_intervals += ["s a move"] * timed
    return Sections([[Table(heads, means)], [Table(of_intervals, intervals)], [LEGEND]])


def agent_accuracy(result: AgentAccuracy) -> Sections:
    """Return how well an agent plays a set of positions."""
    head = f"{result.answered:,} positions answered, {result.faults.total():,} faults"
    return Sections([[head], *accuracy_tables([result]), *_faults(result), *_details(result)])


def set_accuracy(result: SetAccuracy) -> Sections:
    """Return how well some agents play a set of positions, best first, and which differ."""
    plan, tactics = result.plan, result.plan.tactics
    head = [
        f"{len(plan.positions.positions):,} positions ({plan.positions.name}), digest"
        f" {plan.positions.digest}, seed {plan.seed}, {result.seconds:.1f} s"
    ]
    if tactics is not None:
        head.append(f"and {len(tactics.positions):,} for wins and blocks ({tactics.name})")
    agents = [result[name] for name in result.ranking]
    neighbors = set(pairwise(result.ranking))
    compared = [
        f"- {printable(each.sentence)}."
        for each in result.comparisons()
        if (each.first, each.second) in neighbors
    ]
    if compared:
        compared.insert(0, "Compared position by position (McNemar's exact test):")
    faults = (section for agent in agents for section in _faults(agent))
    details = _details(agents[0]) if len(agents) == 1 else ()
    return Sections([head, *accuracy_tables(agents), compared, *faults, *details])


def games_accuracy(result: GamesAccuracy, seconds: float | None = None) -> Sections:
    """Return how well the agents of some games played, best first; judging took `seconds`."""
    games = len(result.judged)
    head = (
        f"{games:,} game{'s' * (games != 1)} on {result.geometry}, {result.moves:,} moves in"
        f" {result.positions:,} different positions"
    )
    head += "" if seconds is None else f", {seconds:.1f} s"
    rows = [AgentAccuracy(label, result[label]) for label in result.ranking]
    details = _details(rows[0]) if len(rows) == 1 else ()
    return Sections([[head], *accuracy_tables(rows), *details])


def _faults(agent: AgentAccuracy) -> Iterator[list[Block]]:
    """Yield why an agent gave no answer."""
    name = printable(agent.agent)
    section: list[Block] = [
        printable(f"{agent.agent} gave no answer: {text}") for text in fault_texts(agent.failed)
    ]
    if len(agent.failed) > agent.answered:
        section.append(
            f"Each position is asked by itself, without the game before it: {COLD_ADVICE}."
            " claimeven check says more."
        )
    if agent.stopped:
        section.append(f"After {MAX_FAULTS} faults {name} was asked no more.")
    yield section


def _details(row: AgentAccuracy) -> Iterator[list[Block]]:
    """Yield the tables of one agent: by ply, by number of right columns, and by band."""
    plies: dict[str, Tally] = {}
    for ply in sorted(row.accuracy.by_ply):
        first = ply - ply % _PLIES
        plies.setdefault(f"{first}-{first + _PLIES - 1}", Tally()).merge(row.accuracy.by_ply[ply])
    right = {str(count): tally for count, tally in sorted(row.accuracy.by_right.items())}
    yield [_split_table("ply", {**plies, "all": row.accuracy.all})]
    yield [_split_table("right columns", right)]
    if any(row.by_band):
        yield [_split_table("band", row.by_band)]


def _split_table(what: str, tallies: Mapping[str, Tally]) -> Table:
    heads = [what, "moves", "perfect", "floor", "keeps", "floor", "loss", "floor"]
    styles: tuple[tuple[str, Callable[[float | None], str]], ...] = (
        ("perfect", share), ("keeping", share), ("loss", number)
    )  # fmt: skip
    rows = [
        [
            name,
            f"{tally.moves:,}",
            *(
                style(tally.mean(prefix + mean))
                for mean, style in styles
                for prefix in ("", "floor_")
            ),
        ]
        for name, tally in tallies.items()
    ]
    return Table(heads, rows)


def blunder(result: Blunder, sentences: Iterable[str] = ()) -> Sections:
    """Return a move that lost something: who played what, the board before it, and why."""
    move = result.move
    position = move.position
    best = " or ".join(column_name(column, position.geometry) for column in move.best)
    where = "" if result.game is None else f"game {result.game + 1}, "
    agent = printable(result.agent) or PLAYER_NAMES[move.player]
    head = (
        f"{where}disc {move.ply + 1}: {agent} plays {column_name(move.column, position.geometry)},"
        f" a {outcome_word(move.after)} ({_signed(move.after)}); right is {best}, a"
        f" {outcome_word(move.before)} ({_signed(move.before)})"
    )
    after = f"after {result.moves or 'no move'}"
    return Sections([[head, after, Board(position, None, move.scores), *sentences]])


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


def number(amount: float | None, style: str = ".2f") -> str:
    """Return a number as text."""
    return "-" if amount is None else format(amount, style)


def _range(bounds: tuple[float, float], style: Callable[[float], str]) -> str:
    return " to ".join(map(style, bounds))


def _interval(elo: Estimate) -> str:
    return f"{elo.low:+z.0f} to {elo.high:+z.0f}"


def _between(tally: Tally, name: str) -> str:
    interval = tally.interval(name)
    if interval is None:
        return "-"
    low, high = interval
    return f"{low:.2f}-{high:.2f}" if name == "loss" else f"{100 * low:.3g}-{100 * high:.3g}"


def _signed(score: int) -> str:
    return f"{score:+d}" if score else "0"


def _whisker(elo: Estimate, left: float, right: float) -> Styled:
    """Return an interval, drawn with its rating in notebooks."""

    def at(value: float) -> str:
        return f"{_WIDTH * (min(max(value, left), right) - left) / (right - left):.1f}"

    drawing = (
        f"<svg width='{_WIDTH}' height='12' viewBox='0 0 {_WIDTH} 12' aria-hidden='true'>"
        f"<path d='M{at(elo.low)} 6H{at(elo.high)}' stroke='currentColor' stroke-width='2'"
        f" stroke-opacity='.6'/><circle cx='{at(elo.value)}' cy='6' r='4.5' fill='#4a80d0'/></svg>"
    )
    return Styled(_interval(elo), markup.Html(f"{drawing} {_interval(elo)}"))
