"""Keys, packing, table sizes."""

from __future__ import annotations

import itertools
import mmap
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimeven.game.geometry import Geometry
from claimeven.solver import transposition_table
from tests.solver.plain import all_scores, as_words

BOUNDS = st.none() | st.integers(-31, 31)


@given(st.integers(0, 2**transposition_table.REST_BITS - 1), BOUNDS, BOUNDS, st.integers(0, 63))
def test_unpack_is_the_inverse_of_pack(
    rest: int, low: int | None, high: int | None, work: int
) -> None:
    entry = transposition_table.pack(rest, low, high, work)
    assert 0 <= entry < 2**64
    assert transposition_table.unpack(entry) == (rest, low, high, work)


def test_the_empty_entry_has_no_bounds() -> None:
    assert transposition_table.unpack(0) == (0, None, None, 0)


@pytest.mark.parametrize("bits", [2, 8, 21, 49, 63, 64])
def test_the_multiplier_can_be_undone(bits: int) -> None:
    number = transposition_table.multiplier(bits)
    assert number % 2 == 1
    assert 0 < number < 2**bits
    assert number * pow(number, -1, 2**bits) % 2**bits == 1


@pytest.mark.parametrize("size", [(4, 3, 4), (3, 4, 4), (4, 4, 3)])
def test_no_two_positions_share_a_key(size: tuple[int, int, int]) -> None:
    boards = all_scores(*size)
    keys = {sum(as_words(board, size[1])) for board in boards}
    assert len(keys) == len(boards)
    assert max(keys) < 2 ** Geometry(*size).bits


def test_table_sizes() -> None:
    standard = Geometry()
    assert transposition_table.bucket_bits_for(standard, 128) == 23
    assert transposition_table.bucket_bits_for(standard, 127.9) == 22
    assert transposition_table.bucket_bits_for(standard, 64 * 8 / 2**20) == 5
    assert (
        transposition_table.bucket_bits_for(standard, 1e-9)
        == transposition_table.smallest_bucket_bits(standard)
        == 3
    )
    assert (
        transposition_table.smallest_bucket_bits(Geometry(8, 7))
        == 64 - transposition_table.REST_BITS
    )
    assert transposition_table.bucket_bits_for(Geometry(2, 2, 2), 1000) == 5


@pytest.mark.parametrize("bucket_bits", [3, 19])
def test_new_entries_are_empty_and_start_at_a_cache_line(bucket_bits: int) -> None:
    entries = transposition_table.new_entries(bucket_bits)
    assert entries.shape == (2 << bucket_bits,)
    assert entries.dtype == np.uint64
    assert not entries.any()
    assert entries.ctypes.data % 16 == 0


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="a system other than Linux")
def test_a_large_table_may_lie_on_huge_pages_and_is_shared_with_no_forked_process() -> None:
    entries = transposition_table.new_entries(19)
    place = entries.ctypes.data
    flags = ""
    is_there = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if found := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            is_there = int(found[1], 16) <= place < int(found[2], 16)
        elif is_there and line.startswith("VmFlags:"):
            flags = line
    assert flags
    assert "sh" not in flags.split()
    if Path("/sys/kernel/mm/transparent_hugepage").exists():
        assert "hg" in flags.split()


BOUNDED = """
import resource
from claimeven.solver import transposition_table
_, hard = resource.getrlimit(resource.RLIMIT_DATA)
resource.setrlimit(resource.RLIMIT_DATA, (300 << 20, hard))
for bits in 22, 23, 25:  # 64, 128 and 512 MB
    entries = transposition_table.new_entries(bits)
    held = bytearray(150 << 20)
    del entries, held
"""


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="a system other than Linux")
def test_a_large_table_does_not_count_for_the_memory_limit() -> None:
    """A table and 150 MB, with a limit of 300 MB."""
    subprocess.run([sys.executable, "-c", BOUNDED], check=True)


def test_a_system_without_huge_pages_has_tables_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mmap, "MADV_HUGEPAGE", 12345, raising=False)  # a word it does not know
    assert not transposition_table.new_entries(17).any()


def store(entries: np.ndarray, *stored: tuple[int, int, int, bool, int]) -> None:
    for place, rest, value, is_low, nodes in stored:
        transposition_table.store(
            entries, np.uint64(place), np.uint64(rest), np.int64(value), is_low, np.uint64(nodes)
        )


def test_a_bucket_keeps_both_bounds_and_the_greater_work() -> None:
    entries = np.zeros(4, dtype=np.uint64)
    store(entries, (2, 5, -3, True, 100), (2, 5, 4, False, 1), (2, 5, -7, True, 1))
    assert transposition_table.unpack(int(entries[2])) == (5, -3, 4, 7)
    entry = transposition_table.look_up(entries, np.uint64(2), np.uint64(5))
    assert (transposition_table.low_bound(entry), transposition_table.high_bound(entry)) == (-3, 4)
    assert transposition_table.look_up(entries, np.uint64(2), np.uint64(6)) == 0
    assert transposition_table.look_up(entries, np.uint64(0), np.uint64(5)) == 0


def test_more_work_goes_first_in_its_bucket() -> None:
    for order in itertools.permutations([(0, 1, 0, True, 1), (0, 2, 0, True, 9)]):
        entries = np.zeros(2, dtype=np.uint64)
        store(entries, *order)
        assert [transposition_table.unpack(int(entry))[0] for entry in entries] == [2, 1]
    store(entries, (0, 3, 0, True, 2))
    assert [transposition_table.unpack(int(entry))[0] for entry in entries] == [2, 3]
    store(entries, (0, 4, 0, True, 9))
    assert [transposition_table.unpack(int(entry))[0] for entry in entries] == [4, 2]
