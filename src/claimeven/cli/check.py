"""`claimeven check`: whether an agent is fit for a tournament, in plain words."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from functools import partial
from typing import TextIO

import click

from claimeven.agents import GRACE, InvalidSpec, Limit
from claimeven.agents.safe_text import printable
from claimeven.arena.check import (
    GAMES,
    OPPONENTS,
    PATIENCE,
    CheckReport,
    Fault,
    check_agent,
)
from claimeven.cli.main import BAD_INPUT, complain
from claimeven.cli.shared.boards import board_text
from claimeven.cli.shared.json_lines import write_json
from claimeven.cli.shared.options import (
    check_seed,
    geometry_options,
    json_option,
    load_seconds_option,
    memory_option,
    time_control_options,
)
from claimeven.cli.shared.progress import counting, say_when_compiling
from claimeven.cli.shared.streams import clean_stdout, text_width
from claimeven.cli.shared.tables import table_lines
from claimeven.cli.shared.widths import wrap
from claimeven.game.geometry import Geometry

#: Exit status where a fault was found.
FAULTY = 1
#: Lines of a traceback that are shown, the last ones.
MOST_TRACEBACK = 12
#: How games can end, as the headings of a table.
RESULTS = ("won", "drawn", "lost", "forfeited")


@click.command("check")
@click.argument("specs", metavar="AGENT...", nargs=-1, required=True)
@click.option("--seed", default=0, show_default=True, help="Seed of openings and agents.")
@geometry_options
@time_control_options
@memory_option
@load_seconds_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    specs: tuple[str, ...],
    seed: int,
    geometry: Geometry,
    limit: Limit,
    memory: int | None,
    load_seconds: float | None,
    as_json: bool,
) -> None:
    """Check whether an agent loads and plays without faults, and what a move costs it.

    It plays ten games in a process of its own, against random and greedy, from both seats, from
    the empty board, in mid-game and where columns are full. Every fault is told with the position,
    the traceback and what to do about it. Without --seconds it has 10 s for a move.

    Exit status 0: no fault was found; 1: some agent has faults or cannot be loaded; 2: bad input,
    such as a file that is not there: it is told, and the others are checked.

    \b
    Examples:
      claimeven check my_agent.py
      claimeven check my_agent.py:agent --seconds 1
      claimeven check kaggle:submission.py --seconds 2 --bank 60 --memory 1024
      claimeven check "ugi:./engine" --seconds 1
      claimeven check bots/*.py --json
    """
    check_seed(seed)
    say_when_compiling()
    broken: list[str] = []
    missing: list[str] = []
    with clean_stdout() as out:
        for number, spec in enumerate(specs):
            with counting(GAMES * len(specs), "games") as tick:
                try:
                    report = check_agent(
                        spec,
                        geometry=geometry,
                        limit=limit,
                        memory_mb=memory,
                        load_seconds=load_seconds,
                        seed=seed,
                        watch=partial(_tick_from, tick, number * GAMES),
                    )
                except InvalidSpec as error:
                    if len(specs) == 1:
                        raise
                    missing.append(spec)
                    complain(str(error))
                    continue
            if not report.is_fine:
                broken.append(spec)
            if as_json:
                write_json(report.as_dict(), out)
            else:
                if number:
                    out.write("\n")
                _write(report, limit, out)
            out.flush()
        if len(specs) > 1 and not as_json:
            fine = len(specs) - len(broken) - len(missing)
            out.write(f"\n{fine} of {len(specs)} agents have no faults\n")
            out.writelines(f"  faults: {printable(spec)}\n" for spec in broken)
            out.writelines(f"  no agent: {printable(spec)}\n" for spec in missing)
    ctx.exit(BAD_INPUT if missing else FAULTY if broken else 0)


def _tick_from(tick: Callable[[int], object], before: int, done: int) -> None:
    tick(before + done)


def _write(report: CheckReport, limit: Limit, out: TextIO) -> None:
    width = text_width(out)
    if report.failure is not None:
        lines = [*_wrapped(str(report.failure), width), *_traceback(report.failure.traceback)]
        lines += ["", *_wrapped(f"What to do: {report.advice}.", width)]
        out.writelines(line + "\n" for line in lines)
        return
    out.writelines(line + "\n" for line in _games_lines(report, width))
    for fault in report.faults:
        out.write("\n")
        _write_fault(fault, report, limit, out)
    out.write("\n")
    out.writelines(line + "\n" for line in _wrapped(_cost_text(report, limit), width))
    out.writelines(line + "\n" for line in _wrapped(_verdict(report), width))


def _games_lines(report: CheckReport, width: int) -> Iterator[str]:
    """Yield what became of the games."""
    played = len(report.games)
    told = f"{printable(report.spec)}: loaded in {report.load_seconds:.1f} s, {played} games on"
    yield from _wrapped(f"{told} {report.geometry}", width)
    yield ""
    rows = [
        [name.ljust(len("against")), *(str(report.count(name, result)) for result in RESULTS)]
        for name in OPPONENTS
    ]
    yield from table_lines(["against", *RESULTS], rows, width)


def _write_fault(fault: Fault, report: CheckReport, limit: Limit, out: TextIO) -> None:
    """Say what happened, where, and what to do about it."""
    width = text_width(out)
    first, lost = fault.games[0], len(fault.games)
    times = f"{lost} game{'s' * (lost != 1)}"
    said = [f"{str(fault.kind).upper()}, {times}: it {fault.reason}"]
    moves = first.game.moves
    where = f"after {moves}" if moves else "on the empty board"
    seat = ("first", "second")[first.seat]
    said.append(
        f"It happened in game {first.number + 1}, as {seat} player against {first.opponent},"
        f" {where}:"
    )
    for text in said:
        out.writelines(line + "\n" for line in _wrapped(text, width))
    out.write(board_text(fault.position, out) + "\n")
    out.writelines(line + "\n" for line in _traceback(fault.traceback))
    out.writelines(line + "\n" for line in _wrapped(f"What to do: {fault.advice}.", width))
    board = report.geometry
    size = (
        ""
        if board == Geometry()
        else f" --columns {board.columns} --rows {board.rows} --connect {board.connect}"
    )
    quoted = moves or '""'
    spec = shlex.quote(printable(report.spec))
    time = "" if limit.seconds is None else f" --seconds {limit.seconds:g}"
    out.write(f"To see it again: claimeven think {quoted} --agent {spec}{size}{time}\n")


def _traceback(text: str) -> list[str]:
    """Return the last lines of a traceback, indented."""
    lines = text.rstrip().splitlines()
    shown = lines if len(lines) <= MOST_TRACEBACK else ["...", *lines[1 - MOST_TRACEBACK :]]
    return [f"    {line}" for line in shown]


def _cost_text(report: CheckReport, limit: Limit) -> str:
    """Say what a move took, and how much memory the agent held."""
    said = ""
    if report.median is not None and report.slowest is not None:
        slowest, game, moves = report.slowest
        where = f"after {moves}" if moves else "on the empty board"
        said = (
            f"A move took {_time(report.median)} at the median, {_time(slowest)} at the most"
            f" (game {game.number + 1}, {where}); {_allowed(limit, slowest)}. "
        )
    if report.memory is not None:
        bound = report.isolation.memory
        said += f"It held {report.memory:,.0f} MB of memory at the most; it may hold {bound:,} MB."
    return said


def _allowed(limit: Limit, slowest: float) -> str:
    if limit.seconds is None:
        return f"here it had {PATIENCE:g} s"
    bank = "" if limit.bank is None else f", and {limit.bank:g} s in its bank"
    late = "" if slowest <= limit.seconds + (limit.bank or 0.0) else f", and {GRACE:g} s of grace"
    return f"it had {limit.seconds:g} s{bank}{late}"


def _verdict(report: CheckReport) -> str:
    """Say what comes of it all."""
    if not report.is_fine:
        lost, played = sum(len(fault.games) for fault in report.faults), len(report.games)
        early = "" if played == GAMES else ": no more were played, since it does not answer"
        return f"It forfeited {lost} of {played} games{early}."
    if report.count("random", "lost") > report.count("random", "won"):
        return (
            "No faults. But it lost to random more often than it won. Unless it plays at random"
            " itself: does it see which discs are its own, and which column its answer means?"
        )
    return "No faults: it is fit for a tournament."


def _time(seconds: float) -> str:
    """Say a time in the unit that suits it.

    >>> _time(0.00002), _time(0.00041), _time(0.02), _time(2.5)
    ('under 0.1 ms', '0.4 ms', '20 ms', '2.50 s')
    """
    if seconds >= 1:
        return f"{seconds:.2f} s"
    milliseconds = 1000 * seconds
    if milliseconds < 0.1:
        return "under 0.1 ms"
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)
