"""The live view of a tournament: times of answers while games are added, and afterwards.

    python -m bench.live_view                       30 bots and 10,000 games
    python -m bench.live_view --bots 100 --games 20000 --seconds 20

A store gets half of the games, then a server starts with it, and the other games are added in
small groups while clients request the standings, first as often as the page does, then one request
after the other. Each answer is checked: its games count up, and the last one equals the standings
that Python computes. 95 % of the answers must take less than `MAX_MS`: the machine may be busy.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import threading
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.web.conftest import running

from bench.timing import machine, percentiles
from bench.web import Client
from claimeven import Position
from claimeven.arena.games.game import Game
from claimeven.arena.games.plan import Plan
from claimeven.arena.store.store import Store, StoredAgent
from claimeven.arena.tournaments.standings import Standings
from claimeven.game.notation import format_moves

#: Milliseconds that 95 % of the answers may take.
MAX_MS = 100
#: Games that are added in one group.
GROUP = 20


def games_of(plan: Plan, count: int) -> list[Game]:
    """Return games of random columns, in which later agents of the plan win more often."""
    rng = random.Random(1)
    games = []
    for number in range(count):
        pairing = plan.pairing(number)
        agents = pairing.first, pairing.second
        games.append(random_game(rng, number, agents, rng.random() < 0.2))
    return games


def random_game(rng: random.Random, number: int, agents: tuple[int, int], fails: bool) -> Game:
    """Return a game; an agent that looks ahead takes wins, and one of the first may fail."""
    columns: list[int] = []
    position = Position()
    game = Game(f"{number}", number, number // 2, *agents)
    while not position.is_over:
        columns.append(rng.choice(position.legal_columns))
        if rng.random() < agents[position.turn] / 30:
            after = {column: position.play_unchecked(column) for column in position.legal_columns}
            wins = [column for column, then in after.items() if then.winner is not None]
            columns[-1] = wins[0] if wins else columns[-1]
        position = position.play_unchecked(columns[-1])
        seat, moves = position.turn, format_moves(columns)
        if fails and agents[seat] < 3 and len(columns) == 6 and not position.is_over:
            reason = "it divided by 0"
            return replace(
                game, moves=moves, winner=1 - seat, fault="crash", fault_seat=seat, reason=reason
            )
    return replace(game, moves=format_moves(columns), winner=position.winner)


class Writer(threading.Thread):
    """Adds games to a store in groups over some seconds, as a tournament does."""

    def __init__(self, path: Path, games: list[Game], seconds: float) -> None:
        super().__init__()
        self.path, self.games, self.seconds = path, games, seconds

    def run(self) -> None:
        """Add the games."""
        pause = self.seconds * GROUP / len(self.games)
        with Store.extend(self.path) as store:
            for start in range(0, len(self.games), GROUP):
                store.add(self.games[start : start + GROUP])
                time.sleep(pause)


def judged(what: str, times: list[float]) -> None:
    """Print times, and fail if they are too long."""
    print(f"  {what}: {percentiles(times)}")
    assert 1000 * sorted(times)[int(0.95 * len(times))] < MAX_MS, what


async def watch(client: Client, writer: Writer, pause: float) -> list[float]:
    """Request the standings while games are added; each answer has no fewer games than before."""
    times, seen = [], 0
    while writer.is_alive():
        status, body, seconds = await client.get("/api/tournament")
        data: dict[str, Any] = json.loads(body)
        assert status == 200 and seen <= data["games_read"] <= (data["games_stored"] or 0)
        seen = data["games_read"]
        times.append(seconds)
        await asyncio.sleep(pause)
    return times


async def measured(port: int, path: Path, games: list[Game], seconds: float, begin: float) -> None:
    """Measure the answers of a server that was started at `begin` with half of the games."""
    async with Client(port) as client:
        _, body, took = await client.get("/api/tournament")
        judged("the first answer after the start", [took])
        while json.loads(body)["games_read"] < len(games) // 2:
            await asyncio.sleep(0.02)
            _, body, _ = await client.get("/api/tournament")
        print(f"  {len(games) // 2:,} games shown {time.monotonic() - begin:.1f} s after the start")
        half, rest = games[len(games) // 2 :: 2], games[len(games) // 2 + 1 :: 2]
        for what, some, pause in (("every 2 s", half, 2.0), ("without a pause", rest, 0.0)):
            writer = Writer(path, some, seconds)
            writer.start()
            judged(f"while games are added, {what}", await watch(client, writer, pause))
            writer.join()
        added = time.monotonic()
        while json.loads(body)["games_read"] < len(games):
            await asyncio.sleep(0.02)
            _, body, _ = await client.get("/api/tournament")
        print(f"  all games shown {time.monotonic() - added:.1f} s after the last one")
    final = json.loads(json.dumps(Standings.read(path).as_dict()["ratings"]))
    async with Client(port) as client:  # the other connection was idle for too long
        while json.loads(body)["standings"]["ratings"] != final:
            await asyncio.sleep(0.1)
            _, body, _ = await client.get("/api/tournament")
        print(f"  final intervals {time.monotonic() - added:.1f} s after the last one")
        times = [(await client.get("/api/tournament"))[2] for _ in range(300)]
        judged(f"afterwards, {len(body) / 1000:.0f} kB", times)
        newest = json.loads(body)["newest"]
        assert sorted(each["game"] for each in newest[:2]) == [len(games) - 2, len(games)]


def main() -> None:
    """Run the measurement."""
    parser = argparse.ArgumentParser(description="The live view of a tournament.")
    parser.add_argument("--bots", type=int, default=30)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=15.0, help="of each half of the games")
    arguments = parser.parse_args()
    print(machine())
    bots = arguments.bots
    plan = Plan(("random",) * bots, rounds=-(-arguments.games // (bots * (bots - 1))))
    games = games_of(plan, arguments.games)
    with TemporaryDirectory() as folder:
        path = Path(folder, "class.db")
        agents = [StoredAgent(n, f"bot{n}", f"bots/bot{n}.py") for n in range(bots)]
        with Store.create(path, {"plan": plan.as_dict()}, agents) as store:
            store.add(games[: len(games) // 2])
        begin = time.monotonic()
        with running("--workers", "1", "--store", str(path)) as server:
            asyncio.run(measured(server.port, path, games, arguments.seconds, begin))


if __name__ == "__main__":
    main()
