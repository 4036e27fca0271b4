"""Schedules: what is played follows from the seed alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.arena import InvalidMatch, Opening, Schedule
from claimeven.arena.games.schedule import generators_of


def drawn(schedule: Schedule) -> list[Any]:
    return [
        (schedule.pairing(n), [g.integers(1 << 30) for g in schedule.generators(n)])
        for n in range(schedule.games)
    ]


def test_a_schedule_is_a_pure_function_of_the_seed() -> None:
    one, again = Schedule(20, 7, Position(), 4), Schedule(20, 7, Position(), 4)
    assert drawn(one) == drawn(again) == drawn(one)
    assert drawn(one)[13] == drawn(Schedule(14, 7, Position(), 4))[13]  # however many games
    other = Schedule(20, 8, Position(), 4)
    assert drawn(one) != drawn(other)
    streams = [stream for _, stream in drawn(one)]
    assert len({number for stream in streams for number in stream}) == 40


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1, 2**32, 2**70])
@pytest.mark.parametrize("number", [0, 1, 2**32 - 1, 2**33])
def test_generators_are_those_of_numpy_for_seed_and_number(seed: int, number: int) -> None:
    for place, generator in enumerate(generators_of(seed, number)):
        words = np.random.SeedSequence([seed, 1, number], spawn_key=(place,))
        expected = np.random.Generator(np.random.PCG64(words))
        for one, other in zip(
            [generator, *generator.spawn(2)], [expected, *expected.spawn(2)], strict=True
        ):
            assert one.bit_generator.state == other.bit_generator.state


@pytest.mark.parametrize("moves", ["", "4", "44"])
@pytest.mark.parametrize("opening_plies", [0, 1, 4, 5])
def test_seats_alternate_and_pairs_share_their_opening(moves: str, opening_plies: int) -> None:
    start = Position.from_moves(moves)
    schedule = Schedule(12, 3, start, opening_plies)
    pairings = [schedule.pairing(n) for n in range(12)]
    for number, pairing in enumerate(pairings):
        assert pairing.number == number
        position = pairing.opening.position
        assert position.ply == start.ply + opening_plies
        assert not position.is_over
        assert pairing.opening.root == start
        assert len(pairing.opening.columns) == opening_plies
        # Agent 0 makes the first move of even games: it has the seat whose turn it is.
        mover = pairing.first ^ position.turn
        assert mover == number % 2
    for even, odd in zip(pairings[::2], pairings[1::2], strict=True):
        assert even.opening == odd.opening
        assert even.first != odd.first
    if opening_plies >= 4:
        assert len({pairing.opening for pairing in pairings}) == 6


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0, 0, Position()), "a match has at least 1 game, not 0"),
        ((1, -1, Position()), "a seed is 0 or more, not -1"),
        ((1, 0, Position(), -1), "an opening has 0 plies or more, not -1"),
        ((math.nan, 0), "games must be a whole number, not nan"),
        ((True, 0), "games must be a whole number, not True"),
        ((2, 0.5), "seed must be a whole number, not 0.5"),
        ((2, 0, Position(), 1.5), "opening_plies must be a whole number, not 1.5"),
        (
            (1, 0, Position.from_moves("1212121")),
            "the game is over in the start position: first player wins",
        ),
    ],
)
def test_impossible_schedules_are_told(arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(InvalidMatch) as caught:
        Schedule(*arguments)
    assert str(caught.value) == sentence
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("plies", "openings", "varied", "before"),
    [
        (0, (), False, 0),
        (3, (), True, 3),
        (0, ((3,),), False, 1),
        (0, ((3, 2), (0, 1)), True, 2),
        (0, ((3,), (0, 1)), True, None),
    ],
)
def test_it_tells_whether_games_begin_differently_and_after_how_many_plies(
    plies: int, openings: tuple[tuple[int, ...], ...], varied: bool, before: int | None
) -> None:
    schedule = Schedule(4, 0, Position.from_moves("4"), plies, openings=openings)
    assert (schedule.is_varied, schedule.plies_before) == (varied, before)


def test_an_opening_that_leaves_no_game_is_told() -> None:
    schedule = Schedule(2, 0, Position(Geometry(2, 2, 3)), 4)
    with pytest.raises(InvalidMatch, match="no random opening of 4 plies was found"):
        schedule.pairing(0)


def test_an_opening_knows_its_moves() -> None:
    opening = Opening(Position(), (3, 3)).then((0,))
    assert opening.moves == "441"
    assert opening.position == Position.from_moves("441")
    assert Opening.of(opening) is opening
    assert Opening.of(Position.from_moves("44")) == Opening(Position.from_moves("44"))


def test_openings_are_taken_in_turn_and_each_agent_moves_first_from_each() -> None:
    openings = ((3,), (0, 1), (2, 2, 2))
    schedule = Schedule(12, 3, Position.from_moves("4"), openings=openings)
    for number in range(12):
        pairing = schedule.pairing(number)
        assert pairing.opening.columns == openings[number // 2 % 3]
        to_move = (pairing.first, 1 - pairing.first)[pairing.opening.position.turn]
        assert to_move == number % 2
    with pytest.raises(InvalidMatch, match="the game is over after 212121"):
        Schedule(2, 3, Position.from_moves("1"), openings=((1, 0, 1, 0, 1, 0),))
