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
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Final, Generic, TypeVar

import numpy as np

from claimeven.atomic_io import scratch_folder
from claimeven.game.geometry import Geometry
from claimeven.learning.run_dir import InvalidRun
from claimeven.montecarlo.puct.policy_value import Floats, PolicyValue, Words

_COUNT: Final = struct.Struct("<I")
_FAILED: Final = 0xFFFFFFFF
#: Bytes that a request has room for at first, and the most positions that are sent at a time.
_ROOM: Final = 1 << 16
_MOST: Final = 1 << 20
#: Seconds that a process has to take an answer, which it waits for; one that does not is given up.
_PATIENCE: Final = 10.0
#: Seconds between two looks whether all is over.
_LOOK: Final = 0.2
_WORD, _FLOAT = np.dtype(np.uint64), np.dtype(np.float32)


Model = TypeVar("Model", bound=PolicyValue)


class SharedJudge(Generic[Model]):
    """Judges by its `model` for those who know its `address`, from a thread of this process."""

    def __init__(self, model: Model, address: str) -> None:
        self.model, self.address = model, address
        self._over = threading.Event()
        self._requests: dict[socket.socket, _Request] = {}
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._selector = selectors.DefaultSelector()
        self._listener = socket.socket(socket.AF_UNIX)

    @classmethod
    @contextmanager
    def opened(cls, model: Model) -> Iterator[SharedJudge[Model]]:
        """Yield one that judges until this ends. Raises `InvalidRun` where no socket can be had."""
        with ExitStack() as stack:
            try:
                folder = stack.enter_context(scratch_folder())
                judge = cls(model, str(folder / "judge"))
                stack.callback(judge._end)
                judge._begin()
            except OSError as error:
                raise InvalidRun(
                    f"there can be no socket for those who play: {error.strerror or error}"
                ) from None
            yield judge

    def _begin(self) -> None:
        self._listener.bind(self.address)
        self._listener.listen()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._thread.start()

    def _end(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        self._close()

    def _close(self) -> None:
        """Let go of all sockets, by which those who wait know that nobody judges any more."""
        for end in (*self._requests, self._listener):
            end.close()
        self._selector.close()

    def _serve(self) -> None:
        try:
            while not self._over.is_set():
                for key, _ in self._selector.select(_LOOK):
                    if isinstance(end := key.fileobj, socket.socket):
                        self._accept() if end is self._listener else self._read(end)
                asked = [end for end, request in self._requests.items() if request.is_whole]
                if asked:
                    self._judge(asked)
        finally:
            self._close()

    def _accept(self) -> None:
        with suppress(OSError):  # it has gone again, or there are too many: it will be told so
            client, _ = self._listener.accept()
            client.settimeout(_PATIENCE)
            self._requests[client] = _Request()
            self._selector.register(client, selectors.EVENT_READ)

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

    def _judge(self, asked: list[socket.socket]) -> None:
        """Judge the positions of several processes together, and answer each."""
        answers: list[tuple[Any, ...]]
        try:
            boards = [self._requests[end].boards for end in asked]
            mines, masks = (np.concatenate(words) for words in zip(*boards, strict=True))
            values, priors = self.model.evaluate(mines, masks)
            counts = [len(words) for words, _ in boards]
            ends = np.cumsum(counts)
            answers = [
                (_COUNT.pack(count) + values[part].tobytes(), np.ascontiguousarray(priors[part]))
                for count, part in zip(counts, map(slice, ends - counts, ends), strict=True)
            ]
        except Exception as error:  # whatever it is, those who asked are told
            text = (str(error) or type(error).__name__).encode()
            answers = [(_COUNT.pack(_FAILED) + _COUNT.pack(len(text)) + text,)] * len(asked)
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
        """Positions asked for; more than can be while that is not known."""
        if self.received < _COUNT.size:
            return _MOST + 1
        count: int = _COUNT.unpack_from(self.data)[0]
        return count

    @property
    def is_whole(self) -> bool:
        """Whether all of it is there."""
        return self.received >= _COUNT.size + 2 * self._count * _WORD.itemsize

    @property
    def boards(self) -> tuple[Words, Words]:
        """The positions asked for, once they are there."""
        count = self._count
        words = np.frombuffer(self.data, dtype=_WORD, count=2 * count, offset=_COUNT.size)
        return words[:count], words[count:]


class RemoteJudge:
    """Asks a `SharedJudge` of another process: a `PolicyValue`. Not for several threads.

    Raises `InvalidRun` where there is none at the address.
    """

    def __init__(self, address: str, geometry: Geometry) -> None:
        self.geometry = geometry
        self._end = socket.socket(socket.AF_UNIX)
        try:
            self._end.connect(address)
        except OSError as error:
            self._end.close()
            raise InvalidRun(f"the process that judges positions is not there: {error}") from None

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
