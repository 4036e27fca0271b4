"""The exported search with priors: the trees of our textbook and our forest, node for node."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position, make_agent
from claimeven.adapters.kaggle import submission
from claimeven.adapters.kaggle.template.kaggle_api import Clock
from claimeven.adapters.kaggle.template.puct import VISITS_PER_LEAF, Puct, PuctNode, settle
from claimeven.agents import Limit
from claimeven.montecarlo.layout import (
    PROOF_RESULTS,
    PROVEN_DRAW,
    PROVEN_LOSS,
    PROVEN_WIN,
    UNPROVEN,
)
from claimeven.montecarlo.puct import PuctForest, textbook
from claimeven.montecarlo.puct import PuctNode as OurNode
from claimeven.montecarlo.puct.search import CompiledPuct, TextbookPuct
from claimeven.networks import PuctOptions, PuctSearch
from tests.adapters.kaggle.support import asked, board_of, loaded
from tests.montecarlo.puct.support import BOARDS, Hashed, unfinished

LONG = 1000.0
OPTIONS = (
    PuctOptions(leaves=1),
    PuctOptions(leaves=1, solver=False, c=1.0, fpu=0.0),
    PuctOptions(leaves=1, capacity=150, c=20.0),
    PuctOptions(leaves=1, reuse=False, fpu=1.0),
    PuctOptions(leaves=1, prior_temperature=2.0),
)


def judge_of(geometry: Geometry) -> Callable[[list[tuple[int, int]]], tuple[Any, Any]]:
    model = Hashed(geometry)

    def judge(positions: list[tuple[int, int]]) -> tuple[Any, Any]:
        mines, masks = np.array(positions, dtype=np.uint64).T
        return model.evaluate(mines, masks)

    return judge


def player_of(geometry: Geometry, options: PuctOptions, iterations: int, seed: int = 0) -> Puct:
    return Puct(
        board_of(geometry), judge_of(geometry), iterations=iterations, seed=seed, **asdict(options)
    )


def proof_of(proof: int) -> int | None:
    return None if proof == UNPROVEN else PROOF_RESULTS[proof]


def assert_textbook(found: PuctNode, node: OurNode) -> int:
    """Hold two trees equal, node for node and bit for bit; returns the nodes."""
    waiting = [(found, node)]
    for one, other in waiting:  # the list grows in the loop
        assert (one.mine, one.mask) == (other.position.mine, other.position.mask)
        assert (one.visits, one.total, one.flight) == (other.visits, other.total, 0)
        assert (one.proof, one.distance) == (proof_of(other.proof), other.distance)
        if other is not node:
            assert (one.column, one.prior) == (other.column, other.prior)
        assert (one.children is None) == (other.children is None)
        waiting += zip(one.children or (), other.children or (), strict=True)
    return len(waiting)


def assert_forest(found: PuctNode, forest: PuctForest) -> None:
    """Hold a tree and the first of a forest equal, node for node and bit for bit."""
    waiting = [(found, forest.root(0))]
    for one, place in waiting:  # the list grows in the loop
        other = forest.node(place)
        assert (one.visits, one.total, one.flight) == (other.visits, other.total, other.flight)
        assert (one.proof, one.distance) == (proof_of(other.proof), other.distance)
        if place != forest.root(0):
            assert (one.column, one.prior) == (other.column, other.prior)
        waiting += zip(one.children or (), other.children, strict=True)
    assert len(waiting) == forest.used(0)


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_trees_equal_the_textbook(geometry: Geometry, options: PuctOptions) -> None:
    """From scratch, reused over two moves of the game, and after a jump to another position."""
    for start in unfinished(geometry, 3, seed=5):
        player = player_of(geometry, options, 60)
        engine, position = TextbookPuct(Hashed(geometry), options), start
        for _ in range(3):
            column = player.choose(position.mine, position.mask, Clock(LONG))
            engine.start(position)
            until = engine.visits() + 60
            while engine.step(until):
                pass
            assert player.stored == engine.used == assert_textbook(player.root, engine.root())
            for move in (column, position.legal_columns[0]):
                if not position.is_over and move in position.legal_columns:
                    position = position.play(move)
            if position.is_over:
                position = start


def test_a_node_is_proven_by_its_children_as_in_the_textbook() -> None:
    rng, position = random.Random(2), Position()
    for proofs in ("wdl?", "dl", "d", "l") * 50:
        ours, node = OurNode(position, children=[]), PuctNode(0, 0, -1)
        node.children = []
        for _ in range(rng.randint(1, 4)):
            proof, distance = "?wdl".index(rng.choice(proofs)), rng.randint(1, 9)
            child = PuctNode(0, 0, 0)
            child.proof, child.distance = (None, 1, 0, -1)[proof], distance
            node.children.append(child)
            known = (UNPROVEN, PROVEN_WIN, PROVEN_DRAW, PROVEN_LOSS)[proof]
            assert ours.children is not None
            ours.children.append(OurNode(position, proof=known, distance=distance))
        textbook.prove_from_children(ours)
        settle(node)
        assert (node.proof, node.distance) == (proof_of(ours.proof), ours.distance)


@pytest.mark.parametrize("leaves", [3, 8])
def test_batches_equal_the_kernel(leaves: int) -> None:
    for geometry in BOARDS:
        options = PuctOptions(leaves=leaves)
        player, engine = player_of(geometry, options, 150), CompiledPuct(Hashed(geometry), options)
        for position in unfinished(geometry, 4, seed=6):
            player.choose(position.mine, position.mask, Clock(LONG))
            engine.start(position)
            until = engine.visits() + 150
            while engine.step(until):
                pass
            assert_forest(player.root, engine.forest)


@pytest.mark.parametrize(
    "options",
    [
        PuctOptions(),
        PuctOptions(solver=False, c=0.0),
        PuctOptions(noise=0.5, c=10.0),
        PuctOptions(temperature=1.0),
        PuctOptions(temperature=0.3, noise=1.0, solver=False),
    ],
    ids=str,
)
@pytest.mark.parametrize("iterations", [1, 5, 80])
def test_choices_are_ours_and_repeat_themselves(options: PuctOptions, iterations: int) -> None:
    for geometry in BOARDS[:2]:
        players = [player_of(geometry, options, iterations, seed=9) for _ in range(2)]
        search = PuctSearch(Hashed(geometry), options)
        rng = np.random.default_rng(9)
        for position in unfinished(geometry, 25, seed=7):
            expected = search.search(position, rng, iterations=iterations).column
            for player in players:
                assert player.choose(position.mine, position.mask, Clock(LONG)) == expected


def test_a_search_ends_with_its_time() -> None:
    geometry = Geometry()
    player = player_of(geometry, PuctOptions(), 10**9)
    position = Position.from_moves("44")
    assert player.choose(position.mine, position.mask, Clock(0.05)) in range(7)
    assert 0 < player.root.visits < 10**6
    player.root, player.seconds = PuctNode(0, 0, -1), 0.001
    assert player.choose(position.mine, position.mask, Clock(LONG)) in range(7)
    late = player.root.visits
    assert player.choose(position.mine, position.mask, Clock(-1.0)) in range(7)
    assert player.root.visits == late + min(8, 1 + late // VISITS_PER_LEAF)


def test_the_submission_of_the_bundled_net_plays_like_the_agent() -> None:
    """Moves and visits of the root; the two nets differ by the last bit of a float at most."""
    spec = "puct:iterations=60,reuse=no"
    left, agent, rng = loaded(submission(spec)), make_agent(spec), np.random.default_rng(0)
    for position in [Position(), *unfinished(Geometry(), 30, seed=3)]:
        decision = agent.choose(position, Limit(), rng)
        assert asked(left, position) == decision.column
        visits = [0] * 7
        for child in left["SUBMISSION"].players[7, 6, 4][1].root.children:
            visits[child.column] = child.visits
        assert visits == decision.details["visits"], position
