"""A person asked outside of `play`: in a match, by `think`, by `check`."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from claimeven import Geometry, Limit, Position, make_agent
from claimeven.agents import AgentFault


def test_a_person_is_asked_until_a_column_can_be_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    human, rng = make_agent("human"), np.random.default_rng(0)
    assert not human.timed  # a person may take longer than --seconds
    board = Position.from_moves("aaaab", Geometry(12, 4))
    monkeypatch.setattr(sys, "stdin", io.StringIO("x\n\na\n b \n"))
    decision = human.choose(board, Limit(seconds=1), rng)
    assert decision.column == 1
    assert decision.seconds > 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"{board}\nRed, column a to l: ")
    assert err.count("Red, column a to l: ") == 4
    assert "'x' is not a column: choose from a to l\n" in err
    assert err.count("is not a column") == 2
    assert "column a is full\n" in err
    with pytest.raises(AgentFault, match="did not get a column: end of input"):
        human.choose(Position(), Limit(), rng)
