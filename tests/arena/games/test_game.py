"""One game: its record, and the result of an agent that does not play."""

from __future__ import annotations

import time

import numpy as np
import pytest

from claimeven import Position
from claimeven.agents import Agent, Decision, Limit, make_agent
from claimeven.agents.base import FaultKind
from claimeven.arena import Opening
from claimeven.arena.games.game import figures_of
from claimeven.arena.games.referee import play_game


def generators() -> tuple[np.random.Generator, np.random.Generator]:
    return np.random.default_rng(1), np.random.default_rng(2)


def test_a_game_is_played_to_its_end_with_its_figures() -> None:
    seats = (make_agent("alphabeta:depth=3"), make_agent("uct:iterations=20"))
    game = play_game(seats, Position(), Limit(), generators(), keep_decisions=True)
    position = Position()
    for decision in game.decisions:
        position = position.play(decision.column)
    assert game.final.is_over and game.final.outcome is not None
    assert (game.winner, game.forfeit) == (game.final.outcome.winner, None)
    assert game.columns == tuple(decision.column for decision in game.decisions)
    assert position == game.final
    one, other = (len(game.columns[seat::2]) for seat in (0, 1))
    counts = {
        name: [len(game.figures(agent, name)) for agent in (0, 1)] for name in game.move_stats
    }
    assert counts["seconds"] == [one, other] and counts["depth"][0] == one
    assert (counts["nodes"][1], counts["iterations"][0], counts["stored"][0]) == (0, 0, 0)
    assert set(game.figures(1, "iterations")) <= {0, 20} and sum(counts["stored"]) > 0
    assert game.seconds == pytest.approx(sum(filter(None, game.move_stats["seconds"])), abs=1e-4)


def test_decisions_are_stored_on_request_without_effect() -> None:
    games = []
    for keep in (False, True):
        seats = (make_agent("alphabeta:depth=2"), make_agent("uct:iterations=20"))
        opening = Opening(Position(), (3, 3, 0))
        games.append(play_game(seats, opening, Limit(), generators(), keep_decisions=keep))
    brief, whole = games
    assert brief.columns == whole.columns == tuple(result.column for result in whole.decisions)
    assert (brief.decisions, brief.opening, whole.start) == ((), "441", opening.position)
    assert brief.move_stats.keys() == whole.move_stats.keys()
    assert all(
        brief.move_stats[name] == whole.move_stats[name]
        for name in brief.move_stats
        if name != "seconds"
    )
    assert whole.final == Position.from_moves(whole.all_moves)


def test_figures_are_only_those_that_are_reported() -> None:
    decisions = [
        Decision(0, nodes=10, depth=2, details={"branching": 3.0}),
        Decision(0, iterations=7, details={"stored": 70}),
        Decision(0, details={"stored": 50}),
    ]
    assert figures_of(decisions, (1.0, 3.0, 2.0)) == {
        "seconds": [1.0, 3.0, 2.0],
        "nodes": [10, None, None],
        "iterations": [None, 7, None],
        "depth": [2, None, None],
        "branching": [3.0, None, None],
        "stored": [None, 70, 50],
    }
    assert figures_of((), ()) == {}


class Timed(Agent):
    """Takes the given seconds for a move on a clock that it sets itself, and notes its limits."""

    def __init__(self, now: list[float], seconds: float) -> None:
        self.now = now
        self.seconds = seconds
        self.asked: list[Limit] = []

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        self.now[0] += self.seconds
        self.asked.append(limit)
        return Decision(position.legal_columns[0])


def test_each_seat_has_a_bank_for_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    quick, slow = Timed(now, 1.5), Timed(now, 4)
    limit = Limit(seconds=2, time_bank=5)
    game = play_game((quick, slow), Position(), limit, generators())
    assert game.forfeit is not None
    assert (game.winner, game.forfeit.seat, game.forfeit.kind) == (0, 1, FaultKind.TIME)
    assert game.forfeit.reason == (
        "took over 0.25 s more than the 2 s it had for a move and the 1 s left in its bank"
    )
    assert [asked.time_bank for asked in slow.asked] == [5, 3, 1]
    assert {asked.time_bank for asked in quick.asked} == {5}
    # The bank is full again in the next game; time within the grace empties it.
    slow.seconds, slow.asked = 7.25, []
    game = play_game((quick, slow), Position(), limit, generators())
    assert [asked.time_bank for asked in slow.asked] == [5, 0]
    assert game.forfeit is not None
    assert game.forfeit.reason.endswith("and the 0 s left in its bank")


class Silent(Agent):
    """Has no answer."""

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        raise RuntimeError("nothing")


class NoHash(Silent):
    """Equal to all of its kind, as a plain dataclass would be, and counting its games."""

    __hash__ = None  # type: ignore[assignment]  # as Python does it
    resets = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoHash)

    def reset(self) -> None:
        self.resets += 1


def test_both_agents_are_reset_before_a_game() -> None:
    one, other = NoHash(), NoHash()
    play_game((one, other), Position(), Limit(), generators())
    assert (one.resets, other.resets) == (1, 1)
    play_game((one, one), Position(), Limit(), generators())
    assert one.resets == 2


class Stubborn(Silent):
    """Does not start again."""

    def reset(self) -> None:
        raise RuntimeError("no")


def test_an_agent_that_cannot_be_reset_forfeits() -> None:
    game = play_game((make_agent("random"), Stubborn()), Position(), Limit(), generators())
    assert game.forfeit is not None
    assert (game.forfeit.seat, game.forfeit.reason) == (1, "raised RuntimeError: no")
    assert game.winner == 0
