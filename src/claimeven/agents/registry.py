"""Every agent by name, and specs: `alphabeta:depth=5,eval=windows`, `my_agent.py:agent`."""

from __future__ import annotations

from collections.abc import Sequence

from claimeven.agents import classic, human, montecarlo, perfect, simple
from claimeven.agents.contract import Agent
from claimeven.agents.files import load_agent, split_file_spec
from claimeven.agents.options import AgentKind, InvalidSpec
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.suggestions import no_such

#: Every agent that has a name, in the order they are listed.
AGENTS: dict[str, AgentKind] = {
    kind.name: kind
    for family in (simple, classic, montecarlo, perfect, human)
    for kind in family.KINDS
}


def make_agent(spec: str, geometry: Geometry | None = None) -> Agent:
    """Return a new agent from its spec: `name`, `name:option=value,...` or `file.py:function`.

    Raises `InvalidSpec` naming the choices for an unknown name or option, an option out of its
    range, or a file that is missing or holds no agent; and for an agent that cannot play on the
    board of `geometry`, if one is given.

    >>> make_agent("greedy:win=yes").name
    'greedy:win=yes'
    """
    return make_agents([spec], geometry)[0]


def make_agents(specs: Sequence[str], geometry: Geometry | None = None) -> list[Agent]:
    """Return new agents from their specs; nothing is compiled before all specs are right.

    Raises `InvalidSpec` as `make_agent` does.
    """
    agents = [_agent_of(spec.strip()) for spec in specs]
    for agent in agents:
        try:
            if geometry is not None:
                agent.check_board(geometry)
        except ClaimevenError as error:
            raise InvalidSpec(f"{agent.name} cannot play on {geometry}: {error}") from None
    for agent in agents:
        agent.load()
    return agents


def _agent_of(spec: str) -> Agent:
    name, _, rest = spec.partition(":")
    if name in AGENTS:
        kind = AGENTS[name]
        agent = kind.build(kind.parse(_split_options(rest, spec)))
        agent.name = spec
        return agent
    parts = split_file_spec(spec)
    if parts is not None:
        return load_agent(spec, *parts)
    raise InvalidSpec(
        f"{no_such('agent', name, AGENTS)}, or a Python file such as my_agent.py:agent"
    )


def _split_options(text: str, spec: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in text.split(",") if text else ():
        name, equals, value = part.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InvalidSpec(f"{part!r} in {spec!r} is not of the form option=value")
        if name.strip() in options:
            raise InvalidSpec(f"{name.strip()} stands twice in {spec!r}")
        options[name.strip()] = value.strip()
    return options
