"""The faults that an agent shows over several answers, and advice for its author on all faults.

Every class makes the same mistakes: a function that ends without a `return`, columns counted from
1, moves tried in full columns. Each has its own sentence; all other faults get the sentence of
their kind. A pattern is searched for in the reason.
"""

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
from claimeven.agents.sanitize import has_user_line
from claimeven.agents.source_snapshot import source_of
from claimeven.arena.probes import Fault, ProbeAnswer

#: Advice for a process that ended without a traceback.
ENDED_ADVICE = (
    "something stopped the whole process: a call such as os._exit(), compiled code that failed, or"
    " the system because memory ran out"
)
#: Advice for a call that failed before a line of the file ran.
_CALL_ADVICE = (
    "make sure that the agent can be called like other agents: choose takes (self, position,"
    " limit, rng); a function takes a position, or Kaggle's observation and configuration"
)
#: Advice for an agent that fails in every position whose game it has not seen.
COLD_ADVICE = (
    "if it stores data from move to move, build them again from the position whenever the two"
    " do not match"
)
STATEFUL_ADVICE = (
    "it plays whole games and fails if it has not seen the moves before, as in games from"
    f" openings and in accuracy: {COLD_ADVICE}"
)
#: Advice for an agent that cannot be loaded.
LOADING_ADVICE = (
    "run the file by itself first, python FILE; it has to define a function of a position, best"
    " called agent, and may import only installed packages"
)

#: Advice for each kind of fault.
_ADVICE = {
    FaultKind.CRASH: "the traceback, read from its end, names the line of your file that failed",
    FaultKind.ILLEGAL: "return one of the columns that can be played, counted from 0:"
    " position.legal_columns, or for Kaggle columns whose topmost cell is 0",
    FaultKind.TIME: "answer sooner: look at the clock while you search, and stop before the time"
    " for a move is over (limit.seconds, or configuration.actTimeout for Kaggle)",
    FaultKind.STALL: "look for a loop that does not end in this position, or for a call that waits",
    FaultKind.MEMORY: "store less: bound your tables and trees, and delete the data of finished"
    " games",
}
_NO_INPUT = (
    "remove input(): an agent plays without a user; all it needs to know is in the position it"
    " is given"
)
#: Advice for a file that is not found.
FILES_ADVICE = (
    "open files next to your own file, Path(__file__).with_name('weights.csv'), or for Kaggle"
    " Path(configuration['__raw_path__']).with_name('weights.csv'): the command runs in another"
    " folder"
)
_IMPORTS = (
    "install the packages it imports on the machine that plays, or remove the imports: only"
    " installed packages and files next to it can be imported, and a package by the name of its"
    " folder"
)
_NO_EXIT = "remove exit() and sys.exit(): they end the agent, which has to answer for every move"

#: The reason of a function that expects a board of another kind.
_OTHER_BOARD = (
    r"('Position'|Struct'?|'CourseState') object|'numpy.ndarray' object has no|a Position has no"
    r"|'Position' and|type Position|KeyError: [0-9(]"
)

#: Advice for a reason that matches a pattern, by the kind of fault; the first match counts.
_BY_REASON: dict[FaultKind, dict[str, str]] = {
    FaultKind.ILLEGAL: {
        r"a Decision whose ": "correct that field of the Decision, or leave it out:"
        " only the column is required",
        r"counted from 1\)|not a number from 1": "answer with a column that can be played, counted"
        " from 1 as in the moves of the request",
        r"bestmove": "answer bestmove with a column that can be played: its letter, or its number"
        " from 1",
        r"returned None ": "make sure that every path through the function ends with a return:"
        " a path without one returns None",
        r"returned <coroutine ": "write def instead of async def: the answer has to be a column",
        r"returned <(async_)?generator ": "write return instead of yield",
        r"returned <function ": "name the function that plays, FILE:NAME: the one that was taken"
        " makes other functions, as a decorator does",
        r"instead of a Decision": "choose has to return a Decision: return Decision(column),"
        " after from claimeven import Decision",
        r"instead of a column number|takes a plain int": "return only the number of a column, as a"
        " whole number, int(column) if need be: one of position.legal_columns, counted from 0",
    },
    FaultKind.CRASH: {
        r"^(answered with (status|data that is not|more than)|cannot be reached|went away)": "check"
        " the address, and the output of the server when it fails: its answer has to be a JSON"
        " object with a column",
        r"raised IllegalMove": "play only columns of position.legal_columns, which"
        " is empty once the game is over (position.is_over); this message"
        " counts columns from 1, legal_columns from 0",
        r"raised RecursionError": "a function that calls itself needs an end: a depth that gets"
        " less, and positions that are over",
        r"raised EOFError": _NO_INPUT,
        r"raised SystemExit": _NO_EXIT,
        r"raised FileNotFoundError": FILES_ADVICE,
        r"raised ModuleNotFoundError": _IMPORTS,
        _OTHER_BOARD: "the function gets a Position, or for Kaggle an observation, not its own kind"
        " of board: name the shape of its board, FILE.py:NAME,shape=rows, for NumPy rows from the"
        " top with 0 empty, 1 and 2 the players; the page on agents of other shapes has more",
        r"wrote a line without end": "end each answer with a newline, and write only answers to"
        " stdout: other messages belong on stderr",
        r"wrote to the connection": "do not use files that you did not open, such as"
        " os.write(3, ...): one of them is the connection of the agent",
    },
}
_LOADING = {
    r"MemoryError": "hold less while it is loaded, or allow it more: --memory-limit MB",
    r"is not a claimeven Agent": "write a function of a position, best called agent; or derive"
    " the class from claimeven.Agent, whose choose(position, limit, rng) returns a Decision",
    r": an agent takes a position": "the function that plays takes a position, and all other"
    " parameters have defaults; call it agent, or name it, FILE:NAME",
    r"it cannot be made": "make sure that the class can be made without arguments, CLASS(), or give"
    " its options, and has the method of an Agent: choose(self, position, limit, rng)",
    r"does not define": "name a function or class that the file defines, FILE:NAME; without a"
    " name the function called agent plays, or the likeliest one",
    r"^(ugi|pons):": "run the command by itself and type the requests: check that it answers"
    " and flushes each line",
    r"defines no function": "define a function of a position, best called agent",
    r"ModuleNotFoundError": _IMPORTS,
    r"relative import|'__name__' not": "import without a dot: from [FOLDER.]helper import NAME",
    r"FileNotFoundError": FILES_ADVICE,
    r" is (a folder|a device|an archive|a notebook|a web page)|must be a Python file": "name"
    " the Python file with the agent",
    r"has no option|takes (a whole|a number|yes)": "give only the options that it has",
    r"EOFError": _NO_INPUT,
    r"SystemExit: 2": "an agent has no command line: move argparse below the line"
    " if __name__ == '__main__', or remove it",
    r"SystemExit": _NO_EXIT,
    r"loading took over": "code outside of functions runs while the file is loaded: it may not"
    " wait or run for ever",
    r"null bytes|codec can't decode|Non-UTF-8|not UTF-8|encoding declar": "save the file as UTF-8",
}


def advice_on_fault(kind: FaultKind, reason: str, traceback: str) -> str:
    """Return advice about a fault in a game; `traceback` may be empty.

    >>> advice_on_fault(FaultKind.ILLEGAL, "returned <generator object agent>", "")
    'write return instead of yield'
    """
    if "above it does not play" in reason:
        where = "to the end of the file, where Kaggle looks for it"
        return f"move the function that should play {where}"
    for pattern, advice in _BY_REASON.get(kind, {}).items():
        if re.search(pattern, reason):
            return advice
    if kind is FaultKind.CRASH and not traceback:
        return ENDED_ADVICE
    if kind is FaultKind.CRASH and not has_user_line(traceback):
        return _CALL_ADVICE
    return _ADVICE[kind]


def advice_on_loading(failure: str) -> str:
    """Return advice about a file that cannot be loaded.

    >>> advice_on_loading("bot.py defines no function to play with")
    'define a function of a position, best called agent'
    """
    found = (text for sign, text in _LOADING.items() if re.search(sign, failure))
    return next(found, LOADING_ADVICE)


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
        memory = re.search(r"\nVmData:\s+(\d+)", (folder / "status").read_text("utf-8"))
        children = (folder / f"task/{process}/children").read_text("utf-8").split()
        counts = (len(list((folder / "task").iterdir())), len(list((folder / "fd").iterdir())))
        if memory is not None:
            return Usage(answers, int(memory[1]) / 1024, (*counts, len(children)))
    return None


def steady_growth(usage: Sequence[Usage]) -> float:
    """Return the growth of memory in MB per answer; 0 if it has stopped, or halved."""
    pairs = itertools.pairwise(usage[-3:])
    growth = [(b.memory - a.memory) / max(1, b.answers - a.answers) for a, b in pairs]
    return growth[1] if len(growth) == 2 and growth[1] > max(_GROWTH, growth[0] / 2) else 0.0


def find_usage(usage: Sequence[Usage], bound: int) -> Iterator[Fault]:
    """Yield the faults in the resources of a process with a limit of `bound` MB of memory."""
    if len(usage) < 3:
        return
    growth, last = steady_growth(usage), usage[-1]
    if growth and (moves := (bound - last.memory) / growth) < _MOVES:
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


def find_sides(answers: Sequence[ProbeAnswer]) -> Iterator[Fault]:
    """Yield the fault of an agent that plays for the other side, as one player or as both."""
    tried = ((a.probe, a) for a in answers)
    clear = [a for p, a in tried if len(p.position.legal_columns) > 2 and p.wins != p.blocks]
    asked = [
        {hand: [a for a in clear if a.probe.has(seat, *hand)] for hand in ((1, 0), (0, 1), (1, 1))}
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


def _part(answers: Sequence[ProbeAnswer], what: str) -> float:
    return sum(a.column in getattr(a.probe, what) for a in answers) / len(answers)


def _side_fault(asked: Sequence[ProbeAnswer], what: str, player: str) -> Fault:
    does = f"sees {what} at hand as one player and not as {player}"
    if what == "stops":
        does = f"blocks the other side although it could win itself, as {player}"
    wrong = [a.probe for a in asked if a.column not in (a.probe.wins or a.probe.blocks)]
    advice = (
        "check which discs it takes for its own: position.mine, or for Kaggle those equal to"
        " observation.mark, which is 1 or 2; and look for a win before a block"
    )
    reason, first = f"{does}, as if it played for the other side", wrong[0]
    return Fault("sides", reason, advice, "", first.position, first.moves, len(wrong))


def find_notes(spec: str, is_unseeded: bool) -> tuple[str, ...]:
    """Return sentences about observations that are not faults."""
    notes = []
    if is_unseeded:
        notes.append(
            "The same position and seed gave different columns: its random numbers do not come from"
            " random, numpy.random or the generator it is given, or it reads a clock, or it"
            " remembers earlier moves. A seed does not decide its games."
        )
    path, nodes = _parsed(spec)
    imports = [node.names for node in nodes if isinstance(node, ast.Import)]
    imported = {alias.name for names in imports for alias in names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    near = {file.stem for file in path.parent.glob("*.py")} & {path.stem, *imported}
    which = "has the name of a module of Python, which is the one that is imported"
    hidden = sorted(near & sys.stdlib_module_names)
    return (*notes, *(f"{name}.py {which}: give it another name." for name in hidden))


def find_files(spec: str) -> Iterator[Fault]:
    """Yield the fault of an agent that opens files relative to the current folder."""
    path, nodes = _parsed(spec)
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    texts = {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
    near = sorted(t for t in texts if _FILE.fullmatch(t) and (path.parent / t).is_file())
    if near and "__file__" not in names and "__raw_path__" not in texts:
        reason = f"names {', '.join(near)} without the folder of its file"
        otherwise = "if the command runs in another folder, it is not found"
        yield Fault("files", f"{reason}: {otherwise}", FILES_ADVICE)


def _parsed(spec: str) -> tuple[Path, list[ast.AST]]:
    """Return the file of a spec and all nodes of its syntax tree; an empty list without a file."""
    path = file_of(spec)
    with suppress(SyntaxError, ValueError, RecursionError):
        return Path(path or "").resolve(), list(ast.walk(ast.parse(source_of(str(path)))))
    return Path(), []


def find_prints(agent: Agent, moves: int) -> Iterator[Fault]:
    """Yield the fault of an agent that prints too much."""
    if isinstance(agent, ProcessAgent) and agent.printed > moves * MAX_PRINTED:
        reason = f"printed {agent.printed:,} characters in {moves:,} moves; of each game"
        reason += f" {_MAX_PASSED_ON:,} are shown at most"
        advice = "remove the prints: they cost time on the clock, and fill the terminal"
        yield Fault("prints", reason, advice)
