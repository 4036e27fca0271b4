"""An agent class with every detail in its decisions, a trace and a tree."""

import numpy as np

from claimeven.agents import Agent, Decision, TreeView


class Telling(Agent):
    """Draws its column from its generator."""

    def choose(self, position, limit, rng):
        column = int(rng.choice(position.legal_columns))
        policy = np.zeros(position.geometry.columns)
        policy[column] = 1
        return Decision(
            column,
            value=np.float64(0.25),
            policy=policy,
            score=2,
            depth=limit.depth,
            nodes=np.int64(10),
            iterations=limit.iterations,
            details={"values": [None] * position.geometry.columns, "line": [column], "odd": {1}},
        )

    def trace(self, position, limit, rng):
        yield f"ply {position.ply}"
        raise LookupError("lost")

    def tree(self, depth, nodes):
        return TreeView("text", {"depth": depth}, "<svg/>")
