"""The process of an agent that has one of its own: made, asked and answered for here.

`main` is what runs in the process that `ProcessAgent` starts. A request is a JSON object whose `do`
names what to do; `answers` says what an answer is.
"""

from __future__ import annotations

import contextlib
import random
import re
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.agents.base import Agent, AgentFault, kind_of
from claimeven.agents.process import wire
from claimeven.agents.process.answers import MAX_ANSWER, MAX_LINE, MAX_LINES, MAX_TREE
from claimeven.agents.sanitize import described, printable, traceback_of
from claimeven.agents.source_snapshot import hold
from claimeven.agents.validation import plain, plain_decision
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.processes import Parent

#: MB beyond the bound for saying that there was not enough memory.
LAST_WORDS = 16
#: How willing the kernel is to end this process first when memory runs out, 0 to 1000.
OOM_SCORE = 800
#: What may be refused in a sentence: all that is asked before the first game.
_REFUSING = ("make", "check_board", "load")
#: What `random` and `numpy.random` begin with while a file is loaded.
_GLOBAL_SEED = 0x5EED


class Worker:
    """One agent, and what may be asked of it; every method takes and returns plain data."""

    def __init__(self) -> None:
        self.agent: Agent
        self.rng = np.random.default_rng(0)
        self.game_begun = False
        self.memory_mb = 0

    def message(self, data: bytes) -> bytes:
        """Return the answer to a message."""
        request = wire.unpacked(data)
        do = request.pop("do")
        told = self.answer(getattr(self, do), do in _REFUSING, **request)
        try:
            message = wire.packed(told)
        except Exception as error:
            return wire.packed({"fault": f"raised {described(error)}", "traceback": ""})
        if len(message) > MAX_ANSWER:
            reason = f"answered with {len(message):,} bytes, more than {MAX_ANSWER:,}"
            return wire.packed({"fault": reason, "traceback": ""})
        return message

    def answer(
        self, act: Callable[..., Any], may_refuse: bool, *given: Any, **named: Any
    ) -> dict[str, Any]:
        """Do what is asked; whatever is raised becomes part of the answer.

        An error of this package refuses the agent where that can be. In a game it is a fault as
        any other: the agent played in a full column, say, while it searched.
        """
        try:
            return {"value": act(*given, **named)}
        except BaseException as error:
            return self._went_wrong(error, may_refuse)

    def make(
        self, spec: str, file: list[str] | None, memory_mb: int, texts: dict[str, str]
    ) -> dict[str, Any]:
        """Make the agent of a spec, which names a file and what to take of it, or an agent.

        `texts` are what files held when play began, a letter a byte.
        """
        self.memory_mb = memory_mb
        bound_memory(memory_mb)
        # A file may draw at once: the same numbers every time.
        random.seed(_GLOBAL_SEED)
        np.random.seed(_GLOBAL_SEED)
        hold({place: text.encode("latin-1") for place, text in texts.items()})
        self.agent = _made(spec, file)
        return {
            "limits": sorted(str(name) for name in self.agent.limits),
            "remembers": bool(self.agent.remembers),
            "plays": printable(str(self.agent.plays)),
            "is_guess": bool(self.agent.is_guess),
        }

    def check_board(self, geometry: list[int]) -> None:
        """Let the agent object to a board."""
        self.agent.check_board(Geometry(*geometry))

    def load(self, geometry: list[int]) -> None:
        """Let the agent make itself ready."""
        self.agent.load(Geometry(*geometry))

    def reset(self, rng: list[int] | None = None) -> None:
        """Begin a game, with the state of its generator if it is known."""
        self.game_begun = rng is not None
        if rng is not None:
            _seed_globals(rng)
        self.agent.reset()

    def choose(self, position: list[int], limit: list[Any], rng: list[int]) -> dict[str, Any]:
        """Ask for a decision; the state of the generator comes back if the agent has drawn."""
        wire.set_generator(self.rng, rng)
        if not self.game_begun:
            self.game_begun = True
            _seed_globals(rng)
        asked = wire.to_position(position)
        decision = plain_decision(self.agent.choose(asked, wire.to_limit(limit), self.rng), asked)
        state = wire.state_of(self.rng)
        told = None if state == rng else state
        return {"decision": wire.from_decision(decision), "rng": told}

    def trace(self, position: list[int], limit: list[Any], rng: list[int]) -> dict[str, Any]:
        """Ask for the steps of a decision, and what ended them early."""
        lines: list[str] = []
        wire.set_generator(self.rng, rng)
        asked = wire.to_position(position), wire.to_limit(limit)
        try:
            for step in self.agent.trace(*asked, self.rng):
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

    def most_memory(self) -> float:
        """Tell the most memory that this process has held, in MB."""
        # `getrusage` of Linux knows what the process held that started this one, too.
        with contextlib.suppress(OSError):
            told = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.M)
            if told is not None:
                return int(told[1]) / (1 << 10)
        # Linux counts in KB, macOS in bytes.
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / (1 << 20)

    def close(self) -> None:
        """Let the agent give back what it holds."""
        self.agent.close()

    def _went_wrong(self, error: BaseException, may_refuse: bool = False) -> dict[str, Any]:
        """Return the answer that tells of what was raised."""
        if isinstance(error, AgentFault):
            return {
                "fault": printable(str(error)),
                "traceback": error.traceback,
                "kind": error.kind,
            }
        if may_refuse and isinstance(error, ClaimevenError):
            traceback = getattr(error, "traceback", "") or traceback_of(error, ours=False)
            return {"invalid": printable(str(error)), "traceback": traceback}
        if isinstance(error, MemoryError):
            bound_memory(self.memory_mb + LAST_WORDS)
        return {
            "fault": f"raised {described(error)}",
            "traceback": traceback_of(error),
            "kind": kind_of(error),
        }


def main(ends: tuple[int, int, int]) -> None:
    """Answer the parent's requests until there are no more."""
    parent = Parent(ends)
    _offer_to_be_ended_first()
    sys.argv = [""]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # files, both
    worker = Worker()
    while (data := parent.receive()) is not None:
        message = worker.message(data)
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except Exception:
            pass  # it is the agent's, and its own affair
        parent.send(message)


def _seed_globals(state: list[int]) -> None:
    """Seed what an agent may draw from besides its generator, which is in this state: a number as
    good as any that could be made of it.
    """
    word = state[0]
    random.seed(word & 0xFFFF_FFFF_FFFF_FFFF)
    np.random.seed(word >> 64 & 0xFFFF_FFFF)


def _made(spec: str, file: list[str] | None) -> Agent:
    """Make the agent of a spec in this process."""
    if file is not None:
        from claimeven.agents.files import load_agent  # noqa: PLC0415 - one of the two is needed

        place, name = file
        return load_agent(spec, place, name)
    from claimeven.agents.external.registry import split_foreign  # noqa: PLC0415 - as above

    foreign = split_foreign(spec)
    if foreign is not None:
        from claimeven.agents.process.isolation import Isolation  # noqa: PLC0415 - as above

        kind, text = foreign
        return kind.build(text, spec, Isolation())
    # Brings in every family, which an agent from a file need not wait for.
    from claimeven.agents.registry import build  # noqa: PLC0415 - one of the two is needed

    return build(spec)


def bound_memory(memory_mb: int) -> None:
    """Let this process hold so much memory at most.

    Its data are bounded and not its addresses: Numba, NumPy and threads reserve many more
    addresses than they ever use.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bound = memory_mb << 20
    if hard != resource.RLIM_INFINITY:
        bound = min(bound, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))


def _offer_to_be_ended_first() -> None:
    """Where memory runs out, end this process rather than the one that plays the match."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE), encoding="ascii")
