"""Laws of every search with priors: sums, mirror images, wins and blocks, proofs, batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from claimeven.game import Geometry, Position
from claimeven.montecarlo.layout import (
    DISTANCE_SHIFT,
    PROOF_SHIFT,
    PROVEN_LOSS,
    PROVEN_WIN,
    UNPROVEN,
)
from claimeven.montecarlo.puct import PuctForest, PuctOptions
from claimeven.montecarlo.puct.inspection import policies
from claimeven.montecarlo.puct.policy_value import UniformPolicyValue
from tests import naive
from tests.montecarlo.puct.support import (
    BOARDS,
    Hashed,
    check_laws,
    grow_forest,
    late_wins,
    unfinished,
)
from tests.positions import oracle

SOLVERS = (PuctOptions(), PuctOptions(solver=False))


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_sums_of_batches(geometry: Geometry) -> None:
    """In any batch, every descent is backed up, every iteration is counted, and the same
    search is the same.
    """
    for leaves in (1, 3, 16):
        for options in SOLVERS:
            positions = unfinished(geometry, 5, seed=leaves)
            seen = []
            for _ in range(2):
                forest = PuctForest(geometry, len(positions), 3000, options)
                for number, position in enumerate(positions):
                    forest.reset(number, position)
                made = forest.run(Hashed(geometry), [30, 40, 50, 60, 70], leaves)
                assert made == forest.iterations().sum()
                check_laws(forest)
                seen.append((forest.visits(), forest.values()))
                done = forest.is_decided()
                assert (done | (forest.iterations() == [30, 40, 50, 60, 70])).all()
            assert np.array_equal(seen[0][0], seen[1][0])
            assert np.array_equal(seen[0][1], seen[1][1])


def test_trees_of_a_forest_are_apart() -> None:
    """A tree is the same in a forest of one and of many, in batches too."""
    positions = unfinished(Geometry(), 6, seed=9)
    forest = PuctForest(trees=6, nodes_per_tree=2000)
    for number, position in enumerate(positions):
        forest.reset(number, position)
    forest.run(Hashed(Geometry()), 50, leaves=4)
    for number, position in enumerate(positions):
        alone = grow_forest(position, PuctOptions(), 50, leaves=4)
        assert alone.visits().tolist() == forest.visits()[number : number + 1].tolist()
        assert alone.values()[0] == forest.values()[number]


def test_leaves_of_a_batch_differ() -> None:
    """Leaves that wait count as lost, so that the next is another one."""
    forest = PuctForest()
    model = UniformPolicyValue()
    forest.run(model, 8)
    mines, masks = forest.gather(8)
    assert len(set(zip(mines.tolist(), masks.tolist(), strict=True))) == len(mines) == 8
    forest.back_up(*model.evaluate(mines, masks))
    check_laws(forest)


def test_mirror_images() -> None:
    """Mirrored positions are searched alike, by a model that knows no left and right."""
    compared = 0
    for geometry in BOARDS:
        for position in unfinished(geometry, 6, seed=4):
            image = position.mirror()
            if image != position:
                one, other = (grow_forest(p, PuctOptions(), 60) for p in (position, image))
                assert one.visits()[0].tolist() == other.visits()[0, ::-1].tolist()
                assert one.values()[0] == other.values()[0]
                compared += 1
    assert compared > 15


@pytest.mark.parametrize("options", SOLVERS)
def test_wins_and_blocks(options: PuctOptions) -> None:
    """A win in one is found, and an only block: with the solver immediately."""
    wins = blocks = 0
    model = Hashed(Geometry()) if options.solver else UniformPolicyValue()
    for position in unfinished(Geometry(), 150, seed=2):
        game = oracle(position)
        turned = game.copy()
        turned.player = 1 - game.player
        winning, threats = (
            [c for c in each.legal() if naive.winner(each.after(c)) is not None]
            for each in (game, turned)
        )
        iterations = 1 if options.solver else 300
        if winning and wins < 12:
            wins += 1
            forest = grow_forest(position, options, iterations, model=model)
            assert forest.policies(0.0)[0, winning].sum() == 1.0
            assert forest.values()[0] == 1.0 or not options.solver
        elif len(threats) == 1 and not winning and blocks < 12:
            blocks += 1
            forest = grow_forest(position, options, 2 * iterations, model=model)
            if forest.results()[0] >= 0:
                assert forest.policies(0.0)[0, threats[0]] == 1.0
    assert wins == blocks == 12


def test_proofs_are_true() -> None:
    """The proofs of a search agree with plain minimax, to the ply; small boards are proven."""
    proven = {-1: 0, 0: 0, 1: 0}
    scores: dict[int, dict[object, int]] = {3: {}, 4: {}}
    drawish = [p for p in unfinished(Geometry(4, 4, 4), 40, seed=6) if p.ply > 8]
    for position in [*unfinished(Geometry(4, 4, 3), 25, seed=6), *drawish]:
        forest = grow_forest(position, PuctOptions(), 600)
        root = forest.node(forest.root(0))
        known = scores[position.geometry.connect]
        score = naive.score(oracle(position), known)
        if root.proof:
            assert forest.results()[0] == np.sign(score)
            proven[int(forest.results()[0])] += 1
            best = [
                c for c in position.legal_columns
                if np.sign(-naive.score(oracle(position.play(c)), known)) == np.sign(score)
            ]  # fmt: skip
            assert set(np.flatnonzero(forest.policies(0.0)[0])) & set(best)
    assert min(proven.values()) >= 3


def test_a_won_game_is_won_soon() -> None:
    """A search that has proven a win continues while a move that is not proven could win sooner."""
    most, sooner = 600, 0
    for position, model in late_wins(Geometry(6, 5), 1200):
        forest = grow_forest(position, PuctOptions(), 0)
        root, first = forest.root(0), None
        while forest.step(model, until=most):
            if first is None and forest.results()[0] == 1:
                first = forest.node(root).distance
        found = forest.node(root)
        if first is not None:
            children = [forest.node(child) for child in found.children]
            nearest = min(child.distance for child in children if child.proof == PROVEN_WIN)
            assert found.proof == PROVEN_LOSS and found.distance == nearest + 1 <= first
            is_open = any(child.proof == UNPROVEN for child in children)
            assert found.visits == most or found.distance <= 5 or not is_open
            sooner += found.distance < first
        check_laws(forest)
    assert sooner >= 3


def test_a_win_in_five_ends_a_search() -> None:
    """No unproven move could win sooner."""
    forest = grow_forest(Position.from_moves("25224244766567"), PuctOptions(), 600)
    root = forest.node(forest.root(0))
    assert (root.proof, root.distance) == (PROVEN_LOSS, 5)
    assert any(forest.node(child).proof == UNPROVEN for child in root.children)
    assert root.visits < 600


def meta(proof: Any, distance: Any) -> Any:
    """The entry in `metas` of a child, or of many."""
    return proof << PROOF_SHIFT | distance << DISTANCE_SHIFT


@pytest.mark.parametrize(
    ("visits", "priors", "metas", "temperature", "expected"),
    [
        ((1, 3, 0), (0.6, 0.3, 0.1), (0, 0, 0), 1.0, (0.25, 0.75, 0.0)),
        ((1, 3, 0), (0.6, 0.3, 0.1), (0, 0, 0), 0.5, (0.1, 0.9, 0.0)),
        ((1, 4, 0), (0.6, 0.3, 0.1), (0, 0, 0), 2.0, (1 / 3, 2 / 3, 0.0)),
        ((3, 3, 1), (0.6, 0.3, 0.1), (0, 0, 0), 0.0, (0.5, 0.5, 0.0)),
        # Without a visit the priors count, without priors all moves alike.
        ((0, 0, 0), (0.6, 0.3, 0.1), (0, 0, 0), 1.0, (0.6, 0.3, 0.1)),
        ((0, 0, 0), (0.0, 0.0, 0.0), (0, 0, 0), 1.0, (1 / 3, 1 / 3, 1 / 3)),
        # Proven losses are not made, but all there is: then the farthest.
        ((8, 1, 1), (0.6, 0.3, 0.1), (meta(PROVEN_LOSS, 9), 0, 0), 1.0, (0.0, 0.5, 0.5)),
        ((8, 0, 0), (0.5, 0.2, 0.3), (meta(PROVEN_LOSS, 9), 0, 0), 1.0, (0.0, 0.4, 0.6)),
        ((8, 1, 1), (0.6, 0.3, 0.1), [meta(PROVEN_LOSS, n) for n in (1, 3, 3)], 1.0, (0, 0.5, 0.5)),
        # Only the nearest win.
        (
            (8, 1, 1),
            (0.6, 0.3, 0.1),
            (0, meta(PROVEN_WIN, 4), meta(PROVEN_WIN, 2)),
            1.0,
            (0.0, 0.0, 1.0),
        ),
    ],
)
def test_policies_by_hand(
    visits: tuple[int, ...],
    priors: tuple[float, ...],
    metas: tuple[int, ...],
    temperature: float,
    expected: tuple[float, ...],
) -> None:
    """The fourth column is full: its numbers are 0."""
    found = policies(
        np.array([[*visits, 99]], np.int32),
        np.array([[*priors, 0.9]], np.float32),
        np.array([[*metas, meta(PROVEN_WIN, 1)]], np.int32),
        np.array([[True] * 3 + [False]]),
        temperature,
        solver=True,
    )
    assert found[0] == pytest.approx([*expected, 0.0])


def test_policies_without_the_solver_go_by_the_visits() -> None:
    metas = np.array([[meta(PROVEN_WIN, 0), 0]], np.int32)
    given = np.array([[1, 3]], np.int32), np.zeros((1, 2), np.float32), metas
    there = np.ones((1, 2), np.bool_)
    assert policies(*given, there, 1.0, solver=False)[0].tolist() == [0.25, 0.75]
    assert policies(*given, there, 1.0, solver=True)[0].tolist() == [1.0, 0.0]
    for temperature in (0.0, 1.0):  # of a game that is over
        assert not policies(*given, ~there, temperature, solver=False).any()


def test_policies_of_many_roots_equal_single_roots() -> None:
    rng = np.random.default_rng(5)
    proofs = rng.choice([UNPROVEN, UNPROVEN, PROVEN_LOSS, PROVEN_LOSS, PROVEN_WIN], (200, 4))
    metas = np.where(proofs == UNPROVEN, 0, meta(proofs, rng.integers(1, 9, (200, 4))))
    roots: tuple[Any, ...] = (
        rng.integers(0, 4, (200, 4), np.int32),
        rng.random((200, 4), np.float32),
        metas.astype(np.int32),
        rng.random((200, 4)) < 0.9,
    )
    for temperature in (0.0, 0.5, 1.0):
        found = policies(*roots, temperature, solver=True)
        each = [policies(*(a[n : n + 1] for a in roots), temperature, True)[0] for n in range(200)]
        assert found == pytest.approx(np.array(each))
        assert found.sum(axis=1) == pytest.approx(roots[3].any(axis=1).astype(float))


def test_policies() -> None:
    """Visits to a power, or only the best; a proven win is played, and a lost game to its end."""
    forest = grow_forest(Position.from_moves("4435"), PuctOptions(), 200)
    visits, (sharp,) = forest.visits()[0], forest.policies(0.5)
    assert sharp == pytest.approx(visits.astype(float) ** 2 / (visits.astype(float) ** 2).sum())
    assert forest.policies()[0] == pytest.approx(visits / visits.sum())
    assert forest.policies(0.0)[0].argmax() == visits.argmax()
    # Every move loses immediately, and equally late.
    lost = grow_forest(Position.from_moves("311476413714213"), PuctOptions(), 5)
    assert lost.values()[0] == -1.0
    assert lost.policies().sum() == pytest.approx(1.0)


def test_games_in_a_forest() -> None:
    """Games played to their ends with reused trees, as in self-play."""
    rng = np.random.default_rng(3)
    geometry = Geometry(5, 4, 4)
    model = Hashed(geometry)
    forest = PuctForest(geometry, 8, 4000)
    games: list[list[int]] = [[] for _ in range(8)]
    while not forest.is_over().all():
        forest.run(model, 1)
        forest.add_noise(rng, 0.25, 1.0)
        forest.run(model, np.where(forest.is_over(), 0, 20), leaves=4)
        for tree in np.flatnonzero(~forest.is_over()):
            column = int(rng.choice(geometry.columns, p=forest.policies()[tree]))
            games[tree].append(column)
            forest.advance(int(tree), column)
        check_laws(forest)
    for tree, columns in enumerate(games):
        game = naive.from_columns(columns, 5, 4, 4)
        assert game.over()
        assert forest.results()[tree] == (0 if naive.winner(game) is None else -1)
        assert forest.position(tree) == Position.from_moves(columns, geometry)
