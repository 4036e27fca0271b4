"""What agents' files held when play began, which counts whatever has become of the files."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_held: dict[str, bytes] = {}


def hold(texts: Mapping[str, bytes]) -> None:
    """Let these texts count in this process, by the names of their files as specs have them."""
    _held.update(texts)


def held(place: str) -> bytes | None:
    """Return the text that counts in place of what a file holds, None where that counts."""
    return _held.get(place)


def content_of(place: str) -> bytes | None:
    """Return what a file holds, or what counts in its place; None for one that is not there."""
    with suppress(OSError, ValueError):
        return _held[place] if place in _held else Path(place).read_bytes()
    return None
