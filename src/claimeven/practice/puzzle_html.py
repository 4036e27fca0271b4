"""A puzzle as notebooks show it: the solution is not."""

from __future__ import annotations

from claimeven import markup
from claimeven.game.svg import draw_svg
from claimeven.practice.puzzle import Puzzle


def puzzle_html(puzzle: Puzzle) -> str:
    """Return the board, the task and how hard it is."""
    about = f"Puzzle {puzzle.number}: {puzzle.band}, rating {puzzle.rating}"
    return markup.below(
        markup.line(about),
        markup.drawing(draw_svg(puzzle.position, bare=True)),
        markup.line(markup.strong(puzzle.task)),
    )
