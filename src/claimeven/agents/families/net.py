"""The agent that plays by a neural net alone: one look at the position, no search."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from claimeven.agents.base import Agent, Decision, Limit, one_hot
from claimeven.agents.families.model_cache import read_once
from claimeven.agents.options import AgentKind, InvalidSpec, Option
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.montecarlo.puct.policy_value import Floats, InvalidNetwork
from claimeven.networks.loading import SHIPPED_NET
from claimeven.networks.net import Net, read_net

#: What stands in a spec for the net that comes along.
DEFAULT = "default"


class NetAgent(Agent):
    """Plays the column that a net's policy likes best, the leftmost of equal ones.

    One pass of the net is all it does, so it is within any limit. `Decision.value` is the net's.
    """

    name = "net"

    def __init__(self, net: Net) -> None:
        self.net = net

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidNetwork` for another board than the net's."""
        if geometry != self.net.geometry:
            raise InvalidNetwork(
                f"the net knows {self.net.geometry}, not {geometry}: name one that does, model=FILE"
            )

    def load(self, geometry: Geometry) -> None:
        """Compile the net's code, or load it."""
        self.net.load()

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Judge the position once."""
        start = time.perf_counter()
        self.check_board(position.geometry)
        found = self.net.judge(*np.array([[position.mine], [position.mask]], dtype=np.uint64))
        priors = found.priors[0]
        has_guesses = self.net.knows_scores and not self.net.knows_only_best
        column = int(priors.argmax())
        return Decision(
            column,
            float(found.values[0]),
            one_hot(column, position.geometry.columns),
            seconds=time.perf_counter() - start,
            details={
                **(_guesses(found.scores[0]) if has_guesses else {}),
                "priors": priors.tolist(),
            },
        )


def _guesses(scores: Floats) -> dict[str, Any]:
    """Return what the net takes the columns' scores to be, as a decision tells values."""
    numbers = [None if np.isnan(score) else float(score) for score in scores]
    return {
        "values": numbers,
        "values_are": "guess",
        "value_words": ["." if number is None else f"{number:.1f}" for number in numbers],
    }


@read_once
def net_of(model: str) -> Net:
    """Return the net of a file, or the one that comes along. Raises `InvalidSpec`."""
    try:
        return read_net(SHIPPED_NET if model == DEFAULT else model)
    except InvalidNetwork as error:
        raise InvalidSpec(str(error)) from None


def _build(options: Mapping[str, Any]) -> Agent:
    return NetAgent(net_of(options["model"]))


KINDS = (
    AgentKind(
        "net",
        "plays what a neural net likes best at one look, without search",
        (
            Option(
                "model", "file", DEFAULT,
                "a file that `train distil` or `selfplay` wrote; else one that comes along",
            ),
        ),
        _build,
    ),
)  # fmt: skip
