"""One model that evaluates positions for many processes of this machine, all that wait together.

An accelerator takes hardly longer for the positions of sixteen processes than for those of one, but
is slow to change between processes that each have it to themselves. So one process has it, and the
others send it positions in messages:

```text
    request    so many words of `mines`, as many of `masks`: uint64
    answer     `_DONE`, so many values, so many rows of priors: float32
               or `_FAILED` and a text: why they cannot be evaluated
```

More requests come in while the model works, so the batches are as large as there is need.
"""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, Generic, TypeVar

import numpy as np

from claimeven.game.geometry import Geometry
from claimeven.learning.run_dir import InvalidRun
from claimeven.montecarlo.puct.policy_value import Floats, PolicyValue, Words
from claimeven.parallel.connection import (
    Address,
    Connection,
    InvalidMessage,
    Selector,
    connect,
    is_key,
    listen,
)

_DONE, _FAILED = b"\0", b"\1"
#: Bytes of the longest request: those of a million positions.
_MAX_REQUEST: Final = 1 << 24
#: Seconds that a process has to take an answer, which it waits for; a slower one is given up.
_PATIENCE: Final = 10.0
#: Seconds between two looks whether all is over.
_LOOK: Final = 0.2
_WORD, _FLOAT = np.dtype(np.uint64), np.dtype(np.float32)

Model = TypeVar("Model", bound=PolicyValue)


class InferenceServer(Generic[Model]):
    """Evaluates by its `model` for those who know its `address`, in a thread of this process."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._listener, self.address = listen()
        self._is_over = threading.Event()
        self._known: set[Connection] = set()
        self._selector = Selector()
        self._selector.register(self._listener, selectors.EVENT_READ, "listener")
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @classmethod
    @contextmanager
    def opened(cls, model: Model) -> Iterator[InferenceServer[Model]]:
        """Yield one that serves until this ends. Raises `InvalidRun` if there can be no socket."""
        try:
            server = cls(model)
        except OSError as error:
            raise InvalidRun(
                f"there can be no socket for those who play: {error.strerror or error}"
            ) from None
        server._thread.start()
        try:
            yield server
        finally:
            server._is_over.set()
            server._thread.join()

    def _serve(self) -> None:
        try:
            while not self._is_over.is_set():
                asked = {}
                for key, _ in self._selector.select(_LOOK):
                    if key.data == "listener":
                        self._accept()
                    else:
                        request = self._request_of(key.data)
                        if request is not None:
                            asked[key.data] = request
                if asked:
                    self._evaluate(asked)
        finally:  # so that those who wait know that no answer will come
            ends: list[Any] = [key.fileobj for key in self._selector.get_map().values()]
            for end in ends:
                end.close()
            self._selector.close()

    def _accept(self) -> None:
        with suppress(OSError):  # it has gone again, or there are too many
            end, _ = self._listener.accept()
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client = Connection(end, _MAX_REQUEST)
            self._selector.register(client, selectors.EVENT_READ, client)

    def _request_of(self, client: Connection) -> bytes | None:
        """Take what a client has sent; return its request if that is whole.

        One that has gone, or sends something else, is forgotten. Its first message is the key.
        """
        with suppress(OSError, InvalidMessage):
            if client.read():
                message = client.take()
                if message is not None and client not in self._known:
                    if not is_key(message, self.address):
                        raise InvalidMessage
                    self._known.add(client)
                    message = client.take()
                if message is None or len(message) % (2 * _WORD.itemsize) == 0:
                    return message
        self._forget(client)
        return None

    def _forget(self, client: Connection) -> None:
        self._selector.unregister(client)
        self._known.discard(client)
        client.close()

    def _evaluate(self, asked: dict[Connection, bytes]) -> None:
        """Evaluate the positions of several processes together, and answer each."""
        answers: list[bytes]
        try:
            boards = [np.frombuffer(request, _WORD).reshape(2, -1) for request in asked.values()]
            mines, masks = np.concatenate(boards, axis=1)
            values, priors = self.model.evaluate(mines, masks)
            ends = np.cumsum([words.shape[1] for words in boards])
            parts = map(slice, [0, *ends[:-1]], ends)
            answers = [_DONE + values[p].tobytes() + priors[p].tobytes() for p in parts]
        except Exception as error:  # whatever it is, those who asked get it
            answers = [_FAILED + (str(error) or type(error).__name__).encode()] * len(asked)
        for client, answer in zip(asked, answers, strict=True):
            try:
                client.send(answer, _PATIENCE)
            except OSError:
                self._forget(client)


class InferenceClient:
    """Asks an `InferenceServer` of another process: a `PolicyValue`. Not for several threads.

    Raises `InvalidRun` if there is none at the address.
    """

    def __init__(self, address: Address, geometry: Geometry) -> None:
        self.geometry = geometry
        try:
            self._connection = connect(address)
        except OSError as error:
            raise InvalidRun(
                f"the process that evaluates positions is not there: {error}"
            ) from None

    def load(self) -> None:
        """Nothing is compiled here."""

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return values and priors of positions: see `PolicyValue`.

        Raises `InvalidRun` if the other process cannot evaluate them, or has gone.
        """
        count, columns = len(mines), self.geometry.columns
        try:
            self._connection.send(mines.tobytes() + masks.tobytes())
            answer = self._connection.receive()
        except OSError as error:
            raise InvalidRun(f"the process that evaluates positions has gone: {error}") from None
        if answer is None:
            raise InvalidRun("the process that evaluates positions has gone: its socket is closed")
        if answer[:1] == _FAILED:
            raise InvalidRun(answer[1:].decode())
        numbers: Any = np.frombuffer(answer, _FLOAT, offset=1)
        return numbers[:count], numbers[count:].reshape(count, columns)
