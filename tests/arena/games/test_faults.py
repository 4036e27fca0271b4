"""Faults of agents in a tournament: distinguished, stored with their reasons, at no cost to
others."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from claimeven import Limit, Position
from claimeven.agents import Sandbox, make_agent
from claimeven.arena import Opening
from claimeven.arena.games.game import Game
from claimeven.arena.games.plan import Plan
from claimeven.arena.games.referee import play_game
from claimeven.arena.tournaments.run import open_store, run, stored_agents
from claimeven.arena.tournaments.standings import Standings
from claimeven.game.notation import format_moves

BOTS = Path(__file__).parents[2] / "agents" / "bots"
#: The first column is full where the agents start.
OPENING = (0,) * 6

#: Bots of a tournament without a clock: the kind of their faults and how the reason starts.
FAULTS = {
    "raises": ("crash", "raised RuntimeError: \\x1b[31mbroken\\x07 ☃"),
    "leaves": ("crash", "raised "),
    "exits": ("crash", "ended its process: exit status 3"),
    "crashes": ("crash", "ended its process: signal SIGSEGV"),
    "killed": ("crash", "ended its process: signal SIGKILL"),
    "swaps": ("crash", "ended its process: exit status 0"),
    "writes": ("crash", "wrote to the connection of its process"),
    "shuts": ("crash", "ended its process: "),
    "hoards": ("memory", "raised MemoryError: it needs more than its limit of 300 MB"),
    "eats": ("memory", "raised MemoryError: it needs more than its limit of 300 MB"),
    "junk": ("illegal", "returned {'column': 'three'} instead of a column number"),
    "full": ("illegal", "returned column 0 (counted from 0), which is full: legal were 1, 2"),
}
#: Bots that only look dangerous.
HARMLESS = ("forks", "floods", "lingers")


def tournament(path: Path, *names: str, **more: Any) -> tuple[Plan, list[Game]]:
    """Play `random` against bots and `greedy`, a pair of games each; return the stored games."""
    specs = [str(BOTS / f"{name}.py") for name in names]
    default: dict[str, Any] = {"rounds": 1, "seed": 5, "kind": "gauntlet", "openings": (OPENING,)}
    plan = Plan(("random", *specs, "greedy"), **{**default, **more})
    with open_store(path, plan, resume=False) as store:
        return plan, sorted(run(plan, None, store), key=attrgetter("number"))


def games_of(name: str, plan: Plan, games: list[Game]) -> list[Game]:
    (agent,) = [place for place, spec in enumerate(plan.names) if Path(spec).stem == name]
    found = [game for game in games if agent in game.agents]
    assert {game.first for game in found} == {0, agent}
    return found


def test_faults_are_distinguished_and_affect_no_other_game(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plan, games = tournament(
        tmp_path / "s.db", *FAULTS, *HARMLESS, sandbox=Sandbox(memory_limit_mb=300)
    )
    assert [game.number for game in games] == list(range(plan.games))
    for name, (kind, reason) in FAULTS.items():
        for game in games_of(name, plan, games):
            assert (name, game.fault) == (name, kind)
            assert (game.reason or "").startswith(reason)
            assert game.fault_seat is not None
            assert game.agents[game.fault_seat] != 0
            assert game.winning_agent == 0
    for name in (*HARMLESS, "greedy"):
        for game in games_of(name, plan, games):
            assert (name, game.fault, game.reason) == (name, None, None)
            assert Position.from_moves(game.all_moves).is_over
    standings = Standings.of(stored_agents(plan), games)
    assert standings.forfeits == {"crash": 16, "memory": 4, "illegal": 4}
    out, err = capfd.readouterr()
    assert (len(out), len(err) < 100_000) == (0, True)
    # The others play as they would without it.
    for game in games_of("greedy", plan, games):
        seats = [make_agent(plan.names[agent]) for agent in game.agents]
        generators = plan.generators(game.number)
        alone = play_game(
            seats,
            Opening(Position(), OPENING),
            Limit(),
            generators if game.first == 0 else generators[::-1],
        )
        assert format_moves(alone.columns, plan.geometry) == game.moves


def test_too_late_and_never_are_distinguished(tmp_path: Path) -> None:
    plan, games = tournament(tmp_path / "s.db", "slow", "stalls", limit=Limit(seconds=0.1))
    assert len(games) == plan.games
    late = "took over 0.25 s more than the 0.1 s it had for a move"
    for name, kind in (("slow", "time"), ("stalls", "stall")):
        result = {(game.fault, game.reason) for game in games_of(name, plan, games)}
        assert result == {(kind, late)}
    assert {game.fault for game in games_of("greedy", plan, games)} == {None}
