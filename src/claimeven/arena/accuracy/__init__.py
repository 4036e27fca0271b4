"""How good agents' moves are, measured against exact scores."""
