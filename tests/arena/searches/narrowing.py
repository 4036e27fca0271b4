"""Negamax whose table narrows the window, fail-soft; columns from the center."""


def negamax(position, depth, evaluate, table, alpha, beta):
    yield position
    start = alpha
    entry = table.get(position)
    if entry and entry[0] >= depth > 0:
        if entry[1] == "exact":
            return entry[2], entry[3]
        if entry[1] == "at least":
            alpha = max(alpha, entry[2])
        else:
            beta = min(beta, entry[2])
        if alpha >= beta:
            return entry[2], entry[3]
    if position.is_over:
        return (0 if position.winner is None else position.ply - 1000), None
    if depth == 0:
        return evaluate(position), None
    best, chosen = -(10**9), None
    columns = sorted(position.legal_columns, key=lambda column: abs(3 - column))
    if entry:
        columns.remove(entry[3])
        columns.insert(0, entry[3])
    for column in columns:
        after = position.play(column)
        value, _ = yield from negamax(after, depth - 1, evaluate, table, -beta, -alpha)
        if -value > best:
            best, chosen = -value, column
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    kind = "at most" if best <= start else "at least" if best >= beta else "exact"
    table[position] = depth, kind, best, chosen
    return best, chosen
