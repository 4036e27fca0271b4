"""Positions of games played by sides that know the exact scores and err, with those scores.

A game is determined by the seed of the plan and its number, so several threads play games in any
order, each with its own solver; they are handed out in order.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import TypeVar

from claimeven.compiled.splitmix64 import Stream, mixed_word
from claimeven.dataset.config import DatasetPlan
from claimeven.dataset.rows import WORSE, Row
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.parallel.threads import get_item, run_with_threads
from claimeven.solver.queries import BestMoves
from claimeven.solver.scores import sample_column, softmax_chances
from claimeven.solver.solver import Solver

#: Points of score that make a column less likely by a factor e in self-play.
TEMPERATURE = 2.0
#: Games that are played ahead of the one that is handed out, for each thread.
_AHEAD = 8
#: Positions whose best moves are remembered: games repeat those of few discs.
_REMEMBERED = 20_000

_Result = TypeVar("_Result")
Scores = tuple[int | None, ...]


class _GivenUp(Exception):
    """The game is not needed any more."""


class _Player:
    """A solver that answers until it is `given_up`, and remembers its last best moves."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.given_up = False
        self._known: dict[Position, BestMoves] = {}

    def scores(self, position: Position) -> Scores:
        self._check()
        return self.solver.scores(position)

    def best(self, position: Position) -> BestMoves:
        self._check()
        known = self._known.pop(position, None) or self.solver.best(position)
        self._known[position] = known  # as the last one: the first ones are forgotten
        if len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]
        return known

    def _check(self) -> None:
        if self.given_up:
            raise _GivenUp


class Games:
    """The games of a plan, played by as many threads as `solver` has.

    Each of several threads has its own solver like `solver`, which itself does nothing.
    """

    def __init__(self, plan: DatasetPlan, solver: Solver) -> None:
        solvers = [solver]
        if solver.threads > 1:
            one = (solver.geometry, solver.table_mb, 1, solver.book)
            solvers = [Solver(*one) for _ in range(solver.threads)]
        self._play = partial(_PLAYERS[plan.source], plan)
        self._players = [_Player(each) for each in solvers]
        # The main thread uses no lock of Python's own here: Ctrl-C might leave one held.
        self._numbers: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._played: queue.SimpleQueue[tuple[int, list[Row] | Exception]] = queue.SimpleQueue()

    @property
    def nodes(self) -> int:
        """Positions visited by all threads."""
        return sum(player.solver.statistics.nodes for player in self._players)

    def hand_out(self, first: int, use: Callable[[Iterator[list[Row]]], _Result]) -> _Result:
        """Return use(rows), where rows are those of games `first`, first + 1, ... without end.

        At the end, by Ctrl-C too, unfinished games are given up immediately.
        """
        if len(self._players) == 1:
            return use(self._play(self._players[0], number) for number in count(first))
        return run_with_threads(
            lambda: use(self._rows(first)), self._work, len(self._players), self._give_up
        )

    def _rows(self, first: int) -> Iterator[list[Row]]:
        """Yield the rows of the games that the threads play, in order; raise their errors."""
        asked, found = first, dict[int, list[Row] | Exception]()
        for number in count(first):
            while asked <= number + _AHEAD * len(self._players):
                self._numbers.put(asked)
                asked += 1
            while number not in found:
                found.update([get_item(self._played)])
            rows = found.pop(number)
            if isinstance(rows, Exception):
                raise rows
            yield rows

    def _work(self, thread: int) -> None:
        """Play the games that are asked for, until they are given up."""
        player = self._players[thread]
        while (game := self._numbers.get()) is not None and not player.given_up:
            try:
                self._played.put((game, self._play(player, game)))
            except Exception as error:  # raised in place of that game
                self._played.put((game, error))

    def _give_up(self) -> None:
        """Stop all games and searches, and all waits for a game to play."""
        for player in self._players:
            player.given_up = True
            self._numbers.put(None)
            player.solver.stop()


def _selfplay(plan: DatasetPlan, solver: _Player, number: int) -> list[Row]:
    """Play random moves up to the lowest ply, then moves that err by what they cost."""
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


def _mixed(plan: DatasetPlan, solver: _Player, number: int) -> list[Row]:
    """Play each move at random by the chance of the plan, else one of the best."""
    draw = Stream(mixed_word(plan.seed) + mixed_word(number + (1 << 63)))
    met: list[tuple[list[int], Position, Scores | None]] = []

    def play_on(moves: list[int], position: Position, highest: int) -> tuple[list[int], Position]:
        """Play a game on until it is over, or beyond a ply; add the positions asked for."""
        moves = list(moves)
        while not position.is_over and position.ply <= highest:
            is_random = draw.share() < plan.random_moves
            scores = None
            if position.ply >= plan.lowest:
                scores = None if plan.one_per_game else _label(position, plan, solver)
                met.append((list(moves), position, scores))
            if is_random:
                columns: Sequence[int] = position.legal_columns
            else:  # the best columns are found sooner than the scores of all
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
    if plan.one_per_game and met:
        met = [met[int(draw.share() * len(met))]]
    return [
        Row(number, format_moves(moves, plan.geometry), at, scores or _label(at, plan, solver))
        for moves, at, scores in met
    ]


def _label(position: Position, plan: DatasetPlan, solver: _Player) -> Scores:
    """Return the scores of the columns of a position that a plan asks for."""
    if not plan.optimal_only:
        return solver.scores(position)
    score, right = solver.best(position)
    return tuple(
        score if column in right else WORSE if column in position.legal_columns else None
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


_PLAYERS = {"selfplay": _selfplay, "mixed": _mixed}
