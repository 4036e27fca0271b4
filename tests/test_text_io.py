"""Foreign text files: read whole, or rejected in a sentence."""

from __future__ import annotations

import gzip
import os
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import pytest

from claimeven.errors import ClaimevenError
from claimeven.text_io import text_of

MOST = 1 << 20

unix = pytest.mark.skipif(sys.platform == "win32", reason="needs the files of Unix")


@pytest.mark.parametrize("data", ["4455\n", "", "ä" * 1000], ids=["short", "empty", "letters"])
@pytest.mark.parametrize("packed", [False, True])
def test_the_contents_of_a_file_are_read(tmp_path: Path, data: str, packed: bool) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(gzip.compress(data.encode()) if packed else data.encode())
    assert text_of(path, MOST, ClaimevenError) == data


@pytest.mark.parametrize("packed", [False, True])
def test_a_byte_order_mark_is_passed_over(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "a.txt"
    data = "\ufeff4455\n\ufeff".encode()
    path.write_bytes(gzip.compress(data, mtime=0) if packed else data)
    assert text_of(path, MOST, ClaimevenError) == "4455\n\ufeff"


@unix
@pytest.mark.parametrize("data", [b"4455\n", b"", gzip.compress(b"4455\n", mtime=0)])
def test_a_pipe_is_read_with_any_first_bytes(tmp_path: Path, data: bytes) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("wb", buffering=0) as stream:
            stream.write(data[:1])
            time.sleep(0.1)
            stream.write(data[1:])

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    assert text_of(pipe, MOST, ClaimevenError) == ("4455\n" if data else "")
    writer.join(60)


def test_a_packed_file_of_more_bytes_than_are_read_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(gzip.compress(os.urandom(2 * MOST), mtime=0))
    with pytest.raises(ClaimevenError, match=r"a\.txt is too large: at most 1 MB are read"):
        text_of(path, MOST, ClaimevenError)


@pytest.mark.parametrize("packed", [False, True])
def test_of_a_huge_file_no_more_is_held(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "a.txt"
    with gzip.open(path, "wb") if packed else path.open("wb") as file:
        for _ in range(64):
            file.write(bytes(MOST))
    tracemalloc.start()
    try:
        with pytest.raises(ClaimevenError, match="is too large"):
            text_of(path, MOST, ClaimevenError)
        assert tracemalloc.get_traced_memory()[1] < 16 * MOST
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("packed", [False, True])
def test_the_most_is_read_and_a_byte_more_is_not(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "a.txt"
    for size, fits in ((MOST, True), (MOST + 1, False)):
        data = b"4" * size
        path.write_bytes(gzip.compress(data, mtime=0) if packed else data)
        if fits:
            assert len(text_of(path, MOST, ClaimevenError)) == MOST
        else:
            with pytest.raises(ClaimevenError, match=r"a\.txt is too large: at most 1 MB are read"):
                text_of(path, MOST, ClaimevenError)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"\xff\xfe", "cannot be read: its text is in UTF-16: save it as UTF-8"),
        (b"PK\3\4", "cannot be read: it is a zip archive: unpack it and give the files in it"),
        (b"\xff" * 9, "cannot be read: it is not text"),
        (gzip.compress(b"4455", mtime=0)[:-4], "is corrupt: it cannot be unpacked"),
        (b"\x1f\x8b and nothing more of it", "is corrupt: it cannot be unpacked"),
        (gzip.compress(b"4455", mtime=0)[:10] + b"\xff" * 9, "is corrupt: it cannot be unpacked"),
    ],
)
def test_bytes_that_are_not_text_are_refused(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    with pytest.raises(ClaimevenError) as output:
        text_of(path, MOST, ClaimevenError)
    assert str(output.value) == f"{path} {sentence}"


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ClaimevenError, match=r"none\.txt cannot be read: No such file"):
        text_of(tmp_path / "none.txt", MOST, ClaimevenError)
