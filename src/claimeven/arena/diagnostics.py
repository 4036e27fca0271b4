"""Advice for the author of an agent about its faults.

Every class makes the same mistakes: a function that ends without a `return`, columns counted from
1, moves tried in full columns. Each has its own sentence; all other faults get the sentence of
their kind. A pattern is searched for in the reason.
"""

from __future__ import annotations

import re

from claimeven.agents.base import FaultKind
from claimeven.agents.sanitize import has_user_line

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
        r"instead of a Decision": "choose has to return a Decision: return Decision(column),"
        " after from claimeven import Decision",
        r"instead of a column number|takes a plain int": "return only the number of a column,"
        " as a whole number, int(column) if need be: one of position.legal_columns,"
        " counted from 0",
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
        return (
            "move the function that should play to the end of the file, where Kaggle looks for it"
        )
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
    return next(
        (text for sign, text in _LOADING.items() if re.search(sign, failure)), LOADING_ADVICE
    )
