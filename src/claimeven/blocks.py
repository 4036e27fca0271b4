"""Results described once, as sections of blocks: HTML in notebooks, text in terminals.

A block is a paragraph (a `str`), a `Table`, a `Board` or some `Code`. A terminal separates sections
by an empty line. Results as plain data become flat rows (`flat_rows`) for pandas and polars.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claimeven import markup
from claimeven.game.position import Position
from claimeven.game.svg import draw_svg


class Styled(str):
    """A text that notebooks show as its `html`."""

    html: markup.Html

    def __new__(cls, text: str, html: markup.Html) -> Styled:
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


#: Ends of the names of intervals, and of their columns.
_INTERVAL, _BOUNDS = ("_95", "_interval"), ("low", "high")


def flat_rows(results: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return plain data as rows that all have the same names, with numbers, texts or None.

    The names of an object within a row start with its name. An interval has the columns `..._low`
    and `..._high`. A list is a text with spaces, and None in it is ".". Lists of objects are left
    out: they are separate tables.

    >>> flat_rows([{"agent": "ann", "share_95": (0.1, 0.3)}, {"agent": "bob", "best": [2, 3]}])[1]
    {'agent': 'bob', 'share_95_low': None, 'share_95_high': None, 'best': '2 3'}
    """
    rows = [dict(_cells(result)) for result in results]
    names = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in names} for row in rows]


def _cells(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _cells(value, f"{name}_")
        elif name.endswith(_INTERVAL):
            bounds = zip(_BOUNDS, value or (None, None), strict=True)
            yield from ((f"{name}_{end}", bound) for end, bound in bounds)
        elif not isinstance(value, (list, tuple)):
            yield name, value
        elif not any(isinstance(part, (Mapping, list, tuple)) for part in value):
            yield name, " ".join("." if part is None else str(part) for part in value)
