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
        """Tell each verb's first sentence whole, however many lines it takes."""
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
        """Find the verb that the arguments begin with."""
        name = args[0]
        is_known = name.startswith("-") or name in self.list_commands(ctx)
        if not (is_known or ctx.resilient_parsing):
            known = self.list_commands(ctx)
            if name.endswith(".py") and "check" in known:
                raise click.UsageError(f"{name} is an agent: try 'claimeven check {name}'", ctx)
            raise click.UsageError(no_such("verb", name, known), ctx)
        return super().resolve_command(ctx, args)


class LazyVerbs(Verbs):
    """A group that knows its verbs by name and imports one only to run it.

    `verbs` maps a verb to the module that holds it, as `command`, and its line in the list.
    """

    def __init__(self, *args: Any, verbs: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order users meet them."""
        return list(self._verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a verb."""
        if cmd_name not in self._verbs:
            return None
        with interrupts.put_off():
            command: click.Command = importlib.import_module(self._verbs[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(verb, line) for verb, (_, line) in self._verbs.items()])
