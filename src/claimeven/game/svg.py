"""Boards as SVG, for notebooks and pages.

```text
      +5  -3   1       scores, the best ones in a pill
           v           pointer to the last move
    +-------------+
    |  o   o   o  |    board: holes in a dark frame
    |  o   X   o  |    discs: first player light with a ring, second player dark with a dot
    +-------------+
       1   2   3       column names
```

Discs differ in lightness and marks as well as in hue. Everything is drawn with attributes, without
style sheets or ids, so that a page may have several drawings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from claimeven import markup
from claimeven.game.drawing import describe, last_cell
from claimeven.game.errors import ClaimevenError
from claimeven.game.game_line import GameLine
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_name
from claimeven.game.position import Position, check_position
from claimeven.game.validation import items_of, real_number, whole_number
from claimeven.markup import Html, Svg

Cell = tuple[int, int]

# Lengths in units of the drawing, whose cells are 60 units wide.
_CELL, _HOLE, _DISC = 60, 25, 24
#: The greatest size of a cell in pixels.
_MAX_CELL: Final = 1e5
_MARGIN, _FRAME = 6, 9
_SCORES_HEIGHT, _POINTER_HEIGHT, _NAMES_HEIGHT = 36, 20, 30

_PAPER, BOARD, EDGE, EMPTY, _INK, LIGHT = (
    "#ffffff", "#2b5a98", "#1c4172", "#e4ecf6", "#22303f", "#ffffff",
)  # fmt: skip
_NAMES: Final = ("yellow", "red")
#: (disc, its rim, its mark) of the first and of the second player.
COLORS: Final = (("#ffd447", "#d9a400", "#b98900"), ("#bf2f4a", "#8d1c33", "#ffd9e0"))
_FONT: Final = (
    "font-family='system-ui, -apple-system, Helvetica, Arial, sans-serif' text-anchor='middle'"
)


class _Layout(NamedTuple):
    """Measures and colors of a drawing; the cells of the board start at (left, top)."""

    geometry: Geometry
    top: int
    left: int = _MARGIN + _FRAME
    ink: str = _INK
    pill: str = _INK

    @property
    def width(self) -> int:
        return 2 * self.left + self.geometry.columns * _CELL

    @property
    def height(self) -> int:
        return self.top + self.geometry.rows * _CELL + _FRAME + _NAMES_HEIGHT

    def x(self, column: float) -> float:
        return self.left + (column + 0.5) * _CELL

    def y(self, row: float) -> float:
        return self.top + (self.geometry.rows - row - 0.5) * _CELL


def draw_svg(
    position: Position,
    last: int | None = None,
    scores: Sequence[int | None] | None = None,
    cell: float = 44,
    bare: bool = False,
) -> Svg:
    """Return an SVG drawing of a board, which notebooks show.

    `last` is the 0-based column played last. `scores` has a whole number or None for each column,
    written above it; the best scores are highlighted. `cell` is the size of a cell on the screen in
    pixels. The drawing marks the winning lines of a finished game, and has a title and a
    description for screen readers. `bare` omits the white background and uses the color of the text
    around it, for pages that may be dark. Raises `InvalidPosition` if the last move cannot have
    been `last`, and `ClaimevenError` unless `position` is a `Position`, there is one score for each
    column, and `cell` is greater than 0.
    """
    check_position(position)
    geometry = position.geometry
    if scores is not None:
        scores = items_of(scores, "scores")
        if len(scores) != geometry.columns:
            expected = f"{geometry.columns} numbers on {geometry}"
            raise ClaimevenError(f"scores must be {expected}, got {len(scores)}")
    real_number(cell, "the pixels of a cell", above=0, high=_MAX_CELL)
    marked = None if last is None else last_cell(position, last)
    above = (_SCORES_HEIGHT if scores is not None else 0) + (_POINTER_HEIGHT if marked else 0)
    layout = _layout(geometry, above, bare)
    title = escape(f"Connect Four, {geometry}: {describe(position, ('', ''))}")
    paper = f"<rect width='{layout.width}' height='{layout.height}' rx='12' fill='{_PAPER}'/>"
    parts = [
        _opening_tag(layout, cell, title),
        f"<title>{title}</title>",
        f"<desc>{_contents(position)}</desc>",
        *([] if bare else [paper]),
        *_board(layout),
        *_discs(position, layout),
        *_winning_lines(position, layout),
    ]
    if marked is not None:
        parts += _last_move(layout, *marked)
    if scores is not None:
        parts += _scores(scores, layout)
    parts += _column_names(layout)
    return Svg("\n".join([*parts, "</svg>"]))


def position_html(position: Position, last: int | None = None) -> Html:
    """Return a board as part of a page that may be dark; `last` as in `draw_svg`."""
    return markup.drawing(draw_svg(position, last, bare=True))


def line_html(line: GameLine) -> Html:
    """Return the board of a `GameLine`, with its moves below."""
    moves = f"Moves: {line.moves}" if line.columns else "No moves yet."
    return markup.below(position_html(line.position, line.last_column), markup.line(moves))


def draw_stage(geometry: Geometry, cell: float = 44) -> str:
    """Return an SVG board on which a script of a page can show any position, as `bare` drawings.

    All parts of every position are drawn and hidden (`visibility="hidden"`). Attributes identify
    them, with columns and rows counted from 0:

    - `data-disc="3,0,1"`: the disc of the second player (0 is the first player) in a cell;
    - `data-last="3,0"`: the pointer to the disc played last;
    - `data-window="0,0 1,0 2,0 3,0"`: the stroke along a winning line of cells, in two layers.

    A line is complete if one player has all its cells, so a script does not need the rules.
    """
    layout = _layout(geometry, _POINTER_HEIGHT, bare=True)
    cells = [(column, row) for column in range(geometry.columns) for row in range(geometry.rows)]
    discs = [
        f"<g data-disc='{column},{row},{player}' visibility='hidden'>"
        f"{''.join(_discs_of(player, [(column, row)], layout))}</g>"
        for column, row in cells
        for player in (0, 1)
    ]
    windows = geometry.windows(geometry.connect)
    strokes = [
        f"<g data-window='{' '.join(f'{column},{row}' for column, row in window)}'"
        f" visibility='hidden'>{_strokes([window], layout)[layer]}</g>"
        for layer in (0, 1)  # all dark ones below all light ones
        for window in windows
    ]
    pointers = [
        f"<g data-last='{column},{row}' visibility='hidden'>"
        f"{''.join(_last_move(layout, column, row))}</g>"
        for column, row in cells
    ]
    title = f"Connect Four, {geometry}"
    parts = [_opening_tag(layout, cell, title), *_board(layout), *discs, *strokes, *pointers]
    return "\n".join([*parts, *_column_names(layout), "</svg>"])


def _layout(geometry: Geometry, above: int, bare: bool) -> _Layout:
    top = _MARGIN + above + _FRAME
    if bare:
        return _Layout(geometry, top, ink="currentColor", pill=BOARD)
    return _Layout(geometry, top)


def _opening_tag(layout: _Layout, cell: float, title: str) -> str:
    width, height = layout.width, layout.height
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label='{title}'"
        f" width='{width * cell / _CELL:g}' height='{height * cell / _CELL:g}'"
        f" viewBox='0 0 {width} {height}'>"
    )


def _contents(position: Position) -> str:
    """Describe the discs of each column in words, for screen readers."""
    columns = []
    for column, owners in enumerate(zip(*position.rows, strict=True)):
        discs = [_NAMES[owner] for owner in owners if owner is not None]
        if discs:
            columns.append(f"column {column_name(column, position.geometry)} {' '.join(discs)}")
    return f"Discs from the bottom up: {'; '.join(columns)}." if columns else "An empty board."


def _board(layout: _Layout) -> list[str]:
    geometry = layout.geometry
    holes = _circles(geometry.cells_of(geometry.board), _HOLE, layout)
    return [
        f"<rect x='{layout.left - _FRAME}' y='{layout.top - _FRAME}'"
        f" width='{geometry.columns * _CELL + 2 * _FRAME}'"
        f" height='{geometry.rows * _CELL + 2 * _FRAME}' rx='18'"
        f" fill='{BOARD}' stroke='{EDGE}' stroke-width='2'/>",
        f"<g fill='{EMPTY}' stroke='{EDGE}' stroke-width='2'>{holes}</g>",
    ]


def _discs(position: Position, layout: _Layout) -> list[str]:
    return [
        part
        for player, discs in enumerate(position.discs)
        for part in _discs_of(player, list(position.geometry.cells_of(discs)), layout)
    ]


def _circles(cells: Iterable[Cell], radius: int, layout: _Layout) -> str:
    return "".join(
        f"<circle cx='{layout.x(column):g}' cy='{layout.y(row):g}' r='{radius}'/>"
        for column, row in cells
    )


def _discs_of(player: int, cells: Sequence[Cell], layout: _Layout) -> list[str]:
    """Discs of a player with their marks: light ones with a ring, dark ones with a dot."""
    fill, rim, mark = COLORS[player]
    bodies, marks = (_circles(cells, r, layout) for r in (_DISC, 6 if player else 13))
    style = f"fill='{mark}'" if player else f"fill='none' stroke='{mark}' stroke-width='3'"
    return [
        f"<g fill='{fill}' stroke='{rim}' stroke-width='2'>{bodies}</g>",
        f"<g {style}>{marks}</g>",
    ]


def _winning_lines(position: Position, layout: _Layout) -> list[str]:
    """A stroke along every winning line, and a light rim round its discs."""
    outcome, geometry = position.outcome, position.geometry
    if outcome is None or not outcome.cells:
        return []
    won = set(outcome.cells)
    rims = _circles(outcome.cells, _DISC, layout)
    windows = [w for w in geometry.windows(geometry.connect) if won.issuperset(w)]
    return [
        f"<g fill='none' stroke='{LIGHT}' stroke-width='5'>{rims}</g>",
        *_strokes(windows, layout),
    ]


def _strokes(windows: Sequence[Sequence[Cell]], layout: _Layout) -> list[str]:
    """Strokes along lines of cells: a dark one below, a light one on it."""
    lines = "".join(
        f"M{layout.x(window[0][0]):g} {layout.y(window[0][1]):g}"
        f"L{layout.x(window[-1][0]):g} {layout.y(window[-1][1]):g}"
        for window in windows
    )
    path = f"<path d='{lines}' stroke-linecap='round' fill='none'"
    return [
        f"{path} stroke='{_INK}' stroke-width='11'/>",
        f"{path} stroke='{LIGHT}' stroke-width='6'/>",
    ]


def _last_move(layout: _Layout, column: int, row: int) -> list[str]:
    """A pointer above the column, and a broken light rim round the disc."""
    x, tip = layout.x(column), layout.top - _FRAME - 4
    return [
        f"<path d='M{x - 9:g} {tip - 12}h18l-9 12z' fill='{layout.ink}'/>",
        f"<circle cx='{x:g}' cy='{layout.y(row):g}' r='{_DISC}' fill='none' stroke='{LIGHT}'"
        " stroke-width='3' stroke-dasharray='7 5.57'/>",
    ]


def _scores(scores: Sequence[int | None], layout: _Layout) -> list[str]:
    scores = [None if score is None else whole_number(score, "a score") for score in scores]
    best = max((score for score in scores if score is not None), default=None)
    middle = _MARGIN + _SCORES_HEIGHT / 2 - 3
    pills, texts = [], []
    for column, score in enumerate(scores):
        if score is None:
            continue
        x = layout.x(column)
        if score == best:
            pills.append(
                f"<rect x='{x - 25:g}' y='{middle - 14:g}' width='50' height='28' rx='14'/>"
            )
        text = f"{score:+d}".replace("-", "\N{MINUS SIGN}") if score else "0"
        color = LIGHT if score == best else layout.ink
        texts.append(f"<text x='{x:g}' y='{middle + 7:g}' fill='{color}'>{text}</text>")
    return [
        f"<g fill='{layout.pill}'>{''.join(pills)}</g>",
        f"<g {_FONT} font-size='20' font-weight='600'>{''.join(texts)}</g>",
    ]


def _column_names(layout: _Layout) -> list[str]:
    y = layout.height - _NAMES_HEIGHT / 2 + 8
    texts = [
        f"<text x='{layout.x(column):g}' y='{y:g}'>{column_name(column, layout.geometry)}</text>"
        for column in range(layout.geometry.columns)
    ]
    return [f"<g {_FONT} font-size='18' fill='{layout.ink}'>{''.join(texts)}</g>"]
