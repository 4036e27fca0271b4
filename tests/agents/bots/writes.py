"""Writes into every open file descriptor, the one of its answers included."""

import contextlib
import os


def agent(position):
    for number in range(3, 1024):
        with contextlib.suppress(OSError):
            os.write(number, b"\xff" * 8)
    return position.legal_columns[0]
