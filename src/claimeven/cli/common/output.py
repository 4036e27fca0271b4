"""Texts, tables, boards and results for terminals and files."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

import click

from claimeven.blocks import Block, Board, Code, Table
from claimeven.cli.common.streams import can_show, has_colors, write_json
from claimeven.game.drawing import draw
from claimeven.game.position import Position

#: Width of tables when the terminal does not report one.
WIDTH = 80
MIN_WIDTH = 40
#: Maximum number of digits that are read of a width.
_DIGITS = 6
_GAP = "  "


def table_width(stream: TextIO | None = None) -> int:
    """Return the width of a stream (stdout): of the variable COLUMNS, the terminal, or 80."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns[:_DIGITS]) > 0:
        return int(columns[:_DIGITS])
    try:
        return os.get_terminal_size(1 if stream is None else stream.fileno()).columns or WIDTH
    except (OSError, ValueError):
        return WIDTH


def text_width(stream: TextIO | None = None) -> int:
    """Return the width of prose and charts on a stream (stdout): 40 to 80."""
    return max(MIN_WIDTH, min(WIDTH, table_width(stream)))


def _wide() -> Any:
    """Return `wcwidth`, which takes longer to import than most commands take to start."""
    import wcwidth  # noqa: PLC0415 - only for text that is not ASCII

    return wcwidth


def text_size(text: str) -> int:
    """Return the width of a text on a terminal, in any script.

    >>> text_size("bot"), text_size("\\u6f22\\u5b57"), text_size("e\\u0301")
    (3, 4, 1)
    """
    return len(text) if text.isascii() else int(_wide().width(text))


def left(text: str, width: int) -> str:
    """Return a text padded on its right, as by `str.ljust`."""
    return text + " " * (width - text_size(text))


def right(text: str, width: int) -> str:
    """Return a text padded on its left, as by `str.rjust`."""
    return " " * (width - text_size(text)) + text


def cut(text: str, width: int) -> str:
    """Return the longest prefix of a text that fits into `width` columns.

    >>> cut("a\\u6f22\\u5b57", 4) == "a\\u6f22"
    True
    """
    width = max(width, 0)
    return text[:width] if text.isascii() else str(_wide().clip(text, 0, width, fillchar=""))


def wrap(text: str, width: int, **options: Any) -> list[str]:
    """Return a text in lines of at most `width` columns, with the options of `textwrap.wrap`."""
    lines: list[str] = (textwrap if text.isascii() else _wide()).wrap(text, width, **options)
    return lines


def fitted(text: str, width: int) -> str:
    """Return a text whose lines are wrapped at `width` columns and continue indented.

    >>> print(fitted("a table\\nof some words", 8))
    a table
    of some
      words
    """
    lines: list[str] = []
    for line in text.split("\n"):
        if text_size(line) <= width:
            lines.append(line)
        else:
            indent = " " * (len(line) - len(line.lstrip()) + 2)
            lines += wrap(
                line, width, subsequent_indent=indent,
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
    return "\n".join(lines)


def show(text: str) -> None:
    """Print a text in the width of prose."""
    click.echo(fitted(text, text_width()))


def print_result(as_json: bool, data: dict[str, Any], text: str) -> None:
    """Print a result as JSON, or in words."""
    if as_json:
        write_json(data, sys.stdout)
    else:
        show(text)


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table in the width of the terminal."""
    click.echo("\n".join(table_lines(headings, rows, table_width())))


def table_lines(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return the lines of a right-aligned table, each at most `width` columns wide.

    A wider table is split into parts; each starts with the first column.

    >>> print("\\n".join(table_lines(["ply", "a", "b"], [["0", "10", "2"], ["1", "3", "44"]], 9)))
    ply   a
      0  10
      1   3
    <BLANKLINE>
    ply   b
      0   2
      1  44
    """
    cells = [headings, *rows]
    widths = [max(map(text_size, column)) for column in zip(*cells, strict=True)]
    parts: list[list[int]] = [[]]
    free = room = width - widths[0]
    for place in range(1, len(headings)):
        needed = len(_GAP) + widths[place]
        if needed > free and parts[-1]:
            parts.append([])
            free = room
        parts[-1].append(place)
        free -= needed
    lines: list[str] = []
    for part in parts:
        lines += [""] if lines else []
        for row in cells:
            line = _GAP.join(right(row[place], widths[place]) for place in (0, *part))
            lines.append(line.rstrip())
    return lines


def named_lines(
    heading: str,
    headings: Sequence[str],
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
) -> list[str]:
    """Return the lines of a table whose rows have names, which are never cut.

    A name that is too long for its cells is on a separate line.

    >>> print("\\n".join(named_lines("who", ["won"], ["ann", "a name"], [["1"], ["12"]], 20)))
    who     won
    ann       1
    a name   12
    >>> print("\\n".join(named_lines("who", ["won"], ["a very long name"], [["1"]], 20)))
    who              won
    a very long name
                       1
    """
    widths = [max(map(text_size, column)) for column in zip(headings, *rows, strict=True)]
    cells = [
        "".join(_GAP + right(cell, size) for cell, size in zip(row, widths, strict=True))
        for row in (headings, *rows)
    ]
    room = min(max(map(text_size, [heading, *names])), width - text_size(cells[0]))
    lines: list[str] = []
    for name, row in zip([heading, *names], cells, strict=True):
        if text_size(name) <= room:
            lines.append((left(name, room) + row).rstrip())
        else:
            lines += [name, right(row, width).rstrip()]
    return lines


def board_text(
    position: Position, stream: TextIO | None = None, last: int | None = None, result: bool = True
) -> str:
    """Draw a board for a stream (stdout): in ASCII if necessary, in color if possible."""
    stream = sys.stdout if stream is None else stream
    charset = "unicode" if can_show("┌●○", stream) else "ascii"
    return draw(position, charset=charset, last=last, result=result, color=has_colors(stream))


def write_sections(sections: Iterable[Sequence[Block]], out: TextIO) -> None:
    """Write a result, with an empty line between its sections."""
    shown = ("\n".join(_lines(section, out)) for section in sections if section)
    out.write("\n\n".join(shown) + "\n")


def write_result(
    as_json: bool, data: dict[str, Any], sections: Iterable[Sequence[Block]], out: TextIO
) -> None:
    """Write a result as JSON or in sections."""
    if as_json:
        write_json(data, out)
    else:
        write_sections(sections, out)


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


def _lines(section: Sequence[Block], out: TextIO) -> Iterator[str]:
    for block in section:
        if isinstance(block, Table):
            yield from table_text(block.heads, block.rows, table_width(out))
        elif isinstance(block, Board):
            yield board_text(block.position, out, block.last)
        elif isinstance(block, Code):
            yield from (" " * block.indent + line for line in block.lines)
        else:
            indent = " " * (len(block) - len(block.lstrip(" -")))  # an item with a dash
            yield from wrap(
                block, text_width(out), subsequent_indent=indent,
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
