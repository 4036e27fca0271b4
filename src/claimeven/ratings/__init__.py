"""Ratings, Elo differences and sequential tests from results of games, with intervals.

The package knows numbers and names only, no game and no agent: `pentanomial` counts pairs of games
of two agents, `sprt` tests them, `ladder` rates many agents, by `bradley_terry`.
"""
