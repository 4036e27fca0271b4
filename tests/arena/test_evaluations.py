"""Evaluations in the decisions of a match: for a game and for a move."""

from __future__ import annotations

from claimeven.arena import play_match
from claimeven.minimax import MinimaxSearch

POLITO = "alphabeta-polito"


def test_evaluations_count_every_search_of_the_games() -> None:
    result = play_match(POLITO, "random", games=4, seed=3)
    games = result.games
    counted = searches = 0
    for played in games:
        position = played.start
        for column in played.columns:
            if (position.turn == 0) == (played.first == 0) and position.ply >= 2:
                search = MinimaxSearch("alphabeta", "sequences", "left")
                counted += search.search(position, 3).counters.evaluations
                searches += 1
            position = position.play(column)
    assert result.evaluations_a_game(0) == counted / 4
    # The first move is made without a search, so it does not count.
    assert result.measures(0).mean("evaluations") == counted / searches
    assert result.evaluations_a_game(1) is None
    assert result.as_dict()["evaluations_per_game"] == [counted / 4, None]
