"""Specs: what names an agent, its options, and the sentence for everything that does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from claimeven import Agent, ClaimevenError, Decision, Geometry, Limit, Position
from claimeven.agents import AGENTS, AgentKind, InvalidSpec, Option, make_agent, make_agents
from claimeven.agents.base import InvalidLimit
from claimeven.agents.external import FOREIGN
from claimeven.agents.options import OLD_NAMES
from claimeven.agents.registry import current_spec, parse_spec
from claimeven.evaluation import InvalidEvaluation

NAMES = ", ".join(AGENTS)
OTHERS = (
    "a Python file such as my_agent.py:agent, or an external program"
    f" {', '.join(kind.form for kind in FOREIGN.values())}"
)
SEARCH_OPTIONS = "depth, eval, view, seconds, nodes, order, start, backend"

CHOICES = f"choose from {NAMES}, {OTHERS}"
DEPTH = "depth takes a whole number from 1 to 256, or full"
SECONDS = "seconds takes a number from 0.001 to 1,000,000"

BAD = [
    ("alphabet", f"there is no agent 'alphabet' (did you mean alphabeta?): {CHOICES}"),
    ("", f"there is no agent '': {CHOICES}"),
    ("kagle:main.py", f"there is no agent 'kagle' (did you mean kaggle?): {CHOICES}"),
    *((p, f"{p}: is incomplete: give {FOREIGN[p].form}") for p in FOREIGN),
    *((f"{p}: ", f"{p}: is incomplete: give {FOREIGN[p].form}") for p in FOREIGN),
    (
        "alphabeta:deep=3",
        f"alphabeta has no option 'deep' (did you mean depth?): it takes {SEARCH_OPTIONS}",
    ),
    ("alphabeta:table=3", f"alphabeta has no option 'table': it takes {SEARCH_OPTIONS}"),
    ("random:depth=3", "random has no option 'depth': it takes none"),
    *((f"alphabeta:depth={x}", f"depth={x} of alphabeta: {DEPTH}") for x in (0, 257, 3.5, "deep")),
    *((f"negamax:seconds={x}", f"seconds={x} of negamax: {SECONDS}") for x in (0, "nan")),
    ("alphabeta:nodes=0", "nodes=0 of alphabeta: nodes takes a whole number from 1"),
    ("alphabeta:order=right", "order=right of alphabeta: order takes center, left"),
    ("alphabeta:start=left", "start=left of alphabeta: start takes search, center"),
    ("alphabeta:backend=gpu", "backend=gpu of alphabeta: backend takes auto, compiled, python"),
    ("negamax:table=29", "table=29 of negamax: table takes a whole number from 0 to 28"),
    ("greedy:win=maybe", "win=maybe of greedy: win takes yes or no"),
    (
        "alphabeta:eval=window",
        "there is no evaluation 'window' (did you mean windows?): choose from sequences, windows,"
        " windows-symmetric, streaks, triples",
    ),
    *(
        (f"alphabeta:{x}", f"{x!r} in 'alphabeta:{x}' is not of the form option=value")
        for x in ("depth", "depth=", "=3")
    ),
    ("alphabeta:depth=3,", "'' in 'alphabeta:depth=3,' is not of the form option=value"),
    ("alphabeta:depth=3,depth=4", "'alphabeta:depth=3,depth=4' has depth twice"),
    (
        "uct:cut=3,playout_cutoff=4",
        "cut is the old name of playout_cutoff: give only playout_cutoff",
    ),
]


@pytest.mark.parametrize(("spec", "sentence"), BAD, ids=[spec for spec, _ in BAD])
def test_bad_specs_are_reported_in_one_sentence(spec: str, sentence: str) -> None:
    with pytest.raises((InvalidSpec, InvalidEvaluation)) as caught:
        make_agent(spec)
    assert str(caught.value) == sentence
    assert isinstance(caught.value, ClaimevenError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "spec",
    [
        *AGENTS,
        "alphabeta:",
        " random ",
        "alphabeta:depth=full,eval=streaks,order=left,start=center,backend=python",
        "minimax: depth = 3 , eval = triples ",
        "negamax:table=0",
        "negamax:table=4,seconds=0.05,nodes=1000",
        "greedy:win=true,block=0",
        "greedy:win=NO",
        "alphabeta-polito:depth=2",
    ],
)
def test_good_specs_name_their_agent(spec: str) -> None:
    assert make_agent(spec).name == spec.strip()


def test_every_agent_lists_its_options() -> None:
    for name, kind in AGENTS.items():
        assert kind.name == name
        assert kind.summary
        names = [option.name for option in kind.options]
        assert len(set(names)) == len(names)
        for option in kind.options:
            assert option.help
            assert option.range
            if option.default is not None:
                shown = option.parse(option.shown_default, name)
                wanted = option.default
                if option.kind == "float":  # of which 6 digits are shown
                    wanted = pytest.approx(option.default, rel=1e-5)
                assert shown == wanted


def test_presets_are_kinds_with_other_defaults() -> None:
    presets = [kind for kind in AGENTS.values() if kind.is_preset]
    assert presets
    for kind in presets:
        origin = AGENTS[kind.name.partition("-")[0]]
        assert [o.name for o in kind.options] == [o.name for o in origin.options]
        assert [o.default for o in kind.options] != [o.default for o in origin.options]


def test_options_of_every_kind() -> None:
    flag = Option("win", "flag", False, "help")
    assert [flag.parse(word, "x") for word in ("yes", "No", "TRUE", "0")] == [
        True,
        False,
        True,
        False,
    ]
    assert (flag.range, flag.shown_default) == ("yes or no", "no")
    number = Option("c", "float", 0.7, "help", 0.0)
    assert (number.parse("1e-3", "x"), number.range) == (0.001, "a number from 0")
    assert number.shown_default == "0.7"
    without_end = Option("c", "float", math.inf, "help")
    assert (without_end.parse("inf", "x"), without_end.range) == (math.inf, "a number, or inf")
    for option, word in [(number, "inf"), (number, "nan"), (without_end, "nan")]:
        with pytest.raises(InvalidSpec, match=f"c={word} of x: c takes a number"):
            option.parse(word, "x")
    assert Option("n", "int", None, "help").shown_default == "-"
    assert Option("n", "int", None, "help").range == "a whole number"
    text = Option("eval", "text", "windows", "help")
    assert (text.parse("a.py:f", "x"), text.range) == ("a.py:f", "a name")
    kind = AgentKind("x", "an agent", (flag, number), lambda options: make_agent("random"))
    assert kind.parse({"c": "2"}) == {"win": False, "c": 2.0}
    assert kind.preset("y", "another", c=3.0).parse({}) == {"win": False, "c": 3.0}


def test_invalid_limits_are_refused() -> None:
    for limits in (3, [Limit()], "ab c"):
        with pytest.raises(
            InvalidLimit, match=r"^limits must be a Limit such as Limit\(seconds=1\), or "
        ):
            make_agents(["random", "greedy"], limits=limits)  # type: ignore[arg-type]  # bad on purpose
    with pytest.raises(
        InvalidLimit, match=r"^a limit must be a Limit such as Limit\(seconds=1\), got 3$"
    ):
        make_agents(["random", "greedy"], limits=[Limit(), 3])  # type: ignore[list-item]  # as above


class Loads(Agent):
    """Raises something while it is loaded."""

    name = "loads"

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        return Decision(position.legal_columns[0])

    def load(self, geometry: Geometry) -> None:
        raise self.error

    def close(self) -> None:
        raise AssertionError("it belongs to another caller")


def test_errors_while_loading_are_reported() -> None:
    with pytest.raises(InvalidSpec) as caught:
        make_agents(["random", Loads(ValueError("two\nlines"))])
    assert str(caught.value) == "loads cannot be loaded: it raised ValueError: two"
    assert "two" in caught.value.traceback
    with pytest.raises(InvalidSpec, match=r"^loads cannot be loaded: no board$"):
        make_agents([Loads(ClaimevenError("no board"))])
    for error in (KeyboardInterrupt(), MemoryError()):
        with pytest.raises(type(error)):
            make_agents([Loads(error)])


def test_specs_with_old_names_of_options_are_read() -> None:
    old = "uct:first=order,cut=3,least_wins=0,choice=mean,decisive=root,table=off"
    new = (
        "uct:first_play=order,playout_cutoff=3,min_wins=0,final_choice=mean,decisive_moves=root,"
        "transpositions=off"
    )
    assert current_spec(old) == new == current_spec(new)
    assert parse_spec(old) == parse_spec(new)
    assert set(OLD_NAMES.values()) <= {option.name for option in AGENTS["uct"].options}
    for other in ("negamax:table=4", "uct", "bots/ann.py:agent", "uct:first", "nobody:cut=1"):
        assert current_spec(other) == other
