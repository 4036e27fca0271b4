"""The neighbor of the bot next to it."""

COLUMN = 1
