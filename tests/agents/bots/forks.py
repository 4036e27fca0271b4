"""Answers twice: it forks, and both processes go on."""

import os


def agent(position):
    os.fork()
    return position.legal_columns[0]
