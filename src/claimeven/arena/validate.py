"""Check whether an agent is fit for a tournament: load it, ask it in many positions, play games.

The agent plays in a separate process, as an agent from a file does in a tournament; a program or a
server runs as it is. First it is asked about positions that provoke the usual mistakes (see
`probes`), each as a separate game. Then it plays `random` and `greedy`, on the clock of a match.
"""

from __future__ import annotations

import math
import re
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

import numpy as np

from claimeven.agents.base import Agent, AgentFault, FaultKind, Limit
from claimeven.agents.external.kaggle import BANK_SECONDS, MOVE_SECONDS, NONE_NOTE
from claimeven.agents.files import file_of
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process.agent import ProcessAgent
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.registry import make_agent, make_agents
from claimeven.agents.sanitize import own_lines
from claimeven.arena import findings
from claimeven.arena.games.game import Forfeit
from claimeven.arena.games.openings import Opening, random_openings
from claimeven.arena.games.referee import play_game
from claimeven.arena.games.safe_call import begin_game, timed_decision
from claimeven.arena.options import InvalidMatch
from claimeven.arena.probes import CheckedGame, Fault, Probe, ProbeAnswer, probes
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.game.validation import seed_number

#: Numbers in a reason, and lists of them.
_NUMBERS = re.compile(r"(0x[0-9a-f]+|\d+)(, (0x[0-9a-f]+|\d+))*")


@dataclass(frozen=True)
class CheckReport:
    """The result of checking an agent.

    `failure` is the reason why it cannot be loaded, or None; without loading there are no answers
    and games. `plays` says which callable plays and how it is called. `memory` is the maximum
    memory of its process in MB, None if unknown. `others` are faults that lose no game, `notes`
    sentences about other observations. `positions` is the number of planned positions.
    """

    spec: str
    geometry: Geometry
    sandbox: Sandbox
    load_seconds: float
    failure: InvalidSpec | None = None
    plays: str = ""
    answers: tuple[ProbeAnswer, ...] = ()
    games: tuple[CheckedGame, ...] = ()
    memory: float | None = None
    others: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
    positions: int = 0

    @property
    def advice(self) -> str:
        """Advice if it cannot be loaded; else empty."""
        return "" if self.failure is None else findings.advice_on_loading(str(self.failure))

    @property
    def is_fine(self) -> bool:
        """Whether it was loaded and has no fault."""
        return self.failure is None and not self.faults

    @cached_property
    def is_stateful(self) -> bool:
        """Whether it plays whole games, and crashes before it has seen the start of one."""
        lost = [bool(game.fault) for game in self.games if not game.game.start.ply]
        has_whole = bool(lost) and not any(lost)
        return has_whole and _mostly_crashes([*takewhile(_is_cold, self.answers)])

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """The faults in their order; equal reasons, and errors of one line, are joined."""
        found: dict[tuple[FaultKind, str], list[ProbeAnswer | CheckedGame]] = {}
        tried: tuple[ProbeAnswer | CheckedGame, ...] = (*self.answers, *self.games)
        for each in tried:
            if each.fault is not None:
                found.setdefault((each.fault.kind, _mistake(each.fault)), []).append(each)
        if self.is_stateful and self.spec.startswith("kaggle:"):
            early = [*takewhile(_is_cold, self.answers)]
            is_all = _mostly_crashes([*filter(_is_cold, self.answers)])
            found = {by: a for by, a in found.items() if not is_all and a[0] not in early}
        hint = _hint(self)
        return (*(_fault(each, hint) for each in found.values()), *self.others)

    @cached_property
    def seconds(self) -> tuple[tuple[float, str], ...]:
        """Seconds of every move of the agent, with the move string that led to its position."""
        asked = [(a.seconds, a.probe.moves) for a in self.answers if a.fault is None]
        return (*asked, *(move for game in self.games for move in game.seconds))

    @property
    def median(self) -> float | None:
        """The median time of its moves in seconds; None without a move."""
        return statistics.median(spent for spent, _ in self.seconds) if self.seconds else None

    @property
    def slowest(self) -> tuple[float, str] | None:
        """Seconds of the slowest move, and the moves before it; None without a move."""
        return max(self.seconds, default=None)

    def count(self, opponent: str, result: str) -> int:
        """Number of games against an opponent with this result."""
        return sum((game.opponent, game.result) == (opponent, result) for game in self.games)

    def taken(self, of: str) -> tuple[int, int]:
        """Number of `wins`, or of `blocks` without a win, that it played, and of all."""
        found = [a for a in self.answers if of == "wins" or not a.probe.wins]
        taken = [a.column in good for a in found if (good := getattr(a.probe, of))]
        return sum(taken), len(taken)

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data for JSON; games count from 1."""
        slowest, failure = self.slowest or (None, None), self.failure
        return {
            "agent": self.spec,
            "ok": self.is_fine,
            "plays": self.plays or None,
            "load_seconds": self.load_seconds,
            "failure": None if failure is None else str(failure),
            "traceback": None if failure is None else failure.traceback or None,
            "advice": self.advice or None,
            "positions": len(self.answers),
            "wins_taken": self.taken("wins"),
            "blocks_taken": self.taken("blocks"),
            "games": [
                {
                    "game": game.number + 1,
                    "opponent": game.opponent,
                    "player": game.seat + 1,
                    "opening": game.game.opening,
                    "moves": game.game.all_moves,
                    "result": game.result,
                }
                for game in self.games
            ],
            "faults": [
                {
                    "kind": str(fault.kind),
                    "reason": fault.reason,
                    "positions": fault.answers,
                    "games": [game.number + 1 for game in fault.games],
                    "moves": None if fault.position is None else fault.moves,
                    "traceback": fault.traceback or None,
                    "advice": fault.advice,
                }
                for fault in self.faults
            ],
            "notes": list(self.notes),
            "seconds_median": self.median,
            "seconds_max": slowest[0],
            "slowest_move_after": slowest[1],
            "memory_mb": self.memory,
            "memory_limit_mb": self.sandbox.memory_bound_mb,
        }


def _mistake(fault: Forfeit) -> str:
    """Return a key that faults from one mistake have in common."""
    lines = fault.traceback.splitlines()
    own = "".join(lines[number] for number in own_lines(lines))
    return fault.reason.partition(":")[0] + own if own else _NUMBERS.sub("0", fault.reason)


def _is_cold(answer: ProbeAnswer) -> bool:
    return answer.probe.position.ply > 1


def _mostly_crashes(answers: Sequence[ProbeAnswer]) -> bool:
    crashes = [a for a in answers if a.fault and a.fault.kind is FaultKind.CRASH]
    return len(crashes) > 0.8 * len(answers)


def _fault(found: Sequence[ProbeAnswer | CheckedGame], hint: str) -> Fault:
    first = next((a for a in found if isinstance(a, ProbeAnswer) and not a.probe.columns), found[0])
    assert first.fault is not None
    kind, reason, traceback = first.fault.kind, first.fault.reason, first.fault.traceback
    games = tuple(each for each in found if isinstance(each, CheckedGame))
    if isinstance(first, ProbeAnswer):
        position, moves = first.probe.position, first.probe.moves
    else:
        position, moves = first.game.final, first.game.all_moves
    advice = "; ".join(filter(None, (hint, findings.advice_on_fault(kind, reason, traceback))))
    return Fault(kind, reason, advice, traceback, position, moves, len(found) - len(games), games)


def _hint(report: CheckReport) -> str:
    """Return a hint on the common cause of several faults, or an empty text."""
    if report.is_stateful:
        return findings.STATEFUL_ADVICE
    illegal = [a for a in report.answers if a.fault and a.fault.kind is FaultKind.ILLEGAL]
    failed = {a.probe.only for a in illegal} - {a.column for a in report.answers}
    missed = sorted(column for column in failed if column is not None)
    end = f"returned column {report.geometry.columns} "
    if missed == [0] or (0 in missed and any(end in a.fault.reason for a in illegal if a.fault)):
        return "it never plays column 0: does it count from 1?"
    if 0 < len(missed) <= report.geometry.columns // 2:
        return f"it never plays column {', '.join(map(str, missed))} (counted from 0)"
    return ""


#: Opponents, and the share of the board that is filled at the start; two games of each.
SITUATIONS = (
    ("random", 0.0), ("greedy", 0.0), ("random", 1 / 7), ("greedy", 1 / 7), ("random", 0.5)
)  # fmt: skip
#: The spec of each opponent.
OPPONENTS = {"random": "random", "greedy": "greedy:win=yes,block=yes"}
#: Number of games.
GAMES = 2 * len(SITUATIONS)
#: Seconds after which a slow agent is asked only the positions that every agent gets, and after
#: which no more pairs of games start.
MAX_ASKING, MAX_PLAYING = 20.0, 60.0
#: The weight of a fault by its kind, as it keeps others waiting, the weights of a dead process and
#: of all other faults, and the total weight that stops the check.
_WEIGHTS = {FaultKind.STALL: 10.0, FaultKind.TIME: 5.0, FaultKind.MEMORY: 3.0}
_EXIT, _OTHER, _MAX_WEIGHT = 3.0, 0.05, 20.0
#: Seconds to wait for an agent without a limit, where a match waits longer, and seconds of further
#: questions while its memory grows.
MAX_WAITING, MAX_SOAKING = 30.0, 5.0
#: Seconds for a move up to which a second stall is awaited.
_SHORT = 5.0
#: Positions that are asked about twice, and the seconds an answer to them may take.
_TWICE, _QUICK = 20, 0.01


def check_agent(
    spec: str,
    *,
    geometry: Geometry | None = None,
    limit: Limit | None = None,
    memory_limit_mb: int | None = None,
    load_timeout: float | None = None,
    seed: int = 0,
    quiet: bool = True,
    is_timeless: bool = False,
    on_progress: Callable[[int, int], object] | None = None,
) -> CheckReport:
    """Load an agent, ask it about positions, play `GAMES` games, and report its faults.

    `limit` is the limit of the match it is meant for; `memory_limit_mb`, `load_timeout` and `quiet`
    are fields of `Sandbox`. With `is_timeless` a slow agent is asked as much as a quick one, so the
    faults do not depend on the machine. `on_progress` gets the number of positions and games done,
    and of all. A file without a loadable agent is reported as a finding. Raises `InvalidSpec` for
    an unknown agent and `InvalidLimit` for a limit that the agent cannot obey.

    >>> check_agent("greedy").is_fine
    True
    """
    geometry, limit = geometry or Geometry(), limit or Limit()
    seed_number(seed, InvalidMatch)
    sandbox = Sandbox(True, memory_limit_mb, quiet, load_timeout)
    begin = time.perf_counter()
    try:
        agent = make_agent(spec, geometry, limit, sandbox)
    except InvalidSpec as error:
        if not isinstance(spec, str) or file_of(spec) is None:
            raise
        return CheckReport(spec, geometry, sandbox, time.perf_counter() - begin, error)
    load_seconds = time.perf_counter() - begin
    if not agent.timed:
        raise InvalidSpec(f"{spec} is played by hand at this terminal and cannot be checked")
    limit = limit.override(agent.own_limit)
    if isinstance(agent, ProcessAgent) and limit.seconds is None:
        is_kaggle = spec.startswith("kaggle:")
        agent.patience = MOVE_SECONDS + BANK_SECONDS + 1.0 if is_kaggle else MAX_WAITING
    with closing(agent):
        notify = on_progress or (lambda done, total: None)
        check = _Check(agent, geometry, limit, seed, notify, is_timeless)
        check.ask()
        check.play()
        memory = agent.peak_memory() if isinstance(agent, ProcessAgent) else None
        notes = findings.find_notes(spec, check.is_unseeded)
        moves = len(check.answers) + sum(len(game.seconds) for game in check.games)
        others = (
            *findings.find_sides(check.answers),
            *findings.find_usage(check.usage, sandbox.memory_bound_mb),
            *findings.find_prints(agent, max(1, moves)),
            *findings.find_files(spec),
        )
    return CheckReport(
        spec, geometry, sandbox, load_seconds, None, agent.plays, tuple(check.answers),
        tuple(check.games), memory, others, notes, check.positions,
    )  # fmt: skip


@dataclass
class _Check:
    """An agent that is checked, with its answers and games so far."""

    agent: Agent
    geometry: Geometry
    limit: Limit
    seed: int
    on_progress: Callable[[int, int], object]
    is_timeless: bool
    answers: list[ProbeAnswer] = field(default_factory=list)
    games: list[CheckedGame] = field(default_factory=list)
    usage: list[findings.Usage] = field(default_factory=list)
    is_unseeded: bool = False
    _weight: float = 0.0

    def __post_init__(self) -> None:
        self._needed, self._more = probes(self.geometry, self.seed)

    @property
    def positions(self) -> int:
        """Number of positions a quick agent is asked about."""
        return len(self._needed) + len(self._more)

    def ask(self) -> None:
        """Ask about all positions, a slow agent about fewer."""
        ends = time.perf_counter() + (math.inf if self.is_timeless else MAX_ASKING)
        half = len(self._more) // 2
        for part in (self._needed, self._more[:half], self._more[half:]):
            for probe in part:
                is_late = part is not self._needed and time.perf_counter() > ends
                if self._weight >= _MAX_WEIGHT or is_late:
                    return
                self._ask(probe)
            self._note_usage()
        if not self._weight:
            self._ask_again()
            if not self.is_timeless:
                self._soak()

    def play(self) -> None:
        """Play the games, a slow agent fewer."""
        ends = time.perf_counter() + (math.inf if self.is_timeless else MAX_PLAYING)
        players = make_agents([*OPPONENTS.values()], self.geometry)
        opponents = dict(zip(OPPONENTS, players, strict=True))
        for number in range(GAMES):
            is_late = number in range(2, GAMES, 2) and time.perf_counter() > ends
            if self._weight >= _MAX_WEIGHT or is_late:
                break
            name, filled = SITUATIONS[number // 2]
            opening = _opening(self.geometry, filled, self.seed + number // 2)
            seat = (opening.position.ply + number) % 2  # it makes the first move of even games
            seats = [self.agent, opponents[name]] if seat == 0 else [opponents[name], self.agent]
            generators = [np.random.default_rng([self.seed, number, seat]) for seat in (0, 1)]
            game = play_game(seats, opening, self.limit, generators)
            self.games.append(CheckedGame(number, name, seat, game))
            self._weigh(self.games[-1].fault)

    def _ask(self, probe: Probe) -> None:
        self.answers.append(self._answer(probe, len(self.answers)))
        self._weigh(self.answers[-1].fault)

    def _answer(self, probe: Probe, number: int) -> ProbeAnswer:
        rng = np.random.default_rng([self.seed, number])
        try:
            begin_game(self.agent, rng)
            decision, seconds = timed_decision(self.agent, probe.position, self.limit, rng)
            if (decision.details or {}).get("note") == NONE_NOTE:
                raise AgentFault(NONE_NOTE.removeprefix("it "), kind=FaultKind.ILLEGAL)
        except AgentFault as fault:
            lost = Forfeit(probe.position.turn, str(fault), fault.traceback, fault.kind)
            return ProbeAnswer(probe, number, fault=lost)
        return ProbeAnswer(probe, number, decision.column, seconds)

    def _weigh(self, fault: Forfeit | None) -> None:
        """Add the weight of a fault, and report progress."""
        if fault is not None:
            has_exited = fault.kind is FaultKind.CRASH and not fault.traceback
            self._weight += _WEIGHTS.get(fault.kind, _EXIT if has_exited else _OTHER)
            if fault.kind is FaultKind.STALL and (self.limit.seconds or math.inf) > _SHORT:
                self._weight = _MAX_WEIGHT
        self.on_progress(len(self.answers) + len(self.games), self.positions + GAMES)

    def _note_usage(self) -> None:
        process = self.agent.process if isinstance(self.agent, ProcessAgent) else None
        used = process and findings.usage_of(process, len(self.answers))
        self.usage += [used] if used else []

    def _ask_again(self) -> None:
        quick = math.inf if self.is_timeless else _QUICK
        again = [answer for answer in self.answers if answer.seconds < quick][-_TWICE:]
        columns = [self._answer(answer.probe, answer.number).column for answer in again]
        self.is_unseeded = columns != [answer.column for answer in again]

    def _soak(self) -> None:
        """Ask more questions while the memory of the agent grows, to see whether it stops."""
        ends = time.perf_counter() + MAX_SOAKING
        while (
            not self._weight and time.perf_counter() < ends and findings.steady_growth(self.usage)
        ):
            for probe in self._more:
                if self._weight or time.perf_counter() > ends:
                    break
                self._ask(probe)
            self._note_usage()


def _opening(geometry: Geometry, filled: float, seed: int) -> Opening:
    start, plies = Position(geometry), round(filled * geometry.cells)
    while plies > 0:
        try:
            return Opening(start, random_openings(1, plies, seed, start)[0])
        except InvalidMatch:
            plies //= 2
    return Opening(start)
