"""The agent that searches with the priors and values of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claimeven.agents.base import Agent, Limit
from claimeven.agents.families.model_cache import read_once
from claimeven.agents.families.montecarlo import MonteCarloAgent
from claimeven.agents.options import AgentKind, InvalidSpec, Option
from claimeven.montecarlo.options import MAX_ITERATIONS
from claimeven.montecarlo.puct import PuctSearch
from claimeven.montecarlo.puct.options import BOUNDS, DEFAULT, WHOLE_BOUNDS, PuctOptions
from claimeven.montecarlo.puct.policy_value import InvalidNetwork, PolicyValue
from claimeven.montecarlo.search import BACKENDS
from claimeven.networks.loading import default_policy_value, read_policy_value, suited_options

#: What stands in a spec for the model that comes along.
DEFAULT_MODEL = "default"
#: Iterations of a move where nothing else is said.
USUAL_ITERATIONS = 800


@read_once
def model_of(name: str) -> PolicyValue:
    """Return the model of a file, or the one that comes along. Raises `InvalidSpec`."""
    try:
        return default_policy_value() if name == DEFAULT_MODEL else read_policy_value(name)
    except InvalidNetwork as error:
        raise InvalidSpec(str(error)) from None


def search_of(model: PolicyValue, options: Mapping[str, Any]) -> PuctOptions:
    """Return how an agent with such options searches with a model."""
    told = {name: options[name] for name in vars(DEFAULT)}
    return suited_options(model, **{n: value for n, value in told.items() if value is not None})


def _build(options: Mapping[str, Any]) -> Agent:
    model = model_of(options["model"])
    search = PuctSearch(model, search_of(model, options), options["backend"])
    own = Limit(options["seconds"], options["iterations"])
    return MonteCarloAgent("puct", search, own, Limit(iterations=USUAL_ITERATIONS), remembers=False)


def _number(name: str, text: str) -> Option:
    return Option(name, "float", getattr(DEFAULT, name), text, *BOUNDS[name])


def _suited(name: str, text: str) -> Option:
    """An option that goes by the model where nothing is said."""
    return Option(name, "float", None, f"{text}; else what suits the model", *BOUNDS[name])


def _whole(name: str, text: str) -> Option:
    return Option(name, "int", getattr(DEFAULT, name), text, *WHOLE_BOUNDS[name])


KINDS = (
    AgentKind(
        "puct",
        "Monte Carlo search with the priors and values of a learnt model;"
        f" {USUAL_ITERATIONS} iterations a move where nothing else is said",
        (
            Option("iterations", "int", None, "iterations for a move", 1, MAX_ITERATIONS),
            Option("seconds", "float", None, "wall-clock time for a move", 0.001, 1e6),
            Option("model", "file", DEFAULT_MODEL,
                   "a file that `train` wrote; else one that comes along"),
            _suited("c", "constant of the bonus c * prior * sqrt(N) / (1 + n)"),
            _number("fpu", "how much less than its parent an untried move is taken to be worth"),
            _suited("prior_temperature", "above 1 moves that look bad are tried sooner"),
            _whole("leaves", "most leaves that the model judges at a time"),
            Option("solver", "flag", DEFAULT.solver, "back up proven wins and losses"),
            _number("noise", "how much of the priors at the root is random"),
            _number("temperature", "0: the most visited column; above: drawn, the more evenly"),
            Option("reuse", "flag", DEFAULT.reuse, "keep the tree for the next move"),
            _whole("capacity", "nodes it can store"),
            Option("backend", "choice", "auto", "auto is compiled", choices=BACKENDS),
        ),
        _build,
    ),
)  # fmt: skip
