"""`claimeven puzzles`: solve puzzles on the terminal, or make a set."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import TextIO

import click
import numpy as np

from claimeven.atomic_io import check_output
from claimeven.cli.common.options import (
    FilePath,
    WordChoice,
    default_plies_text,
    geometry_options,
    json_option,
    parse_plies,
    reject_other_options,
    seed_option,
)
from claimeven.cli.common.output import board_text, fitted, show_table, table_width, text_width
from claimeven.cli.common.progress import announce_compilation, resumable_file, status_line
from claimeven.cli.common.prompt import HELP, HINT, NEW, QUIT, SHOW, Prompt
from claimeven.cli.common.streams import write_json
from claimeven.cli.main import INTERRUPTED, CommandGroup
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_choices, column_name
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position, positions_along
from claimeven.game.validation import seed_number
from claimeven.puzzles.generate import make_puzzles
from claimeven.puzzles.puzzle import (
    DIFFICULTIES,
    KINDS,
    MOTIFS,
    WIN,
    Puzzle,
    PuzzleSet,
    bundled_puzzles,
    daily_puzzle,
    filter_puzzles,
    puzzle_by_number,
    read_puzzles,
)
from claimeven.puzzles.solutions import check_solution, hints_for, position_after, try_column
from claimeven.solver import Solver

TODAY = "today"
#: Upper bound of drawn seeds: short enough to type.
MAX_DRAWN_SEED = 1_000_000
#: Size of the solver's table; a small one is enough for puzzles.
TABLE_MB = 32
DEFAULT_PLIES = 8, 34
_MEANINGS = {
    HINT: "the idea, then cells to look at, then the column",
    SHOW: "the solution",
    NEW: "another puzzle",
    QUIT: "leave",
    HELP: "this help",
}


@click.group("puzzles", cls=CommandGroup, invoke_without_command=True)
@click.option(
    "--difficulty", type=WordChoice(*DIFFICULTIES), help="Only puzzles of this difficulty."
)
@click.option("--kind", type=WordChoice(*KINDS), help="Only puzzles to win, or to hold the draw.")
@click.option("--motif", type=WordChoice(*MOTIFS), help="Only puzzles with this motif.")
@click.option(
    "--length",
    type=int,
    help="Only puzzles with this number of moves to foresee: 1 is a win in 1 or a block.",
)
@click.option(
    "--daily",
    is_flag=False,
    flag_value=TODAY,
    metavar="[DAY]",
    help="Puzzle of today, or of a day such as 2026-01-31.",
)
@click.option("--number", type=int, help="Puzzle with this number in its set.")
@click.option("--list", "as_list", is_flag=True, help="Print the puzzles, one per line.")
@click.option("--counts", is_flag=True, help="Print the number of puzzles of each difficulty.")
@click.option("--hint", is_flag=True, help="Print the puzzle with its hints.")
@click.option("--set", "file", metavar="FILE", type=FilePath(), help="Your own set of puzzles.")
@click.option("--seed", type=int, help="Seed of the selection.  [default: drawn]")
@json_option
@geometry_options
@click.pass_context
def command(
    ctx: click.Context,
    difficulty: str | None,
    kind: str | None,
    motif: str | None,
    length: int | None,
    daily: str | None,
    number: int | None,
    as_list: bool,
    counts: bool,
    hint: bool,
    file: str | None,
    seed: int | None,
    as_json: bool,
    geometry: Geometry,
) -> None:
    """Solve puzzles: find the only column that wins, or that holds the draw.

    Type a column. If it is right, the opponent replies with the best defense and you continue until
    the win is clear, several columns are right, or you found six. If it is wrong, you see the
    reason and try again. Other words: hint (the idea, then cells, then the column), show, new,
    quit.

    The rating of a puzzle grows with the moves to look ahead: 1 or 2 for beginners, up to 4 for
    easy ones, 6 for medium, 9 for hard, more for experts. The idea and the number of columns add
    to it. Daily puzzles go from beginner to expert during the week. --json, --list, --counts and
    --hint print puzzles without a session.

    \b
    Examples:
      claimeven puzzles
      claimeven puzzles --daily
      claimeven puzzles --difficulty hard --kind hold
      claimeven puzzles --motif double-threat --length 2
      claimeven puzzles --number 12 --hint
      claimeven puzzles --difficulty easy --list | head
      claimeven puzzles make --count 500 --seed 1 -o mine.txt
    """
    if ctx.invoked_subcommand is not None:
        reject_other_options(ctx, ctx.invoked_subcommand, ())
        return
    given = bundled_puzzles(geometry) if file is None else read_puzzles(file, geometry)
    narrowed = {"difficulty": difficulty, "kind": kind, "motif": motif, "length": length}
    chosen = filter_puzzles(given.puzzles, difficulty, kind, motif, length)
    if not chosen:
        raise ClaimevenError(f"{given.name} has no such puzzle: see --counts")
    others = {f"--{name}": value for name, value in narrowed.items()}
    others |= {"--list": as_list, "--counts": counts}
    _check_one(daily, number, seed, others)
    if as_list or counts:
        mode = "as_list" if as_list else "counts"
        narrowing = (*narrowed, "file", "as_json", "columns", "rows", "connect")
        reject_other_options(ctx, "--list" if as_list else "--counts", (mode, *narrowing))
        (_print_list if as_list else _print_counts)(given, chosen, as_json)
        return
    pool = chosen
    rng = np.random.default_rng(seed if seed is None else seed_number(seed))
    if daily is not None:
        chosen = (daily_puzzle(None if daily == TODAY else daily, chosen),)
    elif number is not None:
        chosen = (puzzle_by_number(given.puzzles, number),)
    first = chosen[int(rng.integers(len(chosen)))]
    if as_json and not hint:
        write_json({**first.as_dict(), "set": given.name, "hints": None}, sys.stdout)
        return
    announce_compilation()
    solver = Solver(geometry, TABLE_MB)
    session = PuzzleSession(given, solver, sys.stdout, is_own=file is not None)
    if hint:
        _print_puzzle(first, session, as_json)
        return
    try:
        for puzzle in _one_after_the_other(first, pool, rng):
            if not session.solve(puzzle):
                break
        else:
            session.print("there is no other puzzle.")
    except KeyboardInterrupt:
        session.print("")  # ends the line of the prompt
        ctx.exit(INTERRUPTED)
    finally:
        session.close()


def _one_after_the_other(
    first: Puzzle, others: Sequence[Puzzle], rng: np.random.Generator
) -> Iterator[Puzzle]:
    """Yield a puzzle, then the others in random order, repeatedly."""
    yield first
    last, left = first, [puzzle for puzzle in others if puzzle != first]
    while left:
        for place in rng.permutation(len(left)):
            last = left[place]
            yield last
        left = [puzzle for puzzle in others if puzzle != last]


def _check_one(
    daily: str | None, number: int | None, seed: int | None, others: Mapping[str, object]
) -> None:
    if daily is not None and number is not None:
        raise ClaimevenError("give --daily or --number, not both")
    for option, named in (("--daily", daily), ("--number", number)):
        if named is not None and seed is not None:
            raise ClaimevenError(f"{option} selects one puzzle: it does not go with --seed")
    for name, value in others.items():
        if number is not None and value:
            raise ClaimevenError(f"--number selects one puzzle: it does not go with {name}")


@command.command("make")
@click.option("--count", type=int, required=True, help="Number of puzzles to make.")
@click.option("-o", "--out", required=True, help="File to write; compressed if it ends in .gz.")
@click.option("--plies", help=f"Discs on the board, a-b.  {default_plies_text(DEFAULT_PLIES)}")
@seed_option
@json_option
@geometry_options
def make(
    count: int, out: str, plies: str | None, seed: int, as_json: bool, geometry: Geometry
) -> None:
    """Make a set of puzzles, about three per second.

    The puzzles are different positions of games, mirror images included, in which only one column
    wins or holds the draw, spread over motifs and difficulties. The same options give the same set.
    After Ctrl-C or a crash run the same command again to continue. `puzzles --set FILE` solves
    them.

    \b
    Examples:
      claimeven puzzles make --count 500 --seed 1 -o mine.txt
      claimeven puzzles make --count 99 -o small.txt --columns 5 --rows 5
    """
    lowest, highest = parse_plies(plies, DEFAULT_PLIES, geometry)
    check_output(out)
    announce_compilation()
    with resumable_file(f"{out}.partial"), status_line() as line:
        made = make_puzzles(
            Path(out),
            count,
            seed,
            lowest=lowest,
            highest=highest,
            geometry=geometry,
            on_progress=lambda at: line.count(at.made, at.count, "puzzles", at.resumed),
        )
    _print_counts(made, made.puzzles, as_json)


def _print_list(given: PuzzleSet, chosen: Sequence[Puzzle], as_json: bool) -> None:
    if as_json:
        for puzzle in chosen:
            write_json({**puzzle.as_dict(), "set": given.name, "hints": None}, sys.stdout)
        return
    heads = ("number", "kind", "difficulty", "rating", "length", "moves")
    rows = [
        (f"{p.number}", p.kind, p.difficulty, f"{p.rating}", f"{p.length or '-'}", p.moves)
        for p in chosen
    ]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        cells = (f"{cell:>{width}}" for cell, width in zip(row[:5], widths, strict=False))
        click.echo(fitted(f"{'  '.join(cells)}  {row[5]}", table_width()))


def _print_counts(given: PuzzleSet, chosen: Sequence[Puzzle], as_json: bool) -> None:
    counts = Counter((p.difficulty, word) for p in chosen for word in (p.kind, p.motif))
    if as_json:
        facts = {"set": given.name, "digest": given.digest, "puzzles": len(chosen)}
        difficulties = [
            {"difficulty": difficulty, "from_rating": rating}
            | {kind: counts[difficulty, kind] for kind in KINDS}
            | {"motifs": [{"motif": m, "puzzles": counts[difficulty, m]} for m in MOTIFS]}
            for difficulty, rating in DIFFICULTIES.items()
        ]
        write_json({**facts, "difficulties": difficulties}, sys.stdout)
        return
    click.echo(fitted(f"{given.name}: {len(chosen):,} puzzles, digest {given.digest}", 80))
    rows = [
        [word, *(f"{counts[difficulty, word]}" for difficulty in DIFFICULTIES)]
        for word in (*KINDS, *MOTIFS)
    ]
    show_table(["", *DIFFICULTIES], [["from rating", *map(str, DIFFICULTIES.values())], *rows])


def _print_puzzle(puzzle: Puzzle, session: PuzzleSession, as_json: bool) -> None:
    session.check(puzzle)
    hints = hints_for(puzzle, 0, session.solver)
    if as_json:
        shown = [each.as_dict() for each in hints]
        write_json({**puzzle.as_dict(), "set": session.given.name, "hints": shown}, sys.stdout)
        return
    session.show(puzzle)
    for each in hints:
        session.print(each.text)


class PuzzleSession:
    """Consecutive puzzles of a set; `solver` explains answers, and checks a set that `is_own`."""

    def __init__(
        self, given: PuzzleSet, solver: Solver, talk: TextIO, is_own: bool = False
    ) -> None:
        self.given = given
        self.solver = solver
        self.talk = talk
        self.is_own = is_own
        self.tried = 0
        self.solved = 0

    def solve(self, puzzle: Puzzle) -> bool:
        """Let the user solve a puzzle; return whether to show another one.

        A puzzle is solved if no column was wrong and no hint was used.
        """
        self.check(puzzle)
        what = "wins" if puzzle.kind == WIN else "holds the draw"
        meanings = {"": f"the column that {what}", **_MEANINGS}
        self.prompt: Prompt = Prompt(self.talk, meanings, puzzle.geometry)
        self.show(puzzle)
        self.tried += 1
        found, hints, clean = 0, 0, True
        while True:
            typed = self.prompt.ask(f"column {column_choices(puzzle.geometry)}, or help: ")
            if typed in (NEW, QUIT):
                return typed == NEW
            if typed == HINT:
                clean = False
                texts = hints_for(puzzle, found, self.solver)
                self.print(texts[min(hints, len(texts) - 1)].text)
                hints += 1
            elif typed == SHOW:
                self._show_solution(puzzle, found)
                return self._after()
            elif isinstance(typed, int):
                position = position_after(puzzle, found)
                try:
                    attempt = try_column(puzzle, found, typed, self.solver)
                except ClaimevenError as error:
                    self.print(f"{error}.")
                    continue
                if not attempt.correct:
                    clean = False
                    self.print(f"No. {attempt.text}{self._refuted(position, typed, attempt.reply)}")
                    self.print("Try again.")
                    continue
                hints, found = 0, found + 1
                played = position.play(typed)
                if attempt.solved:
                    self.solved += clean
                    self._draw(played, typed)
                    self.print(f"Solved. {attempt.text}")
                    return self._after()
                assert attempt.reply is not None
                self._draw(played.play(attempt.reply), attempt.reply)
                reply = self._reply(played, attempt.reply)
                self.print(f"Right. {reply}. Find the next column.")

    def check(self, puzzle: Puzzle) -> None:
        """Raise `InvalidPuzzles` for a wrong solution in the user's own set."""
        if self.is_own:
            check_solution(puzzle, self.solver)

    def show(self, puzzle: Puzzle) -> None:
        self.print(
            f"puzzle {puzzle.number} of {self.given.name}: {puzzle.kind}, {puzzle.difficulty},"
            f" rating {puzzle.rating}"
        )
        self._draw(puzzle.position, None)
        self.print(puzzle.task)

    def close(self) -> None:
        """Print the number of solved puzzles, if there were several."""
        if self.tried > 1:
            self.print(f"solved {self.solved} of {self.tried} at the first try")

    def print(self, text: str) -> None:
        self.talk.write(f"{fill(text, text_width(self.talk))}\n")
        self.talk.flush()

    def _draw(self, position: Position, last: int | None) -> None:
        self.talk.write(f"\n{board_text(position, self.talk, last)}\n\n")

    def _refuted(self, position: Position, column: int, answer: int | None) -> str:
        if answer is None or position.play(column).play(answer).outcome is not None:
            return ""
        return f" Then {self._reply(position.play(column), answer)}."

    def _reply(self, position: Position, column: int) -> str:
        who = PLAYER_NAMES[position.turn]
        return f"{who} replies in column {column_name(column, position.geometry)}"

    def _show_solution(self, puzzle: Puzzle, found: int) -> None:
        position, line = position_after(puzzle, found), puzzle.solution[2 * found :]
        self._draw(positions_along(position, line)[-1], line[-1])
        names = " ".join(column_name(column, puzzle.geometry) for column in line)
        last = try_column(puzzle, puzzle.columns_to_find - 1, puzzle.solution[-1], self.solver)
        self.print(f"The solution is {names}. {last.text}")

    def _after(self) -> bool:
        """Ask for the next step after a puzzle; return whether to show another one."""
        while (typed := self.prompt.ask_after("new or quit")) not in (NEW, QUIT):
            if typed is not None:
                self.print("the puzzle is over: type new or quit.")
        return typed == NEW
