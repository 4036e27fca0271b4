"""Positions with exact scores from games in which both sides know the scores and make errors.

The seed of the plan and its number determine a game. So several threads play games in any order,
each with its own solver, and the results are returned in order.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import count
from typing import Any, TypeVar

from claimeven.compiled.splitmix64 import Stream, mixed_word
from claimeven.dataset.config import DatasetPlan
from claimeven.dataset.rows import WORSE, Row
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.parallel.calls import Calls
from claimeven.parallel.jobs import Executor
from claimeven.parallel.threads import get_item, run_with_threads
from claimeven.solver.queries import BestMoves
from claimeven.solver.scores import sample_column, softmax_chances
from claimeven.solver.solver import Solver
from claimeven.solver.workers import Answer, ask

#: Points of score that make a column less likely by a factor e in self-play.
TEMPERATURE = 2.0
#: Games that each thread may play in advance.
_AHEAD = 8
#: Positions whose best moves are cached, since games repeat positions with few discs.
_CACHE_SIZE = 20_000

_Result = TypeVar("_Result")
Scores = tuple[int | None, ...]
#: A random position: its number, the moves that lead to it, and itself.
Candidate = tuple[int, str, Position]


class _Stopped(Exception):
    """The game is no longer needed."""


class _GameSolver:
    """A solver that answers until it is `stopped`, with a cache of best moves."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.stopped = False
        self._cache: dict[Position, BestMoves] = {}

    def scores(self, position: Position) -> Scores:
        self._check()
        return self.solver.scores(position)

    def best(self, position: Position) -> BestMoves:
        self._check()
        known = self._cache.pop(position, None) or self.solver.best(position)
        self._cache[position] = known  # last in order; the first is dropped
        if len(self._cache) > _CACHE_SIZE:
            del self._cache[next(iter(self._cache))]
        return known

    def _check(self) -> None:
        if self.stopped:
            raise _Stopped


class Games:
    """The games of a plan, played by the number of threads of `solver`.

    If there are several, each thread has its own solver like `solver`, which is not used itself.
    """

    def __init__(self, plan: DatasetPlan, solver: Solver) -> None:
        solvers = [solver]
        if solver.threads > 1:
            solvers = [solver.maker()() for _ in range(solver.threads)]
        self._play = partial(_PLAYERS[plan.source], plan)
        self._players = [_GameSolver(each) for each in solvers]
        # A lock of Python could stay locked after Ctrl-C in the main thread; these queues cannot.
        self._numbers: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._played: queue.SimpleQueue[tuple[int, list[Row] | Exception]] = queue.SimpleQueue()

    @property
    def nodes(self) -> int:
        """Positions visited by all threads."""
        return sum(player.solver.statistics.nodes for player in self._players)

    def with_rows(
        self, first: int, use: Callable[[Iterator[list[Row]]], _Result], step: int = 1
    ) -> _Result:
        """Return use(rows), with the rows of the games from `first` on; then stop all games.

        With `step` these are the games of a part.
        """
        if len(self._players) == 1:
            return use(self._play(self._players[0], number) for number in count(first, step))
        return run_with_threads(
            lambda: use(self._rows(first, step)), self._work, len(self._players), self._stop
        )

    def _rows(self, first: int, step: int) -> Iterator[list[Row]]:
        """Yield the rows of the games of the threads in order; raise their errors."""
        requested, found = first, dict[int, list[Row] | Exception]()
        for number in count(first, step):
            while requested <= number + _AHEAD * len(self._players) * step:
                self._numbers.put(requested)
                requested += step
            while number not in found:
                found.update([get_item(self._played)])
            rows = found.pop(number)
            if isinstance(rows, Exception):
                raise rows
            yield rows

    def _work(self, thread: int) -> None:
        """Play the games that are asked for, until they are stopped."""
        player = self._players[thread]
        while (game := self._numbers.get()) is not None and not player.stopped:
            try:
                self._played.put((game, self._play(player, game)))
            except Exception as error:  # raised instead of the rows of this game
                self._played.put((game, error))

    def _stop(self) -> None:
        """Stop all games and searches, and the threads that wait for a game."""
        for player in self._players:
            player.stopped = True
            self._numbers.put(None)
            player.solver.stop()


class GamesElsewhere:
    """The rows of a plan from the workers of an executor, and the nodes of their solvers."""

    def __init__(self, plan: DatasetPlan, solver: Solver, executor: Executor) -> None:
        self._calls = Calls(partial(_play_there, plan), partial(_player, solver.maker()), "game")
        self._executor = executor
        self.nodes = 0

    def rows(self, items: Iterable[Any]) -> Generator[list[Row], None, None]:
        """Yield the rows of games, given by their numbers, or of random candidates, in order."""
        with closing(self._calls.in_order(items, self._executor)) as found:
            for rows, nodes, _ in found:
                self.nodes += nodes
                yield rows


@contextmanager
def _player(make: Callable[[], Solver]) -> Iterator[_GameSolver]:
    yield _GameSolver(make())


def _play_there(plan: DatasetPlan, player: _GameSolver, item: Any) -> Answer:
    return ask(lambda solver: _PLAYERS[plan.source](plan, player, item), player.solver)


def _random(plan: DatasetPlan, solver: _GameSolver, candidate: Candidate) -> list[Row]:
    """Return the row of a candidate."""
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
            else:  # the best columns take less time than all scores
                best = solver.best(position).columns if scores is None else best_columns(scores)
                columns = sorted(best)
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


def best_columns(scores: Scores) -> list[int]:
    """Return the columns that keep the best score.

    >>> best_columns((1, None, 3, 3))
    [2, 3]
    """
    best = max(score for score in scores if score is not None)
    return [column for column, score in enumerate(scores) if score == best]


def _any_of(columns: Sequence[int], draw: Stream) -> int:
    return columns[int(draw.share() * len(columns))]


_PLAYERS: dict[str, Callable[..., list[Row]]]
_PLAYERS = {"random": _random, "selfplay": _selfplay, "mixed": _mixed}
