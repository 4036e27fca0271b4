"""Files of trained models: numbers and a header, without code.

A model is a zip archive of NumPy arrays (`.npz`). One of them, `header`, holds JSON in UTF-8: the
schema, the kind of model, its board, its features, the configuration of its training, the digest of
its training data, its measured accuracy, and its provenance. Every part is an array of numbers.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimeven.atomic_io import CannotWrite, write_bytes
from claimeven.errors import ClaimevenError, path_of
from claimeven.game.geometry import Geometry
from claimeven.montecarlo.puct.policy_value import InvalidNetwork
from claimeven.provenance import LEARNING, SCHEMAS, check_schema, describe
from claimeven.text_io import reading

VERSION: Final = SCHEMAS["model"]
#: Bytes of an unpacked model, and of the checkpoint of a run: the limit of an archive.
MAX_BYTES: Final = 1 << 29
MAX_CHECKPOINT_BYTES: Final = (1 << 32) - 1
#: Bytes that are read at a time.
_PART: Final = 1 << 20
_HEADER: Final = "header"
_MARK: Final = "claimeven model"

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class ModelFile:
    """The content of a model's file.

    `kind` is a word such as "ntuple". `facts` are the other values of its header as plain data:
    `recipe`, `measured` and the like. `arrays` are the numbers by name.
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
    path: str | Path, model: ModelFile, quick: bool = False, max_bytes: int | None = None
) -> None:
    """Write a model completely or not at all; the same model gives the same bytes.

    Its header gets a description as `provenance`, unless its facts have one. `quick` packs it less
    tightly. Raises `CannotWrite`, also for more than `max_bytes` bytes (default `MAX_BYTES`), which
    could not be read again.
    """
    max_bytes = max_bytes or MAX_BYTES
    facts = model.as_dict()
    if "provenance" not in facts:
        config = facts.get("config") or {}
        digests = {name: config[name] for name in ("data", "start") if name in config}
        facts["provenance"] = describe(
            "model", board=model.geometry.as_dict(), seed=config.get("seed"),
            files=digests or None, packages=LEARNING,
        )  # fmt: skip
    header = np.frombuffer(json.dumps(facts, sort_keys=True).encode(), dtype=np.uint8)
    buffer, size = io.BytesIO(), 0
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in {_HEADER: header, **model.arrays}.items():
            part = io.BytesIO()
            np.lib.format.write_array(part, np.asarray(array), allow_pickle=False)
            size += part.tell()
            if size > max_bytes:
                raise CannotWrite(
                    f"{path} cannot be written: it would hold more than {max_bytes >> 20} MB"
                )
            info = zipfile.ZipInfo(f"{name}.npy")  # dated 1980, whenever it is written
            archive.writestr(info, part.getvalue(), zipfile.ZIP_DEFLATED, 1 if quick else 9)
    write_bytes(path, buffer.getvalue())


def read_model(
    path: str | Path,
    kind: str | None = None,
    geometry: Geometry | None = None,
    max_bytes: int | None = None,
) -> ModelFile:
    """Read a model, optionally of one kind and board, of up to `max_bytes` bytes or `MAX_BYTES`.

    Raises `InvalidNetwork`, in a sentence that names the file, for a file that cannot be read, is
    corrupt, foreign or too large, has values other than numbers, or is of another kind or board.
    """
    max_bytes = max_bytes or MAX_BYTES
    content = _content(path, max_bytes)
    with name_in_errors(path):
        model = _model(_arrays(content, max_bytes))
    if kind is not None and model.kind != kind:
        raise InvalidNetwork(f"{path} holds a model of the kind {model.kind!r}, not {kind!r}")
    if geometry is not None and model.geometry != geometry:
        raise InvalidNetwork(f"{path} knows {model.geometry}, not {geometry}")
    return model


@contextmanager
def name_in_errors(path: str | Path) -> Iterator[None]:
    """Add the name of a model's file to the errors that are raised while it is unpacked."""
    try:
        yield
    except InvalidNetwork as error:
        raise InvalidNetwork(f"{path} is not a model: {error}") from None


def _content(path: str | Path, max_bytes: int) -> bytes:
    data = bytearray()
    with reading(path, InvalidNetwork), path_of(path, InvalidNetwork).open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size  # 0 of a pipe; a device may never end
        while max(size, len(data)) <= max_bytes and (part := stream.read(_PART)):
            data += part
    if max(size, len(data)) > max_bytes:
        raise InvalidNetwork(f"{path} is not a model: it is larger than {max_bytes >> 20} MB")
    return bytes(data)


def _arrays(content: bytes, max_bytes: int) -> dict[str, Array]:
    arrays = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > max_bytes:
                raise InvalidNetwork(f"it unpacks to more than {max_bytes >> 20} MB")
            for member in members:
                part = archive.read(member)
                arrays[member.filename.removesuffix(".npy")] = _array(part, member.filename[:40])
    except InvalidNetwork:
        raise
    except Exception:  # readers of archives raise a dozen kinds for corrupt bytes
        raise InvalidNetwork("it is corrupt, or a file of something else") from None
    return arrays


def _array(content: bytes, name: str) -> Array:
    """Return the array of a part, without running a pickle."""
    stream = io.BytesIO(content)
    try:
        array: Array = np.lib.format.read_array(stream, allow_pickle=False)
    except Exception:  # NumPy reads headers as Python, which fails in a dozen ways
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "biuf" or stream.read(1):
        raise InvalidNetwork(f"its part {name!r} must be an array of numbers, as long as it states")
    return array


def _model(arrays: dict[str, Array]) -> ModelFile:
    try:
        header = json.loads(arrays.pop(_HEADER).tobytes())
        if header["format"] != _MARK:
            raise KeyError
        version, kind, board = header["version"], header["kind"], header["board"]
    except (KeyError, ValueError, TypeError, RecursionError):
        raise InvalidNetwork("it has no header of claimeven") from None
    check_schema("model", version, "it", header.get("provenance"), InvalidNetwork)
    if version != VERSION:
        raise InvalidNetwork(f"its format is version {version!r}, and this one reads {VERSION}")
    try:
        geometry = Geometry(board["columns"], board["rows"], board["connect"])
        geometry.check_fits_word("a model")
    except (KeyError, TypeError):
        raise InvalidNetwork("it does not state the sizes of its board") from None
    except ClaimevenError as error:
        raise InvalidNetwork(f"its board cannot be: {error}") from None
    required = ("format", "version", "kind", "board")
    facts = {name: value for name, value in header.items() if name not in required}
    return ModelFile(str(kind), geometry, arrays, facts)
