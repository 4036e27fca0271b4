"""Decided positions: found and proven; and the position that shows a wrong sign."""

import random

import pytest

from claimeven.game import Geometry, Position
from claimeven.montecarlo import PRESETS, Branch, MonteCarloOptions, preset
from claimeven.montecarlo.layout import PROVEN_LOSS, PROVEN_WIN
from tests.montecarlo.support import search, unfinished_position
from tests.naive import Game, score

SOLVERS = (
    preset("uct"),
    preset("uct", decisive_moves="off"),
    preset("uct", decisive_moves="off", playout="random", first_play="all"),
    preset("uct", transpositions="equal"),
    preset("uct", transpositions="mirror", decisive_moves="off", playout="random"),
)

#: Positions with the one column that loses immediately: the cell above it wins for the opponent.
TRAPS = (("5744445554", 5), ("6613324715663476", 4), ("115623646537361726561", 3))
#: Positions with the one column that wins soonest, and the moves to the end with it: a double
#: threat at the bottom, and three that take a forced move more.
FORCED_WINS = (
    ("4131", 4, 3),
    ("143632312143423", 3, 5),
    ("34441265644253131", 0, 5),
    ("233264743132133656412", 4, 5),
)
#: Positions in which every move loses immediately.
LOST = ("311476413714213", "232646611533672", "4122671741766613257")


#: Lost positions, and the moves to the end with the best defence.
DEEP_LOSSES = (
    ("4553635365763", 4),
    ("154353752423", 4),
    ("337736275112652", 6),
    ("3624427132224414351", 6),
)


def proofs(root: Branch) -> dict[int, tuple[int, int]]:
    """Proof and distance of the proven children of a root."""
    return {c.column: (c.proof, c.distance) for c in root.children if c.proof}


@pytest.mark.parametrize("options", SOLVERS)
def test_win_in_one(options: MonteCarloOptions) -> None:
    result = search(Position.from_moves("121212"), options, 300)
    assert (result.column, result.value) == (0, 1.0)
    assert result.policy[0] == 1.0
    assert (result.root.proof, result.root.distance) == (PROVEN_WIN, 1)
    assert proofs(result.root) == {0: (PROVEN_WIN, 1)}
    assert result.line == (0,)


@pytest.mark.parametrize("options", SOLVERS)
def test_forced_block(options: MonteCarloOptions) -> None:
    position = Position.from_moves("12131")
    result = search(position, options, 2000)
    assert result.column == 0
    # A column that does not block is proven lost, or was left out as such.
    left = {child.column for child in result.root.children if child.proof != PROVEN_LOSS}
    assert left == {0}
    lost = [child for child in result.root.children if child.proof == PROVEN_LOSS]
    assert len(lost) == (0 if options.decisive_moves == "tree" else 6)
    assert all(child.distance == 2 for child in lost)


@pytest.mark.parametrize("options", SOLVERS)
@pytest.mark.parametrize(("moves", "column", "distance"), FORCED_WINS)
def test_forced_win_is_proven(
    options: MonteCarloOptions, moves: str, column: int, distance: int
) -> None:
    result = search(Position.from_moves(moves), options, 20_000)
    assert (result.column, result.value) == (column, 1.0)
    assert result.iterations < 20_000
    won = [child for child in result.root.children if child.proof == PROVEN_WIN]
    assert [(child.column, child.distance) for child in won] == [(column, distance)]


@pytest.mark.parametrize("options", SOLVERS)
@pytest.mark.parametrize("moves", LOST)
def test_loss_is_proven(options: MonteCarloOptions, moves: str) -> None:
    position = Position.from_moves(moves)
    result = search(position, options, 20_000)
    assert result.value == -1.0
    assert result.column in position.legal_columns
    assert (result.root.proof, result.root.distance) == (PROVEN_LOSS, 2)
    assert proofs(result.root) == dict.fromkeys(position.legal_columns, (PROVEN_LOSS, 2))
    assert len(result.line) == 2


@pytest.mark.parametrize("options", SOLVERS)
@pytest.mark.parametrize(("moves", "distance"), DEEP_LOSSES)
def test_deep_loss_is_proven(options: MonteCarloOptions, moves: str, distance: int) -> None:
    """Every column that the search has left is proven lost, the chosen one no sooner than any."""
    position = Position.from_moves(moves)
    result = search(position, options, 20_000)
    assert result.value == -1.0
    assert (result.root.proof, result.root.distance) == (PROVEN_LOSS, distance)
    assert all(child.proof == PROVEN_LOSS for child in result.root.children)
    assert proofs(result.root)[result.column] == (PROVEN_LOSS, distance)
    end = position
    for column in result.line:
        end = end.play(column)
    assert end.outcome is not None
    assert end.outcome.winner == 1 - position.turn


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(("moves", "column"), TRAPS)
def test_no_move_below_the_opponent_s_win(name: str, moves: str, column: int) -> None:
    """A search with a wrong sign somewhere loves this column.

    (If the choice is by mean + bonus, a column is sometimes chosen for its bonus.)
    """
    result = search(Position.from_moves(moves), PRESETS[name], 4000)
    tried = [child for child in result.root.children if child.visits]
    assert max(tried, key=lambda child: child.mean).column != column
    assert PRESETS[name].final_choice == "ucb" or result.column != column
    if PRESETS[name].method == "uct":
        assert max(tried, key=lambda child: child.visits).column != column


@pytest.mark.parametrize("options", SOLVERS)
def test_proofs_agree_with_plain_minimax(options: MonteCarloOptions) -> None:
    """Every proof in the tree of a small board is right, and the root gets proven."""
    rng = random.Random(5)
    geometry = Geometry(4, 3, 3)
    known: dict[object, int] = {}
    for _ in range(8):
        position = unfinished_position(rng, geometry)
        result = search(position, options, 30_000)
        exact = score(naive(position), known)
        expected = (exact > 0) - (exact < 0)
        assert result.value == expected
        if result.root.proof:
            assert {PROVEN_WIN: 1, PROVEN_LOSS: -1}.get(result.root.proof, 0) == expected


@pytest.mark.parametrize("options", SOLVERS)
def test_proofs_deep_in_the_tree_are_right(options: MonteCarloOptions) -> None:
    proven = 0
    for geometry in (Geometry(4, 3, 3), Geometry(3, 4, 3), Geometry(3, 5, 3)):
        known: dict[object, int] = {}
        position = Position(geometry)
        waiting = [(position, search(position, options, 150).forest.branch(None))]
        while waiting:
            at, branch = waiting.pop()
            if branch.proof and not at.is_over:
                exact = score(naive(at), known)
                output = {PROVEN_WIN: 1, PROVEN_LOSS: -1}.get(branch.proof, 0)
                expected = output if at == position else -output
                assert (exact > 0) - (exact < 0) == expected, repr(at)
                proven += 1
            waiting += [(at.play(child.column), child) for child in branch.children]
    assert proven > 3


def test_boards_without_a_line() -> None:
    """If no line fits, the game is a proven draw."""
    result = search(Position(Geometry(3, 2, 4)), preset("uct"), 20_000)
    assert result.value == 0.0
    assert result.iterations < 20_000
    assert result.root.proof


def naive(position: Position) -> Game:
    """The same position on a grid of lists."""
    game = Game(position.geometry.columns, position.geometry.rows, position.geometry.connect)
    first, second = position.discs
    for column in range(position.geometry.columns):
        for row in range(position.geometry.rows):
            bit = position.geometry.bit(column, row)
            if first >> bit & 1:
                game.grid[column][row] = 0
            elif second >> bit & 1:
                game.grid[column][row] = 1
    game.player = position.turn
    return game
