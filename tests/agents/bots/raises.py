"""Fails, with a message full of escape codes."""


def agent(position):
    raise RuntimeError("\x1b[31mbroken\x07 ☃")
