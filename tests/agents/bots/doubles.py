"""Forks with its first move; the other process waits for long."""

import os
import time

forks = []


def agent(position):
    if not forks:
        forks.append(os.fork())
        if not forks[0]:
            time.sleep(1000)
    return position.legal_columns[0]
