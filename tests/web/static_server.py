"""A static web server for the page without a server; its files can be changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

#: Types of files by their extensions, as web spaces send them.
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".wasm": "application/wasm",
}


@contextmanager
def serving(
    folder: Path, under: str = "", changed: Mapping[str, bytes | None] | None = None
) -> Iterator[str]:
    """Serve a folder in the subfolder `under` of a server; the address ends with a slash.

    `changed` has other contents by path in the folder, None for a file that is missing. Without it
    browsers keep the files.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet: two would wait for each other

        def do_GET(self) -> None:
            name = unquote(urlsplit(self.path).path).removeprefix(prefix)
            name += "index.html" * (name.endswith("/") or not name)
            content = (changed or {}).get(name, b"")
            if content == b"":
                path = folder / name
                content = path.read_bytes() if path.is_file() else None
            self.send_response(404 if content is None else 200)
            self.send_header("content-type", TYPES.get(Path(name).suffix, "text/plain"))
            self.send_header("content-length", str(len(content or b"")))
            self.send_header("cache-control", "max-age=3600" if changed is None else "no-store")
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, format: str, *values: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            if not isinstance(sys.exception(), ConnectionError):  # that browser left the page
                super().handle_error(request, client_address)

    prefix = f"/{under}/" if under else "/"
    server = Server(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{prefix}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
