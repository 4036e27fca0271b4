"""Files written whole or not at all, and files that grow line by line.

A finished file is written next to its place as `NAME.xxxxxxxx.part` and moved there once every byte
is on the disk. Any failure before, Ctrl-C included, leaves the old file as it was and no other
file; the next writer deletes the rest of a killed one. Only regular files are written: a folder, a
device or a pipe in the way is rejected, and so is a file of games, so that a wrong name does not
overwrite games. A symbolic link is followed, so its target is replaced and the link stays. The
permissions of an existing file do not change.

On Windows a file that another program has open cannot be replaced: ten tries, then a sentence.
"""

from __future__ import annotations

import glob
import io
import json
import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, TextIO

from claimeven.errors import ClaimevenError, path_of

#: Obstacles of a file, by the type in their mode.
_OTHERS = {
    stat.S_IFDIR: "a folder", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket",
}  # fmt: skip
#: The name of stdout in commands; never a file of that name.
STDOUT = "-"
#: How a file of SQLite starts.
DATABASE = b"SQLite format 3\x00"
#: Ends of the names of files that SQLite keeps next to its own while that is in use.
BESIDE_DATABASE = ("-wal", "-shm", "-journal")
#: Characters of a file's name that the name of its unfinished part takes over.
_NAME_KEPT = 60
#: Seconds in which the writer of an unfinished file has locked it.
_LOCKED_WITHIN = 1.0
#: Whether a file can be deleted and replaced while it is open.
_IS_POSIX = os.name == "posix"
#: Tries to replace a file that another program has open, and seconds between two.
_TRIES, _WAIT = 10, 0.1
#: The locked byte on Windows, unreadable for other processes: far beyond the end of most files.
_LOCKED_BYTE = (1 << 31) - 2


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a folder that is gone at the end, also if SIGTERM ends the process.

    SIGTERM is handled in the main thread, if it is not handled there yet.
    """
    owner, folder = os.getpid(), ""

    def end(number: int, frame: object) -> None:
        if os.getpid() == owner and folder:  # and in no process that it started
            shutil.rmtree(folder, ignore_errors=True)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    is_handled = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )
    if is_handled:
        signal.signal(signal.SIGTERM, end)
    try:
        with tempfile.TemporaryDirectory(prefix="claimeven-") as folder:
            yield Path(folder)
    finally:
        if is_handled:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


class CannotWrite(ClaimevenError):
    """A file that cannot be written; the message names it and says why."""


def check_output(path: str | Path, of_games: bool = False) -> None:
    """Raise `CannotWrite` if a file cannot be written, as far as that shows before hours of work.

    A file of games (a database) is in the way of all but games: they are added to it.
    """
    with _naming(path):
        _writable(path, of_games)


def holds_games(path: str | Path) -> bool:
    """Whether a file is a database, as files of games are. Raises `OSError`."""
    return starts_with(path, DATABASE)


def starts_with(path: str | Path, start: bytes) -> bool:
    """Whether a file starts with these bytes. Raises `OSError`."""
    with Path(path).open("rb") as stream:
        return stream.read(len(start)) == start


def make_folder(path: str | Path) -> None:
    """Make a folder and its parents, unless it exists. Raises `CannotWrite`."""
    with _naming(path):
        try:
            Path(path).mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise CannotWrite(f"{path} cannot be written: it is a file, not a folder") from None


@contextmanager
def binary_file(path: str | Path) -> Iterator[BinaryIO]:
    """Yield a stream of bytes that becomes the file when the block ends well, or `CannotWrite`."""
    with binary_files(path) as (stream,):
        yield stream


@contextmanager
def binary_files(*paths: str | Path) -> Iterator[tuple[BinaryIO, ...]]:
    """Yield streams of bytes as `binary_file` does, of files that are there together or not at all.

    They are moved into their places one right after the other, when all of them are written.
    """
    with ExitStack() as stack:
        each = [stack.enter_context(_unfinished(path)) for path in paths]
        yield tuple(file.stream for file in each)
        for file in each:
            file.finish()
        moved: list[_Unfinished] = []
        try:
            for file in each:
                file.move()
                moved.append(file)
        except BaseException:
            for file in moved:
                if file.is_new:
                    file.target.unlink(missing_ok=True)
            raise


@dataclass
class _Unfinished:
    """A file being written, next to its target."""

    path: str | Path
    target: Path
    place: Path
    stream: BinaryIO
    is_new: bool

    def finish(self) -> None:
        """Put the written bytes on the disk, so that they survive a power cut."""
        with _naming(self.path):
            self.stream.flush()
            os.fsync(self.stream.fileno())
            self.stream.close()

    def move(self) -> None:
        with _naming(self.path):
            _take_over_permissions(self.target, self.place)
            for _ in range(_TRIES):
                try:
                    self.place.replace(self.target)
                    return
                except PermissionError:
                    if _IS_POSIX or not self.target.is_file():
                        raise
                time.sleep(_WAIT)
        raise CannotWrite(
            f"{self.path} cannot be written: another program has it open: close that, or write to"
            " another name"
        )


@contextmanager
def _unfinished(path: str | Path) -> Iterator[_Unfinished]:
    """Yield a file to be written, which is gone after an error."""
    with _naming(path):
        target = _writable(path)
        place = unfinished_path(target)
        try:
            with place.open("xb") as stream:
                take_lock(stream)
                yield _Unfinished(path, target, place, stream, not target.exists())
        except BaseException:
            with suppress(OSError):
                place.unlink()
            raise


def unfinished_path(target: Path) -> Path:
    """Return a new name for the unfinished part of a file, and delete abandoned parts."""
    remove_abandoned(target)
    return target.with_name(f"{target.name[:_NAME_KEPT]}.{os.urandom(4).hex()}.part")


def remove_abandoned(target: Path) -> None:
    """Delete the unfinished parts of a file whose writers were killed: no process locks them."""
    name = glob.escape(target.name[:_NAME_KEPT])
    for part in target.parent.glob(f"{name}.{'[0-9a-f]' * 8}.part"):
        with suppress(OSError):
            with part.open("r+b") as stream:
                is_old = time.time() - os.fstat(stream.fileno()).st_mtime > _LOCKED_WITHIN
                is_abandoned = is_old and take_lock(stream, without=False)
                if is_abandoned and _IS_POSIX:
                    part.unlink()  # while no other can lock it
            if is_abandoned and not _IS_POSIX:
                part.unlink()


@contextmanager
def text_file(path: str | Path) -> Iterator[TextIO]:
    r"""Yield a UTF-8 stream, lines ending in \n, as `binary_file` does."""
    with binary_file(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
        yield text
        text.detach()  # writes its buffer and leaves the stream open


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in UTF-8. Raises `CannotWrite`."""
    with text_file(path) as stream:
        stream.write(text)


def packed(data: bytes) -> bytes:
    """Return data as a file of gzip, the same bytes for every version of Python and every day."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def write_bytes(path: str | Path, data: bytes) -> None:
    with binary_file(path) as stream:
        stream.write(data)


def take_lock(file: IO[bytes], without: bool = True) -> bool:
    """Take the lock of an open file, which ends with the process; whether no other has it.

    The answer is `without` if the system knows no locks of files.
    """
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - Windows only

            place = os.lseek(file.fileno(), 0, os.SEEK_CUR)
            os.lseek(file.fileno(), _LOCKED_BYTE, os.SEEK_SET)
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            except OSError:
                return False
            finally:
                os.lseek(file.fileno(), place, os.SEEK_SET)
        else:
            import fcntl  # noqa: PLC0415 - POSIX only

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError, ValueError):  # a file system without locks, or no file
        return without
    return True


def json_line(value: object) -> bytes:
    """Return plain data as a line of a `GrowingFile`."""
    return json.dumps(value).encode() + b"\n"


class GrowingFile:
    """A file that grows during the work, so that a kill loses little.

    `append` passes its text to the system without a buffer, so a full disk is an error of that
    call. One process at a time has it open, if the system has locks. Raises `CannotWrite`.
    """

    def __init__(self, path: str | Path, kept: int | Callable[[], int] = 0) -> None:
        """Open a file whose first `kept` bytes stay and whose rest is dropped.

        A function returns the number once no other process can add to it.
        """
        self.path: Path = Path(path)
        with _naming(path):
            _target(path)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
            self._file = os.fdopen(descriptor, "r+b", buffering=0)
        try:
            if not take_lock(self._file):
                raise CannotWrite(f"{path} cannot be written: another process is writing it")
            length = kept if isinstance(kept, int) else kept()
            with _naming(path):
                self._file.truncate(length)
                self._file.seek(length)
        except BaseException:
            self._file.close()
            raise

    @classmethod
    def of_lines(
        cls, path: str | Path, head: bytes, read: Callable[[list[bytes]], bool]
    ) -> GrowingFile:
        """Open a file of lines: `read` gets the complete ones, and returns whether they stay.

        It is not called for an empty file and for a part of `head`, with which a new file starts.
        """

        def kept() -> int:
            with _naming(path):
                data = Path(path).read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            return len(whole) if not head.startswith(data) and read(whole.splitlines()) else 0

        file = cls(path, kept)
        if not file._file.tell():
            file.append(head)
        return file

    def append(self, data: bytes) -> None:
        left = memoryview(data)
        with _naming(self.path):
            while left:
                left = left[self._file.write(left) :]

    def sync(self) -> None:
        """Wait until the appended text is on the disk."""
        with _naming(self.path):
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file; it may be closed twice."""
        with _naming(self.path):
            self._file.close()

    def remove(self) -> None:
        if not _IS_POSIX:
            self.close()
        with _naming(self.path):
            self.path.unlink()  # under the lock: another process may start it again right after
        self.close()


def _target(path: str | Path, of_games: bool = False) -> Path:
    """Return the regular file to write, links followed, there or not; `CannotWrite` otherwise."""
    path_of(path, CannotWrite)
    if not os.fspath(path):
        raise CannotWrite("a file to write must have a name, got ''")
    if os.fspath(path) == STDOUT:
        raise CannotWrite(f"{STDOUT} means stdout, and a file is written here: give a name")
    target = Path(os.path.realpath(path))
    if games := _games_beside(target):
        raise CannotWrite(f"{path} cannot be written: it belongs to the games in {games}")
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        if not target.parent.is_dir():
            raise CannotWrite(
                f"{path} cannot be written: there is no folder {target.parent}"
            ) from None
        return target
    if not stat.S_ISREG(mode):
        what = _OTHERS.get(stat.S_IFMT(mode), "something else")
        raise CannotWrite(f"{path} cannot be written: it is {what}, not a file")
    if not os.access(target, os.W_OK):
        raise CannotWrite(f"{path} cannot be written: it is read-only")
    if not of_games and os.access(target, os.R_OK) and holds_games(target):
        raise CannotWrite(f"{path} cannot be written: it holds games, so name another file")
    return target


def _games_beside(target: Path) -> Path | None:
    """Return the file of games that has a file of this name next to it, or None."""
    for end in BESIDE_DATABASE:
        name = target.name.removesuffix(end)
        games = target.parent / name
        if name not in ("", target.name) and os.access(games, os.R_OK) and games.is_file():
            return games if holds_games(games) else None
    return None


def _writable(path: str | Path, of_games: bool = False) -> Path:
    """Return the file to write as `_target` does; also `CannotWrite` if its folder is read-only."""
    target = _target(path, of_games)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise CannotWrite(f"{path} cannot be written: its folder is read-only")
    return target


def _take_over_permissions(target: Path, unfinished: Path) -> None:
    with suppress(FileNotFoundError):
        there = target.stat()
        if hasattr(os, "chown"):
            with suppress(OSError):  # not ours to give, or unknown in a container
                os.chown(unfinished, there.st_uid, there.st_gid)
        unfinished.chmod(stat.S_IMODE(there.st_mode))


@contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Turn an error of the system while a file is written into one that names it."""
    try:
        yield
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror or error}") from None
