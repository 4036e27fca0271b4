"""Totals that grow game by game, against the games counted at once."""

from __future__ import annotations

import random

from claimeven.arena.games.game import Game
from claimeven.arena.store.store import StoredAgent
from claimeven.arena.tournaments.standings import Totals
from claimeven.ratings.pair_counts import RatedGame, gather

AGENTS = tuple(StoredAgent(number, name, name) for number, name in enumerate(("zoe", "ann", "bob")))


def made(rng: random.Random, number: int) -> Game:
    """A game of chance, with every field that counts."""
    first, second = rng.choice([(0, 1), (1, 0), (0, 2), (2, 1), (1, 1)])
    fault_seat = rng.choice([None, None, 0, 1])
    return Game(
        job=str(number),
        number=number,
        pair=rng.choice([None, number // 2, number // 6]),
        first=first,
        second=second,
        opening="44",
        moves=rng.choice(["1213141", "121314"]),
        winner=rng.choice([None, 0, 1]),
        finished=rng.random() < 0.9,
        fault=None if fault_seat is None else "crash",
        fault_seat=fault_seat,
        told={"nodes": [rng.randrange(9) for _ in range(6)]},
    )


def test_the_order_of_the_games_does_not_matter() -> None:
    rng = random.Random(1)
    games = [made(rng, number) for number in range(300)]
    at_once, later = Totals(AGENTS, games), Totals(AGENTS)
    rng.shuffle(games)
    for game in games:
        later.note(game)
    assert later.as_dict(None) == at_once.as_dict(None)
    finished = [game for game in games if game.finished]
    assert later.games == len(finished)
    assert later.unique_games == len({(g.first, g.second, g.all_moves) for g in finished})
    rated = [
        RatedGame(
            (game.pair if game.pair is not None else game.job, *sorted(game.agents)),
            AGENTS[game.first].label,
            AGENTS[game.second].label,
            0.5 if game.winner is None else 1 - game.winner,
        )
        for game in finished
        if game.first != game.second
    ]
    wanted, found = gather(rated), later.evidence
    assert found.agents == wanted.agents == ("ann", "bob", "zoe")
    for name in ("weights", "counted", "seated", "starts", "twos", "games", "points", "took"):
        assert (getattr(found, name) == getattr(wanted, name)).all()
    for agent, record in later.records.items():
        own = [game for game in finished if agent in game.agents]
        assert record.games == sum(game.first != game.second for game in own)
        assert record.forfeits["crash"] == sum(
            game.fault_seat is not None and game.agents[game.fault_seat] == agent for game in own
        )
