"""The client for an external engine that speaks UGI, the Universal Game Interface.

    we send                             it answers
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
from claimeven.agents.process.agent import LATE_SECONDS
from claimeven.agents.sanitize import printable, shown
from claimeven.parallel.process import ChildTimeout

#: Seconds that an engine has to identify itself, to load, and to be ready later.
START_SECONDS, LOAD_SECONDS, READY_SECONDS = 20.0, 60.0, 10.0
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
    """A running engine. Every failure is an `AgentFault` with its kind, and ends the process.

    `options` has the type of every option that the engine declared. `load_timeout` is the time for
    its first answer and for being ready, by default `START_SECONDS` and `LOAD_SECONDS`.
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
        self._last_line = ""

    @property
    def ended(self) -> bool:
        return self._program.ended

    @property
    def process(self) -> int:
        return self._program.process

    def start(self) -> None:
        """Ask for its name and options."""
        seconds = self._load_timeout or START_SECONDS
        deadline = time.perf_counter() + seconds
        late = f"did not answer ugi by ugiok within {seconds:g} s ({FLUSH} {MORE})"
        self._send("ugi")
        while True:
            line = self._receive(deadline, late)
            if line == "ugiok":
                break
            option = _OPTION.match(line)
            if line.startswith("id name "):
                self.name = printable(line.removeprefix("id name ").strip(), 60)
            elif option:
                self.options[option["name"]] = option["type"]
        self.wait_until_loaded()

    def option(self, name: str) -> str | None:
        """Return the engine's spelling of an option; None if it has no such option."""
        return next((own for own in self.options if own.lower() == name.lower()), None)

    def set_option(self, name: str, value: object) -> None:
        """Set a declared option."""
        self._send(f"setoption name {self.option(name) or name} value {value}")

    def new_game(self) -> None:
        self._send("uginewgame")
        self._wait_until_ready(READY_SECONDS)

    def wait_until_loaded(self) -> None:
        """Wait until it has loaded."""
        self._wait_until_ready(self._load_timeout or LOAD_SECONDS, f" ({MORE})")

    def _wait_until_ready(self, seconds: float, advice: str = "") -> None:
        """Wait until it has handled all commands; skip older lines."""
        deadline = time.perf_counter() + seconds
        late = f"did not answer isready within {seconds:g} s{advice}"
        self._send("isready")
        while self._receive(deadline, late) != "readyok":
            pass

    def search(
        self, position: str, how: str, seconds: float, late: str
    ) -> tuple[str, dict[str, Any]]:
        """Return the word after bestmove, and the numbers of the info lines before it.

        After `seconds` it raises a fault with the reason `late`. The process of an engine that
        answers a little later, after `stop`, is reused.
        """
        deadline = time.perf_counter() + seconds
        self._last_line = ""
        self._send(f"position {position}")
        self._send("isready")
        while self._receive(deadline, late) != "readyok":
            pass
        self._send(f"go {how}")
        info: dict[str, Any] = {}
        try:
            return self._best_move(deadline, info), info
        except ChildTimeout:
            pass
        output = self._shown_output()
        try:
            self._send("stop")
            self._best_move(time.perf_counter() + min(seconds, LATE_SECONDS), info)
        except ChildTimeout:
            self.kill()
            raise AgentFault(f"{late}{output}", kind=FaultKind.STALL) from None
        raise AgentFault(late, kind=FaultKind.TIME)

    def end(self) -> None:
        self._program.end("quit")

    def kill(self) -> None:
        self._program.kill()

    def _best_move(self, deadline: float, info: dict[str, Any]) -> str:
        """Return its move and update `info`; raise `ChildTimeout` after the deadline."""
        while True:
            words = self._receive(deadline, None).split()
            if words[:1] == ["info"]:
                info.update(_read_info(words[1:]))
            elif words[:1] == ["bestmove"]:
                self._program.suspend()  # it must not search in the time of its opponent
                return words[1] if len(words) > 1 else ""
            elif words:
                self._last_line = " ".join(words)

    def _send(self, line: str) -> None:
        with self._program.faults():
            self._program.send(line)

    def _receive(self, deadline: float, late: str | None) -> str:
        """Return its next line; kill it after the deadline if `late` is given."""
        with self._program.faults(late, self._shown_output()):
            line = self._program.receive(deadline).strip()
            if time.perf_counter() > deadline:  # it writes many other lines
                raise ChildTimeout
        if late is not None and line not in ("readyok", "ugiok") and line:
            self._last_line = line
        return line

    def _shown_output(self) -> str:
        return f", last output: {shown(self._last_line)}" if self._last_line else ""


def _read_info(words: Sequence[str]) -> dict[str, Any]:
    """Return the known parts of an info line.

    >>> _read_info("depth 7 score cp -13 nodes 900 pv d d c".split())
    {'depth': 7, 'cp': -13, 'nodes': 900, 'pv': ['d', 'd', 'c'], 'mate': None}
    """
    info: dict[str, Any] = {}
    for place, word in enumerate(words):
        if word == "string":
            break
        if word == "pv":
            info["pv"] = list(words[place + 1 :])
            break
        if word in ("depth", "nodes", "cp", "mate") and place + 1 < len(words):
            text = words[place + 1]
            if re.fullmatch(r"[+-]?\d{1,16}", text) and abs(int(text)) < 2**53:
                info[word] = int(text)
    if "cp" in info:
        info.setdefault("mate", None)
    return info
