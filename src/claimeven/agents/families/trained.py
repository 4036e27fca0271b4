"""Agents with a trained model: a net or an n-tuple network, with or without a search."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from claimeven.agents.base import Agent, Decision, Limit, one_hot
from claimeven.agents.families.classic import SearchAgent
from claimeven.agents.families.montecarlo import MonteCarloAgent
from claimeven.agents.files import load_function, split_file_spec
from claimeven.agents.options import (
    BACKEND,
    DEEPENING,
    ORDER,
    SECONDS,
    AgentKind,
    InvalidSpec,
    Option,
    limit_in,
)
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.minimax.types import PROVEN
from claimeven.montecarlo.options import MAX_ITERATIONS
from claimeven.montecarlo.puct import PuctSearch, policy_value
from claimeven.montecarlo.puct.options import BOUNDS, INTEGER_BOUNDS, PuctOptions
from claimeven.montecarlo.puct.options import DEFAULT as DEFAULT_SEARCH
from claimeven.networks import loading
from claimeven.networks.net import Net, read_net
from claimeven.networks.ntuple import SCALE, read_network
from claimeven.networks.ntuple_search import NTupleSearch
from claimeven.networks.own_models import ONNX, PlanesModel, read_onnx

Model = TypeVar("Model")

#: The bundled model in a spec, and the agent that is an n-tuple network without a search.
DEFAULT, ALONE = "default", "ntuple"
#: Default plies of `ntuple-alphabeta`, and default iterations of `puct`.
DEFAULT_DEPTH, DEFAULT_ITERATIONS = 6, 800


def cached_reader(read: Callable[[str], Model], bundled: Path) -> Callable[[str], Model]:
    """Return a function that reads a model once, and again if its file has changed.

    It takes the name of a file, or `DEFAULT` for the `bundled` one, and keeps the last few models.
    It raises `InvalidSpec` for a file that holds no model. Training replaces its model often.
    """

    @lru_cache(maxsize=4)
    def read_version(name: str, version: tuple[int, ...]) -> Model:
        try:
            return read(str(bundled) if name == DEFAULT else name)
        except policy_value.InvalidNetwork as error:
            raise InvalidSpec(str(error)) from None

    return lambda name: read_version(name, _version_of(name))


def _version_of(name: str) -> tuple[int, ...]:
    """Return a value that changes with the file of a name; empty if the file does not exist."""
    try:
        status = Path(name).stat()
    except (OSError, ValueError):
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def read_own(name: str) -> PlanesModel | None:
    """Return the model of code such as `mine.py:Model`, or of an ONNX file; else None.

    Raises `InvalidNetwork` and `InvalidSpec`.
    """
    parts = split_file_spec(name) if ":" in name or name.endswith(".py") else None
    if parts is None:
        return read_onnx(name) if name.endswith(ONNX) else None
    found = load_function(*parts)
    return PlanesModel(found() if isinstance(found, type) else found, name=name)


#: The models of each kind by name.
net_of = cached_reader(lambda name: read_own(name) or read_net(name), loading.BUNDLED_NET)
network_of = cached_reader(read_network, loading.BUNDLED_NTUPLE)
model_of = cached_reader(
    lambda name: read_own(name) or loading.read_policy_value(name), loading.BUNDLED_NET
)


class NetAgent(Agent):
    """Plays the most likely column of a model's policy, the leftmost of equal ones.

    One pass of the model is within any limit. `Decision.value` is the model's expected result.
    """

    name = "net"

    def __init__(self, net: policy_value.PolicyValue) -> None:
        self.net = net

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidNetwork` for another board than the net's."""
        policy_value.bind_board(self.net, geometry)
        if geometry != self.net.geometry:
            raise policy_value.InvalidNetwork(
                f"the net knows {self.net.geometry}, not {geometry}: name one that does, model=FILE"
            )

    def load(self, geometry: Geometry) -> None:
        self.net.load()
        policy_value.bind_board(self.net, geometry)
        policy_value.evaluate_checked(self.net, *np.zeros((2, 1), dtype=np.uint64))

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        start = time.perf_counter()
        self.check_board(position.geometry)
        boards = np.array([[position.mine], [position.mask]], dtype=np.uint64)
        guesses: dict[str, Any] = {}
        if isinstance(self.net, Net):
            found = self.net.predict(*boards)
            values, priors = found.values, found.priors[0]
            if self.net.knows_scores and not self.net.knows_only_best:
                scores = [None if np.isnan(s) else float(s) for s in found.scores[0]]
                words = ["." if score is None else f"{score:.1f}" for score in scores]
                guesses = {"values": scores, "values_are": "guess", "value_words": words}
        else:
            values, (priors,) = policy_value.evaluate_checked(self.net, *boards)
        column = int(priors.argmax())
        return Decision(
            column,
            float(values[0]),
            one_hot(column, position.geometry.columns),
            seconds=time.perf_counter() - start,
            details={**guesses, "priors": priors.tolist()},
        )


class NTupleAgent(SearchAgent):
    """Alpha-beta over an n-tuple network; with a depth of 1 no search.

    `Decision.value` is the network's at the end of the principal variation; 1 or -1 if proven.
    """

    def __init__(self, search: NTupleSearch, own: Limit) -> None:
        super().__init__(search, own, to_the_end=False, center_start=False)

    def unit_value(self, value: float) -> float:
        if abs(value) > PROVEN:
            return 1.0 if value > 0 else -1.0
        return value / SCALE


def _ntuple(default_depth: int, options: Mapping[str, Any]) -> Agent:
    """Return alpha-beta over a network; the depth is for a search without a limit."""
    network, given = network_of(options["model"]), limit_in(options)
    search = NTupleSearch(network, options["order"], options["backend"])
    return NTupleAgent(search, Limit(depth=default_depth) if given.unlimited else given)


def search_of(model: policy_value.PolicyValue, options: Mapping[str, Any]) -> PuctOptions:
    """Return how an agent with such options searches with a model."""
    given = {name: options[name] for name in vars(DEFAULT_SEARCH)}
    return loading.recommended_options(
        model, **{n: value for n, value in given.items() if value is not None}
    )


def _puct(options: Mapping[str, Any]) -> Agent:
    model = model_of(options["model"])
    search = PuctSearch(model, search_of(model, options), options["backend"])
    default = Limit(iterations=DEFAULT_ITERATIONS)
    return MonteCarloAgent("puct", search, limit_in(options), default, stateful=False)


def _model(command: str, more: str = "") -> Option:
    text = f"a file that `{command}` wrote{more}; else the bundled one"
    return Option("model", "file", DEFAULT, text)


def _of_search(name: str, text: str) -> Option:
    default = getattr(DEFAULT_SEARCH, name)
    if isinstance(default, bool):
        return Option(name, "flag", default, text)
    if name in INTEGER_BOUNDS:
        return Option(name, "int", default, text, *INTEGER_BOUNDS[name])
    return Option(name, "float", default, text, *BOUNDS[name])


def _suited(name: str, text: str) -> Option:
    """Return the option for a field whose default depends on the model."""
    return replace(_of_search(name, f"{text}; else what suits the model"), default=None)


#: The other models of searches with priors.
_OTHERS = ", an .onnx file, or mine.py:Model"
_COMPILED = replace(BACKEND, help="auto is compiled")
_NTUPLE = (_model("train ntuple"), ORDER, _COMPILED)

KINDS = (
    AgentKind(
        ALONE, "plays to the position that a trained n-tuple network likes best", _NTUPLE,
        partial(_ntuple, 1),
    ),
    AgentKind(
        "ntuple-alphabeta",
        "alpha-beta with that network at its leaves",
        (
            Option(
                "depth", "int", None,
                f"plies to look ahead; {DEFAULT_DEPTH} without another limit", 1, 256,
            ),
            *DEEPENING,
            *_NTUPLE,
        ),
        partial(_ntuple, DEFAULT_DEPTH),
    ),
    AgentKind(
        "net", "plays the favorite column of a neural net, without search",
        (_model("train distil` or `selfplay", _OTHERS),),
        lambda options: NetAgent(net_of(options["model"])),
    ),
    AgentKind(
        "puct",
        "Monte Carlo search with the priors and values of a trained model;"
        f" {DEFAULT_ITERATIONS} iterations a move by default",
        (
            Option("iterations", "int", None, "iterations for a move", 1, MAX_ITERATIONS),
            SECONDS,
            _model("train", _OTHERS),
            _suited("c", "constant of the bonus c * prior * sqrt(N) / (1 + n)"),
            _of_search("fpu", "how much less than its parent an untried move is taken to be worth"),
            _suited("prior_temperature", "above 1 moves that look bad are tried sooner"),
            _of_search("leaves", "most leaves that the model judges at a time"),
            _of_search("solver", "back up proven wins and losses"),
            _of_search("noise", "how much of the priors at the root is random"),
            _of_search("temperature", "0: the most visited column; above: drawn, the more evenly"),
            _of_search("reuse", "keep the tree for the next move"),
            _of_search("capacity", "nodes it can store"),
            _COMPILED,
        ),
        _puct,
    ),
)  # fmt: skip
