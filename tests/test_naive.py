"""The oracle itself, against cases worked out by hand and published numbers."""

from __future__ import annotations

import random

import pytest

from tests import naive


def test_rules_by_hand() -> None:
    game = naive.from_columns([3, 0, 3, 0, 3, 0])
    assert game.legal() == [0, 1, 2, 3, 4, 5, 6]
    won = game.play(3)
    assert naive.outcome(won) == (0, [(3, 0), (3, 1), (3, 2), (3, 3)])
    assert won.legal() == []
    full = naive.from_columns([0, 0, 1, 1], columns=2, rows=2, connect=3)
    assert naive.outcome(full) == (None, [])


def test_count_by_length_on_a_board_with_a_run_of_three() -> None:
    game = naive.Game()
    for column, row, player in ((3, 0, 0), (0, 0, 1), (4, 0, 0), (0, 1, 1), (5, 0, 0), (4, 1, 0)):
        game.grid[column][row] = player
    assert naive.count_by_length(game.grid, 0, 3) == 1
    # pairs: two along the row, one up, one on each diagonal
    assert naive.count_by_length(game.grid, 0, 2) == 5
    assert naive.count_by_length(game.grid, 0, 1) == 16
    assert naive.count_by_length(game.grid, 1, 2) == 1


EVALUATED = [
    ([], {"sequences": 0, "windows": 0, "symmetric": 0, "streaks": 0, "triples": 0}),
    ([3], {"sequences": 0, "windows": 0, "streaks": -1}),
    # one disc in a corner: above 2*2, to the right 2*2, on the diagonal 2*(2-1)
    ([0, 6], {"sequences": 10, "windows": 0, "streaks": 0}),
    # from one center disc: up 4, left 4, right 4, and 2 on each rising diagonal
    ([3, 0], {"sequences": 16, "windows": 1, "symmetric": 0}),
    # the pair grows to 3*3; lower disc 4+4+2+2, upper disc 4+2+2+0+4+0
    ([3, 0, 3, 0], {"sequences": 37, "windows": 100 - 101 + 2, "symmetric": 0, "streaks": 0}),
    ([3, 0, 3, 0, 3, 0], {"sequences": naive.SEQUENCE_WIN, "streaks": 0, "triples": 0}),
    ([3, 0, 3, 0, 3], {"windows": 100 - 1001 - 101, "symmetric": 2 - 5 - 2}),
    ([3, 0, 3, 0, 3], {"streaks": 2 * 8 - 3 * 128, "triples": -1}),
    ([3, 0, 3, 0, 3, 0, 3], {"streaks": 3 * 128 - 4 * 99999, "triples": 1 - 2}),
]


@pytest.mark.parametrize(("moves", "expected"), EVALUATED)
def test_evaluations_by_hand(moves: list[int], expected: dict[str, int]) -> None:
    game = naive.from_columns(moves)
    found = {
        "sequences": naive.sequences(game),
        "windows": naive.windows_value(game),
        "symmetric": naive.windows_value(game, naive.SYMMETRIC_WEIGHTS),
        "streaks": naive.streaks(game),
        "triples": naive.triples(game),
    }
    assert {name: found[name] for name in expected} == expected


def test_symmetric_weights_change_sign_with_the_side() -> None:
    game = naive.from_columns([3, 2, 3, 4, 2, 2, 4])
    value = naive.windows_value(game, naive.SYMMETRIC_WEIGHTS)
    game.player = 1 - game.player
    assert naive.windows_value(game, naive.SYMMETRIC_WEIGHTS) == -value != 0


@pytest.mark.parametrize(("columns", "rows"), [(2, 3), (3, 3), (4, 3)])
def test_two_ways_to_an_exact_score_agree(columns: int, rows: int) -> None:
    # A win with r plies left of a search to the end of the board fills (r + 2) // 2 as a score.
    rng = random.Random(columns)
    known: dict[object, int] = {}
    for _ in range(10):
        game, _ = naive.random_moves(rng, columns, rows, 3, rng.randint(3, 6))
        left = columns * rows - game.ply()
        value = naive.minimax(game, left, lambda _: 0, lambda remaining: (remaining + 2) // 2)
        assert naive.score(game, known) == value


def test_known_results_of_small_boards() -> None:
    assert naive.score(naive.Game(3, 3, 3)) == 0
    # two in a row win on the third disc
    assert naive.score(naive.Game(4, 2, 2)) == (8 + 1 - 2) // 2
    assert naive.count_sequences(naive.Game(), 4) == 2401
    assert [len(layer) for layer in naive.positions_by_ply(naive.Game(), 4)] == [
        1,
        7,
        49,
        238,
        1120,
    ]
