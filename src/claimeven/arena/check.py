"""Whether an agent is fit for a tournament: loaded, tried in ten games, timed, weighed.

What an author runs before anything else. The agent plays in a process of its own, as it would in a
tournament if it comes from a file; a program or a server is asked as it is. It plays against
`random` and `greedy` from both seats: from the empty board, from positions in the midst of a game,
and from late ones where columns are full.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from claimeven.agents.contract import FaultKind, Limit
from claimeven.agents.files import file_of
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process.isolation import Isolation
from claimeven.agents.process.process import ProcessAgent
from claimeven.agents.registry import make_agent, make_agents
from claimeven.arena.advice import advice_on_fault, advice_on_loading
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.games.game import Forfeit, Game, play_game
from claimeven.arena.games.openings import Columns, random_openings
from claimeven.arena.games.schedule import Opening
from claimeven.game.arguments import whole_number
from claimeven.game.geometry import Geometry
from claimeven.game.notation import format_moves
from claimeven.game.position import Position

#: Opponents, and the part of the board that is filled when the agents begin; two games of each.
SITUATIONS = (
    ("random", 0.0),
    ("greedy", 0.0),
    ("random", 1 / 7),
    ("greedy", 1 / 7),
    ("random", 0.5),
)
#: What each opponent's spec is.
OPPONENTS = {"random": "random", "greedy": "greedy:win=yes,block=yes"}
#: Number of games.
GAMES = 2 * len(SITUATIONS)
#: Seconds an agent has for a move where nothing is said: less than in a match, so that one that
#: never answers is soon told.
PATIENCE = 10.0
#: Games in which it never answered, or could not begin, after which no more are played.
ENOUGH = 2

#: Numbers in a reason, and lists of them.
_NUMBERS = re.compile(r"(0x[0-9a-f]+|\d+)(, (0x[0-9a-f]+|\d+))*")


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
        if self.fault is not None:
            return "forfeited"
        if self.game.winner is None:
            return "drawn"
        return "won" if self.game.winner == self.seat else "lost"

    @property
    def seconds(self) -> tuple[tuple[float, int], ...]:
        """Time of each move of the agent, with the discs on the board before it."""
        begun = self.game.opening.position.ply
        turns = enumerate(self.game.seconds, start=begun)
        return tuple((seconds, ply) for ply, seconds in turns if ply % 2 == self.seat)


@dataclass(frozen=True)
class Fault:
    """A fault, as often as it happened: `games` are those it lost, `reason` that of the first."""

    kind: FaultKind
    reason: str
    games: tuple[CheckedGame, ...]

    @property
    def traceback(self) -> str:
        """The traceback of the first time, empty where there is none."""
        fault = self.games[0].fault
        return "" if fault is None else fault.traceback

    @property
    def position(self) -> Position:
        """The position of the first time, in which the agent was to move."""
        return self.games[0].game.final

    @property
    def advice(self) -> str:
        """What to do about it, in words."""
        return advice_on_fault(self.kind, self.reason, self.traceback)


@dataclass(frozen=True)
class CheckReport:
    """What was found out about an agent.

    `failure` says why it cannot be loaded, None if it can; then there are no games. `memory` is
    the most memory its process held, in MB, None where the system does not tell.
    """

    spec: str
    geometry: Geometry
    isolation: Isolation
    load_seconds: float
    failure: InvalidSpec | None = None
    games: tuple[CheckedGame, ...] = ()
    memory: float | None = None

    @property
    def advice(self) -> str:
        """What to do where it cannot be loaded, in words; empty if it can."""
        return "" if self.failure is None else advice_on_loading(str(self.failure))

    @property
    def is_fine(self) -> bool:
        """Whether it was loaded and nothing was found."""
        return self.failure is None and not self.faults

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """The faults in the order they came; reasons that differ in numbers alone are one."""
        found: dict[tuple[FaultKind, str], list[CheckedGame]] = {}
        for game in self.games:
            if game.fault is not None:
                alike = _NUMBERS.sub("0", game.fault.reason)
                found.setdefault((game.fault.kind, alike), []).append(game)
        return tuple(
            Fault(kind, games[0].fault.reason, tuple(games))
            for (kind, _), games in found.items()
            if games[0].fault is not None
        )

    @cached_property
    def median(self) -> float | None:
        """The median of the seconds of its moves; None if it made none."""
        seconds = [spent for game in self.games for spent, _ in game.seconds]
        return statistics.median(seconds) if seconds else None

    @cached_property
    def slowest(self) -> tuple[float, CheckedGame, str] | None:
        """Seconds of the slowest move, its game, the moves before it; None if it made none."""
        moves = [(spent, -game.number, ply) for game in self.games for spent, ply in game.seconds]
        if not moves:
            return None
        spent, number, ply = max(moves)
        game = next(game for game in self.games if game.number == -number)
        played = game.game.opening.columns + game.game.columns
        return spent, game, format_moves(played[:ply], self.geometry)

    def count(self, opponent: str, result: str) -> int:
        """Number of games against an opponent that ended so."""
        return sum((game.opponent, game.result) == (opponent, result) for game in self.games)

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data for JSON; games count from 1."""
        slowest = self.slowest
        return {
            "agent": self.spec,
            "ok": self.is_fine,
            "load_seconds": self.load_seconds,
            "failure": None if self.failure is None else str(self.failure),
            "traceback": None if self.failure is None else self.failure.traceback or None,
            "advice": self.advice or None,
            "games": [
                {
                    "game": game.number + 1,
                    "opponent": game.opponent,
                    "player": game.seat + 1,
                    "opening": game.game.opening.moves,
                    "moves": game.game.moves,
                    "result": game.result,
                }
                for game in self.games
            ],
            "faults": [
                {
                    "kind": str(fault.kind),
                    "reason": fault.reason,
                    "games": [game.number + 1 for game in fault.games],
                    "moves": fault.games[0].game.moves,
                    "traceback": fault.traceback or None,
                    "advice": fault.advice,
                }
                for fault in self.faults
            ],
            "seconds_median": self.median,
            "seconds_worst": None if slowest is None else slowest[0],
            "slowest_after": None if slowest is None else slowest[2],
            "memory_mb": self.memory,
            "memory_bound_mb": self.isolation.memory,
        }


def check_agent(
    spec: str,
    *,
    geometry: Geometry | None = None,
    limit: Limit | None = None,
    memory_mb: int | None = None,
    load_seconds: float | None = None,
    seed: int = 0,
    watch: Callable[[int], object] | None = None,
) -> CheckReport:
    """Load an agent and play `GAMES` games with it; return what was found.

    Under no `limit` in seconds it has `PATIENCE` seconds for a move; `memory_mb` and `load_seconds`
    are those of `Isolation`. `watch` is called with the
    number of games played. A file that holds no agent that can be loaded is a finding; raises
    `InvalidSpec` and `InvalidLimit` for a spec that names nothing, or a limit the agent cannot
    keep to.

    >>> check_agent("greedy").is_fine
    True
    """
    geometry, limit = geometry or Geometry(), limit or Limit()
    if whole_number(seed, "seed", InvalidMatch) < 0:
        raise InvalidMatch(f"a seed is 0 or more, not {seed}")
    isolation = Isolation(everyone=True, memory_mb=memory_mb, load_seconds=load_seconds)
    begin = time.perf_counter()
    try:
        agent = make_agent(spec, geometry, limit, isolation)
    except InvalidSpec as error:
        if not isinstance(spec, str) or file_of(spec) is None:
            raise
        return CheckReport(spec, geometry, isolation, time.perf_counter() - begin, error)
    load_seconds = time.perf_counter() - begin
    if not agent.timed:
        raise InvalidSpec(f"{spec} sits at this terminal: there is nothing to check")
    if isinstance(agent, ProcessAgent):
        agent.patience = PATIENCE if agent.patience is None else agent.patience
    opponents = dict(zip(OPPONENTS, make_agents(list(OPPONENTS.values()), geometry), strict=True))
    games: list[CheckedGame] = []
    memory: float | None = None
    with ExitStack() as stack:
        stack.enter_context(closing(agent))
        for number in range(GAMES):
            name, filled = SITUATIONS[number // 2]
            opening = _opening(geometry, filled, seed + number // 2)
            seat = (opening.position.ply + number) % 2  # it makes the first move of even games
            seats = [agent, opponents[name]] if seat == 0 else [opponents[name], agent]
            generators = [np.random.default_rng([seed, number, seat]) for seat in (0, 1)]
            game = play_game(seats, opening, limit, generators, keep_decisions=True)
            games.append(CheckedGame(number, name, seat, game))
            held = agent.most_memory() if isinstance(agent, ProcessAgent) else None
            memory = held if memory is None else max(memory, held or 0.0)
            if watch is not None:
                watch(number + 1)
            if _is_hopeless(games):
                break
    return CheckReport(spec, geometry, isolation, load_seconds, None, tuple(games), memory)


def _opening(geometry: Geometry, filled: float, seed: int) -> Opening:
    """Return a random opening that fills a part of the board; a shorter one if there is none."""
    plies = round(filled * geometry.columns * geometry.rows)
    while plies > 0:
        try:
            found: tuple[Columns, ...] = random_openings(1, plies, seed, Position(geometry))
        except InvalidMatch:
            plies //= 2
        else:
            return Opening(Position(geometry), found[0])
    return Opening(Position(geometry))


def _is_hopeless(games: list[CheckedGame]) -> bool:
    """Whether the agent has not answered so often that it is not worth the wait any more."""
    faults = [game.fault for game in games]
    silent = sum(fault is not None and fault.kind is FaultKind.STALL for fault in faults)
    return silent >= ENOUGH
