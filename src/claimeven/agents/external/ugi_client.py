"""An engine of another program that speaks UGI, the Universal Game Interface: our side of the talk.

    we say                              it says
    ugi                                 id name .., id author .., option name .. type .., ugiok
    setoption name NAME value VALUE
    isready                             readyok
    uginewgame
    position startpos moves d d c       (or position fen ..)
    go movetime 1000 | depth 5 | ..     info .., bestmove d
    stop, quit

Other lines are ignored.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any

from claimeven.agents.base import AgentFault, FaultKind
from claimeven.agents.external.line_process import FLUSH, MORE, Program
from claimeven.agents.process.agent import fault_of
from claimeven.agents.sanitize import printable, shown
from claimeven.parallel.process import ChildEnded, ChildProtocolError, ChildTimeout

#: Seconds that an engine has to say what it is, to load what it needs, and to be ready later on.
START_SECONDS, LOAD_SECONDS, READY_SECONDS = 20.0, 60.0, 10.0
#: Seconds at most that an answer which comes too late is waited for, to spare the process.
MERCY = 2.0
#: The greatest number that is believed.
_MAX_NUMBER = 2**53
#: The names of columns.
LETTERS = "abcdefghijklmnop"
_OPTION = re.compile(r"option\s+name\s+(?P<name>.+?)\s+type\s+(?P<type>\w+)(?P<rest>.*)")


def move_text(column: int, letters: bool) -> str:
    """Return the word for a 0-based column.

    >>> move_text(3, True), move_text(3, False)
    ('d', '4')
    """
    return LETTERS[column] if letters else str(column + 1)


class UgiClient:
    """A running engine. Whatever goes wrong is an `AgentFault` of a kind, and ends the process.

    `options` holds the type of every option that it declared. `load_timeout` is the time it has to
    answer, and to be ready before its options are set and after, by default `START_SECONDS` and
    `LOAD_SECONDS`.
    """

    def __init__(
        self,
        words: Sequence[str],
        on_output: Callable[[str], None],
        memory_mb: int | None = None,
        load_timeout: float | None = None,
    ) -> None:
        self._load_timeout = load_timeout
        self.name = ""
        self.options: dict[str, str] = {}
        self._program = Program(words, on_output, memory_mb)
        self._said = ""

    @property
    def ended(self) -> bool:
        return self._program.ended

    @property
    def process(self) -> int:
        return self._program.process

    def begin(self) -> None:
        """Ask what it is, and which options it has."""
        seconds = self._load_timeout or START_SECONDS
        deadline = time.perf_counter() + seconds
        late = f"did not answer ugi by ugiok within {seconds:g} s ({FLUSH} {MORE})"
        self._say("ugi")
        while True:
            line = self._hear(deadline, late)
            if line == "ugiok":
                break
            option = _OPTION.match(line)
            if line.startswith("id name "):
                self.name = printable(line.removeprefix("id name ").strip(), 60)
            elif option:
                self.options[option["name"]] = option["type"]
        self.wait_until_loaded()

    def option(self, name: str) -> str | None:
        """Return the engine's spelling of an option; None if it declared none of that name."""
        return next((own for own in self.options if own.lower() == name.lower()), None)

    def set_option(self, name: str, value: object) -> None:
        """Set an option that it declared."""
        self._say(f"setoption name {self.option(name) or name} value {value}")

    def new_game(self) -> None:
        self._say("uginewgame")
        self._wait_until_ready(READY_SECONDS)

    def wait_until_loaded(self) -> None:
        """Wait until it is ready, as long as it may load what it needs."""
        self._wait_until_ready(self._load_timeout or LOAD_SECONDS, f" ({MORE})")

    def _wait_until_ready(self, seconds: float, advice: str = "") -> None:
        """Wait until it has done all it was told; older lines are passed over."""
        deadline = time.perf_counter() + seconds
        late = f"did not answer isready within {seconds:g} s{advice}"
        self._say("isready")
        while self._hear(deadline, late) != "readyok":
            pass

    def search(
        self, position: str, how: str, seconds: float, late: str
    ) -> tuple[str, dict[str, Any]]:
        """Return the word after bestmove, and the numbers of the info lines before it.

        After `seconds` it raises a fault, with the reason `late`. An engine that answers a little
        later, after `stop`, keeps its process.
        """
        deadline = time.perf_counter() + seconds
        self._said = ""
        self._say(f"position {position}")
        self._say("isready")
        while self._hear(deadline, late) != "readyok":
            pass
        self._say(f"go {how}")
        info: dict[str, Any] = {}
        try:
            return self._best_move(deadline, info), info
        except ChildTimeout:
            pass
        said = self._last_words()
        try:
            self._say("stop")
            self._best_move(time.perf_counter() + min(seconds, MERCY), info)
        except ChildTimeout:
            self.kill()
            raise AgentFault(f"{late}{said}", kind=FaultKind.STALL) from None
        raise AgentFault(late, kind=FaultKind.TIME)

    def end(self) -> None:
        self._program.end("quit")

    def kill(self) -> None:
        self._program.kill()

    def _best_move(self, deadline: float, info: dict[str, Any]) -> str:
        """Return its answer, and note its info; raise `ChildTimeout` when none has come by then."""
        while True:
            words = self._hear(deadline, None).split()
            if words[:1] == ["info"]:
                info.update(_read_info(words[1:]))
            elif words[:1] == ["bestmove"]:
                self._program.suspend()  # it does not think in the time of its opponent
                return words[1] if len(words) > 1 else ""
            elif words:
                self._said = " ".join(words)

    def _say(self, line: str) -> None:
        try:
            self._program.send(line)
        except ChildEnded as ended:
            raise fault_of(ended) from None

    def _hear(self, deadline: float, late: str | None) -> str:
        """Return its next line; after the deadline it is ended, unless there is nothing to say."""
        try:
            line = self._program.receive(deadline).strip()
            if time.perf_counter() > deadline:  # it says much, and not what it should
                raise ChildTimeout
        except ChildEnded as ended:
            raise fault_of(ended, self._last_words()) from None
        except ChildProtocolError:
            self.kill()
            raise AgentFault("wrote a line without end") from None
        except ChildTimeout:
            if late is None:
                raise
            said = self._last_words()
            self.kill()
            raise AgentFault(f"{late}{said}", kind=FaultKind.STALL) from None
        except BaseException:
            self.kill()  # an answer that is still to come would be taken for the next one
            raise
        if late is not None and line not in ("readyok", "ugiok") and line:
            self._said = line
        return line

    def _last_words(self) -> str:
        return f", and said {shown(self._said)}" if self._said else ""


def _read_info(words: Sequence[str]) -> dict[str, Any]:
    """Return the parts of an info line that are known.

    >>> _read_info("depth 7 score cp -13 nodes 900 pv d d c".split())
    {'depth': 7, 'cp': -13, 'nodes': 900, 'pv': ['d', 'd', 'c'], 'mate': None}
    """
    told: dict[str, Any] = {}
    for place, word in enumerate(words):
        if word == "string":
            break
        if word == "pv":
            told["pv"] = list(words[place + 1 :])
            break
        if word in ("depth", "nodes", "cp", "mate") and place + 1 < len(words):
            text = words[place + 1]
            if re.fullmatch(r"[+-]?\d{1,16}", text) and abs(int(text)) < _MAX_NUMBER:
                told[word] = int(text)
    if "cp" in told:
        told.setdefault("mate", None)
    return told
