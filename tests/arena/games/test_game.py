"""One game: its record, and what an agent that does not play brings about."""

from __future__ import annotations

import time

import numpy as np
import pytest

from claimeven import Position
from claimeven.agents import Agent, Decision, Limit, make_agent
from claimeven.agents.base import FaultKind
from claimeven.arena import Measures, Opening, play_game


def generators() -> tuple[np.random.Generator, np.random.Generator]:
    return np.random.default_rng(1), np.random.default_rng(2)


def test_a_game_is_played_to_its_end_and_measured() -> None:
    seats = (make_agent("alphabeta:depth=3"), make_agent("random"))
    seen: list[tuple[Position, int]] = []
    game = play_game(
        seats, Position(), Limit(), generators(), lambda after, column: seen.append((after, column))
    )
    assert game.final.is_over
    assert game.final.outcome is not None
    assert game.winner == game.final.outcome.winner
    assert game.forfeit is None
    assert game.columns == tuple(column for _, column in seen)
    assert seen[-1][0] == game.final
    one, other = game.measures
    assert one.moves + other.moves == len(game.columns)
    assert one.mean("nodes") is not None
    assert other.mean("nodes") is None
    assert other.mean("seconds") is not None


def test_measures_are_the_same_with_decisions_kept_and_without() -> None:
    games = []
    for keep in (False, True):
        seats = (make_agent("alphabeta:depth=2"), make_agent("uct:iterations=20"))
        start = Opening(columns=(3,))
        games.append(play_game(seats, start, Limit(), generators(), keep_decisions=keep))
    brief, whole = games
    assert brief.columns == whole.columns == tuple(told.column for told in whole.decisions)
    assert (brief.decisions, brief.seconds) == ((), ())
    assert len(whole.seconds) == len(whole.columns)
    for one, other in zip(brief.measures, whole.measures, strict=True):
        assert one.moves == other.moves > 0
        assert one.counts == other.counts
        assert one.most_stored == other.most_stored
        assert one.sums | {"seconds": 0.0} == other.sums | {"seconds": 0.0}
    assert whole.measures[1].mean("nodes") is None


def test_measures_count_only_what_is_told() -> None:
    measures = Measures()
    measures.note(Decision(0, nodes=10, depth=2, details={"branching": 3.0}), 1.0)
    measures.note(Decision(0, iterations=7, details={"stored": 70}), 3.0)
    measures.note(Decision(0, details={"stored": 50}), 2.0)
    measures.add(measures)
    assert measures.moves == 6
    assert measures.most_stored == 70
    means = {name: measures.mean(name) for name in measures.sums}
    assert means == {
        "seconds": 2.0,
        "nodes": 10.0,
        "iterations": 7.0,
        "depth": 2.0,
        "branching": 3.0,
        "evaluations": None,
    }
    assert Measures().mean("seconds") is None
    assert Measures().most_stored == 0


class Timed(Agent):
    """Takes so many seconds for a move on a clock that it turns itself, and notes its limits."""

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
    limit = Limit(seconds=2, bank=5)
    game = play_game((quick, slow), Position(), limit, generators())
    assert game.forfeit is not None
    assert (game.winner, game.forfeit.seat, game.forfeit.kind) == (0, 1, FaultKind.TIME)
    assert game.forfeit.reason == (
        "took over 0.25 s more than the 2 s it had for a move and the 1 s left in its bank"
    )
    assert [asked.bank for asked in slow.asked] == [5, 3, 1]
    assert {asked.bank for asked in quick.asked} == {5}
    # The bank is full again in the next game; what lies within the grace empties it.
    slow.seconds, slow.asked = 7.25, []
    game = play_game((quick, slow), Position(), limit, generators())
    assert [asked.bank for asked in slow.asked] == [5, 0]
    assert game.forfeit is not None
    assert game.forfeit.reason.endswith("and the 0 s left in its bank")


def test_a_game_keeps_what_was_told_if_asked() -> None:
    seats = (make_agent("alphabeta:depth=2"), make_agent("random"))
    opening = Opening(Position(), (3, 3, 0))
    kept = play_game(seats, opening, Limit(), generators(), keep_decisions=True)
    assert tuple(decision.column for decision in kept.decisions) == kept.columns
    assert len(kept.seconds) == len(kept.columns)
    assert [decision.depth for decision in kept.decisions[:2]] == [None, 2]
    assert kept.moves.startswith("441")
    assert len(kept.moves) == 3 + len(kept.columns)
    assert kept.final == Position.from_moves(kept.moves)
    plain = play_game(seats, opening, Limit(), generators())
    assert (plain.columns, plain.decisions, plain.seconds) == (kept.columns, (), ())


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
    """Does not begin again."""

    def reset(self) -> None:
        raise RuntimeError("no")


def test_an_agent_that_cannot_be_reset_forfeits() -> None:
    game = play_game((make_agent("random"), Stubborn()), Position(), Limit(), generators())
    assert game.forfeit is not None
    assert (game.forfeit.seat, game.forfeit.reason) == (1, "raised RuntimeError: no")
    assert game.winner == 0
