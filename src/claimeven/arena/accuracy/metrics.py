"""How well agents play, measured against exact scores: shares of perfect moves, losses, blunders.

A move counts if some column is worse than another. It is *perfect* if it keeps the exact score and
it *keeps the result* if it keeps win, draw or loss. Its *score loss* is the points of score it
gives away. A position is *decisive* if a column throws the outcome away. A mean with `random_` is
the mean of random legal columns in the same positions.

Two kinds of positions are also counted separately. `wins` have a win at hand. `blocks` have no win
at hand, and one column in which the opponent threatens to win.

Agents are compared on the positions that both were asked in by McNemar's exact test. Only positions
count in which one agent is right and the other wrong.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

from claimeven.blocks import flat_rows
from claimeven.game.position import Position
from claimeven.markup import shown_by
from claimeven.montecarlo.playouts.textbook import blocking_columns, winning_columns
from claimeven.ratings.pentanomial import NORMAL_95, holm, mcnemar, wilson_interval
from claimeven.review.analysis import JudgedMove
from claimeven.review.explain import ColumnExplanation, explain_columns
from claimeven.solver.protocols import ExactSolver
from claimeven.solver.scores import sign

#: The means of a `Tally` that have an interval.
MEASURED = ("perfect", "keeps_result", "score_loss")
#: All means: also the means of random columns.
MEANS = (*MEASURED, *(f"random_{name}" for name in MEASURED))
#: Phases of a game: thirds of the cells are filled one after the other.
PHASES = ("opening", "middle", "end")


@dataclass
class Tally:
    """Exact sums over judged moves that count: `add` a move, `merge` another tally.

    `interval` allows for the dependence in a group (a game or a pair), added move after move.
    """

    moves: int = 0
    perfect: int = 0
    keeps_result: int = 0
    score_loss: int = 0
    random_perfect: Fraction = Fraction(0)
    random_keeps_result: Fraction = Fraction(0)
    random_score_loss: Fraction = Fraction(0)
    groups: int = 0
    # Sums over groups of n * n moves, and for each of `MEASURED` of n * y and y * y (y its sum).
    sizes: int = 0
    products: list[int] = field(default_factory=lambda: [0] * len(MEASURED))
    squares: list[int] = field(default_factory=lambda: [0] * len(MEASURED))
    _last: tuple[Hashable, int, list[int]] = field(default=(None, 0, []), compare=False, repr=False)

    def add(self, move: JudgedMove, group: Hashable = None) -> None:
        """Count a move, which without a `group` is independent of all others."""
        if not move.counts:
            return
        known = [score for score in move.scores if score is not None]
        best = move.before
        self.moves += 1
        self.perfect += move.after == best
        self.keeps_result += move.steps == 0
        self.score_loss += best - move.after
        keeping = sum(sign(score) == sign(best) for score in known)
        self.random_perfect += Fraction(known.count(best), len(known))
        self.random_keeps_result += Fraction(keeping, len(known))
        self.random_score_loss += Fraction(sum(best - score for score in known), len(known))
        self._add_to_group((move.after == best, move.steps == 0, best - move.after), group)

    def _add_to_group(self, values: tuple[int, ...], group: Hashable) -> None:
        last, size, sums = self._last
        if group is None or group != last:
            size, sums = 0, [0] * len(MEASURED)
            self.groups += 1
        self.sizes += 2 * size + 1
        for place, value in enumerate(values):
            self.products[place] += size * value + sums[place] + value
            self.squares[place] += value * (2 * sums[place] + value)
            sums[place] += value
        self._last = (group, size + 1, sums)

    def merge(self, other: Tally) -> None:
        """Add the sums of another tally, of other groups."""
        for name in ("moves", *MEANS, "groups", "sizes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for mine, theirs in ((self.products, other.products), (self.squares, other.squares)):
            mine[:] = [one + two for one, two in zip(mine, theirs, strict=True)]

    def mean(self, name: str) -> float | None:
        """Return the mean of one of `MEANS` for a move that counts; None without such a move."""
        return float(getattr(self, name) / self.moves) if self.moves else None

    def interval(self, name: str) -> tuple[float, float] | None:
        """Return the 95 % interval of the mean of one of `MEASURED`, or None.

        A share has Wilson's interval for a number of independent moves with the same spread, at
        most the number of moves. A loss has the normal interval.
        """
        if not self.moves:
            return None
        place, moves = MEASURED.index(name), self.moves
        mean = Fraction(getattr(self, name), moves)
        products, sizes = self.products[place], self.sizes
        spread: Fraction = self.squares[place] - 2 * mean * products + mean**2 * sizes
        is_share = name != "score_loss"
        if self.groups > 1 and (self.groups < moves or not is_share):
            spread *= Fraction(self.groups, self.groups - 1)
        if is_share:
            trials = mean * (1 - mean) * moves**2 / spread if spread else Fraction(self.groups)
            return wilson_interval(float(mean), min(float(trials), moves))
        if self.groups < 2:
            return None
        half = NORMAL_95 * math.sqrt(spread) / moves
        return max(0.0, float(mean) - half), float(mean) + half

    def as_dict(self) -> dict[str, object]:
        """Return the number of moves, the means and their intervals (`perfect_95`), or None."""
        intervals = {f"{name}_95": self.interval(name) for name in MEASURED}
        return {"moves": self.moves, **{name: self.mean(name) for name in MEANS}, **intervals}


@dataclass(frozen=True)
class Blunder:
    """A move that lost something, of an agent by its label.

    `moves` lead to the position; `game` is its number (from 0), None for a position of a set.
    """

    move: JudgedMove
    moves: str = ""
    game: int | None = None
    agent: str = ""

    _repr_html_ = shown_by("claimeven.arena.accuracy_results", "blunder")

    @property
    def rank(self) -> tuple[int, int, int, int, str]:
        """The sort key, worst first: outcome lost, points lost, earlier ply."""
        move = self.move
        return (-move.steps, move.after - move.before, move.ply, self.game or 0, self.moves)

    def explained(self, solver: ExactSolver) -> tuple[ColumnExplanation, ColumnExplanation]:
        """Return the explanations of the column played and of the right column."""
        move = self.move
        columns = move.column, move.best[0]
        played, right = explain_columns(move.position, columns, solver, move.scores)
        return played, right

    def as_dict(self) -> dict[str, object]:
        """Return the blunder as plain data; columns and games count from 1."""
        return {
            "agent": self.agent,
            "game": None if self.game is None else self.game + 1,
            "moves": self.moves,
            **self.move.as_dict(),
        }


@dataclass
class Accuracy:
    """The moves of one agent, called `agent`, counted.

    `all` counts every move that can go wrong, `decisive` the moves in decisive positions. `by_ply`
    (discs on the board before the move), `by_phase` (one of `PHASES`) and `by_best_columns` (number
    of columns that keep the score) split `all`. `wins` and `blocks` count positions with a win to
    take or to block, also of a set of them. `worst` holds the worst moves, lost outcomes first.
    """

    all: Tally = field(default_factory=Tally)
    decisive: Tally = field(default_factory=Tally)
    by_phase: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_ply: dict[int, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_best_columns: dict[int, Tally] = field(default_factory=lambda: defaultdict(Tally))
    wins: Tally = field(default_factory=Tally)
    blocks: Tally = field(default_factory=Tally)
    worst: list[Blunder] = field(default_factory=list)
    agent: str = ""

    #: Maximum number of blunders in `worst`.
    MAX_WORST = 10

    _repr_html_ = shown_by("claimeven.arena.accuracy_results", "accuracy")

    @classmethod
    def of(cls, moves: Iterable[JudgedMove]) -> Accuracy:
        """Return the accuracy of judged moves.

        >>> from claimeven import Position
        >>> move = JudgedMove(Position.from_moves("4455"), 3, (-4, -3, 18, 2, 2, 18, -3))
        >>> Accuracy.of([move]).all.mean("score_loss")
        16.0
        """
        accuracy = cls()
        for move in moves:
            accuracy.add(move)
        return accuracy

    def add(
        self, move: JudgedMove, moves: str = "", game: int | None = None, group: Hashable = None
    ) -> None:
        """Count a move, to which `moves` led, in the game of a number; for `group` see `Tally`."""
        if not move.counts:
            return
        self.all.add(move, group)
        if is_decisive(move):
            self.decisive.add(move, group)
        self.by_phase[phase_of(move.position)].add(move, group)
        self.by_ply[move.ply].add(move, group)
        self.by_best_columns[len(move.best)].add(move, group)
        self.add_tactics(move, group)
        if move.after < move.before:
            self.worst.append(Blunder(move, moves, game, self.agent))
            if len(self.worst) > 4 * self.MAX_WORST:
                self._trim()

    def add_tactics(self, move: JudgedMove, group: Hashable = None) -> None:
        """Count a move among wins and blocks only."""
        tactic = tactic_of(move.position)
        if tactic:
            getattr(self, tactic).add(move, group)

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data; columns count from 1."""
        self._trim()
        return {
            **self.all.as_dict(),
            "decisive": self.decisive.as_dict(),
            "wins": self.wins.as_dict(),
            "blocks": self.blocks.as_dict(),
            **{
                f"by_{part}": [{part: value, **tally.as_dict()} for value, tally in tallies.items()]
                for part, tallies in self.divisions.items()
            },
            "worst": [blunder.as_dict() for blunder in self.worst],
        }

    @property
    def divisions(self) -> dict[str, dict[Any, Tally]]:
        """The divisions of `all`: by "phase", "ply" and "best_columns", each in order."""
        found = {"ply": self.by_ply, "best_columns": self.by_best_columns}
        in_order = {part: dict(sorted(tallies.items())) for part, tallies in found.items()}
        phases = {phase: self.by_phase[phase] for phase in PHASES if phase in self.by_phase}
        return {"phase": phases, **in_order}

    def rows(self, **more: Mapping[Any, Tally]) -> list[dict[str, Any]]:
        """Return flat rows: `part` is "all", "decisive", "wins", "blocks", or a division.

        A division has a row for each `value`, such as a ply. `more` are further divisions.
        """
        parts = [(name, "", getattr(self, name)) for name in ("all", "decisive", "wins", "blocks")]
        for part, tallies in {**self.divisions, **more}.items():
            parts += [(part, str(value), tally) for value, tally in tallies.items()]
        return flat_rows(
            {"agent": self.agent, "part": part, "value": value, **tally.as_dict()}
            for part, value, tally in parts
        )

    def blunders(self, most: int) -> list[Blunder]:
        """Return the worst moves, worst first, each position once."""
        self._trim()
        return self.worst[:most]

    def _trim(self) -> None:
        # Equal blunders count once: the first in the order of games stays.
        ranked = sorted(self.worst, key=lambda each: each.rank)
        unique = {(each.move.position, each.move.column): each for each in reversed(ranked)}
        self.worst = sorted(unique.values(), key=lambda each: each.rank)[: self.MAX_WORST]


def is_decisive(move: JudgedMove) -> bool:
    """Whether some column of the position throws its outcome away."""
    best = sign(move.before)
    return any(score is not None and sign(score) != best for score in move.scores)


def phase_of(position: Position) -> str:
    """Return the phase of the game, one of `PHASES`, by the discs on the board.

    >>> [phase_of(Position.from_moves(moves)) for moves in ("", "1" * 6 + "2" * 6 + "3" * 3)]
    ['opening', 'middle']
    """
    return PHASES[len(PHASES) * position.ply // position.geometry.cells]


def tactic_of(position: Position) -> str:
    """Return "wins" if the next disc can win, "blocks" if one column must be blocked, or ""."""
    if winning_columns(position):
        return "wins"
    return "blocks" if len(blocking_columns(position)) == 1 else ""


#: A difference this unlikely by chance counts as one.
SIGNIFICANCE = 0.05

#: The measures: their positions, and the words for a right move there.
MEASURES: dict[str, tuple[Callable[[JudgedMove], bool], str]] = {
    "perfect": (lambda _: True, "finds a best column"),
    "keeps_result": (is_decisive, "keeps the result"),
    "wins": (lambda move: tactic_of(move.position) == "wins", "takes a win at hand"),
    "blocks": (
        lambda move: tactic_of(move.position) == "blocks", "blocks a win of the opponent"
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Two agents by one of `MEASURES`, on the `positions` of its kind that both answered.

    `only_first` and `only_second` count positions in which only that agent is right. `p` is the
    chance of a difference at least as great if neither is better; `adjusted_p_value` allows for the
    number of pairs of agents compared (Holm).
    """

    first: str
    second: str
    measure: str
    positions: int
    only_first: int
    only_second: int
    p_value: float
    adjusted_p_value: float

    @property
    def is_clear(self) -> bool:
        """Whether the difference is more than chance gives in 95 of 100 comparisons."""
        return self.adjusted_p_value < SIGNIFICANCE

    @property
    def sentence(self) -> str:
        """The result in words."""
        does = MEASURES[self.measure][1]
        first, second, counts = self.first, self.second, (self.only_first, self.only_second)
        if counts[1] > counts[0]:
            first, second, counts = second, first, counts[::-1]
        if not counts[0]:
            return f"{first} {does} in the same positions as {second}"
        p = self.adjusted_p_value
        chance = "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"
        says = f"{does} more often than {second}" if self.is_clear else (
            f"{does} about as often as {second}, as far as {self.positions:,} positions show"
        )  # fmt: skip
        only = f"only {first} in {counts[0]:,} positions, only {second} in {counts[1]:,}"
        return f"{first} {says}: {only} ({chance})"

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        return {**asdict(self), "sentence": self.sentence}


def compare_moves(
    moves: Mapping[str, Mapping[int, JudgedMove]], tactical: Mapping[str, Mapping[int, JudgedMove]]
) -> list[Comparison]:
    """Compare each two agents by their moves at the positions; `tactical` ones count as tactics."""
    found: dict[tuple[str, str], list[Comparison]] = {two: [] for two in combinations(moves, 2)}
    for measure, (is_of, _) in MEASURES.items():
        of_tactics = measure in ("wins", "blocks")
        right = {
            name: _right({**given, **(tactical[name] if of_tactics else {})}, measure, is_of)
            for name, given in moves.items()
        }
        counted = {two: _counts(right[two[0]], right[two[1]]) for two in found}
        counted = {two: counts for two, counts in counted.items() if counts[0]}
        chances = [mcnemar(*counts[1:]) for counts in counted.values()]
        for (two, counts), *p in zip(counted.items(), chances, holm(chances), strict=True):
            found[two].append(Comparison(*two, measure, *counts, *p))
    return [each for two in found.values() for each in two]


def _right(
    moves: Mapping[int, JudgedMove], measure: str, is_of: Callable[[JudgedMove], bool]
) -> dict[int, bool]:
    return {
        at: move.steps == 0 if measure == "keeps_result" else move.after == move.before
        for at, move in moves.items()
        if move.counts and is_of(move)
    }


def _counts(first: Mapping[int, bool], second: Mapping[int, bool]) -> tuple[int, int, int]:
    pairs = [(first[at], second[at]) for at in first if at in second]
    return len(pairs), pairs.count((True, False)), pairs.count((False, True))
