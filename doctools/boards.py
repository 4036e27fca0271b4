"""Boards as pictures: the puzzle, its bits, the test for a line, the windows of an evaluation."""

from __future__ import annotations

from typing import Final

import numpy as np

from claimeven import Position
from claimeven.evaluation import EVALUATIONS
from claimeven.game.svg import draw_svg
from claimeven.montecarlo import MonteCarloSearch
from doctools import canvas, puzzle

#: A won game with a line of the first player that rises to the right.
_WON: Final = Position.from_moves("12234334464")


def puzzle_board() -> str:
    """The puzzle without additions."""
    return draw_svg(puzzle.PUZZLE) + "\n"


def puzzle_scores() -> str:
    """The puzzle with the exact score of every column above it."""
    return draw_svg(puzzle.PUZZLE, scores=puzzle.exact()[0]) + "\n"


def bits() -> str:
    """The number of the bit of every cell, with the sentinels on top, over the puzzle's discs."""
    position, cell, left, top = puzzle.PUZZLE, 44.0, 60.0, 22.0
    geometry = position.geometry
    labels = {
        (column, row): str(geometry.bit(column, row))
        for column in range(geometry.columns)
        for row in range(geometry.rows)
    }
    parts = []
    edge = cell * 0.25
    for column in range(geometry.columns):
        x = left + edge + column * cell
        dashes = f" stroke='{canvas.SOFT}' stroke-dasharray='3 3'"
        parts.append(canvas.rect(x + 6, top, cell - 12, 26, "none", 6, dashes))
        bit = str(geometry.bit(column, geometry.rows))
        parts.append(canvas.text(x + cell / 2, top + 18, bit, 14, canvas.SOFT))
        y = top + 40 + (geometry.rows + 0.5) * cell
        parts.append(canvas.text(x + cell / 2, y + 20, str(column), 14, canvas.INK, weight=600))
    parts.append(canvas.group([canvas.mini_board(position, cell, labels=labels)], left, top + 34))
    for row in range(geometry.rows):
        y = top + 34 + edge + (geometry.rows - row - 0.5) * cell + 5
        parts.append(canvas.text(left - 10, y, str(row), 14, canvas.INK, "end", 600))
    width, height = canvas.board_size(position, cell)
    x = left + width + 26
    for number, (name, value) in enumerate((("mine", position.mine), ("mask", position.mask))):
        y = top + 70 + 120 * number
        parts.append(canvas.text(x, y, name, 16, canvas.INK, "start", 700))
        whose = "Yellow's discs" if name == "mine" else "all discs"
        parts.append(canvas.text(x, y + 20, whose, 12.5, canvas.SOFT, "start"))
        mono = " font-family='ui-monospace, Menlo, Consolas, monospace'"
        parts.append(canvas.text(x, y + 42, f"{value:#015x}", 14, canvas.INK, "start", more=mono))
    return canvas.picture(720, top + height + 74, "The bits of the board", parts)


def finding_a_line() -> str:
    """A diagonal line found with two shifts: the discs, pairs of them, pairs of pairs."""
    position, cell = _WON, 26.0
    geometry = position.geometry
    winner = position.theirs
    step = geometry.steps[2]
    pairs = winner & (winner >> step)
    found = pairs & (pairs >> (2 * step))
    width, height = canvas.board_size(position, cell)
    parts = []
    panels = (
        (winner, "discs"),
        (pairs, f"pairs = discs & (discs >> {step})"),
        (found, f"pairs & (pairs >> {2 * step})"),
    )
    for number, (mask, words) in enumerate(panels):
        x = 6 + number * (width + 38)
        parts.append(canvas.text(x + width / 2, 18, words, 13, weight=600))
        parts.append(canvas.group([_marked(position, cell, mask)], x, 28))
    return canvas.picture(
        3 * width + 2 * 38 + 12, height + 40, "A line of four found with two shifts", parts
    )


def _marked(position: Position, cell: float, mask: int) -> str:
    """A board with only the cells of a mask."""
    geometry, edge = position.geometry, cell * 0.25
    width, height = canvas.board_size(position, cell)
    parts = [canvas.rect(0, 0, width, height, canvas.BOARD, cell * 0.35)]
    for column in range(geometry.columns):
        for row in range(geometry.rows):
            x = edge + (column + 0.5) * cell
            y = edge + (geometry.rows - row - 0.5) * cell
            bright = mask >> geometry.bit(column, row) & 1
            fill = canvas.DISCS[0] if bright else canvas.EMPTY
            parts.append(canvas.circle(x, y, cell * 0.4, fill))
    return "".join(parts)


def windows_counted() -> str:
    """The windows that the evaluation `windows` counts in the puzzle: two or three of four."""
    cell = 40.0
    panels = []
    width, height = canvas.board_size(puzzle.PUZZLE, cell)
    for player, name in enumerate(("Yellow", "Red")):
        parts = [canvas.mini_board(puzzle.PUZZLE, cell)]
        for count, thickness in ((2, 2.0), (3, 5.0)):
            for number, window in enumerate(windows_with(puzzle.PUZZLE, player, count)):
                # Windows that share a line of cells are drawn next to each other.
                aside = 7.0 * (number % 3 - 1) if count == 2 else 0.0
                (x1, y1), (x2, y2) = (
                    (cell * (0.75 + column), height - cell * (0.75 + row))
                    for column, row in (window[0], window[-1])
                )
                length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
                dx, dy = aside * (y2 - y1) / length, -aside * (x2 - x1) / length
                ends = (x1 + dx, y1 + dy, x2 + dx, y2 + dy)
                more = " stroke-linecap='round'"
                parts.append(canvas.line(*ends, canvas.PAPER, thickness + 2, more))
                parts.append(canvas.line(*ends, canvas.INK, thickness, more))
        threes, twos = (len(windows_with(puzzle.PUZZLE, player, count)) for count in (3, 2))
        words = f"{name}: {threes} with three discs, {twos} with two"
        parts.append(canvas.text(width / 2, height + 22, words, 13, weight=600))
        panels.append(canvas.group(parts, 6 + player * (width + 28), 6))
    title = "Windows of four cells that only one player has discs in"
    return canvas.picture(2 * width + 40, height + 40, title, panels)


def windows_with(position: Position, player: int, count: int) -> list[tuple[tuple[int, int], ...]]:
    """Windows of `connect` cells with `count` discs of a player, and without the other's discs."""
    geometry, own = position.geometry, position.discs[player]
    found = []
    for window in geometry.windows(geometry.connect):
        discs = sum(own >> geometry.bit(*cell) & 1 for cell in window)
        taken = sum(position.mask >> geometry.bit(*cell) & 1 for cell in window)
        if discs == taken == count:
            found.append(window)
    return found


def playout() -> str:
    """One random game from the puzzle, its discs numbered."""
    search = MonteCarloSearch(puzzle.FLAT)
    steps, _ = search.trace(puzzle.PUZZLE, np.random.default_rng(1), 1)
    cell, position = 44.0, puzzle.PUZZLE
    labels = {}
    for number, column in enumerate((*steps[0].path, *steps[0].simulated), start=1):
        labels[column, position.height_of(column)] = str(number)
        position = position.play(column)
    width, height = canvas.board_size(position, cell)
    board = canvas.mini_board(position, cell, labels=labels)
    words = f"{len(labels)} discs on: {position.outcome}"
    parts = [
        canvas.group([board], 8, 8),
        canvas.text(8 + width / 2, height + 32, words, 14, weight=600),
    ]
    return canvas.picture(width + 16, height + 46, "A random game from the puzzle", parts)


def evaluations() -> list[tuple[str, list[float]]]:
    """The value of each column of the puzzle by each evaluation, for the player that moves."""
    position = puzzle.PUZZLE
    return [
        (name, [-evaluation(position.play(column)) for column in position.legal_columns])
        for name, evaluation in EVALUATIONS.items()
    ]
