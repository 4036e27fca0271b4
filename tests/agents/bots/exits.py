"""Ends its process without a word."""

import os


def agent(position):
    os._exit(3)
