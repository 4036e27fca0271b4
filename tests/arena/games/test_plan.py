"""Plans: the games follow from the seed, for any executor."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Limit, Position
from claimeven.agents.process.sandbox import Sandbox
from claimeven.arena.games.openings import Opening, random_openings
from claimeven.arena.games.plan import Plan
from claimeven.arena.options import InvalidMatch
from tests.arena.playing import match

OPENINGS = random_openings(20, 3, 1, Position())
AGENTS = ("random", "greedy", "greedy:win=yes")


def plan(*agents: str, **more: Any) -> Plan:
    return Plan(agents or AGENTS, **{"rounds": 3, "seed": 5, "openings": OPENINGS, **more})


def drawn(what: Plan) -> list[Any]:
    return [
        (what.pairing(n), [g.integers(1 << 30) for g in what.generators(n)])
        for n in range(what.games)
    ]


def test_a_plan_is_a_pure_function_of_the_seed() -> None:
    one, again = (match(games=20, seed=7, opening_plies=4) for _ in range(2))
    assert drawn(one) == drawn(again) == drawn(one)
    assert drawn(one)[:13] == drawn(match(games=13, seed=7, opening_plies=4))  # however many games
    assert drawn(one) != drawn(match(games=20, seed=8, opening_plies=4))
    assert len({number for _, stream in drawn(one) for number in stream}) == 40


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1, 2**32, 2**70])
@pytest.mark.parametrize("number", [0, 1, 2**32 - 1, 2**33])
def test_generators_equal_numpys_for_seed_and_number(seed: int, number: int) -> None:
    for place, generator in enumerate(Plan(("a", "b"), seed=seed).generators(number)):
        words = np.random.SeedSequence([seed, 1, number], spawn_key=(place,))
        expected = np.random.Generator(np.random.PCG64(words))
        for one, other in zip(
            [generator, *generator.spawn(2)], [expected, *expected.spawn(2)], strict=True
        ):
            assert one.bit_generator.state == other.bit_generator.state


@pytest.mark.parametrize("moves", ["", "4", "44"])
@pytest.mark.parametrize("plies", [0, 1, 4, 5])
def test_seats_alternate_and_pairs_share_their_opening(moves: str, plies: int) -> None:
    start = Position.from_moves(moves)
    what = match(games=12, seed=3, start=start, opening_plies=plies)
    pairings = [what.pairing(n) for n in range(12)]
    for number, pairing in enumerate(pairings):
        position = pairing.opening.position
        assert (pairing.number, pairing.pair) == (number, number // 2)
        assert (position.ply, position.is_over) == (start.ply + plies, False)
        assert (pairing.opening.root, len(pairing.opening.columns)) == (start, plies)
        # Agent 0 makes the first move of even games: it has the seat whose turn it is.
        assert pairing.first ^ position.turn == number % 2
    for even, odd in zip(pairings[::2], pairings[1::2], strict=True):
        assert even.opening == odd.opening
        assert even.first != odd.first
    assert plies < 4 or len({pairing.opening for pairing in pairings}) == 6


def test_openings_are_taken_in_turn_and_each_agent_moves_first_from_each() -> None:
    openings = ((3,), (0, 1), (2, 2, 2))
    what = Plan(("random", "greedy"), 6, 3, start=Position.from_moves("4"), openings=openings)
    for number in range(12):
        pairing = what.pairing(number)
        assert pairing.opening.columns == openings[number // 2 % 3]
        assert (pairing.first, pairing.second)[pairing.opening.position.turn] == number % 2
    alone = match(games=4, swap=False)
    assert {alone.pairing(n).first for n in range(4)} == {0}


def test_any_two_meet_in_pairs_with_the_seats_swapped() -> None:
    what = plan()
    pairings = [what.pairing(number) for number in range(what.games)]
    assert what.games == 3 * 3 * 2
    for even, odd in zip(pairings[::2], pairings[1::2], strict=True):
        assert (even.first, even.second) == (odd.second, odd.first)
        assert (even.opening, even.pair) == (odd.opening, odd.pair)
    assert set(Counter(frozenset((p.first, p.second)) for p in pairings).values()) == {6}
    assert len({what.job(number) for number in range(what.games)}) == what.games
    led = plan(kind="gauntlet")
    assert all(0 in (led.pairing(n).first, led.pairing(n).second) for n in range(led.games))
    assert led.games == 2 * 2 * 3


def test_the_id_of_a_game_depends_on_its_settings() -> None:
    assert len({plan(**more).job(0) for more in ({}, {"seed": 6}, {"limit": Limit(depth=1)})}) == 3
    assert plan(rounds=9, sandbox=Sandbox(all_agents=True)).job(7) == plan().job(7)
    # A match is stored as a tournament, its drawn openings written down.
    drawn = match(games=7, seed=2, start="443", opening_plies=3)
    columns = tuple(drawn.opening_of(number).columns for number in range(4))
    stored = Plan(("random", "greedy"), 4, 2, "gauntlet", columns)
    assert {**stored.as_dict(), "max_games": 7} == drawn.as_dict()
    assert (stored.games, drawn.games) == (8, 7)
    for number in range(7):
        assert stored.job(number) == drawn.job(number)
        one, other = stored.pairing(number), drawn.pairing(number)
        assert (one.first, one.opening.position) == (other.first, other.opening.position)


@pytest.mark.parametrize(
    ("asked", "varied", "before"),
    [
        ({}, False, 0),
        ({"opening_plies": 3}, True, 3),
        ({"openings": ["4"]}, False, 1),
        ({"openings": ["43", "12"]}, True, 2),
        ({"openings": ["4", "12"]}, True, None),
    ],
)
def test_rounds_start_differently_after_the_opening_plies(
    asked: dict[str, Any], varied: bool, before: int | None
) -> None:
    what = match(games=4, start="4", **asked)
    assert (what.is_varied, what.plies_before) == (varied, before)


OVER = Position.from_moves("1212121")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"games": 0}, "games must be 1 to 20,000,000, got 0"),
        ({"games": 20_000_001}, "games must be 1 to 20,000,000, got 20,000,001"),
        ({"games": True}, "games must be a whole number, got True"),
        ({"games": 1, "seed": -1}, "seed must be 0 or more, got -1"),
        ({"seed": 0.5}, "seed must be a whole number, got 0.5"),
        ({"opening_plies": -1}, "opening_plies must be 0 or more, got -1"),
        ({"opening_plies": 1.5}, "opening_plies must be a whole number, got 1.5"),
        ({"start": OVER}, "the game is over in the start position: Yellow wins"),
        ({"openings": []}, "openings must have at least one opening"),
        ({"opening": "4"}, "there is no option 'opening' (did you mean openings?): choose from "),
        (
            {"memory_m": 9},
            "there is no option 'memory_m' (did you mean memory_limit_mb?): choose from ",
        ),
        ({"limits": 1}, "there is no option 'limits' (did you mean limit?): choose from "),
    ],
)
def test_impossible_matches(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidMatch) as caught:
        match(**asked)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("agents", "more", "message"),
    [
        (("random",), {}, "2 agents or more, got 1"),
        ((), {"rounds": 0}, "rounds must be 1 to 10,000,000, got 0"),
        ((), {"rounds": 10_000_001}, "rounds must be 1 to 10,000,000, got 10,000,001"),
        ((), {"rounds": 1.5}, "rounds must be a whole number, got 1.5"),
        ((), {"seed": "x"}, "seed must be a whole number, got 'x'"),
        ((), {"kind": "swiss"}, "kind must be round-robin or gauntlet, got 'swiss'"),
        ((), {"openings": ((0, 1, 0, 1, 0, 1, 0),)}, "the game is over after 1212121"),
    ],
)
def test_impossible_plans(agents: tuple[str, ...], more: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidMatch, match=message):
        plan(*agents, **more)


def test_an_opening_that_leaves_no_game_is_reported() -> None:
    with pytest.raises(InvalidMatch, match="no random opening of 4 plies was found"):
        match(geometry=Geometry(2, 2, 3), opening_plies=4).pairing(0)


def test_a_plan_of_the_maximum_of_rounds() -> None:
    assert plan("random", "greedy", rounds=10_000_000).games == 20_000_000


def test_an_opening_knows_its_moves() -> None:
    opening = Opening(Position(), (3, 3)).then((0,))
    assert opening.moves == "441"
    assert opening.position == Position.from_moves("441")
    assert Opening.of(opening) is opening
    assert Opening.of(Position.from_moves("44")) == Opening(Position.from_moves("44"))
