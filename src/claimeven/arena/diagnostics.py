"""What to do about a fault of an agent, in words for its author.

The same mistakes come in with every class: a function that ends without a `return`, columns counted
from 1, moves tried in full columns. Each has a sentence of its own; any other fault has that of its
kind. A pattern is searched for in the reason.
"""

from __future__ import annotations

import re

from claimeven.agents.base import FaultKind
from claimeven.agents.sanitize import names_their_line

#: What to do where a process ended without a traceback.
ENDED_ADVICE = (
    "something ended the whole process: a call such as os._exit(), compiled code that failed, or"
    " the system, for want of memory"
)
#: What to do where what failed ran no line of the file: it was called as agents are.
_CALL_ADVICE = (
    "see that what plays can be called as agents are: choose takes (self, position, limit, rng); a"
    " function takes a position, or Kaggle's observation and configuration"
)
#: What to do where an agent fails in every position whose game it has not seen.
COLD_ADVICE = (
    "if it keeps anything from move to move, make that again from the position it is given whenever"
    " the two do not fit"
)
STATEFUL_ADVICE = (
    "it plays whole games and fails where it has not seen the moves before, as in games from"
    f" openings and in accuracy: {COLD_ADVICE}"
)
#: What to do about an agent that cannot be loaded.
LOADING_ADVICE = (
    "run the file by itself first, python FILE; it has to define a function of a position, best"
    " called agent, and to import only what is installed"
)

#: What to do about each kind of fault.
_ADVICE = {
    FaultKind.CRASH: "the traceback, read from its end, names the line of your file that failed",
    FaultKind.ILLEGAL: "return one of the columns that can be played, counted from 0:"
    " position.legal_columns, or for Kaggle columns whose topmost cell is 0",
    FaultKind.TIME: "answer sooner: look at the clock while you search, and stop before the time"
    " for a move is over (limit.seconds, or configuration.actTimeout for Kaggle)",
    FaultKind.STALL: "look for a loop that does not end in this position, or for something that"
    " waits",
    FaultKind.MEMORY: "keep less: bound your tables and trees, and let go of what belongs to games"
    " that are over",
}
_NO_INPUT = (
    "take out input(): an agent plays by itself, and nobody is there to type; all it needs to know"
    " is in the position it is given"
)
#: What to do about a file that is not found.
FILES_ADVICE = (
    "open files by the place of your own, Path(__file__).with_name('weights.csv'), or for Kaggle"
    " Path(configuration['__raw_path__']).with_name('weights.csv'): the command runs in another"
    " folder"
)
_IMPORTS = (
    "install what it imports where the games are played, or do without: only packages that are"
    " installed and files next to it can be imported, and a package by the name of its folder"
)
_NO_EXIT = "take out exit() and sys.exit(): they end the agent, which is asked again and again"

#: The reason of a function that expects a board of another kind.
_OTHER_BOARD = (
    r"('Position'|Struct'?) object|a Position has no|'Position' and|type Position|KeyError: [0-9(]"
)

#: What to do about a reason in which a pattern is found, by the kind of fault; the first that fits.
_BY_REASON: dict[FaultKind, dict[str, str]] = {
    FaultKind.ILLEGAL: {
        r"a Decision whose ": "correct what the Decision says of itself there, or leave it out:"
        " its column is all that it needs",
        r"counted from 1\)|no number from 1": "answer with a column that can be played, counted"
        " from 1 as in the moves that the request tells",
        r"bestmove": "answer bestmove with a column that can be played: its letter, or its number"
        " from 1",
        r"returned None ": "see that every way through the function ends with a return: one that"
        " ends without gives None",
        r"returned <coroutine ": "write def in place of async def: the answer is wanted at once",
        r"returned <(async_)?generator ": "write return in place of yield",
        r"instead of a Decision": "what choose returns is a Decision: return Decision(column),"
        " after from claimeven import Decision",
        r"instead of a column number|takes a plain int": "return the number of a column and"
        " nothing else, as a whole number, int(column) if need be: one of position.legal_columns,"
        " counted from 0",
    },
    FaultKind.CRASH: {
        r"^(answered with (status|what is no JSON|more than)|cannot be reached|went away)": "see"
        " that the address is right, and what the server writes when it fails: its answer has to"
        " be a JSON object with a column",
        r"raised IllegalMove": "play only what can be played: columns of position.legal_columns,"
        " of which a position has none once the game is over (position.is_over); this message"
        " counts columns from 1, legal_columns from 0",
        r"raised RecursionError": "a function that calls itself needs an end: a depth that gets"
        " less, and positions that are over",
        r"raised EOFError": _NO_INPUT,
        r"raised SystemExit": _NO_EXIT,
        r"raised FileNotFoundError": FILES_ADVICE,
        r"raised ModuleNotFoundError": _IMPORTS,
        _OTHER_BOARD: "the function is given a Position, or for Kaggle an observation, and no board"
        " or state of its own: wrap it, def agent(position): return"
        " NAME(position.to_array()[::-1] + 1), for a board of rows from the top with 0 empty, 1 and"
        " 2 the players; the page on agents of other shapes has more",
        r"wrote a line without end": "end each answer with a newline, and write nothing else to"
        " stdout: messages for people belong on stderr",
        r"wrote into the connection": "leave files alone that you did not open, such as"
        " os.write(3, ...): one of them is what the agent is asked and answers through",
    },
}
_LOADING = {
    r"MemoryError": "hold less while it is loaded, or allow it more: --memory-limit MB",
    r"is not a claimeven Agent": "hand in a function of a position, best called agent; or derive"
    " the class from claimeven.Agent, whose choose(position, limit, rng) returns a Decision",
    r": an agent takes a position": "the function that plays takes a position and nothing else"
    " that has no default; call it agent, or name it, FILE:NAME",
    r"it cannot be made": "see that the class can be made without arguments, CLASS(), and has what"
    " an Agent needs: choose(self, position, limit, rng)",
    r"has nothing called": "name a function or class that the file defines, FILE:NAME, or none:"
    " then that called agent plays, or the one that looks most like one",
    r"^(ugi|pons):": "run the command by itself and type what it is asked: see that it answers,"
    " and flushes each line",
    r"defines no function": "define a function of a position, best called agent",
    r"ModuleNotFoundError": _IMPORTS,
    r"relative import|'__name__' not": "import without a dot: from [FOLDER.]helper import NAME",
    r"FileNotFoundError": FILES_ADVICE,
    r" is (a folder|a device|an archive|a notebook|a web page|no text)": "name the Python file"
    " that holds the agent",
    r"has no option|takes (a whole|a number|yes)": "give the options that it takes, or none",
    r"EOFError": _NO_INPUT,
    r"SystemExit": _NO_EXIT,
    r"was not done after": "what stands outside of functions runs while the file is loaded:"
    " nothing there may wait, or go on for ever",
    r"null bytes|codec can't decode|Non-UTF-8|no UTF-8|encoding declar": "save the file as UTF-8",
}


def advice_on_fault(kind: FaultKind, reason: str, traceback: str) -> str:
    """Return what to do about a fault in a game; its traceback is empty where there is none.

    >>> advice_on_fault(FaultKind.ILLEGAL, "returned <generator object agent>", "")
    'write return in place of yield'
    """
    if "above it does not play" in reason:
        return "move the function that is to play to the end of the file, where Kaggle looks for it"
    for pattern, advice in _BY_REASON.get(kind, {}).items():
        if re.search(pattern, reason):
            return advice
    if kind is FaultKind.CRASH and not traceback:
        return ENDED_ADVICE
    if kind is FaultKind.CRASH and not names_their_line(traceback):
        return _CALL_ADVICE
    return _ADVICE[kind]


def advice_on_loading(failure: str) -> str:
    """Return what to do about a file that cannot be loaded.

    >>> advice_on_loading("bot.py defines no function to play with")
    'define a function of a position, best called agent'
    """
    return next(
        (said for sign, said in _LOADING.items() if re.search(sign, failure)), LOADING_ADVICE
    )
