"""One model that judges for many processes of this machine, all that wait at once.

An accelerator takes hardly longer for the positions of sixteen processes than for those of one, but
is slow to change between processes that each have it to themselves. So one process has it, and the
others send it positions through a socket in a folder that only this user may enter:

```text
    asked       a count, 4 bytes; then so many words of `mines`, so many of `masks`
    answered    the count; then so many values, so many rows of priors, float32
                or `_FAILED`, the length of a text, 4 bytes, and the text: why it cannot be judged
```

While the model works more requests come in, and so the batches are as large as there is need.
"""

from __future__ import annotations

import selectors
import shutil
import socket
import struct
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Generic, Self, TypeVar

import numpy as np

from claimeven.game.geometry import Geometry
from claimeven.learning.run_folder import InvalidRun
from claimeven.networks.policy_value import Floats, PolicyValue, Words

_COUNT: Final = struct.Struct("<I")
_FAILED: Final = 0xFFFFFFFF
#: Bytes that a request has room for at first, and the most positions that are sent at a time.
_ROOM: Final = 1 << 16
_MOST: Final = 1 << 20
#: Seconds that a process has to take an answer; one that does not is given up.
_PATIENCE: Final = 60.0
#: Seconds between two looks whether all is over.
_LOOK: Final = 0.2
_WORD, _FLOAT = np.dtype(np.uint64), np.dtype(np.float32)


Model = TypeVar("Model", bound=PolicyValue)


class SharedJudge(Generic[Model]):
    """Judges by its `model` for those who know its `address`, from a thread of this process."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._folder = tempfile.mkdtemp(prefix="claimeven-")
        self.address = str(Path(self._folder) / "judge")
        self._listener = socket.socket(socket.AF_UNIX)
        self._over = threading.Event()
        self._requests: dict[socket.socket, _Request] = {}
        self._selector = selectors.DefaultSelector()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        """Begin to judge."""
        try:
            self._listener.bind(self.address)
            self._listener.listen()
        except OSError as error:
            self.__exit__()
            raise InvalidRun(f"{self.address} cannot be made: {error.strerror}") from None
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        """Judge no more."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        for end in (*self._requests, self._listener):
            end.close()
        self._selector.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _serve(self) -> None:
        while not self._over.is_set():
            for key, _ in self._selector.select(_LOOK):
                end = key.fileobj
                if end is self._listener:
                    client, _ = self._listener.accept()
                    client.settimeout(_PATIENCE)
                    self._requests[client] = _Request()
                    self._selector.register(client, selectors.EVENT_READ)
                elif isinstance(end, socket.socket):
                    self._read(end)
            asked = {
                end: boards
                for end, request in self._requests.items()
                if (boards := request.boards) is not None
            }
            if asked:
                self._judge(asked)

    def _read(self, end: socket.socket) -> None:
        """Take what a process has sent; forget one that has gone, or sends what nobody asks."""
        count = 0
        with suppress(OSError):
            count = self._requests[end].take_from(end)
        if not count:
            self._forget(end)

    def _forget(self, end: socket.socket) -> None:
        self._selector.unregister(end)
        del self._requests[end]
        end.close()

    def _judge(self, asked: dict[socket.socket, tuple[Words, Words]]) -> None:
        """Judge the positions of several processes together, and answer each."""
        mines, masks = (np.concatenate(words) for words in zip(*asked.values(), strict=True))
        counts = [len(words) for words, _ in asked.values()]
        answers: list[tuple[Any, ...]]
        try:
            values, priors = self.model.evaluate(mines, masks)
        except Exception as error:
            text = (str(error) or type(error).__name__).encode()
            answers = [(_COUNT.pack(_FAILED) + _COUNT.pack(len(text)) + text,)] * len(asked)
        else:
            ends = np.cumsum(counts)
            parts = map(slice, ends - counts, ends)
            answers = [
                (_COUNT.pack(count) + values[part].tobytes(), np.ascontiguousarray(priors[part]))
                for count, part in zip(counts, parts, strict=True)
            ]
        for end, answer in zip(asked, answers, strict=True):
            self._requests[end].received = 0
            try:
                for part in answer:
                    end.sendall(part)
            except OSError:
                self._forget(end)


class _Request:
    """What a process has sent of a request so far: `received` bytes at the beginning of `data`."""

    def __init__(self) -> None:
        self.data = bytearray(_ROOM)
        self.received = 0

    def take_from(self, end: socket.socket) -> int:
        """Take more, and return how many bytes; none if it has gone, or sends what nobody asks."""
        if self.received == len(self.data):
            self.data = self.data + bytearray(len(self.data))
        with memoryview(self.data) as room:
            count = end.recv_into(room[self.received :])
        self.received += count
        is_foreign = self.received >= _COUNT.size and self._count > _MOST
        return 0 if is_foreign else count

    @property
    def _count(self) -> int:
        count: int = _COUNT.unpack_from(self.data)[0]
        return count

    @property
    def boards(self) -> tuple[Words, Words] | None:
        """The positions asked for, None while the request is not whole."""
        count = self._count if self.received >= _COUNT.size else _MOST
        if self.received < _COUNT.size + 2 * count * _WORD.itemsize:
            return None
        words = np.frombuffer(self.data, dtype=_WORD, count=2 * count, offset=_COUNT.size)
        return words[:count], words[count:]


class RemoteJudge:
    """Asks a `SharedJudge` of another process: a `PolicyValue`. Not for several threads."""

    def __init__(self, address: str, geometry: Geometry) -> None:
        self.geometry = geometry
        self._end = socket.socket(socket.AF_UNIX)
        self._end.connect(address)

    def load(self) -> None:
        """Nothing is compiled here."""

    def close(self) -> None:
        """Let go of the socket."""
        self._end.close()

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return values and priors of positions: see `PolicyValue`.

        Raises `InvalidRun` where the other process cannot judge, or has gone.
        """
        count, columns = len(mines), self.geometry.columns
        try:
            self._end.sendall(_COUNT.pack(count) + mines.tobytes() + masks.tobytes())
            (told,) = _COUNT.unpack(self._received(_COUNT.size))
            if told == _FAILED:
                (length,) = _COUNT.unpack(self._received(_COUNT.size))
                raise InvalidRun(self._received(length).decode())
            values = np.frombuffer(self._received(count * _FLOAT.itemsize), dtype=_FLOAT)
            priors = np.frombuffer(self._received(count * columns * _FLOAT.itemsize), dtype=_FLOAT)
        except OSError as error:
            raise InvalidRun(f"the process that judges positions has gone: {error}") from None
        return values, priors.reshape(count, columns)

    def _received(self, length: int) -> bytearray:
        """Return so many bytes of an answer."""
        data = bytearray(length)
        view = memoryview(data)
        while view:
            count = self._end.recv_into(view)
            if not count:
                raise ConnectionResetError("its socket is closed")
            view = view[count:]
        return data
