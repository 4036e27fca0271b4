"""`claimeven agents`: list the agents and their options."""

from __future__ import annotations

import sys

import click

from claimeven.agents import AGENTS, AgentKind, InvalidSpec
from claimeven.agents.external import FOREIGN
from claimeven.agents.external.line_process import ForeignKind
from claimeven.agents.registry import installed_agents
from claimeven.cli.common.options import AGENT, json_option
from claimeven.cli.common.output import show, text_width, wrap
from claimeven.cli.common.streams import print_error, write_json
from claimeven.plugins import EVALUATIONS, installed
from claimeven.suggestions import no_such


@click.command("agents")
@click.argument("name", required=False, type=AGENT)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List all agents, or the options of one agent or of a prefix for other programs.

    The list includes agents and evaluations that installed packages offer.

    \b
    Examples:
      claimeven agents
      claimeven agents alphabeta
      claimeven agents kaggle
      claimeven agents --json
    """
    if name is not None:
        name = name.removesuffix(":")
    plugins, broken = ({}, {}) if name in (*AGENTS, *FOREIGN) else installed_agents()
    known = (*AGENTS, *FOREIGN, *plugins)
    if name is not None and name not in known:
        raise InvalidSpec(broken.get(name) or no_such("agent", name, known))
    kinds = [kind for kind in (*AGENTS.values(), *plugins.values()) if name in (None, kind.name)]
    foreign = [kind for kind in FOREIGN.values() if name in (None, kind.prefix)]
    offered = () if name is not None else installed(EVALUATIONS).values()
    broken |= {each.name: each.problem for each in offered if each.problem}
    evaluations = {each.name: each.package for each in offered if not each.problem}
    if as_json:
        data = {
            "agents": [kind.as_dict() for kind in kinds],
            "foreign": [kind.as_dict() for kind in foreign],
            "evaluations": [{"name": n, "package": each} for n, each in evaluations.items()],
            "broken": list(broken.values()),
        }
        write_json(data, sys.stdout)
        return
    for kind in kinds:
        click.echo(_in_words(kind, whole=name is not None or not kind.is_preset))
        for note in kind.notes if name is not None else ():
            click.echo("\n".join(_wrapped(note, 2, 6)))
    for evaluation, package in evaluations.items():
        click.echo(f"eval={evaluation}: an evaluation ({package})\n")
    if name is None:
        for reason in broken.values():
            print_error(reason)
        click.echo("Agents of other programs:\n")
    for other in foreign:
        click.echo(_foreign_in_words(other, whole=name is not None))
    if name is None:
        show(
            "An agent is written name or name:option=value,option=value, and its own limit follows"
            " after an @, uct@seconds=1. Your own agent is"
            " my_agent.py:agent, a function of a position or Kaggle's agent(obs, config); or a"
            " class with options, my_agent.py:Player,depth=2; or the address of a server,"
            " http://127.0.0.1:8000/play. Quote commands of other programs for the shell if they"
            " contain blanks."
        )


def _foreign_in_words(kind: ForeignKind, whole: bool) -> str:
    lines = _wrapped(f"{kind.form}: {kind.summary}", 0, 4)
    for note in kind.notes:
        lines += _wrapped(note, 2, 4)
    if kind.extra is not None:
        lines += _wrapped(f"needs pip install 'claimeven[{kind.extra[0]}]'", 2, 4)
    if not whole:
        names = ", ".join(agent.name for agent in kind.agents)
        if names:
            lines += _wrapped(f"{kind.prefix}: {names}", 2, 4)
        return "\n".join([*lines, *(f"  e.g. {example}" for example in kind.examples[:1]), ""])
    lines += [f"  e.g. {example}" for example in kind.examples]
    text = "\n".join([*lines, ""])
    return "\n".join([text, *(_in_words(agent, whole=True) for agent in kind.agents)])


def _in_words(kind: AgentKind, whole: bool) -> str:
    lines = _wrapped(f"{kind.name}: {kind.summary}", 0, 4)
    if not whole:
        values = ", ".join(f"{o.name}={o.shown_default}" for o in kind.options if o.default)
        return "\n".join([*lines, *_wrapped(f"= {values}", 2, 4), ""])
    for option in kind.options:
        text = f"{option.name}={option.shown_default}  {option.help} ({option.range})"
        lines += _wrapped(text, 2, 6)
    return "\n".join([*lines, ""])


def _wrapped(text: str, first: int, rest: int) -> list[str]:
    indents = {"initial_indent": " " * first, "subsequent_indent": " " * rest}
    return wrap(text, text_width(), break_on_hyphens=False, break_long_words=False, **indents)
