"""Games, puzzles and hints on the terminal."""
