"""Models of files that agents play by, each read once, and anew when its file is another."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import Final, TypeVar

Model = TypeVar("Model")
#: Models of a kind that are kept in memory.
_KEPT: Final = 4


def read_once(read: Callable[[str], Model]) -> Callable[[str], Model]:
    """Return a function that reads the model of a name, keeping the last few.

    A training run writes its model again and again under one name: what is kept is taken only
    while the file is the same.
    """

    @lru_cache(maxsize=_KEPT)
    def kept(name: str, file: tuple[int, ...]) -> Model:
        return read(name)

    @wraps(read)
    def found(name: str) -> Model:
        return kept(name, _file_of(name))

    return found


def _file_of(name: str) -> tuple[int, ...]:
    """Return what changes with the file of a name; nothing where there is none to look at."""
    try:
        told = Path(name).stat()
    except (OSError, ValueError):
        return ()
    return told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns
