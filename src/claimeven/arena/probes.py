"""Positions that provoke the usual mistakes of agents, and what an agent makes of them.

Every position comes with the moves that lead to it, so it can be asked about again by hand.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations

from claimeven.arena.games.game import Forfeit, Game
from claimeven.game.geometry import Geometry
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.montecarlo.playouts.textbook import blocking_columns, longest_run, winning_columns

#: Numbers of positions: with a win, a block, or both at hand (of each seat); random ones; and with
#: sets of open columns, on boards of many columns.
AT_HAND, RANDOM, MAX_SETS = 8, 100, 119
#: Positions for each cell that a search for a filled board visits, and how often it starts again.
_VISITS, _TRIES = 5, 30


@dataclass(frozen=True)
class Probe:
    """A position that is not over, the 0-based `columns` that lead to it, and why it is asked.

    `wins` and `blocks` are the columns in which the side to move, or the other side, wins now.
    """

    position: Position
    columns: tuple[int, ...]
    wins: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()

    @property
    def moves(self) -> str:
        """The move string that leads to the position."""
        return format_moves(self.columns, self.position.geometry)

    def has(self, seat: int, wins: int, blocks: int) -> bool:
        """Whether it is the turn of a seat, with these numbers of wins and blocks."""
        counts = self.position.turn, len(self.wins), len(self.blocks)
        return counts == (seat, wins, blocks)

    @property
    def only(self) -> int | None:
        """The only open column; None if there are more."""
        legal = self.position.legal_columns
        return legal[0] if len(legal) == 1 else None


@dataclass(frozen=True)
class ProbeAnswer:
    """The 0-based column or the fault of an agent; the question's number decides its chance."""

    probe: Probe
    number: int
    column: int | None = None
    seconds: float = 0.0
    fault: Forfeit | None = None


@dataclass(frozen=True)
class CheckedGame:
    """One of the games: its number from 0, the opponent's name, the seat of the agent checked."""

    number: int
    opponent: str
    seat: int
    game: Game

    @property
    def fault(self) -> Forfeit | None:
        """The fault that lost it; None if the agent played to the end."""
        forfeit = self.game.forfeit
        return forfeit if forfeit is not None and forfeit.seat == self.seat else None

    @property
    def result(self) -> str:
        """`won`, `drawn`, `lost` or `forfeited`."""
        if self.fault is not None or self.game.winner is None:
            return "drawn" if self.fault is None else "forfeited"
        return "won" if self.game.winner == self.seat else "lost"

    @property
    def seconds(self) -> tuple[tuple[float, str], ...]:
        """Time of each move of the agent, with the move string that led to its position."""
        game, found = self.game, list[tuple[float, str]]()
        for ply, seconds in enumerate(game.move_stats.get("seconds", ()), len(game.opening)):
            if seconds is not None and (game.root.ply + ply) % 2 == self.seat:
                found.append((seconds, game.all_moves[:ply]))
        return tuple(found)


@dataclass(frozen=True)
class Fault:
    """A fault, with the details of its first occurrence; `answers` and `games` count all.

    `kind` is a `FaultKind`, or "sides" (it plays for the other side), "leak", "prints" or "files",
    which lose no game. `position`, if there is one, had the agent to move, after `moves`.
    """

    kind: str
    reason: str
    advice: str
    traceback: str = ""
    position: Position | None = None
    moves: str = ""
    answers: int = 0
    games: tuple[CheckedGame, ...] = ()


@lru_cache(maxsize=16)
def probes(geometry: Geometry, seed: int) -> tuple[tuple[Probe, ...], tuple[Probe, ...]]:
    """Return the positions every agent is asked about, and many more for those that are quick.

    >>> first, more = probes(Geometry(), 0)
    >>> [probe.only for probe in first if probe.only is not None]
    [0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6]
    """
    rng = random.Random(seed)
    columns = range(geometry.columns)
    only = [_with_open(geometry, (column,), rng, left) for left in (None, 1) for column in columns]
    lines = list(random_probes(geometry, rng, 6 * RANDOM))
    cold = [probe for probe in lines[:RANDOM] if 2 <= probe.position.ply <= geometry.cells // 4]
    # Some come before the start of a game: agents may initialize their data there.
    first = [*cold[:6], Probe(Position(geometry), ()), *filter(None, only)]
    sets = [one for n in range(2, geometry.columns) for one in combinations(columns, n)]
    sets = rng.sample(sets, min(len(sets), MAX_SETS if geometry.fits_word else MAX_SETS // 6))
    some = [_with_open(geometry, opened, rng, None) for opened in sets]
    more = [*_at_hand(lines), *filter(None, some), *lines[:RANDOM]]
    second = [_probe(Position(geometry).play(column), (column,)) for column in columns]
    return tuple(first), (*rng.sample(more, len(more)), *second)


def _probe(position: Position, columns: tuple[int, ...]) -> Probe:
    return Probe(position, columns, winning_columns(position), blocking_columns(position))


def random_probes(geometry: Geometry, rng: random.Random, games: int) -> Iterator[Probe]:
    """Yield a position of each random game, of 2 discs and more if the board has room for them."""
    for _ in range(games):
        position, columns = Position(geometry), list[int]()
        plies = rng.randrange(geometry.cells)
        while position.ply < plies:
            column = rng.choice(position.legal_columns)
            after = position.play_unchecked(column)
            if after.is_over:
                break
            position = after
            columns.append(column)
        if position.ply > 1:
            yield _probe(position, tuple(columns))


def _at_hand(lines: list[Probe]) -> Iterator[Probe]:
    for seat in (0, 1):
        for wins, blocks in ((1, 0), (0, 1), (1, 1)):
            found = [probe for probe in lines if probe.has(seat, wins, blocks)]
            yield from [p for p in found if not wins or p.wins != p.blocks][:AT_HAND]


def _with_open(
    geometry: Geometry, opened: tuple[int, ...], rng: random.Random, left: int | None
) -> Probe | None:
    """Return a position with only these columns open, `left` cells free in each, or None."""
    start = Position(geometry)
    room = dict.fromkeys(range(geometry.columns), geometry.rows)
    for _ in range(_TRIES if geometry.fits_word else 12):
        for column in opened:
            free = rng.randint(1, geometry.rows) if left is None else left
            room[column] = geometry.rows - free
        columns = _filled(start, dict(room), rng)
        if columns is not None:
            return _probe(start if not columns else Position.from_moves(columns, geometry), columns)
    return None


def _filled(start: Position, room: dict[int, int], rng: random.Random) -> tuple[int, ...] | None:
    """Return moves without a win that put `room` discs into each column, or None."""
    visits = 0

    def follow(position: Position, columns: tuple[int, ...]) -> tuple[int, ...] | None:
        nonlocal visits
        visits += 1
        choices = [column for column, discs in room.items() if discs]
        if not choices or visits > _VISITS * start.geometry.cells:
            return None if choices else columns
        for column in sorted(rng.sample(choices, len(choices)), key=partial(longest_run, position)):
            after = position.play_unchecked(column)
            if after.winner is None:
                room[column] -= 1
                found = follow(after, (*columns, column))
                if found is not None:
                    return found
                room[column] += 1
        return None

    return follow(start, ())
