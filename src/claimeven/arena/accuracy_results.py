"""Accuracy and blunders as sections of blocks, for notebooks and terminals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from claimeven.agents.sanitize import printable
from claimeven.arena.accuracy.measure import MAX_FAULTS, AgentAccuracy, SetAccuracy
from claimeven.arena.accuracy.metrics import Accuracy, Blunder, Tally
from claimeven.arena.accuracy.stored_games import GamesAccuracy
from claimeven.arena.findings import COLD_ADVICE
from claimeven.arena.report.context import number
from claimeven.arena.results import fault_texts, share
from claimeven.blocks import Block, Board, Sections, Table, bar
from claimeven.game.notation import column_name
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.review.analysis import signed
from claimeven.solver.scores import outcome_word

#: Plies that share a line.
_PLIES = 4
#: The legend of the figures of accuracy.
LEGEND = (
    "perfect: keeps the exact score; loss: points of score given away a move. decisive: moves where"
    " a column throws the outcome away; keeps: those that do not. floor: what random moves get"
    " there. wins, blocks: shares of wins at hand that are taken, and of the opponent's that are"
    " blocked. Moves where all columns are worth the same do not count."
)


def accuracy(result: Accuracy) -> Sections:
    """Return what became of the moves of one agent."""
    return accuracy_tables([AgentAccuracy(result.agent or "agent", result)])


def accuracy_tables(rows: Sequence[AgentAccuracy]) -> Sections:
    """Return the tables of some agents, one a row: means, and their intervals."""
    timed = any(row.seconds_per_move is not None for row in rows)
    means, intervals = [], []
    for row in rows:
        name, whole, decisive = printable(row.agent), row.accuracy.all, row.accuracy.decisive
        tactics = [row.accuracy.wins, row.accuracy.blocks]
        keeps = decisive.mean("keeps_result")
        means.append([
            name, f"{whole.moves:,}", share(whole.mean("perfect")),
            number(whole.mean("score_loss")),
            f"{decisive.moves:,}", bar(share(keeps), keeps),
            share(decisive.mean("random_keeps_result")),
            *(share(each.mean("perfect")) for each in tactics),
        ])  # fmt: skip
        intervals.append([
            name, _between(whole, "perfect"), _between(whole, "score_loss"),
            _between(decisive, "keeps_result"), *(_between(each, "perfect") for each in tactics),
            *[number(row.seconds_per_move, ".4f")] * timed,
        ])  # fmt: skip
    heads = ["agent", "moves", "perfect", "loss", "decisive", "keeps", "floor", "wins", "blocks"]
    of_intervals = ["95 % interval", "perfect", "loss", "keeps", "wins", "blocks"]
    of_intervals += ["s a move"] * timed
    return Sections([[Table(heads, means)], [Table(of_intervals, intervals)], [LEGEND]])


def agent_accuracy(result: AgentAccuracy) -> Sections:
    """Return how well an agent plays a set of positions."""
    head = f"{result.answered:,} positions answered, {result.faults.total():,} faults"
    return Sections([[head], *accuracy_tables([result]), _faults(result), *_details(result)])


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
    details = _details(agents[0]) if len(agents) == 1 else ()
    return Sections([head, *accuracy_tables(agents), compared, *map(_faults, agents), *details])


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


def _faults(agent: AgentAccuracy) -> list[Block]:
    section: list[Block] = [
        printable(f"{agent.agent} gave no answer: {text}") for text in fault_texts(agent.failed)
    ]
    if len(agent.failed) > agent.answered:
        section.append(
            f"Each position is asked by itself, without the game before it: {COLD_ADVICE}."
            " claimeven check says more."
        )
    if agent.stopped:
        section.append(f"After {MAX_FAULTS} faults {printable(agent.agent)} was asked no more.")
    return section


def _details(row: AgentAccuracy) -> Iterator[list[Block]]:
    """Yield the tables of one agent: by phase, ply, number of right columns, and band."""
    plies: dict[str, Tally] = {}
    for ply in sorted(row.accuracy.by_ply):
        first = ply - ply % _PLIES
        plies.setdefault(f"{first}-{first + _PLIES - 1}", Tally()).merge(row.accuracy.by_ply[ply])
    parts = row.accuracy.divisions
    yield [_split_table("phase", parts["phase"])]
    yield [_split_table("ply", {**plies, "all": row.accuracy.all})]
    yield [
        _split_table("right columns", {str(n): each for n, each in parts["best_columns"].items()})
    ]
    if any(row.by_band):
        yield [_split_table("band", row.by_band)]


def _split_table(what: str, tallies: Mapping[str, Tally]) -> Table:
    heads = [what, "moves", "perfect", "floor", "keeps", "floor", "loss", "floor"]
    styles: tuple[tuple[str, Callable[[float | None], str]], ...] = (
        ("perfect", share), ("keeps_result", share), ("score_loss", number)
    )  # fmt: skip
    means = [(start + mean, style) for mean, style in styles for start in ("", "random_")]
    return Table(heads, [
        [name, f"{tally.moves:,}", *(style(tally.mean(mean)) for mean, style in means)]
        for name, tally in tallies.items()
    ])  # fmt: skip


def blunder(result: Blunder, sentences: Iterable[str] = ()) -> Sections:
    """Return a move that lost something: its agent and column, the board before it, and why."""
    move = result.move
    position = move.position
    best = " or ".join(column_name(column, position.geometry) for column in move.best)
    where = "" if result.game is None else f"game {result.game + 1}, "
    agent = printable(result.agent) or PLAYER_NAMES[move.player]
    head = (
        f"{where}disc {move.ply + 1}: {agent} plays {column_name(move.column, position.geometry)},"
        f" a {outcome_word(move.after)} ({signed(move.after)}); right is {best}, a"
        f" {outcome_word(move.before)} ({signed(move.before)})"
    )
    after = f"after {result.moves or 'no move'}"
    return Sections([[head, after, Board(position, None, move.scores), *sentences]])


def _between(tally: Tally, name: str) -> str:
    interval = tally.interval(name)
    if interval is None:
        return "-"
    low, high = interval
    return f"{low:.2f}-{high:.2f}" if name == "score_loss" else f"{100 * low:.3g}-{100 * high:.3g}"
