"""Leaves, and asks to be interrupted, by exceptions that are not of the usual kind."""

import sys


def agent(position):
    if position.turn:
        raise KeyboardInterrupt
    sys.exit("enough")
