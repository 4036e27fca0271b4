"""Commands that run an experiment: --file, and the options that repeat a run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from claimeven.agents.sanitize import without_folders
from claimeven.cli.common.progress import notify
from claimeven.cli.common.streams import one_line
from claimeven.experiment_file import COMMAND, read_experiment, write_experiment
from claimeven.option_fields import CommandOption

#: Sources of explicit values: the command line and a file.
GIVEN = (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)
_NOT_IN_FILES = ("as_json", "file", "help", "resume")
#: Parameters that do not change a result: who computes it, and where it is written.
NOT_STORED = frozenset({
    *_NOT_IN_FILES, "address", "answers", "api_key", "executor", "folder", "jobs", "out", "part",
    "plots", "report", "show", "skip_broken", "stil_id", "table_mb", "threads", "verbose",
    "worker_timeout",
})  # fmt: skip
#: Name of the file that repeats a run in the folder of the run.
FILE_IN_FOLDER = "run.toml"
_KINDS: dict[Any, type] = {click.INT: int, click.FLOAT: float}


class ExperimentCommand(click.Command):
    """A command whose options may be in a file, in which the arguments are named `arguments`."""

    def __init__(self, *args: Any, arguments: str = "agents", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.arguments = arguments
        text = "Read options from a file; the command line overrides it."
        self.params.append(
            click.Option(
                ["--file"], type=click.Path(), metavar="FILE.toml", expose_value=False, help=text
            )
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments after the options of a file became the defaults."""
        if not ctx.resilient_parsing:
            given, _, _ = self.make_parser(ctx).parse_args(list(args))
            path = given.get("file")
            if isinstance(path, str) and not given.get("help"):
                args = [*args, *self._read(ctx, path, given)]
        return super().parse_args(ctx, args)

    def _read(self, ctx: click.Context, path: str, given: dict[str, Any]) -> list[str]:
        """Set the options of a file as defaults; return the arguments that are not given."""
        fields, names, arguments = {}, {}, []
        for parameter in self.params:
            if isinstance(parameter, click.Argument):
                arguments.append(parameter)
            elif parameter.name not in _NOT_IN_FILES:
                name = field_name(parameter)
                fields[name], names[name] = _declared(parameter), parameter
        if arguments:
            kind = str if self.arguments == "agent" else list
            fields = {self.arguments: CommandOption(kind, self.arguments), **fields}
        found = read_experiment(path, command_name(ctx), fields)
        listed = found.pop(self.arguments, []) if arguments else []
        ctx.default_map = chosen = {}
        for name, value in found.items():
            default = names[name].default
            # A default is not given: an option that goes with few others may reject it.
            if value != default and (value is not False or default is True):
                chosen[names[name].name or ""] = value
        before = [given.get(each.name or "") for each in arguments]
        if any(isinstance(value, tuple) and value for value in before):
            return []
        count = sum(isinstance(value, str) for value in before)
        return [listed] if isinstance(listed, str) else list(listed)[count:]


def command_name(ctx: click.Context) -> str:
    """Return the name of a command, such as "train distil"."""
    return " ".join(ctx.command_path.split()[1:])


def field_name(parameter: click.Parameter) -> str:
    """Return the name of an option in a file: as on the command line, with `_` for `-`."""
    return parameter.opts[0].strip("-").replace("-", "_")


def _declared(parameter: click.Parameter) -> CommandOption:
    kind = _KINDS.get(parameter.type, str)
    if isinstance(parameter, click.Option) and parameter.is_flag:
        kind = bool
    elif parameter.multiple:
        kind = list
    words = getattr(parameter.type, "words", getattr(parameter.type, "choices", ()))
    return CommandOption(kind, "", tuple(words))


def run_options() -> dict[str, Any]:
    """Return the options of the current command that decide its result, as plain data by name.

    Options without a value are absent. The name of the command comes first, then its arguments.
    """
    ctx = click.get_current_context()
    arguments: list[str] = []
    options = {}
    for parameter, value in _stored(ctx):
        if value in (None, ()):
            continue
        if isinstance(parameter, click.Argument):
            arguments += map(str, value if isinstance(value, tuple) else [value])
        else:
            plain = list(value) if isinstance(value, tuple) else value
            options[field_name(parameter)] = str(value) if isinstance(value, Path) else plain
    name = getattr(ctx.command, "arguments", "agents")
    given = {name: arguments[0] if name == "agent" else arguments} if arguments else {}
    return {COMMAND: command_name(ctx), **given, **options}


def _stored(ctx: click.Context) -> Iterator[tuple[click.Parameter, Any]]:
    """Yield the parameters that decide the result, and their values."""
    for parameter in ctx.command.params:
        if parameter.name in ctx.params and parameter.name not in NOT_STORED:
            yield parameter, ctx.params[parameter.name]


def command_line(ctx: click.Context) -> str:
    """Return the command line that plays the same games, quoted for a shell.

    It is stored, so folders of this machine are left out.
    """
    words = ["claimeven", command_name(ctx)]
    for parameter, value in _stored(ctx):
        if ctx.get_parameter_source(parameter.name or "") not in GIVEN:
            continue
        if isinstance(parameter, click.Argument):
            words += map(str, value if isinstance(value, tuple) else [value])
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            words += [parameter.opts[0]] if value else parameter.secondary_opts[:1]
        else:
            words += [parameter.opts[0], str(value)]
    return without_folders(shlex.join(words))


def write_run_file(out: str | Path | None, made_by: dict[str, Any] | None = None) -> None:
    """Write the file that repeats the current command, next to its output or in its folder.

    `made_by` are the options of another command that made the output.

    There is none without an output. A file of the user is not replaced, and reported on stderr.
    """
    if out is None or not (Path(out).is_file() or Path(out).is_dir()):
        return
    path = Path(out) / FILE_IN_FOLDER if Path(out).is_dir() else Path(f"{out}.toml")
    if not write_experiment(path, made_by or run_options()):
        notify(f"{one_line(str(path))} exists, so the options of this run were not written to it")
