"""Results described once, as sections of blocks: HTML in notebooks, text in terminals.

A block is a paragraph (a `str`), a `Table`, a `Board` or some `Code`. A terminal separates sections
by an empty line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claimeven import markup
from claimeven.game.position import Position
from claimeven.game.svg import draw_svg


class Styled(str):
    """A text that notebooks show as its `html`."""

    html: markup.Html

    def __new__(cls, text: str, html: markup.Html) -> Styled:
        """Return a text and the HTML that notebooks show instead."""
        styled = super().__new__(cls, text)
        styled.html = html
        return styled


@dataclass(frozen=True)
class Table:
    """A table: names in the first column, numbers in the others."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Board:
    """A position, the 0-based column of its last move, and the score of each column before it."""

    position: Position
    last: int | None = None
    scores: Sequence[int | None] | None = None


@dataclass(frozen=True)
class Code:
    """Lines that are shown as they are, such as a traceback."""

    lines: Sequence[str]
    indent: int = 4


Block = str | Table | Board | Code


class Sections(list[Sequence[Block]]):
    """A result as sections of blocks."""

    def _repr_html_(self) -> str:
        return markup.below(*(_html(block) for section in self for block in section))


def strong(text: str) -> Styled:
    """Return words that are strong in notebooks."""
    return Styled(text, markup.strong(text))


def bar(text: str, share: float | None) -> Styled:
    """Return the text of a share, 0 to 1, that notebooks show on a bar of that length."""
    return Styled(text, markup.bar(text, share or 0.0))


def _html(block: Block) -> markup.Html:
    if isinstance(block, Table):
        return markup.table(map(_part, block.heads), [map(_part, row) for row in block.rows])
    if isinstance(block, Board):
        return markup.drawing(draw_svg(block.position, block.last, block.scores, bare=True))
    if isinstance(block, Code):
        return markup.code(block.lines)
    return markup.line(_part(block))


def _part(text: str) -> markup.Part:
    return text.html if isinstance(text, Styled) else text
