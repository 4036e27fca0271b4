"""One game: its record, and what an agent that does not play brings about."""

from __future__ import annotations

import numpy as np

from claimeven import Position
from claimeven.agents import Agent, Decision, Limit, make_agent
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

    __hash__ = None  # type: ignore[assignment]
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
