"""Where compiled code is kept between runs: a folder of the user's cache, named after the sources.

The folder is named after a digest of the package's own sources, so an edit or an upgrade never
runs stale code, and an installation that cannot be written to works too.
`CLAIMEVEN_CACHE_DIR` moves the folder.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs

#: Rooms whose sources decide what a kernel does; the others hold no compiled code.
COMPILED_ROOMS = ("compiled", "game", "evaluation", "minimax", "montecarlo", "solver", "dataset")


@cache
def cache_folder() -> Path:
    """Return the folder of this version's compiled code (not necessarily there yet)."""
    package = Path(__file__).parent.parent
    digest = hashlib.blake2b(digest_size=10)
    digest.update(f"{numba.__version__} {platform.python_version()} {platform.machine()}".encode())
    for room in COMPILED_ROOMS:
        for source in sorted((package / room).glob("**/*.py")):
            name = source.relative_to(package).as_posix()
            digest.update(name.encode() + source.read_bytes())
    chosen = os.environ.get("CLAIMEVEN_CACHE_DIR")
    base = Path(chosen) if chosen else Path(platformdirs.user_cache_dir("claimeven"))
    return base / f"compiled-{digest.hexdigest()}"


@contextmanager
def caching_in(folder: Path) -> Iterator[None]:
    """Let Numba cache what is compiled meanwhile in `folder`, and nothing else there."""
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        settings.CACHE_DIR = before


def may_write(folder: Path) -> bool:
    """Whether files can be made in a folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
