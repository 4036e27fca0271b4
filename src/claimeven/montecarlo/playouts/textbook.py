"""Playouts on positions: the rules in plain Python, for boards of any size.

A rule is a function from (position, stream) to a column; only `replies` has a memory, `Replies`.
`play_out` follows a rule to the end. `kernel` contains the compiled twins, which draw the same
random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from claimeven.compiled.splitmix64 import Stream
from claimeven.evaluation.streaks import triples
from claimeven.game import Position, bitboard
from claimeven.montecarlo.layout import PLAYOUTS

Rule = Callable[[Position, Stream], int]
Cell = tuple[int, int]

WIN: Final = 1 << 40


def winning_columns(position: Position) -> tuple[int, ...]:
    """Return the columns with an immediate win of the side to move."""
    return _columns_of(position, _wins(position, position.mine))


def blocking_columns(position: Position) -> tuple[int, ...]:
    """Return the columns with an immediate win of the other side."""
    return _columns_of(position, _wins(position, position.theirs))


def safe_columns(position: Position) -> tuple[int, ...]:
    """Return the columns that do not lose immediately, if the side to move has no immediate win.

    A move must block a win of the other side and must not fill a cell directly below one. Without
    such columns the game is lost.
    """
    geometry, mask = position.geometry, position.mask
    cells = bitboard.playable_cells(mask, geometry)
    threats = _wins(position, position.theirs)
    forced = threats & cells
    if forced & (forced - 1):
        return ()
    return _columns_of(position, (forced or cells) & ~(threats >> 1))


def immediate_moves(position: Position) -> list[int]:
    """Return the next moves that need no search: immediate wins, blocks in lost positions."""
    columns: list[int] = []
    while not position.is_over:
        candidates = winning_columns(position)
        if not candidates and not safe_columns(position):
            candidates = blocking_columns(position) or position.legal_columns
        if not candidates:
            break
        columns.append(candidates[0])
        position = position.play(candidates[0])
    return columns


def pick_column(columns: Sequence[int], position: Position, stream: Stream) -> int:
    """Pick a column at random: draw columns of the board until one is among `columns`."""
    while True:
        column = stream.below(position.geometry.columns)
        if column in columns:
            return column


def pick_of(columns: Sequence[int], stream: Stream) -> int:
    """Pick a column at random with a single draw; a single column needs no draw."""
    return columns[stream.below(len(columns))] if len(columns) > 1 else columns[0]


def random_move(position: Position, stream: Stream) -> int:
    """Return a random column that is not full."""
    return pick_column(position.legal_columns, position, stream)


def wins_and_blocks(position: Position, stream: Stream) -> int:
    """Return an immediate win, else a block (the leftmost first), else a random column."""
    urgent = winning_columns(position) or blocking_columns(position)
    return urgent[0] if urgent else random_move(position, stream)


def careful_move(position: Position, stream: Stream) -> int:
    """`wins_and_blocks` that fills no cell below a win of the other side if possible."""
    urgent = winning_columns(position) or blocking_columns(position)
    if urgent:
        return urgent[0]
    return pick_column(safe_columns(position) or position.legal_columns, position, stream)


def greedy_move(position: Position, stream: Stream) -> int:
    """Return the move with the longest own straight run; ties at random."""
    lengths = {column: longest_run(position, column) for column in position.legal_columns}
    longest = max(lengths.values())
    return pick_of([c for c, length in lengths.items() if length == longest], stream)


def longest_run(position: Position, column: int) -> int:
    """Return the length of the longest own run through the next cell of a column."""
    geometry = position.geometry
    cell = 1 << geometry.bit(column, position.height_of(column))
    return bitboard.longest_run(position.mine, cell, geometry)


def shallow_move(position: Position, stream: Stream, depth: int) -> int:
    """Return the best column by alpha-beta of `depth` 1 or 2 with `triples`; ties at random."""
    best, values = -WIN, {}
    for column in position.legal_columns:
        values[column] = _value_of(position, column, depth, best)
        best = max(best, values[column])
    return pick_of([c for c, value in values.items() if value == best], stream)


class Replies:
    """`wins_and_blocks`, but instead of a random move it repeats the last reply to a move by a side
    that then won, if the cell is playable: last good replies with forgetting (Baier and Drake,
    "The power of forgetting", 2010).
    """

    def __init__(self) -> None:
        self.known: dict[tuple[int, Cell], Cell] = {}

    def move(self, position: Position, stream: Stream, last: Cell | None) -> int:
        """Return the column after a move to the cell `last` of the playout, None at its start."""
        urgent = winning_columns(position) or blocking_columns(position)
        if urgent:
            return urgent[0]
        answer = None if last is None else self.known.get((position.turn, last))
        if answer is not None and position.height_of(answer[0]) == answer[1]:
            return answer[0]
        return random_move(position, stream)

    def learn(self, turn: int, cells: Sequence[Cell], result: int) -> None:
        """Store the winner's replies and delete the loser's. `turn` moved first, with `result`."""
        if result == 0:
            return
        winner = turn if result > 0 else 1 - turn
        for move in range(1, len(cells)):
            mover = (turn + move) % 2
            if mover == winner:
                self.known[mover, cells[move - 1]] = cells[move]
            elif self.known.get((mover, cells[move - 1])) == cells[move]:
                del self.known[mover, cells[move - 1]]


#: The rules by name; `replies` without its memory.
RULES: Final[dict[str, Rule]] = {
    "random": random_move,
    "wins-and-blocks": wins_and_blocks,
    "careful": careful_move,
    "greedy": greedy_move,
    "alphabeta1": lambda position, stream: shallow_move(position, stream, 1),
    "alphabeta2": lambda position, stream: shallow_move(position, stream, 2),
    "replies": wins_and_blocks,
}
assert tuple(RULES) == PLAYOUTS


def play_out(
    position: Position, rule: str | Rule, stream: Stream, cut: int, replies: Replies
) -> tuple[int, list[int]]:
    """Play by a rule, or the rule of a name, to the end, or for at most `cut` moves unless 0.

    Returns the result for the side to move in `position` (+1, 0, -1; 0 at the cutoff) and the
    moves. `replies` is the memory of the rule `replies` between playouts.
    """
    turn, cells = position.turn, list[Cell]()
    while not position.is_over and (not cut or len(cells) < cut):
        if rule == "replies":
            column = replies.move(position, stream, cells[-1] if cells else None)
        elif isinstance(rule, str):
            column = RULES[rule](position, stream)
        else:
            column = rule(position, stream)
            position.check_move(column)
        cells.append((column, position.height_of(column)))
        position = position.play(column)
    outcome = position.outcome
    result = 0
    if outcome is not None and outcome.winner is not None:
        result = 1 if outcome.winner == turn else -1
    replies.learn(turn, cells, result)
    return result, [column for column, _ in cells]


def _wins(position: Position, discs: int) -> int:
    return bitboard.winning_cells(discs, position.mask, position.geometry)


def _columns_of(position: Position, cells: int) -> tuple[int, ...]:
    playable = cells & bitboard.playable_cells(position.mask, position.geometry)
    return tuple(column for column, _ in position.geometry.cells_of(playable))


def _value_of(position: Position, column: int, depth: int, floor: int) -> int:
    """Return the value of a move for its mover; exact if it is at least `floor`."""
    after = position.play(column)
    if _is_won(after):
        return WIN
    if depth == 1 or after.is_over:
        return -triples(after)
    worst = WIN
    for reply in after.legal_columns:
        answered = after.play(reply)
        if _is_won(answered):
            return -WIN
        worst = min(worst, triples(answered))
        if worst < floor:
            break
    return worst


def _is_won(position: Position) -> bool:
    return position.outcome is not None and position.outcome.winner is not None
