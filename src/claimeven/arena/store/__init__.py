"""Games in a file: stored, listed, exported, and brought in from elsewhere."""
