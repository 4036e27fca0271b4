"""Alpha-beta in one function on a list of lists, which plays moves and takes them back."""

ROWS, COLUMNS = 6, 7
INFINITY = float("inf")


def free_row(board, column):
    for row in range(ROWS - 1, -1, -1):
        if board[row][column] == 0:
            return row
    return -1


LINES = [
    cells
    for row in range(ROWS)
    for column in range(COLUMNS)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    for cells in [[(row + n * down, column + n * right) for n in range(4)]]
    if all(0 <= r < ROWS and 0 <= c < COLUMNS for r, c in cells)
]


def wins(board, player):
    for (a, b), (c, d), (e, f), (g, h) in LINES:
        if player == board[a][b] == board[c][d] == board[e][f] == board[g][h]:
            return True
    return False


def alphabeta(board, depth, evaluate, visit, player):
    def search(depth, alpha, beta, mover, ply):
        visit(board)
        other = 3 - mover
        if wins(board, other):
            return (-100_000 + ply if mover == player else 100_000 - ply), None
        if all(board[0]):
            return 0, None
        if depth == 0:
            value = evaluate(board)
            return (value if mover == player else -value), None
        chosen = None
        best = -INFINITY if mover == player else INFINITY
        for column in (3, 2, 4, 1, 5, 0, 6):
            row = free_row(board, column)
            if row < 0:
                continue
            board[row][column] = mover
            value, _ = search(depth - 1, alpha, beta, other, ply + 1)
            board[row][column] = 0
            if mover == player:
                if value > best:
                    best, chosen = value, column
                alpha = max(alpha, best)
            else:
                if value < best:
                    best, chosen = value, column
                beta = min(beta, best)
            if beta <= alpha:
                break
        return best, chosen

    return search(depth, -INFINITY, INFINITY, player, 0)
