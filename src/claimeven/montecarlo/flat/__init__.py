"""The searches without a selection formula, flat and breadth-first: textbook and kernel."""
