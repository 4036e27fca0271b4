"""Takes all the memory there is, and never lets go of it."""

KEPT = []


def agent(position):
    while True:
        KEPT.append(bytearray(10**6))
