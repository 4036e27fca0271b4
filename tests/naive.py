"""The oracle: Connect Four on a grid of lists, written to be obviously right.

It does not import claimeven and shares no idea with it: no bits, no tables, no pruning.
A grid is a list of columns, each a list of cells from the bottom up; a cell is EMPTY, 0 (first
player) or 1 (second player). Values, evaluations and scores are seen from the side to move.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

EMPTY = None
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
SEQUENCE_WIN = 1_000_000

LUND_WEIGHTS = (100001, 1000, 100, -101, -1001, -100000, 1)
SYMMETRIC_WEIGHTS = (10, 5, 2, -2, -5, -10, 0)
STREAK_WEIGHTS = (1, 8, 128, 1024, 8192, 16384, 32768)
STREAK_WIN = 99999

Grid = list[list[int | None]]
Cell = tuple[int, int]


class Game:
    """A grid, the number in a row that wins, and whose turn it is."""

    def __init__(self, columns: int = 7, rows: int = 6, connect: int = 4) -> None:
        self.columns = columns
        self.rows = rows
        self.connect = connect
        self.grid: Grid = [[EMPTY] * rows for _ in range(columns)]
        self.player = 0

    def copy(self) -> Game:
        other = Game(self.columns, self.rows, self.connect)
        other.grid = [list(column) for column in self.grid]
        other.player = self.player
        return other

    def legal(self) -> list[int]:
        """Columns that can be played; [] after a win."""
        return [] if winner(self) is not None else self.open_columns()

    def open_columns(self) -> list[int]:
        """Columns that are not full."""
        return [c for c in range(self.columns) if self.grid[c][-1] is EMPTY]

    def play(self, column: int) -> Game:
        assert column in self.legal()
        return self.after(column)

    def after(self, column: int) -> Game:
        """`play` in a game that is known to continue."""
        after = self.copy()
        after.grid[column][after.grid[column].index(EMPTY)] = self.player
        after.player = 1 - self.player
        return after

    def ply(self) -> int:
        return sum(cell is not EMPTY for column in self.grid for cell in column)

    def over(self) -> bool:
        return not self.legal()

    def frozen(self) -> tuple[tuple[int | None, ...], ...]:
        return tuple(tuple(column) for column in self.grid)


def from_columns(moves: list[int], columns: int = 7, rows: int = 6, connect: int = 4) -> Game:
    game = Game(columns, rows, connect)
    for column in moves:
        game = game.play(column)
    return game


def random_moves(
    rng: random.Random, columns: int, rows: int, connect: int, plies: int
) -> tuple[Game, list[int]]:
    """Play up to `plies` random legal moves; returns the game and the columns played."""
    game, moves = Game(columns, rows, connect), []
    for _ in range(plies):
        legal = game.legal()
        if not legal:
            break
        moves.append(rng.choice(legal))
        game = game.play(moves[-1])
    return game, moves


# --- lines -------------------------------------------------------------------------------------


def at(grid: Grid, column: int, row: int) -> int | str | None:
    """The content of a cell, "off" beyond the edges."""
    if 0 <= column < len(grid) and 0 <= row < len(grid[0]):
        return grid[column][row]
    return "off"


@cache
def all_windows(columns: int, rows: int, length: int) -> list[list[Cell]]:
    """Every straight row of `length` cells of a board; for length 1 once a direction."""
    found = []
    for dc, dr in DIRECTIONS:
        for column in range(columns):
            for row in range(rows):
                last_column, last_row = column + (length - 1) * dc, row + (length - 1) * dr
                if 0 <= last_column < columns and 0 <= last_row < rows:
                    found.append([(column + i * dc, row + i * dr) for i in range(length)])
    return found


def windows(grid: Grid, length: int) -> list[list[Cell]]:
    return all_windows(len(grid), len(grid[0]), length)


def contents(grid: Grid, cells: list[Cell]) -> list[int | None]:
    return [grid[column][row] for column, row in cells]


def is_held(grid: Grid, cells: list[Cell], player: int) -> bool:
    """Whether the player holds all of the cells."""
    for column, row in cells:  # noqa: SIM110 - asked very often
        if grid[column][row] != player:
            return False
    return True


@cache
def windows_from(columns: int, rows: int, length: int) -> list[tuple[int, int, list[list[Cell]]]]:
    """Of every cell its column, row, and the windows it is the first cell of."""
    found: dict[Cell, list[list[Cell]]] = {}
    for cells in all_windows(columns, rows, length):
        found.setdefault(cells[0], []).append(cells)
    return [(column, row, those) for (column, row), those in found.items()]


def winning_lines(game: Game) -> list[list[Cell]]:
    """The windows that one player holds."""
    grid, found = game.grid, []
    for column, row, those in windows_from(len(grid), len(grid[0]), game.connect):
        first = grid[column][row]
        if first is not EMPTY:
            found += [cells for cells in those if is_held(grid, cells, first)]
    return found


def winning_cells(game: Game) -> list[Cell]:
    """The cells of all winning lines, sorted by column and then row."""
    return sorted({cell for cells in winning_lines(game) for cell in cells})


def winner(game: Game) -> int | None:
    lines = winning_lines(game)
    if not lines:
        return None
    column, row = lines[0][0]
    return game.grid[column][row]


def outcome(game: Game) -> tuple[int | None, list[Cell]] | None:
    """(winner, winning cells); winner None for a draw; None while the game continues."""
    cells = winning_cells(game)
    if cells:
        return winner(game), cells
    return None if game.open_columns() else (None, [])


# --- counting and evaluation ---------------------------------------------------------------------


def count_by_length(grid: Grid, player: int, length: int) -> int:
    """Windows of `length` cells all held by the player."""
    return sum(is_held(grid, cells, player) for cells in windows(grid, length))


def empty_below(grid: Grid, column: int, row: int) -> int:
    return sum(grid[column][r] is EMPTY for r in range(row))


def sequences(game: Game) -> int:
    """Polito's evaluation: the possible growth of each sequence, at each of its open ends."""
    grid, own, connect = game.grid, game.player, game.connect
    total = 0
    for length in range(1, connect + 1):
        for dc, dr in DIRECTIONS:
            for column in range(game.columns):
                for row in range(game.rows):
                    if grid[column][row] != own:
                        continue
                    rest = range(1, length)
                    if any(at(grid, column + i * dc, row + i * dr) != own for i in rest):
                        continue
                    if length == connect:
                        return SEQUENCE_WIN
                    for (c, r), (sc, sr) in (
                        ((column - dc, row - dr), (-dc, -dr)),
                        ((column + length * dc, row + length * dr), (dc, dr)),
                    ):
                        if at(grid, c, r) is not EMPTY:
                            continue
                        new_length, beyond = length + 1, (c + sc, r + sr)
                        while at(grid, *beyond) == own:
                            new_length, beyond = new_length + 1, (beyond[0] + sc, beyond[1] + sr)
                        new_length = min(new_length, connect)
                        below = empty_below(grid, c, r)
                        if new_length == connect and below == 0:
                            return SEQUENCE_WIN
                        total += new_length * (new_length - below)
    return total


def windows_value(game: Game, weights: tuple[int, ...] = LUND_WEIGHTS) -> int:
    """Lund's evaluation: every window of k cells by its discs, and own discs in the center.

    The weights: own k, own k-1, own k-2, opponent k-2, opponent k-1, opponent k, center disc.
    """
    own_k, own_1, own_2, other_2, other_1, other_k, center = weights
    own, other, k = game.player, 1 - game.player, game.connect
    total = 0
    for cells in windows(game.grid, k):
        inside = contents(game.grid, cells)
        mine, theirs, empty = inside.count(own), inside.count(other), inside.count(EMPTY)
        if mine == k:
            total += own_k
        elif mine == k - 1 and empty == 1:
            total += own_1
        elif mine == k - 2 and empty == 2 and mine > 0:
            total += own_2
        elif theirs == k - 2 and empty == 2 and theirs > 0:
            total += other_2
        elif theirs == k - 1 and empty == 1:
            total += other_1
        elif theirs == k:
            total += other_k
    return total + center * game.grid[game.columns // 2].count(own)


def chain(grid: Grid, column: int, row: int) -> int:
    """Length of the longest unbroken line of equal discs through a disc."""
    player, longest = grid[column][row], 1
    for dc, dr in DIRECTIONS:
        length = 1
        for sign in (1, -1):
            c, r = column + sign * dc, row + sign * dr
            while at(grid, c, r) == player:
                length, c, r = length + 1, c + sign * dc, r + sign * dr
        longest = max(longest, length)
    return longest


def streaks(game: Game) -> int:
    """AIFour's evaluation: every disc by the longest chain through it, own minus opponent."""
    total = 0
    for column in range(game.columns):
        for row in range(game.rows):
            if game.grid[column][row] is not EMPTY:
                length = chain(game.grid, column, row)
                weight = STREAK_WIN if length >= game.connect else STREAK_WEIGHTS[length - 1]
                total += weight if game.grid[column][row] == game.player else -weight
    return total


def triples(game: Game) -> int:
    """Polito's playout evaluation: own lines one short of winning, minus the opponent's."""
    length = game.connect - 1
    own = count_by_length(game.grid, game.player, length)
    return own - count_by_length(game.grid, 1 - game.player, length)


# --- search --------------------------------------------------------------------------------------


def minimax(
    game: Game,
    depth: int,
    evaluate: Callable[[Game], int],
    win: Callable[[int], int] = lambda remaining: 10_000_000 + remaining,
) -> int:
    """Value of a position after `depth` plies of search, for the side to move.

    `win(remaining)` is the value of a game won with `remaining` plies of the depth left; a lost
    game is worth minus that, a drawn one 0.
    """
    over = outcome(game)
    if over is not None:
        return 0 if over[0] is None else -win(depth)
    if depth == 0:
        return evaluate(game)
    return max(-minimax(game.after(c), depth - 1, evaluate, win) for c in game.open_columns())


def score(game: Game, known: dict[object, int] | None = None) -> int:
    """Exact score, in Pons's convention: 0 for a draw; when the side to move wins with best play,
    (cells + 1 - n) // 2 with n discs on the board before its winning disc; when it loses, minus
    the same number for the opponent. `known` stores the scores found.
    """
    known = {} if known is None else known
    key = game.frozen()
    if key not in known:
        over = outcome(game)
        if over is None:
            known[key] = max(-score(game.after(c), known) for c in game.open_columns())
        elif over[0] is None:
            known[key] = 0
        else:
            discs_before = game.ply() - 1
            known[key] = -((game.columns * game.rows + 1 - discs_before) // 2)
    return known[key]


# --- enumeration ---------------------------------------------------------------------------------


def count_sequences(game: Game, depth: int) -> int:
    """Number of ways to play exactly `depth` more moves."""
    if depth == 0:
        return 1
    return sum(count_sequences(game.play(c), depth - 1) for c in game.legal())


def positions_by_ply(game: Game, depth: int) -> list[dict[object, Game]]:
    """The distinct positions 0, 1, .. `depth` moves on, finished ones included."""
    layers = [{game.frozen(): game}]
    for _ in range(depth):
        after: dict[object, Game] = {}
        for position in layers[-1].values():
            for column in position.legal():
                child = position.play(column)
                after[child.frozen()] = child
        layers.append(after)
    return layers
