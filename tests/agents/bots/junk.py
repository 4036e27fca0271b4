"""Answers with something that is no column."""


def agent(position):
    return {"column": "three"}
