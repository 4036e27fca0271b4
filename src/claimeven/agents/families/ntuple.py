"""Agents that look positions up in an n-tuple network: alone, and at the leaves of alpha-beta."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from claimeven.agents.base import Agent, Limit
from claimeven.agents.families.classic import SearchAgent
from claimeven.agents.families.model_cache import read_once
from claimeven.agents.options import AgentKind, InvalidSpec, Option
from claimeven.game.geometry import Geometry
from claimeven.minimax.search import BACKENDS
from claimeven.minimax.types import PROVEN
from claimeven.montecarlo.puct.policy_value import InvalidNetwork
from claimeven.networks.ntuple import SCALE, NTupleNetwork
from claimeven.networks.ntuple_file import read_network
from claimeven.networks.ntuple_search import NTupleSearch

#: The agent that is the network and no search.
ALONE = "ntuple"
#: The network that comes along, and what stands for it in a spec.
SHIPPED = Path(__file__).parents[2] / "networks" / "data" / "ntuple-7x6-v1.npz"
DEFAULT = "default"
#: Plies that `ntuple-alphabeta` looks ahead where nothing else limits it.
USUAL_DEPTH = 6


class NTupleAgent(SearchAgent):
    """Alpha-beta over a network; with a depth of 1 the network alone.

    `Decision.value` is what the network makes of the position reached at the end of the principal
    variation, 1 for a win and -1 for a loss that the search has proven.
    """

    def __init__(self, search: NTupleSearch, own: Limit) -> None:
        super().__init__(search, own, to_the_end=False, centre_start=False)

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidNetwork` for another board than the network's."""
        self.search.backend_for(geometry)

    def unit_value(self, value: float) -> float:
        """Return a value of the search as one in [-1, 1]."""
        if abs(value) > PROVEN:
            return 1.0 if value > 0 else -1.0
        return value / SCALE


@read_once
def network_of(model: str) -> NTupleNetwork:
    """Return the network of a file, or the one that comes along. Raises `InvalidSpec`."""
    try:
        return read_network(SHIPPED if model == DEFAULT else model)
    except InvalidNetwork as error:
        raise InvalidSpec(str(error)) from None


def _alone(options: Mapping[str, Any]) -> Agent:
    search = NTupleSearch(network_of(options["model"]), options["order"], options["backend"])
    return NTupleAgent(search, Limit(depth=1))


def _searching(options: Mapping[str, Any]) -> Agent:
    search = NTupleSearch(network_of(options["model"]), options["order"], options["backend"])
    given = Limit(options["seconds"], None, options["depth"], options["nodes"])
    free = given == Limit()
    return NTupleAgent(search, Limit(depth=USUAL_DEPTH) if free else given)


_MODEL = (
    Option("model", "file", DEFAULT, "a file that `train ntuple` wrote; else one that comes along"),
    Option(
        "order", "choice", "centre", "columns tried from there; ties go to the first",
        choices=("centre", "left"),
    ),
    Option("backend", "choice", "auto", "auto is compiled", choices=BACKENDS),
)  # fmt: skip

KINDS = (
    AgentKind(
        ALONE, "plays to the position that a learnt n-tuple network likes best", _MODEL, _alone
    ),
    AgentKind(
        "ntuple-alphabeta",
        "alpha-beta with that network at its leaves",
        (
            Option(
                "depth", "int", None,
                f"plies to look ahead; {USUAL_DEPTH} where nothing else limits the search", 1, 256,
            ),
            Option("seconds", "float", None, "wall-clock time for a move, deepening from 1",
                   0.001, 1e6),
            Option("nodes", "int", None, "positions for a move, deepening from 1", 1),
            *_MODEL,
        ),
        _searching,
    ),
)  # fmt: skip
