"""The result of `check`: the answers and games of an agent, and the faults among them."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from claimeven.agents.base import FaultKind
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.sanitize import own_lines
from claimeven.arena.diagnostics import STATEFUL_ADVICE, advice_on_fault, advice_on_loading
from claimeven.arena.games.game import Forfeit, Game
from claimeven.arena.probes import Probe
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: Numbers in a reason, and lists of them.
_NUMBERS = re.compile(r"(0x[0-9a-f]+|\d+)(, (0x[0-9a-f]+|\d+))*")


@dataclass(frozen=True)
class ProbeAnswer:
    """The agent's answer to a single position: a 0-based column, or a fault.

    `number` counts the questions from 0, and decides their chance.
    """

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
        if self.fault is not None:
            return "forfeited"
        if self.game.winner is None:
            return "drawn"
        return "won" if self.game.winner == self.seat else "lost"

    @property
    def seconds(self) -> tuple[tuple[float, str], ...]:
        """Time of each move of the agent, with the move string that led to its position."""
        game = self.game
        turns = enumerate(game.move_stats.get("seconds", ()), start=len(game.opening))
        return tuple(
            (seconds, game.all_moves[:ply])
            for ply, seconds in turns
            if seconds is not None and (game.root.ply + ply) % 2 == self.seat
        )


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
        return "" if self.failure is None else advice_on_loading(str(self.failure))

    @property
    def is_fine(self) -> bool:
        """Whether it was loaded and has no fault."""
        return self.failure is None and not self.faults

    @cached_property
    def is_stateful(self) -> bool:
        """Whether it plays whole games, and crashes before it has seen the start of one."""
        whole = [game for game in self.games if not game.game.start.ply]
        has_whole = bool(whole) and not any(game.fault for game in whole)
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
            rest = () if is_all else found.items()
            found = {by: alike for by, alike in rest if alike[0] not in early}
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
        """Number of `wins` or `blocks` at hand that it played, and of all of them.

        Blocks count in positions without a win.
        """
        asked = [
            (a.column, getattr(a.probe, of))
            for a in self.answers
            if getattr(a.probe, of) and (of == "wins" or not a.probe.wins)
        ]
        return sum(column in good for column, good in asked), len(asked)

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data for JSON; games count from 1."""
        slowest = self.slowest
        return {
            "agent": self.spec,
            "ok": self.is_fine,
            "plays": self.plays or None,
            "load_seconds": self.load_seconds,
            "failure": None if self.failure is None else str(self.failure),
            "traceback": None if self.failure is None else self.failure.traceback or None,
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
            "seconds_max": None if slowest is None else slowest[0],
            "slowest_move_after": None if slowest is None else slowest[1],
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
    advice = "; ".join(filter(None, (hint, advice_on_fault(kind, reason, traceback))))
    return Fault(kind, reason, advice, traceback, position, moves, len(found) - len(games), games)


def _hint(report: CheckReport) -> str:
    """Return a hint on the common cause of several faults, or an empty text."""
    if report.is_stateful:
        return STATEFUL_ADVICE
    illegal = [a for a in report.answers if a.fault and a.fault.kind is FaultKind.ILLEGAL]
    failed = {a.probe.only for a in illegal} - {a.column for a in report.answers}
    missed = sorted(column for column in failed if column is not None)
    end = f"returned column {report.geometry.columns} "
    if missed == [0] or (0 in missed and any(end in a.fault.reason for a in illegal if a.fault)):
        return "it never plays column 0: does it count from 1?"
    if 0 < len(missed) <= report.geometry.columns // 2:
        return f"it never plays column {', '.join(map(str, missed))} (counted from 0)"
    return ""
