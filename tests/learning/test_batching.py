"""The lessons of a step: scores of good columns that count more, neighbors of positions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.dataset import WORSE, Dataset, DatasetPlan, make_dataset, read_dataset
from claimeven.learning.batching import BatchSampler, make_batch, successors, swaps
from claimeven.learning.run_dir import InvalidRun
from claimeven.networks.net import Features
from claimeven.solver import Solver
from claimeven.solver.solver import ILLEGAL
from tests.learning.needs import needs_jax

pytestmark = needs_jax

SMALL = Geometry(4, 4, 3)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    path = tmp_path_factory.mktemp("sampler") / "a.csv"
    plan = DatasetPlan(400, 0, 13, seed=1, source="random", geometry=SMALL)
    make_dataset(path, plan, Solver(SMALL, table_mb=1))
    return read_dataset(path, SMALL)


def test_positions_one_move_on_have_the_scores_that_they_are_known_by(data: Dataset) -> None:
    on, mines, masks, scores, columns = successors(data, np.random.default_rng(1))
    assert set(columns.tolist()) == {-1}
    solver = Solver(SMALL, table_mb=1)
    assert 200 < len(on) < len(data)
    assert on.tolist() == sorted(set(on.tolist()))
    best = even = 0.0
    for place, mine, mask, score in zip(on, mines, masks, scores, strict=True):
        position = Position(SMALL, int(mine), int(mask))
        assert not position.is_over
        before = Position(SMALL, int(data.mines[place]), int(data.masks[place]))
        assert position in [before.play(column) for column in before.legal_columns]
        assert solver.score(position) == score
        best += score == -data.best[place]
        even += data.optimal[place].sum() / len(before.legal_columns)
    assert best > 1.1 * even  # good moves oftener than bad ones
    for place in set(range(len(data))) - set(on.tolist()):  # the move drawn ended the game
        before = Position(SMALL, int(data.mines[place]), int(data.masks[place]))
        assert any(before.play(column).is_over for column in before.legal_columns)


def test_bad_moves_are_played_too_by_their_documented_chance() -> None:
    """A tenth is added to what falls by the factor e for two points."""
    many, words = 6000, np.zeros(6000, np.uint64)
    scores = np.tile(np.array([-4, 0, -8, -12], np.int8), (many, 1))
    empty = Dataset(SMALL, words, words, scores, np.arange(many))
    found = successors(empty, np.random.default_rng(1))
    assert found.places.tolist() == list(range(many))
    wanted = 0.1 + np.exp([-2.0, 0.0, -4.0, -6.0])
    for score, share in zip((4, 0, 8, 12), wanted / wanted.sum(), strict=True):
        assert (found.scores == score).mean() == pytest.approx(share, abs=0.02)


def test_no_position_one_move_on_is_a_full_board() -> None:
    board = Geometry(3, 3, 3)
    last = Position.from_moves("33121221", board)
    assert last.legal_columns == (2,) and last.play(2).outcome is not None
    scores = np.full((1, 3), ILLEGAL, np.int8)
    scores[0, 2] = 0
    one = Dataset(board, *(np.array([word], np.uint64) for word in (last.mine, last.mask)),
                  scores, np.array([0]))  # fmt: skip
    for make in (successors, swaps):
        assert len(make(one, np.random.default_rng(1)).places) == 0


def test_positions_with_a_disc_elsewhere_have_the_score_that_is_known(data: Dataset) -> None:
    found = swaps(data, np.random.default_rng(1))
    solver, tried = Solver(SMALL, table_mb=1), set()
    assert 150 < len(found.places) < len(data)
    assert found.places.tolist() == sorted(set(found.places.tolist()))
    for place, mine, mask, score, column in zip(*found, strict=True):
        before = Position(SMALL, int(data.mines[place]), int(data.masks[place]))
        position = Position(SMALL, int(mine), int(mask))
        assert position != before and not position.is_over
        # The disc that was put on the one is on top of a column of the other.
        assert position.play(int(column)) in [before.play(c) for c in before.legal_columns]
        assert solver.scores(position)[column] == score
        tried.add(int(column))
    assert tried == set(range(4))


def test_scores_of_good_columns_count_more(data: Dataset) -> None:
    features = Features(SMALL)
    plain, focused = make_batch(data, features), make_batch(data, features, focus=2.5)
    assert np.array_equal(plain.score_weights, plain.playable.astype(np.float32))
    assert plain.best_weights is not None and not plain.best_weights.any()
    for place in range(0, len(data), 7):
        scores = data.scores[place]
        for column, score in enumerate(scores.tolist()):
            behind = max(s for s in scores.tolist() if s != ILLEGAL) - score
            wanted = 0.0 if score == ILLEGAL else 0.15 + 2.5 * np.exp(-behind / 2)
            assert focused.score_weights[place, column] == pytest.approx(wanted, rel=1e-5)
    assert focused.best is not None and focused.best_weights is not None
    assert np.array_equal(focused.best, data.best)
    assert set(focused.best_weights.tolist()) == {0.5}


def test_scores_of_only_the_best_columns_are_learned_and_played(data: Dataset) -> None:
    known_scores = np.where(data.optimal | (data.scores == ILLEGAL), data.scores, WORSE)
    right = replace(data, scores=known_scores)
    features = Features(SMALL)
    for focus, weight in ((0.0, 1.0), (2.5, 2.65)):
        batch, whole = (make_batch(each, features, focus) for each in (right, data))
        assert np.array_equal(batch.score_weights, np.where(data.optimal, np.float32(weight), 0))
        assert np.array_equal(batch.scores, np.where(data.optimal, data.scores, 0))
        for name in ("planes", "policies", "values", "playable", "best", "best_weights"):
            assert np.array_equal(getattr(batch, name), getattr(whole, name))
    found = successors(right, np.random.default_rng(1))
    assert np.array_equal(found.scores, -data.best[found.places])
    kept = [
        Position(SMALL, int(right.mines[place]), int(right.masks[place])).play(column)
        for place in found.places
        for column in np.flatnonzero(right.optimal[place]).tolist()
    ]
    assert {
        Position(SMALL, int(mine), int(mask))
        for mine, mask in zip(found.mines, found.masks, strict=True)
    } <= set(kept)
    elsewhere = swaps(right, np.random.default_rng(1))
    assert np.array_equal(elsewhere.scores, data.best[elsewhere.places])


def test_a_part_of_each_batch_is_one_move_on(data: Dataset) -> None:
    excluded = data.keys[:0]
    sampler = BatchSampler(data, 40, seed=3, aug_successors=0.5, excluded=excluded)
    same = BatchSampler(data, 40, seed=3)
    for step in range(4):
        batch, plain = sampler.batch_at(step), same.batch_at(step)
        for name in ("planes", "policies", "scores", "score_weights", "values"):
            assert np.array_equal(getattr(batch, name)[:20], getattr(plain, name)[:20])
        assert batch.best_weights is not None and batch.best is not None
        on = np.flatnonzero(batch.best_weights)
        assert 10 <= len(on) <= 20 <= on.min()
        assert not batch.policies[on].any() and not batch.score_weights[on].any()
        assert np.array_equal(batch.values[on], np.sign(batch.best[on]))
        kept = sorted(set(range(40)) - set(on.tolist()))
        assert np.array_equal(batch.planes[kept], plain.planes[kept])
        again = BatchSampler(data, 40, seed=3, aug_successors=0.5, excluded=excluded).batch_at(step)
        assert np.array_equal(again.planes, batch.planes)


def test_a_part_of_each_batch_has_a_disc_elsewhere(data: Dataset) -> None:
    excluded = data.keys[:0]
    sampler = BatchSampler(
        data, 40, seed=3, aug_successors=0.25, aug_swaps=0.5, focus=2.5, excluded=excluded
    )
    same = BatchSampler(data, 40, seed=3, focus=2.5)
    seen = 0
    for step in range(8):
        batch, plain = sampler.batch_at(step), same.batch_at(step)
        assert batch.best_weights is not None and plain.best_weights is not None
        for name in ("planes", "policies", "scores", "score_weights", "values", "best_weights"):
            assert np.array_equal(getattr(batch, name)[:10], getattr(plain, name)[:10])
        beside = 10 + np.flatnonzero(batch.best_weights[10:30] == 0)
        known = batch.score_weights[beside]
        assert (known.sum(axis=1) == 1).all() and ((known == 0) | (known == 1)).all()
        assert not batch.policies[beside].any() and batch.playable[beside][known == 1].all()
        assert np.isnan(batch.values[beside]).all()
        assert not np.isnan(np.delete(batch.values, beside)).any()
        seen += len(beside)
    assert 60 < seen < 160


def test_positions_held_out_are_not_learned_from_one_move_before(data: Dataset) -> None:
    """Any move drawn leads to one of these, since all positions of the next ply are held out."""
    keys = []
    for place in range(len(data)):
        before = Position(SMALL, int(data.mines[place]), int(data.masks[place]))
        keys += [before.play(column).canonical_key for column in before.legal_columns]
    sampler = BatchSampler(
        data, 40, seed=3, aug_successors=0.5, excluded=np.array(keys, dtype=np.uint64)
    )
    same = BatchSampler(data, 40, seed=3)
    for step in range(4):
        batch = sampler.batch_at(step)
        assert batch.best_weights is not None and not batch.best_weights.any()
        assert np.array_equal(batch.planes, same.batch_at(step).planes)


def test_the_image_of_a_position_one_move_on_is_it(data: Dataset) -> None:
    one = Dataset(SMALL, *(np.array([word], np.uint64) for word in (0, 0)),
                  np.array([[0, 0, 0, 0]], np.int8), np.array([0]))  # fmt: skip
    keys = np.array([Position.from_moves(m, SMALL).canonical_key for m in ("4", "2")], np.uint64)
    for seed in range(5):
        batch = BatchSampler(one, 1, seed, aug_successors=0.9, excluded=keys).batch_at(0)
        assert batch.best_weights is not None and not batch.best_weights.any()


def test_all_that_a_net_sees_of_a_position_one_move_on_is_its_own() -> None:
    words = np.zeros(1, np.uint64)
    one = Dataset(SMALL, words, words, np.zeros((1, 4), np.int8), np.array([0]))
    after = [Position(SMALL).play(column) for column in range(4)]
    planes, states = Features(SMALL).of(
        *(np.array([getattr(each, word) for each in after], np.uint64) for word in ("mine", "mask"))
    )
    for seed in range(4):
        batch = BatchSampler(one, 1, seed, aug_successors=0.9).batch_at(0)
        (place,) = np.flatnonzero((planes == batch.planes[0]).all(axis=1))
        assert np.array_equal(batch.states[0], states[place])


def test_the_column_that_is_known_has_the_score_of_the_move_that_was_played() -> None:
    """All columns have the label 5 here, so it is 5 for any disc taken back."""
    before, many = Position.from_moves("12", SMALL), 20
    words = (np.full(many, word, np.uint64) for word in (before.mine, before.mask))
    alike = Dataset(SMALL, *words, np.full((many, 4), 5, np.int8), np.arange(many))
    batch = BatchSampler(alike, many, seed=1, aug_swaps=1.0).batch_at(0)
    beside = np.isnan(batch.values)
    assert beside.sum() > 5
    assert np.array_equal(batch.scores[beside], 5 * batch.score_weights[beside])
    assert (batch.score_weights[beside].sum(axis=1) == 1).all()


def test_the_disc_that_is_taken_back_is_drawn_evenly() -> None:
    """Two can be, unless the move was put on one of them: the other is then."""
    before, many = Position.from_moves("1234", SMALL), 2000
    words = (np.full(many, word, np.uint64) for word in (before.mine, before.mask))
    alike = Dataset(SMALL, *words, np.zeros((many, 4), np.int8), np.arange(many))
    found = swaps(alike, np.random.default_rng(1))
    assert len(found.places) > many / 2
    assert set(found.columns.tolist()) == {0, 2}
    moved = (found.masks & ~np.uint64(before.mask)) != 0
    on_neither = [
        place for place in np.flatnonzero(moved)
        if before.play(1).mask & int(found.masks[place]) & ~before.mask
    ]  # fmt: skip
    assert (found.columns[on_neither] == 0).mean() == pytest.approx(0.5, abs=0.1)


def test_seed_and_step_decide_which_moves_are_played() -> None:
    words = np.zeros(1, np.uint64)
    one = Dataset(SMALL, words, words, np.zeros((1, 4), np.int8), np.array([0]))
    of_steps = [
        BatchSampler(one, 1, 3, aug_successors=0.9).batch_at(step).planes.tobytes()
        for step in range(9)
    ]
    of_seeds = [
        BatchSampler(one, 1, seed, aug_successors=0.9).batch_at(3).planes.tobytes()
        for seed in range(9)
    ]
    assert len(set(of_steps)) > 1 and len(set(of_seeds)) > 1


def test_each_epoch_has_each_position_once_in_another_order(data: Dataset) -> None:
    few = data.select(np.arange(10))
    sampler = BatchSampler(few, 4, seed=1)
    assert sampler.steps_per_epoch == 2  # two positions wait for the next order
    steps = [sampler.indices_at(step).tolist() for step in range(6)]
    epochs = [steps[at] + steps[at + 1] for at in (0, 2, 4)]
    assert all(len(epoch) == 8 == len(set(epoch)) for epoch in epochs)
    assert epochs[0] != epochs[1] != epochs[2]
    assert steps != [BatchSampler(few, 4, seed=2).indices_at(step).tolist() for step in range(6)]
    assert sampler.indices_at(1).tolist() == steps[1]  # an epoch that is gone back to


def test_a_batch_larger_than_the_data_is_all_of_it(data: Dataset) -> None:
    few = data.select(np.arange(5))
    sampler, same = BatchSampler(few, 64, seed=1, aug_successors=0.4), BatchSampler(few, 64, seed=1)
    assert sampler.steps_per_epoch == 1
    assert sorted(sampler.indices_at(0).tolist()) == list(range(5))
    batch = sampler.batch_at(0)
    assert batch.best_weights is not None and np.flatnonzero(batch.best_weights).min() >= 3
    assert np.array_equal(batch.planes[:3], same.batch_at(0).planes[:3])


def test_the_seed_fixes_weighted_draws(data: Dataset) -> None:
    weights = np.ones(len(data))
    one, other = (BatchSampler(data, 40, seed, weights).indices_at(0).tolist() for seed in (1, 2))
    assert one != other


def test_few_positions_are_drawn_again_where_they_have_chances(data: Dataset) -> None:
    few = data.select(np.arange(5))
    sampler = BatchSampler(few, 64, seed=1, weights=np.array([0.0, 1.0, 0.0, 2.0, 0.0]))
    assert sampler.steps_per_epoch == 1
    for step in range(3):
        chosen = sampler.indices_at(step).tolist()
        assert len(chosen) == 64 and set(chosen) == {1, 3}


def test_an_empty_data_set_is_rejected(data: Dataset) -> None:
    with pytest.raises(InvalidRun, match="the data sets contain no positions to train on"):
        BatchSampler(data.select(np.arange(0)), 8, seed=1)
