"""Monte Carlo tree search (UCT) with proven results, on positions as bits.

Each iteration selects a leaf by mean + weight * sqrt(ln N / n), expands it, plays a game out from
it and backs up the result. Immediate wins and proven wins, losses and draws need no more playouts.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from claimeven.adapters.kaggle.template.board import Board, bits_of
from claimeven.adapters.kaggle.template.kaggle_api import Clock

#: Moves between two decisions after which a tree is looked for in the one before.
REUSE_MOVES = 2


@dataclass(eq=False, slots=True)
class UctNode:
    """A move and the position after it.

    `total` and `proof` (1 a win, 0 a draw, -1 a loss, None unknown) are from the view of the
    player that made the move. `untried` are the moves from here that have no child yet, None before
    the node is expanded.
    """

    mine: int
    mask: int
    column: int
    visits: int = 0
    total: int = 0
    proof: int | None = None
    children: list[UctNode] = field(default_factory=list)
    untried: list[int] | None = None


@dataclass(eq=False)
class Uct:
    """A search on one board.

    `weight` is the factor of the bonus on the scale -1..1; in selection a visited child counts at
    least `min_wins` wins. Children are first visited in `random` `first_play`, in `order` (from the
    left), or `all` are added together, an unvisited one scored as a win; of equal children `ties`
    selects the `first` or a `random` one. `playout` is `random`, `wins-and-blocks`, `careful`,
    `greedy` (the longest run) or `replies`; it stops after `playout_cutoff` moves unless that is 0.
    `final_choice` is `visits`, `mean` or `ucb`. With `solver` proven results are backed up;
    `decisive_moves` (`off`, `root` or `tree`) says when immediate wins are taken without a search.
    With `reuse` the tree stays from move to move. `iterations` and `seconds` are the limits of a
    move, `capacity` the maximum of nodes; `seed` seeds the random numbers.
    """

    spends_bank = False

    board: Board
    weight: float = 1.4
    playout: str = "replies"
    playout_cutoff: int = 0
    final_choice: str = "visits"
    solver: bool = True
    decisive_moves: str = "tree"
    reuse: bool = True
    first_play: str = "random"
    ties: str = "first"
    min_wins: int = 0
    capacity: int = 500_000
    iterations: int | None = None
    seconds: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.root: UctNode | None = None
        self.stored = 0
        #: The answer that won last, by the side that gives it and the move it answers.
        self.replies: dict[tuple[int, int], int] = {}

    def choose(self, mine: int, mask: int, clock: Clock) -> int:
        """Return the column to play."""
        board = self.board
        if self.decisive_moves != "off":
            wins = board.winning_cells(mine, mask) & board.playable(mask)
            if wins:
                return board.column_of(wins & -wins)
        if self.seconds is not None:
            clock = Clock(min(clock.left, self.seconds))
        root = self.root = self.find(mine, mask) or UctNode(mine, mask, -1)
        self.stored = count_nodes(root)
        done = 0
        while (root.proof is None or not self.solver) and done != self.iterations:
            if clock.left <= 0 and done:
                break
            self.iterate(root)
            done += 1
        if not root.children:
            return board.legal_columns(mask)[0]
        return self.best(root).column

    def find(self, mine: int, mask: int) -> UctNode | None:
        """Return the node of a position in the tree of the decision before, if it is there."""
        level = [self.root] if self.root is not None and self.reuse else []
        for _ in range(REUSE_MOVES + 1):
            for node in level:
                if node.mine == mine and node.mask == mask:
                    node.proof = None if not node.children else node.proof
                    return node
            level = [child for node in level for child in node.children]
        return None

    def best(self, root: UctNode) -> UctNode:
        """Return the child to play: proven results first, then what `final_choice` says."""
        spread = self.weight * math.sqrt(math.log(max(1, root.visits)))

        def worth(node: UctNode) -> tuple[int, float, float]:
            visits = max(1, node.visits)
            mean = node.total / visits
            known = node.proof if self.solver and node.proof else 0
            if self.final_choice == "visits":
                return known, visits, mean
            bonus = spread / math.sqrt(visits) if self.final_choice == "ucb" else 0.0
            return known, mean + bonus, visits

        return max(root.children, key=worth)

    def iterate(self, root: UctNode) -> None:
        """Select, expand, play out, back up."""
        path, node = [root], root
        while node.proof is None or (node.children and not self.solver):
            if node.untried is None:
                if node.visits == 0 and node is not root and self.first_play != "all":
                    break
                moves = self.moves_to_try(node)
                if self.stored + len(moves) > self.capacity:
                    break
                self.stored += len(moves)
                if self.first_play == "all":
                    node.untried = []
                    for move in moves:
                        self.add_child(node, move)
                    if node.children:
                        path.append(self.random.choice(node.children))
                        node = path[-1]
                    break
                node.untried = moves
            if node.untried:
                node = self.add_child(node, node.untried.pop())
                path.append(node)
                break
            if not node.children:
                break
            node = self.select(node)
            path.append(node)
        result = self.play_out(node) if node.proof is None else node.proof
        self.back_up(path, result)

    def moves_to_try(self, node: UctNode) -> list[int]:
        """Return the moves that get children, the last one first."""
        moves = self.board.playable(node.mask)
        if self.decisive_moves == "tree":
            moves = self.board.safe_moves(node.mine, node.mask) or moves
        listed = list(bits_of(moves))
        if self.first_play == "order":
            listed.reverse()
        else:
            self.random.shuffle(listed)
        return listed

    def add_child(self, node: UctNode, move: int) -> UctNode:
        """Give a node the child of a move, with the proof its position shows at a glance."""
        board, mask = self.board, node.mask | move
        child = UctNode(node.mine ^ node.mask, mask, board.column_of(move))
        node.children.append(child)
        if board.has_line(node.mine | move):
            child.proof = 1
        elif mask == board.all:
            child.proof = 0
        elif self.decisive_moves == "tree":
            if board.winning_cells(child.mine, mask) & board.playable(mask):
                child.proof = -1
            elif not board.safe_moves(child.mine, mask):
                child.proof = 1
        return child

    def select(self, node: UctNode) -> UctNode:
        """Return the child with the greatest upper bound that is not a proven loss."""
        spread = self.weight * math.sqrt(math.log(max(1, node.visits)))
        best, chosen, equals = -math.inf, node.children[0], 1
        tolerance = 1e-9 if self.ties == "random" else 0.0
        for child in node.children:
            visits = child.visits
            if self.solver and child.proof == -1:
                continue
            if visits:
                total = max(child.total, 2 * self.min_wins - visits)
                bound = total / visits + spread / math.sqrt(visits)
            else:
                bound = 1.0 + spread
            if bound > best + tolerance:
                best, chosen, equals = bound, child, 1
            elif tolerance and bound >= best - tolerance:
                equals += 1
                if self.random.randrange(equals) == 0:
                    chosen = child
        return chosen

    def play_out(self, node: UctNode) -> int:
        """Play a game to its end; return the result for the player that moved to `node`."""
        board, mine, mask, side = self.board, node.mine, node.mask, 0
        moves: list[int] = []
        result = 0
        while mask != board.all and not (self.playout_cutoff and len(moves) >= self.playout_cutoff):
            move = self.playout_move(mine, mask, moves)
            mine, mask = mine ^ mask, mask | move
            moves.append(move)
            if board.has_line(mine ^ mask):
                result = -1 if side == 0 else 1
                break
            side = 1 - side
        if self.playout == "replies" and result:
            self.learn(moves, node.mask.bit_count() % 2, result)
        return result

    def playout_move(self, mine: int, mask: int, moves: list[int]) -> int:
        """Return the move of a playout: a win, a block, and then as its rule says."""
        board = self.board
        playable = board.playable(mask)
        allowed = playable
        if self.playout == "greedy":
            lengths = {move: board.longest_run(mine, move) for move in bits_of(playable)}
            longest = max(lengths.values())
            return self.random.choice([move for move in lengths if lengths[move] == longest])
        if self.playout != "random":
            urgent = board.winning_cells(mine, mask) & playable
            if not urgent:
                threats = board.winning_cells(mine ^ mask, mask)
                urgent = threats & playable
                if self.playout == "careful":
                    allowed = playable & ~(threats >> 1) or playable
            if urgent:
                return urgent & -urgent
            if self.playout == "replies" and moves:
                answer = self.replies.get((mask.bit_count() % 2, moves[-1]), 0)
                if answer & playable:
                    return answer
        return self.random.choice(list(bits_of(allowed)))

    def learn(self, moves: list[int], turn: int, result: int) -> None:
        """Remember the winner's answers in a playout, and forget the loser's."""
        # The player that moved to the leaf answers with every second move, from the second on.
        winner = turn if result < 0 else 1 - turn
        for number in range(1, len(moves)):
            mover = (turn + number) % 2
            key, answer = (mover, moves[number - 1]), moves[number]
            if mover == winner:
                self.replies[key] = answer
            elif self.replies.get(key) == answer:
                del self.replies[key]

    def back_up(self, path: list[UctNode], result: int) -> None:
        """Count a result in every node of the path; carry proofs up as far as they reach."""
        proven = self.solver and path[-1].proof is not None
        for depth in range(len(path) - 1, -1, -1):
            node = path[depth]
            if proven and depth < len(path) - 1:
                proven = prove(node)
                if proven and node.proof is not None:
                    result = node.proof
            node.visits += 1
            node.total += result
            result = -result


def prove(node: UctNode) -> bool:
    """Prove a node from its children if possible; return whether it is proven."""
    proofs = [child.proof for child in node.children]
    if 1 in proofs:
        node.proof = -1
        return True
    if node.untried or None in proofs:
        return False
    node.proof = 0 if 0 in proofs else 1
    return True


def count_nodes(root: UctNode) -> int:
    """Return the number of nodes of a tree, those included that are to be tried."""
    nodes = [root]
    for node in nodes:  # the list grows in the loop
        nodes += node.children
    return sum(1 + len(node.untried or ()) for node in nodes)
