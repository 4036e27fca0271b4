"""Stores made by hand for the tests of the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from claimeven.arena.games.game import Game
from claimeven.arena.store.store import Store, StoredAgent

#: Names that would do harm without escapes.
EVIL = "<script>window.harm = 1</script>"
QUOTED = "\"'><img src=x onerror='window.harm = 1'>"
REASON = "</script><script>window.harm = 2</script> </p><h1>&amp;"

AGENTS = (
    StoredAgent(0, "greedy", "greedy"),
    StoredAgent(1, EVIL, f"bots/{EVIL}.py", "ab12"),
    StoredAgent(2, QUOTED, "{{ 7 * 7 }}"),
)
PLAN = {"kind": "round-robin", "rounds": 2, "seed": 3, "columns": 7, "rows": 6, "connect": 4,
        "start": [0, 0], "limit": {"seconds": 1.0, "bank": 60, "depth": None}}  # fmt: skip
#: The moves of a game that ends in a draw, and of one that the second player wins.
DRAWN, SECOND_WINS = "547125662261271266215743771576315353334444", "12127272"
TOLD = {"seconds": [0.001] * 7, "value": [0.5, None, 0.5, None, 0.5, None, 1.0]}


def made(path: Path, games: list[Game], meta: dict[str, Any] | None = None) -> Path:
    """Write a store of these games and return its path."""
    result = {"plan": PLAN, "command": f"claimeven tournament {EVIL}"} if meta is None else meta
    with Store.create(path, result, AGENTS) as store:
        store.add(games)
    return path


def game(number: int, first: int, second: int, moves: str, winner: int | None, **more: Any) -> Game:
    """A game of a store."""
    job, pair = f"job{number:06}", number // 2
    return Game(job, number, pair, first, second, "", moves, winner, **more)


def some_games() -> list[Game]:
    """A few games of all three agents: won, drawn, forfeited, left."""
    return [
        game(0, 0, 1, "1213141", 0, move_stats=TOLD),
        game(1, 1, 0, "1213141", 0),
        game(2, 0, 2, "44", 0, fault="crash", fault_seat=1, reason=REASON),
        game(3, 2, 0, DRAWN, None),
        game(4, 1, 2, "4", 1, fault="stall", fault_seat=0, reason="no answer after 3 s"),
        game(5, 2, 1, "1213141", 0),
        game(6, 0, 1, "445", None, finished=False),
    ]


SMALL_PLAN = {**PLAN, "columns": 4, "rows": 4, "connect": 3}
SECONDS = {"seconds": [0.01, 0.002] * 8}
#: Games on a board that is solved immediately.
GAMES = [
    game(0, 0, 1, "14322444311", 0, move_stats=SECONDS),
    game(1, 1, 0, "2411213", 0, move_stats=SECONDS),
    game(2, 2, 1, "312331144132", 1, move_stats=SECONDS),
    game(3, 1, 2, "24444333312", 0, move_stats=SECONDS),
    game(4, 0, 2, "3", 0, fault="crash", fault_seat=1, reason="it broke"),
    game(5, 2, 0, "434414111332", 1, move_stats=SECONDS),
]
