"""What goes between the processes of an agent in few bytes comes out as it went in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimeven import Decision, Geometry, Limit, Position
from claimeven.agents.process import short

WHOLE = st.none() | st.integers(1, 2**62)
TIMES = st.floats(1e-6, 1e9)
LIMITS = st.builds(Limit, st.none() | TIMES, WHOLE, WHOLE, WHOLE) | st.builds(
    Limit, TIMES, WHOLE, WHOLE, WHOLE, st.none() | st.floats(0, 1e9)
)
BOARDS = [Geometry(), Geometry(4, 4), Geometry(8, 7), Geometry(3, 16, 3), Geometry(9, 6, 5)]


@given(st.sampled_from(BOARDS), LIMITS, st.integers(0, 2**64), st.integers(0, 3), st.data())
def test_a_question_is_read_as_it_was_asked(
    board: Geometry, limit: Limit, seed: int, drawn: int, data: st.DataObject
) -> None:
    position = Position(board)
    for _ in range(data.draw(st.integers(0, 20))):
        if position.is_over:
            break
        position = position.play(data.draw(st.sampled_from(position.legal_columns)))
    rng, other = np.random.default_rng(seed), np.random.default_rng(0)
    rng.integers(2**32, size=drawn, dtype=np.uint32)  # an odd number leaves half a word
    sent = short.state_of(rng)
    assert sent is not None
    question = short.question(position, limit, sent)
    assert question is not None
    assert short.is_question(question)
    asked, bound, state = short.read_question(question)
    assert (asked, asked.geometry, bound) == (position, board, limit)
    short.set_state(other, state)
    assert other.bit_generator.state == rng.bit_generator.state
    again = short.again(position, sent)
    assert again is not None
    assert short.is_question(again)
    assert len(again) < len(question)
    assert short.read_again(again, board) == (position, sent)


def test_what_does_not_fit_is_left_to_the_long_way() -> None:
    assert short.question(Position(Geometry(9, 9, 5)), Limit(), b"") is not None
    crowded = Position.unchecked(Geometry(9, 9, 5), 0, 1 << 70)
    assert short.question(crowded, Limit(), b"") is None
    assert short.again(crowded, b"") is None
    assert short.question(Position(), Limit(nodes=2**70), b"") is None
    assert short.state_of(np.random.Generator(np.random.MT19937(4))) is None
    assert not short.is_question(b'{"do":"reset"}')


@pytest.mark.parametrize("drawn", [False, True])
def test_an_answer_is_read_as_it_was_given(drawn: bool) -> None:
    rng = np.random.default_rng(5)
    before = short.state_of(rng)
    assert before is not None
    if drawn:
        rng.random()
    told = short.answer(Decision(6, seconds=0.125), short.state_of(rng), before)
    assert told is not None
    assert short.is_answer(told)
    decision, state = short.read_answer(told)
    assert decision == Decision(6, seconds=0.125)
    assert state == (short.state_of(rng) if drawn else b"")


@pytest.mark.parametrize(
    "decision",
    [
        Decision(3, value=0.0),
        Decision(3, (0.0,) * 7),  # type: ignore[arg-type]  # no value: bad on purpose
        Decision(3, score=0),
        Decision(3, depth=0),
        Decision(3, nodes=0),
        Decision(3, iterations=0),
        Decision(3, details={"bank": 1.0}),
    ],
)
def test_a_decision_that_tells_more_goes_the_long_way(decision: Decision) -> None:
    state = short.state_of(np.random.default_rng(0))
    assert state is not None
    assert short.answer(decision, state, state) is None


@pytest.mark.parametrize("data", [b"", b"\x02", b"\x02" * 9, b'{"value":1}', b"\x02" + b"x" * 500])
def test_junk_is_no_answer(data: bytes) -> None:
    assert not short.is_answer(data)
