"""Every agent by name, and specs: `alphabeta:depth=5,eval=windows`, `my_agent.py:agent`, the
address of a server, `http://127.0.0.1:8000/play`, or an agent of another program, `prefix:text`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from claimeven.agents.base import LIMITS, Agent, InvalidLimit, Limit
from claimeven.agents.external import FOREIGN, split_foreign
from claimeven.agents.families import baselines, classic, montecarlo, perfect, trained
from claimeven.agents.files import file_of, files_of, split_file_spec
from claimeven.agents.function_agent import as_agent, name_of
from claimeven.agents.http_agent import HttpAgent, is_address
from claimeven.agents.options import AgentKind, InvalidSpec, split_options
from claimeven.agents.process.agent import MAX_PROCESSES, ProcessAgent
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.sanitize import described, traceback_of
from claimeven.agents.source_snapshot import exists, refusal_of
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.suggestions import did_you_mean, did_you_mean_file, no_such

#: A participant of a game: a spec, an agent, a class of agents, a function.
AgentLike = str | Agent | type[Agent] | Callable[..., Any]

#: Agents that are tried at a time to find those that are broken.
_AT_ONCE = 4

#: Every agent that has a name, in the order they are listed.
AGENTS: dict[str, AgentKind] = {
    kind.name: kind
    for family in (baselines, classic, montecarlo, trained, perfect)
    for kind in family.KINDS
} | {baselines.HUMAN.name: baselines.HUMAN}


def make_agent(
    spec: AgentLike,
    geometry: Geometry | None = None,
    limit: Limit | None = None,
    sandbox: Sandbox | None = None,
) -> Agent:
    """Return a new agent from its spec: `name`, `name:option=value,...`, `file.py:function` or, of
    another program, `prefix:text`.

    An agent that runs code from a file plays in a process of its own (see `ProcessAgent`), all
    others in this one unless `sandbox` says otherwise. An `Agent`, or a function, is an agent
    already and may stand for a spec.

    Raises `InvalidSpec` naming the choices for an unknown name or option, an option out of its
    range, or a file that is missing or holds no agent; for an agent that cannot play on the board
    of `geometry`, if one is given, or not in a process of its own. Raises `InvalidLimit` for a
    `limit` it does not know.

    >>> make_agent("greedy:win=yes").name
    'greedy:win=yes'
    """
    return make_agents([spec], geometry, limit, sandbox)[0]


def make_agents(
    specs: Sequence[AgentLike],
    geometry: Geometry | None = None,
    limits: Limit | Sequence[Limit] | None = None,
    sandbox: Sandbox | None = None,
    lazy_start: bool = False,
) -> list[Agent]:
    """Return new agents from their specs; nothing is compiled before all specs are right.

    `limits` is one limit for all agents, or one for each; each agent must support its limit. With
    `lazy_start` the process of an agent is started at its first use and not tried here.

    Raises `InvalidSpec` and `InvalidLimit` as `make_agent` does.
    """
    agents: list[Agent] = []
    try:
        agents.extend(_agent_of(spec, sandbox or Sandbox(), lazy_start=True) for spec in specs)
        if limits is None or isinstance(limits, Limit):
            limits = [limits or Limit()] * len(agents)
        if not isinstance(limits, Sequence) or len(limits) != len(agents):
            raise InvalidLimit(
                f"limits are a Limit, as Limit(seconds=1), or one for each agent, not {limits!r}"
            )
        tried = [
            (agent, limit)
            for agent, limit in zip(agents, limits, strict=True)
            if not (lazy_start and isinstance(agent, ProcessAgent))
        ]
        _check_ready(tried, geometry)
        _load([agent for agent, _ in tried], geometry)
        for agent, limit in zip(agents, limits, strict=True):
            if isinstance(agent, ProcessAgent):
                agent.note_board(geometry or Geometry())
                agent.note_limit(limit)
    except BaseException:
        for agent, spec in zip(agents, specs, strict=False):
            if isinstance(spec, str):
                agent.close()
        raise
    return agents


def parse_spec(spec: str) -> tuple[AgentKind, Mapping[str, Any]]:
    """Return the kind and all options of a spec of a name. Raises `InvalidSpec`."""
    kind, given = options_in(spec)
    return kind, kind.parse(given)


def options_in(spec: str) -> tuple[AgentKind, dict[str, str]]:
    """Return the kind of a spec of a name and the options in its text. Raises `InvalidSpec`."""
    name, _, rest = spec.partition(":")
    if name not in AGENTS:
        raise InvalidSpec(no_such("agent", name, AGENTS))
    return AGENTS[name], AGENTS[name].renamed(split_options(rest, spec))


def current_spec(spec: str) -> str:
    """Return a spec with the present names of its options; any other text as it is.

    >>> current_spec("uct:first=all,c=2")
    'uct:first_play=all,c=2'
    """
    with suppress(InvalidSpec):
        kind, given = options_in(spec)
        if given:
            return f"{kind.name}:" + ",".join(f"{name}={value}" for name, value in given.items())
    return spec


def find_broken_agents(
    specs: Sequence[str],
    geometry: Geometry | None = None,
    limit: Limit | None = None,
    sandbox: Sandbox | None = None,
    watch: Callable[[str], object] | None = None,
) -> dict[str, ClaimevenError]:
    """Return which agents cannot take part, and why: those that `make_agents` would refuse.

    All are tried, those with processes of their own to the point where they could play; a few at
    a time, so that each has its share of the machine. `watch` is told who is waited for.

    >>> [str(error) for error in find_broken_agents(["greedy", "nobody.py"]).values()]
    ['there is no file nobody.py']
    """
    found: dict[str, ClaimevenError] = {}
    for begin in range(0, len(specs), _AT_ONCE):
        agents: dict[str, Agent] = {}
        try:
            for spec in specs[begin : begin + _AT_ONCE]:
                try:
                    agents[spec] = _agent_of(spec, sandbox or Sandbox())
                except ClaimevenError as error:
                    found[spec] = error
            for spec, agent in agents.items():
                if watch is not None:
                    watch(spec)
                try:
                    _check_ready([(agent, limit or Limit())], geometry)
                    if isinstance(agent, ProcessAgent):
                        _load([agent], geometry)
                except ClaimevenError as error:
                    found[spec] = error
        finally:
            for agent in agents.values():
                agent.close()
    return {spec: found[spec] for spec in specs if spec in found}


def build(spec: str) -> Agent:
    """Return the agent of a spec of a name, here, whatever code it runs. Raises `InvalidSpec`."""
    kind, options = parse_spec(spec)
    agent = kind.build(options)
    agent.name = spec
    agent.trusted = not kind.runs_user_code(options)
    return agent


def is_bounded(spec: str, sandbox: Sandbox) -> bool:
    """Whether the bounds of a sandbox hold for the agent of a spec.

    They do for agents from files and external programs, and with `all_agents` for built-in agents,
    but not for servers. Raises `InvalidSpec` for options that an agent does not have.

    >>> is_bounded("greedy", Sandbox()), is_bounded("greedy", Sandbox(all_agents=True))
    (False, True)
    """
    if spec.partition(":")[0] in AGENTS:
        return _has_process(*parse_spec(spec), sandbox)
    return not is_address(spec)


def _has_process(kind: AgentKind, options: Mapping[str, Any], sandbox: Sandbox) -> bool:
    """Whether an agent of this package plays in a separate process; a person never does."""
    is_separate = sandbox.all_agents or kind.runs_user_code(options)
    return is_separate and kind is not baselines.HUMAN


def _agent_of(agent: AgentLike, sandbox: Sandbox, lazy_start: bool = False) -> Agent:
    if not isinstance(agent, str):
        if sandbox.all_agents:
            raise InvalidSpec(
                f"{name_of(agent)} is an object or a function of this process and cannot play"
                " in one of its own: give a spec such as my_agent.py:agent"
            )
        return as_agent(agent)
    spec = agent.strip()
    if spec.partition(":")[0] in AGENTS:
        if _has_process(*parse_spec(spec), sandbox):
            return ProcessAgent(spec, None, sandbox, lazy_start)
        return build(spec)
    if is_address(spec):
        return HttpAgent(spec)
    foreign = split_foreign(spec)
    if foreign is not None:
        kind, text = foreign
        kind.check_text(text)
        if not kind.own_process:
            return kind.build(text, spec, sandbox)
        files = (text,) if kind.files(text) else ()
        return ProcessAgent(spec, None, sandbox, lazy_start, from_file=bool(files), files=files)
    parts = split_file_spec(spec)
    name, colon, rest = spec.partition(":")
    is_misspelt = bool(colon and did_you_mean(name, FOREIGN)) and not files_of(spec)
    if parts is None or is_misspelt:
        if name.endswith(".py") and file_of(name) is not None:
            raise InvalidSpec(
                f"{name}: takes the name of a function or class of that file, and its options after"
                f" that, {name}:NAME,option=value; not {rest!r}"
            )
        if file_of(f"{name}.py") is not None:
            raise InvalidSpec(f"there is no agent {name!r}: for the file say {name}.py")
        if exists(spec):
            raise InvalidSpec(refusal_of(spec) or f"{spec}: a Python file ends in .py; rename it")
        guess = did_you_mean(name, (*AGENTS, *FOREIGN)) or did_you_mean_file(name)
        raise InvalidSpec(
            f"there is no agent {name!r}{guess}: choose from"
            f" {', '.join(AGENTS)}, a Python file such as my_agent.py:agent, or of other programs"
            f" {', '.join(kind.form for kind in FOREIGN.values())}"
        )
    return ProcessAgent(spec, parts, sandbox, lazy_start)


def _check_ready(agents: Sequence[tuple[Agent, Limit]], geometry: Geometry | None) -> None:
    processes = [agent for agent, _ in agents if isinstance(agent, ProcessAgent)]
    for place, process in enumerate(processes):
        # A few at a time: each has its share of the machine while it is waited for.
        for soon in processes[place : place + _AT_ONCE]:
            soon.start()
        process.make()
        if place >= MAX_PROCESSES:  # it is started again when it plays
            _check_board(process, geometry)
            _load([process], geometry)
            process.close()
    for agent, limit in agents:
        check_limit(agent, limit)
    for agent, _ in agents:
        if agent not in processes[MAX_PROCESSES:]:
            _check_board(agent, geometry)


def _check_board(agent: Agent, geometry: Geometry | None) -> None:
    if geometry is not None:
        with _refusing(f"{agent.name} cannot play on {geometry}"):
            agent.check_board(geometry)


def _load(agents: Sequence[Agent], geometry: Geometry | None) -> None:
    for agent in agents:
        if isinstance(agent, ProcessAgent) and agent.process is None:
            continue  # one of many, and tried already
        with _refusing(f"{agent.name} cannot be loaded"):
            agent.load(Geometry() if geometry is None else geometry)


def check_limit(agent: Agent, limit: Limit) -> None:
    """Raise `InvalidLimit`, naming those it knows, if a limit cannot be asked of an agent."""
    if not isinstance(limit, Limit):
        raise InvalidLimit(f"a limit is a Limit, as Limit(seconds=1), not {limit!r}")
    refused = limit.unsupported(agent.limits)
    if refused:
        known = [name for name in LIMITS if name in agent.limits]
        raise InvalidLimit(
            f"{agent.name} cannot be limited by {refused[0]}:"
            f" it knows {', '.join(known) or 'no limit'}"
        )


@contextmanager
def _refusing(what: str) -> Iterator[None]:
    """Raise one sentence for whatever an agent raises, except Ctrl-C and a want of memory."""
    try:
        yield
    except (KeyboardInterrupt, MemoryError):
        raise
    except ClaimevenError as error:
        raise InvalidSpec(f"{what}: {error}", getattr(error, "traceback", "")) from None
    except BaseException as error:
        raise InvalidSpec(f"{what}: it raised {described(error)}", traceback_of(error)) from error
