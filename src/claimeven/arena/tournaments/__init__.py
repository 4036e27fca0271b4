"""Games of many agents in a store, and what follows from them: standings and the ladder."""
