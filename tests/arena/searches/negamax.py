"""Negamax with a table, fail-hard, on a class with a list of moves; the best column first."""

INFINITY = 10**9
EXACT, LOWER, UPPER = "exact", "lower", "upper"
TABLE = {}


class Game:
    def __init__(self, moves):
        self.moves = list(moves)
        self.columns = [[] for _ in range(7)]
        for number, column in enumerate(moves):
            self.columns[column].append(number % 2)

    @property
    def mover(self):
        return len(self.moves) % 2

    def drop(self, column):
        self.columns[column].append(self.mover)
        self.moves.append(column)

    def undo(self):
        self.columns[self.moves.pop()].pop()

    def key(self):
        return tuple(tuple(column) for column in self.columns)

    def at(self, column, row):
        if 0 <= column < 7 and 0 <= row < len(self.columns[column]):
            return self.columns[column][row]
        return None

    def lost(self):
        if not self.moves:
            return False
        last = self.moves[-1]
        top, player = len(self.columns[last]) - 1, 1 - self.mover
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            count = 1
            for sign in (1, -1):
                n = 1
                while self.at(last + sign * n * right, top + sign * n * up) == player:
                    n += 1
                count += n - 1
            if count >= 4:
                return True
        return False


def negamax(moves, depth, evaluate, visit):
    game = Game(moves)
    start = len(game.moves)

    def search(depth, alpha, beta):
        visit(game.moves)
        if game.lost():
            return -(5000 - (len(game.moves) - start)), None
        if len(game.moves) == 42:
            return 0, None
        first, entry = None, TABLE.get(game.key())
        if entry and len(game.moves) > start:
            stored_depth, kind, value, first = entry
            if stored_depth >= depth:
                if kind == EXACT:
                    return value, first
                if kind == LOWER and value >= beta:
                    return value, first
                if kind == UPPER and value <= alpha:
                    return value, first
        if depth == 0:
            return evaluate(game.moves), None
        columns = [c for c in range(7) if len(game.columns[c]) < 6]
        columns.sort(key=lambda c: c != first)
        kind, chosen = UPPER, None
        for column in columns:
            game.drop(column)
            value = -search(depth - 1, -beta, -alpha)[0]
            game.undo()
            if value >= beta:
                TABLE[game.key()] = depth, LOWER, beta, column
                return beta, column
            if value > alpha:
                alpha, chosen, kind = value, column, EXACT
        TABLE[game.key()] = depth, kind, alpha, chosen
        return alpha, chosen

    return search(depth, -INFINITY, INFINITY)
