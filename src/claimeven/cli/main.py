"""The program `claimeven`: a command's module is imported when it is called."""

from __future__ import annotations

import importlib
import json
import platform
import sys
from collections.abc import Callable, Mapping
from importlib import metadata
from types import FrameType
from typing import Any

import click

from claimeven import __version__, provenance
from claimeven.agents.sanitize import without_folders
from claimeven.cli.common.streams import drop_output, prepare_streams, print_error
from claimeven.errors import ClaimevenError
from claimeven.parallel import interrupts
from claimeven.suggestions import american, closest, no_such

#: The commands in sections, each with its summary, and the modules of those that share one.
SECTIONS = {
    "Play and learn": {
        "play": "Play on the terminal against an agent or a person.",
        "puzzles": "Solve puzzles: today's, a random one, or your own set.",
        "solve": "Print the exact scores of positions.",
        "explain": "Explain in sentences why columns are good or bad.",
        "analyze": "Judge every move of a game against perfect play.",
        "think": "Show how an agent chooses its move in a position.",
        "show": "Draw boards in any notation and evaluate them.",
        "serve": "Play in the browser: start the web page and the API.",
        "site": "Write the page as static files that need no server.",
    },
    "Compete": {
        "agents": "List the agents and their options.",
        "check": "Check your agent: does it load, fail, take too long?",
        "grade": "Grade the bots of a class by a rubric.",
        "match": "Play many games between two agents.",
        "tournament": "Play many agents against each other; print the ladder.",
        "ladder": "Rate an agent on the ladder from random to perfect.",
        "sprt": "Play two agents until a test decides which is stronger.",
        "tune": "Find the best options of an agent by play.",
        "accuracy": "Measure how often agents find the best move.",
        "copies": "Find agents that may be copies of each other.",
        "games": "List, show, export and import stored games.",
        "report": "Write a web page about a tournament.",
        "merge": "Join the parts of a run of many machines.",
        "describe": "Print the origin of a file: version, command, machine.",
        "study": "Repeat the classic studies of five older projects.",
    },
    "Train an agent": {
        "dataset": "Write positions with exact scores to a file.",
        "train": "Train an agent by self-play or from exact scores.",
    },
    "Interoperate": {
        "convert": "Convert game records between formats.",
        "export": "Write an agent as a submission to Kaggle ConnectX.",
        "ugi": "Run as an engine for other programs (UGI protocol).",
        "challenge": "Play against a server of the Lund course.",
    },
    "Maintain": {
        "book": "Build, verify, count and convert opening books.",
        "bench": "Time the searches and check that they are unchanged.",
        "perft": "Count positions and move sequences, ply by ply.",
    },
}
MODULES = dict.fromkeys(("match", "tournament", "ladder", "sprt"), "contests")
MODULES |= dict.fromkeys(("explain", "analyze"), "reviews")
MODULES |= dict.fromkeys(("copies", "grade"), "classes")
MODULES |= dict.fromkeys(("bench", "perft"), "counts")
MODULES |= dict.fromkeys(("merge", "describe"), "run_files")
MODULES |= dict.fromkeys(("games", "report"), "games") | dict.fromkeys(("serve", "site"), "serve")
COMMANDS = {name: text for section in SECTIONS.values() for name, text in section.items()}
_FIRST_COMMANDS = ("play", "serve", "explain", "check", "match", "tournament")
_MORE_HELP = """\
claimeven --help lists all commands, claimeven COMMAND --help explains one."""

#: Exit statuses of a run whose output cannot be written, and of one that Ctrl-C ends.
LOST_OUTPUT, INTERRUPTED = 1, interrupts.INTERRUPTED
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


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        python = platform.python_version()
        numpy, numba = (metadata.version(name) for name in ("numpy", "numba"))
        click.echo(f"claimeven {__version__} (Python {python}, NumPy {numpy}, Numba {numba})")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    package="claimeven.cli",
    sections=SECTIONS,
    modules=MODULES,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    invoke_without_command=True,
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the versions of claimeven, Python, NumPy and Numba and exit.",
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A Connect Four workbench: play, solve, learn, compete, train agents.

    \b
    Examples:
      claimeven play
      claimeven match alphabeta:depth=3,eval=sequences random --games 500
      claimeven COMMAND --help
    """
    if ctx.invoked_subcommand is None:
        lines = [f"  {name:<12}{COMMANDS[name]}" for name in _FIRST_COMMANDS]
        click.echo("\n".join(["claimeven: a Connect Four workbench", "", *lines, "", _MORE_HELP]))


def main(
    arguments: list[str] | None = None,
    on_interrupt: Callable[[int, FrameType | None], object] | None = None,
) -> None:
    """Run the command line and exit; bad input prints one sentence on stderr, with status 2.

    `on_interrupt` handles Ctrl-C once a message can be printed. The message is printed completely,
    even if Ctrl-C is pressed repeatedly.
    """
    prepare_streams()
    interrupts.count_resumes()
    with interrupts.redeliver_lost(), interrupts.deferred(on_interrupt) as safe_moment:
        status = _status_of(lambda: safe_moment.interruptible(lambda: _run(arguments)))
        safe_moment.forget()
        sys.exit(status)


def _running_command() -> dict[str, Any]:
    """Return the running command with its options, without folders of this machine."""
    if click.get_current_context(silent=True) is None:
        return {}
    from claimeven.cli.common.experiments import run_options  # noqa: PLC0415 - quick start

    text = json.dumps(run_options(), ensure_ascii=False).replace(r"\\", "/")
    found: dict[str, Any] = json.loads(without_folders(text))
    return found


def _run(arguments: list[str] | None) -> int:
    provenance.running_command = _running_command
    status: Any = cli.main(arguments, prog_name="claimeven", standalone_mode=False)
    sys.stdout.flush()  # raises the error of a full disk
    return status if isinstance(status, int) else 0


def _status_of(run: Callable[[], int]) -> int:
    """Return the exit status of a run; print its error, if any."""
    try:
        return run()
    except ClaimevenError as error:
        return print_error(str(error))
    except click.UsageError as error:
        hint = f" (try '{error.ctx.command_path} --help')" if error.ctx else ""
        return print_error(_usage_text(error) + hint)
    except click.ClickException as error:
        return print_error(error.format_message())
    except MemoryError:
        return print_error("there is not enough memory: choose a smaller table or tree")
    except (click.Abort, KeyboardInterrupt) as error:
        print(str(error) or str(error.__cause__ or "") or "interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        drop_output()  # the reader is gone
        return LOST_OUTPUT
    except OSError as error:
        print_error(f"{error.filename or 'the output'} cannot be used: {error.strerror or error}")
        drop_output()
        return LOST_OUTPUT


def _usage_text(error: click.UsageError) -> str:
    """Return the message of an error, with a suggestion for an unknown option."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error.format_message().rstrip(".")
    options = [name.lstrip("-") for each in error.ctx.command.params for name in each.opts]
    choice = closest(error.option_name.lstrip("-"), options)
    guess = "" if choice is None else f" (did you mean --{choice}?)"
    return f"there is no option {error.option_name}{guess}"
