"""Archives whose members are packed as tightly as deflate can.

What the usual way of packing makes of weights is a sixth too long: it looks for strings of bytes
that came before, and in numbers as good as random those it finds cost more to tell than their
bytes. Packed without looking, each byte takes as many bits as it is rare. Every reader of zip
archives reads both; Python's `zipfile` writes only the usual one, so the archive is put together
here.

Source: PKWARE, ".ZIP file format specification" (APPNOTE 6.3), sections 4.3.7, 4.3.12 and 4.3.16.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from typing import Final

_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
#: Version 2.0 of the format, which has deflate, and no flags.
_VERSION, _DEFLATED, _FLAGS = 20, 8, 0
#: The first day that an archive can name, at midnight: the same members make the same bytes.
_TIME, _DATE = 0, 1 << 5 | 1
#: As far back, and with as much memory, as zlib can.
_WINDOW_BITS, _MEMORY = 15, 9
#: How bytes are packed: the usual way, looking for long strings alone, and not looking at all.
_WAYS: Final = (zlib.Z_DEFAULT_STRATEGY, zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY)


def zipped(members: Mapping[str, bytes], quick: bool = False) -> bytes:
    """Return an archive of members by name, in ASCII; with `quick`, packed in a hurry.

    >>> import io, zipfile
    >>> with zipfile.ZipFile(io.BytesIO(zipped({"a": b"1", "b": b"23"}))) as archive:
    ...     archive.namelist(), archive.read("b")
    (['a', 'b'], b'23')
    """
    parts: list[bytes] = []
    index: list[bytes] = []
    place = 0
    for name, content in members.items():
        packed, title = _packed(content, quick), name.encode("ascii")
        # What both of the member's headers tell.
        told = struct.pack(
            "<HHHHHIIIHH",
            _VERSION,
            _FLAGS,
            _DEFLATED,
            _TIME,
            _DATE,
            zlib.crc32(content),
            len(packed),
            len(content),
            len(title),
            0,
        )
        parts += (_LOCAL, told, title, packed)
        index += (_CENTRAL, struct.pack("<H", _VERSION), told)
        index += (struct.pack("<HHHII", 0, 0, 0, 0, place), title)
        place += len(_LOCAL) + len(told) + len(title) + len(packed)
    listed, count = b"".join(index), len(members)
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(listed), place, 0)
    return b"".join((*parts, listed, _END, end))


def _packed(content: bytes, quick: bool) -> bytes:
    """Return bytes packed by deflate, in the way that makes fewest of them if there is time."""
    ways = _WAYS[:1] if quick else _WAYS
    return min((_deflated(content, 1 if quick else 9, way) for way in ways), key=len)


def _deflated(content: bytes, level: int, way: int) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, -_WINDOW_BITS, _MEMORY, way)
    return packer.compress(content) + packer.flush()
