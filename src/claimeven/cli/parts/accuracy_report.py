"""How well agents play, in words: the tables and the blunders of `claimeven accuracy`."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO

from claimeven.arena.accuracy.comparing import Comparison
from claimeven.arena.accuracy.metrics import Accuracy, Blunder, Tally
from claimeven.arena.accuracy.query_agents import ANSWER_FIELDS
from claimeven.atomic_io import check_output, text_file
from claimeven.cli.common.boards import board_text
from claimeven.cli.common.json_lines import write_row
from claimeven.cli.common.streams import printable, text_width
from claimeven.cli.common.tables import named_lines, table_lines
from claimeven.cli.common.widths import wrap
from claimeven.errors import ClaimevenError
from claimeven.game.notation import column_name
from claimeven.solver import Solver
from claimeven.solver.scores import outcome_word

#: Plies that share a line.
PLIES = 4


@dataclass(frozen=True)
class Row:
    """What is told of an agent; `seconds` a move and bands where they are known."""

    name: str
    accuracy: Accuracy
    seconds: float | None = None
    by_band: Mapping[str, Tally] = field(default_factory=dict)


def agent_lines(rows: Sequence[Row], width: int) -> Iterator[str]:
    """Yield the tables of all agents, one a row: means, and their intervals."""
    names = [printable(row.name) for row in rows]
    timed = any(row.seconds is not None for row in rows)
    means, intervals = [], []
    for row in rows:
        whole, decisive = row.accuracy.all, row.accuracy.decisive
        tactics = row.accuracy.wins, row.accuracy.blocks
        keeping, floor = decisive.mean("keeping"), decisive.mean("floor_keeping")
        means.append(
            [f"{whole.moves:,}", share(whole.mean("perfect")), points(whole.mean("loss")),
             f"{decisive.moves:,}", share(keeping), share(floor),
             *(share(tally.mean("perfect")) for tally in tactics)]
        )  # fmt: skip
        intervals.append(
            [between(whole, "perfect"), between(whole, "loss"), between(decisive, "keeping"),
             *(between(tally, "perfect") for tally in tactics),
             *["-" if row.seconds is None else f"{row.seconds:.4f}"] * timed]
        )  # fmt: skip
    heads = ["moves", "perfect", "loss", "decisive", "keeps", "floor", "wins", "blocks"]
    yield from named_lines("agent", heads, names, means, width)
    yield ""
    heads = ["perfect", "loss", "keeps", "wins", "blocks", *["s a move"] * timed]
    yield from named_lines("95 % interval", heads, names, intervals, width)


def comparison_lines(found: Sequence[Comparison], ranking: Sequence[str]) -> Iterator[str]:
    """Yield the sentences on each two agents that follow each other in the ranking."""
    neighbours = set(pairwise(ranking))
    shown = [each for each in found if (each.first, each.second) in neighbours]
    if shown:
        yield ""
        yield from wrap("Compared position by position (McNemar's exact test):", text_width())
    for each in shown:
        yield from wrap(
            f"- {printable(each.sentence)}.", text_width(), subsequent_indent="  ",
            break_on_hyphens=False,
        )  # fmt: skip


def check_answers_file(path: Path) -> None:
    """Refuse a file of answers that cannot be written, before agents are asked."""
    if path.suffix not in (".csv", ".jsonl"):
        raise ClaimevenError(f"--answers writes .csv or .jsonl, not {path.name}")
    check_output(path)


def write_answers(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write answers as the name of the file ends."""
    with text_file(path) as stream:
        if path.suffix == ".jsonl":
            for row in rows:
                write_row(row, stream)
            return
        writer = csv.DictWriter(stream, ANSWER_FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, "best": " ".join(map(str, row["best"]))} for row in rows)


def detail_lines(row: Row, width: int) -> Iterator[str]:
    """Yield the tables of one agent: by ply, by number of right columns, and by band."""
    accuracy = row.accuracy
    yield from _split_table("ply", {**_by_plies(accuracy.by_ply), "all": accuracy.all}, width)
    right = {str(count): accuracy.by_right[count] for count in sorted(accuracy.by_right)}
    yield from _split_table("right columns", right, width)
    if any(row.by_band):
        yield from _split_table("band", row.by_band, width)


def _by_plies(by_ply: Mapping[int, Tally]) -> dict[str, Tally]:
    """Return tallies of some plies together, under the names of those."""
    grouped: dict[int, Tally] = {}
    for ply in sorted(by_ply):
        grouped.setdefault(ply // PLIES, Tally()).merge(by_ply[ply])
    return {f"{g * PLIES}-{g * PLIES + PLIES - 1}": tally for g, tally in grouped.items()}


def _split_table(what: str, tallies: Mapping[str, Tally], width: int) -> Iterator[str]:
    yield ""
    heads = [what, "moves", "perfect", "floor", "keeps", "floor", "loss", "floor"]
    rows = [
        [
            name,
            f"{tally.moves:,}",
            share(tally.mean("perfect")),
            share(tally.mean("floor_perfect")),
            share(tally.mean("keeping")),
            share(tally.mean("floor_keeping")),
            points(tally.mean("loss")),
            points(tally.mean("floor_loss")),
        ]
        for name, tally in tallies.items()
    ]
    yield from table_lines(heads, rows, width)


def blunder_lines(blunder: Blunder, solver: Solver, out: TextIO) -> Iterable[str]:
    """Yield a blunder: who played what and what was right, the board, why."""
    move = blunder.move
    geometry, width = move.position.geometry, text_width(out)
    played, right = blunder.explained(solver)
    best = " or ".join(column_name(column, geometry) for column in move.best)
    where = "" if blunder.game is None else f"game {blunder.game + 1}, "
    head = (
        f"{where}disc {move.ply + 1}: {printable(blunder.agent)} plays"
        f" {column_name(move.column, geometry)}, a {outcome_word(move.after)}"
        f" ({signed(move.after)}); right is {best}, a {outcome_word(move.before)}"
        f" ({signed(move.before)})"
    )
    yield ""
    yield from wrap(head, width, break_on_hyphens=False)
    yield from wrap(f"after {blunder.moves or 'no move'}", width)
    yield board_text(move.position, out)
    for said in (played, right):
        yield from wrap(said.text(move.position), width)


def explained_dict(blunder: Blunder, solver: Solver) -> dict[str, Any]:
    """Return a blunder as plain data, with the sentences on the column played and the right one."""
    played, right = blunder.explained(solver)
    position = blunder.move.position
    return {
        **blunder.as_dict(),
        "played_text": played.text(position),
        "right_text": right.text(position),
    }


def share(mean: float | None) -> str:
    """Return a share as text."""
    return "-" if mean is None else f"{mean:.1%}"


def between(tally: Tally, name: str) -> str:
    """Return the interval of a mean as text."""
    interval = tally.interval(name)
    if interval is None:
        return "-"
    low, high = interval
    if name == "loss":
        return f"{low:.2f}-{high:.2f}"
    return f"{100 * low:.3g}-{100 * high:.3g}"


def points(mean: float | None) -> str:
    """Return points of score as text."""
    return "-" if mean is None else f"{mean:.2f}"


def signed(score: int) -> str:
    """Return a score with its sign; a draw has none."""
    return f"{score:+d}" if score else "0"
