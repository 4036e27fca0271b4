"""The options of a training command, as its recipe declares its settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from claimeven.cli.common.options import WordChoice
from claimeven.learning.settings import settings_of

Command = Callable[..., Any]


def settings_options(recipe: type) -> Callable[[Command], Command]:
    """Add an option for each setting of a recipe that has a help, in the recipe's order."""

    def decorated(command: Command) -> Command:
        for name, (default, setting) in reversed(settings_of(recipe).items()):
            if setting.help:
                kind = int if default is None else type(default)
                command = click.option(
                    f"--{name.replace('_', '-')}",
                    type=WordChoice(*setting.choices) if setting.choices else kind,
                    default=default,
                    show_default=default is not None,
                    help=setting.help,
                )(command)
        return command

    return decorated
