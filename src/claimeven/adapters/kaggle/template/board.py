"""The board: discs as bits of one integer of any size.

Bits run up each column, with one spare bit on top of it that stays 0, so a step along a line is a
constant shift and no line wraps round an edge. `mine` are the discs of the side to move, `mask`
all discs; `mine + mask` is a number for one position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class Board:
    """A board of `columns` x `rows` cells on which `connect` discs in a line win."""

    def __init__(self, columns: int, rows: int, connect: int) -> None:
        self.columns = columns
        self.rows = rows
        self.connect = connect
        self.cells: int = columns * rows
        self.height: int = rows + 1
        #: Shift of one step up, right, right-up and right-down.
        self.steps: tuple[int, int, int, int] = (1, self.height, self.height + 1, self.height - 1)
        self.bottom: int = sum(1 << column * self.height for column in range(columns))
        self.all: int = self.bottom * ((1 << rows) - 1)
        self.column_masks: list[int] = [
            ((1 << rows) - 1) << column * self.height for column in range(columns)
        ]
        #: For each direction, shifts that leave of some discs the first of every line: those and-ed
        #: with themselves, shifted by each in turn, keep runs of 2 discs, of 4, of `connect`.
        length, grown = 1, list[int]()
        while length < connect:
            grown.append(min(length, connect - length))
            length += grown[-1]
        self.line_shifts: list[list[int]] = [[step * n for n in grown] for step in self.steps]
        #: From the center outwards, the left one first at equal distance.
        self.center_order: list[int] = sorted(
            range(columns), key=lambda c: (abs(2 * c - columns + 1), c)
        )

    def owns(self, packed: bytes) -> bool:
        """Whether packed data, which start with the sizes of a board, are of this board."""
        return tuple(packed[:3]) == (self.columns, self.rows, self.connect)

    def read(self, cells: Sequence[int], mark: int) -> tuple[int, int]:
        """Return (mine, mask) of a flat list of cells, top row first, for the side of `mark`.

        Raises `ValueError` for another number of cells, and for discs that float.
        """
        if len(cells) != self.cells:
            raise ValueError("this is another board")
        mine = mask = 0
        for place, disc in enumerate(cells):
            if disc:
                row, column = divmod(place, self.columns)
                bit = 1 << column * self.height + self.rows - 1 - row
                mask |= bit
                if disc == mark:
                    mine |= bit
        if mask & self.playable(mask):
            raise ValueError("a disc floats")
        return mine, mask

    def playable(self, mask: int) -> int:
        """Return the cells that a disc can fall into, one bit for each column that is not full."""
        return (mask + self.bottom) & self.all

    def legal_columns(self, mask: int) -> list[int]:
        """Return the columns that are not full, from the center outwards."""
        playable = self.playable(mask)
        return [column for column in self.center_order if playable & self.column_masks[column]]

    def column_of(self, cell: int) -> int:
        """Return the column of a single bit."""
        return (cell.bit_length() - 1) // self.height

    def has_line(self, discs: int) -> bool:
        """Whether some discs hold a line."""
        for shifts in self.line_shifts:
            starts = discs
            for shift in shifts:
                starts &= starts >> shift
            if starts:
                return True
        return False

    def winning_cells(self, discs: int, mask: int) -> int:
        """Return the empty cells that complete a line for some discs; not all can be played."""
        return self.completing(discs) & self.all & ~mask

    def safe_moves(self, mine: int, mask: int) -> int:
        """Return the moves of the side to move that leave the other side no winning cell."""
        playable = self.playable(mask)
        threats = self.winning_cells(mine ^ mask, mask)
        forced = threats & playable
        if forced & (forced - 1):
            return 0
        return (forced or playable) & ~(threats >> 1)

    def completing(self, discs: int) -> int:
        """Return the cells that complete a line for some discs; some are taken or off the board."""
        if self.connect != 4:
            return self.completing_any(discs)
        found = discs << 1 & discs << 2 & discs << 3
        for step in self.steps[1:]:
            pair = discs & discs >> step
            triple = pair & pair >> step
            found |= triple >> step | triple << 3 * step
            found |= discs << step & pair >> step | pair << 2 * step & discs >> step
        return found

    def completing_any(self, discs: int) -> int:
        """`completing` for lines of any length."""
        found = 0
        for step in self.steps:
            for below in range(self.connect):
                cells = -1
                for place in range(1, below + 1):
                    cells &= discs << place * step
                for place in range(1, self.connect - below):
                    cells &= discs >> place * step
                found |= cells
        return found

    def longest_run(self, mine: int, move: int) -> int:
        """Return the length of the longest own run through a move."""
        longest = 0
        for step in self.steps:
            length, above, below = 1, move << step, move >> step
            while mine & above:
                length, above = length + 1, above << step
            while mine & below:
                length, below = length + 1, below >> step
            longest = max(longest, length)
        return longest

    def mirrored(self, key: int) -> int:
        """Return the number of the mirror image of a position."""
        column_bits, image = (1 << self.height) - 1, 0
        for _ in range(self.columns):
            image = image << self.height | key & column_bits
            key >>= self.height
        return image


def bits_of(mask: int) -> Iterator[int]:
    """Yield each bit of a mask that is set, the lowest first."""
    while mask:
        low = mask & -mask
        yield low
        mask ^= low
