"""Faults that only several answers show: the wrong side, growing memory, lost files, prints."""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from claimeven.agents.base import Agent, FaultKind
from claimeven.agents.files import file_of
from claimeven.agents.process.agent import ProcessAgent
from claimeven.agents.process.sandbox import MAX_PRINTED as _MAX_PASSED_ON
from claimeven.agents.source_snapshot import source_of
from claimeven.arena.check_report import Fault, ProbeAnswer
from claimeven.arena.diagnostics import FILES_ADVICE

#: Minimum number of positions of each seat, and the share of them, that show a habit.
_FEW, _HABIT = 5, 0.8
#: Shares of wins at hand that count as always, and as seldom taken.
_ALWAYS, _SELDOM = 0.9, 0.4
#: Growth in MB per move that counts; moves within which a process may not reach its limit.
_GROWTH, _MOVES = 0.02, 2_000
#: Characters a move that an agent may print.
MAX_PRINTED = 2_000
#: Pattern of the name of a data file.
_FILE = re.compile(r"[\w./-]{1,100}\.(?!py$)\w{1,8}")
#: Other resources that moves may leave over, and the growth after each half of the positions.
_RESOURCES, _MORE = ("threads running", "files open", "processes running"), 5


@dataclass(frozen=True)
class Usage:
    """The resources of a process after some answers: memory in MB, and counts of `_RESOURCES`."""

    answers: int
    memory: float
    counts: tuple[int, ...]


def usage_of(process: int, answers: int) -> Usage | None:
    """Return the resources of a process now; None if the system does not report them."""
    folder = Path(f"/proc/{process}")
    with suppress(OSError):
        memory = re.search(
            r"^VmData:\s+(\d+)", (folder / "status").read_text("utf-8"), re.MULTILINE
        )
        children = (folder / f"task/{process}/children").read_text("utf-8").split()
        counts = (len(list((folder / "task").iterdir())), len(list((folder / "fd").iterdir())))
        if memory is not None:
            return Usage(answers, int(memory[1]) / 1024, (*counts, len(children)))
    return None


def grows(usage: Sequence[Usage]) -> bool:
    """Whether memory grew with every answer, the last part no slower than half of that before."""
    if len(usage) < 3:
        return False
    earlier, later = (_growth(*usage[end - 2 : end]) for end in (len(usage) - 1, len(usage)))
    return later > _GROWTH and later > earlier / 2


def find_usage(usage: Sequence[Usage], bound: int) -> Iterator[Fault]:
    """Yield the faults in the resources of a process with a limit of `bound` MB of memory."""
    if len(usage) < 3:
        return
    growth, last = _growth(*usage[-2:]), usage[-1]
    if grows(usage) and (moves := (bound - last.memory) / growth) < _MOVES:
        yield Fault(
            FaultKind.MEMORY,
            f"holds {growth:.2g} MB more after each move and would reach the {bound:,} MB it may"
            f" have in {moves:,.0f} moves",
            "look for a list, table or cache that only grows, and bound it: one process plays all"
            " games of a match",
        )
    for number, what in enumerate(_RESOURCES):
        more = [b.counts[number] - a.counts[number] for a, b in itertools.pairwise(usage)]
        if min(more[-2:]) >= _MORE:
            yield Fault(
                "leak",
                f"leaves {what}: {last.counts[number]} after {last.answers} moves",
                "close or join the files, threads and processes of a move before you answer, or"
                " reuse a few for all moves: leftovers slow all moves until the system gives no"
                " more",
            )


def _growth(earlier: Usage, later: Usage) -> float:
    return (later.memory - earlier.memory) / max(1, later.answers - earlier.answers)


def find_sides(answers: Sequence[ProbeAnswer]) -> Iterator[Fault]:
    """Yield the fault of an agent that plays for the other side, as one player or as both."""
    asked = [
        {at_hand: _asked(answers, seat, *at_hand) for at_hand in ((1, 0), (0, 1), (1, 1))}
        for seat in (0, 1)
    ]
    if min(len(each) for seat in asked for each in seat.values()) < _FEW:
        return
    blocks = [_part(seat[1, 1], "blocks") >= _HABIT for seat in asked]
    wins = [_part(seat[1, 1], "wins") >= _HABIT for seat in asked]
    if all(blocks) and min(_part(seat[1, 0], "wins") for seat in asked) >= _HABIT:
        yield _side_fault([*asked[0][1, 1], *asked[1][1, 1]], "stops", "either player")
        return
    for seat, player in enumerate(("the first player", "the second player")):
        if blocks[seat] and wins[1 - seat]:
            yield _side_fault(asked[seat][1, 1], "stops", player)
            return
        for at_hand, what in (((1, 0), "wins"), ((0, 1), "blocks")):
            weak, strong = (_part(asked[each][at_hand], what) for each in (seat, 1 - seat))
            if strong > _ALWAYS and weak < _SELDOM:
                yield _side_fault(asked[seat][at_hand], what, player)
                return


def _asked(answers: Sequence[ProbeAnswer], seat: int, wins: int, blocks: int) -> list[ProbeAnswer]:
    return [
        answer
        for answer in answers
        if answer.probe.position.turn == seat
        and (len(answer.probe.wins), len(answer.probe.blocks)) == (wins, blocks)
        and len(answer.probe.position.legal_columns) > 2
        and answer.probe.wins != answer.probe.blocks
    ]


def _part(answers: Sequence[ProbeAnswer], what: str) -> float:
    return sum(a.column in getattr(a.probe, what) for a in answers) / len(answers)


def _side_fault(asked: Sequence[ProbeAnswer], what: str, player: str) -> Fault:
    does = f"sees {what} at hand as one player and not as {player}"
    if what == "stops":
        does = f"blocks the other side although it could win itself, as {player}"
    wrong = [a for a in asked if a.column not in (a.probe.wins or a.probe.blocks)]
    return Fault(
        "sides",
        f"{does}, as if it played for the other side",
        "check which discs it takes for its own: position.mine, or for Kaggle those equal to"
        " observation.mark, which is 1 or 2; and look for a win before a block",
        position=wrong[0].probe.position,
        moves=wrong[0].probe.moves,
        answers=len(wrong),
    )


def find_notes(spec: str, agent: Agent, is_unseeded: bool) -> tuple[str, ...]:
    """Return sentences about observations that are not faults."""
    notes = []
    if is_unseeded:
        notes.append(
            "The same position and seed gave different columns: its random numbers do not come from"
            " random, numpy.random or the generator it is given, or it reads a clock, or it"
            " remembers earlier moves. A seed does not decide its games."
        )
    path, nodes = _parsed(spec)
    imported = {
        alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
    }
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    near = {file.stem for file in path.parent.glob("*.py")} & {path.stem, *imported}
    notes += [
        f"{name}.py has the name of a module of Python, which is the one that is imported: give it"
        " another name."
        for name in sorted(near & sys.stdlib_module_names)
    ]
    return tuple(notes)


def find_files(spec: str) -> Iterator[Fault]:
    """Yield the fault of an agent that opens files relative to the current folder."""
    path, nodes = _parsed(spec)
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    texts = {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
    near = sorted(t for t in texts if _FILE.fullmatch(t) and (path.parent / t).is_file())
    if near and "__file__" not in names and "__raw_path__" not in texts:
        yield Fault(
            "files",
            f"names {', '.join(near)} without the folder of its file: if the command runs in"
            " another folder, it is not found",
            FILES_ADVICE,
        )


def _parsed(spec: str) -> tuple[Path, list[ast.AST]]:
    """Return the file of a spec and all nodes of its syntax tree; an empty list without a file."""
    path = file_of(spec)
    with suppress(SyntaxError, ValueError, RecursionError):
        return Path(path or "").resolve(), list(ast.walk(ast.parse(source_of(str(path)))))
    return Path(), []


def find_prints(agent: Agent, moves: int) -> Iterator[Fault]:
    """Yield the fault of an agent that prints too much."""
    printed = agent.printed if isinstance(agent, ProcessAgent) else 0
    if printed > moves * MAX_PRINTED:
        yield Fault(
            "prints",
            f"printed {printed:,} characters in {moves:,} moves; of each game {_MAX_PASSED_ON:,}"
            " are shown at most",
            "remove the prints: they cost time on the clock, and fill the terminal",
        )
