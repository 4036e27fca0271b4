"""A person at the terminal: games and puzzles, what is typed, hints."""
