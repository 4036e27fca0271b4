"""Evaluations that the agents of a match told of: for a game and for a move."""

from __future__ import annotations

from claimeven import Position
from claimeven.arena import MatchPlan, MatchResult, Schedule, play_games
from claimeven.minimax import MinimaxSearch

POLITO = "alphabeta-polito"


def test_evaluations_are_those_of_every_search_of_the_games() -> None:
    plan = MatchPlan((POLITO, "random"), Schedule(4, 3, Position()))
    games = tuple(play_games(plan, 1))
    result = MatchResult(plan, games, 1.0)
    counted = searches = 0
    for played in games:
        position = played.game.start
        for column in played.game.columns:
            if (position.turn == 0) == (played.first == 0) and position.ply >= 2:
                search = MinimaxSearch("alphabeta", "sequences", "left")
                counted += search.search(position, 3).counters.evaluations
                searches += 1
            position = position.play(column)
    assert result.evaluations_a_game(0) == counted / 4
    # The first move is made without a search, so it counts for none.
    assert result.measures(0).mean("evaluations") == counted / searches
    assert result.evaluations_a_game(1) is None
    assert result.as_dict()["evaluations_per_game"] == [counted / 4, None]
