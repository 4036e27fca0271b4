"""How kernels come to be: compiled once, cached, called by each other, or plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from claimeven.compiled import (
    Kernel,
    Word,
    cache,
    inlined,
    kernels,
    popcount,
    trailing_zeros,
    when_compiling,
)

WORDS = [0, 1, 2, 3, 1 << 63, (1 << 64) - 1, 0x0123456789ABCDEF]


@inlined
def doubled(word: Word) -> Word:
    return word * np.uint64(2)


def counts(word: Word) -> Word:
    return np.uint64(popcount(doubled(word))) * np.uint64(256) + np.uint64(trailing_zeros(word))


def new_kernel(function: Callable[[Word], Word] = counts) -> Kernel:
    return Kernel(function, ("uint64(uint64)",))


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is said of compilations."""
    said: list[str] = []

    def say() -> None:
        said.append("compiling")

    when_compiling(say)
    return said


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for compiled code."""
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def test_bits_are_counted_as_python_counts_them(folder: Path) -> None:
    kernel = new_kernel()
    for word in WORDS:
        twice = word << 1 & (1 << 64) - 1
        zeros = (word & -word).bit_length() - 1 if word else 64
        assert int(kernel(np.uint64(word))) == twice.bit_count() * 256 + zeros


def test_a_kernel_is_compiled_once_and_loaded_afterwards(
    folder: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = new_kernel()
    assert not folder.exists()
    kernel.load()
    assert told == ["compiling"]
    assert any(folder.rglob("*.nbc"))
    assert kernel.load() is kernel.load()
    when_compiling(lambda: told.append("again"))
    assert int(new_kernel()(np.uint64(3))) == 2 * 256
    assert told == ["compiling"]


def test_a_folder_that_cannot_be_written_is_done_without(
    folder: Path, told: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path / "file" / "cache")
    assert int(new_kernel()(np.uint64(1))) == 256
    assert told == ["compiling"]


def test_the_folder_is_named_after_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    found = cache.cache_folder()
    assert found.name.startswith("compiled-")
    cache.cache_folder.cache_clear()
    monkeypatch.setenv("CLAIMEVEN_CACHE_DIR", "elsewhere")
    try:
        assert cache.cache_folder() == Path("elsewhere") / found.name
    finally:
        cache.cache_folder.cache_clear()


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "121212", "--all", "--columns", "4", "--rows", "4", "--table-mb", "1"),
        ("perft", "4"),
        ("match", "uct:iterations=20", "alphabeta:depth=2", "--games", "2", "--show"),
    ],
)
def test_without_compilation_the_same_is_said(arguments: tuple[str, ...]) -> None:
    said = [
        subprocess.run(
            [sys.executable, "-m", "claimeven", *arguments],
            capture_output=True, text=True, check=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": plain},
        ).stdout.splitlines()
        for plain in ("0", "1")
    ]  # fmt: skip
    moves = [[line for line in lines if " s" not in line and "  0." not in line] for lines in said]
    assert moves[0] == moves[1] != []
