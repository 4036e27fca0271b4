"""`ugi:COMMAND`: an external engine that speaks UGI, as an agent.

Columns are written as letters from `a` or as numbers from 1, like in the engine's first answer. The
engine gets the moves of the game from the empty board, or other moves to a position if unknown.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

import numpy as np

from claimeven.agents.base import AgentFault, Decision, Limit
from claimeven.agents.external import line_process
from claimeven.agents.external.base import ForeignKind, ProgramAgent
from claimeven.agents.external.ugi_client import LETTERS, UgiClient, move_text
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.sanitize import shown
from claimeven.agents.validation import checked_column, illegal
from claimeven.game.encodings import to_fen
from claimeven.game.errors import InvalidNotation, InvalidPosition
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.move_order import moves_to
from claimeven.game.notation import parse_column
from claimeven.game.position import Position
from claimeven.suggestions import no_such

#: Seconds for a move without a limit, and for the first answer, which shows its form of a move.
DEFAULT_SECONDS, _TRIAL_SECONDS = 1.0, 5.0


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
        return None if self._engine is None else self._engine.process

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
            self._engine.end()
        self._engine = None
        self._output.close()

    def _started(self) -> UgiClient:
        try:
            return self._running()
        except AgentFault as fault:
            raise InvalidSpec(f"it {fault}") from None

    def _running(self) -> UgiClient:
        """Return the engine, restarted if its process has ended. Raises `AgentFault`."""
        if self._engine is not None and not self._engine.ended:
            return self._engine
        again = " again" if self._engine is not None else ""
        self._engine = None
        try:
            engine = UgiClient(self._words, self._output, self._memory_mb, self._load_timeout)
            engine.start()
            for name in self._settings:
                if engine.option(name) is None:
                    engine.end()
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
