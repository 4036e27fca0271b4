"""`claimeven agents`: every agent with its options."""

from __future__ import annotations

import sys
import textwrap

import click

from claimeven.agents import AGENTS, AgentKind, InvalidSpec
from claimeven.cli.json_lines import write_json
from claimeven.cli.options import json_option
from claimeven.cli.streams import text_width
from claimeven.cli.tables import fitted
from claimeven.suggestions import no_such


@click.command("agents")
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List every agent, or tell the options of one.

    \b
    Examples:
      claimeven agents
      claimeven agents alphabeta
      claimeven agents --json
    """
    if name is not None and name not in AGENTS:
        raise InvalidSpec(no_such("agent", name, AGENTS))
    kinds = [AGENTS[name]] if name is not None else list(AGENTS.values())
    if as_json:
        write_json({"agents": [kind.as_dict() for kind in kinds]}, sys.stdout)
        return
    for kind in kinds:
        click.echo(_in_words(kind, whole=name is not None or not kind.is_preset))
    if name is None:
        click.echo(
            fitted(
                "An agent is written name or name:option=value,option=value. Your own:"
                " my_agent.py:agent, a function of a position or Kaggle's agent(obs, config).",
                text_width(),
            )
        )


def _in_words(kind: AgentKind, whole: bool) -> str:
    lines = _wrapped(f"{kind.name}: {kind.summary}", 0, 4)
    if not whole:
        given = ", ".join(f"{o.name}={o.shown_default}" for o in kind.options if o.default)
        return "\n".join([*lines, *_wrapped(f"= {given}", 2, 4), ""])
    for option in kind.options:
        text = f"{option.name}={option.shown_default}  {option.help} ({option.range})"
        lines += _wrapped(text, 2, 6)
    return "\n".join([*lines, ""])


def _wrapped(text: str, first: int, rest: int) -> list[str]:
    return textwrap.wrap(
        text,
        text_width(),
        initial_indent=" " * first,
        subsequent_indent=" " * rest,
        break_on_hyphens=False,
        break_long_words=False,
    )
