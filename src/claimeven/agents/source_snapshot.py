"""The source files of agents: snapshots from the start of play, reading, and loading.

A file that cannot be Python is rejected with a message that names its kind.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from claimeven.agents.options import InvalidSpec
from claimeven.agents.sanitize import PrintsToStderr, described, traceback_of
from claimeven.suggestions import did_you_mean_file
from claimeven.text_io import reading

Result = TypeVar("Result")

#: Maximum size of an agent's file in MB.
MAX_SOURCE = 64
#: Common names of files with an agent.
DEFAULT_FILES = ("main.py", "agent.py", "submission.py", "my_agent.py")

_snapshots: dict[str, bytes] = {}


def run_file(place: str, run: Callable[[], Result]) -> Result:
    """Run the code of a file: its output goes to stderr, its exceptions become `InvalidSpec`."""
    try:
        with PrintsToStderr():
            return run()
    except (InvalidSpec, KeyboardInterrupt):
        raise
    except BaseException as error:
        reason = f"{place} cannot be loaded: {described(error)}"
        raise InvalidSpec(reason, traceback_of(error)) from error


def store_sources(texts: Mapping[str, bytes]) -> None:
    """Use these contents in this process, by the names of the files in specs."""
    _snapshots.update(texts)


def content_of(place: str) -> bytes | None:
    """Return the source of a file; None if it does not exist or is not Python source."""
    with suppress(OSError, ValueError):
        return source_of(place)
    return None


def source_of(place: str) -> bytes:
    """Return the source of a file. Raises `InvalidSpec` if it cannot be Python."""
    if place in _snapshots:
        return _snapshots[place]
    refusal = refusal_of(place)
    if refusal is not None:
        raise InvalidSpec(refusal)
    with reading(place, InvalidSpec):
        return Path(place).read_bytes()


def is_file(path: Path) -> bool:
    """Whether there is a file; False if its name is too long or empty."""
    return os.path.isfile(path)  # noqa: PTH113 - takes any text


def exists(place: str) -> bool:
    """Whether a file or folder of that name exists."""
    return os.path.exists(place)  # noqa: PTH110 - takes any text


def refusal_of(place: str) -> str | None:
    """Return why a file cannot be Python, from its kind and its first bytes; None if it can.

    >>> refusal_of("nowhere.py")
    'there is no file nowhere.py'
    """
    path = Path(place)
    try:
        if path.is_dir():
            inner = sorted(path.glob("*.py"), key=lambda file: file.name not in DEFAULT_FILES)
            hint = f": name the file in it, {inner[0]}" if inner else ""
            if inner[1:] and inner[0].name not in DEFAULT_FILES:
                hint = f": name the files in it, {path}{os.sep}*.py"
            return f"{place} is a folder, not a file{hint}"
        if not path.exists():
            return f"there is no file {place}{did_you_mean_file(place)}"
        if not path.is_file():
            return f"{place} is a device or a pipe, not a file"
        size = path.stat().st_size >> 20
        if size > MAX_SOURCE:
            return f"{place} must have at most {MAX_SOURCE} MB, got {size:,}"
        with path.open("rb") as file:
            return _refusal_of_head(place, file.read(4096))
    except (OSError, ValueError) as error:
        return f"{place} cannot be read: {getattr(error, 'strerror', None) or error}"


def _refusal_of_head(place: str, head: bytes) -> str | None:
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if (
        head.startswith((b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ"))
        or head[257:262] == b"ustar"
    ):
        return f"{place} is an archive: unpack it and name the agent's file, such as main.py"
    if text.startswith(b"{") and (b'"cells"' in head or b'"nbformat"' in head):
        return (
            f"{place} is a notebook: save the cell with the agent as a file, with %%writefile"
            f" my_agent.py as its first line, or run jupyter nbconvert --to script {place}"
        )
    if text.startswith((b"<!doctype", b"<html", b"<?xml")):
        return f"{place} is a web page: download the Python file itself, such as GitHub's Raw"
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return f"{place} must be a Python file, got binary data"
    return None
