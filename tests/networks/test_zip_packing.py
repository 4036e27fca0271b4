"""Archives put together by hand, as Python's own reader sees them."""

from __future__ import annotations

import io
import zipfile
import zlib

import numpy as np
import pytest

from claimeven.networks.zip_packing import zipped

RNG = np.random.default_rng(1)
WEIGHTS = np.clip(np.rint(RNG.normal(scale=3.0, size=200_000)), -15, 15).astype(np.int8).tobytes()
MEMBERS = {
    "empty": b"",
    "one": b"x",
    "text.txt": b"a line of text\n" * 1000,
    "folder/weights.npy": WEIGHTS,
    "all bytes": bytes(range(256)),
}


@pytest.mark.parametrize("quick", [False, True])
def test_members_are_read_as_they_were(quick: bool) -> None:
    content = zipped(MEMBERS, quick)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == MEMBERS
        for info in archive.infolist():
            assert info.date_time == (1980, 1, 1, 0, 0, 0)
            assert info.compress_type == zipfile.ZIP_DEFLATED
    assert zipped(MEMBERS, quick) == content
    with zipfile.ZipFile(io.BytesIO(zipped({}, quick))) as archive:
        assert archive.namelist() == []


def test_weights_take_hardly_more_than_their_bits() -> None:
    _, counts = np.unique(np.frombuffer(WEIGHTS, dtype=np.int8), return_counts=True)
    shares = counts / counts.sum()
    least = -(shares * np.log2(shares)).sum() * len(WEIGHTS) / 8
    packed = len(zipped({"a": WEIGHTS}))
    assert least < packed < 1.02 * least
    assert packed < 0.9 * len(zlib.compress(WEIGHTS, 9))
    # What repeats is packed the usual way.
    assert len(zipped({"a": MEMBERS["text.txt"]})) < 300


def test_an_archive_that_has_lost_a_byte_is_none() -> None:
    content = zipped({"a": WEIGHTS})
    for at in (100, len(content) // 2):
        with (
            pytest.raises((zipfile.BadZipFile, zlib.error, ValueError)),
            zipfile.ZipFile(io.BytesIO(content[:at] + content[at + 1 :])) as archive,
        ):
            archive.read("a")
