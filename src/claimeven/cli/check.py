"""`claimeven check`: test whether an agent is ready for a tournament."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TextIO

import click

from claimeven.agents import GRACE, InvalidSpec, Limit
from claimeven.agents.external.kaggle import BANK_SECONDS, MOVE_SECONDS
from claimeven.agents.process.agent import PATIENCE
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.sanitize import own_lines, printable
from claimeven.arena.algorithm_check import SECONDS, AlgorithmReport, check_algorithm
from claimeven.arena.algorithm_worker import ALGORITHMS
from claimeven.arena.findings import STATEFUL_ADVICE
from claimeven.arena.games.plan import setting_of
from claimeven.arena.probes import Fault
from claimeven.arena.validate import GAMES, MAX_WAITING, OPPONENTS, CheckReport, check_agent
from claimeven.blocks import Block, Board, Code, Table
from claimeven.cli.common import options
from claimeven.cli.common.output import cut, left, text_size, text_width, write_sections
from claimeven.cli.common.progress import announce_compilation, status_line
from claimeven.cli.common.streams import BAD_INPUT, clean_stdout, print_error, write_json
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.game.validation import seed_number

#: Exit status if a fault was found.
FAULTY = 1
MAX_TRACEBACK = 12


@click.command("check")
@click.argument("specs", metavar="AGENT...", nargs=-1, required=True, type=options.AGENT)
@click.option(
    "--algorithm", type=click.Choice([*ALGORITHMS]),
    help="Compare the search of a file with the textbook of an algorithm.",
)  # fmt: skip
@click.option(
    "--moves", multiple=True, metavar="MOVES",
    help="With --algorithm: search the position after these moves; may be repeated.",
)  # fmt: skip
@click.option("--seed", default=0, help="Seed of openings and agents.")
@options.geometry_options
@options.time_control_options
@options.bounds_options
@click.option("--verbose", is_flag=True, help="Show the output of the agents.")
@options.json_option
@click.pass_context
def command(
    ctx: click.Context,
    specs: tuple[str, ...],
    algorithm: str | None,
    moves: tuple[str, ...],
    seed: int,
    geometry: Geometry,
    limit: Limit,
    bounds: Sandbox,
    verbose: bool,
    as_json: bool,
) -> None:
    """Check whether an agent loads, plays without faults and how long a move takes.

    The agent runs in a separate process. It gets some 300 positions chosen to provoke mistakes
    (fewer if it is slow) and plays ten games against random and greedy. Every fault comes with the
    position, the traceback and a remedy. Time is limited as in a match with the same options:
    without --seconds a Kaggle file has Kaggle's time. Several agents get a table first.

    With --algorithm the file has a search, such as minimax(position, depth, evaluate), that yields
    the positions it visits. Its values, columns and visits are compared with the textbook, and the
    first difference comes with its usual cause: see the guide "Check your own search".

    The exit status is 0 if there are no faults, 1 if an agent has faults or cannot be loaded, and 2
    for bad input such as a missing file; the other agents are still checked.

    \b
    Examples:
      claimeven check my_agent.py
      claimeven check my_agent.py:Player,depth=2
      claimeven check kaggle:main.py --seconds 2 --time-bank 60
      claimeven check "ugi:./engine" --seconds 1
      claimeven check bots/*.py --json
      claimeven check --algorithm alphabeta my_search.py
      claimeven check --algorithm uct my.py:search,shape=lists --moves 4453
    """
    seed_number(seed)
    check: Callable[..., CheckReport | AlgorithmReport]
    if algorithm is not None:
        sandbox, seconds = replace(bounds, quiet=not verbose), limit.seconds or SECONDS
        check = partial(check_algorithm, algorithm, moves=moves, seconds=seconds, sandbox=sandbox)
    elif moves:
        raise click.UsageError("--moves needs --algorithm: it names positions for a search")
    else:
        announce_compilation()
        memory, load = bounds.memory_limit_mb, bounds.load_timeout
        check = partial(check_agent, limit=limit, memory_limit_mb=memory, load_timeout=load)
        check = partial(check, quiet=not verbose)
    reports: dict[str, CheckReport | AlgorithmReport | None] = {}
    with clean_stdout() as out:
        with status_line() as line:
            for number, spec in enumerate(specs, start=1):
                place = f", {number} of {len(specs)}" if len(specs) > 1 else ""
                things = "{} of {} positions" + " and games" * (algorithm is None)
                progress = line.reporter(things, f"checking {printable(spec)}{place}: ")
                try:
                    reports[spec] = check(spec, geometry=geometry, seed=seed, on_progress=progress)
                except InvalidSpec as error:
                    if len(specs) == 1:
                        raise
                    reports[spec] = None
                    line.clear()
                    print_error(str(error))
                if as_json and (report := reports[spec]) is not None:
                    line.clear()
                    write_json({**setting_of([spec], geometry, limit), **report.as_dict()}, out)
                    out.flush()
        if not as_json:
            _write_all(reports, limit, out)
    is_fine = all(report is None or report.is_fine for report in reports.values())
    ctx.exit(BAD_INPUT if None in reports.values() else 0 if is_fine else FAULTY)


def _write_all(
    reports: Mapping[str, CheckReport | AlgorithmReport | None], limit: Limit, out: TextIO
) -> None:
    """Write the report of one agent, or a table of several and the reports with faults."""
    searches = [each for each in reports.values() if isinstance(each, AlgorithmReport)]
    checked = {spec: each for spec, each in reports.items() if isinstance(each, CheckReport)}
    if searches or len(reports) == 1:
        sections = (_sections(each, limit) for each in checked.values())
        write_sections(chain(*map(_search_sections, searches), *sections), out)
        return
    for line in _summary(dict.fromkeys(reports) | checked, text_width(out)):
        out.write(f"{line}\n")
    broken = [report for report in checked.values() if not report.is_fine]
    for report in broken:
        out.write("\n")
        write_sections(_sections(report, limit), out)
    out.write(f"\n{len(checked) - len(broken)} of {len(reports)} agents have no faults\n")
    out.writelines(f"  faults: {printable(report.spec)}\n" for report in broken)
    out.writelines(f"  no agent: {printable(spec)}\n" for spec in reports if spec not in checked)


def _search_sections(report: AlgorithmReport) -> Iterator[list[Block]]:
    """Yield the comparison of a search: the first difference and its causes."""
    differs, is_sampled = report.difference, report.algorithm in ("uct", "flat")
    names = f"{printable(report.spec)} and the textbook of {report.algorithm}"
    if differs is None:
        counts = f", {report.visits:,} visits and {report.cutoffs:,} cutoffs"
        if not report.visits:
            counts = ". It shows no visits (yield each position), so its cutoffs are not compared"
        yield [f"{names} do the same in {report.positions} positions{counts}."]
        return
    effort = f"{'with' if is_sampled else 'to depth'} {differs.effort}{' playouts' * is_sampled}"
    yield [f"{names} differ in a search {_after(differs.moves)} {effort}:", Board(differs.position)]
    visit = f"Visit {differs.visit}: the" if differs.visit else "The"
    for who in ("textbook", "program"):
        seen: Position | None = getattr(differs, f"{who}_position")
        yield [f"{visit} {who} {getattr(differs, who)}.", *map(Board, filter(None, [seen]))]
    yield [_traceback(differs.traceback)] if differs.traceback else []
    likely = "Cause" if report.is_sure and len(report.causes) == 1 else "Possible cause"
    causes: list[Block] = [f"{likely}: {cause}." for cause in report.causes]
    yield causes or ["No known mistake does the same."]
    if report.changes:
        where = "in all positions" if report.is_sure else "up to a later difference"
        text = "\n".join("\n->\n".join(each) for each in report.changes)
        yield [f"The textbook with this change does the same {where}:", Code(text.splitlines())]


def _summary(reports: Mapping[str, CheckReport | None], width: int) -> Iterator[str]:
    """Yield a line for each agent: the result, the time of a move, the first fault."""
    names = [printable(spec) for spec in reports]
    room = min(max(map(text_size, names)), max(20, width // 3))
    yield left("agent", room) + "  result      a move        first fault"
    for name, report in zip(names, reports.values(), strict=True):
        found, reason, time = "no agent", "", ""
        if report is not None:
            reason = "".join(f"{fault.kind}: it {fault.reason}" for fault in report.faults[:1])
            reason, count = str(report.failure or reason), len(report.faults)
            found = f"{count} fault{'s' * (count != 1)}" if count else "fine"
            found = found if report.failure is None else "not loaded"
            time = "" if report.median is None else _time(report.median)
        short = name if text_size(name) <= room else "..." + name[3 - room :]
        yield cut(f"{left(short, room)}  {found:10}  {time:12}  {reason}", width).rstrip()


def _sections(report: CheckReport, limit: Limit) -> Iterator[list[Block]]:
    if report.failure is not None:
        yield [str(report.failure), _traceback(report.failure.traceback)]
        yield [f"What to do: {report.advice}."]
        return
    asked, played = len(report.answers), len(report.games)
    (wins, of_wins), (blocks, of_blocks) = report.taken("wins"), report.taken("blocks")
    yield [
        f"{printable(report.spec)}: loaded in {report.load_seconds:.1f} s, {asked} positions and"
        f" {played} games on {report.geometry}",
        *([f"It plays {report.plays}."] if report.plays else []),
        f"It played {wins} of {of_wins} winning moves and blocked {blocks} of {of_blocks} threats.",
    ]
    results = ("won", "drawn", "lost", "forfeited")
    counts = [[name, *(str(report.count(name, end)) for end in results)] for name in OPPONENTS]
    yield [Table(["against", *results], counts)]
    for fault in report.faults:
        yield list(_fault(fault, report, limit))
    note = f"Note: {STATEFUL_ADVICE}." if report.is_stateful and report.is_fine else ""
    yield [*filter(None, (note, *report.notes, _cost(report, limit), _verdict(report)))]


def _fault(fault: Fault, report: CheckReport, limit: Limit) -> Iterator[Block]:
    """Yield the fault, its position and the remedy."""
    counts = [(fault.answers, "position"), (len(fault.games), "game")]
    times = " and ".join(f"{count} {thing}{'s' * (count != 1)}" for count, thing in counts if count)
    yield f"{fault.kind.upper()}{', ' * bool(times)}{times}: it {fault.reason}"
    if fault.position is not None:
        game = ""
        if not fault.answers:
            first, seat = fault.games[0], ("first", "second")[fault.games[0].seat]
            game = f"in game {first.number + 1}, as {seat} player against {first.opponent}, "
        yield f"It happened {game}{_after(fault.moves)}:"
        yield Board(fault.position)
    if fault.traceback:
        yield _traceback(fault.traceback)
    yield f"What to do: {fault.advice}."
    if fault.position is not None:
        board, size = report.geometry, ""
        if board != Geometry():
            size = f" --columns {board.columns} --rows {board.rows} --connect {board.connect}"
        spec = shlex.quote(printable(report.spec))
        time = "" if limit.seconds is None else f" --seconds {limit.seconds:g}"
        moves = fault.moves or '""'
        yield Code([f"To repeat it: claimeven think {moves} --agent {spec}{size}{time}"], 0)


def _after(moves: str) -> str:
    return f"after {moves}" if moves else "on the empty board"


def _traceback(text: str) -> Code:
    """Return the last lines of a traceback, preceded by the last line of the author's code."""
    lines = text.rstrip().splitlines()
    if len(lines) > MAX_TRACEBACK:
        own = [line for line in own_lines(lines) if line <= len(lines) - MAX_TRACEBACK]
        shown = ["...", *(lines[number] for number in own)] if own else []
        lines = [*shown, "...", *lines[len(shown) + 1 - MAX_TRACEBACK :]]
    return Code(lines)


def _cost(report: CheckReport, limit: Limit) -> str:
    """Return the time of a move and the memory of the agent in sentences."""
    text = ""
    if report.median is not None and report.slowest is not None:
        slowest, moves = report.slowest
        text = f"Median time of a move: {_time(report.median)}; maximum: {_time(slowest)}"
        text += f" ({_after(moves)}); {_allowed(report.spec, limit, slowest)}. "
    if report.memory is not None:
        bound = report.sandbox.memory_bound_mb
        text += f"Maximum memory: {report.memory:,.0f} MB of {bound:,} MB allowed."
    return text


def _allowed(spec: str, limit: Limit, slowest: float) -> str:
    if limit.seconds is None and spec.startswith("kaggle:"):
        return f"limit: Kaggle's {MOVE_SECONDS} s, and {BANK_SECONDS} s in the time bank"
    if limit.seconds is None:
        return f"without --seconds a match waits {PATIENCE:g} s, this check {MAX_WAITING:g} s"
    bank = "" if limit.time_bank is None else f", and {limit.time_bank:g} s in the time bank"
    is_late = slowest > limit.seconds + (limit.time_bank or 0.0)
    return f"limit: {limit.seconds:g} s{bank}{f', and {GRACE:g} s of grace' * is_late}"


def _verdict(report: CheckReport) -> str:
    asked, played = len(report.answers), len(report.games)
    if not report.is_fine:
        wrong = sum(fault.answers for fault in report.faults)
        lost = sum(len(fault.games) for fault in report.faults)
        early = "" if played == GAMES else " (stopped early to save time)"
        return f"It failed in {wrong} of {asked} positions and {lost} of {played} games{early}."
    if report.count("random", "lost") > report.count("random", "won"):
        return (
            "No faults, but it lost to random more often than it won. Unless it plays randomly,"
            " check that it takes the right discs as its own and answers with the right column."
        )
    place = "Kaggle, but not for games from an opening" if report.is_stateful else "a tournament"
    slow = f" It is slow, so this was less than {report.positions} positions and {GAMES} games."
    slow *= asked < report.positions or played < GAMES
    return f"No faults: it is ready for {place}.{slow}"


def _time(seconds: float) -> str:
    """Return a time with a suitable unit.

    >>> _time(0.00002), _time(0.00041), _time(0.02), _time(2.5)
    ('under 0.1 ms', '0.4 ms', '20 ms', '2.50 s')
    """
    if seconds >= 1:
        return f"{seconds:.2f} s"
    amount = 1000 * seconds
    return "under 0.1 ms" if amount < 0.1 else f"{amount:.{0 if amount >= 10 else 1}f} ms"
