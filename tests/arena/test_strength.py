"""Small tournaments: agents are in the expected order, and perfect is first.

The same in full is `bench/ladder.py`.
"""

from __future__ import annotations

from claimeven.arena import play_match, play_tournament


def test_agents_come_out_in_the_order_anyone_would_expect() -> None:
    agents = (
        "random",
        "greedy",
        "greedy:win=yes,block=yes",
        "alphabeta:depth=4,eval=triples",
        "uct:iterations=1000",
        "perfect",
    )
    result = play_tournament(agents, rounds=3, seed=1, openings="balanced", opening_plies=14)
    assert [agent.label for agent in result.standings.ranking] == list(reversed(agents))
    assert not result.standings.forfeits


def test_perfect_moving_first_wins_from_the_empty_board() -> None:
    games = [
        game
        for opponent in ("random", "uct:iterations=500")
        for game in play_match("perfect", opponent, games=12, seed=3).games[::2]
    ]
    assert len(games) == 12
    assert {(game.first, game.winner, game.start.ply) for game in games} == {(0, 0, 0)}
