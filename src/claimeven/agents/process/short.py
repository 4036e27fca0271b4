"""The usual question and its usual answer between the two processes of an agent, in few bytes.

A question is a position, a limit and the state of a generator, which a function is told with its
first question of a game only; an answer a column and the seconds it took, with the state of the
generator where the agent has drawn from it. Whatever does not fit
(boards beyond 64 bits, other generators, decisions that tell more) goes as `wire` says. The first
byte tells which: JSON begins with a brace.
"""

from __future__ import annotations

import math
import struct
from functools import lru_cache

import numpy as np

from claimeven.agents.contract import Decision, Limit, bare_decision
from claimeven.agents.process.wire import USUAL_GENERATOR, board
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: First bytes of the three.
_QUESTION, _ANSWER, AGAIN = 1, 2, 3
#: First byte; mine, mask.
_DISCS = struct.Struct("<BQQ")
#: Columns, rows, connect; seconds, bank; iterations, depth, nodes.
_TERMS = struct.Struct("<3Bddqqq")
_TERMS_END = _DISCS.size + _TERMS.size
#: The two words of 128 bits, what is left of a number drawn, and whether there is.
_GENERATOR = struct.Struct("<16s16sIB")
#: First byte, column, seconds.
_COLUMN = struct.Struct("<BBd")
#: In place of a quantity that is not limited.
_FREE = -1
#: What a decision tells in five fields that tells a column alone.
_NOTHING = (None,) * 5
_ANSWER_LENGTHS = (_COLUMN.size, _COLUMN.size + _GENERATOR.size)


def question(position: Position, limit: Limit, state: bytes) -> bytes | None:
    """Return a question in few bytes, None if it does not fit.

    `state` is that of the generator, empty for an agent that is to do without.
    """
    try:
        discs = _DISCS.pack(_QUESTION, position.mine, position.mask)
        return discs + _terms(position.geometry, limit) + state
    except struct.error:
        return None


def is_question(data: bytes) -> bool:
    """Whether a message of the parent is a question in few bytes."""
    return data[0] == AGAIN or data[0] == _QUESTION


def again(position: Position, state: bytes) -> bytes | None:
    """Return a question that has board and limit in common with the one before, None if its discs
    do not fit. The game is not over.
    """
    try:
        return _DISCS.pack(AGAIN, position.mine, position.mask) + state
    except struct.error:
        return None


def read_again(data: bytes, geometry: Geometry) -> tuple[Position, bytes]:
    """Read a question of `again`: position and the state of the generator."""
    _, mine, mask = _DISCS.unpack_from(data)
    return Position.going_on(geometry, mine, mask), data[_DISCS.size :]


def read_question(data: bytes) -> tuple[Position, Limit, bytes]:
    """Read a question: position, limit and the state of the generator."""
    _, mine, mask = _DISCS.unpack_from(data)
    geometry, limit = _read_terms(data[_DISCS.size : _TERMS_END])
    return Position.unchecked(geometry, mine, mask), limit, data[_TERMS_END:]


def answer(decision: Decision, state: bytes | None, before: bytes) -> bytes | None:
    """Return a plain decision in few bytes, None if it tells more than a column and its seconds.

    `state` is that of the generator now, `before` what it was when the agent was asked.
    """
    told = (decision.value, decision.policy, decision.score, decision.depth, decision.nodes)
    if decision.details or decision.iterations is not None or told != _NOTHING or state is None:
        return None
    column = _COLUMN.pack(_ANSWER, decision.column, decision.seconds)
    return column if state == before else column + state


def answer_of(column: int, seconds: float) -> bytes:
    """Return the answer that tells a column and its seconds alone."""
    return _COLUMN.pack(_ANSWER, column, seconds)


def is_answer(data: bytes) -> bool:
    """Whether a message of the child is an answer in few bytes."""
    return len(data) in _ANSWER_LENGTHS and data[0] == _ANSWER


def read_answer(data: bytes) -> tuple[Decision, bytes]:
    """Read an answer: the decision, and the state of the generator, empty where it is as it was."""
    _, column, seconds = _COLUMN.unpack_from(data)
    return bare_decision(column, seconds), data[_COLUMN.size :]


def state_of(rng: np.random.Generator) -> bytes | None:
    """Return the state of a generator in few bytes, None for one of an unusual kind."""
    state = rng.bit_generator.state
    if state["bit_generator"] != USUAL_GENERATOR:
        return None
    words = state["state"]
    return _GENERATOR.pack(
        words["state"].to_bytes(16, "little"),
        words["inc"].to_bytes(16, "little"),
        state["uinteger"],
        state["has_uint32"],
    )


def set_state(rng: np.random.Generator, data: bytes) -> None:
    """Put a generator into the state of `state_of`."""
    if state_of(rng) == data:
        return  # as after most moves of agents that draw nothing
    state, increment, left, is_left = _GENERATOR.unpack(data)
    rng.bit_generator.state = {
        "bit_generator": USUAL_GENERATOR,
        "state": {
            "state": int.from_bytes(state, "little"),
            "inc": int.from_bytes(increment, "little"),
        },
        "has_uint32": is_left,
        "uinteger": left,
    }


@lru_cache(maxsize=64)
def _terms(geometry: Geometry, limit: Limit) -> bytes:
    times = [math.nan if time is None else time for time in (limit.seconds, limit.bank)]
    whole = [_FREE if n is None else n for n in (limit.iterations, limit.depth, limit.nodes)]
    return _TERMS.pack(geometry.columns, geometry.rows, geometry.connect, *times, *whole)


@lru_cache(maxsize=64)
def _read_terms(data: bytes) -> tuple[Geometry, Limit]:
    columns, rows, connect, seconds, bank, *whole = _TERMS.unpack(data)
    iterations, depth, nodes = (None if n == _FREE else n for n in whole)
    limit = Limit(
        None if math.isnan(seconds) else seconds,
        iterations,
        depth,
        nodes,
        None if math.isnan(bank) else bank,
    )
    return board(columns, rows, connect), limit
