"""Plays further to the right with every game it has started."""

from claimeven.agents import Agent, Decision


class Counting(Agent):
    """Counts its games."""

    stateful = True
    limits = frozenset(("depth",))
    games = 0

    def reset(self):
        self.games += 1

    def choose(self, position, limit, rng):
        legal = position.legal_columns
        return Decision(legal[self.games % len(legal)], depth=limit.depth)
