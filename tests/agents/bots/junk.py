"""Answers with a value that is not a column."""


def agent(position):
    return {"column": "three"}
