"""How kernels come to be: compiled once, cached, called by each other, or plain Python."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from claimeven.compiled import (
    Int,
    Ints,
    Kernel,
    Word,
    Words,
    cache,
    compiler,
    inlined,
    int64,
    named_tuple,
    popcount,
    prepared,
    trailing_zeros,
    uint64,
    when_compiling,
)
from claimeven.compiled.decorators import PLAIN
from tests import forks

WORDS = [0, 1, 2, 3, 1 << 63, (1 << 64) - 1, 0x0123456789ABCDEF]


@inlined
def doubled(word: Word) -> Word:
    return word * np.uint64(2)


@prepared
def discs(word: Word) -> Word:
    return np.uint64(popcount(doubled(word)))


def counts(word: Word) -> Word:
    return discs(word) * np.uint64(256) + np.uint64(trailing_zeros(word))


def new_kernel(function: Callable[[Word], Word] = counts) -> Kernel:
    return Kernel(function, ("uint64(uint64)",))


@pytest.fixture
def output() -> Iterator[list[str]]:
    """The messages about compilations."""
    said: list[str] = []

    def say() -> None:
        said.append("compiling")
        when_compiling(say)

    when_compiling(say)
    yield said
    when_compiling(None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for compiled code."""
    monkeypatch.setenv("CLAIMEVEN_CACHE_DIR", str(tmp_path))
    return tmp_path / "kernels"


def kernel_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.kernel"))


def is_right(kernel: Kernel) -> bool:
    return int(kernel(np.uint64(3))) == 2 * 256


def test_bits_are_counted_as_python_counts_them(folder: Path) -> None:
    kernel = new_kernel()
    for word in WORDS:
        twice = word << 1 & (1 << 64) - 1
        zeros = (word & -word).bit_length() - 1 if word else 64
        assert int(kernel(np.uint64(word))) == twice.bit_count() * 256 + zeros


def test_a_kernel_is_compiled_once_and_loaded_afterwards(folder: Path, output: list[str]) -> None:
    kernel = new_kernel()
    assert not folder.exists()
    kernel.load()
    assert output == ["compiling"]
    assert len(kernel_files(folder)) == 1
    assert kernel.load() is kernel.load()
    assert is_right(new_kernel())
    assert output == ["compiling"]


def test_a_kernel_loads_the_kernels_it_calls(folder: Path, output: list[str]) -> None:
    first = new_kernel()

    def twice(word: Word) -> Word:
        return first(word) * np.uint64(2)

    for _ in range(2):
        assert int(new_kernel(twice)(np.uint64(3))) == 4 * 256
    assert output == ["compiling", "compiling"]
    assert len(kernel_files(folder)) == 2


@pytest.mark.parametrize("by_helper", [False, True])
def test_a_stored_kernel_follows_its_callees(
    by_helper: bool, folder: Path, output: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice_by_a_new_one() -> int:
        first = new_kernel()

        def twice(word: Word) -> Word:
            return first(word) * np.uint64(2)

        helper = inlined(twice)

        def calling(word: Word) -> Word:
            return helper(word)

        monkeypatch.setattr(compiler, "_shared", {})  # as in a new process
        return int(new_kernel(calling if by_helper else twice)(np.uint64(3)))

    for _ in range(2):
        assert twice_by_a_new_one() == 4 * 256
    assert output == ["compiling"] * 2
    monkeypatch.setattr(Kernel, "_load_called", lambda self, names: None)
    assert twice_by_a_new_one() == 4 * 256
    assert output == ["compiling"] * 3


def twofold(number: Any) -> Any:
    return number + number


def test_each_signature_has_its_code(folder: Path) -> None:
    """Also when the code is loaded from the cache."""
    for _ in range(2):
        kernel = Kernel(twofold, ("uint64(uint64)", "float64(float64)"))
        assert (kernel(np.uint64(3)), kernel(1.25)) == (6, 2.5)
        assert len(kernel_files(folder)) == 2


def test_a_trusting_kernel_takes_python_numbers_and_is_called_by_kernels(folder: Path) -> None:
    def kernels() -> tuple[Kernel, Kernel]:
        trusting = Kernel(counts, ("uint64(uint64)",), trusting=True)

        def calling(word: Word) -> Word:
            return trusting(word)

        return trusting, new_kernel(calling)

    for trusting, caller in (kernels(), kernels()):
        assert is_right(trusting) and is_right(caller)
        assert trusting(3) == trusting(np.uint64(3))
    assert len(kernel_files(folder)) == 2


def test_compiling_is_reported_once(folder: Path) -> None:
    said: list[str] = []
    when_compiling(lambda: said.append("compiling"))
    new_kernel().load()
    kernel_files(folder)[0].unlink()
    new_kernel().load()
    assert said == ["compiling"]


@pytest.mark.parametrize("damage", ["emptied", "cut", "random", "one bit", "replaced", "folder"])
def test_a_damaged_file_is_compiled_again(damage: str, folder: Path, output: list[str]) -> None:
    new_kernel().load()
    (file,) = kernel_files(folder)
    whole = file.read_bytes()
    if damage == "folder":
        file.unlink()
        file.mkdir()
    elif damage == "replaced":  # whole, but not what Numba could use
        cache.write(file, b"no compiled code")
    else:
        middle = len(whole) // 2
        flipped = bytes([whole[middle] ^ 4])
        file.write_bytes(
            {
                "emptied": b"",
                "cut": whole[:middle],
                "random": random.Random(1).randbytes(len(whole)),
                "one bit": whole[:middle] + flipped + whole[middle + 1 :],
            }[damage]
        )
    assert is_right(new_kernel())
    assert output == ["compiling"] * 2
    if damage != "folder":
        assert is_right(new_kernel())
        assert output == ["compiling"] * 2


def test_files_of_two_kernels_that_were_swapped_are_compiled_again(
    folder: Path, output: list[str]
) -> None:
    def kernels() -> list[Kernel]:
        return [new_kernel(), Kernel(twofold, ("uint64(uint64)",)), Kernel(twofold, ("f8(f8)",))]

    for kernel in kernels():
        kernel.load()
    files = kernel_files(folder)
    contents = [file.read_bytes() for file in files]
    for file, content in zip(files, contents[1:] + contents[:1], strict=True):
        file.write_bytes(content)
    for _ in range(2):
        first, second, third = kernels()
        assert is_right(first)
        assert (second(np.uint64(3)), third(1.25)) == (6, 2.5)
        assert len(output) == 6


def test_threads_may_load_kernels_that_call_each_other(folder: Path) -> None:
    first = new_kernel()

    def calling(word: Word) -> Word:
        return first(word)

    second = new_kernel(calling)
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(is_right, [second, first, second, first]))


def test_a_folder_that_cannot_be_written_is_done_without(
    folder: Path, output: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CLAIMEVEN_CACHE_DIR", str(tmp_path / "file" / "below"))
    for _ in range(2):
        assert is_right(new_kernel())
    assert output == ["compiling"] * 2


@pytest.mark.skipif(sys.platform == "win32", reason="no list of users")
def test_a_user_without_a_home_is_served(
    output: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def unknown(user: int) -> None:
        raise KeyError(user)

    for name in ("HOME", "XDG_CACHE_HOME", "CLAIMEVEN_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    monkeypatch.chdir(tmp_path)
    assert cache.cache_folder() is None
    assert is_right(new_kernel())
    assert output == ["compiling"]
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """
import os, random, signal, sys, threading, time
import numpy as np
from claimeven.compiled import Kernel, inlined
from claimeven.game.bitboard_kernel import winning_cells

def cells(word):
    return winning_cells(word, word, word, np.uint64(5), word)

seen = 0
draw = random.Random(7)
for _ in range(8):
    kernel = Kernel(cells, ("uint64(uint64)",))
    timer = threading.Timer(draw.random() * 0.4, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        kernel.load()
        timer.join()
        time.sleep(30)
    except KeyboardInterrupt:
        seen += 1
assert Kernel(cells, ("uint64(uint64)",))(np.uint64(0)) == 0
print(seen)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no signals between threads")
def test_ctrl_c_while_compiling_is_never_lost_and_never_a_traceback(tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.touch()
    process = forks.run_program(
        [sys.executable, "-c", INTERRUPTED],
        capture_output=True, text=True, timeout=300,
        env=forks.environment(CLAIMEVEN_CACHE_DIR=str(nowhere)),
    )  # fmt: skip
    assert (process.stdout, process.stderr) == ("8\n", "")


def test_without_compilation_the_same_is_said() -> None:
    words = ("solve", "121212", "--all", "--columns", "4", "--rows", "4", "--table-mb", "1")
    said = [
        subprocess.run(
            [sys.executable, "-m", "claimeven", *words],
            capture_output=True, text=True, check=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": plain},
        ).stdout
        for plain in ("0", "1")
    ]  # fmt: skip
    assert said[0] == said[1] != ""


def test_kernels_are_compiled_unless_numba_is_disabled() -> None:
    program = """
import os
from numba import config
from claimeven.compiled.decorators import PLAIN, _is_jit_disabled
assert PLAIN and config.DISABLE_JIT
for text, is_plain in ("", False), ("0", False), ("no", False), ("1", True), ("2", True):
    os.environ["NUMBA_DISABLE_JIT"] = text
    config.reload_config()
    assert _is_jit_disabled() == bool(config.DISABLE_JIT) == is_plain, text
"""
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        check=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )


class Pair(NamedTuple):
    """Two arrays that belong together."""

    words: Words
    numbers: Ints


def totals(pair: Pair, factor: Int) -> Int:
    pair.words[0] += np.uint64(1)
    return pair.numbers.sum() * factor


def test_arrays_that_belong_together_go_in_as_one(folder: Path, output: list[str]) -> None:
    """Also when the code is loaded from the cache."""
    signature = int64(named_tuple(Pair, uint64[::1], int64[::1]), int64)
    pair = Pair(np.zeros(1, np.uint64), np.arange(4))
    for attempt in range(2):
        assert Kernel(totals, (signature,))(pair, 2) == 12
        assert pair.words[0] == attempt + 1
        assert output == ["compiling"]


def makes_an_array(word: Word) -> Word:
    return np.zeros(3, np.uint64)[0] + word


@pytest.mark.skipif(PLAIN, reason="needs compiled code")
def test_a_kernel_makes_no_arrays(folder: Path) -> None:
    with pytest.raises(TypingError, match="Only accept returning of array passed"):
        new_kernel(makes_an_array)(np.uint64(1))
