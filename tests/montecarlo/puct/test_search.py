"""The driver: equal backends, limits, reused trees, its generator, errors."""

from __future__ import annotations

import copy
import itertools
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from claimeven.errors import ClaimevenError
from claimeven.game import Geometry, Position
from claimeven.montecarlo import Branch, MonteCarloResult, OutdatedForest, tree_json, tree_text
from claimeven.montecarlo.engine import NodeStats
from claimeven.montecarlo.puct import PuctOptions, PuctSearch
from claimeven.montecarlo.puct.layout import FLIGHT
from claimeven.montecarlo.puct.policy_value import Floats, UniformPolicyValue, Words
from claimeven.montecarlo.puct.search import PuctView
from tests.montecarlo.puct.support import Hashed, unfinished
from tests.pressing import pressed_as_usual, pressed_at

POSITION = Position.from_moves("4435")


def searched(
    options: PuctOptions, position: Position = POSITION, backend: str = "auto", seed: int = 1
) -> MonteCarloResult:
    search = PuctSearch(Hashed(position.geometry), options, backend)
    return search.search(position, np.random.default_rng(seed), iterations=80)


def facts(result: MonteCarloResult) -> tuple[object, ...]:
    return (
        result.column, result.value, result.policy, result.line, result.iterations, result.depth,
        result.stored, [(child.visits, child.prior) for child in result.root.children],
    )  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        PuctOptions(leaves=1),
        PuctOptions(leaves=1, noise=0.5, temperature=1.0),
        PuctOptions(leaves=1, solver=False, capacity=100),
    ],
)
def test_backends_decide_equally(options: PuctOptions) -> None:
    for position in [POSITION, *unfinished(Geometry(4, 4, 3), 5, seed=1)]:
        one, other = (searched(options, position, name) for name in ("compiled", "python"))
        assert facts(one) == facts(other)
        assert (one.backend, other.backend) == ("compiled", "python")
        assert one.forest.branch(3) == other.forest.branch(3)


def test_the_generator_decides() -> None:
    """Noise and temperature draw from the generator given, and no other part does."""
    noisy = PuctOptions(noise=0.5)
    assert facts(searched(noisy)) == facts(searched(noisy))
    assert facts(searched(noisy)) != facts(searched(noisy, seed=2))
    assert facts(searched(PuctOptions())) == facts(searched(PuctOptions(), seed=2))
    drawn = {searched(PuctOptions(temperature=3.0), seed=seed).column for seed in range(20)}
    assert len(drawn) > 2


@pytest.mark.parametrize("backend", ["compiled", "python"])
def test_noise_is_mixed_in_once_at_a_root_that_is_searched_on(backend: str) -> None:
    """And again at the next root, and at the same one started again."""

    def priors(position: Position = POSITION) -> list[float | None]:
        found = search.search(position, rng, iterations=20)
        return [child.prior for child in found.root.children]

    search = PuctSearch(Hashed(Geometry()), PuctOptions(noise=0.5, reuse=True), backend)
    rng = np.random.default_rng(1)
    assert priors() == priors()
    following = POSITION.play(3)
    noisy = priors(following)
    assert noisy == priors(following)
    search.reset()
    fresh, plain = priors(following), searched(PuctOptions(), following).root.children
    assert noisy != fresh != [child.prior for child in plain]


def test_children_report_prior_visits_mean_and_bonus() -> None:
    """Of every child the prior, visits, mean, and what selection goes by, by the formula."""
    options = PuctOptions(c=2.0, fpu=0.3)
    result = searched(options)
    root = result.root
    assert result.iterations == root.visits == 80
    assert sum(child.visits for child in root.children) == 79
    assert sum(child.prior or 0.0 for child in root.children) == pytest.approx(1.0)
    assert sum(result.policy) == pytest.approx(1.0)

    def check(node: Branch, sign: float) -> None:
        for child in node.children:
            assert child.prior is not None and child.bonus is not None
            bonus = 2.0 * child.prior * node.visits**0.5 / (1 + child.visits)
            assert child.bonus == pytest.approx(bonus)
            untried = max(-1.0, sign * node.total / node.visits - 0.3)
            mean = child.mean if child.visits else untried
            assert child.selection == pytest.approx(mean + bonus)

    tree = result.forest.branch(2)
    check(tree, 1.0)
    for child in tree.children:
        if child.visits:
            check(child, -1.0)
    assert tree_json(tree, POSITION)["children"][0]["prior"] == tree.children[0].prior
    assert tree_text(tree, POSITION).splitlines()[4].split() == ["move", "P", "N", "T", "E", "Q"]


def test_selection_after_one_visit_and_of_a_lost_parent() -> None:
    """The bonus is c * P * sqrt(1) / 1 then; no value is below a loss."""
    for backend in ("compiled", "python"):
        search = PuctSearch(Hashed(Geometry()), PuctOptions(c=2.0, fpu=0.3), backend)
        found = search.search(POSITION, np.random.default_rng(1), iterations=1)
        assert found.branching == 7.0
        for child in found.root.children:
            assert child.prior is not None and child.bonus == pytest.approx(2.0 * child.prior)
        assert isinstance(found.forest, PuctView)
        untried = NodeStats(3, 0, 0.0, prior=0.5)
        assert found.forest.bonus(NodeStats(0, 4, 2.0), untried) == (1.0 * 2.0, pytest.approx(-0.8))
        assert found.forest.bonus(NodeStats(0, 4, 3.6), untried) == (1.0 * 2.0, -1.0)


def test_a_total_of_zero_has_no_sign() -> None:
    """A model that takes every position to be even leaves the root at 0, not -0."""
    search = PuctSearch(UniformPolicyValue(POSITION.geometry))
    root = search.search(POSITION, np.random.default_rng(1), iterations=1).root
    assert str(root.total) == str(root.mean) == "0.0"


def test_ties_are_broken() -> None:
    """By their means, then one blocks, then the more likely, the more central, the left one."""

    def child(column: int, mean: float, prior: float) -> Branch:
        return Branch(column, 5, 5 * mean, mean, 0.0, 0.0, mean, mean, 0, 0, (), 0, prior)

    search, position = PuctSearch(Hashed(Geometry())), Position.from_moves("12131")  # 1 blocks
    root = searched(PuctOptions(), position).root
    for children, chosen in (
        ((child(0, 0.1, 0.5), child(4, 0.2, 0.1)), 4),
        ((child(0, 0.1, 0.1), child(4, 0.1, 0.5)), 0),
        ((child(3, 0.1, 0.1), child(5, 0.1, 0.2)), 5),
        ((child(1, 0.1, 0.1), child(5, 0.1, 0.1), child(6, 0.1, 0.1)), 1),
    ):
        given = replace(root, children=children)
        assert search._choose(given, position, np.random.default_rng(1)).column == chosen


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0, 10.0])
def test_priors_are_made_even_by_their_temperature(temperature: float) -> None:
    """Their ratios go by the power of 1 / temperature, at the root and below."""
    model = Hashed(POSITION.geometry)
    result = searched(PuctOptions(prior_temperature=temperature, solver=False))

    def check(node: Branch, position: Position) -> int:
        _, (given,) = model.evaluate(
            *(np.array([word], dtype=np.uint64) for word in (position.mine, position.mask))
        )
        powers = {c.column: float(given[c.column]) ** (1 / temperature) for c in node.children}
        for child in node.children:
            assert child.prior == pytest.approx(powers[child.column] / sum(powers.values()), 1e-6)
        return len(node.children)

    root = result.forest.branch(2)
    checked = check(root, POSITION)
    for child in root.children:
        if child.children:
            checked += check(child, POSITION.play(child.column))
    assert checked > 20


def test_one_iteration_is_only_the_model() -> None:
    """Its most likely column, with the model's value of the position."""
    model = Hashed(Geometry())
    result = PuctSearch(model).search(POSITION, np.random.default_rng(1), iterations=1)
    words = np.array([[POSITION.mine], [POSITION.mask]], dtype=np.uint64)
    values, priors = model.evaluate(*words)
    assert result.column == priors[0].argmax()
    assert result.value == values[0]
    assert result.policy == pytest.approx(priors[0])


def test_the_tree_is_kept() -> None:
    """The iterations of the line that was played are there already."""
    for backend in ("compiled", "python"):
        search = PuctSearch(Hashed(Geometry()), backend=backend)
        rng = np.random.default_rng(1)
        first = search.search(POSITION, rng, iterations=120)
        later = POSITION.play(first.line[0]).play(first.line[1])
        below = first.forest.branch(2)
        for column in first.line[:2]:
            below = next(child for child in below.children if child.column == column)
        second = search.search(later, rng, iterations=30)
        assert second.reused_visits == below.visits > 1
        assert second.iterations == 30
        assert second.root.visits == below.visits + 30
        search.reset()
        assert search.search(later, rng, iterations=30).reused_visits == 0
        scratch = PuctSearch(Hashed(Geometry()), PuctOptions(reuse=False), backend)
        for _ in range(2):
            assert scratch.search(POSITION, rng, iterations=10).reused_visits == 0


@pytest.mark.parametrize("backend", ["compiled", "python"])
def test_the_tree_is_kept_for_four_moves(backend: str) -> None:
    for moves, is_kept in ((4, True), (5, False)):
        search, rng = PuctSearch(Hashed(Geometry()), backend=backend), np.random.default_rng(1)
        line = search.search(POSITION, rng, iterations=300).line
        assert len(line) > 5
        later = POSITION
        for column in line[:moves]:
            later = later.play(column)
        assert (search.search(later, rng, iterations=1).reused_visits > 0) == is_kept


def test_loading_keeps_a_tree_and_takes_the_smallest_board() -> None:
    search, rng = PuctSearch(Hashed(Geometry())), np.random.default_rng(1)
    search.search(POSITION, rng, iterations=20)
    search.load(POSITION.geometry)
    assert search.search(POSITION, rng, iterations=5).reused_visits == 20
    cell = Geometry(1, 1, 2)
    search = PuctSearch(Hashed(cell))
    search.load(cell)
    assert search.search(Position(cell), rng, iterations=5).value == 0.0
    assert copy.deepcopy(PuctSearch(Hashed(cell), backend="python")).backend == "python"


def test_limits() -> None:
    """Iterations are exact, batches included; time ends a search, and so does a proof."""

    class Slow(Hashed):
        def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
            time.sleep(0.01)
            return super().evaluate(mines, masks)

    rng = np.random.default_rng(1)
    for leaves in (1, 7, 64):
        search = PuctSearch(Hashed(Geometry()), PuctOptions(leaves=leaves))
        assert search.search(POSITION, rng, iterations=100).iterations == 100
    begin = time.perf_counter()
    made = PuctSearch(Slow(Geometry())).search(POSITION, rng, seconds=0.1).iterations
    assert 1 <= made <= 10
    assert time.perf_counter() - begin < 2.0
    won = Position.from_moves("4131")
    result = PuctSearch(Hashed(Geometry())).search(won, rng, iterations=5000)
    assert (result.column, result.value, result.root.distance) == (4, 1.0, 3)
    assert result.iterations < 500
    assert result.line[0] == 4 and len(result.line) == 3


def test_a_lost_position_still_blocks() -> None:
    for moves in ("311476413714213", "232646611533672", "4122671741766613257"):
        position = Position.from_moves(moves)
        result = PuctSearch(Hashed(Geometry())).search(
            position, np.random.default_rng(1), iterations=5
        )
        replies = position.unchecked(position.geometry, position.theirs, position.mask)
        assert replies.play(result.column).outcome is not None
        assert result.value == -1.0


def test_threads_share_a_search() -> None:
    """They wait for each other; the next search outdates the trees of the last."""
    search = PuctSearch(Hashed(Geometry()), PuctOptions(reuse=False))
    positions = unfinished(Geometry(), 6, seed=7)

    def ask(position: Position) -> tuple[object, ...]:
        return facts(search.search(position, np.random.default_rng(1), iterations=40))

    alone = [ask(position) for position in positions]
    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(ask, positions)) == alone
    old = search.search(POSITION, np.random.default_rng(1), iterations=5)
    assert facts(copy.deepcopy(search).search(POSITION, np.random.default_rng(1), 5)) == facts(old)
    ask(positions[0])
    with pytest.raises(OutdatedForest):
        old.forest.branch(1)


def test_an_interrupted_search_leaves_no_pending_leaves() -> None:
    """Ctrl-C at steps of a search, one after the other: the next one is as good as any."""
    search, rng = (
        PuctSearch(Hashed(POSITION.geometry), PuctOptions(leaves=4)),
        np.random.default_rng(1),
    )
    search.load(POSITION.geometry)
    expected = facts(search.search(POSITION, rng, iterations=24))
    modules = tuple(sys.modules[f"claimeven.montecarlo.puct.{n}"] for n in ("search", "forest"))
    ended = 0
    for step in itertools.count(1, 31):
        other = POSITION.play(step % 7)
        with pressed_as_usual():
            pressed = pressed_at(
                step, lambda at=other: search.search(at, rng, iterations=24), *modules
            )
        forest = search._engine.forest  # type: ignore[union-attr]  # a compiled one
        counts = forest._nodes.counts[: forest.used(0)]
        assert forest.waiting == 0 and not counts[:, FLIGHT].any(), step
        assert search.search(POSITION, rng, iterations=20).iterations == 20, step
        search.reset()
        assert facts(search.search(POSITION, rng, iterations=24)) == expected, step
        if pressed.is_past_the_end:
            break
        assert isinstance(pressed.raised, KeyboardInterrupt), step
        ended += 1
    assert ended > 40


def test_a_trace_is_the_search() -> None:
    search = PuctSearch(Hashed(Geometry()), PuctOptions(leaves=1, noise=0.25))
    steps, root = search.trace(POSITION, np.random.default_rng(3), 40)
    found = search.search(POSITION, np.random.default_rng(3), iterations=40)
    assert root == found.root
    assert [step.iteration for step in steps] == list(range(1, 41))
    assert all(step.is_evaluated for step in steps if not step.proofs)


def test_bad_searches() -> None:
    search, rng = PuctSearch(Hashed(Geometry())), np.random.default_rng(1)
    for call, message in (
        (lambda: search.search(POSITION, rng), "needs a budget"),
        (lambda: search.search(POSITION, rng, iterations=0), "iterations must be"),
        (lambda: search.search(POSITION, rng, seconds=-1.0), "seconds must be"),
        (lambda: search.search(Position.from_moves("1212121"), rng, 5), "the game is over"),
        (lambda: search.search(Position(Geometry(4, 4)), rng, 5), "the model knows 7x6"),
        (lambda: search.trace(POSITION, rng, 0), "iterations must be"),
        (lambda: search.trace(Position.from_moves("1212121"), rng, 5), "the game is over"),
        (lambda: PuctSearch(Hashed(Geometry()), backend="c"), "there is no backend 'c'"),
    ):
        with pytest.raises(ClaimevenError, match=message):
            call()
