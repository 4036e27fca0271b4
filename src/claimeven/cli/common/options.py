"""Options of several commands: board, limits, seed, solver, JSON; values such as `8-20`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from claimeven.arena.options import BoardOptions, LimitOptions, SandboxOptions
from claimeven.cli.common.experiments import GIVEN
from claimeven.cli.common.progress import StatusLine, notify
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.option_fields import CommandOption, option, options_of
from claimeven.parallel.executors import ExecutorOptions, Part, WorkerOptions, usable_cores
from claimeven.solver.errors import MAX_THREADS, check_table_mb, check_threads
from claimeven.solver.protocols import DEFAULT_BOOK, SHIPPED_BOOK
from claimeven.suggestions import american, did_you_mean

if TYPE_CHECKING:
    from claimeven.parallel.jobs import Executor
    from claimeven.solver import SolveProgress, Solver


Command = Callable[..., Any]


class WordChoice(click.ParamType):  # type: ignore[type-arg]  # generic in some versions only
    """A choice of words; the error for another word has a suggestion."""

    name = "word"

    def __init__(self, *words: str) -> None:
        self.words = words

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return f"[{'|'.join(self.words)}]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        value = value if value in self.words else american(value)
        if value not in self.words:
            guess = did_you_mean(value, self.words)
            self.fail(f"must be one of {', '.join(self.words)}, got {value!r}{guess}", param, ctx)
        return value


class AgentSpec(click.ParamType):  # type: ignore[type-arg]  # generic in some versions only
    """The spec of an agent; shells complete names, options after a colon, and Python files."""

    name = "text"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from claimeven.agents.registry import completions  # noqa: PLC0415 - for a quick start

        items = [CompletionItem(word) for word in completions(incomplete)]
        return [*items, CompletionItem(incomplete, type="file")]


AGENT = AgentSpec()


class FilePath(click.Path):
    """The path of a file or folder, as text or with `path_type=Path`; it must not be empty."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("a file or folder must have a name, got ''", param, ctx)
        return super().convert(value, param, ctx)


NO_FILE = "--resume needs a file: name it with --out"


def file_option(*names: str, help: str, **more: Any) -> Callable[[Command], Command]:
    """Return an option for a file or folder; the command receives a path or None."""
    return click.option(*names, type=FilePath(path_type=Path), help=help, **more)


report_option = file_option(
    "--report", metavar="PAGE", help="Also write a web page about the games (see claimeven report)."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
seed_option = click.option("--seed", default=0, help="Seed of random choices.")


def resume_options(
    command: Command, what: str = "the games missing in the file of --out"
) -> Command:
    """Add --resume and --resume-changed; the command gets `resume`: False, True or "changed"."""
    for name, value, help_text in (
        ("--resume-changed", "changed", "Like --resume, even if claimeven or agent files changed."),
        ("--resume", True, f"Play {what}."),
    ):
        command = click.option(
            name, "resume", flag_value=value, default=False, show_default=False,
            type=click.UNPROCESSED, help=help_text,
        )(command)  # fmt: skip
    return command


def option_group(
    cls: type,
    receives: str,
    value: Callable[[Any], Any] = lambda options: options,
    without: Collection[str] = (),
    **defaults: Any,
) -> Callable[[Command], Command]:
    """Return a decorator that adds the options of a class, except those in `without`.

    The command receives a single value of the options. `defaults` replace defaults of the class.
    """
    declared = {name: each for name, each in options_of(cls).items() if name not in without}

    def decorated(command: Command) -> Command:
        @wraps(command)
        def with_group(**given: Any) -> Any:
            if "out" in declared and given.get("resume") and given.get("out") is None:
                raise ClaimevenError(NO_FILE)
            options = cls(**{name: given.pop(name) for name in declared})
            return command(**{receives: value(options)}, **given)

        added: Command = with_group
        for name, (default, each) in reversed(declared.items()):
            added = with_option(added, name, defaults.get(name, default), each)
        return added

    return decorated


def with_option(command: Command, name: str, default: Any, declared: CommandOption) -> Command:
    if name == "resume":
        return resume_options(command)
    kind: Any = declared.kind
    if declared.choices:
        kind = WordChoice(*declared.choices)
    elif kind is Path:
        kind = FilePath(path_type=Path)
    return click.option(
        declared.flags or f"--{name.replace('_', '-')}",
        name,
        type=None if kind is bool else kind,
        is_flag=kind is bool,
        default=default,
        show_default=declared.shown if default is None else None,
        metavar=declared.metavar,
        help=declared.help,
    )(command)


geometry_options = option_group(BoardOptions, "geometry", lambda options: options.geometry)
time_control_options = option_group(LimitOptions, "limit", lambda options: options.limit)
limit_options = option_group(LimitOptions, "limit", lambda options: options.limit, ("time_bank",))
LIMIT_PARAMETERS = tuple(options_of(LimitOptions))
sandbox_options = option_group(SandboxOptions, "sandbox", lambda options: options.sandbox)
bounds_options = option_group(
    SandboxOptions, "bounds", lambda options: options.sandbox, ("isolate",)
)
#: Add --jobs, --executor and --address; the command gets an executor, None for this process. The
#: default is one process per core for `players`, and the threads of this process for `workers`.
players_options = option_group(
    ExecutorOptions, "players", lambda options: options.workers(None, notify)
)
workers_options = option_group(WorkerOptions, "workers", lambda options: options.workers(1, notify))


def warn_unbounded(specs: Sequence[str], sandbox: Any) -> None:
    """Warn on stderr if --memory-limit or --load-timeout do not apply to any agent."""
    from claimeven.agents.registry import is_bounded  # noqa: PLC0415 - for a quick start

    named = {"--memory-limit": sandbox.memory_limit_mb, "--load-timeout": sandbox.load_timeout}
    given = [name for name, number in named.items() if number is not None]
    with suppress(ClaimevenError):  # the caller reports a wrong spec
        if not given or any(is_bounded(spec.strip(), sandbox) for spec in specs):
            return
        verb = "apply" if len(given) > 1 else "applies"
        names = " and ".join(given)
        click.echo(f"{names} {verb} to no agent here (to built-in ones with --isolate)", err=True)


#: Adds --part; the command gets a `Part` or None.
part_option = click.option(
    "--part",
    metavar="I/N",
    callback=lambda ctx, param, text: None if text is None else Part.of(text),
    help="Compute only a part, into a separate file for claimeven merge.",
)


def check_workers(workers: Executor | None, threads: int) -> None:
    """Raise `ClaimevenError` for more than one thread next to workers."""
    if workers is not None and threads > 1:
        raise ClaimevenError(
            "--threads is for one process, and a worker has one thread: leave it out with --jobs"
            " or --executor"
        )


def default_threads() -> int:
    """Return the default number of threads: one per core, up to the maximum."""
    return min(usable_cores(), MAX_THREADS)


@dataclass(frozen=True)
class SolverChoice:
    """The options of the solver, None for a default; `book` is a file or "shipped"."""

    threads: int = option(int, 1, "Number of threads.", shown="one per core")
    table_mb: float | None = option(
        float, None, "Size of the transposition table in MB.", shown="16"
    )
    book: str | None = option(
        str, None, metavar="FILE",
        help="Opening book to use; shipped: the bundled one.  [default: the deepest installed]",
    )  # fmt: skip
    no_book: bool = option(bool, False, "Search without an opening book.")
    guide: Path | None = option(
        Path, None, metavar="FILE",
        help="Net that guesses scores, so that hard positions take fewer nodes; net: the bundled"
        " one. Scores stay exact.  [default: no guide]",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if self.book is not None and self.no_book:
            raise ClaimevenError("give --book FILE or --no-book, not both")
        if self.book == "":
            raise ClaimevenError("--book must be a file or shipped, got ''")
        if self.threads is None:  # as a default
            object.__setattr__(self, "threads", default_threads())
        # The solver may be made only after minutes of other work.
        check_threads(self.threads)
        if self.table_mb is not None:
            check_table_mb(self.table_mb)

    def solver(self, geometry: Geometry) -> Solver:
        from claimeven.solver import Solver  # noqa: PLC0415 - brings in the compiled search

        book: Path | str | None = None if self.no_book else self.book or DEFAULT_BOOK
        if book not in (None, DEFAULT_BOOK, SHIPPED_BOOK):
            book = Path(str(book))
        guide = None if self.guide is None else str(self.guide)
        return Solver(geometry, self.table_mb, self.threads, book, guide)


solver_options = option_group(SolverChoice, "solver_choice")
#: Adds only --threads and --table-mb.
search_options = option_group(
    SolverChoice, "search", without=("book", "no_book", "guide"), table_mb=128
)


class ProgressSolver:
    """A solver that shows its progress on a status line."""

    def __init__(self, solver: Solver, line: StatusLine) -> None:
        self.solver = solver
        self.line = line

    @property
    def geometry(self) -> Geometry:
        return self.solver.geometry

    def score(self, position: Position) -> int:
        return self.solver.score(position, on_progress=self._show(position))

    def scores(self, position: Position) -> tuple[int | None, ...]:
        return self.solver.scores(position, on_progress=self._show(position))

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        return self.solver.principal_variation(position, on_progress=self._show(position))

    def _show(self, position: Position) -> Callable[[SolveProgress], None]:
        return lambda at: self.line.show(lambda: progress_text(f"ply {position.ply}", at))


def progress_text(name: str, at: SolveProgress) -> str:
    """Return the progress of a search: nodes, rate, bounds, solved columns."""
    text = f"{name or 'empty board'}: {at.nodes:,} nodes, {at.rate / 1e6:.1f} million a second"
    text += f", score {at.low} to {at.high}"
    return f"{text}, columns {scores_text(at.scores)}" if at.scores else text


def scores_text(scores: Iterable[int | None]) -> str:
    """Return scores of columns as text, `.` for a column without a score."""
    return " ".join("." if score is None else str(score) for score in scores)


def reject_other_options(ctx: click.Context, option: str, allowed: Collection[str]) -> None:
    """Raise `ClaimevenError` if a parameter was given that is not `allowed` with an option.

    `allowed` includes the option's own parameter.
    """
    names = {parameter.name or "" for parameter in ctx.command.params} - {*allowed, "file"}
    reject_options(ctx, names, f"{option} does not go with {{}}")


def reject_options(ctx: click.Context, names: Collection[str], sentence: str) -> None:
    """Raise `ClaimevenError` if one of some parameters was given; `sentence` has its option."""
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if name in names and ctx.get_parameter_source(name) in GIVEN:
            raise ClaimevenError(sentence.format(parameter.opts[0]))


def check_board(file: str | Path, stored: Geometry, requested: Geometry) -> None:
    """Raise `ClaimevenError` if the options name another board than the games have."""
    if requested not in (STANDARD, stored):
        raise ClaimevenError(f"the games of {file} have the board {stored}, not {requested}")


def parse_ply_range(text: str, number: str = "number", example: str = "8-20") -> tuple[int, int]:
    """Read a range of plies: `8-20`, or one number.

    >>> parse_ply_range("8-20"), parse_ply_range("9")
    ((8, 20), (9, 9))
    """
    found = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", text.strip())
    if found is None:
        raise ClaimevenError(
            f"--plies must be a {number} or a range such as {example}, got {text!r}"
        )
    return int(found[1]), int(found[2] or found[1])


def parse_plies(text: str | None, default: tuple[int, int], geometry: Geometry) -> tuple[int, int]:
    """Read a range of plies; without a text scale the default from the standard board.

    >>> parse_plies(None, (8, 36), Geometry()), parse_plies(None, (8, 36), Geometry(4, 4, 3))
    ((8, 36), (2, 13))
    """
    if text is not None:
        return parse_ply_range(text)
    last = geometry.cells - 1
    lowest, highest = (min(max(1, ply * last // (STANDARD.cells - 1)), last) for ply in default)
    return lowest, highest


def default_plies_text(default: tuple[int, int]) -> str:
    """Return the default plies for a help text.

    >>> default_plies_text((8, 36))
    '[default: 8-36; scaled on other boards]'
    """
    return f"[default: {default[0]}-{default[1]}; scaled on other boards]"


def weights_of(text: str, option: str) -> tuple[float, ...]:
    """Return the numbers of an option. Raises `UsageError` for anything else.

    >>> weights_of("2,0.5", "--dataset-weights")
    (2.0, 0.5)
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise click.UsageError(f"{option} takes numbers like 1,2, got {text!r}") from None
