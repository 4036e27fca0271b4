"""Tables of numbers as text, in parts where a line has no room for all columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from claimeven.cli.common.widths import left, right, text_size, wrap

_GAP = "  "


def table_lines(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return the lines of a table, cells to the right, each line at most `width` columns wide.

    A table that is wider comes in parts, one below the other; each begins with the first column.

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
    widths = [max(text_size(row[place]) for row in cells) for place in range(len(headings))]
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
            lines.append(_GAP.join(right(row[place], widths[place]) for place in (0, *part)))
    return lines


def named_lines(
    heading: str,
    headings: Sequence[str],
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
) -> list[str]:
    """Return the lines of a table whose rows have names, that no line may cut.

    Where a line has no room for name and cells, the name stands on a line of its own; the other
    rows stay as they are.

    >>> print("\\n".join(named_lines("who", ["won"], ["ann", "a name"], [["1"], ["12"]], 20)))
    who     won
    ann       1
    a name   12
    >>> print("\\n".join(named_lines("who", ["won"], ["a very long name"], [["1"]], 20)))
    who              won
    a very long name
                       1
    """
    columns = list(zip(headings, *rows, strict=True))
    widths = [max(map(text_size, column)) for column in columns]
    cells = [
        "".join(_GAP + right(cell, size) for cell, size in zip(row, widths, strict=True))
        for row in (headings, *rows)
    ]
    room = max(map(text_size, [heading, *names]))
    if room + text_size(cells[0]) <= width:
        return [left(n, room) + row for n, row in zip([heading, *names], cells, strict=True)]
    room = width - text_size(cells[0])
    lines: list[str] = []
    for name, row in zip([heading, *names], cells, strict=True):
        if text_size(name) <= room:
            lines.append(left(name, room) + row)
        else:
            lines += [name, right(row, width)]
    return lines


def remark_lines(remarks: Sequence[str], width: int) -> Iterator[str]:
    """Yield an empty line and remarks on some games, if there are any."""
    if remarks:
        yield ""
    for remark in remarks:
        yield from fitted(remark, width).split("\n")


def fitted(text: str, width: int) -> str:
    """Return a text whose lines are at most `width` columns wide: longer ones go on, indented.

    >>> print(fitted("a table\\nof some words", 8))
    a table
    of some
      words
    """
    lines: list[str] = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        if text_size(line) <= width:
            lines.append(line)
        else:
            lines += wrap(
                line, width, subsequent_indent=indent,
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
    return "\n".join(lines)
