"""The games: one game, a match of two agents, the schedule and the openings of it."""
