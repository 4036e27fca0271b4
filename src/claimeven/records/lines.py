"""Lines of text files, numbered, whatever program wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from claimeven.game.geometry import Geometry

_BYTE_ORDER_MARK = "\ufeff"


def text_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines from 1 on, without ends and the byte order mark some programs begin with."""
    for number, line in enumerate(lines, start=1):
        yield number, line.removeprefix(_BYTE_ORDER_MARK).rstrip("\r\n")


def written_lines(lines: Iterable[str], geometry: Geometry) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, with their numbers."""
    return ((number, line) for number, line in text_lines(lines) if line.strip())
