"""Positions with exact scores from games in which both sides know the scores and make errors.

The seed of the plan and its number determine a game. So workers play games in any order, each with
a separate solver, and the rows are returned in order.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from functools import lru_cache, partial
from typing import Any

from claimeven.compiled.splitmix64 import Stream, mixed_word
from claimeven.dataset.dataset import WORSE, DatasetPlan, Row
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.parallel.executors import local_workers
from claimeven.parallel.jobs import Calls, Executor, made
from claimeven.solver.scores import sample_column, softmax_chances
from claimeven.solver.solver import Answer, Solver, ask

#: Points of score that make a column less likely by a factor e in self-play.
TEMPERATURE = 2.0
#: Positions whose best moves are cached, since games repeat positions with few discs.
_CACHE_SIZE = 20_000

Scores = tuple[int | None, ...]
#: A random position: its number, the moves that lead to it, and itself.
Candidate = tuple[int, str, Position]


class _GameSolver:
    """A solver with a cache of best moves."""

    def __init__(self, make: Callable[[], Solver]) -> None:
        self.solver = make()
        self.scores = self.solver.scores
        self.best = lru_cache(_CACHE_SIZE)(self.solver.best)


class Games:
    """The rows of the games of a plan, played with `solver` or by the workers of an executor.

    Without an executor, each of several threads of the solver becomes a worker process, unless its
    book or guide is an object of the caller. `nodes` are the positions visited.
    """

    def __init__(self, plan: DatasetPlan, solver: Solver, executor: Executor | None = None) -> None:
        self._executor = executor or local_workers(solver.threads if solver.is_made_anywhere else 1)
        make = solver.maker() if self._executor else lambda: solver
        player = partial(made, partial(_GameSolver, make))
        self._calls = Calls(partial(_play, plan), player, "game")
        self.nodes = 0

    def rows(self, items: Iterable[Any]) -> Generator[list[Row], None, None]:
        """Yield the rows of games, given by their numbers, or of random candidates, in order."""
        with closing(self._calls.in_order(items, self._executor)) as found:
            for rows, nodes, _ in found:
                self.nodes += nodes
                yield rows


def _play(plan: DatasetPlan, player: _GameSolver, item: Any) -> Answer:
    return ask(lambda solver: _PLAYERS[plan.source](plan, player, item), player.solver)


def _random(plan: DatasetPlan, solver: _GameSolver, candidate: Candidate) -> list[Row]:
    return [Row(*candidate, solver.scores(candidate[2]))]


def _selfplay(plan: DatasetPlan, solver: _GameSolver, number: int) -> list[Row]:
    """Play random moves up to the lowest ply, then moves with errors, large errors less often."""
    draw = Stream(mixed_word(plan.seed) + mixed_word(number + (1 << 63)))
    position = Position(plan.geometry)
    played: list[int] = []
    rows = []
    while not position.is_over and position.ply <= plan.highest:
        if position.ply < plan.lowest:
            column = _any_of(position.legal_columns, draw)
        else:
            scores = solver.scores(position)
            rows.append(Row(number, format_moves(played, plan.geometry), position, scores))
            column = sample_column(softmax_chances(scores, TEMPERATURE), draw.share())
        played.append(column)
        position = position.play_unchecked(column)
    return rows


def _mixed(plan: DatasetPlan, solver: _GameSolver, number: int) -> list[Row]:
    """Play each move at random with the chance of the plan, else one of the best."""
    draw = Stream(mixed_word(plan.seed) + mixed_word(number + (1 << 63)))
    visited: list[tuple[list[int], Position, Scores | None]] = []

    def play_on(moves: list[int], position: Position, highest: int) -> tuple[list[int], Position]:
        """Continue a game to its end, or beyond a ply; add the positions of the plan."""
        moves = list(moves)
        while not position.is_over and position.ply <= highest:
            is_random = draw.share() < plan.random_moves
            scores = None
            if position.ply >= plan.lowest:
                scores = None if plan.one_per_game else _label(position, plan, solver)
                visited.append((list(moves), position, scores))
            if is_random:
                columns: Sequence[int] = position.legal_columns
            elif scores is None:  # the best columns take less time than all scores
                columns = sorted(solver.best(position).columns)
            else:
                best = max(score for score in scores if score is not None)
                columns = [column for column, score in enumerate(scores) if score == best]
            moves.append(_any_of(columns, draw))
            position = position.play_unchecked(moves[-1])
        return moves, position

    start: tuple[list[int], Position] = [], Position(plan.geometry)
    if plan.branch_ply is not None:
        start = play_on(*start, plan.branch_ply - 1)
    for _ in range(plan.playouts_per_game):
        play_on(*start, plan.highest)
    if plan.one_per_game and visited:
        visited = [visited[int(draw.share() * len(visited))]]
    return [
        Row(number, format_moves(moves, plan.geometry), at, scores or _label(at, plan, solver))
        for moves, at, scores in visited
    ]


def _label(position: Position, plan: DatasetPlan, solver: _GameSolver) -> Scores:
    """Return the scores of the columns of a position, as the plan needs them."""
    if not plan.optimal_only:
        return solver.scores(position)
    score, best = solver.best(position)
    return tuple(
        score if column in best else WORSE if column in position.legal_columns else None
        for column in range(plan.geometry.columns)
    )


def _any_of(columns: Sequence[int], draw: Stream) -> int:
    return columns[int(draw.share() * len(columns))]


_PLAYERS: dict[str, Callable[..., list[Row]]]
_PLAYERS = {"random": _random, "selfplay": _selfplay, "mixed": _mixed}
