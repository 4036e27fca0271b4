"""Writing the page."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

from claimeven.arena.report.contents import Contents
from claimeven.arena.report.page import render
from claimeven.arena.store import Store
from claimeven.outputs import CannotWrite, check_output, write_text

#: What a file of SQLite begins with.
_DATABASE = b"SQLite format 3\x00"


def write_report(store: Store | str | Path, path: str | Path, title: str | None = None) -> Contents:
    """Write the page on a store's games to a file and return what it tells.

    The page loads nothing, so it can be mailed and read without a network. The same games give the
    same page. Raises `InvalidStore` for a file without finished games, `CannotWrite` for a path
    that cannot be written.
    """
    check_page(path)
    with nullcontext(store) if isinstance(store, Store) else Store.read(store) as opened:
        contents = Contents.of(opened, title)
    write_text(path, render(contents))
    return contents


def check_page(path: str | Path) -> None:
    """Raise `CannotWrite` where a page cannot be written, or would take the place of a store."""
    check_output(path)
    path = Path(path)
    if path.exists():
        with path.open("rb") as stream:
            if stream.read(len(_DATABASE)) == _DATABASE:
                raise CannotWrite(f"{path} holds games: name another file for the page")
