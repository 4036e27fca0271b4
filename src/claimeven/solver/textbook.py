"""The solver in readable Python, with the same steps and nodes as `kernel`.

`kernel` uses a stack of words, this module recursion. Tests check that both have the same scores,
numbers of nodes and table entries.
"""

from __future__ import annotations

from dataclasses import dataclass

from claimeven.game import bitboard
from claimeven.game.geometry import Geometry
from claimeven.solver.layout import cells_with_above, column_weights, pair_tops
from claimeven.solver.transposition_table import field_bits, max_rest_bits, multiplier, pack, unpack

#: As in `steps` and `kernel`.
NO_TABLE = 10
NO_SHARING = 16
FAR_APART = 3
AT_FLOOR, FAR_LOW, FAR_HIGH = 1, 2, 3

#: Winning cells after the move, minus the number of replies, weight of the column.
Order = tuple[int, int, int]


@dataclass(frozen=True)
class Choice:
    """A position in which the mover has a choice, or a decided position.

    `mine` and `mask` are the mover's discs and all discs, `threats` the empty cells that complete
    a line for the waiting side. `replies` are the moves that do not lose immediately, 0 if the
    position is decided. `plies` is the distance to the node above.
    """

    mine: int
    mask: int
    threats: int
    replies: int
    plies: int


def negated(bound: int | None) -> int | None:
    """Return a bound for the other side."""
    return None if bound is None else -bound


class TextbookSolver:
    """A readable solver for a board and a table of 2**bucket_bits buckets."""

    def __init__(self, geometry: Geometry, bucket_bits: int, worker: int = 0) -> None:
        self.geometry = geometry
        self.rest_bits: int = geometry.bits - bucket_bits
        assert 0 < self.rest_bits <= max_rest_bits(geometry)
        self.field_bits: int = field_bits(geometry)
        self.entries: list[int] = [0] * (2 << bucket_bits)
        self.weights: list[int] = column_weights(geometry, worker)
        self.tops: int = pair_tops(geometry)
        self.nodes = 0

    # -- rules

    def lowest(self, mask: int) -> int:
        """Mask of the playable cells."""
        return bitboard.playable_cells(mask, self.geometry)

    def completing(self, discs: int, mask: int) -> int:
        """Mask of the empty cells that complete a line for `discs`."""
        return bitboard.winning_cells(discs, mask, self.geometry)

    def play_forced(self, node: Choice) -> Choice:
        """Play while the mover has a single reply; `replies` of the argument is not used."""
        while True:
            playable = self.lowest(node.mask)
            replies = playable & ~(node.threats >> 1)
            forced = playable & node.threats
            if forced.bit_count() == 1:
                replies &= forced
            elif forced:
                replies = 0
            if replies.bit_count() != 1:
                return Choice(node.mine, node.mask, node.threats, replies, node.plies)
            mine, mask = node.mine | replies, node.mask | replies
            waiting = node.mask ^ node.mine
            node = Choice(waiting, mask, self.completing(mine, mask), 0, node.plies + 1)

    def decided_value(self, node: Choice, empties: int) -> int:
        """Return the value of a decided position for the side to move `plies` plies ago."""
        if node.mask == self.geometry.board:
            return 0
        value = (empties - node.plies) // 2
        return value if node.plies % 2 else -value

    # -- bounds

    def has_line(self, cells: int) -> bool:
        return bitboard.has_line(cells, self.geometry)

    def static_bound(self, node: Choice, alpha: int) -> int | None:
        """Return a bound that decides the window (alpha, alpha + 1), if one does; see `bounds`."""
        geometry = self.geometry
        mine, theirs = node.mine, node.mask ^ node.mine
        empty = geometry.board & ~node.mask
        empties = empty.bit_count()
        playable = self.lowest(node.mask)
        # Step 1: no line left.
        if alpha < 0:
            if not self.has_line(theirs | empty):
                return 0
        elif empties % 2 and not self.has_line(mine | empty):
            return 0
        # Step 2: follow-up.
        above = max(0, -2 * alpha - 2)
        high_enough = cells_with_above(geometry, above)
        if empties % 2 == 0:
            upper = self.tops & empty & ~playable
            if not self.has_line(mine | (empty & ~upper)):
                if alpha >= 0:
                    return 0
                if self.has_line(theirs | (upper & high_enough)):
                    return alpha
        # Step 3: zugzwang.
        halves = ~self.tops if empties % 2 else self.tops
        for column in range(geometry.columns):
            bits_of_column = geometry.column_mask(column)
            left = node.threats & halves & high_enough & bits_of_column
            while left:
                cell = left & -left
                left ^= cell
                below = cell >> 1
                gone = bits_of_column & ~(below - 1)
                under = bits_of_column & empty & ~gone
                upper = (self.tops & ~bits_of_column | halves & under) & empty & ~playable
                if not self.has_line(mine | (empty & ~upper & ~gone) | below):
                    return -((gone.bit_count() - 2 + 2) // 2)
        return None

    # -- table

    def place(self, node: Choice) -> tuple[int, int]:
        """Return (first entry of the bucket, rest of the key) of a position."""
        geometry = self.geometry
        key = node.mine + node.mask
        if node.mask.bit_count() <= geometry.cells // 3:
            key = min(key, bitboard.mirrored(key, geometry))
        product = key * multiplier(geometry.bits) % (1 << geometry.bits)
        return 2 * (product >> self.rest_bits), product % (1 << self.rest_bits)

    def look_up(self, node: Choice) -> tuple[int | None, int | None]:
        """Return the bounds of a position in the table."""
        place, rest = self.place(node)
        for entry in self.entries[place : place + 2]:
            found, low, high, _ = unpack(entry, self.field_bits)
            if found == rest:
                return low, high
        return None, None

    def store(self, node: Choice, value: int, is_low: bool, nodes: int) -> None:
        """Store a bound of a position that took `nodes` nodes to find."""
        place, rest = self.place(node)
        low = high = None
        work = nodes.bit_length()
        first, second = (
            unpack(entry, self.field_bits) for entry in self.entries[place : place + 2]
        )
        if first[0] == rest:
            _, low, high, known_work = first
        elif second[0] == rest:
            _, low, high, known_work = second
            place += 1
        else:
            known_work = 0
            if work >= first[3]:
                self.entries[place + 1] = self.entries[place]
            else:
                place += 1
        if is_low:
            low = value if low is None else max(low, value)
        else:
            high = value if high is None else min(high, value)
        self.entries[place] = pack(rest, low, high, max(work, known_work), self.field_bits)

    # -- search

    def search(self, mine: int, mask: int, alpha: int) -> int:
        """Test whether the score of an unfinished position is more than `alpha`."""
        empties = self.geometry.cells - mask.bit_count()
        if self.completing(mine, mask) & self.lowest(mask):
            return (empties + 1) // 2
        node = self.play_forced(Choice(mine, mask, self.completing(mine ^ mask, mask), 0, 0))
        if not node.replies:
            return self.decided_value(node, empties)
        if node.plies % 2:
            return -self.visit(node, -alpha - 1)
        return self.visit(node, alpha)

    def visit(self, node: Choice, alpha: int) -> int:
        """Search a node; the steps are numbered as in `kernel.search`."""
        # Step 2: enter the node.
        self.nodes += 1
        entered = self.nodes
        empties = self.geometry.cells - node.mask.bit_count()
        # Step 3: bounds from the soonest possible wins, and from the table.
        low, high = -((empties - 2) // 2), (empties - 1) // 2
        if empties > NO_SHARING:
            known_low, known_high = self.look_up(node)
            low = max(low, low if known_low is None else known_low)
            high = min(high, high if known_high is None else known_high)
        if high <= alpha:
            return high
        if low > alpha:
            return low
        # Step 4: make the children, play forced replies.
        best, children = self.children(node, alpha)
        if best > alpha:
            return best
        # Step 5: every move is decided, or no win is as soon as the window requires.
        if not children:
            return best
        if (empties - 3) // 2 <= alpha:
            return (empties - 3) // 2
        # Step 6: drop children that the table or the bounds decide.
        remaining = []
        for order, child in children:
            least, most = self.bounds_of(child, alpha, empties)
            if least is not None and least > alpha:
                return least
            if most is not None and most <= alpha:
                best = max(best, most)
            else:
                remaining.append((order, child))
        if not remaining:
            return best
        # Steps 7 and 9: search the children left, the most promising first.
        for _, child in sorted(remaining, key=lambda pair: pair[0], reverse=True):
            turned = child.plies % 2
            value = self.visit(child, -alpha - 1 if turned else alpha)
            best = max(best, -value if turned else value)
            if best > alpha:
                break
        # Step 8: the node is done: store it in the table.
        if empties > NO_TABLE:
            self.store(node, best, best > alpha, self.nodes - entered)
        return best

    def children(self, node: Choice, alpha: int) -> tuple[int, list[tuple[Order, Choice]]]:
        """Return the best of the decided moves and the other children with their order.

        End immediately if a decided move is worth more than `alpha`.
        """
        empties = self.geometry.cells - node.mask.bit_count()
        best = -1000
        children: list[tuple[Order, Choice]] = []
        for column in range(self.geometry.columns):
            move = node.replies & self.geometry.column_mask(column)
            if not move:
                continue
            mask = node.mask | move
            wins = self.completing(node.mine | move, mask)
            child = self.play_forced(Choice(node.mask ^ node.mine, mask, wins, 0, 1))
            if child.replies:
                order = (wins.bit_count(), -child.replies.bit_count(), self.weights[column])
                children.append((order, child))
                continue
            best = max(best, self.decided_value(child, empties))
            if best > alpha:
                break
        return best, children

    def bounds_of(self, child: Choice, alpha: int, empties: int) -> tuple[int | None, int | None]:
        """Return bounds on a child's value for the mover of the node above."""
        turned = child.plies % 2
        if empties - child.plies > NO_TABLE:
            low, high = self.look_up(child)
            if turned:
                low, high = negated(high), negated(low)
            if (low is not None and low > alpha) or (high is not None and high <= alpha):
                return low, high
        value = self.static_bound(child, -alpha - 1 if turned else alpha)
        if value is None:
            return None, None
        value = -value if turned else value
        return (value, None) if value > alpha else (None, value)

    def solve(self, mine: int, mask: int, floor: int = -99, ceiling: int = 99) -> int:
        """Return a position's score, cut off to `floor`..`ceiling`; see `kernel.solve`."""
        empties = self.geometry.cells - mask.bit_count()
        if empties == 0:
            return 0
        if self.completing(mine, mask) & self.lowest(mask):
            return max(floor, min(ceiling, (empties + 1) // 2))
        least, most = -(empties // 2), (empties - 1) // 2
        low, high = max(floor, least), min(ceiling, most)
        guess = 0
        step = AT_FLOOR if floor > least else FAR_LOW
        while low < high:
            alpha = guess
            if high - low > FAR_APART:
                if step == AT_FLOOR:
                    alpha = low
                elif step == FAR_LOW:
                    alpha = -(-low // 2)
                elif step == FAR_HIGH:
                    alpha = high // 2
            alpha = max(low, min(high - 1, alpha))
            value = self.search(mine, mask, alpha)
            if value > alpha:
                low = max(low, value)
            else:
                high = min(high, value)
            if step > FAR_HIGH:
                guess = value if value > alpha else value - 1
            step += 1
        return max(floor, min(ceiling, low))
