"""What the answers of an agent show that no single one does: whose side it plays, what it keeps."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from claimeven.agents.contract import Agent, FaultKind
from claimeven.agents.files import file_of
from claimeven.agents.process.printed import MOST_PRINTED
from claimeven.agents.process.process import ProcessAgent
from claimeven.agents.texts import content_of
from claimeven.arena.check_report import Answer, Fault

#: Positions of each seat with a win and a block at hand, and the part of them, that show a habit.
_FEW, _HABIT = 5, 0.8
#: MB of growth a move that are looked into; moves in which a process may not grow to its bound.
_GROWTH, _MOVES = 0.02, 10_000
#: Characters a move that an agent may print.
MAX_PRINTED = 2_000
#: Threads, more from one half of the positions to the next, that are reported.
_THREADS = 5


@dataclass(frozen=True)
class Usage:
    """What a process held after so many answers: MB of memory, and threads."""

    answers: int
    memory: float
    threads: int


def usage_of(process: int, answers: int) -> Usage | None:
    """Return what a process holds now; None if the system does not say."""
    with suppress(OSError):
        status = Path(f"/proc/{process}/status").read_text("utf-8")
        found = dict(re.findall(r"^(VmRSS|Threads):\s+(\d+)", status, re.MULTILINE))
        if len(found) == 2:
            return Usage(answers, int(found["VmRSS"]) / 1024, int(found["Threads"]))
    return None


def grows(usage: Sequence[Usage]) -> bool:
    """Whether memory grew with every answer, the last part no slower than half of that before."""
    if len(usage) < 3:
        return False
    earlier, later = (_growth(*usage[end - 2 : end]) for end in (len(usage) - 1, len(usage)))
    return later > _GROWTH and later > earlier / 2


def find_usage(usage: Sequence[Usage], bound: int) -> Iterator[Fault]:
    """Yield the faults in what the process held, which may hold `bound` MB of memory."""
    if len(usage) < 3:
        return
    growth, last = _growth(*usage[-2:]), usage[-1]
    if grows(usage) and (moves := (bound - last.memory) / growth) < _MOVES:
        yield Fault(
            FaultKind.MEMORY,
            f"holds {growth:.2g} MB more after each move and would reach the {bound:,} MB it may"
            f" have in {moves:,.0f} moves",
            "look for a list, table or cache that only ever grows, and bound it: one process plays"
            " all games of a match",
        )
    more = [later.threads - earlier.threads for earlier, later in itertools.pairwise(usage)]
    if min(more[-2:]) >= _THREADS:
        yield Fault(
            "threads",
            f"leaves threads running: {last.threads} after {last.answers} moves",
            "join every thread before you answer, or keep a few for all moves: those left over slow"
            " the moves of all, and in the end none can be started",
        )


def _growth(earlier: Usage, later: Usage) -> float:
    """Return the MB that a process holds more after each answer."""
    return (later.memory - earlier.memory) / max(1, later.answers - earlier.answers)


def find_sides(answers: Sequence[Answer]) -> Iterator[Fault]:
    """Yield the fault of an agent that plays for the other side, as one player or as both."""
    both = [
        [
            answer
            for answer in answers
            if answer.probe.position.turn == seat
            and (len(answer.probe.wins), len(answer.probe.blocks)) == (1, 1)
            and answer.probe.wins != answer.probe.blocks
        ]
        for seat in (0, 1)
    ]
    if min(map(len, both)) < _FEW:
        return
    wins = [sum(a.column in a.probe.wins for a in asked) / len(asked) for asked in both]
    blocks = [sum(a.column in a.probe.blocks for a in asked) / len(asked) for asked in both]
    wrong = [seat for seat in (0, 1) if blocks[seat] >= _HABIT]
    if len(wrong) == 1 and wins[1 - wrong[0]] < _HABIT:
        return
    if len(wrong) == 2:
        single = [a for a in answers if len(a.probe.wins) == 1 and not a.probe.blocks]
        if sum(a.column in a.probe.wins for a in single) < _HABIT * len(single):
            return
    if wrong:
        first = next(a for a in both[wrong[0]] if a.column in a.probe.blocks)
        player = ("first player", "second player", "either player")[
            wrong[0] if len(wrong) == 1 else 2
        ]
        yield Fault(
            "sides",
            f"stops the other side where it could win at once, as {player}, as if it played for"
            " the other side",
            "see which discs it takes for its own: position.mine, or for Kaggle those equal to"
            " observation.mark, which is 1 or 2; and look for a win before a block",
            position=first.probe.position,
            moves=first.probe.moves,
            answers=sum(a.column in a.probe.blocks for seat in wrong for a in both[seat]),
        )


def find_notes(spec: str, agent: Agent, is_unseeded: bool) -> tuple[str, ...]:
    """Return sentences about what is no fault, and good to know."""
    notes = []
    if is_unseeded:
        notes.append(
            "The same position and seed gave different columns: its chance does not come from"
            " random, numpy.random or the generator it is given, or it looks at a clock, or it"
            " remembers. A seed does not decide its games."
        )
    path = file_of(spec)
    text = None if path is None else content_of(str(path))
    if path is not None and text is not None:
        imported = set(re.findall(r"^\s*(?:import|from)\s+(\w+)", text.decode("latin-1"), re.M))
        near = {file.stem for file in path.resolve().parent.glob("*.py")} & (imported | {path.stem})
        notes += [
            f"{name}.py has the name of a module of Python, which is the one that is imported: give"
            " it another name."
            for name in sorted(near & sys.stdlib_module_names)
        ]
    return tuple(notes)


def find_prints(agent: Agent, moves: int) -> Iterator[Fault]:
    """Yield the fault of an agent that prints more than can be shown."""
    printed = agent.printed if isinstance(agent, ProcessAgent) else 0
    if printed > moves * MAX_PRINTED:
        yield Fault(
            "prints",
            f"printed {printed:,} characters in {moves:,} moves; of each game {MOST_PRINTED:,} are"
            " shown at most",
            "take out the prints: they cost time on the clock, and fill the terminals of others",
        )
