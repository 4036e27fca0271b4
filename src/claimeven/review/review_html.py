"""Explanations and reviews as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from claimeven import markup
from claimeven.game.notation import column_name
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.svg import draw_svg
from claimeven.review.analysis import JUDGEMENTS, PERFECT, Analysis, JudgedMove, final_line, signed
from claimeven.review.explain import Explanation

#: Size of the score chart in pixels: the width of a move, and half the height.
_STEP, _HALF = 14, 56
_YELLOW, _RED = "#b98900", "#bf2f4a"


def explanation_html(explanation: Explanation) -> str:
    """Return the board under its scores, and the sentences."""
    position = explanation.position
    board = draw_svg(position, scores=explanation.scores, bare=True)
    lines = [markup.line(" ".join(claim.sentence(position) for claim in explanation.claims))]
    for column in explanation.columns:
        name = column_name(column.column, position.geometry)
        head = markup.strong(f"{name}  {_signed(column.score)}  ")
        lines.append(markup.line(head, column.text(position)))
    return markup.below(markup.drawing(board), *lines)


def analysis_html(analysis: Analysis) -> str:
    """Return the end of the game, the accuracies, the score chart and the moves."""
    last = analysis.moves[-1].column if analysis.moves else None
    players = markup.table(
        ["", "accuracy", *JUDGEMENTS],
        [
            [PLAYER_NAMES[player], _accuracy(analysis, player),
             *(str(analysis.count(player, judgement)) for judgement in JUDGEMENTS)]
            for player in (0, 1)
        ],
    )  # fmt: skip
    moves = markup.table(
        ["column", "disc", "before", "after", "judgement", "best", "reason"],
        map(_move, analysis.moves),
    )
    return markup.below(
        markup.line(markup.strong(final_line(analysis))),
        markup.beside(
            markup.drawing(draw_svg(analysis.final, last, bare=True)),
            markup.below(
                players,
                markup.drawing(score_history_svg(analysis.score_history)),
                markup.folded("Every move", moves),
            ),
        ),
    )


def score_history_svg(score_history: Sequence[int]) -> markup.Svg:
    """Draw the score after each move of a game: up if Yellow wins, down if Red does."""
    limit = max(1, *(abs(score) for score in score_history))
    width, height = _STEP * len(score_history), 2 * _HALF
    bars = []
    for place, score in enumerate(score_history):
        tall = round(_HALF * abs(score) / limit, 1) if score else 1
        top = _HALF - tall if score > 0 else _HALF
        color = "currentColor" if not score else _YELLOW if score > 0 else _RED
        title = f"after {place} moves: {_signed(score)}"
        bars.append(
            f"<rect x='{place * _STEP + 2}' y='{top:g}' width='{_STEP - 4}' height='{tall:g}'"
            f" fill='{color}'><title>{title}</title></rect>"
        )
    words = ", ".join(map(_signed, score_history))
    return markup.Svg(
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' width='{width}' height='{height}'"
        f" viewBox='0 0 {width} {height}' aria-label='Score for Yellow: {words}'>"
        f"<path d='M0 {_HALF}H{width}' stroke='currentColor' stroke-opacity='.5'/>"
        f"{''.join(bars)}</svg>"
    )


def _move(move: JudgedMove) -> list[str]:
    geometry = move.position.geometry
    best = " ".join(column_name(column, geometry) for column in move.best)
    return [
        column_name(move.column, geometry),
        str(move.ply + 1),
        _signed(move.before),
        _signed(move.after),
        f"{move.judgement} {move.mark}".rstrip(),
        "" if move.judgement == PERFECT else best,
        move.reason,
    ]


def _accuracy(analysis: Analysis, player: int) -> str:
    accuracy = analysis.accuracy(player)
    return "-" if accuracy is None else f"{accuracy:.1f} %"


def _signed(score: int) -> str:
    return signed(score).replace("-", "\N{MINUS SIGN}")
