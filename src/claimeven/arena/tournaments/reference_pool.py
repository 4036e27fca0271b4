"""The reference pool: named agents from random to perfect, and their games among each other.

Its agents have budgets that no clock decides, so the pool plays the same games everywhere and in a
few minutes. The games are part of the package; a new agent is placed on the ladder by its own games
against the pool (`placement`). A pool never changes under its version.

The games are text packed with gzip, one a line in the order of the schedule:

```text
    215731 44443526371 2      opening, moves after it, result: 1 first player won, 2 second, = draw
```

They are made by `bench/make_pool.py`.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from claimeven.arena.games.game import Game
from claimeven.arena.games.plan import Plan
from claimeven.arena.options import InvalidMatch
from claimeven.arena.tournaments.run import stored_agents
from claimeven.arena.tournaments.standings import Standings
from claimeven.game.notation import parse_moves
from claimeven.game.position import Position
from claimeven.ratings.ladder import Ladder

VERSION = 1
#: The agents, about weakest first.
AGENTS = (
    "random",
    "greedy",
    "alphabeta:depth=1,eval=triples",
    "flat:iterations=50",
    "greedy:win=yes,block=yes",
    "alphabeta:depth=2,eval=triples",
    "alphabeta:depth=4,eval=triples",
    "uct:iterations=100",
    "alphabeta:depth=6",
    "uct:iterations=500",
    "uct:iterations=2500",
    "perfect",
)
#: The agent whose rating is 0, from the middle of the ladder: the others' intervals are narrowest.
ANCHOR = "uct:iterations=100"
#: Pairs of games of every two agents, plies of their different openings, and the seed.
ROUNDS, PLIES, SEED = 16, 6, 1
#: Hexadecimal digits of a digest that are shown.
DIGEST_SHOWN = 12

GAMES = Path(__file__).parents[1] / "data" / f"pool-v{VERSION}.txt.gz"
RESULTS = {"1": 0, "2": 1, "=": None}


def pool_plan(rounds: int = ROUNDS) -> Plan:
    """Return the plan of the pool: a round robin from the openings of its games."""
    return Plan(AGENTS, rounds_within(rounds), SEED, openings=pool_openings())


def rounds_within(rounds: int) -> int:
    """Return a number of rounds if the pool has an opening for each."""
    if not 1 <= rounds <= ROUNDS:
        raise InvalidMatch(f"rounds must be 1 to {ROUNDS}, the openings of the pool, got {rounds}")
    return rounds


@cache
def pool_openings() -> tuple[tuple[int, ...], ...]:
    """Return the openings of the rounds, as 0-based columns."""
    geometry = Position().geometry
    first_of_round = _lines()[:: len(AGENTS) * (len(AGENTS) - 1)]
    return tuple(tuple(parse_moves(line.split()[0], geometry)) for line in first_of_round)


def pool_digest() -> str:
    """Return the first digits of a digest of agents and games, to compare pools."""
    text = "\n".join((*AGENTS, *_lines()))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_SHOWN]


@cache
def pool_standings() -> Standings:
    """Return the standings of the bundled games."""
    return Standings.of(stored_agents(pool_plan()), _games(pool_plan(), _lines()))


@cache
def pool_ladder() -> Ladder:
    """Return the ladder of the bundled games; `ANCHOR` has the rating 0.

    >>> [rating.agent for rating in pool_ladder().ratings][::11]
    ['perfect', 'random']
    """
    return ladder_of(pool_standings())


def ladder_of(standings: Standings) -> Ladder:
    """Return the ladder of games of the pool, some of them perhaps not played yet."""
    played = any(ANCHOR in (game.first, game.second) for game in standings.rated)
    return standings.ladder_at(ANCHOR if played else None)


def same_games(games: Iterable[Game]) -> int:
    """Return the number of games that equal the bundled ones, move for move."""
    known = {game.job: game.all_moves for game in pool_standings().games}
    return sum(known.get(game.job) == game.all_moves for game in games)


@cache
def _lines() -> tuple[str, ...]:
    return tuple(gzip.decompress(GAMES.read_bytes()).decode().splitlines())


def _games(plan: Plan, lines: Iterable[str]) -> Iterator[Game]:
    for number, line in enumerate(lines):
        opening, moves, result = line.split()
        pairing = plan.pairing(number)
        job, pair = plan.job_of(pairing), pairing.pair
        yield Game(
            job, number, pair, pairing.first, pairing.second, opening, moves, RESULTS[result]
        )
