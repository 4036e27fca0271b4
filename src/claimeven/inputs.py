"""Text files of others, read within bounds: plain, or packed with gzip whatever their name."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

from claimeven.errors import ClaimevenError

#: How a packed file begins.
_PACKED = b"\x1f\x8b"


def text_of(path: str | Path, most: int, error: type[ClaimevenError]) -> str:
    """Return the text (UTF-8, after a byte order mark or not) of a file or a pipe, unpacked.

    Not more than `most` bytes of it are held, so that a small file that unpacks to a huge one does
    no harm. Raises `error`, with a sentence that names the file, where it cannot be read, is
    damaged, too large or no text.
    """
    try:
        with Path(path).open("rb") as raw:
            data = raw.read(most + 1)
        if data.startswith(_PACKED) and len(data) <= most:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as unpacked:
                data = unpacked.read(most + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise error(f"{path} is damaged: it cannot be unpacked") from None
    except OSError as reason:
        raise error(f"{path} cannot be read: {reason.strerror or reason}") from None
    if len(data) > most:
        raise error(f"{path} is too large: at most {most >> 20} MB are read")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise error(f"{path} cannot be read: it is no text") from None
