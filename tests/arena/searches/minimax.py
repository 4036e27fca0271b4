"""Minimax with two functions that call each other; columns from the right."""


def ended(position, root):
    if position.winner is None:
        return 0
    value = 1000 - (position.ply - root.ply)
    return -value if position.turn == root.turn else value


def highest(position, depth, evaluate, root):
    yield position
    if position.is_over:
        return ended(position, root), None
    if depth == 0:
        return evaluate(position, root.turn), None
    best, chosen = -(10**6), None
    for column in reversed(position.legal_columns):
        value, _ = yield from lowest(position.play(column), depth - 1, evaluate, root)
        if value > best:
            best, chosen = value, column
    return best, chosen


def lowest(position, depth, evaluate, root):
    yield position
    if position.is_over:
        return ended(position, root), None
    if depth == 0:
        return evaluate(position, root.turn), None
    best, chosen = 10**6, None
    for column in reversed(position.legal_columns):
        value, _ = yield from highest(position.play(column), depth - 1, evaluate, root)
        if value < best:
            best, chosen = value, column
    return best, chosen


def minimax(position, depth, evaluate):
    return highest(position, depth, evaluate, position)
