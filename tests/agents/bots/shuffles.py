"""Draws an order of columns as a game starts, from a generator that everybody shares."""

import random

from claimeven import Agent, Decision


class Shuffles(Agent):
    def reset(self):
        self.order = random.sample(range(16), 16)

    def choose(self, position, limit, rng):
        return Decision(min(position.legal_columns, key=self.order.index))
