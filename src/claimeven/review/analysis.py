"""The review of a game: each move is compared with perfect play, by the expected result.

A draw is worth 0.5. A win is worth 0.5 + 0.5 * 0.9 ** (m - 1) if the winner needs m more moves: 1
for an immediate win, 0.74 for a win in 8 moves, 0.56 for a win in 21: little more than a draw. A
loss is worth 1 minus the opponent's win. The judgements of moves:

- `perfect`: keeps the score: no column is better;
- `good`: loses less than 0.1 and keeps the outcome (win, draw or loss with best play);
- `inaccurate` (?!): loses 0.1 or more, or changes the outcome;
- `mistake` (?): loses 0.15 or more, or misses an immediate win;
- `blunder` (??): loses 0.3 or more.

A marked move has a reason, in the checked sentences of `explain`.

Accuracy is the mean credit of a player's moves in per cent. A perfect move earns 1. A move that
changes the outcome by one step (a win to a draw, a draw to a loss) earns 1/4, by two steps 0. Other
moves earn 1 - lost / (2 * limit): `lost` is the loss of score, and `limit` the greatest loss that
keeps the outcome, so the credit falls from 1 to 1/2. Moves between equal columns do not count.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from textwrap import wrap
from typing import Any

from claimeven.blocks import flat_rows
from claimeven.errors import ClaimevenError
from claimeven.game.game_line import GameLine
from claimeven.game.notation import column_name, format_moves
from claimeven.game.outcome import PLAYER_NAMES, Outcome
from claimeven.game.position import Position
from claimeven.game.validation import one_of, whole_number
from claimeven.markup import shown_by
from claimeven.review.claims import Claim
from claimeven.review.column_claims import BestPlay
from claimeven.review.columns import ColumnClaims
from claimeven.review.explain import MAX_COLUMN_SENTENCES, WIDTH, board_of, solver_for
from claimeven.solver.protocols import ExactSolver
from claimeven.solver.scores import plies_to_end, score_in_words, score_range, sign

PERFECT, GOOD, INACCURATE, MISTAKE, BLUNDER = JUDGEMENTS = (
    "perfect", "good", "inaccurate", "mistake", "blunder"
)  # fmt: skip
#: The mark of each judgement, as in chess notation.
MARKS = {PERFECT: "", GOOD: "", INACCURATE: "?!", MISTAKE: "?", BLUNDER: "??"}
#: Minimum losses of expected result for an inaccurate move, a mistake, a blunder.
LIMITS = (0.1, 0.15, 0.3)
#: Discount of a win for each more move that it takes.
DISCOUNT = 0.9
#: Credit of a move that changes the outcome by 1 or 2 steps.
CREDITS = {1: 0.25, 2: 0.0}
#: Of the chart: rows of bars on either side of the axis.
_REACH = 5
#: Number of characters to the left of the bars.
_MARGIN = 6
_TICK = 10
#: (bar, upright, axis, crossing) of each charset.
_SYMBOLS = {"unicode": ("█", "│", "─", "┼"), "ascii": ("#", "|", "-", "+")}


def expected_result(position: Position, score: int) -> float:
    """Return the expected result of the side to move, from 0 to 1 (an immediate win).

    >>> expected_result(Position.from_moves("4455"), 18), expected_result(Position(), 0)
    (0.95, 0.5)
    """
    if score == 0:
        return 0.5
    moves = (plies_to_end(position, score) + 1) // 2
    worth = 0.5 * DISCOUNT ** (moves - 1)
    return 0.5 + worth if score > 0 else 0.5 - worth


def judge(position: Position, before: int, after: int) -> str:
    """Return the judgement of a move: one of `JUDGEMENTS`.

    `before` is the score of the position, `after` of the column played, for the side to move.

    >>> judge(Position(), 1, 0), judge(Position.from_moves("543465"), -4, -17)
    ('inaccurate', 'blunder')
    """
    if after == before:
        return PERFECT
    lost = expected_result(position, before) - expected_result(position, after)
    misses = before > 0 and plies_to_end(position, before) == 1
    minimum = 2 if misses else sign(before) > sign(after)
    return JUDGEMENTS[1 + max(minimum, bisect_right(LIMITS, lost))]


def signed(score: int) -> str:
    """Return a score with its sign: +3, 0, -3."""
    return f"{score:+d}" if score else "0"


@dataclass(frozen=True)
class JudgedMove:
    """One move of a game.

    `position` is the position before the move, `column` the column played, `scores` the score of
    each column for the side to move (None if it cannot be played). `claims` are the facts about
    `position` that explain a marked move.
    """

    position: Position
    column: int
    scores: tuple[int | None, ...]
    claims: tuple[Claim, ...] = ()

    @property
    def ply(self) -> int:
        return self.position.ply

    @property
    def player(self) -> int:
        """The player of the move: 0 (Yellow) or 1 (Red)."""
        return self.position.turn

    @property
    def before(self) -> int:
        """The score of the best column, for the side that moves."""
        return max(score for score in self.scores if score is not None)

    @property
    def after(self) -> int:
        """The score of the column played, for the side that moves."""
        score = self.scores[self.column]
        assert score is not None
        return score

    @property
    def best(self) -> tuple[int, ...]:
        """Columns that keep the score, center-most first."""
        before = self.before
        return tuple(c for c in self.position.geometry.center_order if self.scores[c] == before)

    @property
    def steps(self) -> int:
        """By how many steps (win, draw, loss) the move changes the outcome: 0, 1 or 2."""
        return sign(self.before) - sign(self.after)

    @property
    def judgement(self) -> str:
        """One of `JUDGEMENTS`: see the module."""
        return judge(self.position, self.before, self.after)

    @property
    def mark(self) -> str:
        """The mark of an inaccurate move ?!, a mistake ? or a blunder ??; empty for others."""
        return MARKS[self.judgement]

    @property
    def reason(self) -> str:
        """The reason of a marked move, in sentences; empty for other moves."""
        return " ".join(claim.sentence(self.position) for claim in self.claims)

    @property
    def counts(self) -> bool:
        """Whether the move counts for accuracy: not all columns have the same score."""
        return any(score not in (None, self.before) for score in self.scores)

    @property
    def credit(self) -> float:
        """The credit of the move, 0 to 1 (see the module)."""
        if self.steps:
            return CREDITS[self.steps]
        lost = self.before - self.after
        if not lost:
            return 1.0
        geometry = self.position.geometry
        worst = 1 if self.before > 0 else score_range(geometry, self.ply)[0]
        return 1 - lost / (2 * (self.before - worst))

    def as_dict(self) -> dict[str, Any]:
        """Return the move as plain data; columns count from 1."""
        return {
            "ply": self.ply,
            "player": self.player + 1,
            "column": self.column + 1,
            "before": self.before,
            "after": self.after,
            "judgement": self.judgement,
            "mark": self.mark,
            "credit": self.credit if self.counts else None,
            "best": [column + 1 for column in self.best],
            "scores": list(self.scores),
        }


@dataclass(frozen=True)
class Analysis:
    """The review of a game.

    `final` is the last position, finished or not, and `score` its exact score for the side to move.
    """

    moves: tuple[JudgedMove, ...]
    final: Position
    score: int

    _repr_html_ = shown_by("claimeven.review.review_html", "analysis_html")

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the game, None if it is unfinished."""
        return self.final.outcome

    def of(self, player: int) -> tuple[JudgedMove, ...]:
        return tuple(move for move in self.moves if move.player == player)

    def count(self, player: int, judgement: str) -> int:
        """Return the number of moves of a player with a judgement."""
        return sum(move.judgement == judgement for move in self.of(player))

    def accuracy(self, player: int) -> float | None:
        """Return the accuracy of a player in per cent, None if no move counts."""
        credits = [move.credit for move in self.of(player) if move.counts]
        return 100 * sum(credits) / len(credits) if credits else None

    @property
    def score_history(self) -> tuple[int, ...]:
        """The score after 0, 1, ... moves of the game, for Yellow."""
        scores = [move.before if move.player == 0 else -move.before for move in self.moves]
        return (*scores, self.score if self.final.turn == 0 else -self.score)

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = WIDTH, charset: str = "unicode") -> str:
        """Return a table of the moves, the end of the game, the accuracies, and a chart.

        The chart has lines of at most `width` characters, in the `charset` "unicode" or "ascii".
        """
        parts = (
            "\n".join([MOVE_HEADING, *(move_lines(move, width) for move in self.moves)]),
            final_line(self),
            "\n".join(_player_line(self, player) for player in (0, 1)),
            score_chart(self.score_history, width, charset),
        )
        return "\n\n".join(parts)

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each move; columns count from 1."""
        return flat_rows({**move.as_dict(), "reason": move.reason} for move in self.moves)

    def as_dict(self) -> dict[str, Any]:
        """Return the analysis as plain data; columns count from 1."""
        geometry = self.final.geometry
        outcome = self.outcome
        return {
            "moves": format_moves((move.column for move in self.moves), geometry),
            **geometry.as_dict(),
            "outcome": None if outcome is None else str(outcome),
            "score": self.score,
            "score_history": list(self.score_history),
            "accuracy": [self.accuracy(player) for player in (0, 1)],
            "judgement_counts": [
                {judgement: self.count(player, judgement) for judgement in JUDGEMENTS}
                for player in (0, 1)
            ],
            "judged_moves": [
                {
                    **move.as_dict(),
                    "reason": move.reason,
                    "claims": [claim.as_dict(move.position) for claim in move.claims],
                }
                for move in self.moves
            ],
        }


def analyze(game: str | Iterable[int] | GameLine, solver: ExactSolver | None = None) -> Analysis:
    """Judge all moves of a game, finished or not.

    `game` is a move string or 0-based columns, from the empty board of the solver (or the standard
    one), or a `GameLine`, which may start from another position. By default a new solver is made;
    pass one to reuse its table for many games. The game is solved from its end, because late
    positions are quick to solve and speed up the earlier ones. Raises `InvalidNotation` or
    `IllegalMove` (see `Position.replay`), and the errors of the solver.

    >>> [move.judgement for move in analyze("44553").moves]
    ['perfect', 'perfect', 'inaccurate', 'blunder', 'perfect']
    >>> print(analyze("44553").moves[3].reason[:34])
    Column 5 turns the win into a loss
    """
    if isinstance(game, GameLine):
        positions = game.positions
    else:
        positions = Position.replay(game, board_of(solver))
    solver = solver_for(positions[0].geometry, solver)
    score = solver.score(positions[-1])
    judged = [_judged(*pair, solver) for pair in reversed(list(pairwise(positions)))]
    return Analysis(tuple(reversed(judged)), positions[-1], score)


def _judged(position: Position, after: Position, solver: ExactSolver) -> JudgedMove:
    disc = position.mask ^ after.mask
    column, _ = position.geometry.cell(disc.bit_length() - 1)
    move = JudgedMove(position, column, solver.scores(position))
    if not move.mark:
        return move
    all_claims = ColumnClaims(position, column, solver, move.scores).claims()
    count = 1 if move.judgement == INACCURATE else MAX_COLUMN_SENTENCES
    claims = (claim for claim in islice(all_claims, count) if not isinstance(claim, BestPlay))
    return replace(move, claims=tuple(claims))


def move_lines(move: JudgedMove, width: int = WIDTH) -> str:
    """Return a move as a row of the table under `MOVE_HEADING`, with its reason below."""
    geometry = move.position.geometry
    best = " ".join(column_name(column, geometry) for column in move.best)
    better = "" if move.judgement == PERFECT else f"best {best}"
    name = column_name(move.column, geometry)
    scores = f"{signed(move.before):>7} {signed(move.after):>6}"
    judged = f"{move.judgement} {move.mark}"
    line = f"{move.ply + 1:>4}  {name:<6}{scores}  {judged:<14}{better}".rstrip()
    reason = wrap(move.reason, max(width, 2 * len(_INDENT)), initial_indent=_INDENT,
                  subsequent_indent=_INDENT)  # fmt: skip
    return "\n".join([line, *reason])


MOVE_HEADING = "disc  column before  after  judgement"
_INDENT = " " * 6


def final_line(analysis: Analysis) -> str:
    outcome = analysis.outcome
    if outcome is not None:
        move = f" with move {(analysis.final.ply + 1) // 2}"
        return f"The game is over: {outcome}{'' if outcome.winner is None else move}."
    return f"Best play from here: {score_in_words(analysis.final, analysis.score)}."


def _player_line(analysis: Analysis, player: int) -> str:
    accuracy = analysis.accuracy(player)
    shown = "     -" if accuracy is None else f"{accuracy:5.1f}%"
    counts = ", ".join(f"{word} {analysis.count(player, word)}" for word in JUDGEMENTS)
    return f"{PLAYER_NAMES[player] + ':':<7} accuracy {shown}; {counts}"


def score_chart(score_history: Sequence[int], width: int = 80, charset: str = "unicode") -> str:
    """Draw the scores for Yellow after 0, 1, ... moves, in lines of at most `width` characters.

    One character for each disc; bars go up if Yellow wins and down if Red does. Long games have
    several discs for each character, which then shows the score furthest from 0. A score other than
    0 is at least one row high; the highest bar has at most `_REACH` rows. Raises `ClaimevenError`
    for an empty history, a width that is too small, and an unknown charset.

    >>> print(score_chart([1, 1, -3, 12, 12, 0, -6]))
     +12 │   ██
     +10 │   ██
      +8 │   ██
      +5 │   ██
      +3 │██ ██
       0 ┼───────
      -3 │  █   █
      -5 │  █   █
      -8 │      █
          0
    """
    if not score_history:
        raise ClaimevenError("a score history must have the score before the first move")
    whole_number(width, "width", low=_MARGIN + 1)
    bar, upright, axis, crossing = _SYMBOLS[one_of(charset, "charset", _SYMBOLS)]
    step = -(-len(score_history) // (width - _MARGIN))
    shown = [max(score_history[i : i + step], key=abs) for i in range(0, len(score_history), step)]
    furthest = max(1, *(abs(score) for score in score_history))
    reach = min(_REACH, furthest)
    heights = [(1 if score > 0 else -1) * -(-abs(score) * reach // furthest) for score in shown]
    lines = []
    for row in range(max(0, *heights), min(0, *heights) - 1, -1):
        label = 0 if row == 0 else (1 if row > 0 else -1) * -(-abs(row) * furthest // reach)
        bars = "".join(
            axis if row == 0 else bar if 0 < row <= height or height <= row < 0 else " "
            for height in heights
        )
        text = f"{label:+d}" if label else "0"
        lines.append(f"{text:>{_MARGIN - 2}} {crossing if row == 0 else upright}{bars}".rstrip())
    lines.append(_ruler(len(shown), step))
    return "\n".join(lines)


def _ruler(length: int, step: int) -> str:
    ticks = [" "] * length
    for place in range(0, length, _TICK):
        text = str(place * step)
        if place + len(text) <= length:
            ticks[place : place + len(text)] = text
    return (" " * _MARGIN + "".join(ticks)).rstrip()
