"""Foreign text files: read within bounds, plain or packed; and the kinds of other files."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath

from claimeven.errors import ClaimevenError, path_of

_PACKED = b"\x1f\x8b"
_UNPACK = "unpack it and give the files in it"
_COPY = "write its moves into a text file"
#: The start of a file, its kind, and the remedy.
_KINDS = (
    (b"SQLite format 3", "a database", "export its games as text"),
    (b"PK\3\4", "a zip archive", _UNPACK),
    (b"PK\5\6", "an empty zip archive", _UNPACK),
    (_PACKED, "a file packed with gzip", "unpack it with gunzip"),
    (b"BZh", "a file packed with bzip2", "unpack it with bunzip2"),
    (b"\xfd7zXZ", "a file packed with xz", "unpack it with unxz"),
    (b"\x28\xb5\x2f\xfd", "a file packed with zstd", "unpack it with unzstd"),
    (b"7z\xbc\xaf", "a 7z archive", _UNPACK),
    (b"Rar!", "a rar archive", _UNPACK),
    (b"\x93NUMPY", "an array of NumPy", "print numpy.load(FILE).tolist() into a text file"),
    (b"PAR1", "a Parquet file", "write its games as .csv, the moves as text"),
    (b"ARROW1", "an Arrow file", "write its games as .csv, the moves as text"),
    (b"\x89HDF", "an HDF5 file", _COPY),
    (b"\x89C4BOOK", "an opening book", "claimeven book reads it, and --book takes it"),
    (b"\x89PNG", "a picture", _COPY),
    (b"\xff\xd8\xff", "a picture", _COPY),
    (b"GIF8", "a picture", _COPY),
    (b"RIFF", "a picture or a sound", _COPY),
    (b"BM", "a picture", _COPY),
    (b"%PDF", "a PDF document", _COPY),
    (b"\x7fELF", "a program", _COPY),
    (b"MZ\x90", "a program", _COPY),
)
_NAMED = {
    ".npz": ("an archive of NumPy", "print its arrays' .tolist() into a text file"),
    ".xlsx": ("a workbook", "save its sheet as .csv"),
    ".ods": ("a workbook", "save its sheet as .csv"),
    ".docx": ("a document", "save it as plain text"),
}
_PROGRAM = ("import ", "from __future__", "#!/", "#include", "def ", "class ")
#: Bytes of the start of a file that decide its kind.
_HEAD = 512
#: Bytes of the start of a tar archive before the word that names it.
_TAR = 257


def identified(head: bytes, name: str = "") -> str:
    """Return the kind of a file with this start and the remedy; "" if it may be text.

    >>> identified(b"%PDF-1.7")
    'it is a PDF document: write its moves into a text file'
    """
    for start, *kind in _KINDS:
        if head.startswith(start) and (start != b"BM" or b"\0" in head):
            named = _NAMED.get(PurePath(name).suffix.lower()) if start == b"PK\3\4" else None
            what, remedy = named or kind
            return f"it is {what}: {remedy}"
    if head[:1] == b"\x80" and head[1:2] in b"\2\3\4\5" and len(head) > 1:
        return "it is a pickle: load it if you trust it, and write the games as text"
    if head[_TAR : _TAR + 5] == b"ustar":
        return f"it is a tar archive: {_UNPACK}"
    is_sized = len(head) > 5 and 0 < head[0] <= 16 and 0 < head[1] <= 16 and head[5] <= 40
    if is_sized and head[3] in (1, 2, 4, 8) and head[4] == 1:
        return (
            "it is an opening book of Pons's solver, which has no positions to list: claimeven"
            " book build makes one, and --book takes that"
        )
    is_utf_16 = head.startswith((b"\xff\xfe", b"\xfe\xff")) or head.count(b"\0") > len(head) // 4
    if is_utf_16 and len(head.replace(b"\0", b"")) * 4 > len(head):
        return "its text is in UTF-16: save it as UTF-8"
    if head.startswith(tuple(word.encode() for word in _PROGRAM)):
        return "it is a program: give it as an agent of a match"
    is_odd = b"\0" in head or 4 * sum(byte > 0x7F for byte in head) > len(head)
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return "it is not text" if (is_odd and error.start < len(head) - 3) or len(head) < 4 else ""
    return "it is not text" if b"\0" in head else ""


@contextmanager
def reading(path: str | Path, error: type[ClaimevenError]) -> Iterator[None]:
    """Turn an error of the system while a file is read into one that names it."""
    try:
        yield
    except OSError as reason:
        raise error(f"{path} cannot be read: {reason.strerror or reason}") from None


def text_of(path: str | Path, most: int, error: type[ClaimevenError]) -> str:
    """Return the text (UTF-8, after a byte order mark or not) of a file or a pipe, unpacked.

    Not more than `most` bytes of it are held, so that a small file that unpacks to a huge one does
    no harm. Raises `error`, with a sentence that names the file, if it cannot be read, is corrupt,
    too large or not text.
    """
    try:
        with reading(path, error), path_of(path, error).open("rb") as raw:
            data = raw.read(most + 1)
        if data.startswith(_PACKED) and len(data) <= most:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as unpacked:
                data = unpacked.read(most + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise error(f"{path} is corrupt: it cannot be unpacked") from None
    if len(data) > most:
        raise error(f"{path} is too large: at most {most >> 20} MB are read")
    reason_why = identified(data[:_HEAD], str(path))
    if reason_why:
        raise error(f"{path} cannot be read: {reason_why}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise error(f"{path} cannot be read: it is not text") from None
