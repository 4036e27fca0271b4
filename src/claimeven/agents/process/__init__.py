"""An agent in a separate process: the match's side of it, and the messages."""
