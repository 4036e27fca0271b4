"""Settings for the tests of agents."""

#: Agents to play against, not tests.
collect_ignore = ["bots"]
