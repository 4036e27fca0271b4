"""Groups of commands: each command is a module that is imported only to run it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from claimeven.parallel import interrupts
from claimeven.suggestions import american, closest, no_such

#: The length of a summary is not limited: help shows it whole.
_UNLIMITED = 10_000


class CommandGroup(click.Group):
    """A group of commands that suggests a command for an unknown name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Raises `click.UsageError` if a required command is missing."""
        if not (args or self.invoke_without_command or ctx.resilient_parsing):
            choices = ", ".join(self.list_commands(ctx))
            raise click.UsageError(f"{ctx.info_name} needs a command: choose from {choices}", ctx)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        summaries = [
            (name, command.get_short_help_str(_UNLIMITED))
            for name, command in commands.items()
            if command is not None and not command.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(summaries)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of a name, which may be in British spelling."""
        known, name = self.list_commands(ctx), args[0]
        if american(name) in known:
            args = [american(name), *args[1:]]
        elif not (name in known or name.startswith("-") or ctx.resilient_parsing):
            if "check" in known and (name.endswith(".py") or closest(name, known) is None):
                _suggest_agent(name)
            raise click.UsageError(no_such("command", name, known), ctx)
        return super().resolve_command(ctx, args)


def _suggest_agent(name: str) -> None:
    """Raise `click.UsageError` for the name of an agent or of its file."""
    if name.endswith(".py"):
        raise click.UsageError(f"{name} is an agent: try 'claimeven check {name}'")
    from claimeven.agents.registry import AGENTS  # noqa: PLC0415 - needed only for mistakes

    agent = closest(name.partition(":")[0], AGENTS, cutoff=1)
    if agent is not None:
        raise click.UsageError(f"{agent} is an agent: try 'claimeven play --second {agent}'")


class LazyGroup(CommandGroup):
    """A group that knows its commands by name and imports one only to run it.

    `sections` maps titles to commands with their summaries. A command is the object `command` of
    the module of its name in `package`. `modules` may set another module, in which the object has
    the name of the command.
    """

    def __init__(
        self,
        *args: Any,
        package: str,
        sections: Mapping[str, Mapping[str, str]],
        modules: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._package, self._sections, self._modules = package, sections, modules or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for commands in self._sections.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None for an unknown name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = self._modules.get(cmd_name)
        with interrupts.deferred():
            home = importlib.import_module(f"{self._package}.{module or cmd_name}")
        command: click.Command = getattr(home, cmd_name if module else "command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.list_commands(ctx)))
        for title, commands in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}", text) for name, text in commands.items()])
