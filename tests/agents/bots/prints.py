"""Prints without measure before it answers: 5 MB of it."""


def agent(position):
    for _ in range(5):
        print("x" * 10**6)
    return position.legal_columns[0]
