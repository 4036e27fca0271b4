"""Sleeps 0.4 seconds over every move."""

import time


def agent(position):
    time.sleep(0.4)
    return position.legal_columns[0]
