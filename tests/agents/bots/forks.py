"""Answers twice: it forks, and both processes continue."""

import os


def agent(position):
    os.fork()
    return position.legal_columns[0]
