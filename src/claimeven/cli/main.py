"""The command `claimeven`: one module a verb, imported when it is called."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import click

from claimeven import __version__
from claimeven.cli.common.groups import LazyVerbs
from claimeven.cli.common.streams import complain, drop_output, prepare_streams
from claimeven.errors import ClaimevenError
from claimeven.parallel import interrupts

#: Each command, a module of this package, and its line in the list.
VERBS = {
    "match": "Play many games of two agents and compare them.",
    "tournament": "Play many agents against each other; a ladder.",
    "ladder": "Place an agent on the ladder from random to perfect.",
    "sprt": "Play two agents until it is clear which is stronger.",
    "accuracy": "How often agents find the best move; where they err.",
    "games": "List, show and export stored games; import others.",
    "convert": "Game records from one format into another.",
    "report": "Write a tournament's games as a page to read.",
    "check": "Try an agent: does it load, fail, how long is a move?",
    "study": "Run the classic studies: what was reported, and now.",
    "play": "Play on the terminal, or watch agents play.",
    "puzzles": "Solve puzzles, one for each day; make sets of them.",
    "serve": "Serve the page and the API; play through a server.",
    "ugi": "Be an engine for other programs: speak UGI.",
    "challenge": "Play against a server of the Lund contract.",
    "solve": "Print the exact scores of positions.",
    "show": "Draw boards of any form; count runs, evaluate them.",
    "think": "Show what an agent makes of one position.",
    "explain": "Say why columns are good or bad, in sentences.",
    "analyze": "Judge a whole game against perfect play.",
    "dataset": "Write positions with exact scores to a file.",
    "train": "Teach an agent: by self-play, or by exact scores.",
    "export": "Write an agent as a submission to Kaggle ConnectX.",
    "agents": "List every agent with its options.",
    "book": "Build, check, count and convert opening books.",
    "bench": "Time the searches; one number tells if any has changed.",
    "perft": "Count positions and move sequences, ply by ply.",
}

#: Exit statuses: output that could not be written, Ctrl-C.
LOST_OUTPUT, INTERRUPTED = 1, interrupts.INTERRUPTED


@click.group(
    cls=LazyVerbs,
    package="claimeven.cli",
    verbs=VERBS,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(__version__, prog_name="claimeven")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """The Connect Four workbench: play, solve, search, learn, compete.

    \b
    Examples:
      claimeven play
      claimeven match alphabeta:depth=3,eval=sequences random --games 500
      claimeven VERB --help
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(
    arguments: list[str] | None = None,
    on_interrupt: Callable[[int, FrameType | None], object] | None = None,
) -> None:
    """Run the command line: bad input ends with one sentence on stderr and exit status 2.

    `on_interrupt` is what Ctrl-C does once it can be answered in words, if it does not do so yet.
    Those words are said whole, however often it is pressed.
    """
    prepare_streams()
    interrupts.note_stops()
    with interrupts.never_lost(), interrupts.put_off(on_interrupt) as safe_moment:
        status = _answered(lambda: safe_moment.heeded(lambda: _run(arguments)))
        safe_moment.forget()
        sys.exit(status)


def _run(arguments: list[str] | None) -> int:
    status: Any = cli.main(arguments, prog_name="claimeven", standalone_mode=False)
    sys.stdout.flush()  # a full disk is told here
    return status if isinstance(status, int) else 0


def _answered(run: Callable[[], int]) -> int:
    """Return the status that a run ends with, or say what it failed by and return that of it."""
    try:
        return run()
    except ClaimevenError as error:
        return complain(str(error))
    except click.UsageError as error:
        hint = f" (try '{error.ctx.command_path} --help')" if error.ctx else ""
        return complain(error.format_message().rstrip(".") + hint)
    except click.ClickException as error:
        return complain(error.format_message())
    except MemoryError:
        return complain("there is not enough memory: choose a smaller table or tree")
    except (click.Abort, KeyboardInterrupt) as error:
        print(str(error) or str(error.__cause__ or "") or "interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone: say nothing more.
        drop_output()
        return LOST_OUTPUT
    except OSError as error:
        complain(f"{error.filename or 'the output'} cannot be used: {error.strerror or error}")
        drop_output()
        return LOST_OUTPUT
