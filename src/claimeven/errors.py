"""The error that all errors about input are, and the check of paths."""

from pathlib import Path


class ClaimevenError(ValueError):
    """Any bad input that claimeven recognizes; the message is one sentence for the user."""


def path_of(path: str | Path, error: type[ClaimevenError]) -> Path:
    """Return a path, given as text or as a `Path`. Raises `error` for another object.

    >>> path_of("games.db", ClaimevenError).suffix
    '.db'
    """
    try:
        found = Path(path)
    except TypeError:
        raise error(f"a path must be text or a Path, got {path!r:.60}") from None
    if "\0" in str(found):
        raise error(f"{path!r:.60} cannot be read: a path must not contain a null character")
    return found
