"""The process of an agent: it makes the agent and answers requests.

`ProcessAgent` starts a process that runs `main`. A request is a JSON object whose `do` is the name
of a method of `AgentWorker`; `codec` documents the answers.
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
from claimeven.agents.base import Agent, AgentFault, Limit, kind_of
from claimeven.agents.codec import MAX_ANSWER, MAX_LINE, MAX_LINES, MAX_TREE
from claimeven.agents.sanitize import described, printable, traceback_of
from claimeven.agents.source_snapshot import store_sources
from claimeven.agents.validation import plain, plain_decision
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.parallel.connection import Parent, pack, unpack
from claimeven.parallel.system import backend

#: MB that Python takes with our modules, MB beyond it and the limit for the report of a lack of
#: memory, and the preference of Linux (0 to 1000) to kill this process first if memory runs out.
PYTHON_MB, REPORT_MB, OOM_SCORE = 64, 16, 800
#: The requests before the first game: their errors reject the agent.
_REFUSING = ("make", "check_board", "load")
#: The seed of `random` and `numpy.random` while a file is loaded.
_GLOBAL_SEED = 0x5EED


class AgentWorker:
    """One agent and the requests to it; each public method takes and returns plain data."""

    def __init__(self) -> None:
        self.agent: Agent
        self.rng = np.random.default_rng(0)
        self.has_started = False
        self.memory_mb = 0

    def message(self, data: bytes) -> bytes:
        """Return the answer to a message; an exception becomes part of the answer.

        An error of this package rejects the agent before the first game. During a game it is a
        fault: the agent's search played in a full column, for example.
        """
        request = unpack(data)
        do = request.pop("do")
        try:
            answer = {"value": getattr(self, do)(**request)}
        except BaseException as error:
            answer = self._error_answer(error, do in _REFUSING)
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
        """Make the agent of a spec or a file and a name; `texts` are files' contents as Latin-1."""
        self.memory_mb = memory_mb
        backend.limit_memory(memory_mb)
        # A file may draw while it is loaded: the same numbers every time.
        random.seed(_GLOBAL_SEED)
        np.random.seed(_GLOBAL_SEED)
        store_sources({place: text.encode("latin-1") for place, text in texts.items()})
        self.agent = self.build(spec, file)
        return {
            "limits": sorted(str(name) for name in self.agent.limits),
            "stateful": bool(self.agent.stateful),
            "plays": printable(str(self.agent.plays)),
            "is_guess": bool(self.agent.is_guess),
        }

    def build(self, spec: str, file: list[str] | None) -> Agent:
        """Make the agent of a spec, or of a file and a name, in this process."""
        if file is not None:
            from claimeven.agents.files import load_agent  # noqa: PLC0415 - only one is needed

            place, name = file
            return load_agent(spec, place, name)
        from claimeven.agents.external import split_foreign  # noqa: PLC0415 - as above

        foreign = split_foreign(spec)
        if foreign is not None:
            from claimeven.agents.process.sandbox import Sandbox  # noqa: PLC0415 - as above

            kind, text = foreign
            return kind.build(text, spec, Sandbox())
        # This imports every family of agents.
        from claimeven.agents.registry import build  # noqa: PLC0415 - as above

        return build(spec)

    def check_board(self, geometry: list[int]) -> None:
        self.agent.check_board(Geometry(*geometry))

    def load(self, geometry: list[int]) -> None:
        self.agent.load(Geometry(*geometry))

    def reset(self, seed: list[list[int]] | None) -> None:
        """Start a game, with the seed of its generator if that is new."""
        self.has_started = False
        if seed is not None:
            self._seed(seed)
        self.agent.reset()

    def choose(
        self, position: list[int], limit: list[Any], seed: list[list[int]] | None
    ) -> list[Any]:
        """Ask for a decision; a seed makes a new generator for it."""
        if seed is not None or not self.has_started:
            self._seed(seed)
        parsed = codec.to_position(position)
        decision = self.agent.choose(parsed, Limit(*limit), self.rng)
        return codec.from_decision(plain_decision(decision, parsed))

    def trace(self, position: list[int], limit: list[Any]) -> dict[str, Any]:
        """Ask for the steps of the next decision, and the fault that stopped them early."""
        lines: list[str] = []
        rng = copy.deepcopy(self.rng)
        try:
            for step in self.agent.trace(codec.to_position(position), Limit(*limit), rng):
                lines.append(printable(str(step), MAX_LINE))
                if len(lines) >= MAX_LINES:
                    break
        except BaseException as error:
            return {"lines": lines, "fault": f"raised {described(error)}"}
        return {"lines": lines, "fault": None}

    def tree(self, depth: int, nodes: int) -> dict[str, Any] | None:
        view = self.agent.tree(depth, nodes)
        if view is None:
            return None
        data = plain(view.data, MAX_TREE, 4 * depth + 4)
        return {"text": str(view.text), "data": data, "svg": str(view.svg)}

    def peak_memory(self) -> float | None:
        return backend.peak_memory_mb()

    def close(self) -> None:
        self.agent.close()

    def _seed(self, seed: list[list[int]] | None) -> None:
        """Make the generator of a seed, and seed `random` and `numpy.random` by its state."""
        if seed is not None:
            self.rng = codec.to_generator(seed)
        self.has_started = True
        word: int = self.rng.bit_generator.state["state"]["state"]
        random.seed(word & 0xFFFF_FFFF_FFFF_FFFF)
        np.random.seed(word >> 64 & 0xFFFF_FFFF)

    def _error_answer(self, error: BaseException, may_refuse: bool = False) -> dict[str, Any]:
        if isinstance(error, AgentFault):
            reason = printable(str(error))
            return {"fault": reason, "traceback": error.traceback, "kind": error.kind}
        if may_refuse and isinstance(error, ClaimevenError):
            traceback = getattr(error, "traceback", "") or traceback_of(error, ours=False)
            return {"invalid": printable(str(error)), "traceback": traceback}
        if isinstance(error, MemoryError) and self.memory_mb:
            backend.limit_memory(max(self.memory_mb, PYTHON_MB) + REPORT_MB)
        reason = f"raised {described(error)}"
        return {"fault": reason, "traceback": traceback_of(error), "kind": kind_of(error)}


def main(parent: Parent, worker: AgentWorker | None = None) -> None:
    """Answer the requests of the parent."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE), encoding="ascii")
    sys.argv = [""]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # files, both
    worker = worker or AgentWorker()
    while (data := _receive(parent)) is not None:
        message = worker.message(data)
        with contextlib.suppress(Exception):  # the agent may have closed or replaced them
            sys.stdout.flush()
            sys.stderr.flush()
        parent.send(message)


def _receive(parent: Parent) -> bytes | None:
    """Return the next request; None at the end, or if memory is too short for it."""
    with contextlib.suppress(MemoryError):
        return parent.receive()
    return None
