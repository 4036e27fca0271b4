"""Games of studies: their results, and resumed stores."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist, fmean, stdev

import pytest

from claimeven import Geometry, Limit, Position
from claimeven.arena.games.game import Game
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.store import Store
from claimeven.arena.studies import Figure, Match, Source, Study, StudyRunner, run_study
from claimeven.arena.studies.measurements import of_games
from claimeven.arena.studies.study import Findings
from claimeven.ratings.pentanomial import PairCounts

HERE = Source("here", "made up", "none")
WON = (Figure("games won", "wins", reported=50.0),)


def study(*matches: Match) -> Study:
    return Study("made-up", "a study of the tests", HERE, matches)


def row(number: int, winner: int | None, moves: str, swapped: bool = False) -> Game:
    first, second = (1, 0) if swapped else (0, 1)
    result = {
        "evaluations": [10.0, None, 20.0],
        "seconds": [0.5, 0.25, 0.5],
        "stored": [7, None, 9],
    }
    return Game(
        str(number), number, number // 2, first, second, "", moves, winner, move_stats=result
    )


def values(found: Findings) -> dict[tuple[str, str], float]:
    return {key: each.value for key, each in found.items()}


def test_findings_equal_counts_by_hand() -> None:
    rows = [row(0, 0, "123"), row(1, 0, "124", swapped=True), row(2, None, "125"), row(3, 0, "126")]
    found = values(of_games(rows, seconds=8.0))
    # Agent 0 won games 0 and 3; agent 1 moved first in game 1 and won it.
    assert (found["wins", "0"], found["wins", "1"]) == (50, 25)
    assert (found["losses", "0"], found["losses", "1"]) == (25, 50)
    assert found["draws", "0"] == found["draws", "1"] == 25
    assert (found["score", "0"], found["score", "1"]) == (62.5, 37.5)
    assert found["seconds_per_game", "0"] == 2
    # As the first player an agent has the first and third entries, which are 10 and 20.
    assert found["evaluations_per_game", "0"] == 30
    assert found["evaluations_per_game", "1"] == 30
    assert found["stored", "0"] == found["stored", "1"] == 9
    assert found["seconds_per_move", "0"] == (0.5 + 0.25 + 0.5 + 0.5) / 4


def test_a_mean_has_the_interval_of_the_normal_distribution() -> None:
    rows = [row(number, 0, f"12{number}") for number in range(4)]
    for game, first in zip(rows, (1.0, 2.0, 4.0, 8.0), strict=True):
        game.move_stats["evaluations"][0] = first  # type: ignore[index]  # a list here, as it is read from a file
    found = of_games(rows, 1.0)["evaluations_per_game", "0"]
    totals = [21.0, 22.0, 24.0, 28.0]
    half = NormalDist().inv_cdf(0.975) * stdev(totals) / math.sqrt(4)
    assert found.low is not None
    assert found.high is not None
    assert math.isclose(found.value, fmean(totals))
    assert math.isclose(found.low, fmean(totals) - half)
    assert math.isclose(found.high, fmean(totals) + half)
    assert of_games(rows[:1], 1.0)["evaluations_per_game", "0"].low is None


def test_an_interval_of_amounts_is_not_negative() -> None:
    rows = [
        Game(str(n), n, n // 2, 0, 1, "", "1", 0, move_stats={"evaluations": [amount]})
        for n, amount in enumerate((1.0, 100.0))
    ]
    found = of_games(rows, seconds=1.0)["evaluations_per_game", "0"]
    assert found.low == 0
    assert found.high is not None
    assert found.high > found.value > 0


def test_equal_games_count_once_for_the_width() -> None:
    alike = of_games([row(n, 0, "123") for n in range(100)], 1.0)["wins", "0"]
    once = of_games([row(0, 0, "123")], 1.0)["wins", "0"]
    assert (alike.low, alike.high) == (once.low, once.high)


def test_with_swapped_seats_the_interval_is_from_pairs() -> None:
    """Agent 0 takes 2, 1, 0 and 1.5 points of four pairs; the same pair again does not count."""
    winners = [(0, 1), (0, 0), (1, 0), (None, 1)]
    rows = [
        row(2 * pair + seat, winner, f"1{pair + 1}{seat + 1}", swapped=bool(seat))
        for pair, two in enumerate(winners)
        for seat, winner in enumerate(two)
    ]
    again = [replace(each, number=each.number + 8, pair=4, job=f"{each.job}b") for each in rows[:2]]
    for played, counts in (
        (rows, PairCounts((1, 0, 1, 1, 1))),
        ([*rows, *again], PairCounts((1, 0, 1, 1, 2))),
    ):
        found = of_games(played, 1.0)["score", "0"]
        low, high = counts.interval_of(4)
        assert (found.low, found.high) == (pytest.approx(100 * low), pytest.approx(100 * high))
        assert found.value == pytest.approx(100 * counts.share)


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        (
            Match(("greedy", "random"), 1000, WON),
            "greedy against random, 1,000 games, from the empty board,"
            " the first agent always moves first",
        ),
        (
            Match(("greedy", "random"), 40, WON, reported_games=1500, opening_plies=2, swap=True),
            "greedy against random, 40 games (original: 1,500), from the empty board,"
            " 2 random plies before each pair, seats swapped",
        ),
        (
            Match(("greedy", "random"), 4, WON, 4, True, 0.5, 0, "44", Geometry(8, 7)),
            "greedy against random, 4 games, from 44 on 8x7 connect 4, seats swapped, 0.5 s a move",
        ),
    ],
)
def test_a_match_is_described_in_words(match: Match, expected: str) -> None:
    assert match.setting == expected
    assert match.plan(seed=1).limit == Limit(seconds=match.seconds)


def test_a_match_with_a_figure_of_speed_measures_time() -> None:
    speed = Figure("seconds a move", "seconds_per_move", reported=1.0)
    assert not Match(("greedy", "random"), 4, WON).measures_time
    assert Match(("greedy", "random"), 4, (*WON, speed)).measures_time


def test_no_games_give_no_findings() -> None:
    assert of_games([], 0.0) == {}


def test_the_first_agent_starts_unless_seats_are_swapped() -> None:
    for swap, firsts in ((False, {0}), (True, {0, 1})):
        plan = Match(("random", "random"), 4, WON, swap=swap).plan(seed=1)
        assert {plan.pairing(number).first for number in range(4)} == firsts
    after = Match(("random", "random"), 4, WON, opening_plies=3).plan(seed=1)
    for number in range(4):
        pairing = after.pairing(number)
        # After three plies it is the second player's turn: that is the seat of agent 0.
        assert (pairing.opening.position.turn, pairing.second) == (1, 0)


def test_a_folder_is_gone_on_with_and_comes_to_the_same(tmp_path: Path) -> None:
    match = study(Match(("greedy", "random"), 10, WON))
    whole = StudyRunner(seed=3).run(match)
    run_study(match, folder=tmp_path, games=4, seed=3)
    path = tmp_path / "made-up-1.db"
    with Store.read(path) as store:
        before = [game.job for game in store.games()]
    result = run_study(match, folder=tmp_path, resume=True, seed=3)
    with Store.read(path) as store:
        stored = list(store.games())
    assert [game.job for game in stored[:4]] == before
    assert [game.number for game in stored] == list(range(10))
    timeless = {key for key in whole.experiments[0].findings if "seconds" not in key[0]}
    for key in timeless:
        assert result.experiments[0].findings[key] == whole.experiments[0].findings[key]


def test_other_games_in_the_folder_are_refused(tmp_path: Path) -> None:
    run_study(study(Match(("greedy", "random"), 2, WON)), folder=tmp_path)
    other = study(Match(("greedy", "greedy:win=yes"), 2, WON))
    with pytest.raises(InvalidStore, match="holds games of another tournament"):
        run_study(other, folder=tmp_path, resume=True)
    with pytest.raises(InvalidStore, match="exists already"):
        run_study(other, folder=tmp_path)
    with pytest.raises(InvalidStore, match="another tournament: its seed differs"):
        run_study(study(Match(("greedy", "random"), 2, WON)), folder=tmp_path, resume=True, seed=9)


def test_jobs_do_not_change_games_and_a_function_plays_here() -> None:
    def leftmost(position: Position) -> int:
        return position.legal_columns[0]

    match = study(Match(("greedy", "random"), 8, WON), Match((leftmost, "random"), 2, WON))
    one, two = StudyRunner(jobs=1).run(match), StudyRunner(jobs=2).run(match)
    assert [each.games for each in two.experiments] == [8, 2]
    for each, other in zip(one.experiments, two.experiments, strict=True):
        assert each.findings["wins", "0"] == other.findings["wins", "0"]


def test_a_forfeit_is_reported() -> None:
    def fails(position: object) -> int:
        raise RuntimeError("no idea")

    (result,) = run_study(study(Match((fails, "random"), 2, WON))).experiments
    assert (result.games, result.forfeits) == (2, 2)
    assert result.as_dict()["figures"][0]["measured"] == 0


def test_speed_up_of_figures() -> None:
    assert Figure("t", "seconds", reported=10.0).speed_up(2.0) == 5
    assert Figure("n", "iterations", reported=10.0).speed_up(20.0) == 2
    assert Figure("w", "wins", reported=10.0).speed_up(20.0) is None
    assert Figure("t", "seconds").speed_up(2.0) is None
