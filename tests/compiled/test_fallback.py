"""A Numba whose private parts have changed: one warning, slower starts, the same results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from claimeven.compiled import (
    Int,
    Ints,
    Word,
    Words,
    as_word,
    bits_of,
    folded,
    inlined,
    int64,
    kernel,
    leading_zeros,
    named_tuple,
    popcount,
    prefetch,
    prepared,
    trailing_zeros,
    uint64,
    winning_four,
)

ROOT = Path(__file__).parents[2]

#: Changes a part of Numba, then calls kernels; prints the results and the warnings.
SCRIPT = """
import json, sys, warnings
exec(sys.argv[1])
import numpy as np
from tests.compiled.test_fallback import Table, score_of, score_of_two
table = Table(np.arange(8, dtype=np.uint64), np.arange(8))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    found = [int(score_of(table, 5, 3)), int(score_of_two(table, np.uint64(5)))]
said = [str(each.message) for each in caught if each.category is RuntimeWarning]
print(json.dumps([found, table.words.tolist(), said]))
"""


class Table(NamedTuple):
    """Arrays that go in as one."""

    words: Words
    numbers: Ints


TABLE = named_tuple(Table, uint64[::1], int64[::1])


@inlined
def doubled(word: Word) -> Word:
    return word << np.uint64(1)


@prepared
def discs(word: Word) -> Int:
    return np.int64(popcount(doubled(word)) + leading_zeros(word) + trailing_zeros(word))


@kernel(int64(TABLE, uint64, int64), trusting=True)
def score_of(table: Table, word: Word, number: Int) -> Int:
    """A kernel with all that kernels of the solver have: arrays in a tuple, helpers, intrinsics."""
    word = as_word(word)
    prefetch(table.words, np.uint64(number))
    table.words[number] = winning_four(word * np.uint64(7), np.uint64(7)) | folded(word)
    return discs(word) + table.numbers[number] + np.int64(bits_of(word))


@kernel(int64(TABLE, uint64))
def score_of_two(table: Table, word: Word) -> Int:
    return score_of(table, word, np.int64(1)) + score_of(table, word + np.uint64(1), np.int64(2))


def output(change: str, **variables: str) -> list[list[object]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, change],
        capture_output=True, text=True, check=True, cwd=ROOT, env={**os.environ, **variables},
    )  # fmt: skip
    found: list[list[object]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    "change",
    [
        "import numba.core.codegen as c; del c.JITCodeLibrary",
        "from numba.core import compiler as c; c.CompileResult._reduce = lambda: None",
    ],
    ids=["a class is gone", "a function takes less"],
)
def test_an_unknown_numba_still_compiles(change: str, tmp_path: Path) -> None:
    found, words, warned = output(change, CLAIMEVEN_CACHE_DIR=str(tmp_path))
    table = Table(np.arange(8, dtype=np.uint64), np.arange(8))
    assert found == [int(score_of(table, 5, 3)), int(score_of_two(table, np.uint64(5)))]
    assert words == table.words.tolist()
    assert len(warned) == 1
    assert "claimeven does not support Numba" in str(warned[0])
    assert "results are the same" in str(warned[0])
    assert not list(tmp_path.glob("kernels/*.kernel"))
