"""Groups of verbs: each a module of its own, and a word that is none of them told."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from claimeven.parallel import interrupts
from claimeven.suggestions import no_such

#: Characters of a sentence: more than any has.
_WHOLE = 10_000


class Verbs(click.Group):
    """A group that says what a word which is no verb may have meant, and what it wants for one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments of a group that needs a verb, or does without."""
        if not (args or self.invoke_without_command or ctx.resilient_parsing):
            choices = ", ".join(self.list_commands(ctx))
            raise click.UsageError(f"{ctx.info_name} takes a verb: choose from {choices}", ctx)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        told = [
            (name, command.get_short_help_str(_WHOLE))
            for name, command in commands.items()
            if command is not None and not command.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(told)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        is_known = name.startswith("-") or name in self.list_commands(ctx)
        if not (is_known or ctx.resilient_parsing):
            known = self.list_commands(ctx)
            if name.endswith(".py") and "check" in known:
                raise click.UsageError(f"{name} is an agent: try 'claimeven check {name}'", ctx)
            raise click.UsageError(no_such("verb", name, known), ctx)
        return super().resolve_command(ctx, args)


class LazyVerbs(Verbs):
    """A group that knows its commands by name and imports one only to run it.

    `verbs` maps a command to its line in the list. It is `command` in the module of `package` that
    has its name, or under its own name in the module that `modules` has for it.
    """

    def __init__(
        self,
        *args: Any,
        package: str,
        verbs: Mapping[str, str],
        modules: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._package, self._verbs, self._modules = package, verbs, modules or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._verbs:
            return None
        module = self._modules.get(cmd_name)
        with interrupts.put_off():
            home = importlib.import_module(f"{self._package}.{module or cmd_name}")
        command: click.Command = getattr(home, cmd_name if module else "command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self._verbs.items()))
