"""Prints a little: on both streams, in letters of all kinds, and as it is loaded."""

import sys

print("loading")


def agent(position):
    print("thinking ☃")
    print("warning", file=sys.stderr)
    return position.legal_columns[0]
