"""Rubrics: points by steps, and one clear sentence for each mistake in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimeven.arena.grading.rubric import EXAMPLE, Criterion, InvalidRubric, read_rubric


def test_the_default_rubric_has_each_test_and_100_points() -> None:
    rubric = read_rubric()
    assert {each.test for each in rubric.criteria} == {
        "loads", "faults", "match", "accuracy", "time", "imports"
    }  # fmt: skip
    assert rubric.most == 100
    assert len({str(each.work) for each in rubric.criteria}) == 5


def test_the_highest_step_that_is_reached_counts() -> None:
    match = Criterion(test="match", against="greedy", at=[0.5, 0.75], points=[10, 20])
    assert [match.points_for(score) for score in (None, 0.49, 0.5, 0.74, 0.75, 1)] == [
        0, 0, 10, 10, 20, 20
    ]  # fmt: skip
    faults = Criterion(test="faults", at=[0, 2], points=[15, 5])
    assert [faults.points_for(number) for number in (0, 1, 2, 3)] == [15, 5, 5, 0]


def test_a_bonus_is_not_part_of_the_maximum(tmp_path: Path) -> None:
    path = tmp_path / "rubric.toml"
    path.write_text(
        "out_of = 20\n[[criteria]]\ntest = 'loads'\npoints = 2.5\n"
        "[[criteria]]\ntest = 'faults'\npoints = 1\nbonus = true\n"
    )
    rubric = read_rubric(path)
    assert (rubric.most, rubric.out_of) == (2.5, 20)


LOADS = "[[criteria]]\ntest = 'loads'\npoints = 1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must have criteria, each a table [[criteria]]"),
        ("criteria = 3", "must have criteria"),
        ("criteria = [1]", "must have criteria"),
        ("[[criteria", "must be a TOML file: "),
        ("secnds = 1\n" + LOADS, "no field 'secnds' (did you mean seconds?): choose from"),
        ("seconds = 'a'\n" + LOADS, "seconds must be a number, got 'a'"),
        ("seconds = 0\n" + LOADS, "seconds must be 0.001 or more, got 0"),
        ("seed = -1\n" + LOADS, "seed must be"),
        ("seconds = inf\n" + LOADS, "seconds must be a finite number, got inf"),
        ("[[criteria]]\npoints = 1", "criterion 1 must have a test: loads, faults, match"),
        (LOADS + "[[criteria]]\ntest = 'mach'", "criterion 2: test must be loads or faults or"),
        ("[[criteria]]\ntest = 'mach'", "got 'mach' (did you mean match?)"),
        ("[[criteria]]\ntest = 'loads'", "criterion 1 (loads) must have points"),
        ("[[criteria]]\ntest = 'loads'\npoint = 1", "(did you mean points?)"),
        ("[[criteria]]\ntest = 'loads'\npoints = '1'", "a number, or a list of numbers, got '1'"),
        ("[[criteria]]\ntest = 'loads'\npoints = true", "a list of numbers, got True"),
        ("[[criteria]]\ntest = 'loads'\npoints = -1", "points must be 0 or more, got -1"),
        ("[[criteria]]\ntest = 'match'\npoints = 1", "criterion 1 (match) must have against"),
        ("[[criteria]]\ntest = 'time'\npoints = 1", "criterion 1 (time) must have at"),
        (LOADS + "games = 3", "criterion 1 (loads): games does not go with the test loads"),
        (LOADS + "at = [1, 2]", "at and points must have the same number of steps"),
        (
            "[[criteria]]\ntest = 'match'\nagainst = 'random'\npoints = 1\nat = 75",
            "at must be 0 to 1, such as 0.75, got 75",
        ),
        (
            "[[criteria]]\ntest = 'match'\nagainst = 'random'\npoints = 1\ngames = 0",
            "games must be 2 to 10,000, got 0",
        ),
        (
            "[[criteria]]\ntest = 'match'\nagainst = 'random'\npoints = 1\ngames = 5",
            "games must be even, such as 6, got 5: each opening is played from both sides",
        ),
        (
            "[[criteria]]\ntest = 'time'\npoints = [2, inf]\nat = [1, 0.1]",
            "a list of finite numbers, got [2, inf]",
        ),
        (
            "[[criteria]]\ntest = 'time'\npoints = [2, 4]\nat = [0.1, 1]",
            "(time): points must fall with at, got [2, 4] for [0.1, 1]",
        ),
        ("names = 'ann'\n" + LOADS, "names must be a table [names]"),
        (LOADS + "name = 'grade'", "the name grade is used"),
        (LOADS + LOADS, "the name loads is used: give the criterion another one"),
    ],
)
def test_a_mistake_is_named_with_its_remedy(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "rubric.toml"
    path.write_text(text)
    with pytest.raises(InvalidRubric) as error:
        read_rubric(path)
    assert message in str(error.value)
    assert str(path) in str(error.value) or "seed" in text


def test_a_missing_file_and_the_example(tmp_path: Path) -> None:
    with pytest.raises(InvalidRubric, match="cannot be read: No such file"):
        read_rubric(tmp_path / "none.toml")
    path = tmp_path / "example.toml"
    path.write_text(EXAMPLE.read_text("utf-8"))
    assert read_rubric(path) == read_rubric()
