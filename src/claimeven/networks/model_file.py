"""Files of learnt models: numbers and a header, nothing that could be run.

A model is a zip archive of NumPy arrays (`.npz`). One of them, `header`, holds JSON in UTF-8: the
version of the format, the kind of model, its board, its features, the recipe it was trained by, the
digest of what it was trained on, and how good it was measured to be. Objects, which NumPy would
keep as pickles, are refused before they are looked at; so are archives larger than `MOST` bytes
when unpacked, members packed otherwise than we do, and arrays whose size is not what their own
header says.
"""

from __future__ import annotations

import io
import json
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from claimeven.atomic_io import CannotWrite, write_bytes
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.montecarlo.puct.policy_value import InvalidNetwork
from claimeven.networks.zip_packing import zipped

VERSION: Final = 1
#: Bytes of a model when unpacked, and of the checkpoint of a run, as many as an archive can tell.
MOST: Final = 1 << 29
MOST_OF_CHECKPOINT: Final = (1 << 32) - 1
#: Bytes that are read at a time of what tells no size.
_PART: Final = 1 << 20
_HEADER: Final = "header"
_MARK: Final = "claimeven model"
#: Ways of packing that are read: other ones fail in ways of their own, and none of ours has them.
_PACKED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
#: What readers of archives raise for bytes that are none, or no longer.
_DAMAGED: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    MemoryError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class ModelFile:
    """What a file of a model holds.

    `kind` is a word such as "ntuple", `facts` what else its header says as plain data: `recipe`,
    `measured` and the like. `arrays` are the numbers by name.
    """

    kind: str
    geometry: Geometry
    arrays: Mapping[str, Array]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the header as plain data."""
        return {
            "format": _MARK,
            "version": VERSION,
            "kind": self.kind,
            "board": self.geometry.as_dict(),
            **self.facts,
        }


def write_model(
    path: str | Path, model: ModelFile, quick: bool = False, most: int | None = None
) -> None:
    """Write a model, whole or not at all; the same model gives the same bytes.

    With `quick` it is packed less tightly. Raises `CannotWrite`, and for more than `most` bytes
    (or `MOST`) too, which could not be read again.
    """
    most = most or MOST
    header = np.frombuffer(json.dumps(model.as_dict(), sort_keys=True).encode(), dtype=np.uint8)
    members = {}
    for name, array in {_HEADER: header, **model.arrays}.items():
        member = io.BytesIO()
        np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
        members[f"{name}.npy"] = member.getvalue()
    if sum(map(len, members.values())) > most:
        raise CannotWrite(f"{path} cannot be written: it would hold more than {most >> 20} MB")
    write_bytes(path, zipped(members, quick))


def read_model(
    path: str | Path,
    kind: str | None = None,
    geometry: Geometry | None = None,
    most: int | None = None,
) -> ModelFile:
    """Read a model, of a kind and for a board if they are given, of up to `most` bytes or `MOST`.

    Raises `InvalidNetwork`, in a sentence that names the file, for one that cannot be read, is
    damaged, foreign, too large, holds anything but numbers, or is of another kind or board.
    """
    most = most or MOST
    content = _content(path, most)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > most:
                raise InvalidNetwork(f"it unpacks to more than {most >> 20} MB")
            arrays = {
                member.filename.removesuffix(".npy"): _read_array(archive, member)
                for member in members
            }
        model = _model(arrays)
    except InvalidNetwork as error:
        raise InvalidNetwork(f"{path} is no model: {error}") from None
    except _DAMAGED:
        raise InvalidNetwork(f"{path} is no model, or it is damaged") from None
    if kind is not None and model.kind != kind:
        raise InvalidNetwork(f"{path} holds a model of the kind {model.kind!r}, not {kind!r}")
    if geometry is not None and model.geometry != geometry:
        raise InvalidNetwork(f"{path} knows {model.geometry}, not {geometry}")
    return model


def _content(path: str | Path, most: int) -> bytes:
    try:
        with Path(path).open("rb") as stream:
            told = os.fstat(stream.fileno())
            size, content = told.st_size, b""
            if not stat.S_ISREG(told.st_mode):  # a pipe tells no size, a device may never end
                content = _first(stream, most + 1)
                size = len(content)
            elif size <= most:
                content = stream.read(size)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidNetwork(f"{path} cannot be read: {reason}") from None
    if size > most:
        raise InvalidNetwork(f"{path} is no model: it is larger than {most >> 20} MB")
    return content


def _first(stream: BinaryIO, most: int) -> bytes:
    """Return the first bytes of a stream, as many as there are up to `most`."""
    found = bytearray()
    while len(found) < most and (part := stream.read(min(_PART, most - len(found)))):
        found += part
    return bytes(found)


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Array:
    """Return the array of a member, if it is one of numbers and as long as it says."""
    if member.compress_type not in _PACKED:
        raise InvalidNetwork(f"its part {member.filename[:40]!r} is packed in a way unknown here")
    stream = io.BytesIO(archive.read(member))
    try:
        version = np.lib.format.read_magic(stream)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, _, dtype = read(stream)
    except Exception:  # NumPy reads headers as Python, which fails in a dozen ways
        raise InvalidNetwork(f"its part {member.filename[:40]!r} is no array") from None
    if dtype.hasobject or dtype.kind not in "biuf":
        raise InvalidNetwork(f"its part {member.filename[:40]!r} holds something else than numbers")
    count = 1
    for length in shape:
        count *= length
    if count * dtype.itemsize != len(stream.getbuffer()) - stream.tell():
        raise InvalidNetwork(f"its part {member.filename[:40]!r} is not as long as it says")
    stream.seek(0)
    try:
        array: Array = np.lib.format.read_array(stream, allow_pickle=False)
    except Exception:  # likewise
        raise InvalidNetwork(f"its part {member.filename[:40]!r} is no array") from None
    return array


def _model(arrays: dict[str, Array]) -> ModelFile:
    try:
        header = json.loads(arrays.pop(_HEADER).tobytes())
        if header["format"] != _MARK:
            raise KeyError
        version, kind, board = header["version"], header["kind"], header["board"]
    except (KeyError, ValueError, TypeError, RecursionError):
        raise InvalidNetwork("it has no header of ours") from None
    if version != VERSION:
        raise InvalidNetwork(f"its format is version {version!r}, and this one reads {VERSION}")
    try:
        geometry = Geometry(board["columns"], board["rows"], board["connect"])
        geometry.check_fits_word("a model")
    except (KeyError, TypeError):
        raise InvalidNetwork("it does not tell the sizes of its board") from None
    except ClaimevenError as error:
        raise InvalidNetwork(f"its board cannot be: {error}") from None
    known = ("format", "version", "kind", "board")
    facts = {name: value for name, value in header.items() if name not in known}
    return ModelFile(str(kind), geometry, arrays, facts)
