"""Takes all the memory there is."""


def agent(position):
    kept = []
    while True:
        kept.append(bytearray(10**7))
