"""uct-menary and the drawings against the output of the notebook of S. Menary."""

from __future__ import annotations

import math
import re

import pytest

from claimeven import Geometry, Position
from claimeven.game.drawing import parse_drawing
from claimeven.montecarlo import preset
from claimeven.montecarlo.formula import upper_bound
from tests.originals.positions import load

MENARY = load("menary")


def test_the_searches_it_shows_follow_the_formula() -> None:
    """A search keeps the upper bounds of all columns level, which gives the weight of the bonus."""
    options = preset("uct-menary")

    def unevenness(weight: float) -> float:
        spreads = []
        for search in MENARY["searches"]:
            spread = weight * math.sqrt(math.log(sum(search["visits"])))
            bounds = [
                upper_bound(value * visits, visits, spread)
                for value, visits in zip(search["values"], search["visits"], strict=True)
            ]
            spreads.append(max(bounds) - min(bounds))
        return sum(spreads) / len(spreads)

    weights = [tenths / 10 for tenths in range(10, 31)]
    assert options.weight == min(weights, key=unevenness) == 2.0
    assert unevenness(2.0) < 0.035
    assert unevenness(math.sqrt(2)) > 0.12  # UCB1 as Auer has it, for results of 0 and 1


def test_the_column_of_the_best_mean_is_chosen() -> None:
    for search in MENARY["searches"]:
        if len(search["values"]) == 7 or search["column"] < 3:  # no full column to its left
            assert search["values"][search["column"]] == max(search["values"])
    assert preset("uct-menary").final_choice == "mean"


@pytest.mark.parametrize("drawing", MENARY["drawings"])
def test_drawings_are_read_back(drawing: list[str]) -> None:
    board = Geometry(4, 4, 3) if len(drawing) == 9 else Geometry()
    position = parse_drawing("\n".join(drawing), board)
    cells = sum(len(re.findall("[XO]", line)) for line in drawing[:-1])
    assert position.ply == cells
    assert position.outcome is None
    assert drawing[-1].endswith("NONE")


def test_a_scripted_game_is_read_from_its_steps() -> None:
    """The playouts it shows are games of our rules too, won by whom it says."""
    for step in MENARY["steps"]:
        moves = [1, 2, 1] + [int(move.split(":")[1]) for move in [step["move"], *step["playout"]]]
        position = Position.from_moves(moves, Geometry(4, 4, 3))
        assert position.outcome is not None
        assert position.outcome.winner == "XO".index(step["winner"])
