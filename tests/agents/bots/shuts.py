"""Closes every file descriptor it has."""

import os


def agent(position):
    os.closerange(0, 100)
    return position.legal_columns[0]
