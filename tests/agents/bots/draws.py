"""Draws from generators it was not given, also as it is loaded."""

import random

import numpy as np

FIRST = random.random()
SECOND = np.random.random()


def agent(position):
    legal = position.legal_columns
    luck = FIRST + SECOND + random.random() + np.random.random()
    return legal[int(luck * 1000) % len(legal)]
