"""The players of Kaggle's package as our agents."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from claimeven import Geometry, Position, make_agent, play_match
from claimeven.agents import InvalidSpec
from claimeven.agents.external import FOREIGN, kaggle
from tests.agents.support import decided

needs_package = pytest.mark.skipif(
    importlib.util.find_spec(kaggle.PACKAGE) is None, reason="kaggle-environments is missing"
)


@needs_package
def test_they_play_matches_that_a_seed_repeats() -> None:
    results = [
        play_match("kaggle:negamax", "kaggle:random", games=2, seed=5, geometry=Geometry(5, 4, 3))
        for _ in range(2)
    ]
    moves = [[played.columns for played in result.games] for result in results]
    assert moves[0] == moves[1]
    assert results[0].as_dict()["forfeits"] == 0
    assert results[0].wins[0] == 2


@needs_package
def test_a_game_of_kaggle_depends_only_on_seed_and_number() -> None:
    seeds = {seed: match_of(seed) for seed in (1, 2)}
    assert seeds[1] != seeds[2]
    assert match_of(1, jobs=2) == seeds[1]


def match_of(seed: int, jobs: int = 1) -> list[str]:
    result = play_match("kaggle:random", "alphabeta:depth=2", games=8, seed=seed, jobs=jobs)
    return [played.all_moves for played in result.games]


@needs_package
def test_negamax_takes_a_win_and_blocks_one() -> None:
    agent = make_agent("kaggle:negamax")
    try:
        for moves, column in (("121212", 0), ("1212137", 0)):
            position = Position.from_moves(moves)
            decision = decided(agent, position)
            assert decision.column == column
    finally:
        agent.close()


@needs_package
def test_the_package_itself_is_not_loaded() -> None:
    import sys

    before = set(sys.modules)
    kaggle._connectx()
    assert not any(name.startswith(kaggle.PACKAGE) for name in set(sys.modules) - before)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kaggle, "PACKAGE", "no_package_of_this_name")
    with pytest.raises(InvalidSpec) as caught:
        make_agent("kaggle:negamax")
    assert str(caught.value) == (
        "kaggle:negamax and kaggle:random need the extra 'kaggle': pip install 'claimeven[kaggle]'"
    )


def test_unknown_names_are_reported() -> None:
    with pytest.raises(InvalidSpec) as caught:
        make_agent("kaggle:negmax")
    assert str(caught.value) == (
        "there is no player of Kaggle 'negmax' (did you mean negamax?): choose from negamax,"
        " random, or a file such as kaggle:main.py"
    )


def test_files_are_digested_and_players_are_not() -> None:
    kind = FOREIGN["kaggle"]
    assert kind.files("bots/main.py") == (Path("bots/main.py"),)
    assert kind.files("negamax") == ()
    assert (kind.short_name("bots/main.py"), kind.short_name("negamax")) == (
        "main", "kaggle:negamax"
    )  # fmt: skip
