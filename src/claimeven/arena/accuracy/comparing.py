"""Agents compared on the positions that both were asked in: McNemar's exact test.

Only positions count in which one agent is right and the other wrong. If neither is better, each of
them is won by either with equal chance (McNemar, "Note on the sampling error of the difference
between correlated proportions or percentages", Psychometrika 12, 1947, pages 153-157).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import combinations

from claimeven.arena.accuracy.metrics import is_decisive, tactic_of
from claimeven.review.analysis import JudgedMove

#: A difference this unlikely by chance counts as one.
SIGNIFICANCE = 0.05

#: What is compared: in which positions, and the words for a move that is right there.
MEASURES: dict[str, tuple[Callable[[JudgedMove], bool], str]] = {
    "perfect": (lambda _: True, "finds a best column"),
    "keeping": (is_decisive, "keeps the result"),
    "wins": (lambda move: tactic_of(move.position) == "wins", "takes a win at hand"),
    "blocks": (
        lambda move: tactic_of(move.position) == "blocks", "blocks a win of the opponent"
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Two agents by one of `MEASURES`, on the `positions` of its kind that both answered.

    `only_first` and `only_second` count positions in which only that agent is right. `p` is the
    chance of a difference at least as great if neither is better; `p_adjusted` allows for the
    number of pairs of agents compared (Holm).
    """

    first: str
    second: str
    measure: str
    positions: int
    only_first: int
    only_second: int
    p: float
    p_adjusted: float

    @property
    def is_clear(self) -> bool:
        """Whether the difference is more than chance gives in 95 of 100 comparisons."""
        return self.p_adjusted < SIGNIFICANCE

    @property
    def sentence(self) -> str:
        """The result in words."""
        does = MEASURES[self.measure][1]
        first, second, counts = self.first, self.second, (self.only_first, self.only_second)
        if counts[1] > counts[0]:
            first, second, counts = second, first, counts[::-1]
        if not counts[0]:
            return f"{first} {does} in the same positions as {second}"
        chance = "p < 0.0001" if self.p_adjusted < 0.0001 else f"p = {self.p_adjusted:.2g}"
        says = f"{does} more often than {second}" if self.is_clear else (
            f"{does} about as often as {second}, as far as {self.positions:,} positions show"
        )  # fmt: skip
        alone = f"alone in {counts[0]:,} positions, {second} alone in {counts[1]:,}"
        return f"{first} {says}: {alone} ({chance})"

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        return {**asdict(self), "sentence": self.sentence}


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the two-sided chance of counts at least as unequal, if both are equally likely.

    >>> mcnemar(9, 1), mcnemar(0, 0)
    (0.021484375, 1.0)
    """
    total, tail, ways = only_first + only_second, 0, 1
    for count in range(min(only_first, only_second) + 1):
        tail += ways
        ways = ways * (total - count) // (count + 1)
    return min(1.0, float(Fraction(2 * tail, 2**total)))


def compare_moves(
    moves: Mapping[str, Mapping[int, JudgedMove]], tactical: Mapping[str, Mapping[int, JudgedMove]]
) -> list[Comparison]:
    """Compare each two agents, whose moves are given by name and by number of the position.

    `tactical` moves count for wins and blocks alone.
    """
    found: dict[tuple[str, str], list[Comparison]] = {two: [] for two in combinations(moves, 2)}
    for measure, (is_of, _) in MEASURES.items():
        right = {
            name: _right(
                {**given, **tactical[name]} if measure in ("wins", "blocks") else given,
                measure,
                is_of,
            )
            for name, given in moves.items()
        }
        counted = {two: _counts(right[two[0]], right[two[1]]) for two in found}
        counted = {two: counts for two, counts in counted.items() if counts[0]}
        chances = [mcnemar(*counts[1:]) for counts in counted.values()]
        for (two, counts), *p in zip(counted.items(), chances, _holm(chances), strict=True):
            found[two].append(Comparison(*two, measure, *counts, *p))
    return [each for two in found.values() for each in two]


def _right(
    moves: Mapping[int, JudgedMove], measure: str, is_of: Callable[[JudgedMove], bool]
) -> dict[int, bool]:
    """Return whether the moves that are of a measure's kind are right."""
    return {
        at: move.steps == 0 if measure == "keeping" else move.after == move.before
        for at, move in moves.items()
        if move.counts and is_of(move)
    }


def _counts(first: Mapping[int, bool], second: Mapping[int, bool]) -> tuple[int, int, int]:
    """Return how many positions both answered, and in how many only one of them is right."""
    pairs = [(first[at], second[at]) for at in first if at in second]
    return len(pairs), pairs.count((True, False)), pairs.count((False, True))


def _holm(chances: list[float]) -> list[float]:
    """Return chances adjusted for their number, by Holm's step-down procedure."""
    adjusted, least = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        least = max(least, min(1.0, chances[place] * (len(chances) - rank)))
        adjusted[place] = least
    return adjusted
