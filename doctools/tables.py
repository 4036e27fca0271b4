"""The generated tables of the pages.

A table is between `<!-- figures: NAME -->` and `<!-- end of figures -->`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from claimeven import Position
from claimeven.game import column_name, perft
from claimeven.minimax import MinimaxResult
from claimeven.minimax.types import PROVEN
from claimeven.montecarlo import MonteCarloOptions
from doctools import boards, charts, puzzle, studies, trees

#: The figures of the page on benchmarks.
BENCHMARKS: Final = Path(__file__).parent.parent / "docs" / "benchmarks.json"
_BLOCK = re.compile(r"(<!-- figures: ([\w-]+) -->\n).*?(<!-- end of figures -->)", re.S)


def with_tables(text: str) -> str:
    """Return a page with new tables. Raises `KeyError` for an unknown table."""
    return _BLOCK.sub(lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n\n{found[3]}", text)


def pages_with_tables(docs: Path) -> list[Path]:
    """Return the pages with generated tables."""
    return [page for page in sorted(docs.rglob("*.md")) if _BLOCK.search(page.read_text("utf-8"))]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table; all columns but the first are right-aligned."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def positions() -> str:
    """The number of positions by ply."""
    plies = range(9)
    counts = perft.distinct(Position(), plies[-1])
    rows = [(str(ply), f"{counts[ply]:,}", f"{perft.perft(Position(), ply):,}") for ply in plies]
    return _table(("plies", "positions", "orders of moves"), rows)


def evaluations() -> str:
    """The values of the puzzle's columns by each evaluation."""
    names = [column_name(column) for column in range(puzzle.PUZZLE.geometry.columns)]
    rows = []
    for name, values in boards.evaluations():
        best = max(values)
        cells = [f"**{_number(value)}**" if value == best else _number(value) for value in values]
        rows.append((f"`{name}`", *cells))
    return _table(("evaluation", *names), rows)


def minimax() -> str:
    """The answers of minimax by depth, with their nodes."""
    rows = []
    for depth in puzzle.DEPTHS:
        result = puzzle.minimax("minimax", "left", depth)
        counters = result.counters
        rows.append(
            (str(depth), column_name(result.column), _value(result), *_counts(counters.nodes))
        )
    return _table(("depth", "column", "value", "nodes"), rows)


def alphabeta() -> str:
    """Nodes without cuts, with cuts, and with cuts and a good order."""
    rows = []
    for depth in puzzle.DEPTHS:
        plain = puzzle.minimax("minimax", "left", depth).counters.nodes
        left = puzzle.minimax("alphabeta", "left", depth).counters
        center = puzzle.minimax("alphabeta", "center", depth).counters
        rows.append(
            (
                str(depth),
                *_counts(plain, left.nodes, center.nodes, center.cutoffs),
                f"{plain / center.nodes:.1f}",
            )
        )
    heads = ("depth", "minimax", "alpha-beta, left", "alpha-beta, center", "cuts", "times fewer")
    return _table(heads, rows)


def negamax() -> str:
    """Nodes of alpha-beta and of negamax, and the answers of its table."""
    rows = []
    for depth in puzzle.DEPTHS:
        before = puzzle.minimax("alphabeta", "center", depth).counters
        after = puzzle.minimax("negamax", "center", depth).counters
        rows.append(
            (
                str(depth),
                *_counts(before.nodes, after.nodes, after.table_hits),
                *_counts(before.evaluations, after.evaluations),
            )
        )
    heads = (
        "depth", "nodes of alpha-beta", "with a table", "found in it", "evaluations of alpha-beta",
        "with a table",
    )  # fmt: skip
    return _table(heads, rows)


def small_tree() -> str:
    """Nodes and evaluations of the three searches on the small board."""
    rows = []
    for name, algorithm in (
        ("minimax", "minimax"),
        ("alpha-beta", "alphabeta"),
        ("negamax with a table", "negamax"),
    ):
        nodes = trees.search(algorithm).nodes.values()
        rows.append(
            (
                name,
                *_counts(
                    len(nodes),
                    sum(node.reason == "evaluated" for node in nodes),
                    sum(node.skipped for node in nodes),
                    sum("table" in node.reason for node in nodes),
                ),
            )
        )
    return _table(("search", "nodes", "evaluations", "cuts", "found in the table"), rows)


def flat() -> str:
    """The answers of flat Monte Carlo with five seeds."""
    return _answers(puzzle.FLAT, "playouts")


def uct() -> str:
    """The answers of UCT with five seeds."""
    return _answers(puzzle.UCT, "iterations")


def proofs() -> str:
    """Iterations up to the right answer, step by step from UCT to the agent `uct`."""
    kinds = (
        ("UCT", puzzle.iterations_needed, puzzle.UCT),
        ("with proofs", puzzle.iterations_to_proof, puzzle.PROVING),
        ("and with wins and blocks", puzzle.iterations_to_proof, puzzle.DECISIVE),
        ("the agent `uct`", puzzle.iterations_to_proof, puzzle.BEST),
    )
    rows = [
        (name, *(_work(count(options, seed)) for seed in puzzle.SEEDS))
        for name, count, options in kinds
    ]
    return _table(("search", *(f"seed {seed}" for seed in puzzle.SEEDS)), rows)


def ladder() -> str:
    """The work of every player up to the right answer."""
    rows = [(name, _work(work), unit) for name, work, unit in charts.ladder()]
    return _table(("player", "work", "counted in"), rows)


def benchmarks() -> str:
    """The figures of `benchmarks.json`, a row a task."""
    figures = json.loads(BENCHMARKS.read_text(encoding="utf-8"))
    rows = []
    for row in figures["rows"]:
        command = row["command"]
        command = command if command.startswith("claimeven ") else f"python -m {command}"
        measured = f"{row['machine']}, {row['date']}"
        rows.append((row["task"], row["ours"], row["peer"], row["ratio"], f"`{command}`", measured))
    machines = ", ".join(f"{letter}: {name}" for letter, name in figures["machines"].items())
    heads = ("task", "claimeven", "peer", "ratio", "command", "measured")
    return f"{_table(heads, rows)}\n\nMachines: {machines}."


def _answers(options: MonteCarloOptions, unit: str) -> str:
    rows = []
    for iterations in puzzle.STEPS:
        columns = [puzzle.monte_carlo(options, iterations, seed).column for seed in puzzle.SEEDS]
        cells = [
            f"**{column_name(column)}**" if column == puzzle.ANSWER else column_name(column)
            for column in columns
        ]
        rows.append((f"{iterations:,}", *cells))
    return _table((unit, *(f"seed {seed}" for seed in puzzle.SEEDS)), rows)


def _work(work: int | None) -> str:
    return "never" if work is None else f"{work:,}"


def _counts(*counts: int) -> list[str]:
    return [f"{count:,}" for count in counts]


def _number(value: float) -> str:
    return f"{value:,g}"


def _value(result: MinimaxResult) -> str:
    if abs(result.value) > PROVEN:
        return f"{'won' if result.value > 0 else 'lost'} in {result.plies_to_end}"
    return _number(result.value)


TABLES: Final[dict[str, Callable[[], str]]] = {
    "positions": positions,
    "evaluations": evaluations,
    "minimax": minimax,
    "alphabeta": alphabeta,
    "negamax": negamax,
    "small-tree": small_tree,
    "flat": flat,
    "uct": uct,
    "proofs": proofs,
    "ladder": ladder,
    "studies": studies.tables,
    "benchmarks": benchmarks,
}
