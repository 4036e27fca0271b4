"""`match` tells how many evaluations an agent made."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Run

POLITO = "alphabeta-polito"


@pytest.mark.parametrize("agent", [POLITO, "uct-aifour:iterations=20"])
def test_match_tells_them(run: Run, agent: str) -> None:
    asked = ("match", agent, "random", "--games", "2")
    told = json.loads(run(*asked, "--json").out)
    words = [line for line in run(*asked).out.splitlines() if line.startswith("evaluations by")]
    if agent == POLITO:
        a_game, a_move = told["evaluations_per_game"][0], told["per_move"][0]["evaluations"]
        assert words == [f"evaluations by {POLITO}: {a_game:,.1f} a game, {a_move:,.1f} a move"]
    else:
        assert (words, told["evaluations_per_game"]) == ([], [None, None])
