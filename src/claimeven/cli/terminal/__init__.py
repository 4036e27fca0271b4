"""Games on the terminal, and the prompt of games and puzzles."""
