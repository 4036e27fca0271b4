"""`ugi:COMMAND`: an engine of another program that speaks UGI, as an agent.

Columns go out and come in as letters, `a` the first, or as numbers from 1: as the engine itself
answers when it is first asked. It is told the moves from the empty board: those of the game where
they are known, others that lead to the same board after an opening.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Decision, Limit
from claimeven.agents.external.base import ForeignKind
from claimeven.agents.external.line_process import (
    brief_command,
    check_command,
    files_of_command,
    split_command,
)
from claimeven.agents.external.ugi_client import Found, UgiEngine
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process.agent import PATIENCE
from claimeven.agents.process.sandbox import MAX_PRINTED as _MOST_PRINTED
from claimeven.agents.process.sandbox import Isolation, Printed
from claimeven.agents.sanitize import shown
from claimeven.agents.validation import checked_column, illegal
from claimeven.game.encodings import to_fen
from claimeven.game.errors import InvalidNotation, InvalidPosition
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.move_order import moves_to
from claimeven.game.notation import parse_column
from claimeven.game.position import Position
from claimeven.suggestions import no_such

#: Seconds for a move where nothing is limited.
USUAL_SECONDS = 1.0
#: Seconds that an engine has to answer when it is asked how it writes a move.
_TRIAL_SECONDS = 5.0
#: Greatest seed, one that every language can hold.
_SEEDS = 2**31
_LETTERS = "abcdefghijklmnop"


class UgiAgent(Agent):
    """An engine behind a command. Raises `InvalidSpec` for what is no command.

    Settings before the program, `Hash=64 ./engine`, are options that the engine declares. Another
    board than the usual one needs its options Columns, Rows and Connect; an option Seed is set for
    each game. A limit in seconds becomes `movetime`, depth and nodes what they are; without one the
    engine has `USUAL_SECONDS` for a move. What it says on stderr goes to ours.
    """

    limits = frozenset(("seconds", "depth", "nodes"))

    def __init__(self, command: str, spec: str, isolation: Isolation) -> None:
        check_command(command)
        self.name = spec
        self._made_of = command, spec, isolation
        self._settings, self._words = split_command(command)
        self._memory_mb, self._load_seconds = isolation.memory, isolation.load_seconds
        self._printed = Printed(spec, 0 if isolation.quiet else _MOST_PRINTED)
        self._geometry = STANDARD
        self._letters: bool | None = None
        self._engine: UgiEngine | None = None
        self._known: Position | None = None
        self._moves: tuple[int, ...] = ()
        self._is_seeded = False

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has an engine of its own, started when it is needed."""
        told = {name: getattr(self, name) for name in ("_geometry", "_letters")}
        return UgiAgent, self._made_of, told

    @property
    def process(self) -> int | None:
        """The number of the engine's process, None while there is none."""
        return None if self._engine is None else self._engine.process

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidSpec` if the engine has no options for another board than the usual one."""
        engine = self._first()
        lacking = [name for name, _ in _board_options(geometry) if engine.option(name) is None]
        if geometry != STANDARD and lacking:
            raise InvalidSpec(f"the engine has no option {', '.join(lacking)}: it plays {STANDARD}")

    def load(self, geometry: Geometry) -> None:
        """Start the engine, set it up, and find out how it writes a move."""
        self._geometry = geometry
        self._set_up(self._first())
        if self._letters is None:
            self._try()

    def reset(self) -> None:
        """Begin a game, with a fresh process where the last one has ended."""
        self._printed.begin()
        self._begin_game()
        self._running().new_game()

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Ask the engine. Raises `AgentFault` for whatever goes wrong."""
        begin = time.perf_counter()
        engine = self._running()
        if position.geometry != self._geometry:
            self._geometry = position.geometry
            self._set_up(engine)
        if not self._is_seeded:
            self._is_seeded = True
            if engine.option("Seed") is not None:
                engine.set_option("Seed", int(rng.integers(_SEEDS)))
        seconds = PATIENCE if math.isinf(limit.longest) else limit.longest
        late = (
            limit.overrun if limit.seconds is not None else f"did not answer within {seconds:g} s"
        )
        try:
            found = engine.search(self._told(position), how_to_go(limit), seconds, late)
        except BaseException:
            self._known = None
            raise
        column = checked_column(self._column(found.move), position)
        self._known = position.play(column)
        self._moves += (column,)
        return self._decision(column, found, position, time.perf_counter() - begin)

    def close(self) -> None:
        """Let the engine quit."""
        if self._engine is not None:
            self._engine.end()
        self._engine = None

    # --- the engine -----------------------------------------------------------------------------

    def _first(self) -> UgiEngine:
        """Return the engine, started if need be. Raises `InvalidSpec` where that fails."""
        try:
            return self._running()
        except AgentFault as fault:
            raise InvalidSpec(f"it {fault}") from None

    def _running(self) -> UgiEngine:
        """Return the engine, started anew if its process has ended. Raises `AgentFault`."""
        if self._engine is not None and not self._engine.ended:
            return self._engine
        again = " again" if self._engine is not None else ""
        self._engine = None
        try:
            engine = UgiEngine(self._words, self._printed, self._memory_mb, self._load_seconds)
            engine.begin()
            self._check_settings(engine)
            self._set_up(engine)
        except AgentFault as fault:
            raise AgentFault(f"could not be started{again}: it {fault}", kind=fault.kind) from None
        self._engine = engine
        return engine

    def _check_settings(self, engine: UgiEngine) -> None:
        for name in self._settings:
            if engine.option(name) is None:
                engine.end()
                raise InvalidSpec(no_such(f"option of {self.name}", name, engine.options))

    def _set_up(self, engine: UgiEngine) -> None:
        for name, value in (*_board_options(self._geometry), *self._settings.items()):
            if engine.option(name) is not None:
                engine.set_option(name, value)
        engine.wait_until_loaded()

    def _try(self) -> None:
        """Ask for a first move, to see whether columns are letters or numbers to the engine.

        One that does not answer is not blamed yet: it is when it plays.
        """
        try:
            found = self._running().search("startpos", "movetime 10", _TRIAL_SECONDS, "late")
            self._column(found.move)
        except AgentFault:
            return

    # --- the game -------------------------------------------------------------------------------

    def _begin_game(self) -> None:
        self._known, self._moves, self._is_seeded = None, (), False

    def _told(self, position: Position) -> str:
        """Return how a position is told: by the moves of the game, or others that lead to it."""
        if self._known is not None:
            for column in self._known.legal_columns:
                if self._known.play(column) == position:
                    self._moves += (column,)
                    return self._as_moves(self._moves)
        try:
            self._moves = moves_to(position)
        except InvalidPosition:
            return f"fen {to_fen(position)}"
        return self._as_moves(self._moves)

    def _as_moves(self, columns: tuple[int, ...]) -> str:
        letters = self._letters is not False
        names = [_LETTERS[column] if letters else str(column + 1) for column in columns]
        return " ".join(["startpos", *(["moves", *names] if names else [])])

    def _column(self, move: str) -> int:
        """Return the column that a move names. Raises `AgentFault`."""
        try:
            column = parse_column(move, self._geometry)
        except InvalidNotation:
            number = self._geometry.columns
            raise illegal(
                f"answered bestmove {shown(move)}, which is no column: choose from a to"
                f" {_LETTERS[number - 1]}, or 1 to {number}"
            ) from None
        if self._letters is None:
            self._letters = move.isalpha()
        return column

    def _decision(self, column: int, found: Found, position: Position, seconds: float) -> Decision:
        told = found.told
        details: dict[str, Any] = {}
        line = _line(told.get("pv", ()), position)
        if line:
            details["line"] = line
        for name in ("cp", "mate"):
            if told.get(name) is not None:
                details[name] = told[name]
        mate = told.get("mate")
        return Decision(
            column,
            value=None if not mate else math.copysign(1.0, mate),
            depth=_count(told.get("depth")),
            nodes=_count(told.get("nodes")),
            seconds=seconds,
            details=details,
        )


def how_to_go(limit: Limit) -> str:
    """Return what follows `go` for a limit.

    >>> how_to_go(Limit(seconds=0.5)), how_to_go(Limit(depth=4)), how_to_go(Limit())
    ('movetime 500', 'depth 4', 'movetime 1000')
    """
    told = []
    if limit.seconds is not None:
        told.append(f"movetime {max(1, round(1000 * limit.seconds))}")
    for name in ("depth", "nodes"):
        if getattr(limit, name) is not None:
            told.append(f"{name} {getattr(limit, name)}")
    return " ".join(told) or f"movetime {round(1000 * USUAL_SECONDS)}"


def _board_options(geometry: Geometry) -> tuple[tuple[str, int], ...]:
    return (("Columns", geometry.columns), ("Rows", geometry.rows), ("Connect", geometry.connect))


def _line(words: Any, position: Position) -> list[int]:
    """Return the columns of a principal variation, as far as they can be played."""
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
    summary="an engine of another program that speaks UGI, the Universal Game Interface",
    build=UgiAgent,
    examples=("ugi:./engine", "ugi:Hash=64 python3 engine.py --quick"),
    notes=(
        "NAME=value before the program sets an option that the engine declares",
        "without a limit it has 1 s for a move",
    ),
    check=check_command,
    files=files_of_command,
    brief=lambda text: f"ugi:{brief_command(text)}",
)
