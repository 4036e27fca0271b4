"""Whether a claim is true: proved by play and by exact scores, whoever made the claim."""

from __future__ import annotations

from collections.abc import Callable

from claimeven.game import tactics
from claimeven.game.errors import IllegalMove
from claimeven.game.position import Position
from claimeven.review.claims import Claim
from claimeven.review.follow_up import follow_up_reaches
from claimeven.review.threats import (
    Cell,
    cornered_cells,
    is_playable,
    line_through,
    winning_cells,
    wins_later,
    wins_now,
)
from claimeven.solver.contract import ExactSolver


def holds(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    """Whether a claim about a position is true; False too where its line cannot be played.

    Kinds that speak of scores or of best play ask the solver, the others only the rules.
    """
    if claim.column is not None and claim.line and claim.line[0] != claim.column:
        return False
    try:
        return CHECKS[claim.kind](claim, position, solver)
    except IllegalMove:
        return False


def after_line(claim: Claim, position: Position) -> Position:
    """Return the position where the claim's fact holds. Raises `IllegalMove`."""
    for column in claim.line:
        position = position.play(column)
    return position


def along(position: Position, line: tuple[int, ...]) -> list[Position]:
    """Return the position and those after each move of a line. Raises `IllegalMove`."""
    positions = [position]
    for column in line:
        positions.append(positions[-1].play(column))
    return positions


def double_cells(position: Position) -> tuple[Cell, ...]:
    """Return the cells the side that has just moved threatens at once: two or more, or none.

    None too where the side to move has a line to complete first.
    """
    mover = 1 - position.turn
    cells = wins_now(position, mover)
    return cells if len(cells) > 1 and not wins_now(position, position.turn) else ()


def stack_cells(position: Position) -> tuple[Cell, ...]:
    """Return two winning cells, one on the other, of the side that has just moved, or none.

    The lower one can be played; the side to move has no line to complete first.
    """
    mover = 1 - position.turn
    if wins_now(position, position.turn):
        return ()
    cells = winning_cells(position, mover)
    for column, row in wins_now(position, mover):
        if (column, row + 1) in cells:
            return ((column, row), (column, row + 1))
    return ()


def denied_cells(position: Position, column: int) -> tuple[Cell, ...]:
    """Return the cells the other side would threaten at once if it had the move in a column.

    Two or more, or none; none too where that move would win outright.
    """
    geometry = position.geometry
    cell = 1 << geometry.bit(column, position.height_of(column))
    theirs, mask = position.theirs | cell, position.mask | cell
    if tactics.has_line(theirs, geometry):
        return ()
    wins = tactics.winning_cells(theirs, mask, geometry)
    cells = tuple(geometry.cells_of(wins & tactics.playable_cells(mask, geometry)))
    return cells if len(cells) > 1 else ()


def forced_from(position: Position, line: tuple[int, ...]) -> int:
    """Return after how many moves of a won line the loser can only block, to the very end.

    From there on every answer fills a cell where the winner, who has the last move of the line,
    would win at once, and never could the loser complete a line first. `len(line) - 1` where not
    even the loser's last disc is such a block.
    """
    positions = along(position, line)
    start = len(line) - 1
    for place in range(len(line) - 2, 0, -2):
        now, column = positions[place], line[place]
        block = (column, now.height_of(column))
        if wins_now(now, now.turn) or block not in wins_now(now, 1 - now.turn):
            break
        start = place - 1
    return start


def threatened_from(position: Position, line: tuple[int, ...], cell: Cell, player: int) -> int:
    """Return after how many moves of a line a cell would first complete a line for a player.

    `len(line)` where it never would before the last move.
    """
    for start, now in enumerate(along(position, line[:-1])):
        if cell in winning_cells(now, player):
            return start
    return len(line)


def good_answers(played: Position, after: int, solver: ExactSolver) -> tuple[int, ...]:
    """Return the answers that draw, or win, where a column worth `after` (0 or less) was played."""
    least = 0 if after == 0 else 1
    return tuple(
        column
        for column, score in enumerate(solver.scores(played))
        if score is not None and score >= least
    )


def _is_best_play(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    """Whether every move of the claim's line is worth what the claim says the first one is."""
    sign = 1
    for now in along(position, claim.line)[1:]:
        sign = -sign
        if claim.after is None or sign * solver.score(now) != claim.after:
            return False
    return True


def _won_by(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    """Whether the line is best play to the end and wins for the claim's player."""
    outcome = after_line(claim, position).outcome
    won = outcome is not None and outcome.winner == claim.player
    return won and _is_best_play(claim, position, solver)


def _best_score(position: Position, solver: ExactSolver) -> int:
    return max(score for score in solver.scores(position) if score is not None)


def _standing(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    return claim.after == solver.score(position)


def _best(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    scores = solver.scores(position)
    best = _best_score(position, solver)
    return set(claim.columns) == {c for c, score in enumerate(scores) if score == best}


def _verdict(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    assert claim.column is not None
    scores = solver.scores(position)
    return scores[claim.column] == claim.after and _best_score(position, solver) == claim.before


def _only(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    scores = solver.scores(position)
    others = [score for c, score in enumerate(scores) if c != claim.column and score is not None]
    if claim.before is None or claim.before != _best_score(position, solver):
        return False
    return claim.before >= 0 and bool(others) and max(others) < (1 if claim.before > 0 else 0)


def _wins(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    assert claim.column is not None
    completed = line_through(position, claim.column)
    return claim.player == position.turn and completed == claim.cells != ()


def _blocks(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    (cell,) = claim.cells
    return (
        cell[0] == claim.column
        and claim.player == position.turn
        and cell in wins_now(position, 1 - claim.player)
    )


def _ignores(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    assert claim.column is not None
    after = position.play(claim.column)
    left = wins_now(position, claim.player)
    return bool(claim.cells) and all(
        cell in left and cell[0] != claim.column and line_through(after, cell[0])
        for cell in claim.cells
    )


def _opens(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    assert claim.column is not None
    after = position.play(claim.column)
    (cell,) = claim.cells
    on_top = cell == (claim.column, after.height_of(claim.column))
    return on_top and claim.player == after.turn and line_through(after, claim.column) != ()


def _misses(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    if claim.column in [column for column, _ in claim.cells]:
        return False
    return claim.player == position.turn and claim.cells == wins_now(position, claim.player) != ()


def _denies(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    *before, column = claim.line
    for earlier in before:
        position = position.play(earlier)
    position.check_move(column)
    return claim.player == position.turn and claim.cells == denied_cells(position, column) != ()


def _double(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    now = after_line(claim, position)
    threatens = now.turn != claim.player and claim.cells == double_cells(now) != ()
    return threatens and _is_best_play(claim, position, solver)


def _stack(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    now = after_line(claim, position)
    threatens = now.turn != claim.player and claim.cells == stack_cells(now) != ()
    return threatens and _is_best_play(claim, position, solver)


def _forces(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    threats = len(claim.line) - claim.start > 2 and claim.start == forced_from(position, claim.line)
    return threats and _won_by(claim, position, solver)


def _makes(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    now = after_line(claim, position)
    earlier = winning_cells(position, claim.player)
    later = wins_later(now, claim.player)
    return bool(claim.cells) and all(c in later and c not in earlier for c in claim.cells)


def _zugzwang(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    cell, *others = claim.cells
    before_end = along(position, claim.line)[-3]
    cornered = cornered_cells(before_end)
    lands = cell == (claim.line[-1], before_end.height_of(claim.line[-1]) + 1)
    return (
        lands
        and cell in cornered
        and tuple(others) == tuple(c for c in cornered if c != cell)
        and claim.start == threatened_from(position, claim.line, cell, claim.player)
        and _won_by(claim, position, solver)
    )


def _closed(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    ((column, row),) = claim.cells
    return (column, row) in wins_later(position, claim.player) and is_playable(
        position, (column, row - 1)
    )


def _spoils(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    assert claim.column is not None
    position.check_move(claim.column)
    return (
        claim.player == position.turn
        and claim.cells == ((claim.column, position.height_of(claim.column) + 1),)
        and claim.cells[0] in winning_cells(position, claim.player)
    )


def _follow_up(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    now = after_line(claim, position)
    target = 0 if claim.after == 0 else 1
    return now.turn != claim.player and follow_up_reaches(now, claim.player, target) is True


def _reply(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    column, answer = claim.line
    if claim.after is None or claim.after > 0:
        return False
    good = good_answers(position.play(column), claim.after, solver)
    return solver.scores(position)[column] == claim.after and good == (answer,)


def _line(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    return after_line(claim, position).is_over and _is_best_play(claim, position, solver)


def _stops(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    (cell,) = claim.cells
    positions = along(position, claim.line)
    return (
        positions[-2].turn == claim.player
        and cell == (claim.line[-1], positions[-2].height_of(claim.line[-1]))
        and claim.start == threatened_from(position, claim.line, cell, 1 - claim.player)
        and not is_playable(positions[claim.start], cell)
        and _is_best_play(claim, position, solver)
    )


#: How each kind of claim is checked.
CHECKS: dict[str, Callable[[Claim, Position, ExactSolver], bool]] = {
    "standing": _standing,
    "best": _best,
    "verdict": _verdict,
    "only": _only,
    "wins": _wins,
    "blocks": _blocks,
    "ignores": _ignores,
    "opens": _opens,
    "misses": _misses,
    "denies": _denies,
    "double": _double,
    "stack": _stack,
    "forces": _forces,
    "makes": _makes,
    "zugzwang": _zugzwang,
    "closed": _closed,
    "spoils": _spoils,
    "follow_up": _follow_up,
    "reply": _reply,
    "line": _line,
    "stops": _stops,
}
