"""A chart of the scores of a game, as text.

>>> print(score_chart([1, 1, -3, 12, 12, 0, -6]))
 +12 │   ██
 +10 │   ██
  +8 │   ██
  +5 │   ██
  +3 │██ ██
   0 ┼───────
  -3 │  █   █
  -5 │  █   █
  -8 │      █
      0

One character for each disc; bars go up if Yellow wins and down if Red does. Long games have
several discs for each character, which then shows the score furthest from 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from claimeven.errors import ClaimevenError
from claimeven.game.validation import one_of, whole_number

#: Rows of bars on either side of the axis.
REACH = 5
#: Number of characters to the left of the bars.
_MARGIN = 6
_TICK = 10
#: (bar, upright, axis, crossing) of each charset.
_SYMBOLS = {"unicode": ("█", "│", "─", "┼"), "ascii": ("#", "|", "-", "+")}


def score_chart(score_history: Sequence[int], width: int = 80, charset: str = "unicode") -> str:
    """Draw the scores for Yellow after 0, 1, ... moves, in lines of at most `width` characters.

    A score other than 0 is at least one row high; the highest bar has at most `REACH` rows. Raises
    `ClaimevenError` for an empty history, a width that is too small, and an unknown charset.
    """
    if not score_history:
        raise ClaimevenError("a score history must have the score before the first move")
    if whole_number(width, "width") <= _MARGIN:
        raise ClaimevenError(f"width must be {_MARGIN + 1} or more, got {width}")
    bar, upright, axis, crossing = _SYMBOLS[one_of(charset, "charset", _SYMBOLS)]
    step = -(-len(score_history) // (width - _MARGIN))
    shown = [max(score_history[i : i + step], key=abs) for i in range(0, len(score_history), step)]
    furthest = max(1, *(abs(score) for score in score_history))
    reach = min(REACH, furthest)
    heights = [(1 if score > 0 else -1) * -(-abs(score) * reach // furthest) for score in shown]
    lines = []
    for row in range(max(0, *heights), min(0, *heights) - 1, -1):
        label = 0 if row == 0 else (1 if row > 0 else -1) * -(-abs(row) * furthest // reach)
        bars = "".join(
            axis if row == 0 else bar if 0 < row <= height or height <= row < 0 else " "
            for height in heights
        )
        text = f"{label:+d}" if label else "0"
        lines.append(f"{text:>{_MARGIN - 2}} {crossing if row == 0 else upright}{bars}".rstrip())
    lines.append(_ruler(len(shown), step))
    return "\n".join(lines)


def _ruler(length: int, step: int) -> str:
    ticks = [" "] * length
    for place in range(0, length, _TICK):
        text = str(place * step)
        if place + len(text) <= length:
            ticks[place : place + len(text)] = text
    return (" " * _MARGIN + "".join(ticks)).rstrip()
