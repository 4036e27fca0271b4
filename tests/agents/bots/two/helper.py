"""The neighbour of the bot beside it."""

COLUMN = 2
