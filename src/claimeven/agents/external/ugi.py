"""`ugi:COMMAND`: an external engine that speaks UGI, the Universal Game Interface, as an agent.

Columns are written as letters from `a` or as numbers from 1, like in the engine's first answer. The
engine gets the moves of the game from the empty board, or other moves to a position if unknown.

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

import math
import re
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from claimeven.agents.base import AgentFault, Decision, FaultKind, Limit
from claimeven.agents.external import line_process
from claimeven.agents.external.line_process import FLUSH, MORE, ForeignKind, Program, ProgramAgent
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process.agent import LATE_SECONDS
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.sanitize import printable, shown
from claimeven.agents.validation import checked_column, illegal
from claimeven.game.encodings import to_fen
from claimeven.game.errors import InvalidNotation, InvalidPosition
from claimeven.game.game_line import moves_to
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import parse_column
from claimeven.game.position import Position
from claimeven.parallel.process import ChildTimeout
from claimeven.suggestions import no_such

#: Seconds for a move without a limit, and for the first answer, which shows its form of a move.
DEFAULT_SECONDS, _TRIAL_SECONDS = 1.0, 5.0
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
        self.program = Program(words, on_output, memory_mb)
        self._last_line = ""

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
        self.wait_until_loaded(READY_SECONDS, "")

    def wait_until_loaded(self, seconds: float = 0.0, advice: str = f" ({MORE})") -> None:
        seconds = seconds or self._load_timeout or LOAD_SECONDS
        late = f"did not answer isready within {seconds:g} s{advice}"
        self._wait_until_ready(time.perf_counter() + seconds, late)

    def _wait_until_ready(self, deadline: float, late: str) -> None:
        """Wait until it has handled all commands; skip older lines."""
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
        self._wait_until_ready(deadline, late)
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
            self.program.kill()
            raise AgentFault(f"{late}{output}", kind=FaultKind.STALL) from None
        raise AgentFault(late, kind=FaultKind.TIME)

    def _best_move(self, deadline: float, info: dict[str, Any]) -> str:
        """Return its move and update `info`; raise `ChildTimeout` after the deadline."""
        while True:
            words = self._receive(deadline, None).split()
            if words[:1] == ["info"]:
                info.update(_read_info(words[1:]))
            elif words[:1] == ["bestmove"]:
                self.program.suspend()  # it must not search in the time of its opponent
                return words[1] if len(words) > 1 else ""
            elif words:
                self._last_line = " ".join(words)

    def _send(self, line: str) -> None:
        with self.program.faults():
            self.program.send(line)

    def _receive(self, deadline: float, late: str | None) -> str:
        """Return its next line; kill it after the deadline if `late` is given."""
        with self.program.faults(late, self._shown_output()):
            line = self.program.receive(deadline).strip()
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


class UgiAgent(ProgramAgent):
    """An engine behind a command. Raises `InvalidSpec` for an invalid command.

    Settings before the program, `Hash=64 ./engine`, are options that the engine declares. Another
    board than 7x6 needs its options Columns, Rows and Connect; an option Seed is set for each game.
    A limit in seconds becomes `movetime`, depth and nodes are passed on; without one the engine has
    `DEFAULT_SECONDS` for a move. Its stderr goes to ours.
    """

    limits: frozenset[str] = frozenset(("seconds", "depth", "nodes"))
    copied = (*ProgramAgent.copied, "_geometry", "_letters")

    def __init__(self, command: str, spec: str, sandbox: Sandbox) -> None:
        line_process.check_command(command)
        super().__init__(command, spec, sandbox)
        self._settings, self._words = line_process.split_command(command)
        self._memory_mb = sandbox.memory_bound_mb
        self._geometry = STANDARD
        self._letters: bool | None = None
        self._engine: UgiClient | None = None
        self._known: Position | None = None
        self._moves: tuple[int, ...] = ()
        self._is_seeded = False

    @property
    def process(self) -> int | None:
        """The id of the engine's process; None if it is not running."""
        return None if self._engine is None else self._engine.program.process

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidSpec` if the engine lacks the options for another board than 7x6."""
        engine = self._started()
        lacking = [name for name, _ in _board_options(geometry) if engine.option(name) is None]
        if geometry != STANDARD and lacking:
            raise InvalidSpec(f"the engine has no option {', '.join(lacking)}: it plays {STANDARD}")

    def load(self, geometry: Geometry) -> None:
        self._geometry = geometry
        self._set_up(self._started())
        if self._letters is None:
            try:
                words = self._running().search("startpos", "movetime 10", _TRIAL_SECONDS, "late")[0]
                self._column(words)
            except AgentFault:
                return  # it is a fault when it plays

    def reset(self) -> None:
        super().reset()
        self._known, self._moves, self._is_seeded = None, (), False
        self._running().new_game()

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Ask the engine for a move. Raises `AgentFault` if anything fails."""
        begin = time.perf_counter()
        engine = self._running()
        if position.geometry != self._geometry:
            self._geometry = position.geometry
            self._set_up(engine)
        if not self._is_seeded:
            self._is_seeded = True
            if engine.option("Seed") is not None:
                engine.set_option("Seed", int(rng.integers(2**31)))
        try:
            move, info = engine.search(self._words_for(position), go_words(limit), *limit.patience)
        except BaseException:
            self._known = None
            raise
        column = checked_column(self._column(move), position)
        self._known = position.play(column)
        self._moves += (column,)
        mate, line = info.get("mate"), _playable(info.get("pv", ()), position)
        details = {n: info[n] for n in ("cp", "mate") if info.get(n) is not None}
        return Decision(
            column,
            value=math.copysign(1.0, mate) if mate else None,
            depth=_count(info.get("depth")),
            nodes=_count(info.get("nodes")),
            seconds=time.perf_counter() - begin,
            details={"line": line, **details} if line else details,
        )

    def close(self) -> None:
        if self._engine is not None:
            self._engine.program.end("quit")
        self._engine = None
        self._output.close()

    def _started(self) -> UgiClient:
        try:
            return self._running()
        except AgentFault as fault:
            raise InvalidSpec(f"it {fault}") from None

    def _running(self) -> UgiClient:
        """Return the engine, restarted if its process has ended. Raises `AgentFault`."""
        if self._engine is not None and not self._engine.program.ended:
            return self._engine
        again = " again" if self._engine is not None else ""
        self._engine = None
        try:
            engine = UgiClient(self._words, self._output, self._memory_mb, self._load_timeout)
            engine.start()
            for name in self._settings:
                if engine.option(name) is None:
                    engine.program.end("quit")
                    raise InvalidSpec(no_such(f"option of {self.name}", name, engine.options))
            self._set_up(engine)
        except AgentFault as fault:
            raise AgentFault(f"could not be started{again}: it {fault}", kind=fault.kind) from None
        self._engine = engine
        return engine

    def _set_up(self, engine: UgiClient) -> None:
        for name, value in (*_board_options(self._geometry), *self._settings.items()):
            if engine.option(name) is not None:
                engine.set_option(name, value)
        engine.wait_until_loaded()

    def _words_for(self, position: Position) -> str:
        """Return a position in UGI: by the moves of the game, or by others that lead to it."""
        moves = None
        if self._known is not None:
            for column in self._known.legal_columns:
                if self._known.play(column) == position:
                    moves = (*self._moves, column)
        if moves is None:
            try:
                moves = moves_to(position)
            except InvalidPosition:
                return f"fen {to_fen(position)}"
        self._moves = moves
        names = [move_text(column, self._letters is not False) for column in moves]
        return " ".join(["startpos", *(["moves", *names] if names else [])])

    def _column(self, move: str) -> int:
        try:
            column = parse_column(move, self._geometry)
        except InvalidNotation:
            number = self._geometry.columns
            raise illegal(
                f"answered bestmove {shown(move)}, which is not a column: choose from a to"
                f" {LETTERS[number - 1]}, or 1 to {number}"
            ) from None
        if self._letters is None:
            self._letters = move.isalpha()
        return column


def go_words(limit: Limit) -> str:
    """Return the arguments of `go` for a limit.

    >>> go_words(Limit(seconds=0.5)), go_words(Limit(depth=4)), go_words(Limit())
    ('movetime 500', 'depth 4', 'movetime 1000')
    """
    words = []
    if limit.seconds is not None:
        words.append(f"movetime {max(1, round(1000 * limit.seconds))}")
    for name in ("depth", "nodes"):
        if getattr(limit, name) is not None:
            words.append(f"{name} {getattr(limit, name)}")
    return " ".join(words) or f"movetime {round(1000 * DEFAULT_SECONDS)}"


def _board_options(geometry: Geometry) -> tuple[tuple[str, int], ...]:
    return (("Columns", geometry.columns), ("Rows", geometry.rows), ("Connect", geometry.connect))


def _playable(words: Iterable[str], position: Position) -> list[int]:
    """Return the columns of a principal variation up to the first illegal one."""
    line: list[int] = []
    for word in words:
        try:
            column = parse_column(word, position.geometry)
        except InvalidNotation:
            break
        if column not in position.legal_columns:
            break
        line.append(column)
        position = position.play_unchecked(column)
    return line


def _count(number: int | None) -> int | None:
    return number if number is not None and number >= 0 else None


KIND = ForeignKind(
    prefix="ugi",
    form="ugi:COMMAND",
    summary="an external engine that speaks UGI, the Universal Game Interface",
    build=UgiAgent,
    examples=("ugi:./engine", "ugi:Hash=64 python3 engine.py --quick"),
    notes=(
        "NAME=value before the program sets an option that the engine declares",
        "without a limit it has 1 s for a move",
    ),
    check=line_process.check_command,
    files=line_process.files_of_command,
    brief=lambda text: f"ugi:{line_process.brief_command(text)}",
)
