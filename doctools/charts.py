"""Charts of each player's work for the puzzle, and of Monte Carlo's values of its columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from claimeven.game import column_name
from doctools import canvas, puzzle

_WIDTH = 720.0


class Line(NamedTuple):
    """A line of a chart: the name at its right end, its values, its style."""

    name: str
    values: list[float]
    color: str
    width: float = 2
    dots: bool = False


def nodes_chart() -> str:
    """Nodes by depth of minimax, alpha-beta in two orders, and negamax with its table."""
    searches = (
        ("minimax", "minimax", "left"),
        ("alpha-beta, left to right", "alphabeta", "left"),
        ("alpha-beta, center first", "alphabeta", "center"),
        ("negamax with a table", "negamax", "center"),
    )
    lines = []
    for color, (name, algorithm, order) in zip(canvas.SERIES, searches, strict=False):
        results = [puzzle.minimax(algorithm, order, depth) for depth in puzzle.DEPTHS]
        nodes = [float(result.counters.nodes) for result in results]
        lines.append(Line(name, nodes, color, dots=True))
    return _lines(
        "Positions looked at, by depth",
        [float(depth) for depth in puzzle.DEPTHS],
        lines,
        x_label="depth in plies",
        x_names=[str(depth) for depth in puzzle.DEPTHS],
        log_y=True,
    )


def visits_chart() -> str:
    """Shares of UCT's visits by column for more and more iterations."""
    steps = [round(10 ** (k / 5)) for k in range(5, 26)]
    columns = range(puzzle.PUZZLE.geometry.columns)
    shares: dict[int, list[float]] = {column: [] for column in columns}
    for iterations in steps:
        for child in puzzle.monte_carlo(puzzle.UCT, iterations).root.children:
            shares[child.column].append(100 * child.share)
    tempting = max(columns, key=lambda column: sum(shares[column][: len(steps) // 2]))
    colors = {puzzle.ANSWER: canvas.GOOD, tempting: canvas.BAD}
    others = [column for column in columns if column not in colors]
    return _lines(
        "Visits of UCT by column, in per cent of its iterations",
        [math.log10(step) for step in steps],
        [
            *(Line("", shares[column], canvas.FAINT, 1.5) for column in others),
            Line(f"column {column_name(tempting)}", shares[tempting], canvas.BAD, 3),
            Line(f"column {column_name(puzzle.ANSWER)}", shares[puzzle.ANSWER], canvas.GOOD, 4),
        ],
        x_label="iterations (grey: the other columns)",
        x_names=[f"{10**k:,}" for k in range(1, 6)],
        x_ticks=[1.0, 2.0, 3.0, 4.0, 5.0],
    )


def flat_chart() -> str:
    """Means of the columns for more and more random playouts."""
    steps, wide, tall = (490, 4_900, 49_000), 236.0, 210.0
    parts = []
    for place, iterations in enumerate(steps):
        result = puzzle.monte_carlo(puzzle.FLAT, iterations)
        panel = [canvas.text(wide / 2, 16, f"{iterations:,} playouts", 13, weight=600)]
        zero, scale = 158.0, 250.0
        panel.append(canvas.line(12, zero, wide - 12, zero, canvas.FAINT))
        for child in result.root.children:
            x = 15 + 30 * child.column
            height = scale * child.plain_mean
            fill = canvas.GOOD if child.column == puzzle.ANSWER else canvas.FAINT
            if child.column == result.column:
                fill = canvas.BAD
            top, bottom = min(zero, zero - height), max(zero, zero - height)
            panel.append(canvas.rect(x, top, 24, bottom - top, fill, 2))
            mean = f"{child.plain_mean:+.2f}".replace("-", "\N{MINUS SIGN}")
            panel.append(canvas.text(x + 12, top - 5, mean, 10.5, canvas.SOFT))
            panel.append(canvas.text(x + 12, 192, column_name(child.column), 12))
        parts.append(canvas.group(panel, 4 + place * (wide + 2), 0))
    parts.append(
        canvas.text(
            12, tall + 12, "Mean result, +1 all won. Red: the choice. Green: the column that wins.",
            12, canvas.SOFT, "start",
        )
    )  # fmt: skip
    title = "Mean results of random games by column"
    return canvas.picture(_WIDTH, tall + 22, title, parts)


def ladder_chart() -> str:
    """The work of each player for the right answer, on a logarithmic scale."""
    bars = ladder()
    left, right, down = 250.0, 74.0, 30.0
    most = math.log10(max(work for _, work, _ in bars if work) * 1.1)
    parts = []
    for place, (name, work, unit) in enumerate(bars):
        y = 14 + down * place
        parts.append(canvas.text(left - 10, y + 14, name, 12.5, canvas.INK, "end"))
        if not work:
            parts.append(canvas.text(left, y + 14, "never", 12.5, canvas.BAD, "start", 600))
            continue
        length = (_WIDTH - left - right) * math.log10(work) / most
        fill = canvas.SERIES[0] if unit == "nodes" else canvas.SERIES[1]
        parts.append(canvas.rect(left, y, length, 19, fill, 3))
        parts.append(canvas.text(left + length + 7, y + 14, f"{work:,}", 12.5, anchor="start"))
    bottom = 14 + down * len(bars)
    parts.append(canvas.rect(left, bottom + 2, 11, 11, canvas.SERIES[0], 2))
    parts.append(canvas.text(left + 17, bottom + 12, "nodes", 12, canvas.SOFT, "start"))
    parts.append(canvas.rect(left + 70, bottom + 2, 11, 11, canvas.SERIES[1], 2))
    words = "iterations; ten times the work makes a bar longer by one step"
    parts.append(canvas.text(left + 87, bottom + 12, words, 12, canvas.SOFT, "start"))
    return canvas.picture(_WIDTH, bottom + 24, "Work up to the right answer", parts)


def ladder() -> list[tuple[str, int | None, str]]:
    """Return (player, work up to the right answer or None, its unit) for each step."""
    win = next(
        depth
        for depth in puzzle.DEPTHS
        if puzzle.minimax("minimax", "left", depth).plies_to_end is not None
    )
    return [
        ("minimax", puzzle.minimax("minimax", "left", win).counters.nodes, "nodes"),
        (
            "alpha-beta, left to right",
            puzzle.minimax("alphabeta", "left", win).counters.nodes,
            "nodes",
        ),
        (
            "alpha-beta, center first",
            puzzle.minimax("alphabeta", "center", win).counters.nodes,
            "nodes",
        ),
        ("negamax with a table", puzzle.minimax("negamax", "center", win).counters.nodes, "nodes"),
        ("negamax, iterative deepening", puzzle.deepening().counters.nodes, "nodes"),
        ("flat Monte Carlo", puzzle.iterations_needed(puzzle.FLAT), "iterations"),
        ("UCT", puzzle.iterations_needed(puzzle.UCT), "iterations"),
        ("UCT with proofs", puzzle.iterations_to_proof(puzzle.PROVING), "iterations"),
        ("and with wins and blocks", puzzle.iterations_to_proof(puzzle.DECISIVE), "iterations"),
        ("the agent uct", puzzle.iterations_to_proof(puzzle.BEST), "iterations"),
        ("the exact solver", puzzle.exact()[1], "nodes"),
    ]


def _lines(
    title: str,
    xs: Sequence[float],
    lines: Sequence[Line],
    x_label: str,
    x_names: Sequence[str],
    x_ticks: Sequence[float] | None = None,
    log_y: bool = False,
) -> str:
    """Draw lines over a common axis, their names at their right ends."""
    left, right, top, tall = 76.0, 170.0, 34.0, 250.0
    high = max(max(line.values) for line in lines)
    bands = math.ceil(math.log10(high)) if log_y else math.ceil(high / 20)

    def x_of(x: float) -> float:
        return left + (x - xs[0]) / (xs[-1] - xs[0]) * (_WIDTH - left - right)

    def y_of(y: float) -> float:
        share = math.log10(y) / bands if log_y else y / (20 * bands)
        return top + tall * (1 - share)

    parts = [canvas.text(left, 18, title, 14, anchor="start", weight=600)]
    for band in range(bands + 1):
        amount = 10.0**band if log_y else 20.0 * band
        y = y_of(amount)
        parts.append(canvas.line(left, y, _WIDTH - right, y, canvas.EMPTY))
        parts.append(canvas.text(left - 8, y + 4, f"{amount:,.0f}", 11, canvas.SOFT, "end"))
    for x, name in zip(xs if x_ticks is None else x_ticks, x_names, strict=True):
        parts.append(canvas.text(x_of(x), top + tall + 18, name, 11, canvas.SOFT))
    middle = (left + _WIDTH - right) / 2
    parts.append(canvas.text(middle, top + tall + 38, x_label, 12, canvas.SOFT))
    named = [line for line in lines if line.name]
    ends = _spread([y_of(line.values[-1]) for line in named], 15)
    for line in lines:
        points = [(x_of(x), y_of(y)) for x, y in zip(xs, line.values, strict=True)]
        parts.append(canvas.polyline(points, line.color, line.width))
        if line.dots:
            parts += [canvas.circle(x, y, 3, line.color) for x, y in points]
    for line, y in zip(named, ends, strict=True):
        x = _WIDTH - right + 10
        parts.append(canvas.text(x, y + 4, line.name, 12, line.color, "start", 600))
    return canvas.picture(_WIDTH, top + tall + 50, title, parts)


def _spread(places: Sequence[float], least: float) -> list[float]:
    """Move heights down until labels there do not touch; their order stays."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + least)
    return moved
