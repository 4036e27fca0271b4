"""The cache of compiled code: a file for each kernel or JAX function, in the user's cache folder.

The file name has the name of the function and a digest of everything that its code depends on:

```text
    offset  bytes  what
         0      8  magic: "C4KERN" 0x01 0x0A
         8     16  BLAKE2b digest of the rest
        24      .  the compiled code, as Numba or JAX returns it
```

The cache never raises errors. A corrupt file counts as absent and is written again, and a folder
that cannot be written is not used. Files are moved into place complete, so processes may write the
same file at the same time. Usually the first process writes it and the others wait.
`CLAIMEVEN_CACHE_DIR` moves the folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import platformdirs

from claimeven.atomic_io import take_lock

MAGIC = b"C4KERN\x01\n"
SUFFIX, JAX_SUFFIX = ".kernel", ".program"
#: Files stay for this many days after their last use, up to this total size.
KEEP_DAYS, KEEP_BYTES = 60, 200 << 20

_DIGEST_BYTES = 16
_DAY = 86_400
_UNFINISHED = ".part"
_LOCK = ".lock"
#: Seconds to wait for a file made by another process, and between two checks of it.
_PATIENCE, _LOOK = 120.0, 0.01
#: The names of the cache folders of version 0.1.
_FORMER = re.compile(r"compiled-[0-9a-f]{20}")


def cache_folder() -> Path | None:
    """Return the folder of compiled code, which may not exist yet; None if the user has no home.

    `CLAIMEVEN_CACHE_DIR` is read at every call.
    """
    chosen = os.environ.get("CLAIMEVEN_CACHE_DIR")
    if chosen:
        return Path(chosen) / "kernels"
    try:
        users = Path(platformdirs.user_cache_dir("claimeven"))
    except RuntimeError:  # neither HOME nor an entry in the list of users
        return None
    return users / "kernels" if users.is_absolute() else None


def processor() -> str:
    """Return the name and features of this processor, which compiled code depends on."""
    from llvmlite import binding  # noqa: PLC0415 - takes long to import

    features: Any = binding.get_host_cpu_features()
    return f"{binding.get_host_cpu_name()} {features.flatten()}"


def read(path: Path) -> bytes | None:
    """Return the content of a file of `write`; None if it is missing, corrupt or unreadable."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    start = len(MAGIC) + _DIGEST_BYTES
    content = data[start:]
    if data[:start] != MAGIC + _digest(content):
        return None
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > _DAY:
            path.touch()
    return content


def write(path: Path, content: bytes) -> None:
    """Write content to a file, completely or not at all; then remove old files."""
    unfinished = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number, unfinished = tempfile.mkstemp(_UNFINISHED, f".{path.stem}-", path.parent)
        with os.fdopen(number, "wb") as stream:
            stream.write(MAGIC + _digest(content) + content)
        Path(unfinished).replace(path)
        unfinished = None
        tidy(path.parent)
    except OSError:
        return
    finally:
        if unfinished is not None:
            with suppress(OSError):
                Path(unfinished).unlink()


@contextmanager
def making(path: Path | None, meanwhile: Callable[[], None]) -> Iterator[None]:
    """Let one process make a missing file; the others wait here until it exists.

    `meanwhile` is called while waiting. Without file locks there is nothing to wait for.
    """
    lock = None if path is None or _is_there(path) else _open_lock(path)
    if lock is None:
        yield
        return
    with lock:
        deadline = time.monotonic() + _PATIENCE
        while not take_lock(lock) and time.monotonic() < deadline:
            meanwhile()
            time.sleep(_LOOK)
        try:
            yield
        finally:
            with suppress(OSError):
                Path(lock.name).unlink()


def _is_there(path: Path) -> bool:
    with suppress(OSError):
        return path.exists()
    return False


def _open_lock(path: Path) -> IO[bytes] | None:
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.with_suffix(_LOCK).open("wb")
    return None


def tidy(folder: Path) -> None:
    """Remove files not used for `KEEP_DAYS`, and the least recently used beyond `KEEP_BYTES`.

    Only files and folders of claimeven are removed. A process that needs one compiles it again.
    """
    now = time.time()
    with suppress(OSError):
        room = KEEP_BYTES
        for used, path in sorted(_files(folder), reverse=True):
            days = (now - used) / _DAY
            room -= path.stat().st_size
            whole = path.suffix in (SUFFIX, JAX_SUFFIX)
            if room < 0 or days > (KEEP_DAYS if whole else 1):
                path.unlink()
        for former in folder.parent.iterdir():
            if _FORMER.fullmatch(former.name) and not former.is_symlink():
                # Version 0.1 touched the file of a kernel when it loaded the kernel.
                used = max((path.lstat().st_mtime for path in former.iterdir()), default=0.0)
                if (now - used) / _DAY > KEEP_DAYS:
                    shutil.rmtree(former, ignore_errors=True)


def _files(folder: Path) -> list[tuple[float, Path]]:
    found = []
    for path in folder.iterdir():
        if path.suffix in (SUFFIX, JAX_SUFFIX, _UNFINISHED, _LOCK):
            with suppress(OSError):
                found.append((path.stat().st_mtime, path))
    return found


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).digest()
