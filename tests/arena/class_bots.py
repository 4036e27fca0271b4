"""A class of bots that were written independently, and copies of some of them with other loops.

Nine are minimax searches of their own. All play 7x6, quickly.
"""

from __future__ import annotations

#: The text of each file by its name.
BOTS: dict[str, str] = {}
#: Copies of bots with new names, other loops and numbers, and functions in another order.
REWRITTEN: dict[str, str] = {}

BOTS["alf"] = '''\
from claimeven import Agent, Decision


class AlphaBeta(Agent):
    """Alpha-beta with windows of four, as in the lecture."""

    def __init__(self, depth=2):
        self.depth = depth

    def choose(self, position, limit, rng):
        value, column = self.search(position, self.depth, float("-inf"), float("inf"), True)
        return Decision(column)

    def search(self, position, depth, alpha, beta, my_turn):
        if position.is_over:
            if position.winner is None:
                return 0, None
            return (-1e6 if my_turn else 1e6), None
        if depth == 0:
            value = self.evaluate(position)
            return (value if my_turn else -value), None
        chosen = None
        for column in position.legal_columns:
            value, _ = self.search(position.play(column), depth - 1, alpha, beta, not my_turn)
            if my_turn and value > alpha:
                alpha, chosen = value, column
            if not my_turn and value < beta:
                beta, chosen = value, column
            if alpha >= beta:
                break
        if chosen is None:
            chosen = position.legal_columns[0]
        return (alpha if my_turn else beta), chosen

    def evaluate(self, position):
        rows = position.rows
        score = 0
        for row in rows:
            for start in range(len(row) - 3):
                score += self.window(row[start:start + 4], position.turn)
        for column in zip(*rows):
            for start in range(len(column) - 3):
                score += self.window(column[start:start + 4], position.turn)
        return score

    def window(self, cells, player):
        mine = sum(cell == player for cell in cells)
        empty = sum(cell is None for cell in cells)
        if mine == 3 and empty == 1:
            return 5
        if mine == 2 and empty == 2:
            return 2
        if mine == 0 and empty == 1:
            return -4
        return 0
'''

BOTS["ann"] = '''\
def agent(position):
    """Plays as near to the middle as it can."""
    middle = position.geometry.columns // 2
    return min(position.legal_columns, key=lambda column: abs(column - middle))
'''

BOTS["bea"] = '''\
from claimeven import Agent, Decision


class Bea(Agent):
    """Wins if it can, otherwise plays at random."""

    def choose(self, position, limit, rng):
        for column in position.legal_columns:
            after = position.play(column)
            if after.is_over and after.outcome.winner is not None:
                return Decision(column)
        return Decision(int(rng.choice(position.legal_columns)))
'''

BOTS["cem"] = '''\
def agent(obs, config):
    """Written for Kaggle: the fullest legal column."""
    columns, rows = config.columns, config.rows
    discs = [sum(cell != 0 for cell in obs.board[column::columns]) for column in range(columns)]
    return max((count, column) for column, count in enumerate(discs) if count < rows)[1]
'''

BOTS["dan"] = '''\
def wins(position, column):
    return position.play(column).winner is not None


def agent(position):
    """Win, block, never give a win away, else the lowest column."""
    legal = position.legal_columns
    for column in legal:
        if wins(position, column):
            return column
    safe = [
        column for column in legal
        if not any(wins(position.play(column), c) for c in position.play(column).legal_columns)
    ]
    return min(safe or legal, key=position.height_of)
'''

BOTS["eva"] = '''\
from random import choice


def play(position):
    """Blocks what it can, else random."""
    other = position.with_sides_swapped()
    threats = [c for c in other.legal_columns if other.play(c).winner is not None]
    return threats[0] if threats else choice(position.legal_columns)


agent = play
'''

BOTS["fay"] = '''\
def runs(position, column):
    """The longest run in any direction that a disc in the column makes."""
    row = position.height_of(column)
    best = 0
    for dc, dr in [(1, 0), (0, 1), (1, 1), (1, -1)]:
        length = 1
        for sign in (1, -1):
            c, r = column + sign * dc, row + sign * dr
            while 0 <= c < 7 and 0 <= r < 6 and position.cell(c, r) == position.turn:
                length += 1
                c += sign * dc
                r += sign * dr
        best = max(best, length)
    return best


def agent(position):
    return max(position.legal_columns, key=lambda column: runs(position, column))
'''

BOTS["gus"] = """\
ORDER = [3, 2, 4, 1, 5, 0, 6]


def solve(state, alpha, beta, depth, table):
    key = (state.key, depth)
    if key in table:
        return table[key]
    if state.is_over or depth == 0:
        value = 0 if state.winner is None else state.ply - 43
        table[key] = value
        return value
    for column in ORDER:
        if not state.is_legal(column):
            continue
        value = -solve(state.play(column), -beta, -alpha, depth - 1, table)
        if value >= beta:
            return value
        alpha = max(alpha, value)
    table[key] = alpha
    return alpha


def agent(position):
    table, best, answer = {}, -100, None
    for column in ORDER:
        if position.is_legal(column):
            value = -solve(position.play(column), -100, 100, 2, table)
            if value > best:
                best, answer = value, column
    return answer
"""

BOTS["hal"] = '''\
def agent(position):
    """Follow-up: plays on the opponent's fullest column, else the leftmost."""
    heights = position.heights
    evens = [c for c in position.legal_columns if heights[c] % 2 == 1]
    return evens[0] if evens else position.legal_columns[0]
'''

BOTS["ida"] = '''\
from functools import lru_cache


@lru_cache(maxsize=None)
def count_threats(mine, mask):
    """Cells where a fourth disc would win, on 64-bit boards with a guard row."""
    found = mine << 1 & mine << 2 & mine << 3
    for step in (6, 7, 8):
        pairs = mine << step & mine << 2 * step
        found |= pairs & mine << 3 * step
        found |= pairs & mine >> step
        pairs = mine >> step & mine >> 2 * step
        found |= pairs & mine << step
        found |= pairs & mine >> 3 * step
    return bin(found & ~mask & (1 << 49) - 1).count("1")


def judge(position):
    mask = position.mask
    return count_threats(position.mine, mask) - count_threats(position.theirs, mask)


def look(position, plies):
    if position.is_over:
        return -64 if position.winner is not None else 0
    if not plies:
        return judge(position)
    worst = 99
    for column in position.legal_columns:
        worst = min(worst, look(position.play(column), plies - 1))
    return -worst


def agent(position):
    ranked = []
    for column in position.legal_columns:
        ranked.append((look(position.play(column), 2), abs(column - 3.2), column))
    ranked.sort()
    return ranked[0][2]
'''

BOTS["jan"] = '''\
import random

random.seed(3)
TABLE = [[random.gauss(0, 1) for _ in range(7)] for _ in range(6)]


def agent(position):
    """A random linear evaluation, one ply."""
    def value(column):
        return TABLE[position.height_of(column)][column]
    return max(position.legal_columns, key=value)
'''

BOTS["kim"] = '''\
def agent(obs, config):
    """Mirror the opponent: plays the mirror image of the fullest column."""
    tops = [c for c in range(config.columns) if obs.board[c] == 0]
    fill = {c: sum(cell != 0 for cell in obs.board[c::config.columns]) for c in tops}
    target = config.columns - 1 - max(fill, key=fill.get)
    return target if target in fill else min(fill, key=lambda c: (fill[c], c))
'''

BOTS["lea"] = '''\
class Evaluator:
    SCORES = {(3, 1): 50, (2, 2): 10, (1, 3): 1}

    def __init__(self, board, mark):
        self.board = board
        self.mark = mark

    def windows(self):
        height, width = len(self.board), len(self.board[0])
        for y in range(height):
            for x in range(width):
                if x + 3 < width:
                    yield [self.board[y][x + k] for k in range(4)]
                if y + 3 < height:
                    yield [self.board[y + k][x] for k in range(4)]
                    if x + 3 < width:
                        yield [self.board[y + k][x + k] for k in range(4)]
                    if x >= 3:
                        yield [self.board[y + k][x - k] for k in range(4)]

    def total(self):
        points = 0
        for window in self.windows():
            if window.count(self.mark) == 4:
                points += 1000
            points += self.SCORES.get((window.count(self.mark), window.count(0)), 0)
            points -= self.SCORES.get((window.count(3 - self.mark), window.count(0)), 0)
        return points


def my_agent(obs, config):
    """One ply with a heuristic, like the second lesson of the course."""
    def after(column):
        board = [obs.board[r * config.columns:(r + 1) * config.columns] for r in range(config.rows)]
        board = [list(row) for row in board]
        row = max(r for r in range(config.rows) if board[r][column] == 0)
        board[row][column] = obs.mark
        return Evaluator(board, obs.mark).total()

    valid = [c for c in range(config.columns) if obs.board[c] == 0]
    return sorted(valid, key=after)[-1]
'''

BOTS["max"] = '''\
import math


def agent(observation, configuration):
    """Classic minimax for Kaggle, two plies, on a grid."""
    width, height = configuration.columns, configuration.rows
    grid = [list(observation.board[r * width:(r + 1) * width]) for r in range(height)]
    me = observation.mark

    def drop(board, col, mark):
        copy = [row[:] for row in board]
        for r in reversed(range(height)):
            if copy[r][col] == 0:
                copy[r][col] = mark
                return copy

    def winner(board, mark):
        for r in range(height):
            for c in range(width):
                for dr, dc in [(0, 1), (1, 0), (1, 1), (-1, 1)]:
                    er, ec = r + 3 * dr, c + 3 * dc
                    if 0 <= er < height and 0 <= ec < width:
                        if all(board[r + k * dr][c + k * dc] == mark for k in range(4)):
                            return True
        return False

    def score(board):
        value = 0
        for c in range(width):
            weight = 3 - abs(c - width // 2)
            for r in range(height):
                if board[r][c] == me:
                    value += weight
                elif board[r][c] != 0:
                    value -= weight
        return value

    def minimax(board, depth, maximizing):
        if winner(board, me):
            return 10000 + depth
        if winner(board, 3 - me):
            return -10000 - depth
        moves = [c for c in range(width) if board[0][c] == 0]
        if depth == 0 or not moves:
            return score(board)
        if maximizing:
            best = -math.inf
            for c in moves:
                best = max(best, minimax(drop(board, c, me), depth - 1, False))
            return best
        best = math.inf
        for c in moves:
            best = min(best, minimax(drop(board, c, 3 - me), depth - 1, True))
        return best

    best_value, best_column = -math.inf, None
    for c in range(width):
        if grid[0][c] != 0:
            continue
        value = minimax(drop(grid, c, me), 1, False)
        if value > best_value:
            best_value, best_column = value, c
    return best_column
'''

BOTS["moe"] = """\
INFINITY = 10 ** 9


def minimax(node, depth, maximizing_player, me):
    if node.is_over:
        if node.winner is None:
            return 0
        return INFINITY if node.winner == me else -INFINITY
    if depth == 0:
        return evaluate(node, me)
    if maximizing_player:
        value = -INFINITY
        for column in node.legal_columns:
            value = max(value, minimax(node.play(column), depth - 1, False, me))
        return value
    else:
        value = INFINITY
        for column in node.legal_columns:
            value = min(value, minimax(node.play(column), depth - 1, True, me))
        return value


def evaluate(node, me):
    value = 0
    for column in range(7):
        for row in range(node.height_of(column)):
            if node.cell(column, row) == me:
                value += 3 - abs(3 - column) + row % 2
            else:
                value -= 3 - abs(3 - column) + row % 2
    return value


def agent(position):
    best_score = -INFINITY - 1
    best_column = None
    for column in position.legal_columns:
        score = minimax(position.play(column), 2, False, position.turn)
        if score > best_score:
            best_score = score
            best_column = column
    return best_column
"""

BOTS["nia"] = '''\
"""Negamax on the position with my own count of open rows."""
DEPTH = 3


def lines(geometry):
    found = []
    for column in range(geometry.columns):
        for row in range(geometry.rows):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                cells = [(column + i * dx, row + i * dy) for i in range(4)]
                if all(0 <= c < geometry.columns and 0 <= r < geometry.rows for c, r in cells):
                    found.append(cells)
    return found


def worth(position):
    total = 0
    for cells in lines(position.geometry):
        owners = [position.cell(c, r) for c, r in cells]
        mine, theirs = owners.count(position.turn), owners.count(1 - position.turn)
        if not theirs:
            total += mine * mine
        elif not mine:
            total -= theirs * theirs
    return total


def negamax(position, depth):
    if position.is_over:
        return -1000 if position.winner is not None else 0
    if depth == 0:
        return worth(position)
    return max(-negamax(position.play(c), depth - 1) for c in position.legal_columns)


def agent(position):
    return max(position.legal_columns, key=lambda c: -negamax(position.play(c), DEPTH - 2))
'''

BOTS["ola"] = '''\
def agent(position):
    """Minimax, value and move in one recursion, mobility as heuristic."""
    def best(state, left):
        if state.is_over:
            return (0 if state.winner is None else -99), 0
        if left == 0:
            return heights(state), 0
        options = []
        for move in sorted(state.legal_columns, key=lambda m: abs(3 - m)):
            reply, _ = best(state.play(move), left - 1)
            options.append((-reply, -move))
        return max(options)[0], -max(options)[1]

    def heights(state):
        return sum((-1) ** h for h in state.heights)

    return best(position, 3)[1]
'''

BOTS["pia"] = """\
import numpy as np

ROWS, COLS = 6, 7
WEIGHTS = np.array([
    [3, 4, 5, 7, 5, 4, 3],
    [4, 6, 8, 10, 8, 6, 4],
    [5, 8, 11, 13, 11, 8, 5],
    [5, 8, 11, 13, 11, 8, 5],
    [4, 6, 8, 10, 8, 6, 4],
    [3, 4, 5, 7, 5, 4, 3],
])


def to_board(position):
    board = np.zeros((ROWS, COLS), dtype=int)
    for r in range(ROWS):
        for c in range(COLS):
            owner = position.cell(c, r)
            if owner is not None:
                board[r, c] = 1 if owner == position.turn else -1
    return board


def has_won(board, player):
    discs = board == player
    for r in range(ROWS):
        for c in range(COLS - 3):
            if discs[r, c:c + 4].all():
                return True
    for r in range(ROWS - 3):
        for c in range(COLS):
            if discs[r:r + 4, c].all():
                return True
            if c < COLS - 3 and all(discs[r + i, c + i] for i in range(4)):
                return True
            if c >= 3 and all(discs[r + i, c - i] for i in range(4)):
                return True
    return False


def agent(position):
    board = to_board(position)
    values = {}
    for column in position.legal_columns:
        row = int((board[:, column] != 0).sum())
        board[row, column] = 1
        if has_won(board, 1):
            return column
        worst = 1000
        for reply in range(COLS):
            height = int((board[:, reply] != 0).sum())
            if height < ROWS:
                board[height, reply] = -1
                worst = min(worst, -500 if has_won(board, -1) else int((board * WEIGHTS).sum()))
                board[height, reply] = 0
        values[column] = worst
        board[row, column] = 0
    return max(values, key=values.get)
"""

BOTS["rob"] = '''\
import random


def agent(position):
    """Flat Monte Carlo: ten random games for each column."""
    generator = random.Random(position.key)

    def simulate(state):
        while not state.is_over:
            state = state.play(generator.choice(state.legal_columns))
        return state.winner

    scores = {}
    for column in position.legal_columns:
        results = [simulate(position.play(column)) for _ in range(4)]
        scores[column] = results.count(position.turn) - results.count(1 - position.turn)
    return max(scores, key=lambda column: scores[column])
'''

BOTS["tim"] = """\
import math
import random


class Node:
    def __init__(self, state, parent=None, move=None):
        self.state, self.parent, self.move = state, parent, move
        self.visits, self.reward = 0, 0.0
        self.children, self.untried = [], list(state.legal_columns)

    def ucb(self, child):
        return child.reward / child.visits + 1.4 * math.sqrt(math.log(self.visits) / child.visits)


def agent(position):
    random.seed(7)
    root = Node(position)
    for _ in range(40):
        node = root
        while not node.untried and node.children:
            node = max(node.children, key=node.ucb)
        if node.untried:
            move = node.untried.pop()
            child = Node(node.state.play(move), node, move)
            node.children.append(child)
            node = child
        state = node.state
        while not state.is_over:
            state = state.play(random.choice(state.legal_columns))
        while node is not None:
            node.visits += 1
            if state.winner is not None:
                node.reward += 1 if state.winner != node.state.turn else -1
            node = node.parent
    return max(root.children, key=lambda child: child.visits).move
"""

BOTS["una"] = '''\
def agent(position):
    """Minimax without recursion: a list of levels, then values backed up."""
    levels = [[(None, position, None)]]
    for _ in range(2):
        deeper = []
        for number, (_, state, first) in enumerate(levels[-1]):
            for column in state.legal_columns:
                deeper.append((number, state.play(column), column if first is None else first))
        levels.append(deeper)
    values = [leaf(state, position.turn) for _, state, _ in levels[-1]]
    parents = {}
    for (parent, _, first), value in zip(levels[2], values):
        parents.setdefault(parent, []).append(value)
    scored = []
    for number, (_, state, first) in enumerate(levels[1]):
        value = 500 if state.winner == position.turn else min(parents.get(number, [0]))
        scored.append((value, first))
    return max(scored)[1]


def leaf(state, me):
    if state.winner is not None:
        return 100 if state.winner == me else -100
    return sum(cell == me for cell in state.rows[0]) - sum(cell == me for cell in state.rows[-1])
'''

BOTS["val"] = """\
def minimax(position, depth, alpha, beta, maximizing):
    if depth == 0 or position.is_over:
        return evaluate(position, maximizing)
    if maximizing:
        value = -10000
        for column in position.legal_columns:
            child = position.play(column)
            value = max(value, minimax(child, depth - 1, alpha, beta, False))
            alpha = max(alpha, value)
            if alpha >= beta:
                break
        return value
    value = 10000
    for column in position.legal_columns:
        child = position.play(column)
        value = min(value, minimax(child, depth - 1, alpha, beta, True))
        beta = min(beta, value)
        if alpha >= beta:
            break
    return value


def evaluate(position, maximizing):
    if position.winner is not None:
        return -1000 if maximizing else 1000
    score = 0
    for row in range(6):
        owner = position.cell(3, row)
        if owner is not None:
            score += 3 if (owner == position.turn) == maximizing else -3
    return score


def agent(position):
    best_column, best_value = None, -100000
    for column in position.legal_columns:
        value = minimax(position.play(column), 2, -100000, 100000, False)
        if value > best_value:
            best_column, best_value = column, value
    return best_column
"""

BOTS["wim"] = '''\
import math

MAX_DEPTH = 2


def heuristic(state, player):
    """Discs near the centre are worth more."""
    result = 0
    for c in range(7):
        for r in range(6):
            who = state.cell(c, r)
            if who == player:
                result += 4 - abs(c - 3)
            elif who is not None:
                result -= 4 - abs(c - 3)
    return result


def alphabeta(state, depth, alpha, beta, player):
    if state.is_over:
        if state.winner is None:
            return 0
        elif state.winner == player:
            return math.inf
        else:
            return -math.inf
    if depth == 0:
        return heuristic(state, player)
    if state.turn == player:
        value = -math.inf
        for move in state.legal_columns:
            value = max(value, alphabeta(state.play(move), depth - 1, alpha, beta, player))
            if value >= beta:
                break
            alpha = max(alpha, value)
        return value
    else:
        value = math.inf
        for move in state.legal_columns:
            value = min(value, alphabeta(state.play(move), depth - 1, alpha, beta, player))
            if value <= alpha:
                break
            beta = min(beta, value)
        return value


def agent(position):
    scores = {}
    for move in position.legal_columns:
        child = position.play(move)
        scores[move] = alphabeta(child, MAX_DEPTH - 1, -math.inf, math.inf, position.turn)
    return max(scores, key=scores.get)
'''

BOTS["xia"] = """\
INF = float("inf")


class Player:
    def __init__(self):
        self.depth = 2

    def minimax(self, node, depth, maximizing_player):
        if depth == 0 or node.is_over:
            return self.score(node)
        if maximizing_player:
            best = -INF
            for col in node.legal_columns:
                best = max(best, self.minimax(node.play(col), depth - 1, False))
            return best
        else:
            best = INF
            for col in node.legal_columns:
                best = min(best, self.minimax(node.play(col), depth - 1, True))
            return best

    def score(self, node):
        if node.winner == self.me:
            return 100000
        if node.winner is not None:
            return -100000
        points = 0
        for row in node.rows:
            for i in range(4):
                window = row[i:i + 4]
                if window.count(self.me) == 3 and window.count(None) == 1:
                    points += 10
                if window.count(1 - self.me) == 3 and window.count(None) == 1:
                    points -= 10
        return points

    def move(self, position):
        self.me = position.turn
        best_col, best_score = None, -INF
        for col in position.legal_columns:
            score = self.minimax(position.play(col), self.depth - 1, False)
            if score > best_score or best_col is None:
                best_score = score
                best_col = col
        return best_col


def agent(position):
    return Player().move(position)
"""

BOTS["yan"] = """\
def value_of(position, depth, is_max, me):
    if position.is_over or depth == 0:
        if position.winner is None:
            return 0
        if position.winner == me:
            return 1
        return -1
    values = [value_of(position.play(c), depth - 1, not is_max, me) for c in position.legal_columns]
    return max(values) if is_max else min(values)


def agent(position):
    me = position.turn
    best = None
    best_value = -2
    for c in position.legal_columns:
        v = value_of(position.play(c), 2, False, me)
        if v > best_value:
            best_value = v
            best = c
    return best
"""

REWRITTEN["alf"] = """\
from claimeven import Agent, Decision

# My own agent


class Searcher(Agent):
    def __init__(self, plies=2):
        self.plies = plies

    def rate(self, pos):
        table = pos.rows
        result = 0
        for line in table:
            first = 0
            while first < len(line) - 3:
                result = result + self.four(line[first:first + 4], pos.turn)
                first += 1
        for stack in zip(*table):
            first = 0
            while first < len(stack) - 3:
                result = result + self.four(stack[first:first + 4], pos.turn)
                first += 1
        return result

    def four(self, four, who):
        own = sum(disc == who for disc in four)
        free = sum(disc is None for disc in four)
        if own == 3 and free == 1:
            return 6
        if own == 2 and free == 2:
            return 3
        if own == 0 and free == 1:
            return -5
        return 0

    def best(self, pos, plies, low, high, mine):
        if pos.is_over:
            if pos.winner is None:
                return 0, None
            return (-1e9 if mine else 1e9), None
        if plies == 0:
            result = self.rate(pos)
            if mine:
                return result, None
            return -result, None
        move = None
        for candidate in pos.legal_columns:
            after = pos.play(candidate)
            result, _ = self.best(after, plies - 1, low, high, not mine)
            if mine and result > low:
                low, move = result, candidate
            if not mine and result < high:
                high, move = result, candidate
            if low >= high:
                break
        if move is None:
            move = pos.legal_columns[0]
        return (low if mine else high), move

    def choose(self, pos, limit, rng):
        result, move = self.best(pos, self.plies, float("-inf"), float("inf"), True)
        return Decision(move)
"""

REWRITTEN["gus"] = '''\
"""My search."""
CENTER_FIRST = [3, 4, 2, 5, 1, 6, 0]


def agent(position):
    memory = {}
    top, chosen = -1000, None
    i = 0
    while i < 7:
        move = CENTER_FIRST[i]
        i += 1
        if position.is_legal(move):
            score = -go(position.play(move), -1000, 1000, 2, memory)
            if score > top:
                top = score
                chosen = move
    return chosen


def go(board, low, high, plies, memory):
    name = (board.key, plies)
    if name in memory:
        return memory[name]
    if board.is_over or plies == 0:
        score = 0 if board.winner is None else board.ply - 43
        memory[name] = score
        return score
    for move in CENTER_FIRST:
        if not board.is_legal(move):
            continue
        score = -go(board.play(move), -high, -low, plies - 1, memory)
        if score >= high:
            return score
        if score > low:
            low = score
    memory[name] = low
    return low
'''

REWRITTEN["wim"] = """\
from math import inf

DEEP = 2


def ab(s, d, a, b, me):
    if s.is_over:
        if s.winner is None:
            return 0
        elif s.winner == me:
            return inf
        else:
            return -inf
    if d == 0:
        return h(s, me)
    moves = list(s.legal_columns)
    if s.turn == me:
        v = -inf
        while moves:
            m = moves.pop(0)
            v = max(v, ab(s.play(m), d - 1, a, b, me))
            if v >= b:
                break
            a = max(a, v)
        return v
    else:
        v = inf
        while moves:
            m = moves.pop(0)
            v = min(v, ab(s.play(m), d - 1, a, b, me))
            if v <= a:
                break
            b = min(b, v)
        return v


def h(s, me):
    x = 0
    r = 0
    while r < 6:
        for c in range(7):
            who = s.cell(c, r)
            if who == me:
                x += 5 - abs(c - 3)
            elif who is not None:
                x -= 5 - abs(c - 3)
        r += 1
    return x


def agent(position):
    result = {}
    for m in position.legal_columns:
        result[m] = ab(position.play(m), DEEP - 1, -inf, inf, position.turn)
    return max(result, key=lambda m: result[m])
"""
