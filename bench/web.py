"""The server under load: times of answers, lost answers, memory.

    python -m bench.web                  all parts, 30 s of load
    python -m bench.web load --seconds 5 --clients 50
    python -m bench.web perfect --games 50
    python -m bench.web fuzz --examples 200

Parts: `latency` (one client: the page, positions of the book, positions of all plies), `page` (in
a browser: the first paint, discs dropped while all workers search), `load` (many clients request
scores of random positions; memory before and after), `ends` (a client disconnects, a worker is
killed, SIGTERM), `perfect` (games in a browser), `fuzz` (requests made from the description of the
API). `page`, `perfect` and `fuzz` need the extra test-all. Each part asserts the answers, and
compares scores with the solver's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

from tests.web.conftest import Server, running
from tests.web.test_fuzz import fuzzed

from bench import web_page
from bench.timing import machine, percentiles
from claimeven import Position, Solver
from claimeven.game.notation import format_moves

PARTS = ("latency", "page", "load", "ends", "perfect", "fuzz")
#: A position that takes longer than any part, in two requests.
HARD = ("/api/scores?board=8x7&moves=4", "/api/scores/events?board=8x7&moves=4")
#: Positions whose scores are compared with the solver's.
COMPARED = 200


def random_moves(rng: random.Random, fewest: int, most: int) -> str:
    """Return an unfinished random game of `plies` plies."""
    while True:
        columns: list[int] = []
        plies, position = rng.randint(fewest, most), Position()
        while len(columns) < plies and not position.is_over:
            columns.append(rng.choice(position.legal_columns))
            position = position.play_unchecked(columns[-1])
        if not position.is_over:
            return format_moves(columns)


class Client:
    """A client with a persistent connection."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def __aenter__(self) -> Client:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(self, *ended: object) -> None:
        self.writer.close()

    async def get(self, path: str) -> tuple[int, bytes, float]:
        """Return status, body, and the seconds of the request."""
        start = time.perf_counter()
        self.writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        status = int(head.split()[1])
        fields = dict(
            line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line
        )
        body = await self.reader.readexactly(int(fields[b"content-length"]))
        return status, body, time.perf_counter() - start


def memory_mb(server: Server) -> float:
    """Return the memory of the server and its workers, shared parts counted once for each."""
    pages = os.sysconf("SC_PAGE_SIZE")
    memory = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if server.process.pid in (int(entry.name), parent):
                    memory += int((entry / "statm").read_text().split()[1]) * pages
            except OSError:
                continue
    return memory / 2**20


async def latency(server: Server) -> None:
    """One client, one request after the other."""
    rng = random.Random(1)
    async with Client(server.port) as client:
        for path in ("/", "/static/api.css"):
            times = [(await client.get(path))[2] for _ in range(100)]
            print(f"  {path}: {percentiles(times)}")
        for words, fewest, most, limit in (
            ("8 plies and less", 0, 8, 0.05),
            ("all plies", 0, 41, 0.3),
        ):
            times = []
            for _ in range(300):
                status, _, seconds = await client.get(
                    f"/api/scores?moves={random_moves(rng, fewest, most)}"
                )
                assert status == 200
                times.append(seconds)
            in_time = sum(seconds <= limit for seconds in times) / len(times)
            print(
                f"  scores, {words}: {percentiles(times)}; {in_time:.1%} within {1000 * limit:g} ms"
            )


async def load(server: Server, clients: int, seconds: float) -> None:
    """Many clients; each sends the next request after the answer."""
    before = memory_mb(server)
    times: list[float] = []
    seen: dict[str, Any] = {}
    stop = time.monotonic() + seconds

    async def one(number: int) -> None:
        rng = random.Random(number)
        async with Client(server.port) as client:
            while time.monotonic() < stop:
                moves = random_moves(rng, 0, 41)
                status, body, took = await client.get(f"/api/scores?moves={moves}")
                assert status == 200, body
                times.append(took)
                if len(seen) < COMPARED:
                    seen[moves] = json.loads(body)["scores"]

    start = time.monotonic()
    await asyncio.gather(*map(one, range(clients)))
    took = time.monotonic() - start
    after = memory_mb(server)
    status = server.status()
    print(
        f"  {clients} clients, {took:.1f} s: {len(times)} answers, {len(times) / took:.0f} a second"
    )
    print(f"  {percentiles(times)}; no answer lost, no error")
    print(f"  memory {before:.0f} MB before, {after:.0f} MB after ({after / before - 1:+.1%})")
    assert status["workers_lost"] == status["busy"] == status["waiting"] == 0
    solver = Solver()
    for moves, scores in seen.items():
        assert scores == list(solver.scores(Position.from_moves(moves))), moves
    print(f"  {len(seen)} answers compared with the solver")


def ends(server: Server) -> None:
    """Clients that disconnect, workers that are killed, shutdown."""
    for path in HARD:
        times = []
        for _ in range(10):
            with server.waiting_for(path):
                while server.status()["busy"] == 0:
                    time.sleep(0.002)
                time.sleep(0.05)
            start = time.perf_counter()
            while server.status()["busy"]:
                pass
            times.append(time.perf_counter() - start)
        print(f"  worker free after its client disconnected, {path}: {percentiles(times)}")
    assert server.status()["workers_lost"] == 0
    with server.waiting_for(HARD[0]) as connection:
        while server.status()["busy"] == 0:
            time.sleep(0.002)
        for child in children(server.process.pid):
            os.kill(child, signal.SIGKILL)
        start = time.perf_counter()
        assert connection.recv(100).startswith(b"HTTP/1.1 503 ")
        print(f"  503 after its worker was killed: {1000 * (time.perf_counter() - start):.0f} ms")
        assert server.get("/api/scores", moves="44444132267").status == 200
        print(f"  the next answer, from a new worker: {time.perf_counter() - start:.1f} s")
    with server.waiting_for(HARD[0]), server.waiting_for(HARD[1]):
        time.sleep(0.2)
        start = time.perf_counter()
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(60)
        print(f"    shutdown after SIGTERM: {1000 * (time.perf_counter() - start):.0f} ms")


def children(parent: int) -> list[int]:
    """Return the child processes of a process."""
    path = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(word) for word in path.read_text().split()]


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    result = argparse.ArgumentParser(description="The server under load.")
    result.add_argument("parts", nargs="*", metavar="PART", help=f"any of {', '.join(PARTS)}")
    result.add_argument("--clients", type=int, default=200)
    result.add_argument("--seconds", type=float, default=30.0)
    result.add_argument("--games", type=int, default=50, help="games in perfect")
    result.add_argument("--examples", type=int, default=100, help="requests a route in fuzz")
    return result


def main() -> None:
    """Run the given parts, or all."""
    arguments = parser().parse_args()
    wrong = set(arguments.parts) - set(PARTS)
    if wrong:
        parser().error(f"PART must be one of {', '.join(PARTS)}, got {min(wrong)!r}")
    print(machine())
    for part in arguments.parts or PARTS:
        print(part)
        limit = "1" if part == "fuzz" else "60"
        with running("--table-mb", "64", "--seconds", limit) as server:
            while not server.status()["ready"]:
                time.sleep(0.05)
            if part == "latency":
                asyncio.run(latency(server))
            elif part == "load":
                asyncio.run(load(server, arguments.clients, arguments.seconds))
            elif part == "ends":
                ends(server)
            elif part == "page":
                web_page.first_sight(server)
            elif part == "perfect":
                web_page.perfect_never_loses(server, arguments.games)
            else:
                found = fuzzed(server, arguments.examples, patience=3600)
                assert not found, found
                assert server.status()["workers_lost"] == 0
                print(f"  {arguments.examples} requests a route, no failure")


if __name__ == "__main__":
    main()
