"""The text of agents' files, as it was when play began or read now, and its loading.

A file that cannot be a program in Python is refused in a sentence that names its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from claimeven.agents.options import InvalidSpec
from claimeven.agents.redirect import PrintsToStderr
from claimeven.agents.sanitize import described, traceback_of
from claimeven.suggestions import did_you_mean_file

Result = TypeVar("Result")

#: MB that a file with an agent may have.
MAX_SOURCE = 64
#: Bytes at the start of a file by which its kind is known.
_HEAD = 4096
#: What files with an agent are often called.
_DEFAULT_FILES = ("main.py", "agent.py", "submission.py", "my_agent.py")

_held: dict[str, bytes] = {}


def run_file(place: str, run: Callable[[], Result]) -> Result:
    """Run the code of a file: its prints go to stderr, and `InvalidSpec` reports what it raises."""
    try:
        with PrintsToStderr():
            return run()
    except (InvalidSpec, KeyboardInterrupt):
        raise
    except BaseException as error:
        reason = f"{place} cannot be loaded: {described(error)}"
        raise InvalidSpec(reason, traceback_of(error)) from error


def hold(texts: Mapping[str, bytes]) -> None:
    """Use these texts in this process, by the names of their files in specs."""
    _held.update(texts)


def content_of(place: str) -> bytes | None:
    """Return the text used for a file; None for one that is not there or is no source."""
    with suppress(OSError, ValueError):
        return source_of(place)
    return None


def source_of(place: str) -> bytes:
    """Return the text used for a file. Raises `InvalidSpec` if it can be no Python."""
    if place in _held:
        return _held[place]
    refusal = refusal_of(place)
    if refusal is not None:
        raise InvalidSpec(refusal)
    try:
        return Path(place).read_bytes()
    except OSError as error:
        raise InvalidSpec(f"{place} cannot be read: {error.strerror}") from None


def is_there(place: str) -> bool:
    """Whether there is a file or anything else of that name."""
    with suppress(OSError, ValueError):
        return bool(place) and Path(place).exists()
    return False


def refusal_of(place: str) -> str | None:
    """Say why a file can be no Python, from its kind and its first bytes; None if it can.

    >>> refusal_of("nowhere.py")
    'there is no file nowhere.py'
    """
    path = Path(place)
    try:
        if path.is_dir():
            inner = sorted(path.glob("*.py"), key=lambda file: file.name not in _DEFAULT_FILES)
            hint = f": name the file in it, {inner[0]}" if inner else ""
            return f"{place} is a folder, and no file{hint}"
        if not path.exists():
            return f"there is no file {place}{did_you_mean_file(place)}"
        if not path.is_file():
            return f"{place} is a device or a pipe, and no file"
        size = path.stat().st_size >> 20
        if size > MAX_SOURCE:
            return f"{place} has {size:,} MB: a file with an agent has at most {MAX_SOURCE}"
        with path.open("rb") as file:
            return _refusal_of_head(place, file.read(_HEAD))
    except (OSError, ValueError) as error:
        return f"{place} cannot be read: {getattr(error, 'strerror', None) or error}"


def _refusal_of_head(place: str, head: bytes) -> str | None:
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if (
        head.startswith((b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ"))
        or head[257:262] == b"ustar"
    ):
        return f"{place} is an archive: unpack it and name the file in it that plays, main.py"
    if text.startswith(b"{") and (b'"cells"' in head or b'"nbformat"' in head):
        return (
            f"{place} is a notebook: save the cell with the agent as a file, with %%writefile"
            f" my_agent.py as its first line, or run jupyter nbconvert --to script {place}"
        )
    if text.startswith((b"<!doctype", b"<html", b"<?xml")):
        return f"{place} is a web page: download the Python file itself, such as GitHub's Raw"
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return f"{place} is no text: it holds binary data where a Python file is expected"
    return None
