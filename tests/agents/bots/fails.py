"""Agents that fail before a game starts, each at another point."""

import os
import sys

from claimeven.agents import Agent


class Base(Agent):
    """Plays the first column."""

    def choose(self, position, limit, rng):
        return position.legal_columns[0]


class InLoad(Base):
    def load(self, geometry):
        raise BaseException("no")


class LeavesInLoad(Base):
    def load(self, geometry):
        sys.exit(5)


class EndsInLoad(Base):
    def load(self, geometry):
        os._exit(5)


class InCheckBoard(Base):
    def check_board(self, geometry):
        raise RuntimeError("too large")


class Unmade(Base):
    def __init__(self):
        raise KeyboardInterrupt
