"""Evaluations, counts, drawings, encodings and greedy play, rebuilt from the originals' texts.

A board is a list of the 42 cells, column by column from the bottom: 0 empty, 1 the first player's,
2 the second's. It shares no code with claimeven.
"""

from __future__ import annotations

from itertools import groupby

COLUMNS, ROWS, CONNECT = 7, 6, 4
#: Up, right, right-up, right-down, as (column, row).
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))

Cells = list[int]
#: First cell as (column, row), direction, length.
Sequence = tuple[tuple[int, int], tuple[int, int], int]


def board_of(columns: list[int]) -> Cells:
    """Return the board after some moves."""
    cells = [0] * (COLUMNS * ROWS)
    for ply, column in enumerate(columns):
        cells[cells.index(0, column * ROWS)] = 1 + ply % 2
    return cells


def is_on_board(column: int, row: int) -> bool:
    return 0 <= column < COLUMNS and 0 <= row < ROWS


def ray(column: int, row: int, step: tuple[int, int]) -> list[int]:
    """Return the cells from a cell on in a direction, up to the edge."""
    found = []
    while is_on_board(column, row):
        found.append(column * ROWS + row)
        column, row = column + step[0], row + step[1]
    return found


_PLACES = [(column, row) for column in range(COLUMNS) for row in range(ROWS)]
#: The whole lines of the board, each from its first cell.
LINES = [
    ray(column, row, step)
    for step in DIRECTIONS
    for column, row in _PLACES
    if not is_on_board(column - step[0], row - step[1])
]
#: By length: the windows, each as its sequence and its cells.
WINDOWS: dict[int, list[tuple[Sequence, list[int]]]] = {
    length: [
        ((place, step, length), cells[:length])
        for step in DIRECTIONS
        for place in _PLACES
        if len(cells := ray(*place, step)) >= length
    ]
    for length in range(1, CONNECT + 1)
}
_FOURS = [tuple(cells) for _, cells in WINDOWS[CONNECT]]
_LINES_OF_TWO = [line for line in LINES if len(line) > 1]


# --- counts and evaluations ----------------------------------------------------------------------


def sequence_list(cells: Cells, player: int, most: int = CONNECT) -> list[Sequence]:
    """Polito: the straight rows of discs of a player, of 1 to 4."""
    return [
        sequence
        for length in range(1, most + 1)
        for sequence, window in WINDOWS[length]
        if all(cells[cell] == player for cell in window)
    ]


def count_by_length(cells: Cells, player: int, length: int) -> int:
    """Polito: the number of rows of each length that a player has, on every line of the board."""
    return sum(
        [cells[cell] for cell in line[start : start + length]] == [player] * length
        for line in LINES
        for start in range(len(line) - length + 1)
    )


#: For each sequence and each of its ends: the cells from there on in that direction.
_ENDS = {
    (place, step, length): (
        ray(place[0] - step[0], place[1] - step[1], (-step[0], -step[1])),
        ray(place[0] + length * step[0], place[1] + length * step[1], step),
    )
    for length in range(1, CONNECT)
    for (place, step, length), _ in WINDOWS[length]
}
POLITO_WIN = 1_000_000


def sequences(cells: Cells, player: int) -> int:
    """Polito: each sequence after the next disc, by length and empty cells below."""
    if any(all(cells[cell] == player for cell in window) for window in _FOURS):
        return POLITO_WIN
    total = 0
    for sequence in sequence_list(cells, player, CONNECT - 1):
        for cells_on in _ENDS[sequence]:
            if not cells_on or cells[cells_on[0]]:
                continue
            length = sequence[2] + 1
            for cell in cells_on[1 : CONNECT - sequence[2]]:
                if cells[cell] != player:
                    break
                length += 1
            column, row = divmod(cells_on[0], ROWS)
            empty = cells[column * ROWS : column * ROWS + row].count(0)
            if length == CONNECT and not empty:
                return POLITO_WIN
            total += length * (length - empty)
    return total


#: Lund: own discs count 1 and the opponent's 10 in a set of four, which is worth this.
LUND = {4: 100001, 3: 1000, 2: 100, 20: -101, 30: -1001, 40: -100000}
PEER = {4: 10, 3: 5, 2: 2, 20: -2, 30: -5, 40: -10}


def fours(cells: Cells, player: int, worth: dict[int, int], middle: int) -> int:
    """Lund: the worth of all sets of four cells, and `middle` for each disc in the middle."""
    counts = (0, 1, 10) if player == 1 else (0, 10, 1)
    seen = [counts[cell] for cell in cells]
    total = middle * seen[3 * ROWS : 4 * ROWS].count(1)
    for a, b, c, d in _FOURS:
        total += worth.get(seen[a] + seen[b] + seen[c] + seen[d], 0)
    return total


def windows(cells: Cells, player: int) -> int:
    """Lund: the report's own evaluation."""
    return fours(cells, player, LUND, 1)


def windows_symmetric(cells: Cells, player: int) -> int:
    """Lund: the evaluation of the reviewed peer."""
    return fours(cells, player, PEER, 0)


STREAK_WEIGHTS = (1, 8, 128, 99999)


def streaks(cells: Cells, player: int) -> int:
    """AIFour: each disc by the longest streak it is in, own discs less the opponent's."""
    longest = [1 if cell else 0 for cell in cells]
    for line in _LINES_OF_TWO:
        for disc, group in groupby(line, cells.__getitem__):
            if disc:
                streak = list(group)
                for cell in streak:
                    longest[cell] = max(longest[cell], len(streak))
    return sum(
        (1 if disc == player else -1) * STREAK_WEIGHTS[min(length, CONNECT) - 1]
        for disc, length in zip(cells, longest, strict=True)
        if disc
    )


def triples(cells: Cells, player: int) -> int:
    """Polito's playouts: rows of three, own less the opponent's."""
    return count_by_length(cells, player, 3) - count_by_length(cells, 3 - player, 3)


# --- greedy --------------------------------------------------------------------------------------


def greedy(cells: Cells, player: int) -> int:
    """ITU: the first column after which the new disc is in the longest row."""
    best, chosen = 0, 0
    for column in range(COLUMNS):
        stack = cells[column * ROWS : (column + 1) * ROWS]
        if 0 not in stack:
            continue
        row = stack.index(0)
        for dc, dr in DIRECTIONS:
            length = 1
            for step in ((dc, dr), (-dc, -dr)):
                for cell in ray(column + step[0], row + step[1], step):
                    if cells[cell] != player:
                        break
                    length += 1
            if length > best:
                best, chosen = length, column
    return chosen


# --- encodings and drawings ----------------------------------------------------------------------


def rows_of(cells: Cells, symbols: str) -> list[list[str]]:
    """Return the rows from the top, each cell as its symbol: empty, first, second."""
    return [[symbols[cells[c * ROWS + r]] for c in range(COLUMNS)] for r in reversed(range(ROWS))]


def polito_array(cells: Cells) -> list[list[int]]:
    """Polito: columns from the bottom; 1 the first player's discs, -1 the second's."""
    signs = (0, 1, -1)
    return [[signs[cell] for cell in cells[c * ROWS : (c + 1) * ROWS]] for c in range(COLUMNS)]


def lund_array(cells: Cells, player: int) -> list[list[int]]:
    """Lund: rows from the top; 1 the discs of the player asked about, -1 the opponent's."""
    rows = rows_of(cells, "012")
    return [[{"0": 0, str(player): 1}.get(cell, -1) for cell in row] for row in rows]


def aifour_stacks(cells: Cells) -> list[list[int]]:
    """AIFour: a list of columns, each with the discs that are in it."""
    return [[cell for cell in cells[c * ROWS : (c + 1) * ROWS] if cell] for c in range(COLUMNS)]


def itu_rows(cells: Cells) -> list[list[str]]:
    """ITU: rows of characters from the top; O moves first."""
    return rows_of(cells, ".OX")


def polito_drawing(cells: Cells) -> str:
    """Polito: a double frame with wide cells, rows and columns counted from 0."""

    def edge(left: str, middle: str, right: str) -> str:
        return f"  {left}{middle.join(['═' * 5] * COLUMNS)}{right}"

    lines = []
    for number, row in zip(reversed(range(ROWS)), rows_of(cells, " XO"), strict=True):
        inside = "║".join(f"\N{EM QUAD} {symbol} \N{EM QUAD}" for symbol in row)
        lines += [f"{number} ║{inside}║", edge("╠", "╬", "╣")]
    lines[-1] = edge("╚", "╩", "╝")
    numbers = "  " + "".join(f"   {column}  " for column in range(COLUMNS))
    return "\n".join(["P1: X\tP2: O", edge("╔", "╦", "╗"), *lines, numbers])


def aifour_drawing(cells: Cells) -> str:
    """AIFour: numbers between bars."""
    head = " " + " ".join(map(str, range(COLUMNS))) + " "
    return "\n".join([head, *(f"|{'|'.join(row)}|" for row in rows_of(cells, " 12"))])


def itu_drawing(cells: Cells) -> str:
    """ITU: characters below a line."""
    head = " ".join(map(str, range(COLUMNS)))
    rows = (" ".join(row) for row in itu_rows(cells))
    return "\n".join(["", head, "-" * len(head), *rows, ""])


def menary_drawing(cells: Cells) -> str:
    """Menary: characters in a frame, the column numbers in a separate frame."""
    edge = "+---" * COLUMNS + "+"
    rows = (f"| {' | '.join(row)} |" for row in rows_of(cells, ".XO"))
    numbers = f"| {' | '.join(map(str, range(COLUMNS)))} |"
    return "\n".join([edge, *rows, edge, numbers, edge, "Game result is: NONE"])
