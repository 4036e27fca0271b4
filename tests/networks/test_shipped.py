"""The networks that come along are what their headers say."""

from __future__ import annotations

from typing import Any

import pytest

from claimeven import Geometry, make_agent, play_match
from claimeven.arena.accuracy.measure import measure_accuracy
from claimeven.dataset.scored_sets import shipped_set
from claimeven.learning import HELD_OUT, held_out
from claimeven.learning.metrics import net_accuracy
from claimeven.networks import read_model
from claimeven.networks.loading import SHIPPED_NET, SHIPPED_NTUPLE, default_policy_value
from claimeven.networks.net import Net, Searching, read_net


def test_its_figures_are_found_again() -> None:
    facts = read_model(SHIPPED_NTUPLE, "ntuple", Geometry()).facts
    positions = shipped_set()
    assert positions is not None
    assert facts["positions"] == positions.digest
    found = measure_accuracy("ntuple").accuracy
    assert found.all.mean("perfect") == pytest.approx(facts["measured"]["perfect"])
    assert found.decisive.mean("keeping") == pytest.approx(facts["measured"]["keeping"])


def test_it_is_small_and_plays_well() -> None:
    assert SHIPPED_NTUPLE.stat().st_size < 2_000_000
    assert play_match("ntuple", "random", games=40, seed=1).wins[0] >= 36
    assert play_match("ntuple-alphabeta:depth=4", "alphabeta:depth=4", games=20, seed=1,
                      opening_plies=4).wins[0] >= 10  # fmt: skip
    assert make_agent("ntuple").name == "ntuple"


def test_the_figures_of_the_net_are_found_again() -> None:
    facts, net = read_model(SHIPPED_NET, "net", Geometry()).facts, read_net(SHIPPED_NET)
    assert facts["parameters"] == net.parameters
    assert net.searching == Searching(0.5, 4.0, 0.95, 6.0)
    assert facts["recipe"]["shape"] == net.shape.as_dict()
    _check_mean(facts["recipe"], net)
    for name in HELD_OUT:
        found = net_accuracy(net, held_out(name))
        # Another processor rounds otherwise, and two columns may be all but equal.
        assert found["accuracy"] == pytest.approx(facts["measured"][name], abs=0.001)
        assert found["sign"] == pytest.approx(facts["measured"][f"{name}_sign"], abs=0.001)
        assert found["accuracy"] > found["floor"] + 0.4


def _check_mean(recipe: dict[str, Any], net: Net) -> None:
    """Check the mean that it is: of the net before it and of two runs that went on from there."""
    former, ahead, last = recipe["models"]
    assert (recipe["method"], recipe["shares"]) == ("average", [1, 1, 1])
    taught = [each["recipe"] for each in (ahead, last)]
    assert [each["seed"] for each in taught] == [1, 101]
    assert [each["positions"] for each in taught] == [4_463_632, 5_530_162]
    for each in taught:
        assert (each["shape"], each["score_weight"]) == (net.shape.as_dict(), 8)
        assert len(each["data"]) == 64
    both = [{"digest": each["digest"]} for each in (former, ahead)]
    assert taught[0]["start"] == both[0]
    looked = taught[0]["of_games"]
    assert (looked["looked_ahead"], looked["labelled"]) == (2, 8_552_448)
    assert taught[1]["start"]["recipe"] == {"method": "average", "models": both, "shares": [1, 1]}
    *those, longer = recipe["scores_again"]["teachers"]
    assert those == [{"digest": each["digest"]} for each in (former, ahead, last)]
    assert longer["recipe"]["start"] == both[0]
    assert recipe["scores_again"]["data"] == taught[1]["data"]
    _check_last_runs(former["recipe"], net)


def _check_last_runs(recipe: dict[str, Any], net: Net) -> None:
    """Check the six runs before those, each of which goes on from one before it or from a mean."""
    fifth = recipe["start"]
    begun, fourth = fifth["recipe"]["start"]["recipe"]["models"]
    mean = fourth["recipe"]["start"]["recipe"]
    former, *runs = mean["models"]
    assert mean["shares"] == [1, 1, 2, 2]
    assert begun["recipe"]["models"] == [{"digest": each["digest"]} for each in mean["models"]]
    taught = [*(run["recipe"] for run in (*runs, fourth, fifth)), recipe]
    assert [each["seed"] for each in taught] == [31, 41, 42, 44, 45, 46]
    assert [each["positions"] for each in taught] == [9_871_113, *[11_804_581] * 4, 11_804_586]
    assert len({each["data"] for each in taught}) == 3
    for each in taught:
        assert (each["shape"], each["score_weight"]) == (net.shape.as_dict(), 8)
        assert (each["method"], len(each["data"])) == ("distil", 64)
    starts = [run["recipe"]["start"] for run in runs]
    assert starts[0] == {"digest": former["digest"]}
    of_second, of_third = (each["recipe"]["models"] for each in starts[1:])
    first, second, _ = ({"digest": run["digest"]} for run in runs)
    assert (of_second, of_third) == ([starts[0], first], [first, second])
    _check_longer_runs(former["recipe"], net)


def _check_longer_runs(recipe: dict[str, Any], net: Net) -> None:
    """Check how the net was made that came along before those."""
    longer, earlier, last = recipe["models"]
    assert (recipe["method"], recipe["shares"]) == ("average", [1, 2, 3])
    of_last, of_earlier = last["recipe"], earlier["recipe"]
    mean = of_earlier["start"]
    assert of_last["start"] == {"digest": mean["digest"]}
    former, of_longer = mean["recipe"]["models"]
    assert longer == {"digest": of_longer["digest"]}
    for learnt, seed, count in (
        (of_last, 83, 11_141_250),
        (of_earlier, 83, 11_141_250),
        (of_longer["recipe"], 79, 10_300_016),
    ):
        assert (learnt["seed"], learnt["positions"]) == (seed, count)
        assert (learnt["shape"], learnt["score_weight"]) == (net.shape.as_dict(), 10)
        assert len(learnt["data"]) == 64
    assert len({each["digest"] for each in (longer, earlier, last, mean, former)}) == 5
    _check_taught_scores(former["recipe"], of_longer["recipe"]["start"]["recipe"], net)


def _check_taught_scores(recipe: dict[str, Any], begun: dict[str, Any], net: Net) -> None:
    """Check how the net before it was made, and the mean with which the longer run begins."""
    former, of_scores, again = recipe["models"]
    assert (recipe["method"], recipe["shares"]) == ("average", [3, 2, 1])
    assert begun["models"] == [{"digest": of_scores["digest"]}, {"digest": again["digest"]}]
    for run, seed in ((of_scores, 71), (again, 73)):
        learnt = run["recipe"]
        assert (learnt["seed"], learnt["positions"]) == (seed, 6_324_744)
        assert (learnt["shape"], learnt["score_weight"]) == (net.shape.as_dict(), 10)
        assert len(learnt["data"]) == 64
    assert of_scores["recipe"]["start"] == {"digest": former["digest"]}
    mean = again["recipe"]["start"]["recipe"]
    assert mean["models"][0] == {"digest": former["digest"]}
    assert mean["models"][-1] == {"digest": of_scores["digest"]}
    assert len({each["digest"] for each in (*recipe["models"], *mean["models"])}) == 6
    _check_former(former["recipe"], net)


def _check_former(recipe: dict[str, Any], net: Net) -> None:
    """Check how the net was made from which scores were learnt."""
    before, last = recipe["models"]
    assert recipe["method"] == before["recipe"]["method"] == "average"
    assert (last["recipe"]["seed"], last["recipe"]["start"]) == (62, before)
    first, halfway, former = before["recipe"]["models"]
    assert first["recipe"]["seed"] == halfway["recipe"]["seed"] == 61
    assert first["recipe"]["start"] == halfway["recipe"]["start"] == former
    of_former = former["recipe"]
    assert (of_former["seed"], of_former["positions"]) == (51, 7_602_647)
    earlier = of_former["start"]
    mean = earlier["recipe"]["start"]["recipe"]
    assert (earlier["recipe"]["seed"], mean["method"]) == (77, "average")
    runs = {run["recipe"]["seed"]: run for run in mean["models"]}
    assert runs.keys() == {21, 22, 31}
    assert runs[22]["recipe"]["start"] == runs[21]["digest"]
    made_of = (earlier, earlier["recipe"]["start"], *runs.values())
    assert len({each["digest"] for each in made_of}) == 5
    assert all(run["recipe"]["positions"] == 7_311_533 for run in runs.values())
    for each in (earlier["recipe"], *(run["recipe"] for run in runs.values())):
        assert each["shape"] == net.shape.as_dict()
    assert earlier["recipe"]["score_weight"] == 6
    assert len({each["digest"] for each in (before, last, first, halfway, former)}) == 5
    learnt = [each["recipe"] for each in (last, first, halfway)]
    assert all(each["positions"] == 9_331_256 for each in learnt)
    for each in (*learnt, of_former):
        assert each["shape"] == net.shape.as_dict()
        assert each["score_weight"] == 6
        assert len(each["data"]) == 64


def test_the_net_is_small_and_what_searches_ask() -> None:
    assert SHIPPED_NTUPLE.stat().st_size + SHIPPED_NET.stat().st_size < 2_000_000
    assert isinstance(default_policy_value(), Net)
    assert play_match("net", "random", games=40, seed=1).wins[0] >= 36
