"""Data sets in memory: splits by game without common games, joins that keep games apart."""

from __future__ import annotations

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.dataset import Dataset, InvalidDataset, join_datasets
from claimeven.dataset.dataset import is_for_training
from claimeven.solver import Solver

SMALL = Geometry(4, 4, 3)


@pytest.fixture(scope="module")
def games() -> Dataset:
    """All positions of random games, doubles and mirror images among them."""
    rng = np.random.default_rng(3)
    numbers, positions = [], []
    for game in range(60):
        position = Position(SMALL)
        while not position.is_over:
            numbers.append(game)
            positions.append(position)
            position = position.play(int(rng.choice(position.legal_columns)))
    scores = Solver(SMALL, table_mb=1).scores_many(positions)
    mines, masks = (
        np.array([getattr(each, name) for each in positions], dtype=np.uint64)
        for name in ("mine", "mask")
    )
    return Dataset(SMALL, mines, masks, scores, np.array(numbers))


def positions(data: Dataset) -> set[Position]:
    return {
        Position(data.geometry, int(mine), int(mask))
        for mine, mask in zip(data.mines, data.masks, strict=True)
    }


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_the_sides_of_a_split_share_neither_games_nor_positions(
    games: Dataset, share: float
) -> None:
    training, held_out = games.split_by_game(share, seed=1)
    assert not set(training.games.tolist()) & set(held_out.games.tolist())
    there = positions(held_out)
    there |= {position.mirror() for position in there}
    assert positions(training) and not positions(training) & there
    whole_games = set(held_out.games.tolist())
    assert len(held_out) == sum(game in whole_games for game in games.games.tolist())
    left = [
        (game, Position(SMALL, int(mine), int(mask)))
        for game, mine, mask in zip(games.games, games.mines, games.masks, strict=True)
    ]
    kept = [place for place in left if place[0] not in whole_games and place[1] not in there]
    assert len(training) == len(kept) < len(games) - len(held_out)


def test_a_split_is_fixed_by_its_seed_and_a_larger_share_takes_more(games: Dataset) -> None:
    numbers = np.arange(20_000)
    first, other = is_for_training(numbers, 0.9), is_for_training(numbers, 0.9, seed=5)
    assert (first == is_for_training(numbers, 0.9)).all() and (first != other).any()
    assert first.mean() == pytest.approx(0.9, abs=0.01)
    assert (is_for_training(numbers, 0.95) >= first).all()
    assert is_for_training(numbers, 1.0).all() and not is_for_training(numbers, 0.0).any()
    assert (is_for_training(numbers[5000:], 0.9) == first[5000:]).all()
    for share in (1.5, -0.1, float("nan"), True, "0.5", None):
        with pytest.raises(InvalidDataset, match="the share to train on must be"):
            games.split_by_game(share)  # type: ignore[arg-type]  # bad on purpose


def test_joined_sets_keep_games_apart_and_positions_once(games: Dataset) -> None:
    whole = join_datasets([games])
    places = np.unique(games.keys)
    assert len(whole) == len(places) < len(games)
    assert sorted(whole.keys.tolist()) == places.tolist()
    late, early = games.select(games.plies > 5), games.select(games.plies <= 5)
    both = join_datasets([late, early])
    assert sorted(both.keys.tolist()) == places.tolist()
    from_late = both.games[both.plies > 5]
    assert set(from_late.tolist()) == set(join_datasets([late]).games.tolist())
    assert both.games[both.plies <= 5].min() > from_late.max()
    mirrored = [position.mirror() for position in positions(late)]
    images = Dataset(
        SMALL,
        np.array([each.mine for each in mirrored], dtype=np.uint64),
        np.array([each.mask for each in mirrored], dtype=np.uint64),
        np.zeros((len(mirrored), 4), dtype=np.int8),
        np.zeros(len(mirrored), dtype=np.int64),
    )
    assert len(join_datasets([late, images])) == len(join_datasets([late]))
    assert len(late.without(images)) == 0


def test_sets_that_do_not_go_together_are_rejected(games: Dataset) -> None:
    nothing = games.select(np.array([], dtype=np.int64))
    assert len(join_datasets([nothing, games])) == len(join_datasets([games]))
    late, early = games.select(games.plies > 5), games.select(games.plies <= 5)
    apart = join_datasets([late, nothing, early])
    assert apart.games[apart.plies <= 5].min() > apart.games[apart.plies > 5].max()
    other = Dataset(Geometry(4, 4), games.mines, games.masks, games.scores, games.games)
    for parts, sentence in (
        ([], "joining needs at least one data set"),
        ([games, other], "data sets of 4x4 connect 3 and of 4x4 connect 4 cannot be joined"),
    ):
        with pytest.raises(InvalidDataset, match=sentence):
            join_datasets(parts)
    with pytest.raises(InvalidDataset, match="of 4x4 connect 3 and of 4x4 connect 4 have no pos"):
        games.without(other)
