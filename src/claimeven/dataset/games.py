"""Positions of games played by sides that know the exact scores and err, with those scores.

A game is determined by the seed of the plan and its own number, so games may be played in any
order, several at once, each thread with a solver of its own; they are handed out in order.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Protocol, TypeVar

from claimeven.compiled.splitmix64 import Stream, mixed_word
from claimeven.dataset.config import DatasetPlan
from claimeven.dataset.rows import WORSE, Row
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.parallel.threads import next_of, served
from claimeven.solver.queries import Best
from claimeven.solver.softmax_play import column_at, error_chances
from claimeven.solver.solver import Solver

#: Points of score that make a column less likely by a factor e in self-play.
TEMPERATURE = 2.0
#: Games that are played ahead of the one that is handed out, for each thread.
_AHEAD = 8
#: Positions whose best moves are remembered: games meet those of few discs again and again.
_REMEMBERED = 20_000

_Result = TypeVar("_Result")
Scores = tuple[int | None, ...]
#: What plays a game of a plan, given by its number.
_Play = Callable[[DatasetPlan, "_Knows", int], list[Row]]
#: The number of a game and its rows, or what it failed by.
_Played = tuple[int, list[Row] | Exception]


class _Knows(Protocol):
    """What games are played by: a solver, or one that can be told that its games are given up."""

    def scores(self, position: Position, /) -> Scores: ...
    def best(self, position: Position, /) -> Best: ...


class _GivenUp(Exception):
    """Nobody waits for the game any more."""


class _Player:
    """A solver that answers until it is `given_up`, and remembers the best moves it told last."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.given_up = False
        self._known: dict[Position, Best] = {}

    def scores(self, position: Position) -> Scores:
        self._look()
        return self.solver.scores(position)

    def best(self, position: Position) -> Best:
        self._look()
        known = self._known.pop(position, None) or self.solver.best(position)
        self._known[position] = known  # the last of them: those met long ago are forgotten
        if len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]
        return known

    def _look(self) -> None:
        if self.given_up:
            raise _GivenUp


class Games:
    """The games of a plan, played by as many threads as `solver` has.

    With several threads each has a solver of its own like `solver`, which itself does nothing.
    """

    def __init__(self, plan: DatasetPlan, solver: Solver) -> None:
        self.plan = plan
        self._solvers = [solver]
        if solver.threads > 1:
            self._solvers = [
                Solver(solver.geometry, solver.table_mb, 1, solver.book)
                for _ in range(solver.threads)
            ]

    @property
    def nodes(self) -> int:
        """Positions visited by all threads."""
        return sum(solver.statistics.nodes for solver in self._solvers)

    def hand_out(self, first: int, use: Callable[[Iterator[list[Row]]], _Result]) -> _Result:
        """Return use(rows), where rows are those of games `first`, first + 1, ... without end.

        When it is over, by Ctrl-C too, games in work are given up at once.
        """
        play = _PLAYERS[self.plan.source]
        if len(self._solvers) == 1:
            player = _Player(self._solvers[0])
            return use(play(self.plan, player, number) for number in count(first))
        ahead = _Ahead(self.plan, play, [_Player(solver) for solver in self._solvers])
        return served(lambda: use(ahead.rows(first)), ahead.work, len(ahead.players), ahead.give_up)


class _Ahead:
    """Games played by several threads, a few ahead of the one that is handed out."""

    def __init__(self, plan: DatasetPlan, play: _Play, players: Sequence[_Player]) -> None:
        self.players = players
        self._plan = plan
        self._play = play
        # The main thread meets no lock of Python's own here: Ctrl-C might leave one held.
        self._numbers: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._played: queue.SimpleQueue[_Played] = queue.SimpleQueue()

    def rows(self, first: int) -> Iterator[list[Row]]:
        """Yield the rows of one game after the other; raise what one failed by in its place."""
        asked, found = first, dict[int, list[Row] | Exception]()
        for number in count(first):
            while asked <= number + _AHEAD * len(self.players):
                self._numbers.put(asked)
                asked += 1
            while number not in found:
                done, its_rows = next_of(self._played)
                found[done] = its_rows
            rows = found.pop(number)
            if isinstance(rows, Exception):
                raise rows
            yield rows

    def work(self, number: int) -> None:
        """Let a player play the games that are asked for, until it is given up."""
        player = self.players[number]
        while (game := self._numbers.get()) is not None and not player.given_up:
            try:
                self._played.put((game, self._play(self._plan, player, game)))
            except Exception as error:  # told to whoever waits for that game
                self._played.put((game, error))

    def give_up(self) -> None:
        """End whatever is played and searched, and whoever waits for a game to play."""
        for player in self.players:
            player.given_up = True
            self._numbers.put(None)
            player.solver.stop()


def _selfplay(plan: DatasetPlan, solver: _Knows, number: int) -> list[Row]:
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
            column = column_at(error_chances(scores, TEMPERATURE), draw.share())
        played.append(column)
        position = position.play_unchecked(column)
    return rows


def _mixed(plan: DatasetPlan, solver: _Knows, number: int) -> list[Row]:
    """Play each move at random by the chance of the plan, else one of the best."""
    draw = Stream(mixed_word(plan.seed) + mixed_word(number + (1 << 63)))
    shared = _Line([], Position(plan.geometry), [])
    if plan.endings_from is not None:
        shared = _played_on(shared, plan.endings_from - 1, plan, solver, draw)
    met = list(shared.met)
    for _ in range(plan.endings):
        met += _played_on(replace(shared, met=[]), plan.highest, plan, solver, draw).met
    if plan.one_a_game and met:
        met = [met[int(draw.share() * len(met))]]
    return [
        Row(number, format_moves(played, plan.geometry), at, scores or _label(at, plan, solver))
        for played, at, scores in met
    ]


def _label(position: Position, plan: DatasetPlan, solver: _Knows) -> Scores:
    """Return what a plan asks of the columns of a position."""
    if not plan.right_only:
        return solver.scores(position)
    score, right = solver.best(position)
    return tuple(
        score if column in right else WORSE if column in position.legal_columns else None
        for column in range(plan.geometry.columns)
    )


@dataclass(frozen=True)
class _Line:
    """A game as far as it is played, with the positions asked for: moves, position, scores."""

    played: list[int]
    position: Position
    met: list[tuple[list[int], Position, Scores | None]]


def _played_on(line: _Line, highest: int, plan: DatasetPlan, solver: _Knows, draw: Stream) -> _Line:
    """Play a game on until it is over, or beyond a ply."""
    played, position, met = list(line.played), line.position, list(line.met)
    while not position.is_over and position.ply <= highest:
        is_random = draw.share() < plan.random_moves
        is_asked = position.ply >= plan.lowest
        scores = _label(position, plan, solver) if is_asked and not plan.one_a_game else None
        if is_asked:
            met.append((list(played), position, scores))
        if is_random:
            columns: Sequence[int] = position.legal_columns
        else:  # which are best is found sooner than what all are worth
            best = solver.best(position).columns if scores is None else best_columns(scores)
            columns = sorted(best)
        played.append(_any_of(columns, draw))
        position = position.play_unchecked(played[-1])
    return _Line(played, position, met)


def best_columns(scores: Scores) -> list[int]:
    """Return the columns that keep the best score.

    >>> best_columns((1, None, 3, 3))
    [2, 3]
    """
    best = max(score for score in scores if score is not None)
    return [column for column, score in enumerate(scores) if score == best]


def _any_of(columns: Sequence[int], draw: Stream) -> int:
    return columns[int(draw.share() * len(columns))]


_PLAYERS: dict[str, _Play] = {"selfplay": _selfplay, "mixed": _mixed}
