"""An agent in a process of its own: the side of the match, and what goes to and fro."""
