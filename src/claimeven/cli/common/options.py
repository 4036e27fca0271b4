"""Options that several verbs share: board, limits, seed, solver, JSON."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from claimeven.cli.common.solver_options import SolverChoice, usual_threads
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.suggestions import did_you_mean

if TYPE_CHECKING:
    pass

Command = Callable[..., Any]


class WordChoice(click.ParamType):  # type: ignore[type-arg]  # generic in some versions only
    """One of some words; an error says which one was probably meant."""

    name = "word"

    def __init__(self, *words: str) -> None:
        self.words = words

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Show the words in the help."""
        return f"[{'|'.join(self.words)}]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word."""
        if value not in self.words:
            self.fail(
                f"{value!r} is none of {', '.join(self.words)}{did_you_mean(value, self.words)}",
                param,
                ctx,
            )
        return value


class FilePath(click.Path):
    """The path of a file or folder, which needs a name: an empty one would be the current folder.

    Text, or a path with `path_type=Path`.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if value == "":
            self.fail("a file or folder needs a name, not ''", param, ctx)
        return super().convert(value, param, ctx)


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
seed_option = click.option(
    "--seed", default=0, show_default=True, help="Decides everything but the clock."
)
jobs_option = click.option(
    "--jobs", type=int, help="Processes that play games; usually one a core."
)


def resume_options(command: Command, what: str = "what the file of --out does") -> Command:
    """Add --resume and --resume-changed; the command gets `resume`: False, True or "changed"."""
    for name, value, help_text in (
        ("--resume-changed", "changed", "As --resume, although claimeven or files have changed."),
        ("--resume", True, f"Play {what} not hold yet."),
    ):
        command = click.option(
            name,
            "resume",
            flag_value=value,
            default=False,
            type=click.UNPROCESSED,
            help=help_text,
        )(command)
    return command


def keeping_options(command: Command) -> Command:
    """Add --out and what `resume_options` adds; the command receives `out`, a path or None."""

    @wraps(command)
    def with_file(out: Path | None, resume: bool | str, **others: Any) -> Any:
        if resume and out is None:
            raise ClaimevenError("--resume goes on with a file: name it with --out")
        return command(out=out, resume=resume, **others)

    out = click.option(
        "--out", type=FilePath(path_type=Path), help="File to keep the games in, for --resume."
    )
    decorated: Command = out(resume_options(with_file))
    return decorated


def page_option(command: Command) -> Command:
    """Add --report; the command receives `page`, a path or None."""
    return click.option(
        "--report",
        "page",
        type=FilePath(path_type=Path),
        metavar="PAGE",
        help="Then write a page on the games: see claimeven report.",
    )(command)


def geometry_options(command: Command) -> Command:
    """Add --columns, --rows and --connect; the command gets them as one `geometry`."""

    @wraps(command)
    def with_geometry(columns: int, rows: int, connect: int, **others: Any) -> Any:
        return command(geometry=Geometry(columns, rows, connect), **others)

    decorated: Command = with_geometry
    for name, usual, help_text in (
        ("--connect", 4, "Discs in a line that win, 2 to 8."),
        ("--rows", 6, "Rows of the board, 1 to 16."),
        ("--columns", 7, "Columns of the board, 1 to 16."),
    ):
        decorated = click.option(name, default=usual, show_default=True, help=help_text)(decorated)
    return decorated


#: Options that limit what an agent may do for a move: name, type, help.
_LIMITS = (
    ("--seconds", float, "Wall-clock time an agent may take for a move."),
    ("--bank", float, "Seconds an agent has in a game for what its moves take beyond --seconds."),
    ("--iterations", int, "Monte Carlo iterations an agent may make for a move."),
    ("--depth", int, "Plies an agent may look ahead."),
    ("--nodes", int, "Positions an agent may look at for a move."),
)


#: The names of their parameters.
LIMIT_PARAMETERS = tuple(name.removeprefix("--") for name, _, _ in _LIMITS)


def limit_options(command: Command) -> Command:
    """Add --seconds, --iterations, --depth and --nodes; the command gets them as one `limit`."""
    return _with_limits(command, [option for option in _LIMITS if option[0] != "--bank"])


def time_control_options(command: Command) -> Command:
    """Add what `limit_options` adds and --bank; the command gets all as one `limit`."""
    return _with_limits(command, _LIMITS)


def _with_limits(command: Command, options: Sequence[tuple[str, type, str]]) -> Command:
    @wraps(command)
    def with_limit(**given: Any) -> Any:
        from claimeven.agents.base import Limit  # noqa: PLC0415 - brings in all agents

        limits = {name: given.pop(name) for name in names}
        return command(limit=Limit(**limits), **given)

    names = [name.removeprefix("--") for name, _, _ in options]
    decorated: Command = with_limit
    for name, kind, help_text in reversed(options):
        decorated = click.option(name, type=kind, help=help_text)(decorated)
    return decorated


memory_option = click.option(
    "--memory",
    type=int,
    metavar="MB",
    help="Memory an agent in a process of its own may hold; usually 2048 MB.",
)


load_seconds_option = click.option(
    "--load-seconds",
    type=float,
    metavar="SECONDS",
    help="Time an agent from a file, or a program, may take to start; usually 30 s.",
)


def isolation_options(command: Command) -> Command:
    """Add --isolate, --memory and --load-seconds; the command gets them as one `isolation`."""

    @wraps(command)
    def with_isolation(
        isolate: bool, memory: int | None, load_seconds: float | None, **others: Any
    ) -> Any:
        from claimeven.agents.process.sandbox import Isolation  # noqa: PLC0415 - for a quick start

        return command(isolation=Isolation(isolate, memory, load_seconds=load_seconds), **others)

    return click.option(
        "--isolate",
        is_flag=True,
        help="Give built-in agents processes of their own too, as those from files have.",
    )(memory_option(load_seconds_option(with_isolation)))


def tell_unbounded(specs: Sequence[str], isolation: Any) -> None:
    """Say on stderr where --memory or --load-seconds hold for none of the agents."""
    from claimeven.agents.registry import is_bounded  # noqa: PLC0415 - for a quick start

    named = {"--memory": isolation.memory_mb, "--load-seconds": isolation.load_seconds}
    given = [name for name, number in named.items() if number is not None]
    with suppress(ClaimevenError):  # a wrong spec is told by whoever makes the agents
        if not given or any(is_bounded(spec.strip(), isolation) for spec in specs):
            return
        bound = "bound" if len(given) > 1 else "bounds"
        said = f"{' and '.join(given)} {bound} no agent here (built-in ones with --isolate)"
        click.echo(said, err=True)


def search_options(
    command: Command, threads: int | None = 1, table_mb: float | None = 128
) -> Command:
    """Add --threads and --table-mb with their usual values.

    No `threads` are one a core, no `table_mb` is the solver's own.
    """
    command = click.option(
        "--table-mb",
        type=float,
        default=table_mb,
        show_default="128; beside a deep book 8" if table_mb is None else True,
        help="Size of the transposition table in MB.",
    )(command)
    return click.option(
        "--threads",
        type=int,
        default=threads,
        show_default=threads is not None,
        help="Threads that search together" + (".", "; usually one a core.")[threads is None],
    )(command)


#: Parameters that `solver_options` adds.
SOLVER_OPTIONS = ("threads", "table_mb", "book_file", "no_book")


def solver_options(
    command: Command, threads: int | None = 1, table_mb: float | None = None
) -> Command:
    """Add --threads, --table-mb, --book and --no-book; the command gets them as one `solving`.

    `threads` and `table_mb` are the usual ones, as for `search_options`.
    """

    @wraps(command)
    def with_solver(
        threads: int | None,
        table_mb: float | None,
        book_file: str | None,
        no_book: bool,
        **others: Any,
    ) -> Any:
        threads = usual_threads() if threads is None else threads
        return command(solving=SolverChoice(threads, table_mb, book_file, no_book), **others)

    decorated = click.option("--no-book", is_flag=True, help="Search what the book holds too.")(
        with_solver
    )
    decorated = click.option(
        "--book",
        "book_file",
        metavar="FILE",
        help="Opening book to use in place of the usual one; shipped: the one that comes along.",
    )(decorated)
    return search_options(decorated, threads, table_mb)


#: Options that change nothing of the games.
_BESIDE = ("address", "as_json", "executor", "jobs", "out", "page", "resume")


#: Where what was asked for comes from: typed, or from a file of settings.
_GIVEN = (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)


def command_line(ctx: click.Context) -> str:
    """Return the command that plays the same games: what was asked for, as a shell takes it.

    It is stored, so there are no folders of this machine in it.
    """
    from claimeven.agents.sanitize import without_folders  # noqa: PLC0415 - for a quick start

    words = ["claimeven", *ctx.command_path.split()[1:]]
    for parameter in ctx.command.params:
        name = parameter.name or ""
        is_given = ctx.get_parameter_source(name) in _GIVEN
        if not is_given or name in _BESIDE or name not in ctx.params:
            continue
        value = ctx.params[name]
        if isinstance(parameter, click.Argument):
            words += map(str, value if isinstance(value, tuple) else [value])
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            words += [parameter.opts[0]] if value else parameter.secondary_opts[:1]
        else:
            words += [parameter.opts[0], str(value)]
    return without_folders(shlex.join(words))


def refuse_beside(ctx: click.Context, option: str, allowed: Collection[str]) -> None:
    """Raise `ClaimevenError` where more was asked for than goes with an option.

    `allowed` are the names of parameters that go with it, its own included.
    """
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if ctx.get_parameter_source(name) in _GIVEN and name not in allowed:
            raise ClaimevenError(f"{option} does not go with {parameter.opts[0]}")


def refuse_given(ctx: click.Context, names: Collection[str], sentence: str) -> None:
    """Raise `ClaimevenError` where one of some parameters was given: a sentence with the option."""
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if name in names and ctx.get_parameter_source(name) in _GIVEN:
            raise ClaimevenError(sentence.format(parameter.opts[0]))


def check_seed(seed: int) -> None:
    """Raise `ClaimevenError` for a seed below 0."""
    if seed < 0:
        raise ClaimevenError(f"a seed is 0 or more, not {seed}")
