"""Files are written whole or not at all, and only where a file may be."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from claimeven import atomic_io
from claimeven.atomic_io import (
    CannotWrite,
    GrowingFile,
    binary_file,
    binary_files,
    check_output,
    holds_games,
    make_folder,
    packed,
    scratch_folder,
    take_lock,
    text_file,
    write_bytes,
    write_text,
)
from tests import forks

unix = pytest.mark.skipif(sys.platform == "win32", reason="needs the files of Unix")


def test_a_file_is_written_without_leftovers(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "ä\n")
    write_bytes(tmp_path / "b", b"\0\n")
    with text_file(str(tmp_path / "c")) as stream:
        stream.writelines(["1\n", "2\n"])
    assert (tmp_path / "a.txt").read_bytes() == b"\xc3\xa4\n"
    assert (tmp_path / "b").read_bytes() == b"\0\n"
    assert (tmp_path / "c").read_bytes() == b"1\n2\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b", "c"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_failure_does_not_change_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(error), text_file(path) as stream:
        stream.write("new" * 10_000)
        raise error
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("was_there", [False, True])
def test_files_are_there_together_or_not_at_all(tmp_path: Path, was_there: bool) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    if was_there:
        first.write_bytes(b"old")
    with (
        pytest.raises(CannotWrite, match=r"second cannot be written: "),
        binary_files(first, second) as (one, other),
    ):
        one.write(b"new")
        other.write(b"new")
        second.mkdir()  # in its way by now
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["first"] * was_there
    second.rmdir()
    with binary_files(first, second) as (one, other):
        one.write(b"1")
        other.write(b"2")
        assert not second.exists()
    assert (first.read_bytes(), second.read_bytes()) == (b"1", b"2")
    assert len(list(tmp_path.iterdir())) == 2


def test_a_file_is_not_touched_before_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with binary_file(path) as stream:
        stream.write(b"new")
        stream.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"


@pytest.mark.parametrize("tries", [3, 99])
def test_a_file_that_another_program_has_open_is_replaced_when_it_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tries: int
) -> None:
    """As Windows does: there it cannot be replaced while it is open."""
    path, left = tmp_path / "a", iter(range(tries))
    path.write_text("old")
    replace = Path.replace

    def refuses(self: Path, target: Path) -> Path:
        if next(left, None) is not None:
            raise PermissionError(13, "Access denied")
        return replace(self, target)

    monkeypatch.setattr(atomic_io, "_IS_POSIX", False)
    monkeypatch.setattr(atomic_io, "_WAIT", 0.0)
    monkeypatch.setattr(Path, "replace", refuses)
    if tries < 10:
        write_text(path, "new")
        assert path.read_text() == "new"
    else:
        with pytest.raises(CannotWrite, match="another program has it open: close that, or write"):
            write_text(path, "new")
        assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@unix
def test_targets_that_are_not_files_are_refused_and_unchanged(tmp_path: Path) -> None:
    folder, pipe, plug = (tmp_path / name for name in ("folder", "pipe", "plug"))
    folder.mkdir()
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as end:
        here = Path.cwd()
        os.chdir(tmp_path)  # the name of a socket may not be long
        end.bind("plug")
        os.chdir(here)
        for path, what in (
            (folder, "a folder"),
            (pipe, "a pipe"),
            (plug, "a socket"),
            (Path("/dev/null"), "a device"),
        ):
            before = path.stat()
            for write in (check_output, lambda path: write_text(path, "x"), GrowingFile):
                with pytest.raises(CannotWrite) as output:
                    write(path)
                assert str(output.value) == f"{path} cannot be written: it is {what}, not a file"
            after = path.stat()
            assert (before.st_ino, before.st_mode) == (after.st_ino, after.st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "pipe", "plug"]
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "a file to write must have a name, got ''"),
        ("-", "- means stdout, and a file is written here: give a name"),
        (Path("-"), "- means stdout, and a file is written here: give a name"),
        ("none/a", "none/a cannot be written: there is no folder {}/none"),
        ("a/b", "a/b cannot be written: Not a directory"),
    ],
)
def test_names_that_cannot_be_are_refused(
    tmp_path: Path, name: str | Path, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").touch()
    for write in (check_output, lambda path: write_text(path, "x"), GrowingFile):
        with pytest.raises(CannotWrite) as output:
            write(name)
        if os.name == "posix":
            assert str(output.value) == sentence.format(Path.cwd())
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_file_of_games_is_in_the_way_of_all_but_games(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table games (moves)")
    before = path.read_bytes()
    for write in (check_output, lambda path: write_text(path, "x"), GrowingFile):
        with pytest.raises(CannotWrite, match=r"games\.db cannot be written: it holds games"):
            write(path)
    check_output(path, of_games=True)
    assert path.read_bytes() == before
    assert holds_games(path)
    path.write_bytes(before[:15])
    assert not holds_games(path)
    check_output(path)


@pytest.mark.parametrize("end", ["-wal", "-shm", "-journal"])
def test_files_next_to_a_store_are_not_overwritten(tmp_path: Path, end: str) -> None:
    games, beside = tmp_path / "games.db", tmp_path / f"games.db{end}"
    check_output(beside)  # there are no games
    games.write_text("notes")
    check_output(beside)
    games.unlink()
    with closing(sqlite3.connect(games)) as database:
        database.execute("create table games (moves)")
    (tmp_path / end).mkdir()
    check_output(tmp_path / "other.db-wal")
    for write in (check_output, lambda path: write_text(path, "x"), GrowingFile):
        with pytest.raises(CannotWrite, match=rf"\.db{end} .*: it belongs to the games in .*db$"):
            write(beside)
    assert not beside.exists()
    check_output(tmp_path / end / end)  # which has no name but the end


def test_a_folder_is_made_with_its_parents_or_refused(tmp_path: Path) -> None:
    for _ in range(2):
        make_folder(tmp_path / "a" / "b")
        assert (tmp_path / "a" / "b").is_dir()
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(CannotWrite, match="file cannot be written: it is a file, not a folder"):
        make_folder(file)


def test_packed_bytes_are_a_file_of_gzip_without_a_time() -> None:
    data = b"4455\n" * 1000
    assert gzip.decompress(packed(data)) == data
    assert packed(data)[4:8] == bytes(4)
    assert len(packed(data)) < 100


@unix
def test_a_file_that_knows_no_locks_is_anybodys() -> None:
    assert take_lock(io.BytesIO())


@unix
def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link, later = tmp_path / "there" / "a", tmp_path / "link", tmp_path / "later"
    target.write_text("old")
    link.symlink_to("there/a")
    later.symlink_to("there/b")
    for path in (link, later):
        write_text(path, "new")
        assert path.is_symlink()
        assert path.read_text() == "new"
    assert target.read_text() == "new"
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["a", "b"]
    ring = tmp_path / "ring"
    ring.symlink_to("ring")
    with pytest.raises(CannotWrite, match="ring cannot be written"):
        write_text(ring, "x")


@unix
def test_permissions_are_kept_and_new_files_get_the_usual_ones(tmp_path: Path) -> None:
    old, new, default = (tmp_path / name for name in ("old", "new", "usual"))
    old.touch()
    old.chmod(0o751)
    default.touch()
    for path in (old, new):
        write_text(path, "x")
    assert stat.S_IMODE(old.stat().st_mode) == 0o751
    assert new.stat().st_mode == default.stat().st_mode
    before = os.umask(0o002)
    try:
        GrowingFile(tmp_path / "growing").close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "growing").stat().st_mode) == 0o664


@unix
def test_an_owner_is_kept_where_that_can_be() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "a")
        path.touch()
        if os.geteuid() == 0:
            os.chown(path, 12345, 12346)
        before = path.stat()
        write_text(path, "x")
        assert (path.stat().st_uid, path.stat().st_gid) == (before.st_uid, before.st_gid)
        path.chmod(0o666)
        Path(folder).chmod(0o777)
        assert told_to_nobody(path, "write_text(path, 'y')") == ""
        assert path.read_text() == "y"


@unix
def test_an_owner_that_a_container_does_not_know_is_let_go(tmp_path: Path) -> None:
    # In a separate name space root is the only user.
    alone = [shutil.which("unshare") or "unshare", "--map-root-user"]
    try:
        subprocess.run([*alone, "true"], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there are no name spaces of users")
    if os.geteuid() != 0:
        pytest.skip("only root has files of others")
    path = tmp_path / "a"
    path.touch()
    os.chown(path, 12345, 12346)
    path.chmod(0o666)
    code = "from claimeven.atomic_io import write_text; write_text('a', 'x')"
    ended = subprocess.run(
        [*alone, sys.executable, "-c", code],
        cwd=tmp_path, env=forks.environment(), capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    assert path.read_text() == "x"
    assert stat.S_IMODE(path.stat().st_mode) == 0o666


@unix
def test_a_file_that_cannot_be_read_can_be_written() -> None:
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        path = Path(folder, "a")
        path.touch()
        path.chmod(0o222)
        assert told_to_nobody(path, "write_text(path, 'x')") == ""
        path.chmod(0o444)
        assert path.read_text() == "x"


@unix
def test_a_read_only_file_is_refused() -> None:
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder, "a")
        path.touch()
        path.chmod(0o444)
        assert "it is read-only" in told_to_nobody(path, "write_text(path, 'x')")


@unix
@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("call", ["write_text(path, 'x')", "check_output(path)"])
def test_a_file_of_a_read_only_folder_is_refused(call: str, is_there: bool) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "a")
        if is_there:
            path.touch()
            path.chmod(0o666)
        Path(folder).chmod(0o555)
        said = told_to_nobody(path, call)
        assert said == f"{path} cannot be written: its folder is read-only"


def told_to_nobody(path: Path, call: str) -> str:
    """The message of a failed call to write to a file, made by a user other than root."""
    before = (
        "from claimeven.errors import ClaimevenError\n"
        "from claimeven.atomic_io import check_output, write_text"
    )
    code = f"path = sys.argv[1]\ntry: {call}\nexcept ClaimevenError as error: print(error)"
    status, out, err = forks.run_as_nobody(before, code, str(path))
    assert (status, err) == (0, "")
    return out.rstrip()


def test_the_longest_names_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_text(path, "x")
    assert path.read_text() == "x"


def test_a_growing_file_continues_at_the_given_place(tmp_path: Path) -> None:
    path = tmp_path / "a"
    file = GrowingFile(path)
    file.append(b"one\ntw")
    assert path.read_bytes() == b"one\ntw"
    file.sync()
    file.close()
    file.close()
    again = GrowingFile(path, 4)
    again.append(b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"
    again.remove()
    assert not path.exists()


def test_a_growing_file_has_one_writer(tmp_path: Path) -> None:
    path = tmp_path / "a"
    first = GrowingFile(path)
    first.append(b"one\n")
    with pytest.raises(CannotWrite, match="another process is writing it"):
        GrowingFile(path)
    first.append(b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"
    first.close()

    def kept() -> int:
        with pytest.raises(CannotWrite, match="another process is writing it"):
            GrowingFile(path)
        return path.read_bytes().index(b"two")

    second = GrowingFile(path, kept)
    assert path.read_bytes() == b"one\n"
    second.close()
    with pytest.raises(ZeroDivisionError):
        GrowingFile(path, lambda: 1 // 0)
    assert path.read_bytes() == b"one\n"  # left as it was, and free
    GrowingFile(path).remove()


#: No file may be longer than 1000 bytes, as on a full disk.
FULL = """
import resource, sys
from claimeven.atomic_io import CannotWrite, GrowingFile, text_file, write_bytes
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

def stream():
    with text_file("out") as file:
        for number in range(100_000):
            file.write(f"{number}\\n")

def growing():
    file = GrowingFile("out")
    try:
        for number in range(1000):
            file.append(b"12345678\\n")
    finally:
        file.close()

def at_once():
    file = GrowingFile("out")
    try:
        file.append(b"12345678\\n" * 200)
    finally:
        file.close()

for write in (lambda: write_bytes("out", bytes(1001)), stream, growing, at_once):
    try:
        write()
    except CannotWrite as error:
        print(error)
"""


@unix
def test_a_full_disk_is_reported_with_the_name_of_the_file(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FULL], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == ["out cannot be written: File too large"] * 4
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out").read_bytes()[:18] == b"12345678\n12345678\n"


ENDLESS = """
from claimeven.atomic_io import text_file
with text_file("out") as file:
    while True:
        file.write("x" * 1000)
        if file.tell() > 10_000_000:
            file.seek(0)
"""


@unix
def test_ctrl_c_leaves_no_file(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS], cwd=tmp_path, stderr=subprocess.PIPE
    ) as writer:
        try:
            deadline = time.monotonic() + 60
            while not any(path.stat().st_size for path in tmp_path.iterdir()):
                assert writer.poll() is None, writer.communicate()
                assert time.monotonic() < deadline
                time.sleep(0.01)
            writer.send_signal(signal.SIGINT)
            _, err = writer.communicate(timeout=60)
        finally:
            writer.kill()
    assert b"KeyboardInterrupt" in err
    assert list(tmp_path.iterdir()) == []


#: A child that SIGTERM ends first has no part in the folder; the process itself takes it along.
SCRATCH = """
import os, signal
from claimeven.atomic_io import scratch_folder
with scratch_folder() as folder:
    (folder / "a").touch()
    child = os.fork()
    if not child:
        signal.raise_signal(signal.SIGTERM)
    _, status = os.waitpid(child, 0)
    print(os.WTERMSIG(status), (folder / "a").exists(), flush=True)
    signal.raise_signal(signal.SIGTERM)
print("it has not ended")
"""


@unix
def test_sigterm_takes_a_scratch_folder_along(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SCRATCH],
        env=forks.environment(TMPDIR=str(tmp_path)), capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (-signal.SIGTERM, "")
    assert ended.stdout == f"{int(signal.SIGTERM)} True\n"
    assert list(tmp_path.iterdir()) == []


@unix
def test_a_scratch_folder_keeps_handlers_of_sigterm() -> None:
    def mine(number: int, frame: object) -> None:
        raise AssertionError("it is not sent")

    before = signal.getsignal(signal.SIGTERM)
    try:
        for handler in (mine, signal.SIG_IGN, signal.SIG_DFL):
            signal.signal(signal.SIGTERM, handler)
            with pytest.raises(KeyError), scratch_folder() as folder:
                is_as_before = signal.getsignal(signal.SIGTERM) is handler
                assert is_as_before == (handler is not signal.SIG_DFL)
                (folder / "a").touch()
                raise KeyError
            assert signal.getsignal(signal.SIGTERM) is handler
            assert not folder.exists()
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_scratch_folder_of_another_thread_is_gone_at_the_end() -> None:
    there: list[Path] = []

    def work() -> None:
        with scratch_folder() as folder:
            assert folder.is_dir()
            there.append(folder)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    (folder,) = there
    assert not folder.exists()


WRITES = """
import sys, time
from claimeven.atomic_io import binary_file
with binary_file(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    print("here", flush=True)
    time.sleep(600)
"""


@unix
def test_files_left_by_a_kill_are_deleted_but_not_files_in_use(tmp_path: Path) -> None:
    path = tmp_path / "model[1].npz"

    def started() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", WRITES, str(path)],
            env=forks.environment(), stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        return process

    with started() as killed, started() as other:
        killed.kill()
        killed.wait()
        parts = list(tmp_path.iterdir())
        assert len(parts) == 2
        foreign = tmp_path / "model[1].npz.of-mine.part"
        foreign.write_text("mine")
        for part in parts:
            os.utime(part, (0, 0))
        write_bytes(path, b"whole")
        left = {each.name for each in tmp_path.iterdir()} - {path.name, foreign.name}
        assert len(left) == 1
        other.kill()
        other.wait()
        for name in left:
            os.utime(tmp_path / name, (0, 0))
        write_bytes(path, b"whole")
    assert {each.name for each in tmp_path.iterdir()} == {path.name, foreign.name}
