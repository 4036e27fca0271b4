"""All agents by name, and specs: `alphabeta:depth=5`, `my_agent.py:agent`, `http://host/play`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from claimeven.agents.base import LIMITS, Agent, InvalidLimit, Limit, check_is_limit
from claimeven.agents.external import FOREIGN, split_foreign
from claimeven.agents.families import baselines, classic, montecarlo, perfect, trained
from claimeven.agents.files import file_of, files_of, split_file_spec
from claimeven.agents.function_agent import as_agent, kind_of, name_of
from claimeven.agents.http_agent import HttpAgent, is_address
from claimeven.agents.options import (
    FLAGS,
    AgentKind,
    InvalidSpec,
    name_in,
    own_limit_in,
    split_limit,
)
from claimeven.agents.process.agent import MAX_PROCESSES, ProcessAgent
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.sanitize import PrintsToStderr, described, traceback_of
from claimeven.agents.source_snapshot import exists, refusal_of
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.validation import items_of
from claimeven.plugins import AGENTS as PLUGINS
from claimeven.plugins import EVALUATIONS, BrokenPackage, installed
from claimeven.suggestions import did_you_mean, did_you_mean_file, no_such

#: A participant of a game: a spec, an agent, a class of agents, a function.
AgentLike = str | Agent | type[Agent] | Callable[..., Any]

#: The number of agents that load at the same time in a check.
_CONCURRENT = 4

#: The built-in agents by name, in the order of listings.
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
    """Return a new agent from its spec: `name`, `name:option=value,...`, `file.py:function` or, for
    an external program, `prefix:text`, and after that its own limit, `@seconds=1`.

    An agent with code from a file plays in a separate process (see `ProcessAgent`), others in this
    process, unless `sandbox` has `all_agents`. An `Agent` or a function may replace a spec.

    Raises `InvalidSpec`, with the choices, for an unknown name or option, an option out of its
    range, a file that is missing or has no agent, and an agent that cannot play on the board of
    `geometry` or in the required process. Raises `InvalidLimit` for an unsupported `limit`.

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
    """Return new agents from their specs. All specs are checked before any agent compiles.

    `limits` is one limit for all agents, or one for each; a limit after an @, `uct@seconds=1`,
    overrides it. With `lazy_start` the process of an agent is started at its first use.

    Raises `InvalidSpec` and `InvalidLimit` as `make_agent` does.
    """
    agents: list[Agent] = []
    try:
        listed = items_of(specs, "specs", InvalidSpec)
        agents.extend(_agent_of(spec, sandbox or Sandbox(), lazy_start=True) for spec in listed)
        if limits is None or isinstance(limits, Limit):
            limits = [limits or Limit()] * len(agents)
        if not isinstance(limits, Sequence) or len(limits) != len(agents):
            needed = "a Limit such as Limit(seconds=1), or one for each agent"
            raise InvalidLimit(f"limits must be {needed}, got {limits!r}")
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
                agent.note_limit(limit.override(agent.own_limit))
    except BaseException:
        for agent, spec in zip(agents, specs, strict=False):
            if isinstance(spec, str):
                agent.close()
        raise
    return agents


def installed_agents(
    names: Collection[str] | None = None,
) -> tuple[dict[str, AgentKind], dict[str, str]]:
    """Return agents of other packages (all, or `names`), and reasons of broken ones, by name."""
    kinds: dict[str, AgentKind] = {}
    problems: dict[str, str] = {}
    for name, plugin in installed(PLUGINS).items():
        if names is not None and name not in names:
            continue
        try:
            with PrintsToStderr():
                found = plugin.load()
            if name in AGENTS or name in FOREIGN:
                raise BrokenPackage(
                    f"{name} of {plugin.package} has the name of another agent: give {plugin.place}"
                )
            kind = kind_of(found, name)
            kinds[name] = replace(kind, summary=f"{kind.summary or 'an agent'} ({plugin.package})")
        except ClaimevenError as error:
            problems[name] = str(error)
    return kinds, problems


def completions(text: str) -> list[str]:
    """Return the specs that a text may be the start of: names, or options and their choices.

    >>> completions("alphabeta:depth=4,or"), completions("minimax-")
    (['alphabeta:depth=4,order='], ['minimax-polito'])
    """
    name, colon, rest = text.partition(":")
    if not colon:
        names = (*AGENTS, *installed(PLUGINS), *(f"{prefix}:" for prefix in FOREIGN))
        return [each for each in names if each.startswith(name)]
    kind = AGENTS.get(name) or installed_agents([name])[0].get(name)
    word = rest.rpartition(",")[2]
    found: list[str] = []
    for option in kind.options if kind else ():
        more = installed(EVALUATIONS) if option.name == "eval" else ()
        words = [*option.choices, *more, *FLAGS][: None if option.kind == "flag" else -len(FLAGS)]
        found += [f"{option.name}={each}" for each in (words if "=" in word else [""])]
    return [text.removesuffix(word) + each for each in found if each.startswith(word)]


def parse_spec(spec: str) -> tuple[AgentKind, Mapping[str, Any]]:
    """Return the kind and all options of a spec of a name. Raises `InvalidSpec`."""
    kind, given = options_in(spec)
    return kind, kind.parse(given)


def options_in(spec: str) -> tuple[AgentKind, dict[str, str]]:
    """Return the kind of a spec of a name and the options in its text. Raises `InvalidSpec`."""
    name, _, rest = split_limit(spec)[0].partition(":")
    if name not in AGENTS:
        raise InvalidSpec(no_such("agent", name, AGENTS))
    return AGENTS[name], AGENTS[name].split(rest, spec)


def current_spec(spec: str) -> str:
    """Return a spec with the present names of its options; any other text as it is.

    >>> current_spec("uct:first=all,c=2")
    'uct:first_play=all,c=2'
    """
    with suppress(InvalidSpec):
        kind, given = options_in(spec)
        if given:
            _, limit = split_limit(spec)
            options = ",".join(f"{name}={value}" for name, value in given.items())
            return f"{kind.name}:{options}" + f"@{limit}" * bool(limit)
    return spec


def find_broken_agents(
    specs: Sequence[str],
    geometry: Geometry | None = None,
    limit: Limit | None = None,
    sandbox: Sandbox | None = None,
    on_progress: Callable[[str], object] | None = None,
) -> dict[str, ClaimevenError]:
    """Return the agents that `make_agents` would reject, and why.

    All are tried, a few at a time, so that each has its share of the machine. Agents with separate
    processes are loaded too. `on_progress` is called with the spec of each agent before its test.

    >>> [str(error) for error in find_broken_agents(["greedy", "nobody.py"]).values()]
    ['there is no file nobody.py']
    """
    found: dict[str, ClaimevenError] = {}
    for begin in range(0, len(specs), _CONCURRENT):
        agents: dict[str, Agent] = {}
        try:
            for spec in specs[begin : begin + _CONCURRENT]:
                try:
                    agents[spec] = _agent_of(spec, sandbox or Sandbox())
                except ClaimevenError as error:
                    found[spec] = error
            for spec, agent in agents.items():
                if on_progress is not None:
                    on_progress(spec)
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


def check_specs(agents: Iterable[AgentLike], sandbox: Sandbox) -> None:
    """Raise `InvalidSpec` for a wrong text or a file that cannot be Python; start no process."""
    for agent in items_of(agents, "agents", InvalidSpec):
        if not isinstance(agent, str):
            continue
        _agent_of(agent, sandbox, lazy_start=True).close()
        place = "" if name_in(agent) in AGENTS else (split_file_spec(agent) or [""])[0]
        if place.endswith(".py") and (refusal := refusal_of(place)) is not None:
            raise InvalidSpec(refusal)


def build(spec: str) -> Agent:
    """Return the agent of a spec of a name in this process. Raises `InvalidSpec`."""
    kind, options = parse_spec(spec)
    agent = kind.build(options)
    agent.name = spec
    agent.trusted = not kind.runs_user_code(options)
    return agent


def is_bounded(spec: str, sandbox: Sandbox) -> bool:
    """Whether the limits of a sandbox apply to the agent of a spec.

    They apply to agents from files and external programs, and with `all_agents` to built-in agents,
    but not to servers. Raises `InvalidSpec` for options that an agent does not have.

    >>> is_bounded("greedy", Sandbox()), is_bounded("greedy", Sandbox(all_agents=True))
    (False, True)
    """
    if name_in(spec) in AGENTS:
        return _has_process(*parse_spec(spec), sandbox)
    return not is_address(spec)


def _has_process(kind: AgentKind, options: Mapping[str, Any], sandbox: Sandbox) -> bool:
    """Whether a built-in agent plays in a separate process; a person never does."""
    is_separate = sandbox.all_agents or kind.runs_user_code(options)
    return is_separate and kind is not baselines.HUMAN


def _agent_of(agent: AgentLike, sandbox: Sandbox, lazy_start: bool = False) -> Agent:
    if not isinstance(agent, str):
        if sandbox.all_agents:
            raise InvalidSpec(
                f"{name_of(agent)} is an object or a function of this process and cannot play in a"
                " separate one: give a spec such as my_agent.py:agent"
            )
        return as_agent(agent)
    own_limit, spec = own_limit_in(agent), split_limit(agent)[0]
    made = _agent_of_spec(spec, sandbox, lazy_start)
    made.name, made.own_limit = agent.strip(), own_limit
    return made


def _agent_of_spec(spec: str, sandbox: Sandbox, lazy_start: bool) -> Agent:
    if name_in(spec) in AGENTS:
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
        return ProcessAgent(spec, None, sandbox, lazy_start, files=files)
    parts = split_file_spec(spec)
    name, colon, _ = spec.partition(":")
    is_misspelt = bool(colon and did_you_mean(name, FOREIGN)) and not files_of(spec)
    if parts is None or is_misspelt:
        for path, _, more in (spec.partition(":"), spec.partition(",")):
            if path.endswith(".py") and file_of(path) is not None:
                raise InvalidSpec(
                    f"{path}: takes the name of a function or class of that file, and its options"
                    f" after that, {path}:NAME,option=value; got {more!r}"
                )
        if file_of(f"{name}.py") is not None:
            raise InvalidSpec(f"there is no agent {name!r}: for the file give {name}.py")
        if exists(spec):
            raise InvalidSpec(refusal_of(spec) or f"{spec}: a Python file ends in .py; rename it")
        known = (*AGENTS, *installed(PLUGINS))
        guess = did_you_mean(name, (*known, *FOREIGN)) or did_you_mean_file(name)
        raise InvalidSpec(
            f"there is no agent {name!r}{guess}: choose from"
            f" {', '.join(known)}, a Python file such as my_agent.py:agent, or an external program"
            f" {', '.join(kind.form for kind in FOREIGN.values())}"
        )
    return ProcessAgent(spec, parts, sandbox, lazy_start)


def _check_ready(agents: Sequence[tuple[Agent, Limit]], geometry: Geometry | None) -> None:
    processes = [agent for agent, _ in agents if isinstance(agent, ProcessAgent)]
    for place, process in enumerate(processes):
        # A few at a time: each has its share of the machine.
        for upcoming in processes[place : place + _CONCURRENT]:
            upcoming.start()
        process.make()
        if place >= MAX_PROCESSES:  # it starts again when it plays
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
            continue  # it was already tried and closed
        with _refusing(f"{agent.name} cannot be loaded"):
            agent.load(Geometry() if geometry is None else geometry)


def check_limit(agent: Agent, limit: Limit) -> None:
    """Raise `InvalidLimit`, naming the supported limits, if an agent does not support a limit."""
    check_is_limit(limit)
    unsupported = limit.override(agent.own_limit).unsupported(agent.limits)
    if unsupported:
        known = [name for name in LIMITS if name in agent.limits]
        raise InvalidLimit(
            f"{agent.name} cannot be limited by {unsupported[0]}:"
            f" it supports {', '.join(known) or 'no limit'}"
        )


@contextmanager
def _refusing(what: str) -> Iterator[None]:
    """Convert any exception of an agent to `InvalidSpec`, except Ctrl-C and a lack of memory."""
    try:
        yield
    except (KeyboardInterrupt, MemoryError):
        raise
    except ClaimevenError as error:
        raise InvalidSpec(f"{what}: {error}", getattr(error, "traceback", "")) from None
    except BaseException as error:
        raise InvalidSpec(f"{what}: it raised {described(error)}", traceback_of(error)) from error


def own_limit_of(agent: AgentLike) -> Limit:
    """Return the limit that an agent sets itself. Raises `InvalidSpec` and `InvalidLimit`."""
    own = own_limit_in(agent) if isinstance(agent, str) else getattr(agent, "own_limit", None)
    return own if isinstance(own, Limit) else Limit()
