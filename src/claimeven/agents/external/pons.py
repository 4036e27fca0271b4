"""`pons:COMMAND`: a solver with the command line of Pons's connect4, as an agent and for scores.

The program reads a move string in each line and answers with a line of it and

    the score                         4455 18
    score, nodes, microseconds        4455 18 1 12
    the scores of all columns         4455 18 18 -2 -2 18 18 18     (-1000 or . if full)

All three forms are understood. The scores are Pons's, as everywhere in claimeven.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from claimeven.agents.base import AgentFault, Decision, FaultKind, Limit, one_hot
from claimeven.agents.external import line_process
from claimeven.agents.external.line_process import ForeignKind, ProgramAgent
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.sanitize import shown
from claimeven.agents.validation import illegal
from claimeven.game.game_line import moves_to
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import format_moves
from claimeven.game.position import Position

PREFIX = "pons:"
#: The words for the score of a full column.
FULL = ("-1000", ".")
#: The count of numbers in an answer with nodes and time.
_WITH_EFFORT = 3
#: Seconds for the start and the first answer.
START_SECONDS = 30.0


class PonsSolver:
    """Exact scores from a program with Pons's command line, for the positions of one board.

    Raises `InvalidSpec` for an invalid command; every failure of the program is an `AgentFault`.
    The program runs until `close`. `seconds` limits each question as a whole.
    """

    def __init__(
        self,
        command: str,
        geometry: Geometry = STANDARD,
        on_output: Callable[[str], None] | None = None,
        memory_mb: int | None = None,
    ) -> None:
        line_process.check_command(command)
        _, self._words = line_process.split_command(command)
        self.geometry = geometry
        self._output = on_output or (lambda text: print(text, end="", file=sys.stderr))
        self._memory_mb = memory_mb
        self._program: line_process.Program | None = None

    def score(self, position: Position, seconds: float = math.inf) -> int:
        """Return the score of a position for its side to move."""
        deadline = time.perf_counter() + seconds
        numbers = self._ask(position, deadline)
        if len(numbers) in (1, _WITH_EFFORT) and len(numbers) != self.geometry.columns:
            if numbers[0] is not None:
                return numbers[0]
        elif any(score is not None for score in numbers):
            return max(score for score in numbers if score is not None)
        raise illegal("answered without a score")

    def scores(self, position: Position, seconds: float = math.inf) -> tuple[int | None, ...]:
        """Return the score of every column for the side to move, None for a full one."""
        deadline = time.perf_counter() + seconds
        numbers = self._ask(position, deadline)
        legal = position.legal_columns
        if len(numbers) == self.geometry.columns:
            if any((score is not None) != (c in legal) for c, score in enumerate(numbers)):
                raise illegal("answered with scores that do not match the legal columns")
            return tuple(numbers)
        from claimeven.solver.scores import final_score  # noqa: PLC0415 - for a quick start

        scores: list[int | None] = [None] * self.geometry.columns
        for column in legal:
            after = position.play_unchecked(column)
            left = deadline - time.perf_counter()
            scores[column] = -final_score(after) if after.is_over else -self.score(after, left)
        return tuple(scores)

    def try_out(self, seconds: float, advice: str = line_process.FLUSH) -> None:
        """Ask for the score of a late position. Raises `AgentFault` if the answer is not valid."""
        if self.geometry.columns == _WITH_EFFORT:
            raise AgentFault("cannot be used on three columns: its answers are ambiguous")
        try:
            self.score(_late_position(self.geometry), seconds)
        except AgentFault as fault:
            if fault.kind is FaultKind.STALL:
                reason = f"did not answer within {seconds:g} s ({advice})"
                raise AgentFault(reason, kind=fault.kind) from None
            raise

    def close(self) -> None:
        if self._program is not None:
            self._program.end()
        self._program = None

    def _ask(self, position: Position, deadline: float) -> list[int | None]:
        """Return the numbers of an answer, None for the score of a full column."""
        moves = format_moves(moves_to(position), self.geometry)
        if self._program is None or self._program.ended:
            self._program = line_process.Program(self._words, self._output, self._memory_mb)
        with self._program.faults("did not answer in time"):
            self._program.send(moves)
            line = self._program.receive(min(deadline, time.perf_counter() + 1e9))
        return self._read(line, moves)

    def _read(self, line: str, moves: str) -> list[int | None]:
        words = line.split()
        if moves and words[:1] == [moves]:
            del words[0]
        elif moves or not words:
            raise self._wrong(f"answered {shown(line)} to {shown(moves)}")
        numbers: list[int | None] = []
        with suppress(ValueError):
            numbers = [None if word in FULL else int(word[:20]) for word in words]
        scores = numbers[:1] if len(numbers) == _WITH_EFFORT else numbers
        is_known_form = len(numbers) in (1, _WITH_EFFORT, self.geometry.columns)
        if not is_known_form or any(abs(score or 0) > self.geometry.cells for score in scores):
            raise self._wrong(f"answered {shown(line)}: expected a score, or one for each column")
        return numbers

    def _wrong(self, reason: str) -> AgentFault:
        """Kill the program, whose answers may be out of step, and return the fault."""
        if self._program is not None:
            self._program.kill()
        return illegal(reason)


class PonsAgent(ProgramAgent):
    """Plays by the scores of a program: the most central of the best columns."""

    limits: frozenset[str] = frozenset(("seconds",))

    def __init__(self, command: str, spec: str, sandbox: Sandbox) -> None:
        super().__init__(command, spec, sandbox)
        self.solver: PonsSolver = PonsSolver(
            command, STANDARD, self._output, sandbox.memory_bound_mb
        )

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidSpec` if the program does not solve a position of a board."""
        self.solver.geometry = geometry
        try:
            self.solver.try_out(
                self._load_timeout or START_SECONDS, f"{line_process.FLUSH} {line_process.MORE}"
            )
        except AgentFault as fault:
            raise InvalidSpec(f"it {fault}") from None

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Ask for the scores of the columns. Raises `AgentFault` if anything fails."""
        begin = time.perf_counter()
        self.solver.geometry = position.geometry
        seconds, late = limit.patience
        try:
            scores = self.solver.scores(position, seconds)
        except AgentFault as fault:
            if fault.kind is not FaultKind.STALL:
                raise
            raise AgentFault(late, kind=FaultKind.STALL) from None
        best = max(score for score in scores if score is not None)
        column = next(c for c in position.geometry.center_order if scores[c] == best)
        return Decision(
            column,
            value=float((best > 0) - (best < 0)),
            policy=one_hot(column, position.geometry.columns),
            score=best,
            seconds=time.perf_counter() - begin,
            details={"values": list(scores), "values_are": "score"},
        )

    def close(self) -> None:
        self.solver.close()
        self._output.close()


def solver_of(spec: str, geometry: Geometry = STANDARD) -> PonsSolver:
    """Return the tested solver of a spec `pons:COMMAND`. Raises `InvalidSpec` without one."""
    if not spec.strip().startswith(PREFIX):
        raise InvalidSpec(f"another solver must be given as {KIND.form}, got {shown(spec)}")
    command = spec.strip().removeprefix(PREFIX)
    KIND.check_text(command)
    solver = PonsSolver(command, geometry)
    try:
        solver.try_out(START_SECONDS)
    except AgentFault as fault:
        solver.close()
        raise InvalidSpec(f"{spec} does not answer as a solver: it {fault}") from None
    return solver


def _late_position(geometry: Geometry) -> Position:
    """Return a position with few empty cells, the same one each time."""
    rng = random.Random(0)
    latest = Position(geometry)
    for _ in range(1000):
        position = Position(geometry)
        while not position.is_over and geometry.cells - latest.ply > 5:
            latest = max(latest, position, key=lambda each: each.ply)
            position = position.play_unchecked(rng.choice(position.legal_columns))
    return latest


KIND = ForeignKind(
    prefix="pons",
    form="pons:COMMAND",
    summary="a solver with the command line of Pons's connect4: plays the best column",
    build=PonsAgent,
    examples=("pons:./c4solver -b 7x6.book", "pons:claimeven solve --pons -a"),
    notes=("claimeven solve --solver and --against take its scores",),
    check=line_process.check_command,
    files=line_process.files_of_command,
    brief=lambda text: f"pons:{line_process.brief_command(text)}",
)
