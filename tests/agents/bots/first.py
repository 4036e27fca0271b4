"""Plays the first column that can be played, as a function of a position."""


def agent(position):
    return position.legal_columns[0]
