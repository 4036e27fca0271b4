"""Tuning: a planted optimum is found, by any executor; the values to try."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Limit, Position
from claimeven.agents import Agent, Decision, InvalidSpec, make_agent
from claimeven.arena import InvalidMatch, Try, TuneResult, tune
from claimeven.arena.tuning_space import default_space, values_of, with_options
from claimeven.errors import ClaimevenError

#: The value at which the agent below is strongest.
OPTIMUM = 0.3


class Planted(Agent):
    """Plays well with a probability that is 1 at the optimum, and 0 at a distance of a half."""

    def __init__(self, x: float = 0.9, word: str = "well") -> None:
        self.name = f"planted {x} {word}"
        self.skill = max(0.0, 1 - 2 * abs(x - OPTIMUM)) * (word == "well")
        self.good = make_agent("greedy:win=yes,block=yes")

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        if rng.random() < self.skill:
            return self.good.choose(position, limit, rng)
        return Decision(int(rng.choice(position.legal_columns)))


def plain(result: TuneResult) -> dict[str, Any]:
    return {**result.as_dict(), "seconds": 0}


def test_a_planted_optimum_is_found() -> None:
    space = {"x": "0.0..1", "word": "well,badly"}
    result = tune(Planted, space, against="greedy:block=yes", tries=25, games=60, final_games=80)
    assert result.best is not None and result.given is None
    assert abs(float(result.best.options["x"]) - OPTIMUM) < 0.1
    assert result.best.options["word"] == "well"
    low, high = result.best.interval
    assert low < result.best.score < high and low > 0.35
    # Clearly worse tries stop early, and the curve never falls.
    assert {len(each.games) for each in result.tries} > {60}
    best = [each.best for each in result.tries]
    assert best == sorted(best)
    assert best[-1] == max(each.score for each in result.tries if not each.stopped)


def test_any_number_of_processes_finds_the_same(tmp_path: Path) -> None:
    space = {"win": "yes,no", "block": "yes,no"}
    asked = {"tries": 5, "games": 16, "final_games": 20, "seed": 2, "against": ["random", "greedy"]}
    one, two = (
        tune("greedy", space, jobs=jobs, out=tmp_path / str(jobs), **asked) for jobs in (1, 2)
    )
    assert plain(one) == plain(two)
    assert one.best is not None and one.given is not None and one.gain is not None
    assert len(one.best.games) == len(one.given.games) == 20
    assert one.as_dict()["provenance"]["seed"] == one.as_dict()["seed"] == 2
    assert one.given.agent == "greedy" and one.tries[0].options == {"win": "no", "block": "no"}
    # The fresh games have other openings than the tries.
    openings = [{game.opening for game in each.games} for each in (one.tries[0], one.best)]
    assert openings[0] != openings[1]
    # An agent that meets itself is allowed: it is also an opponent.
    assert "greedy" in one.against
    more = tune("greedy", space, out=tmp_path / "1", resume=True, **{**asked, "tries": 7})
    assert [each.as_dict() for each in more.tries[:5]] == [each.as_dict() for each in one.tries]


def test_the_gain_is_measured_between_equal_games() -> None:
    result = tune("greedy", {"win": "yes,no"}, against="random", tries=2, games=8, final_games=60)
    assert result.best is not None and result.given is not None and result.gain is not None
    one, two = ([game.points(0) for game in each.games] for each in (result.best, result.given))
    leads = [(sum(one[i : i + 2]) - sum(two[i : i + 2])) / 2 for i in range(0, 60, 2)]
    assert result.gain[0] == pytest.approx(np.mean(leads))
    half = 1.96 * np.std(leads, ddof=1) / np.sqrt(30)
    assert result.gain[1:] == pytest.approx(
        (np.mean(leads) - half, np.mean(leads) + half), abs=1e-4
    )


def test_the_values_to_try() -> None:
    uct = default_space("uct:iterations=50,c=1")
    assert "c" not in uct and "iterations" not in uct and "backend" not in uct
    assert uct["solver"] == "yes,no" and "all" in uct["first_play"].split(",")
    assert values_of("c", "1..3", is_float=True) == (float, [1.0, 3.0])
    assert values_of("c", "-2..3") == (int, [-2, 3])
    assert with_options("uct:first=all", {"first_play": "order"}) == "uct:first_play=order"
    assert with_options("greedy", {}) == "greedy"
    for text in ("1..1", "3..1", "..2", "1..", "a,,b", "", "1..2..3", "0..3:log"):
        with pytest.raises(InvalidMatch, match=r"the values of c must be LOW\.\.HIGH"):
            values_of("c", text)


def test_values_that_do_not_go_together_are_left_out() -> None:
    space = {"transpositions": "equal,mirror", "first_play": "all,order"}  # all: without sharing
    asked: dict[str, Any] = {"against": "random", "tries": 4, "games": 2, "final_games": 2}
    result = tune("uct:iterations=5", space, **asked)
    assert [each.options["first_play"] for each in result.tries] == ["order"] * 4
    with pytest.raises(ClaimevenError, match="transpositions needs first_play"):
        tune("uct:iterations=5", {**space, "first_play": "all"}, **asked)
    assert len(tune("uct:iterations=2", **asked).tries) == 4  # all options of the agent


@pytest.mark.parametrize(
    ("agent", "space", "settings", "expected"),
    [
        ("greedy", {"wim": "yes,no"}, {}, "greedy has no option 'wim' (did you mean win?)"),
        ("uct", {"c": "1..2000"}, {}, "c takes a number from 0 to 1,000"),
        ("random", None, {}, "name options of random to tune"),
        ("greedy", None, {"tries": 0}, "tries must be 1 or more, got 0"),
        ("greedy", None, {"final_games": -2}, "final_games must be 1 or more, got -2"),
        ("greedy", None, {"against": "grady"}, "there is no agent 'grady'"),
        (Planted, {"x": "0.0..1"}, {"jobs": 2}, "play only in their own process"),
    ],
)
def test_invalid_tuning_is_refused(agent: Any, space: Any, settings: Any, expected: str) -> None:
    with pytest.raises((InvalidMatch, InvalidSpec)) as caught:
        tune(agent, space, **{"against": "random", "games": 4, **settings})
    assert expected in str(caught.value)


def test_optuna_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InvalidMatch, match=r"pip install 'claimeven\[tune\]'"):
        tune("greedy", against="random")
    assert Try.__module__ in sys.modules


def test_a_small_board_and_a_limit() -> None:
    result = tune(
        "alphabeta", {"view": "mover,root"}, against="random", tries=2, games=4, final_games=4,
        geometry=Geometry(4, 4, 3), limit=Limit(depth=1), opening_plies=2,
    )  # fmt: skip
    assert result.best is not None and result.best.games[0].final.geometry == Geometry(4, 4, 3)
