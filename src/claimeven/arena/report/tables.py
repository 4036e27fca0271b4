"""The data of a report: rows of its tables for the templates, games for the viewer of the page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from markupsafe import Markup

from claimeven.agents.sanitize import printable, without_folders
from claimeven.arena.accuracy.metrics import Accuracy
from claimeven.arena.accuracy.stored_games import moves_of
from claimeven.arena.games.game import Game
from claimeven.arena.report.context import MAX_NAME, MAX_TEXT, ReportContext, points, reach
from claimeven.arena.tournaments.standings import Record
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_name
from claimeven.game.svg import draw_svg
from claimeven.ratings.ladder import Estimate
from claimeven.review.analysis import JudgedMove
from claimeven.solver.protocols import ExactSolver

#: How limits are shown.
_LIMITS = {
    "seconds": "{} s",
    "time_bank": "and a bank of {} s a game",
    "iterations": "{} iterations",
    "depth": "depth {}",
    "nodes": "{} nodes",
}
#: Openings that are named one by one, and reasons of forfeits shown for each agent and kind.
_MAX_OPENINGS, _MAX_REASONS = 12, 3
#: Blunders on a page, and of one agent; the cells of a drawing in pixels.
_MAX_BLUNDERS, _MAX_OF_ONE, _CELL = 24, 3, 36

#: A row of a table, by the names that the template uses.
Row = dict[str, Any]


def ladder_rows(contents: ReportContext) -> list[Row]:
    """Return the agents, best first, each with its record, rating, and the drawing of it."""
    standings = contents.standings
    ratings = {row.agent: row for row in standings.ladder.ratings} if standings.ladder else {}
    left, right = reach([row.elo.value for row in ratings.values()] or [0.0])

    def whisker(elo: Estimate) -> Row:
        """A rating in a drawing, from 0 (left) to 100 (right); an end may be cut off."""
        drawn: Row = {"cut_low": elo.low < left, "cut_high": elo.high > right}
        for end in ("low", "value", "high"):
            at = min(max(getattr(elo, end), left), right)
            drawn[end] = round(100 * (at - left) / (right - left), 2)
        return drawn

    return [
        {
            "place": place,
            "id": agent.id,
            "label": contents.label[agent.id],
            "record": (record := standings.records[agent.id]),
            "forfeits": sum(record.forfeits.values()),
            "rank": rated.rank_text if (rated := ratings.get(agent.label)) else "-",
            "elo": (elo := rated.elo if rated else None),
            "whisker": whisker(elo) if elo else None,
        }
        for place, agent in enumerate(contents.ranking, start=1)
    ]


def cross_rows(contents: ReportContext) -> list[list[Record | None]]:
    """Return the record of each agent against each other, in the order of the ladder."""
    order = contents.ranking
    return [
        [None if one is other else contents.standings.between(one.id, other.id) for other in order]
        for one in order
    ]


def cross_letters(contents: ReportContext) -> int:
    """Return how many letters the widest cell of the cross table has, its head among them."""
    alike = games_of_two(contents) is not None
    cells = [cell for row in cross_rows(contents) for cell in row if cell and cell.games]
    texts = [points(cell.points) + ("" if alike else f"/{cell.games:,}") for cell in cells]
    return max(map(len, [*texts, str(len(contents.ranking))]))


def games_of_two(contents: ReportContext) -> int | None:
    """Return how many games any two agents that met have played, None if that differs."""
    games = contents.standings.games
    counts = Counter(frozenset(game.agents) for game in games if game.first != game.second)
    return counts.popitem()[1] if len({*counts.values()}) == 1 else None


def forfeit_rows(contents: ReportContext) -> list[Row]:
    """Return the forfeits by agent and kind, most first; reasons with their count and a game."""
    found: dict[tuple[str, str], dict[str, list[int]]] = {}
    for game in contents.games:
        if (lost := game.forfeit) is not None:
            key = contents.label[game.agents[lost.seat]], str(lost.kind)
            reason = printable(lost.reason or "no reason was stored")
            found.setdefault(key, {}).setdefault(reason, []).append(game.number + 1)
    rows, whole = list[Row](), Counter[str]()
    for (label, kind), by_reason in found.items():
        ranked = sorted(by_reason.items(), key=lambda each: -len(each[1]))
        count = sum(map(len, by_reason.values()))
        reasons = [(reason, len(games), games[0]) for reason, games in ranked[:_MAX_REASONS]]
        rows.append({"label": label, "kind": kind, "count": count, "reasons": reasons})
        whole[label] += count
    return sorted(rows, key=lambda r: (-whole[r["label"]], r["label"], -r["count"], r["kind"]))


def accuracy_rows(contents: ReportContext) -> list[tuple[str, Accuracy]]:
    """Return each agent's label and accuracy, in the order of the ladder; [] if not judged."""
    accuracy, ranking = contents.accuracy, contents.ranking
    return [(contents.label[a.id], accuracy[a.label]) for a in ranking] if accuracy else []


def blunder_rows(contents: ReportContext, solver: Callable[[Geometry], ExactSolver]) -> list[Row]:
    """Return the worst moves of each agent, drawn and explained; games and discs count from 1."""
    rows = []
    each = max(1, min(_MAX_OF_ONE, _MAX_BLUNDERS // len(contents.ranking)))
    for agent, accuracy in accuracy_rows(contents):
        for blunder in accuracy.blunders(each):
            move, position = blunder.move, blunder.move.position
            played, right = blunder.explained(solver(contents.geometry))
            after = position.play(move.column)
            rows.append(
                {
                    "agent": agent,
                    "move": move,
                    "game": (blunder.game or 0) + 1,
                    "disc": move.ply + 1,
                    "moves": len(blunder.moves) + 1,  # fewer than discs if the start has some
                    "column": column_name(move.column, position.geometry),
                    # Each column has its score before the move above it.
                    "drawing": Markup(draw_svg(after, move.column, move.scores, _CELL, bare=True)),
                    "played": played.text(position),
                    "right": right.text(position),
                }
            )
    return rows


def agent_rows(contents: ReportContext) -> list[Row]:
    """Return label, full spec and digest of each agent, best first."""
    return [
        {
            "label": contents.label[agent.id],
            "spec": printable(without_folders(agent.spec), MAX_TEXT),
            "digest": printable(agent.digest, MAX_NAME) if agent.digest else None,
        }
        for agent in contents.ranking
    ]


def facts(contents: ReportContext) -> Iterator[tuple[str, str]]:
    """Yield the settings of the games, as (what, text)."""
    plan, geometry = contents.plan, contents.geometry
    if contents.command:
        yield "command", contents.command
    yield "board", f"{geometry.columns} columns, {geometry.rows} rows, {geometry.connect} in a line"
    for what in ("kind", "rounds", "seed"):
        if what in plan:
            yield what, printable(str(plan[what]), MAX_NAME)
    if contents.start.ply:
        yield "start", f"a position with {contents.start.ply} discs"
    yield "openings", _openings_text(contents)
    yield "limit of a move", _limit_text(contents)
    if plan.get("isolate"):
        yield "processes", "a separate one for every agent"
    if isinstance(plan.get("memory_mb"), (int, float)):
        yield "memory of an agent from a file", f"{plan['memory_mb']:,g} MB"
    standings = contents.standings
    yield "different games", f"{standings.unique_games:,} of {len(standings.games):,}"
    if contents.unfinished:
        yield "unfinished", f"{contents.unfinished:,} games, which no total counts"


def _openings_text(contents: ReportContext) -> str:
    openings = [*dict.fromkeys(game.opening or "(none)" for game in contents.games)]
    if openings == ["(none)"]:
        return "none: every game starts at the start position"
    more, named = len(openings) - _MAX_OPENINGS, ", ".join(openings[:_MAX_OPENINGS])
    return printable(f"{len(openings):,}: {named}" + (f" and {more:,} more" if more > 0 else ""))


def _limit_text(contents: ReportContext) -> str:
    limit = contents.plan.get("limit")
    texts = [
        _LIMITS.get(what, what + " {}").format(f"{amount:,g}")
        for what, amount in (limit.items() if isinstance(limit, dict) else ())
        if isinstance(amount, (int, float))
    ]
    return printable(", ".join(texts) or "only the agents' own", MAX_TEXT)


#: Games that a page holds, games with time and value of each move, and the names of these.
MAX_GAMES, MAX_TIMED, _STATS = 20_000, 2_000, ("seconds", "value")


def viewer_data(
    contents: ReportContext, max_games: int = MAX_GAMES, max_timed: int = MAX_TIMED
) -> dict[str, Any]:
    """Return the data of the viewer.

    A game is `[number from 1, first, second, opening, moves, winner]`, agents by their place on the
    ladder, and `[..., kind, seat, reason]` if it was forfeited; `winner` is -1 for a draw, -2 for a
    unfinished game. `move_stats` holds time and value of each move of the first games, `judged` the
    scores of some games by number; `notes` say which data were left out.
    """
    geometry, start = contents.geometry, contents.start
    place = {agent.id: number for number, agent in enumerate(contents.ranking)}
    shown = contents.games[:max_games]
    return {
        "names": "".join(column_name(column, geometry) for column in range(geometry.columns)),
        "rows": geometry.rows,
        "start": [
            [column, row, player]
            for player, discs in enumerate(start.discs)
            for column, row in geometry.cells_of(discs)
        ],
        "agents": [contents.label[agent.id] for agent in contents.ranking],
        "games": [_game(game, place) for game in shown],
        "move_stats": [
            {w: [*map(_number, game.move_stats[w])] for w in _STATS if game.move_stats.get(w)}
            for game in shown[:max_timed]
        ],
        "judged": _judged(contents),
        "notes": list(_notes(contents.games, max_games, max_timed)),
    }


def _notes(games: Sequence[Game], max_games: int, max_timed: int) -> Iterator[str]:
    if len(games) > max_games:
        shown = f"The first {max_games:,} of {len(games):,} games are here"
        yield f"{shown}; the others count in all the figures above."
    if any(game.move_stats for game in games[max_timed:max_games]):
        yield f"Time and value of each move are shown for the first {max_timed:,} games."


def _game(game: Game, place: dict[int, int]) -> list[Any]:
    winner = -2 if not game.finished else -1 if game.winner is None else game.winner
    lost, both = game.forfeit, (place[game.first], place[game.second])
    more = [str(lost.kind), lost.seat, printable(without_folders(lost.reason))] if lost else []
    return [game.number + 1, *both, game.opening, game.moves, winner, *more]


def _judged(contents: ReportContext) -> dict[int, dict[str, Any]]:
    """Return the judgements of the judged games, by their numbers from 1.

    `course` has the exact score for the first player at the agents' first position and after each
    of their moves. By the number of a move that was not right, `best` holds the names of the right
    columns and `how` its judgement and mark.
    """
    found: dict[int, dict[str, Any]] = {}
    if (accuracy := contents.accuracy) is None:
        return found
    for game in accuracy.judged:
        course, best, how = [], {}, {}
        for place, (position, column, _) in enumerate(moves_of(game, contents.start)):
            move = JudgedMove(position, column, accuracy.known[position])
            seen = (move.after,) if place else (move.before, move.after)
            course += [score if move.player == 0 else -score for score in seen]
            if move.after != move.before:
                best[place] = "".join(column_name(c, contents.geometry) for c in move.best)
                how[place] = (move.judgement, move.mark)
        if course:
            found[game.number + 1] = {"course": course, "best": best, "how": how}
    return found


def _number(amount: object) -> float | None:
    """Return a number in three digits; None for one that JSON cannot hold."""
    is_finite = isinstance(amount, (int, float)) and math.isfinite(amount)
    return float(f"{amount:.3g}") if is_finite else None
