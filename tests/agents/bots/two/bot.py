"""Plays the column its neighbor says."""

from helper import COLUMN


def agent(position):
    import helper

    assert helper.COLUMN == COLUMN
    return COLUMN if COLUMN in position.legal_columns else position.legal_columns[0]
