"""An independent judge of claims: the grid of the oracle, plain play and full search.

This module shares no code with the claims and checks of the package.
"""

from __future__ import annotations

from claimeven.review.claims import Claim
from tests import naive
from tests.naive import Cell, Game

Known = dict[object, int]
Line = tuple[int, ...]


def judge(claim: Claim, game: Game, known: Known) -> bool:
    """Whether a claim about the game's position is true."""
    if claim.column is not None and claim.line and claim.line[0] != claim.column:
        return False
    now = game
    for column in claim.line:
        now = now.play(column)
    is_true: bool = JUDGES[claim.kind](claim, game, now, known)
    return is_true


def completes(game: Game, cell: Cell, player: int) -> bool:
    """Whether a disc of a player in an empty cell, supported or not, makes a line."""
    column, row = cell
    if game.grid[column][row] is not naive.EMPTY:
        return False
    filled = game.copy()
    filled.grid[column][row] = player
    return naive.winner(filled) == player


def landing(game: Game, column: int) -> Cell:
    return column, game.grid[column].index(naive.EMPTY)


def immediate(game: Game, player: int) -> list[Cell]:
    """Cells a player could fill now, if it were their turn, to make a line."""
    return [
        landing(game, column)
        for column in game.legal()
        if completes(game, landing(game, column), player)
    ]


def scores(game: Game, known: Known) -> dict[int, int]:
    return {column: -naive.score(game.play(column), known) for column in game.legal()}


def replay(game: Game, moves: Line) -> Game:
    for column in moves:
        game = game.play(column)
    return game


def is_best_play(claim: Claim, game: Game, known: Known) -> bool:
    """Whether the line's first move has the claimed score, and each later one is the best."""
    if not claim.line:
        return True
    step = game.play(claim.line[0])
    if naive.score(step, known) != -(claim.after or 0):
        return False
    for column in claim.line[1:]:
        if scores(step, known)[column] != naive.score(step, known):
            return False
        step = step.play(column)
    return True


def position_score(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    return naive.score(game, known) == claim.after


def best(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    worth = scores(game, known)
    top = max(worth.values())
    return sorted(claim.columns) == [c for c in sorted(worth) if worth[c] == top]


def column_score(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    assert claim.column is not None
    worth = scores(game, known)
    return worth[claim.column] == claim.after and max(worth.values()) == claim.before


def only(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    assert claim.column is not None
    worth = scores(game, known)
    own = worth.pop(claim.column)
    if own > 0:
        return all(other <= 0 for other in worth.values())
    return own == 0 and all(other < 0 for other in worth.values())


def wins(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    return naive.winner(now) == game.player and list(claim.cells) == naive.winning_cells(now)


def blocks(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    assert claim.column is not None
    cell = landing(game, claim.column)
    return claim.cells == (cell,) and completes(game, cell, 1 - game.player)


def ignores(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    return bool(claim.cells) and all(
        cell in immediate(game, 1 - game.player) and naive.winner(now.play(cell[0])) == now.player
        for cell in claim.cells
    )


def opens(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    assert claim.column is not None
    return claim.cells == (landing(now, claim.column),) and (
        naive.winner(now.play(claim.column)) == now.player == claim.player
    )


def misses(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    winning = [column for column in game.legal() if naive.winner(game.play(column)) is not None]
    return bool(winning) and [c for c, _ in claim.cells] == winning and claim.column not in winning


def denies(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    """Had the other side the last disc of the line, it would threaten the cells."""
    before = replay(game, claim.line[:-1])
    other = 1 - before.player
    passed = before.copy()
    passed.player = other
    after = passed.play(claim.line[-1])
    return (
        claim.player == before.player
        and naive.winner(after) is None
        and list(claim.cells) == immediate(after, other)
        and (len(claim.cells) > 1)
    )


def double(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    """The side to move cannot win, and wherever it plays the other side wins."""
    other = 1 - now.player
    if not is_best_play(claim, game, known):
        return False
    if claim.player != other or list(claim.cells) != immediate(now, other):
        return False
    return len(claim.cells) > 1 and _loses_next(now, other)


def stack(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    lower, upper = claim.cells
    other = 1 - now.player
    above = upper == (lower[0], lower[1] + 1)
    return (
        above
        and is_best_play(claim, game, known)
        and claim.player == other
        and lower in immediate(now, other)
        and (completes(now, upper, other) and _loses_next(now, other))
    )


def _loses_next(now: Game, winner: int) -> bool:
    for column in now.legal():
        answered = now.play(column)
        if naive.winner(answered) is not None:
            return False
        if not any(naive.winner(answered.play(c)) == winner for c in answered.legal()):
            return False
    return True


def forces(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    """From `start` on, the loser loses to the next disc after any other move on the way.

    One winner's disc earlier, it would not; two winner's discs at least are threats.
    """
    if not is_best_play(claim, game, known) or naive.winner(now) != claim.player:
        return False
    start = claim.start
    earlier = replay(game, claim.line[: max(start - 2, 0)])
    longer = start > 1 and _only_blocks(claim, earlier, claim.line[start - 2 :])
    return (
        len(claim.line) - start >= 3
        and not longer
        and _only_blocks(claim, replay(game, claim.line[:start]), claim.line[start:])
    )


def _only_blocks(claim: Claim, game: Game, moves: Line) -> bool:
    """Whether the loser has only blocks; the winner moves first."""
    step = game
    for column in moves:
        if step.player != claim.player:
            for other in step.legal():
                reply = step.play(other)
                if naive.winner(reply) is not None:
                    return False
                wins_next = any(naive.winner(reply.play(c)) is not None for c in reply.legal())
                if other != column and not wins_next:
                    return False
            if column not in [c for c, _ in immediate(step, claim.player)]:
                return False
        step = step.play(column)
    return game.player == claim.player


def makes(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    return bool(claim.cells) and all(
        completes(now, cell, claim.player)
        and not completes(game, cell, claim.player)
        and cell not in immediate(now, claim.player)
        for cell in claim.cells
    )


def zugzwang(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    """Best play is won in the first cell, and the loser could only play below one of the cells."""
    if not is_best_play(claim, game, known) or naive.winner(now) != claim.player:
        return False
    end = replay(game, claim.line[:-1])
    before = replay(game, claim.line[:-2])
    if landing(end, claim.line[-1]) != claim.cells[0]:
        return False
    if immediate(before, 0) or immediate(before, 1):
        return False
    above = []
    for column in before.legal():
        answered = before.play(column)
        won = [c for c in answered.legal() if naive.winner(answered.play(c)) == claim.player]
        if won != [column]:
            return False
        above.append(landing(answered, column))
    return sorted(claim.cells) == above and stands_from(claim, game, claim.player)


def stops(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    """The last disc of the line, which is best play, fills a threat that was out of reach."""
    (cell,) = claim.cells
    before = replay(game, claim.line[:-1])
    return (
        is_best_play(claim, game, known)
        and before.player == claim.player
        and landing(before, claim.line[-1]) == cell
        and stands_from(claim, game, 1 - claim.player)
        and landing(replay(game, claim.line[: claim.start]), cell[0]) != cell
    )


def stands_from(claim: Claim, game: Game, player: int) -> bool:
    """Whether the first cell has been a winning one for just as long as the claim says."""
    stands = [
        completes(replay(game, claim.line[:moves]), claim.cells[0], player)
        for moves in range(len(claim.line))
    ]
    return stands.index(True) == claim.start


def closed(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    ((column, row),) = claim.cells
    below = game.copy()
    below.player = 1 - claim.player
    after = below.play(column)
    return landing(after, column) == (column, row) and (
        naive.winner(after.play(column)) == claim.player
    )


def spoils(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    assert claim.column is not None
    cell = landing(now, claim.column)
    return claim.cells == (cell,) and completes(game, cell, game.player)


def reply(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    column, answer = claim.line
    worth = scores(game.play(column), known)
    if claim.after == 0:
        return [c for c in worth if worth[c] >= 0] == [answer]
    return [c for c in worth if worth[c] > 0] == [answer]


def best_play(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    return now.over() and is_best_play(claim, game, known)


def follow_up(claim: Claim, game: Game, now: Game, known: Known) -> bool:
    assert now.player != claim.player
    return _worst_case(now, claim.player, {}) >= (0 if claim.after == 0 else 1)


def _worst_case(game: Game, player: int, seen: Known) -> int:
    """The result that follow-up play guarantees: 1, 0 or -1 for the player that is not to move."""
    key = game.frozen()
    if key not in seen:
        over = naive.outcome(game)
        if over is not None:
            seen[key] = 0 if over[0] is None else (1 if over[0] == player else -1)
        else:
            seen[key] = min(_answered(game.play(c), c, player, seen) for c in game.legal())
    return seen[key]


def _answered(game: Game, column: int, player: int, seen: Known) -> int:
    over = naive.outcome(game)
    if over is not None:
        return 0 if over[0] is None else (1 if over[0] == player else -1)
    if immediate(game, player):
        return 1
    must_block = [c for c, _ in immediate(game, 1 - player)]
    if must_block:
        columns = must_block
    elif column in game.legal():
        columns = [column]
    else:
        columns = game.legal()
    return max(_worst_case(game.play(c), player, seen) for c in columns)


JUDGES = {
    function.__name__: function
    for function in (
        position_score, best, column_score, only, wins, blocks, ignores, opens, misses, denies,
        double, stack, forces, makes, zugzwang, stops, closed, spoils, reply, best_play, follow_up,
    )
}  # fmt: skip
