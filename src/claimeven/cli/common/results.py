"""Results in sections of blocks, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from claimeven.blocks import Block, Board, Code, Table
from claimeven.cli.common.output import (
    board_text,
    left,
    named_lines,
    table_lines,
    table_width,
    text_size,
    text_width,
    wrap,
)


def write_sections(sections: Iterable[Sequence[Block]], out: TextIO) -> None:
    """Write a result, with an empty line between its sections."""
    shown = ("\n".join(_lines(section, out)) for section in sections if section)
    out.write("\n\n".join(shown) + "\n")


def table_text(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return the lines of a table with a left-aligned first column.

    If a name and its cells exceed `width`, the name is on a separate line; if the cells
    exceed it, the table is split.
    """
    sizes = (max(map(text_size, column)) for column in zip(heads, *rows, strict=True))
    name_size, *cell_sizes = sizes
    if sum(cell_sizes) + 2 * len(cell_sizes) <= width:
        names, cells = [row[0] for row in rows], [row[1:] for row in rows]
        return named_lines(heads[0], heads[1:], names, cells, width)
    head, *padded = [[left(row[0], name_size), *row[1:]] for row in (heads, *rows)]
    return table_lines(head, padded, width)


def paragraph_lines(text: str, width: int) -> list[str]:
    """Return the lines of a paragraph; an item with a dash continues indented."""
    indent = " " * (len(text) - len(text.lstrip(" -")))
    return wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _lines(section: Sequence[Block], out: TextIO) -> Iterator[str]:
    for block in section:
        if isinstance(block, Table):
            yield from table_text(block.heads, block.rows, table_width(out))
        elif isinstance(block, Board):
            yield board_text(block.position, out, block.last)
        elif isinstance(block, Code):
            yield from (" " * block.indent + line for line in block.lines)
        else:
            yield from paragraph_lines(block, text_width(out))
