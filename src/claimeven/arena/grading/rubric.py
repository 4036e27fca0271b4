"""Rubrics: the criteria by which bots are graded, read from a TOML file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claimeven.errors import ClaimevenError
from claimeven.experiment_file import read_toml, reason_against
from claimeven.game.validation import seed_number
from claimeven.option_fields import option, options_of

#: For each test its default step, and its own fields: the first is needed.
TESTS: dict[str, tuple[float | None, tuple[str, ...]]] = {
    "loads": (1, ()),
    "faults": (0, ()),
    "match": (0.5, ("against", "games")),
    "accuracy": (None, ("at", "measure", "positions")),
    "time": (None, ("at",)),
    "imports": (0, ("forbid",)),
}
#: Tests with a share as their result, and tests of which a lower result is better.
_SHARES, _FALLING = ("match", "accuracy"), ("faults", "time", "imports")
#: The default rubric, and an example for others.
EXAMPLE = Path(__file__).with_name("rubric.toml")


class InvalidRubric(ClaimevenError):
    """A rubric that cannot be used."""


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """A test, and the `points` for each step of `at` that its result reaches.

    Points of a `bonus` are not part of the maximum. `forbid` are names that code may not use.
    """

    test: str = option(str, "", "", choices=tuple(TESTS))
    name: str = option(str, "", "")
    points: list[float] = option(tuple, (), "", low=0)
    at: list[float] = option(tuple, (), "", low=0)
    bonus: bool = option(bool, False, "")
    against: str = option(str, "", "")
    games: int = option(int, 20, "", low=2, high=10_000)
    positions: int = option(int, 400, "", low=1, high=4_500)
    measure: str = option(str, "keeps", "", choices=("keeps", "perfect", "wins", "blocks"))
    forbid: Any = option(list, (), "")

    @property
    def label(self) -> str:
        """Its name, by default the opponent or the test."""
        return self.name or self.against or self.test

    @property
    def most(self) -> float:
        """The greatest number of points."""
        return max(self.points)

    def points_for(self, value: float | None) -> float:
        """Return the points for the result of its test; 0 for None, which is no result.

        >>> Criterion(test="time", at=[0.1, 1], points=[5, 2]).points_for(0.3)
        2
        """
        sign, steps = -1 if self.test in _FALLING else 1, zip(self.at, self.points, strict=True)
        met = [n for at, n in steps if value is not None and sign * (value - at) >= 0]
        return max(met, default=0)

    @property
    def work(self) -> dict[str, Any]:
        """The measurement that it needs; criteria with equal ones share it."""
        names = {"match": ("test", "against", "games"), "accuracy": ("test", "positions")}
        return {name: getattr(self, name) for name in names.get(self.test, ())} or CHECK


#: The first measurement of each bot.
CHECK = {"test": "check"}


@dataclass(frozen=True, kw_only=True)
class Rubric:
    """The criteria of a class, and the limits of its bots; `out_of` is the best grade.

    `names` are the names of students by their bots. Code of the file `template` is no copy.
    """

    title: str = option(str, "Grades", "")
    seed: int = option(int, 0, "")
    seconds: float | None = option(float, None, "", low=0.001)
    memory_limit: int | None = option(int, None, "", low=1)
    out_of: float | None = option(float, None, "", low=1)
    template: str = option(str, "", "")
    criteria: tuple[Criterion, ...] = ()
    names: dict[str, str] = field(default_factory=dict)

    @property
    def most(self) -> float:
        """The greatest number of points without bonus."""
        return sum(each.most for each in self.criteria if not each.bonus)


def read_rubric(path: str | Path = EXAMPLE) -> Rubric:
    """Return the rubric in a file. Raises `InvalidRubric`.

    >>> read_rubric().most
    100
    """
    found, _ = read_toml(path, InvalidRubric)
    listed, named = found.pop("criteria", None), found.pop("names", {})
    if not isinstance(named, dict) or not all(isinstance(each, str) for each in named.values()):
        raise InvalidRubric(f'{path}: names must be a table [names] with lines: ann = "Ann Adams"')
    if not listed or not isinstance(listed, list) or not all(isinstance(c, dict) for c in listed):
        raise InvalidRubric(f"{path} must have criteria, each a table [[criteria]]")
    _check(found, Rubric, str(path))
    criteria = [_criterion(each, f"{path}, criterion {n}") for n, each in enumerate(listed, 1)]
    labels = ["bot", "name", "grade", "notes", *(each.label for each in criteria)]
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise InvalidRubric(f"{path}: the name {twice[0]} is used: give the criterion another one")
    seed_number(found.get("seed", 0), InvalidRubric)
    return Rubric(**found, criteria=tuple(criteria), names=named)


def _criterion(given: dict[str, Any], where: str) -> Criterion:
    test = str(given.get("test"))
    where += f" ({test})" * (test in TESTS)
    _check(given, Criterion, where)
    if test not in TESTS:
        raise InvalidRubric(f"{where} must have a test: {', '.join(TESTS)}")
    step, own = TESTS[test]
    if lacking := [name for name in ("points", *own[:1]) if name not in given]:
        raise InvalidRubric(f"{where} must have {lacking[0]}")
    others = {name for _, names in TESTS.values() for name in names} - {"at", *own}
    if wrong := sorted(others & {*given}):
        raise InvalidRubric(f"{where}: {wrong[0]} does not go with the test {test}")
    if (games := given.get("games", 2)) % 2:
        why = f"such as {games + 1}, got {games}: each opening is played from both sides"
        raise InvalidRubric(f"{where}: games must be even, {why}")
    at, points = (
        each if isinstance(each, list) else [each]
        for each in (given.get("at", step), given["points"])
    )
    if not at or len(at) != len(points):
        raise InvalidRubric(f"{where}: at and points must have the same number of steps")
    rising = [point for _, point in sorted(zip(at, points, strict=True))]
    if rising != sorted(points, reverse=test in _FALLING):
        way = "fall" if test in _FALLING else "rise"
        raise InvalidRubric(f"{where}: points must {way} with at, got {points} for {at}")
    if test in _SHARES and max(at) > 1:
        raise InvalidRubric(f"{where}: at must be 0 to 1, such as 0.75, got {max(at):g}")
    return Criterion(**{**given, "at": at, "points": points})


def _check(given: dict[str, Any], cls: type, where: str) -> None:
    fields = {name: each for name, (_, each) in options_of(cls).items()}
    for name, value in given.items():
        if (reason := reason_against(name, value, fields)) is not None:
            raise InvalidRubric(f"{where}: {reason}")
