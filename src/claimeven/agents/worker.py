"""The process of an agent: the agent is made, asked and answered for here.

`main` is what runs in the process that `ProcessAgent` starts. A request is a JSON object whose `do`
names what to do; `answers` says what an answer is.
"""

from __future__ import annotations

import contextlib
import copy
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.agents import codec
from claimeven.agents.base import Agent, AgentFault, kind_of
from claimeven.agents.process.answers import MAX_ANSWER, MAX_LINE, MAX_LINES, MAX_TREE
from claimeven.agents.sanitize import described, printable, traceback_of
from claimeven.agents.source_snapshot import hold
from claimeven.agents.validation import plain, plain_decision
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.parallel.connection import pack, unpack
from claimeven.parallel.system import backend
from claimeven.parallel.worker import Parent

#: MB beyond the limit for saying that there was not enough memory.
LAST_WORDS = 16
#: How willing Linux is to end this process first when memory runs out, 0 to 1000.
OOM_SCORE = 800
#: What may be refused in a sentence: all that is asked before the first game.
_REFUSING = ("make", "check_board", "load")
#: The seed of `random` and `numpy.random` while a file is loaded.
_GLOBAL_SEED = 0x5EED


class Worker:
    """One agent, and what may be asked of it; every method takes and returns plain data."""

    def __init__(self) -> None:
        self.agent: Agent
        self.rng = np.random.default_rng(0)
        self.has_begun = False
        self.memory_mb = 0

    def message(self, data: bytes) -> bytes:
        """Return the answer to a message; whatever is raised becomes part of it.

        An error of this package refuses the agent if that can be. In a game it is a fault like any
        other: the agent played in a full column, say, while it searched.
        """
        request = unpack(data)
        do = request.pop("do")
        try:
            answer = {"value": getattr(self, do)(**request)}
        except BaseException as error:
            answer = self._went_wrong(error, do in _REFUSING)
        try:
            message = pack(answer)
            if len(message) <= MAX_ANSWER:
                return message
            reason = f"answered with {len(message):,} bytes, more than {MAX_ANSWER:,}"
        except Exception as error:
            reason = f"raised {described(error)}"
        return pack({"fault": reason, "traceback": ""})

    def make(
        self, spec: str, file: list[str] | None, memory_mb: int, texts: dict[str, str]
    ) -> dict[str, Any]:
        """Make the agent of a spec: of a file and what to take of it, or by its name.

        `texts` are what files held when play began, a letter a byte.
        """
        self.memory_mb = memory_mb
        backend.limit_memory(memory_mb)
        # A file may draw immediately: the same numbers every time.
        random.seed(_GLOBAL_SEED)
        np.random.seed(_GLOBAL_SEED)
        hold({place: text.encode("latin-1") for place, text in texts.items()})
        self.agent = _made(spec, file)
        return {
            "limits": sorted(str(name) for name in self.agent.limits),
            "stateful": bool(self.agent.stateful),
            "plays": printable(str(self.agent.plays)),
            "is_guess": bool(self.agent.is_guess),
        }

    def check_board(self, geometry: list[int]) -> None:
        """Let the agent object to a board."""
        self.agent.check_board(Geometry(*geometry))

    def load(self, geometry: list[int]) -> None:
        """Let the agent make itself ready."""
        self.agent.load(Geometry(*geometry))

    def reset(self, seed: list[list[int]] | None) -> None:
        """Begin a game, with the seed of its generator if that is known and new."""
        self.has_begun = False
        if seed is not None:
            self._draw_from(seed)
        self.agent.reset()

    def choose(
        self, position: list[int], limit: list[Any], seed: list[list[int]] | None
    ) -> list[Any]:
        """Ask for a decision, which draws from a new generator if there is a seed."""
        if seed is not None or not self.has_begun:
            self._draw_from(seed)
        asked = codec.to_position(position)
        decision = self.agent.choose(asked, codec.to_limit(limit), self.rng)
        return codec.from_decision(plain_decision(decision, asked))

    def trace(self, position: list[int], limit: list[Any]) -> dict[str, Any]:
        """Ask for the steps of the next decision, and what ended them early."""
        lines: list[str] = []
        rng = copy.deepcopy(self.rng)
        try:
            for step in self.agent.trace(codec.to_position(position), codec.to_limit(limit), rng):
                lines.append(printable(str(step), MAX_LINE))
                if len(lines) >= MAX_LINES:
                    break
        except BaseException as error:
            return {"lines": lines, "fault": f"raised {described(error)}"}
        return {"lines": lines, "fault": None}

    def tree(self, depth: int, nodes: int) -> dict[str, Any] | None:
        """Ask for the tree behind the last decision."""
        view = self.agent.tree(depth, nodes)
        if view is None:
            return None
        data = plain(view.data, MAX_TREE, 4 * depth + 4)
        return {"text": str(view.text), "data": data, "svg": str(view.svg)}

    def most_memory(self) -> float | None:
        """Return the most memory that this process has held, in MB."""
        return backend.peak_memory_mb()

    def close(self) -> None:
        """Let the agent give back what it holds."""
        self.agent.close()

    def _draw_from(self, seed: list[list[int]] | None) -> None:
        """Make the generator of a seed, and seed by its state what else the agent may draw from."""
        if seed is not None:
            self.rng = codec.to_generator(seed)
        self.has_begun = True
        word: int = self.rng.bit_generator.state["state"]["state"]
        random.seed(word & 0xFFFF_FFFF_FFFF_FFFF)
        np.random.seed(word >> 64 & 0xFFFF_FFFF)

    def _went_wrong(self, error: BaseException, may_refuse: bool = False) -> dict[str, Any]:
        """Return the answer that reports what was raised."""
        if isinstance(error, AgentFault):
            reason = printable(str(error))
            return {"fault": reason, "traceback": error.traceback, "kind": error.kind}
        if may_refuse and isinstance(error, ClaimevenError):
            traceback = getattr(error, "traceback", "") or traceback_of(error, ours=False)
            return {"invalid": printable(str(error)), "traceback": traceback}
        if isinstance(error, MemoryError) and self.memory_mb:
            backend.limit_memory(self.memory_mb + LAST_WORDS)
        reason = f"raised {described(error)}"
        return {"fault": reason, "traceback": traceback_of(error), "kind": kind_of(error)}


def main(parent: Parent) -> None:
    """Answer the parent's requests until there are no more."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE), encoding="ascii")
    sys.argv = [""]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # files, both
    worker = Worker()
    while (data := _received(parent)) is not None:
        message = worker.message(data)
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except Exception:
            pass  # what the agent did to them is its own affair
        parent.send(message)


def _received(parent: Parent) -> bytes | None:
    """Return the next request; None at the end, or when the memory does not suffice for it."""
    with contextlib.suppress(MemoryError):
        return parent.receive()
    return None


def _made(spec: str, file: list[str] | None) -> Agent:
    """Make the agent of a spec in this process."""
    if file is not None:
        from claimeven.agents.files import load_agent  # noqa: PLC0415 - one of the two is needed

        place, name = file
        return load_agent(spec, place, name)
    from claimeven.agents.external import split_foreign  # noqa: PLC0415 - as above

    foreign = split_foreign(spec)
    if foreign is not None:
        from claimeven.agents.process.sandbox import Sandbox  # noqa: PLC0415 - as above

        kind, text = foreign
        return kind.build(text, spec, Sandbox())
    # Imports every family, which an agent from a file need not wait for.
    from claimeven.agents.registry import build  # noqa: PLC0415 - one of the two is needed

    return build(spec)
