"""Connections with deadlines: an idle client cannot occupy one forever."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

#: Seconds for the head of a request, for its body, and for a client to read pending data.
HEAD_SECONDS, BODY_SECONDS, READ_SECONDS = 15.0, 60.0, 60.0
_TIMEOUT_BODY = b'{"error":"the request did not arrive within its time limit"}'
_TIMEOUT_RESPONSE = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%b" % (len(_TIMEOUT_BODY), _TIMEOUT_BODY)
)


class ClientConnection(H11Protocol):
    """A connection that is closed after a deadline, even if data trickles in."""

    _phase: Any = None
    _request: asyncio.TimerHandle | None = None
    _reader: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time for the first request."""
        super().connection_made(transport)
        self._restart_timer()

    def data_received(self, data: bytes) -> None:
        """Process received data."""
        super().data_received(data)
        self._restart_timer()

    def on_response_complete(self) -> None:
        """Start the time for the next request."""
        super().on_response_complete()
        self._restart_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers."""
        for timer in (self._request, self._reader):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the time in which the client must read."""
        super().pause_writing()
        self._reader = self.loop.call_later(READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop that time: the client has read."""
        super().resume_writing()
        if self._reader is not None:
            self._reader.cancel()

    def shutdown(self) -> None:
        """Close with the server, also in the middle of a request."""
        super().shutdown()
        if self._phase is h11.SEND_BODY:
            self.transport.close()

    def _restart_timer(self) -> None:
        """Start the time for a part of a request, if the part has changed."""
        phase = self.conn.their_state
        if phase is self._phase:
            return
        self._phase = phase
        if self._request is not None:
            self._request.cancel()
        seconds = {h11.IDLE: HEAD_SECONDS, h11.SEND_BODY: BODY_SECONDS}.get(phase)
        self._request = self.loop.call_later(seconds, self._end) if seconds else None

    def _end(self) -> None:
        """End the connection; a client that has sent a part of a request gets a reason."""
        has_sent = self._phase is h11.SEND_BODY or bool(self.conn.trailing_data[0])
        is_free = self.cycle is None or not self.cycle.response_started
        if has_sent and (is_free or self.cycle.response_complete):
            self.transport.write(_TIMEOUT_RESPONSE)
        self.transport.close()
