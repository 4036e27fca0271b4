"""Games of self-play: their lessons are true to the game, and noise and temperature
act."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.learning import selfplay_games
from claimeven.learning.net_training import initial_weights
from claimeven.learning.selfplay_config import SelfPlayConfig
from claimeven.learning.selfplay_games import (
    CachedNet,
    Positions,
    ReplayBuffer,
    SelfPlay,
    concatenate,
    random_positions,
)
from claimeven.montecarlo.puct.policy_value import playable_columns
from claimeven.networks.net import Net
from tests import naive
from tests.positions import oracle

BOARD = Geometry(4, 4, 3)
CONFIG = SelfPlayConfig(
    games=24,
    games_per_worker=24,
    simulations=20,
    fast_simulations=5,
    full_search_fraction=0.25,
    search_value_weight=0.0,
    geometry=BOARD,
)


def net_of(board: Geometry = BOARD, seed: int = 1) -> Net:
    """A net that has opinions."""
    weights = initial_weights(CONFIG.shape, board, seed)
    loud = {name: weights[name] * 30 for name in ("out_sum", "out_difference")}
    return Net(CONFIG.shape, {**weights, **loud}, board)


def played(config: SelfPlayConfig, seed: int = 0) -> tuple[SelfPlay, Positions]:
    task = SelfPlay(net_of(), config, config.games_per_worker, (seed,))
    return task, positions_of(task)


def positions_of(task: SelfPlay) -> Positions:
    for _ in task.rounds():
        pass
    return task.positions()


def score_of(mine: int, mask: int, known: dict[object, int]) -> int:
    """The exact score of two words, by plain minimax."""
    discs = (mine, mine ^ mask) if mask.bit_count() % 2 == 0 else (mine ^ mask, mine)
    return naive.score(oracle(Position.from_discs(BOARD, *discs)), known)


def test_targets_follow_the_game() -> None:
    """Policies are shares of legal moves; values are what perfect play or the game itself gives."""
    task, positions = played(CONFIG)
    masks = positions.masks
    assert task.tally.games == 24
    assert task.tally.moves <= task.tally.plies
    assert positions.policies.sum(axis=1) == pytest.approx(1.0)
    assert (positions.policies[~playable_columns(masks, BOARD)] == 0).all()
    assert (np.abs(positions.values) <= 1).all()
    # A win is worth less the fuller the board: with 16 cells and 0.5, from 1 - 5 / 32 down to 1/2.
    won = np.abs(positions.values[positions.values != 0])
    assert ((won >= 0.5) & (won <= 1 - 0.5 * 5 / 16)).all()
    assert np.allclose((1 - won) * 32 % 1, 0, atol=1e-4)


def test_no_search_and_no_random_start_learns_each_position_of_a_game() -> None:
    """With full searches for all moves, a game is stored from the first disc to the last but one,
    and the sides take turns to have won it.
    """
    config = replace(
        CONFIG, games=1, games_per_worker=1, full_search_fraction=1.0, random_start_fraction=0.0
    )
    task, positions = played(config)
    plies = [int(mask).bit_count() for mask in positions.masks]
    assert plies == list(range(task.tally.plies))
    signs = np.sign(positions.values)
    assert (signs == 0).all() or (signs[1:] == -signs[:-1]).all()
    if task.tally.draws == 0:
        assert signs[-1] == 1
        assert (signs[0] == 1) == (task.tally.first_wins == 1)


def test_moves_thought_about_quickly_are_not_learned_from(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless they are proven: of the others a root that is learned from had all searches."""
    config = replace(CONFIG, games=60, games_per_worker=60, simulations=40, geometry=Geometry())
    task = SelfPlay(net_of(Geometry()), config, 60, (1,))
    forest, move, visits = task.forest, task._move, []

    def watched(ready: np.ndarray) -> None:
        undecided = ready[~forest.is_decided()[ready]]
        before = sum(len(moment[0]) for moment in task._moments)
        proven = len(ready) - len(undecided)
        searched = forest.iterations()[undecided]
        move(ready)
        learned = sum(len(moment[0]) for moment in task._moments) - before
        visits.append((searched.tolist(), learned - proven))

    monkeypatch.setattr(task, "_move", watched)
    positions_of(task)
    counts = [count for searched, _ in visits for count in searched]
    full = sum(count >= 40 for count in counts)
    assert full == sum(learned for _, learned in visits)
    assert min(counts) == 5
    assert 0.15 < full / len(counts) < 0.4


def test_positions_whose_result_is_known_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(CONFIG, games=60, games_per_worker=60, simulations=60, geometry=Geometry())
    task = SelfPlay(net_of(Geometry()), config, 60, (1,))
    forest, step, known = task.forest, task.forest.step, 0

    def watched(*given: Any) -> int:
        nonlocal known
        decided, before = forest.is_decided(), forest.iterations()
        made = step(*given)
        assert (forest.iterations()[decided] == before[decided]).all()
        known += int((forest.results()[decided] == 1).sum())
        return made

    monkeypatch.setattr(forest, "step", watched)
    positions_of(task)
    assert known > 20


def test_proven_positions_are_true() -> None:
    """With many iterations nearly all of this board is proven, and the values are exact."""
    config = replace(
        CONFIG, games=12, games_per_worker=12, simulations=400, fast_simulations=400, random_plies=6
    )
    _, positions = played(config)
    known: dict[object, int] = {}
    right = [
        np.sign(value) == np.sign(score_of(int(mine), int(mask), known))
        for mine, mask, value in zip(
            positions.mines, positions.masks, positions.values, strict=True
        )
        if int(mask).bit_count() >= 6
    ]
    assert len(right) > 20
    assert np.mean(right) > 0.9


def test_the_same_seed_gives_the_same_positions() -> None:
    (_, one), (_, same), (_, other) = played(CONFIG, 1), played(CONFIG, 1), played(CONFIG, 2)
    assert all(np.array_equal(a, b) for a, b in zip(one, same, strict=True))
    assert not np.array_equal(one.masks, other.masks)


def test_temperature_and_noise_make_games_differ() -> None:
    """Without either, games differ only by choices between equals; each of them makes many."""
    still = replace(
        CONFIG,
        full_search_fraction=1.0,
        random_start_fraction=0.0,
        temperature_plies=0,
        dirichlet_fraction=0.0,
    )

    def games(config: SelfPlayConfig) -> int:
        task = SelfPlay(net_of(), config, 24, (3,))
        positions = positions_of(task)
        starts = np.flatnonzero(positions.masks == 0)
        parts = np.split(positions.mines, starts[1:])
        return len({part.tobytes() for part in parts})

    assert games(still) <= 4
    assert games(replace(still, dirichlet_fraction=0.8)) >= 8
    assert games(replace(still, temperature_plies=16)) >= 8
    # Cold, a drawn move is hardly ever another than the most visited.
    assert games(replace(still, temperature_plies=16, temperature=0.01)) <= 4


def test_a_remembered_position_is_judged_as_at_first_and_as_its_mirror_image() -> None:
    board = Geometry(5, 4, 4)
    net = net_of(board)
    model = CachedNet(net)
    first = [1 << board.bit(column, 0) for column in (0, 4, 1)]
    masks = np.array([0, *first], dtype=np.uint64)
    mines = np.zeros(4, dtype=np.uint64)
    values, priors = model.evaluate(mines, masks)
    assert model.evaluated == 3  # of 4: two are mirror images
    assert values[1] == values[2]
    assert np.array_equal(priors[1], priors[2, ::-1])
    again = model.evaluate(mines[::-1].copy(), masks[::-1].copy())
    assert model.evaluated == 3
    assert np.array_equal(again[0], values[::-1])
    assert np.array_equal(again[1], priors[::-1])
    alone = net.raw(mines[3:], masks[3:])
    assert np.tanh(alone[0, board.columns]) == pytest.approx(values[3], abs=1e-5)


def test_a_window_holds_the_last_positions() -> None:
    _, positions = played(CONFIG)
    count = len(positions.mines)
    replay = ReplayBuffer(count + 5, BOARD)
    replay.add(positions)
    replay.add(positions)
    assert len(replay) == count + 5
    assert np.array_equal(replay.positions.mines[-count:], positions.mines)
    batch = replay.batch(200, np.random.default_rng(1))
    assert not batch.score_weights.any()
    assert batch.policies.sum(axis=1) == pytest.approx(1.0)
    assert (batch.policies[~batch.playable] == 0).all()
    again = ReplayBuffer(count + 5, BOARD)
    again.restore(replay.as_arrays())
    same = again.batch(200, np.random.default_rng(1))
    assert all(np.array_equal(a, b) for a, b in zip(batch, same, strict=True))
    assert len(concatenate([positions, positions]).values) == 2 * count


def test_the_first_and_the_last_position_of_a_window_are_drawn() -> None:
    none, one = np.zeros(1, np.uint64), np.ones(1, np.uint64)
    shares = np.full((1, BOARD.columns), 1 / BOARD.columns, np.float32)
    replay = ReplayBuffer(2, BOARD)
    for word, value in ((none, 0.25), (one, -0.5)):
        replay.add(Positions(none, word, shares, *np.full((2, 1), value, np.float32)))
    batch = replay.batch(40, np.random.default_rng(1))
    assert set(batch.values.tolist()) == {0.25, -0.5}


@pytest.mark.parametrize("board", [BOARD, Geometry(), Geometry(5, 4, 4)], ids=str)
def test_games_start_at_any_position_of_random_moves(board: Geometry) -> None:
    most = board.cells * 2 // 3
    mines, masks = random_positions(np.random.default_rng(1), 2000, most, board)
    plies = [int(mask).bit_count() for mask in masks]
    assert set(plies) == set(range(1, most + 1))
    for mine, mask in zip(mines.tolist(), masks.tolist(), strict=True):
        discs = (mine ^ mask, mine) if mask.bit_count() % 2 else (mine, mine ^ mask)
        assert not Position.from_discs(board, *discs).is_over
    first = np.bincount(
        [int(mask).bit_length() // board.height for mask in masks if mask & (mask - 1) == 0]
    )
    assert len(first) == board.columns
    assert first.min() > 0.3 * first.mean()


def test_the_score_follows_from_the_end_of_the_game() -> None:
    """One disc before the end it is the exact score, on boards of an odd number of cells too."""
    for board in (BOARD, Geometry(5, 3, 3)):
        config = replace(
            CONFIG, geometry=board, simulations=60, fast_simulations=60, full_search_fraction=1.0
        )
        config = replace(config, draw_length_penalty=0.9)
        task = SelfPlay(net_of(board), config, 24, (1,))
        positions = positions_of(task)
        seen = 0
        assert (np.sign(positions.scores) == np.sign(positions.values)).all()
        for mine, mask, score in zip(*(positions[n].tolist() for n in (0, 1, 4)), strict=True):
            discs = (mine, mine ^ mask) if mask.bit_count() % 2 == 0 else (mine ^ mask, mine)
            position = Position.from_discs(board, *discs)
            if score > 0 and any(position.play(c).is_over for c in position.legal_columns):
                assert score == naive.score(oracle(position), {})
                seen += 1
        assert seen >= 10


def test_a_game_that_the_last_disc_wins_has_a_score() -> None:
    """Even if its win has the value 0."""
    config = replace(CONFIG, draw_length_penalty=1.0)
    words = np.array([0, 0b1_0001], dtype=np.uint64)
    games, proven = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=bool)
    moment = (games, words, words, np.full((2, 4), 0.25), np.zeros(2), proven)
    learned = selfplay_games._targets([moment], np.array([[16, 1]]), config)
    assert learned.values.tolist() == [0.0, 0.0]
    assert learned.scores.tolist() == [-1.0, -1.0]
