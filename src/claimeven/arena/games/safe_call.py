"""Safe calls of agents: any failure becomes a fault with a reason in one line.

Answers are checked and returned as plain data (`agents.validation`). Only Ctrl-C is passed on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Decision, FaultKind, Limit, TreeView, kind_of
from claimeven.agents.sanitize import described, printable, printable_lines, traceback_of
from claimeven.agents.validation import checked_answer, plain
from claimeven.game.position import Position
from claimeven.parallel.interrupts import resume_count

#: Characters of a line of a trace, and values in the data of a tree.
MAX_LINE, MAX_TREE = 1_000, 5_000_000


def timed_decision(
    agent: Agent, position: Position, limit: Limit, rng: np.random.Generator
) -> tuple[Decision, float]:
    """Return an agent's decision as plain data, and its time in seconds, measured here.

    The agent's own limit overrides `limit`, except a `time_bank`.

    Raises `AgentFault` if the agent raises anything but KeyboardInterrupt, or exceeds the
    `deadline` of the limit. So does an answer that is not a decision for a playable column. If this
    process was stopped during the call, the limit counts as met.
    """
    resumed, bank = resume_count(), limit.time_bank
    limit = limit.override(agent.own_limit)
    if bank is not None:  # the rest of it, in a game
        limit = replace(limit, time_bank=bank)
    with faults(agent):
        begin = time.perf_counter()
        answer = agent.choose(position, limit, rng)
        seconds = time.perf_counter() - begin
        if limit.seconds is not None and resume_count() != resumed:
            seconds = min(seconds, limit.seconds)
        decision = checked_answer(agent, answer, position)
        late = limit.seconds is not None and agent.timed and seconds > limit.deadline
    if late:
        raise AgentFault(limit.overrun, kind=FaultKind.TIME)
    return decision, seconds


def begin_game(agent: Agent, rng: np.random.Generator | None = None) -> None:
    """Reset an agent, to a game in which it draws from `rng`. Raises `AgentFault` when it fails."""
    with faults():
        if rng is not None:
            agent.note_generator(rng)
        agent.reset()


def checked_trace(
    agent: Agent, position: Position, limit: Limit, rng: np.random.Generator, lines: int
) -> Iterator[str]:
    """Return at most `lines` steps of the next decision, to be read after it; or `AgentFault`."""
    with faults():
        limit = limit.override(agent.own_limit)
        return _checked_lines(iter(agent.trace(position, limit, rng)), lines)


def _checked_lines(steps: Iterator[object], lines: int) -> Iterator[str]:
    for _ in range(lines):
        with faults():
            step = list(islice(steps, 1))
            text = printable(str(step[0]), MAX_LINE) if step else ""
        if not step:
            return
        yield text


def checked_tree(agent: Agent, depth: int, nodes: int) -> TreeView | None:
    """Return the tree behind the last decision, its data plain. Raises `AgentFault`."""
    with faults():
        view = agent.tree(depth, nodes)
        if view is None:
            return None
        data = plain(view.data, MAX_TREE, 4 * depth + 4)
        texts = (view.text, view.svg)
        if not isinstance(data, dict) or not all(isinstance(text, str) for text in texts):
            raise AgentFault("returned a tree that is not a TreeView")
    return TreeView(printable_lines(view.text, 10 * len(view.text)), data, view.svg)


@contextmanager
def faults(agent: Agent | None = None) -> Iterator[None]:
    """Turn any exception of an agent except Ctrl-C into an `AgentFault` that describes it."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # The reason names a callable that was guessed.
        hint = "" if agent is None or not agent.is_guess else f" (it plays {agent.plays})"
        if type(error) is AgentFault:
            fault = AgentFault(printable(str(error)) + hint, error.traceback, error.kind)
        else:
            reason = f"raised {described(error)}{hint}"
            fault = AgentFault(reason, traceback_of(error), kind_of(error))
        raise fault from error
