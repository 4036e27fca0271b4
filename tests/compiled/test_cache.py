"""Compiled code on disk: found again, removed, and every fault of its files."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from claimeven.compiled import cache
from tests import forks

DAY = 86_400
#: Loads one small kernel, and prints whether it was compiled and its answer.
CALL = """
import numpy as np
from claimeven.compiled import when_compiling
from claimeven.game import Geometry
from claimeven.game.perft_kernel import discs_of_keys
when_compiling(lambda: print("compiling"))
print(*discs_of_keys(np.array([1, 4], np.uint64), Geometry()))
"""
ANSWER = "[0 1] [1 3]"


def started(before: str = "", **variables: str) -> subprocess.Popen[str]:
    """A process that calls the kernel after something was done to it."""
    return forks.program(
        [sys.executable, "-c", f"{before}\n{CALL}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=forks.environment(**variables),
    )  # fmt: skip


def output_of(program: subprocess.Popen[str]) -> list[str]:
    """Its output, after a check that it succeeded."""
    out, err = program.communicate(timeout=300)
    assert (program.returncode, err) == (0, "")
    return out.splitlines()


def test_written_code_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "name.kernel"
    assert cache.read(path) is None
    for content in (b"", b"compiled", bytes(range(256)) * 100):
        cache.write(path, content)
        assert cache.read(path) == content
    assert [file.name for file in path.parent.iterdir()] == ["name.kernel"]


def test_no_damage_goes_unseen(tmp_path: Path) -> None:
    path = tmp_path / "name.kernel"
    cache.write(path, b"code")
    whole = path.read_bytes()
    corrupt = [whole[:length] for length in range(len(whole))] + [whole + b"\0"]
    corrupt += [
        whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :]
        for place in range(len(whole))
        for bit in range(8)
    ]
    for data in corrupt:
        path.write_bytes(data)
        assert cache.read(path) is None


def test_the_folder_is_chosen_or_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMEVEN_CACHE_DIR", "elsewhere")
    assert cache.cache_folder() == Path("elsewhere") / "kernels"
    monkeypatch.delenv("CLAIMEVEN_CACHE_DIR")
    found = cache.cache_folder()
    assert found is not None
    assert found.is_absolute()
    assert "claimeven" in found.parts


def test_old_files_go(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    folder.mkdir()
    now = time.time()
    for name, days in (
        ("new.kernel", 1), ("old.kernel", cache.KEEP_DAYS + 1), (".left.part", 2),
        (".fresh.part", 0), ("theirs.txt", 999), ("new.program", 1),
        ("old.program", cache.KEEP_DAYS + 1),
    ):  # fmt: skip
        (folder / name).touch()
        os.utime(folder / name, (now, now - days * DAY))
    for name, days in (
        (f"compiled-{'0a' * 10}", 999), (f"compiled-{'1b' * 10}", 1), ("compiled-theirs", 999),
        (f"compiled-{'0a' * 10}-theirs", 999),
    ):  # fmt: skip
        (tmp_path / name / "game").mkdir(parents=True)
        (tmp_path / name / "claimeven.game.kernel").touch()
        (tmp_path / name / "game" / "kernel.nbi").touch()
        for path in (tmp_path / name / "claimeven.game.kernel", tmp_path / name / "game"):
            os.utime(path, (now, now - days * DAY))
    (tmp_path / f"compiled-{'2c' * 10}").mkdir()  # with nothing in it
    cache.tidy(folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        ".fresh.part", "new.kernel", "new.program", "theirs.txt"
    ]  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"compiled-{'0a' * 10}-theirs", f"compiled-{'1b' * 10}", "compiled-theirs", "kernels"
    ]  # fmt: skip


def test_the_last_used_are_kept_when_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "KEEP_BYTES", 200)
    now = time.time()
    for days in range(1, 5):
        path = tmp_path / f"{days}.kernel"
        path.write_bytes(b"x" * 100)
        os.utime(path, (now, now - days * DAY))
    cache.tidy(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.kernel", "2.kernel"]


def test_old_files_are_deleted_on_writing(tmp_path: Path) -> None:
    old, new = tmp_path / "old.kernel", tmp_path / "new.kernel"
    old.touch()
    os.utime(old, (0, 0))
    cache.write(new, b"code")
    assert list(tmp_path.iterdir()) == [new]


def test_a_file_that_is_read_counts_as_used(tmp_path: Path) -> None:
    path = tmp_path / "name.kernel"
    cache.write(path, b"code")
    now = time.time()
    os.utime(path, (now, now - 50 * DAY))
    assert cache.read(path) == b"code"
    assert now - path.stat().st_mtime < DAY


def test_a_file_that_was_used_today_is_only_read(tmp_path: Path) -> None:
    path = tmp_path / "name.kernel"
    cache.write(path, b"code")
    now = time.time()
    os.utime(path, (now, now - DAY // 2))
    used = path.stat().st_mtime
    assert cache.read(path) == b"code"
    assert path.stat().st_mtime == used


#: Makes a process report each file that it moves into place.
TELL_OF_FILES = "import sys; sys.addaudithook(lambda e, _: e == 'os.rename' and print('written'))"


@pytest.mark.skipif(sys.platform == "win32", reason="no locks")
def test_processes_of_one_kind_of_processor_share_compiled_code(tmp_path: Path) -> None:
    """Two that want it at the same time compile it once; on another processor it is not used."""
    folder = str(tmp_path)
    programs = [started(TELL_OF_FILES, CLAIMEVEN_CACHE_DIR=folder) for _ in range(2)]
    output = [output_of(program) for program in programs]
    assert all(lines[-1] == ANSWER for lines in output)
    assert sum(lines.count("written") for lines in output) == 1
    (file,) = (tmp_path / "kernels").iterdir()
    assert cache.read(file) is not None
    another = started(CLAIMEVEN_CACHE_DIR=folder, NUMBA_CPU_NAME="generic")
    assert output_of(another) == ["compiling", ANSWER]
    assert output_of(started(CLAIMEVEN_CACHE_DIR=folder)) == [ANSWER]


@pytest.mark.skipif(sys.platform == "win32", reason="no locks")
def test_a_process_waits_for_the_compilation_of_another(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "name.kernel"
    waiting, found = threading.Event(), []

    def later() -> None:
        with cache.making(path, waiting.set):
            found.append(cache.read(path))

    thread = threading.Thread(target=later)
    with cache.making(path, waiting.set):
        assert not waiting.is_set()
        thread.start()
        assert waiting.wait(60)
        cache.write(path, b"code")
    thread.join()
    assert found == [b"code"]
    assert list(path.parent.iterdir()) == [path]


def test_present_code_is_read_without_waiting(tmp_path: Path) -> None:
    def wait() -> None:
        raise AssertionError("waits")

    path = tmp_path / "name.kernel"
    with cache.making(path, wait):
        cache.write(path, b"code")
        with cache.making(path, wait):
            pass
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="no locks")
def test_waiting_can_be_ended_and_does_not_last_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    path = tmp_path / "name.kernel"
    path.with_suffix(".lock").touch()  # of a process that was killed
    with cache.making(path, interrupt):
        with pytest.raises(KeyboardInterrupt), cache.making(path, interrupt):
            raise AssertionError("two make it")
        monkeypatch.setattr(cache, "_PATIENCE", 0.05)
        with cache.making(path, lambda: None):
            pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files")
def test_a_full_disk_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        cache.write(tmp_path / "name.kernel", bytes(5000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
