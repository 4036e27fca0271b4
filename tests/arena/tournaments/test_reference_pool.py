"""The standing pool: its games follow the rules, can be played again, and give the ladder."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from bench.make_pool import games_text

from claimeven.arena.games.referee import Referee
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.standings import Standings
from tests import naive


def test_every_game_follows_the_rules_and_ends_as_it_says() -> None:
    for played in reference_pool.pool_standings().games[::20]:
        game = naive.Game()
        for letter in played.all_moves:
            game = game.play(int(letter) - 1)
        assert game.over()
        assert naive.winner(game) == played.winner


def test_rounds_share_an_opening_and_pairs_swap_seats() -> None:
    games = reference_pool.pool_standings().games
    twos = len(reference_pool.AGENTS) * (len(reference_pool.AGENTS) - 1)
    assert len(games) == reference_pool.ROUNDS * twos
    for of_round in range(reference_pool.ROUNDS):
        openings = {game.opening for game in games[of_round * twos : (of_round + 1) * twos]}
        assert len(openings) == 1 and {len(each) for each in openings} == {reference_pool.PLIES}
    assert len({game.opening for game in games}) == reference_pool.ROUNDS
    for even, odd in zip(games[::2], games[1::2], strict=True):
        assert even.agents == odd.agents[::-1]


def test_the_games_are_those_that_the_agents_play() -> None:
    games, perfect = reference_pool.pool_standings().games, reference_pool.AGENTS.index("perfect")
    with closing(Referee(reference_pool.pool_plan())) as referee:
        for number in range(0, len(games), 97):
            # The games of perfect take the longest by far.
            if perfect not in games[number].agents:
                assert referee.play(number).all_moves == games[number].all_moves


def test_the_ladder_is_in_the_order_anyone_would_expect() -> None:
    ladder = reference_pool.pool_ladder()
    assert [rating.agent for rating in ladder.ratings] == list(reversed(reference_pool.AGENTS))
    assert [
        rating.elo.value for rating in ladder.ratings if rating.agent == reference_pool.ANCHOR
    ] == [0]
    standings = reference_pool.pool_standings()
    assert standings.unique_games == len(standings.games)
    assert reference_pool.pool_digest() == "65a513d56605"


def test_games_without_the_anchor_have_a_ladder_of_their_own() -> None:
    standings = reference_pool.pool_standings()
    ladder = reference_pool.ladder_of(Standings.of(standings.agents, standings.games[:2]))
    assert (ladder.anchor, {rating.agent for rating in ladder.ratings}) == (
        None, {"random", "greedy"},
    )  # fmt: skip


def test_bundled_games_are_distinguished_from_others() -> None:
    games = list(reference_pool.pool_standings().games[:10])
    assert reference_pool.same_games(games) == 10
    assert reference_pool.same_games([replace(games[0], moves="1"), *games[1:]]) == 9


def test_the_file_equals_its_games() -> None:
    games = reference_pool.pool_standings().games
    assert games_text(games) == reference_pool.GAMES.read_bytes()
