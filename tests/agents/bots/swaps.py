"""Forks, and leaves the answer to the copy of itself."""

import os


def agent(position):
    if os.fork():
        os._exit(0)
    return position.legal_columns[0]
