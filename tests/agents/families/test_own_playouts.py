"""Playout rules from a user's file: `uct-polito:playout=my_file.py:function`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.agents import AgentFault, Decision, InvalidSpec, Limit, make_agent
from claimeven.agents.families.montecarlo import load_playout
from claimeven.compiled.splitmix64 import Stream
from claimeven.game import ClaimevenError

RULES = """
def leftmost(position):
    return position.legal_columns[0]

def drawn(position, stream):
    while True:
        column = stream.below(position.geometry.columns)
        if column in position.legal_columns:
            return column

def perhaps(position, stream=None):
    return position.legal_columns[0] if stream is None else drawn(position, stream)

def off(position):
    return 8

def beside(position):
    return 7

def full(position):
    return 3

def named(position, *, depth=1):
    return position.legal_columns[0]

def words(position):
    return "four"

def three(position, stream, depth):
    return 0

number = 4
"""

METHODS = ("flat", "breadth", "uct-polito", "uct-itu-table", "uct")


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    file = tmp_path / "rules.py"
    file.write_text(RULES)
    return file


def decide(spec: str) -> Decision:
    position, rng = Position.from_moves("4455"), np.random.default_rng(3)
    return make_agent(spec).choose(position, Limit(iterations=80), rng)


@pytest.mark.parametrize("name", METHODS)
def test_a_rule_of_ones_own_is_followed(rules: Path, name: str) -> None:
    """The same rule as `random`, draw for draw, so the same decision."""
    own = decide(f"{name}:playout={rules}:drawn")
    ours = decide(f"{name}:playout=random,backend=python")
    assert own.details["backend"] == "python"
    assert (own.column, own.value, own.policy, own.details["visits"]) == (
        ours.column,
        ours.value,
        ours.policy,
        ours.details["visits"],
    )


def test_a_rule_that_may_take_the_stream_is_given_it(rules: Path) -> None:
    visits = [
        decide(f"uct-aifour:playout={rules}:{name}").details["visits"]
        for name in ("perhaps", "drawn", "leftmost")
    ]
    assert visits[0] == visits[1] != visits[2]


def test_a_rule_of_the_position_alone(rules: Path) -> None:
    visits = [
        decide(f"uct-aifour:playout={rules}:{name}").details["visits"]
        for name in ("leftmost", "leftmost", "named")
    ]
    assert visits[0] == visits[1] == visits[2] != decide("uct-aifour").details["visits"]


@pytest.mark.parametrize(("name", "sentence"), [
    ("off", r"has a playout that answers wrongly: column 8 \(counted from 0\) is not on the board"),
    ("beside", r"has a playout that answers wrongly: column 7 \(counted from 0\) is not on the"),
    ("full", r"has a playout that answers wrongly: column 3 \(counted from 0\) is full"),
    ("words", "returned 'four' instead of a column number"),
])  # fmt: skip
def test_a_rule_that_answers_wrongly(rules: Path, name: str, sentence: str) -> None:
    with pytest.raises(AgentFault, match=sentence):
        decide(f"uct:playout={rules}:{name}")


def test_what_is_no_rule_is_refused(rules: Path) -> None:
    for name, sentence in (
        ("missing", "has nothing called 'missing'"),
        ("number", "is not a function"),
        ("three", "must take a position, or a position and a random stream"),
    ):
        with pytest.raises(InvalidSpec, match=sentence):
            make_agent(f"uct:playout={rules}:{name}")
    with pytest.raises(ClaimevenError, match="unknown playout 'left': choose from random, "):
        make_agent("uct:playout=left")
    with pytest.raises(InvalidSpec, match="a playout of one's own is Python: choose backend=auto"):
        make_agent(f"uct:playout={rules}:drawn,backend=compiled", Geometry())


def test_a_learned_network_plays_out_by_name() -> None:
    """It blocks where a random playout would seldom do so, and draws from the search's stream."""
    agents = [make_agent("uct-menary:playout=ntuple,iterations=6") for _ in "ab"]
    position = Position.from_moves("4455")
    found = [a.choose(position, Limit(), np.random.default_rng(2)).details for a in agents]
    assert found[0] == found[1]
    assert sum(found[0]["visits"]) == 6
    rule = load_playout("ntuple")
    assert not isinstance(rule, str)
    assert rule(Position.from_moves("445566"), Stream(1)) in (2, 6)
    assert rule(Position.from_moves("44556"), Stream(1)) in (2, 6)
    with pytest.raises(InvalidSpec, match=r"missing\.npz cannot be read"):
        make_agent("uct-menary:playout=ntuple-missing.npz")
