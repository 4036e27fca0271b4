"""Games played in this process: a game of two agents, and the games of a plan by number."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Decision, Limit
from claimeven.agents.function_agent import as_agent
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process.agent import MAX_PROCESSES, ProcessAgent
from claimeven.agents.registry import make_agents
from claimeven.arena.games.game import Game, figures_of
from claimeven.arena.games.openings import Opening, Pairing
from claimeven.arena.games.plan import Plan
from claimeven.arena.games.safe_call import begin_game, timed_decision
from claimeven.atomic_io import CannotWrite, write_text
from claimeven.game.notation import format_moves
from claimeven.game.outcome import winner_by_score
from claimeven.game.position import Position
from claimeven.solver.solver import Solver

#: Games per agent that the referee looks ahead, to see when agents are needed.
_LOOK_AHEAD = 4
#: The size of the solver's table: the positions that it gets have few empty cells.
_TABLE_MB = 8
#: Seconds until a running game is written, and again; until another game may replace it.
_WRITE_SECONDS, _ABANDONED_SECONDS = 1.0, 30.0


@dataclass
class RunningGameFile:
    """A file with one long game of a run while it is played, for a live view; never needed."""

    path: Path
    labels: Mapping[int, str]
    _due: float = 0.0
    is_own: bool = False

    def note(
        self, game: Pairing, position: Position, decisions: list[Decision], clock: list[float]
    ) -> None:
        """Write a game of this process, unless the file has one of another process."""
        if (now := time.monotonic()) < self._due:
            return
        self._due = now + _WRITE_SECONDS
        if (seconds := sum(clock)) < _WRITE_SECONDS:
            return
        first, second = players = self.labels[game.first], self.labels[game.second]
        moves = format_moves([each.column for each in decisions], position.geometry)
        found = {"game": game.number + 1, "first": first, "second": second, "seconds": seconds}
        found |= {"opening": game.opening.moves, "moves": game.opening.moves + moves}
        found["to_move"] = players[position.turn]
        with suppress(CannotWrite, OSError):
            age = time.time() - self.path.stat().st_mtime if self.path.exists() else None
            if self.is_own or age is None or age > _ABANDONED_SECONDS:
                write_text(self.path, json.dumps(found))
                self.is_own = True

    def close(self) -> None:
        self.is_own = False
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def play_game(
    seats: Sequence[Agent],
    start: Position | Opening | Pairing,
    limit: Limit | Sequence[Limit],
    generators: Sequence[np.random.Generator],
    keep_decisions: bool = False,
    job: str = "",
    adjudicate: tuple[Solver, int] | None = None,
    running: RunningGameFile | None = None,
) -> Game:
    """Play a game of two agents from a position; seat 0 is the first player.

    An agent forfeits if it raises, answers without a playable column, or exceeds its time.
    `generators` are the random generators of the two seats. `limit` holds for each move, or one for
    each seat, and an agent's own limit overrides it; each seat has its own time bank. `adjudicate`
    has a solver, and the number of empty cells at which the game ends with its exact result.
    `running` notes each move, and is closed at the end.
    """
    if not isinstance(start, Pairing):
        start = Pairing(0, 0, 1, Opening.of(start))
    opening = start.opening
    position = opening.position
    decisions: list[Decision] = []
    clock: list[float] = []
    fault: AgentFault | None = None
    loser: int | None = None
    score: int | None = None
    both = (limit, limit) if isinstance(limit, Limit) else limit
    limits = [each.override(agent.own_limit) for each, agent in zip(both, seats, strict=True)]
    for seat, agent in enumerate(seats):
        try:
            if fault is None and (seat == 0 or agent is not seats[0]):
                begin_game(agent, generators[seat])
        except AgentFault as error:
            fault, loser = error, seat
    while fault is None and score is None and not position.is_over:
        seat = position.turn
        bound = limits[seat]
        try:
            decision, seconds = timed_decision(seats[seat], position, bound, generators[seat])
        except AgentFault as error:
            fault, loser = error, seat
            break
        if bound.time_bank:
            limits[seat] = bound.after_move(seconds)
        decisions.append(decision)
        clock.append(seconds)
        position = position.play_unchecked(decision.column)
        if running is not None:
            running.note(start, position, decisions, clock)
        if adjudicate is not None and not position.is_over:
            solver, cells = adjudicate
            if position.geometry.cells - position.ply <= cells:
                score = solver.score(position)
    if running is not None and running.is_own:
        running.close()
    winner = position.winner if score is None else winner_by_score(score, position.turn)
    return Game(
        job=job,
        number=start.number,
        pair=start.pair,
        first=start.first,
        second=start.second,
        opening=opening.moves,
        moves=format_moves([decision.column for decision in decisions], opening.root.geometry),
        winner=winner if loser is None else 1 - loser,
        fault=None if fault is None else str(fault.kind),
        fault_seat=loser,
        reason=None if fault is None else str(fault),
        seconds=round(sum(clock), 6),
        move_stats=figures_of(decisions, clock),
        adjudicated=score,
        root=opening.root,
        traceback="" if fault is None else fault.traceback,
        decisions=tuple(decisions) if keep_decisions else (),
    )


def _absent(name: str, error: InvalidSpec) -> Agent:
    """Return an agent that forfeits, for an agent that could be made once and not again."""

    def forfeit(position: Position) -> int:
        raise AgentFault(str(error), error.traceback)

    return as_agent(forfeit, name)


class Referee:
    """Plays the games of a plan in this process, with agents made for it.

    The agents are made and loaded immediately, before any clock runs. With `lazy_start` (in a
    worker of a process that has loaded them all) separate processes start when they first play.
    Raises `InvalidSpec` and `InvalidLimit` for agents that cannot be made for this board and limit.
    With `forfeit_unloadable` an agent that cannot be loaded forfeits its games instead.
    """

    def __init__(
        self,
        plan: Plan,
        keep_decisions: bool = False,
        lazy_start: bool = False,
        forfeit_unloadable: bool = False,
    ) -> None:
        self.plan = plan
        self.keep_decisions = keep_decisions
        self.agents: list[Agent] = self._made(lazy_start, forfeit_unloadable)
        self._adjudicate: tuple[Solver, int] | None = None
        if plan.adjudicate is not None:
            self._adjudicate = (Solver(plan.geometry, _TABLE_MB), plan.adjudicate)
            self._adjudicate[0].load()
        self._rest_others(0)

    def _made(self, lazy_start: bool, forfeit_unloadable: bool) -> list[Agent]:
        limits = [self.plan.limit_of(place) for place in range(len(self.plan.agents))]
        geometry, sandbox = self.plan.geometry, self.plan.sandbox
        try:
            return make_agents(self.plan.agents, geometry, limits, sandbox, lazy_start)
        except InvalidSpec:
            if not forfeit_unloadable:
                raise
        found: list[Agent] = []
        for agent, limit in zip(self.plan.agents, limits, strict=True):
            try:
                found += make_agents([agent], geometry, limit, sandbox, lazy_start)
            except InvalidSpec as error:
                found.append(_absent(str(agent), error))
        return found

    @property
    def single_process_reason(self) -> str | None:
        """The reason why one process must play all games in order, or None."""
        for agent in self.agents:
            if agent.stateful:
                return f"{agent.name} remembers earlier games: one process plays them, in order"
            if not agent.timed:
                return f"{agent.name} plays at this terminal: one process plays all games"
        return None

    @property
    def texts(self) -> dict[str, bytes]:
        """The text of the agents' files when they were made: see `agents.source_snapshot`."""
        processes = [agent for agent in self.agents if isinstance(agent, ProcessAgent)]
        return {place: text for agent in processes for place, text in agent.texts.items()}

    def play(self, number: int, running: RunningGameFile | None = None) -> Game:
        """Play the game of that number of the plan."""
        pairing = self.plan.pairing(number)
        places = (pairing.first, pairing.second)
        self._rest_others(number)
        generators = self.plan.generators(number)
        return play_game(
            [self.agents[place] for place in places],
            pairing,
            [self.plan.limit_of(place) for place in places],
            generators[::-1] if pairing.first > pairing.second else generators,
            self.keep_decisions,
            self.plan.job_of(pairing),
            self._adjudicate,
            running,
        )

    def _rest_others(self, number: int) -> None:
        """Stop the processes that played last: in a round robin they are needed last."""
        if len(self.agents) <= MAX_PROCESSES:
            return
        processes = [
            place
            for place, agent in enumerate(self.agents)
            if isinstance(agent, ProcessAgent) and agent.process is not None and not agent.stateful
        ]
        too_many = len(processes) - MAX_PROCESSES
        if too_many <= 0:
            return
        needed: list[int] = []
        last = min(number + _LOOK_AHEAD * len(self.agents), self.plan.games)
        for pairing in map(self.plan.pairing, range(number, last)):
            needed += [each for each in (pairing.first, pairing.second) if each not in needed]
        processes.sort(key=lambda place: needed.index(place) if place in needed else len(needed))
        for place in processes[-too_many:]:
            if place not in needed[:2]:
                self.agents[place].close()

    def close(self) -> None:
        """Close the agents that were made here from specs."""
        for agent, contestant in zip(self.agents, self.plan.agents, strict=True):
            if isinstance(contestant, str):
                agent.close()
