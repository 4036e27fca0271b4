"""Playout rules: each on positions solved by hand, and the compiled twin."""

import random
from collections import Counter

import pytest

from claimeven.compiled import MAX_BITS
from claimeven.compiled.splitmix64 import Stream
from claimeven.game import Position
from claimeven.montecarlo.layout import PLAYOUTS
from claimeven.montecarlo.playouts.kernel import playout_results
from claimeven.montecarlo.playouts.textbook import (
    RULES,
    WIN,
    Replies,
    longest_run,
    play_out,
    safe_columns,
    winning_columns,
)
from tests.montecarlo.support import BOARDS, unfinished_position, wins_at_once
from tests.positions import WIDE

#: Playouts from one stream, so that a memory would show.
PLAYED = 12


def count_moves(rule: str, position: Position, count: int = 60) -> set[int]:
    return {RULES[rule](position, Stream(seed)) for seed in range(count)}


@pytest.mark.core
@pytest.mark.parametrize("rule", PLAYOUTS)
def test_compiled_playouts_are_the_textbook_s(rule: str) -> None:
    """Draw for draw: the same results from the same stream, with and without a cut."""
    rng = random.Random(PLAYOUTS.index(rule))
    boards = (*BOARDS, *WIDE) if MAX_BITS > 64 else BOARDS
    for trial in range(50):
        position = unfinished_position(rng, boards[trial % len(boards)])
        cut, seed = rng.choice((0, 0, 1, 2, 7)), rng.getrandbits(64)
        stream, replies, expected = Stream(seed), Replies(), [0, 0, 0]
        for _ in range(PLAYED):
            expected[play_out(position, rule, stream, cut, replies)[0] + 1] += 1
        compiled = playout_results(position, rule, cut, seed, PLAYED)
        assert list(compiled) == expected, (rule, repr(position), cut, seed)


@pytest.mark.parametrize("rule", PLAYOUTS)
def test_playouts_are_legal_games(rule: str) -> None:
    position, stream = Position.from_moves("4"), Stream(9)
    for cut in (0, 5):
        result, moves = play_out(position, rule, stream, cut, Replies())
        end = position
        for column in moves:
            end = end.play(column)
        assert end.is_over or (len(moves) == cut and result == 0)
        if end.is_over and end.outcome and end.outcome.winner is not None:
            assert result == (1 if end.outcome.winner == position.turn else -1)


def test_random_moves_are_even_over_the_open_columns() -> None:
    position = Position.from_moves("444444111111")
    counts = Counter(RULES["random"](position, Stream(seed)) for seed in range(20_000))
    assert sorted(counts) == [1, 2, 4, 5, 6]
    assert all(3_800 < count < 4_200 for count in counts.values())


def test_random_results_of_the_empty_board() -> None:
    """First player's share of wins in random play, near 55.6 %, drawn games near 0.25 %."""
    losses, draws, wins = playout_results(Position(), "random", 0, 3, 200_000)
    assert 0.550 < wins / 200_000 < 0.562
    assert 0.001 < draws / 200_000 < 0.004
    assert losses + draws + wins == 200_000


def test_wins_and_blocks() -> None:
    """A win comes before a block, a block before anything else."""
    both = Position.from_moves("172737")  # each side has three: first in the bottom row 1 2 3
    for rule in ("wins-and-blocks", "careful", "greedy", "alphabeta1", "alphabeta2"):
        assert count_moves(rule, both) == {3}, rule
    threatened = Position.from_moves("17273")
    for rule in ("wins-and-blocks", "careful", "alphabeta2"):
        assert count_moves(rule, threatened) == {3}, rule
    assert len(count_moves("random", threatened)) > 3


def test_careful_fills_no_cell_below_a_win_of_the_opponent() -> None:
    position = Position.from_moves("5744445554")  # the first player wins above the foot of column 6
    safe = set(safe_columns(position))
    assert safe
    assert not winning_columns(position)
    assert safe != set(position.legal_columns)
    assert count_moves("careful", position) == safe
    for column in set(position.legal_columns) - safe:
        after = position.play(column)
        assert any(wins_at_once(after, reply) for reply in after.legal_columns)


def test_replies_by_hand() -> None:
    """A winner's answer is given again, until it is given in a lost game."""
    replies, stream = Replies(), Stream(1)
    position = Position.from_moves("4")  # the second player is to move, after the cell (3, 0)
    after = position.play(2)
    game = [(2, 0), (6, 0), (2, 1)]
    replies.learn(1, game, 1)  # won by the player that opened with (2, 0)
    assert replies.known == {(1, (6, 0)): (2, 1)}
    answered = after.play(6)
    assert {replies.move(answered, Stream(seed), (6, 0)) for seed in range(20)} == {2}
    assert len({replies.move(answered, Stream(seed), (0, 0)) for seed in range(60)}) == 7
    assert len({replies.move(position, Stream(seed), (6, 0)) for seed in range(60)}) == 7
    replies.learn(1, game, 0)
    replies.learn(1, [(2, 0), (6, 0), (5, 0)], -1)  # lost by another answer: still known
    assert replies.known[1, (6, 0)] == (2, 1)
    replies.learn(1, game, -1)
    assert (1, (6, 0)) not in replies.known
    assert stream.state == 1


def test_greedy_makes_the_longest_run() -> None:
    position = Position.from_moves("1223")  # first player holds 1 and 2 on different rows
    longest = max(longest_run(position, column) for column in position.legal_columns)
    expected = {c for c in position.legal_columns if longest_run(position, c) == longest}
    assert count_moves("greedy", position) == expected
    assert longest_run(Position.from_moves("112233"), 3) == 4


@pytest.mark.parametrize("depth", [1, 2])
def test_shallow_moves_equal_plain_minimax(depth: int) -> None:
    rng = random.Random(depth)
    for trial in range(24):
        position = unfinished_position(rng, BOARDS[trial % 6])
        values = {column: -minimax(position.play(column), depth - 1) for column in legal(position)}
        best = {column for column, value in values.items() if value == max(values.values())}
        assert count_moves(f"alphabeta{depth}", position, 100) == best


def legal(position: Position) -> tuple[int, ...]:
    return position.legal_columns


def minimax(position: Position, depth: int) -> int:
    """Value for the side to move, by windows of connect - 1 counted cell by cell."""
    outcome = position.outcome
    if outcome is not None and outcome.winner is not None:
        return -WIN
    if depth == 0 or outcome is not None:
        return count(position, position.mine) - count(position, position.theirs)
    return max(-minimax(position.play(column), depth - 1) for column in legal(position))


def count(position: Position, discs: int) -> int:
    geometry = position.geometry
    return sum(
        all(discs >> geometry.bit(*cell) & 1 for cell in window)
        for window in geometry.windows(geometry.connect - 1)
    )
