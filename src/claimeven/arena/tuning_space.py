"""The values of an agent's options to try, and Optuna, which proposes some of them.

Optuna (the extra `tune`) was chosen over Nevergrad: one sampler handles numbers and words, it is
released often, and it does not need pandas. Its storage is not used: the seed and the scores decide
each proposal, so a resumed run repeats them from its stored games.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from claimeven.agents.base import LIMITS
from claimeven.agents.options import AgentKind, name_in, split_limit, split_options
from claimeven.agents.registry import AGENTS, build, installed_agents
from claimeven.arena.options import InvalidMatch
from claimeven.errors import ClaimevenError

#: Options that are tuned only by name: budgets and resources.
_NOT_TUNED = (*LIMITS, "backend", "capacity", "table", "table_mb", "threads")
#: Proposals in a row that may not go together.
_ATTEMPTS = 100
_RANGE = re.compile(r"(-?[\d.]*\d)\.\.(-?[\d.]*\d)(:log)?")
#: Proposes values, and takes the score of the last ones.
Proposals = tuple[Callable[[], dict[str, str]], Callable[[float], object]]


def default_space(agent: object) -> dict[str, str]:
    """Return the values to try of a registered agent whose options are not named.

    These are all choices, "yes,no", and numbers from a quarter to four times their default.
    Budgets, resources and the options in the spec are left out. Raises `InvalidMatch` without any.

    >>> default_space("alphabeta:depth=3,order=left")
    {'view': 'mover,root', 'start': 'search,center'}
    """
    kind, given = _registered(agent)
    found = {}
    for option in kind.options if kind else ():
        if option.name in (*given, *_NOT_TUNED):
            continue
        if option.choices or option.kind == "flag":
            found[option.name] = ",".join(option.choices or ("yes", "no"))
        elif option.kind in ("int", "float") and option.default:
            low = max(option.default / 4, option.low or 0)
            ends = low, min(option.default * 4, option.high or low * 16)
            found[option.name] = "{:g}..{:g}".format(
                *(map(int, ends) if option.kind == "int" else ends)
            )
    if not found:
        raise InvalidMatch(f"name options of {agent} to tune, such as --option depth=1..6")
    return found


def with_options(agent: str, options: Mapping[str, str]) -> str:
    """Return a spec with other values of some options.

    >>> with_options("uct:c=1@nodes=9", {"c": "2"}), with_options("bot.py:Bot", {"depth": "3"})
    ('uct:c=2@nodes=9', 'bot.py:Bot,depth=3')
    """
    kind, given = _registered(agent)
    agent, limit = split_limit(agent)
    head, _, rest = agent.partition(",") if kind is None else (f"{kind.name}:", "", "")
    given = given or split_options(rest, agent)
    every = {name: text for name, text in given.items() if name not in options} | dict(options)
    words = ",".join(f"{name}={text}" for name, text in every.items())
    spec = f"{head}{',' * (kind is None)}{words}" if options else agent
    return f"{spec}@{limit}" if limit else spec


def values_of(name: str, text: str, is_float: bool = False) -> tuple[type, list[Any]]:
    """Return the type of the values of an option, and the ends of their range or the words.

    >>> values_of("c", "0.5..2:log"), values_of("depth", "1..9"), values_of("solver", "yes,no")
    ((<class 'float'>, [0.5, 2.0]), (<class 'int'>, [1, 9]), (<class 'str'>, ['yes', 'no']))
    """
    found = _RANGE.fullmatch(text)
    if found is None and ("," in text or ".." not in text) and all(text.split(",")):
        return str, text.split(",")
    kind = float if is_float or "." in text.replace("..", "") else int
    ends: list[Any] = []
    with suppress(TypeError, ValueError):  # no range, or ends that are no numbers
        ends = [kind(found[1]), kind(found[2])]  # type: ignore[index]
    if not ends or ends[0] >= ends[1] or (text.endswith(":log") and ends[0] <= 0):
        forms = "LOW..HIGH, LOW..HIGH:log (above 0) or words such as yes,no"
        raise InvalidMatch(f"the values of {name} must be {forms}, got {text!r}")
    return kind, ends


def plain(text: str | None) -> Any:
    """Return a number if the text is one, else the text."""
    for kind in (int, float):
        with suppress(ValueError, TypeError):
            return kind(text)  # type: ignore[arg-type]  # None raises the other error
    return text


def _registered(agent: object) -> tuple[AgentKind | None, dict[str, str]]:
    """Return the kind and the given options of a built-in or installed agent."""
    text = split_limit(agent)[0] if isinstance(agent, str) else ""
    name, _, rest = text.partition(":")
    kind = AGENTS.get(name) or installed_agents([name])[0].get(name)
    return (None, {}) if kind is None else (kind, kind.split(rest, text))


def _distributions(
    agent: object, space: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values of each option for Optuna, and the given agent's if they are inside."""
    from optuna import distributions  # noqa: PLC0415 - an extra, and slow

    agent_kind, known = _registered(agent)
    declared = {each.name: each for each in agent_kind.options} if agent_kind else {}
    drawn: dict[str, Any] = {}
    first: dict[str, Any] = {}
    for name, text in space.items():
        option = declared.get(name)
        kind, values = values_of(name, text, option is not None and option.kind == "float")
        for value in values:
            if agent_kind is not None:
                agent_kind.parse({name: str(value)})
        default = None if option is None or option.default is None else option.shown_default
        start = known.get(name, default)
        if kind is str:
            drawn[name] = distributions.CategoricalDistribution(values)
            is_inside = start in values
        else:
            of_kind: Any = distributions.IntDistribution
            if kind is float:
                of_kind = distributions.FloatDistribution
            drawn[name] = of_kind(*values, log=text.endswith(":log"))
            start = plain(start)
            is_inside = isinstance(start, (int, float)) and values[0] <= start <= values[1]
        if is_inside:
            first[name] = kind(start)
    return drawn, first


@contextmanager
def proposals(agent: object, space: Mapping[str, str], seed: int) -> Iterator[Proposals]:
    """Yield a function that proposes values, and one that takes the score of the last ones.

    The options of the given agent come first, if they are known and inside the space. Values that
    a built-in agent rejects together are not proposed.
    """
    if importlib.util.find_spec("optuna") is None:
        raise InvalidMatch("tuning needs Optuna: pip install 'claimeven[tune]'")
    import optuna  # noqa: PLC0415 - an extra, and slow

    def check(values: Mapping[str, str]) -> None:
        if isinstance(agent, str) and name_in(agent) in AGENTS:
            build(with_options(agent, values))

    check({})
    drawn, first = _distributions(agent, space)
    trials: list[Any] = []

    def propose() -> dict[str, str]:
        for left in reversed(range(_ATTEMPTS)):
            trials.append(study.ask(drawn))
            values = trials[-1].params.items()
            texts = {n: f"{v:.4g}" if isinstance(v, float) else str(v) for n, v in values}
            try:
                check(texts)
                break
            except ClaimevenError:
                if not left:
                    raise
                study.tell(trials[-1], 0.0)
        return texts

    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        sampler = optuna.samplers.TPESampler(seed=seed % 2**32)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        if len(first) == len(space):
            study.enqueue_trial(first)
        yield propose, lambda score: study.tell(trials[-1], score)
    finally:
        optuna.logging.set_verbosity(verbosity)
