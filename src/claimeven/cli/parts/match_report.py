"""A match in words: what `claimeven match` prints of its games and of the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from claimeven.agents.external.registry import split_foreign
from claimeven.agents.fingerprint import digest_of_files
from claimeven.agents.registry import AGENTS
from claimeven.arena.games.game import Game
from claimeven.arena.results import fault_texts
from claimeven.arena.store.store import StoredAgent
from claimeven.arena.tournaments.results import MatchResult
from claimeven.arena.tournaments.standings import remarks
from claimeven.cli.common.output import cut, left, remark_lines, table_lines, text_size, wrap

LETTERS = ("A", "B")
#: Columns of a label, and the part of a line that it may take.
MOST_LABEL, LABEL_PART = 28, 3
#: Quantities of the table of costs, and how each is written.
COSTS = (
    ("seconds", ".6f"),
    ("nodes", ",.1f"),
    ("iterations", ",.1f"),
    ("depth", ".2f"),
    ("branching", ".2f"),
)


def game_lines(game: Game, names: Sequence[str]) -> Iterator[str]:
    """Yield who played a game and all its moves; the board is not drawn."""
    first, second = (names[agent] for agent in game.agents)
    yield f"game {game.number + 1}: first player {first}, second player {second}"
    if game.opening:
        yield f"opening {game.opening}"
    yield f"moves {game.all_moves}"


def forfeit_line(game: Game, names: Sequence[str]) -> str | None:
    """Say who forfeited a game and why; None if no agent did."""
    forfeit = game.forfeit
    if forfeit is None:
        return None
    return f"{names[game.agents[forfeit.seat]]} forfeits: {forfeit.reason}"


def match_lines(result: MatchResult, width: int) -> Iterator[str]:
    """Yield the totals of a match in lines of at most `width` columns, long names apart."""
    names = result.plan.names
    marks = labels(names, min(MOST_LABEL, width // LABEL_PART))
    yield from _wrapped(_headline(result), width)
    for letter, name, mark in zip(LETTERS, names, marks, strict=True):
        if name not in mark:
            yield f"{letter} is {name}"
    yield from _table("", marks, _totals(result), width)
    if result.games:
        yield ""
        yield from _seats(result, marks, width)
    yield ""
    yield from _table("one move", marks, _costs(result), width)
    for agent, name in enumerate(names):
        if stored := result.measures(agent).most_stored:
            yield from _wrapped(f"most nodes stored by {name}: {stored:,}", width)
    for agent, mark in enumerate(marks):
        if evaluations := result.evaluations_a_game(agent):
            a_move = result.measures(agent).mean("evaluations")
            told = f"evaluations by {mark}: {evaluations:,.1f} a game, {a_move:,.1f} a move"
            yield from _wrapped(told, width)
    if result.games:
        yield ""
        yield from _wrapped(_uniqueness(result), width)
    agents = [
        StoredAgent(place, LETTERS[place], names[place], digest_of_files(spec or ""))
        for place, spec in enumerate(result.plan.provenance.specs)
    ]
    yield from remark_lines(list(remarks(agents, ())), width)
    for agent, name in enumerate(names):
        for text in fault_texts(result.faults[agent]):
            yield from _wrapped(f"forfeits of {name}: {text}", width)


def labels(names: Sequence[str], most: int) -> tuple[str, str]:
    """Return what two agents are called in tables, at most so many columns of a terminal each.

    Specs that are too long, or equal, are told by a letter and what kind of agent they are.

    >>> labels(("random", "greedy"), 20)
    ('random', 'greedy')
    >>> labels(("alphabeta:depth=3,eval=sequences", "bots/my_agent.py:agent"), 20)
    ('A alphabeta', 'B my_agent.py:agent')
    """
    if names[0] != names[1] and max(map(text_size, names)) <= most:
        return names[0], names[1]
    first, second = (
        f"{letter} {_brief(name, most - 2)}" for letter, name in zip(LETTERS, names, strict=True)
    )
    return first, second


def _brief(name: str, most: int) -> str:
    kind, foreign = name.partition(":")[0], split_foreign(name)
    brief = name
    if text_size(name) > most:
        if foreign is not None:
            brief = foreign[0].short_name(foreign[1])
        else:
            brief = kind if kind in AGENTS else PurePath(name).name
    return brief if text_size(brief) <= most else cut(brief, most - 3) + "..."


def _headline(result: MatchResult) -> str:
    plan, played = result.plan, len(result.games)
    told = [f"{played} game{'s' * (played != 1)} on {plan.geometry}"]
    if plan.opening.columns:
        told.append(f"from {plan.opening.moves}")
    told.append(f"seed {plan.seed}")
    if plies := plan.opening_plies:
        told.append(f"{plies} random {'ply' if plies == 1 else 'plies'}")
    if any(plan.openings):
        openings = len(set(plan.openings))
        told.append(f"{openings} opening{'s' * (openings != 1)}")
    return ", ".join([*told, f"{result.seconds:.2f} s"])


def _totals(result: MatchResult) -> tuple[list[str], list[list[str]]]:
    low, high = result.interval
    rows = [
        [
            str(result.wins[agent]),
            str(result.draws),
            str(result.wins[1 - agent]),
            f"{result.scores[agent]:.1%}",
            f"{interval[0]:.1%} to {interval[1]:.1%}",
        ]
        for agent, interval in ((0, (low, high)), (1, (1 - high, 1 - low)))
    ]
    return ["wins", "draws", "losses", "score", "95 % interval"], rows


def _seats(result: MatchResult, marks: Sequence[str], width: int) -> list[str]:
    """Return the lines of a table with the results of each agent by seat."""
    rows = []
    for agent, mark in enumerate(marks):
        for seat, name in enumerate(("first", "second")):
            counts = result.seat_counts(agent, seat)
            if sum(counts):
                score = (counts[0] + counts[1] / 2) / sum(counts)
                rows.append([f"{mark}, {name}", *map(str, counts), f"{score:.1%}"])
    size = max(text_size(row[0]) for row in rows)
    named = [[left(row[0], size), *row[1:]] for row in rows]
    return table_lines([left("by seat", size), "wins", "draws", "losses", "score"], named, width)


def _costs(result: MatchResult) -> tuple[list[str], list[list[str]]]:
    measures = [result.measures(agent) for agent in (0, 1)]
    told = [
        (name, style)
        for name, style in COSTS
        if name != "iterations" or any(one.counts[name] for one in measures)
    ]
    rows = [
        [str(one.moves), *(_number(one.mean(name), style) for name, style in told)]
        for one in measures
    ]
    return ["moves", *(name for name, _ in told)], rows


def _uniqueness(result: MatchResult) -> str:
    unique, played = result.unique_games, len(result.games)
    told = f"unique games: {unique} ({unique / played:.0%})"
    if not result.is_repetitive:
        return told
    advice = "" if result.plan.is_varied else "; --opening-plies 4 would vary them"
    return (
        f"{told}: the same games again are no new evidence, so the interval counts each once"
        + advice
    )


def _table(
    corner: str, marks: tuple[str, str], table: tuple[list[str], list[list[str]]], width: int
) -> list[str]:
    """Return the lines of a table with one row an agent, the labels to the left."""
    headings, rows = table
    texts = (corner, *marks)
    first = [left(text, max(map(text_size, texts))) for text in texts]
    whole = [[mark, *row] for mark, row in zip(first[1:], rows, strict=True)]
    return table_lines([first[0], *headings], whole, width)


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _number(amount: float | None, style: str) -> str:
    return "-" if amount is None else format(amount, style)
