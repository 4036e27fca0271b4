"""Bundled puzzles, and the puzzle of a day."""

from __future__ import annotations

import datetime
from collections import Counter

import pytest
from bench.check_puzzles import puzzle_errors

from claimeven import Geometry, Solver, daily_puzzle, select_puzzles
from claimeven.puzzles import DIFFICULTIES, KINDS, InvalidPuzzles, bundled_puzzles
from claimeven.puzzles.puzzle import MOTIFS, WEEK, check_moves, puzzle_by_number

#: Some of the bundled puzzles with many discs, which are solved quickly, are solved again here; all
#: of them by `python -m bench.check_puzzles`.
STEP, PLIES = 29, 17


def test_there_are_thousands_of_every_difficulty_and_kind() -> None:
    every = select_puzzles()
    assert len(every) >= 2000
    assert [puzzle.number for puzzle in every] == list(range(1, len(every) + 1))
    assert len({puzzle.position.canonical_key for puzzle in every}) == len(every)
    spread = Counter((puzzle.difficulty, puzzle.kind) for puzzle in every)
    assert all(spread[difficulty, kind] >= 50 for difficulty in DIFFICULTIES for kind in KINDS)
    assert sum(len(select_puzzles(difficulty)) for difficulty in DIFFICULTIES) == len(every)
    assert len({puzzle.position.ply for puzzle in every}) > 20
    assert {puzzle.position.turn for puzzle in every} == {0, 1}
    motifs = Counter(puzzle.motif for puzzle in every)
    assert set(motifs) == set(MOTIFS) and min(motifs.values()) >= 150
    assert all(len(select_puzzles(length=length)) >= 50 for length in range(1, 17))


def test_easy_puzzles_are_over_after_a_few_moves() -> None:
    for difficulty, motifs, longest in (
        ("beginner", {"win-in-1", "block", "double-threat", "defense", "zugzwang"}, 2),
        ("easy", {"double-threat", "forcing", "defense", "zugzwang"}, 4),
    ):
        chosen = select_puzzles(difficulty)
        assert {puzzle.motif for puzzle in chosen} == motifs
        lengths = {puzzle.length for puzzle in chosen}
        assert None not in lengths and max(length or 0 for length in lengths) == longest
    assert {p.motif for p in select_puzzles(length=1)} == {"win-in-1", "block"}
    by_kind = select_puzzles("beginner", "hold", motif="block", length=1)
    assert by_kind == select_puzzles(motif="block")


def test_exact_scores_find_the_same_solutions() -> None:
    solver = Solver(table_mb=16)
    late = [puzzle for puzzle in select_puzzles() if puzzle.position.ply >= PLIES]
    for puzzle in late[::STEP]:
        check_moves(puzzle)
        assert puzzle_errors(puzzle, solver) == []


def test_the_puzzles_of_days_are_known() -> None:
    # These must never change: many users solve the same one.
    monday = datetime.date(2026, 1, 5)
    found = [daily_puzzle(monday + datetime.timedelta(day)) for day in range(7)]
    assert [puzzle.number for puzzle in found] == DAILY
    assert tuple(puzzle.difficulty for puzzle in found) == WEEK
    assert daily_puzzle("2026-01-05") == found[0]
    assert daily_puzzle() == daily_puzzle(datetime.date.today())


def test_no_puzzle_comes_again_before_all_of_its_difficulty_were_there() -> None:
    few = [puzzle for difficulty in DIFFICULTIES for puzzle in select_puzzles(difficulty)[:6]]
    first = datetime.date(2025, 3, 3)
    days = [daily_puzzle(first + datetime.timedelta(day), few) for day in range(7 * 6)]
    mondays = [puzzle.number for puzzle in days[::7]]
    assert len(set(mondays)) == 6
    easy = [puzzle.number for puzzle in days if puzzle.difficulty == "easy"]
    assert len(set(easy[:6])) == 6 and easy[:6] == easy[6:]


def test_a_day_whose_difficulty_is_missing_has_a_puzzle_of_another() -> None:
    few = select_puzzles("hard")[:3]
    monday = datetime.date(2026, 1, 5)
    days = [daily_puzzle(monday + datetime.timedelta(7 * week), few) for week in range(3)]
    assert set(days) == set(few)


def test_a_day_may_be_text_a_date_or_a_time_of_it() -> None:
    day = daily_puzzle("2026-01-05")
    assert daily_puzzle(datetime.date(2026, 1, 5)) == day
    assert daily_puzzle(datetime.datetime(2026, 1, 5, 23, 59)) == day
    with pytest.raises(InvalidPuzzles, match="a day must be a date such as 2026-01-31, got 5"):
        daily_puzzle(5)  # type: ignore[arg-type]  # bad on purpose


def test_puzzles_are_numbered_from_one() -> None:
    every = bundled_puzzles().puzzles
    assert [puzzle_by_number(every, number).number for number in (1, 2, len(every))] == [
        1,
        2,
        len(every),
    ]


def test_a_day_before_the_first_has_one_too() -> None:
    assert daily_puzzle("1999-12-31").difficulty == WEEK[4]


def test_unknown_choices_are_reported() -> None:
    with pytest.raises(InvalidPuzzles, match=r"there is no difficulty 'eazy' \(did you mean easy"):
        select_puzzles("eazy")
    with pytest.raises(InvalidPuzzles, match="there is no kind 'draw': choose from win, hold"):
        select_puzzles(kind="draw")
    with pytest.raises(InvalidPuzzles, match="there is no motif 'blok'"):
        select_puzzles(motif="blok")
    with pytest.raises(InvalidPuzzles, match="length must be 1 or more, got 0"):
        select_puzzles(length=0)
    with pytest.raises(InvalidPuzzles, match="the board 5x4 connect 4 has no bundled puzzles"):
        select_puzzles(geometry=Geometry(5, 4))
    with pytest.raises(InvalidPuzzles, match="got '2026-02-30'"):
        daily_puzzle("2026-02-30")
    with pytest.raises(InvalidPuzzles, match="a puzzle must be 1 to"):
        puzzle_by_number(bundled_puzzles().puzzles, 0)
    with pytest.raises(InvalidPuzzles, match="must be 1 to 2, got 3"):
        puzzle_by_number(bundled_puzzles().puzzles[:2], 3)
    with pytest.raises(InvalidPuzzles, match="the board 7x6 connect 5 has no bundled puzzles"):
        select_puzzles(geometry=Geometry(7, 6, 5))
    with pytest.raises(InvalidPuzzles, match="at least one puzzle"):
        daily_puzzle("2026-01-05", [])


#: From Monday, 2026-01-05.
DAILY = [354, 1557, 1558, 1749, 1753, 578, 383]
