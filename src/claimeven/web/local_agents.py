"""The agents of a page without a server, as data for its JavaScript."""

from __future__ import annotations

from typing import Any, Final

from claimeven.agents.families import baselines, classic, montecarlo, perfect
from claimeven.evaluation.registry import EVALUATIONS
from claimeven.game.geometry import MAX_CONNECT, MIN_CONNECT, STANDARD
from claimeven.montecarlo.options import PRESETS
from claimeven.web.allowed_agents import CAPS, allowed_agents, levels
from claimeven.web.search_traces import MAX_ITERATIONS, MAX_NODES, MAX_POSITIONS, description_of
from claimeven.web.settings import ServerSettings

#: Agents of the page: all without trained models, a graph, or a search to the end of the game.
_NAMES: Final = {
    kind.name
    for family in (baselines, classic, montecarlo, perfect)
    for kind in family.KINDS
    if kind.name not in ("uct-itu-table", "full")
}
#: Options without an effect there: one thread, kernels only, a new tree for each move.
_FIXED: Final = ("backend", "threads", "table_mb", "transpositions", "reuse")


def local_agents() -> dict[str, Any]:
    """Return the agents with their options, levels, caps, and the meaning of each evaluation.

    `defaults` of a Monte Carlo agent has all its settings, also those that are not options.
    """
    caps = ServerSettings(workers=1).caps
    return {
        "agents": [
            _without_fixed(agent, {**CAPS, **caps})
            for agent in allowed_agents(STANDARD)
            if agent["name"] in _NAMES
        ],
        "levels": levels(),
        "caps": caps,
        "evaluations": {
            name: {n: description_of(each, n) for n in range(MIN_CONNECT, MAX_CONNECT + 1)}
            for name, each in EVALUATIONS.items()
        },
        "depth": classic.DEFAULT_DEPTH,
        "opening_discs": classic.OPENING_DISCS,
        "trace": {
            "iterations": montecarlo.TRACE_ITERATIONS,
            "max_iterations": MAX_ITERATIONS,
            "max_nodes": MAX_NODES,
            "max_positions": MAX_POSITIONS,
        },
    }


def _without_fixed(agent: dict[str, Any], caps: dict[str, Any]) -> dict[str, Any]:
    """Return an agent with the options that have an effect, and its settings."""
    options = [dict(option) for option in agent["options"] if option["name"] not in _FIXED]
    for option in options:
        cap = caps.get(option["name"])
        if cap is not None:
            option["high"] = min(option["high"] or cap, cap)
            option["takes"] = f"{option['takes'].partition(' to ')[0]} to {option['high']:,.0f}"
    settings = vars(PRESETS[agent["name"]]) if agent["name"] in PRESETS else {}
    return {**agent, "options": options, "defaults": dict(settings)}
