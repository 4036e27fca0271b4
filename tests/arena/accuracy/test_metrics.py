"""Accuracy: judged moves against a separate judge, sums that add up, floors of random play."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.agents import Agent, Decision, Limit
from claimeven.arena import Comparison, compare_accuracy
from claimeven.arena.accuracy.answers import SetPlan
from claimeven.arena.accuracy.measure import SetAccuracy, measure
from claimeven.arena.accuracy.metrics import (
    Accuracy,
    Tally,
    compare_moves,
    is_decisive,
    tactic_of,
)
from claimeven.arena.accuracy.stored_games import ScoreCache, ranked, worst_of
from claimeven.dataset.scored_sets import TACTICS, bundled_set
from claimeven.messages import WorkProgress
from claimeven.ratings.pentanomial import mcnemar
from claimeven.review.analysis import JudgedMove
from claimeven.solver import Solver
from tests import naive
from tests.naive import Game
from tests.positions import oracle, random_positions

SMALL = Geometry(4, 4, 3)


def judge_moves(
    choices: Sequence[tuple[Position, int]],
    solver: Solver,
    progress: Callable[[WorkProgress], object] | None = None,
) -> list[JudgedMove]:
    """Return each choice (a position that is not over, and the 0-based column played) judged."""
    known = ScoreCache()
    known.solve((position for position, _ in choices), lambda: solver, progress)
    return [JudgedMove(position, column, known[position]) for position, column in choices]


@pytest.fixture(scope="module")
def judged() -> list[JudgedMove]:
    rng = random.Random(5)
    found = random_positions(SMALL, 60, seed=5, ongoing=True)
    choices = [(position, rng.choice(position.legal_columns)) for position in found]
    return judge_moves(choices, Solver(SMALL, table_mb=1))


def test_each_move_is_judged_as_plain_minimax_would(judged: list[JudgedMove]) -> None:
    known: dict[object, int] = {}
    for move in judged:
        game = oracle(move.position)
        scores = {c: -naive.score(game.play(c), known) for c in game.legal()}
        assert {c: s for c, s in enumerate(move.scores) if s is not None} == scores
        assert (move.before, move.after) == (max(scores.values()), scores[move.column])


def test_the_sums_equal_the_moves(judged: list[JudgedMove]) -> None:
    counted = [move for move in judged if len({s for s in move.scores if s is not None}) > 1]
    data = Accuracy.of(judged).all.as_dict()
    assert 0 < len(counted) < len(judged)
    assert data["moves"] == len(counted)
    assert data["perfect"] == sum(m.after == m.before for m in counted) / len(counted)
    assert data["score_loss"] == sum(m.before - m.after for m in counted) / len(counted)


def wilson(right: int, of: float, z: float = 1.959963984540054) -> tuple[float, float]:
    """The two shares whose distance from the measured share is z of their standard errors."""
    share = right / of
    # (share - m)^2 = z^2 m (1 - m) / of, a quadratic equation in m
    return tuple(sorted(np.roots([1 + z * z / of, -2 * share - z * z / of, share * share])))


def test_intervals_of_independent_moves(judged: list[JudgedMove]) -> None:
    tally = Accuracy.of(judged).all
    counted = [move for move in judged if move.counts]
    for name, right in (
        ("perfect", sum(move.after == move.before for move in counted)),
        ("keeps_result", sum(move.steps == 0 for move in counted)),
    ):
        assert tally.interval(name) == pytest.approx(wilson(right, len(counted)))
    losses = np.array([move.before - move.after for move in counted])
    half = 1.959963984540054 * losses.std(ddof=1) / math.sqrt(len(losses))
    assert tally.interval("score_loss") == pytest.approx(
        (losses.mean() - half, losses.mean() + half)
    )
    data: Any = tally.as_dict()
    assert data["perfect_95"] == tally.interval("perfect")


def test_intervals_of_moves_of_games_allow_for_their_likeness(judged: list[JudgedMove]) -> None:
    counted = [move for move in judged if move.counts]
    sizes = [1, 5, 2, 7, 3, len(counted) - 18]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    tally = Tally()
    for move, group in zip(counted, groups, strict=True):
        tally.add(move, f"game {group}")
    for name, values in (
        ("perfect", [float(move.after == move.before) for move in counted]),
        ("score_loss", [float(move.before - move.after) for move in counted]),
    ):
        left = np.array(values) - np.mean(values)
        sums = [left[groups == group].sum() for group in range(len(sizes))]
        variance = np.square(sums).sum() * len(sizes) / (len(sizes) - 1) / len(values) ** 2
        mean = float(np.mean(values))
        if name == "perfect":
            trials = min(len(values), mean * (1 - mean) / variance)
            expected = wilson(mean * trials, trials)  # type: ignore[arg-type]
        else:
            half = 1.959963984540054 * math.sqrt(variance)
            expected = (max(0.0, mean - half), mean + half)
        assert tally.interval(name) == pytest.approx(expected)


def test_a_repeated_game_is_not_more_evidence(judged: list[JudgedMove]) -> None:
    once, twice = Tally(), Tally()
    for number, move in enumerate(move for move in judged if move.counts):
        once.add(move, number)
        twice.add(move, number)
        twice.add(move, number)
    for name in ("perfect", "keeps_result"):
        low, high = once.interval(name) or (0, 0)
        wide = twice.interval(name) or (0, 0)
        assert wide[1] - wide[0] >= (high - low) * 0.99
    assert Tally().interval("perfect") is None


@pytest.mark.parametrize(("games", "moves"), [(1, 150), (40, 1), (40, 6)])
def test_about_95_of_100_intervals_cover_the_truth(games: int, moves: int) -> None:
    """Moves of a game are alike: each game has a share of right moves, 0.7 in the mean."""
    rng = np.random.default_rng(7)
    position, scores = Position.from_moves("4455"), (-4, -3, 18, 2, 2, 18, -3)
    right, wrong = JudgedMove(position, 2, scores), JudgedMove(position, 3, scores)
    draws, covered, loss_covered = 300, 0, 0
    for _ in range(draws):
        shares = rng.beta(3.5, 1.5, games) if moves > 1 and games > 1 else np.full(games, 0.7)
        tally = Tally()
        for game, share in enumerate(shares):
            for is_right in rng.random(moves) < share:
                tally.add(right if is_right else wrong, game if games > 1 else None)
        low, high = tally.interval("perfect") or (1.0, 0.0)
        covered += low <= 0.7 <= high
        low, high = tally.interval("score_loss") or (1.0, 0.0)
        loss_covered += low <= 0.3 * 16 <= high
    # Three standard errors of 300 draws at 95 %, and what few games lose.
    assert 0.91 * draws <= covered <= 0.985 * draws
    assert 0.90 * draws <= loss_covered <= 0.985 * draws


def test_wins_and_blocks_are_counted_apart() -> None:
    solver = Solver(table_mb=16)
    cases = [("445566", 6, "wins"), ("445566", 0, "wins"), ("11223", 6, "blocks"), ("44", 3, "")]
    accuracy = Accuracy()
    for moves, column, kind in cases:
        position = Position.from_moves(moves)
        assert tactic_of(position) == kind
        accuracy.add(JudgedMove(position, column, solver.scores(position)))
    assert (accuracy.wins.moves, accuracy.wins.perfect) == (2, 1)
    assert (accuracy.blocks.moves, accuracy.blocks.perfect) == (1, 0)
    assert accuracy.all.moves == 4


def test_every_division_holds_every_move(judged: list[JudgedMove]) -> None:
    accuracy = Accuracy.of(judged)
    for division in (accuracy.by_ply, accuracy.by_best_columns, accuracy.by_phase):
        for name in ("moves", "perfect", "keeps_result", "score_loss"):
            assert sum(getattr(t, name) for t in division.values()) == getattr(accuracy.all, name)
    as_dict: Any = accuracy.as_dict()
    assert [each["ply"] for each in as_dict["by_ply"]] == sorted(accuracy.by_ply)
    cells = SMALL.cells
    for phase, low, high in (("opening", 0, 5), ("middle", 6, 10), ("end", 11, cells - 1)):
        own = sum(tally.moves for ply, tally in accuracy.by_ply.items() if low <= ply <= high)
        assert accuracy.by_phase[phase].moves == own
    right = [each["best_columns"] for each in as_dict["by_best_columns"]]
    assert right == sorted(accuracy.by_best_columns) and len(right) > 1
    decisive = [move for move in judged if is_decisive(move)]
    assert accuracy.decisive.moves == len(decisive) < accuracy.all.moves


def test_the_floor_is_the_mean_of_random_columns() -> None:
    """All columns of a position played once each have together the means of random play."""
    position = Position.from_moves("4455")
    scores = (-4, -3, 18, 2, 2, 18, -3)
    data = Accuracy.of(JudgedMove(position, c, scores) for c in range(7)).all.as_dict()
    for name in ("perfect", "keeps_result", "score_loss"):
        assert data[name] == pytest.approx(data[f"random_{name}"])


def test_worst_moves_come_first_and_once() -> None:
    scores = (-4, -3, 18, 2, 2, 18, -3)
    position = Position.from_moves("4455")
    moves = [JudgedMove(position, column, scores) for column in (0, 0, 3, 6, 2)]
    accuracy = Accuracy.of(moves)
    assert [blunder.move.column for blunder in accuracy.blunders(9)] == [0, 6, 3]


def test_the_ten_worst_are_kept_by_outcome_then_points_then_how_early() -> None:
    early, late = Position.from_moves("4455"), Position.from_moves("445566")
    # Worst first: the scores before and after of a move in column 0, 1, ...
    cases = [(3, -1), (0, -9), (5, 0), (1, 0), (9, 1), (-1, -6), (2, 1)]
    messages: list[tuple[JudgedMove, int]] = []
    for column, (before, after) in enumerate(cases):
        scores = [before] * 7
        scores[column] = after
        for position in (early, late):
            messages += [(JudgedMove(position, column, tuple(scores)), game) for game in (2, 8)]
    expected = [(column, ply, 2) for column in range(7) for ply in (4, 6)]
    for seed in range(5):
        random.Random(seed).shuffle(messages)
        accuracy = Accuracy()
        for move, game in [*messages, *messages]:
            accuracy.add(move, game=game)
        told_worst = accuracy.as_dict()["worst"]
        # A position counts once: the report names the first game with it.
        found = [(each.move.column, each.move.ply, each.game) for each in accuracy.blunders(99)]
        assert found == expected[:10]
        assert told_worst == [each.as_dict() for each in accuracy.blunders(99)]


def test_the_earlier_of_equal_blunders_is_worse() -> None:
    scores = (3, -1, 3, 3, 3, 3, 3)
    early, late = (
        JudgedMove(Position.from_moves(moves), 1, scores) for moves in ("4455", "445566")
    )
    accuracy = Accuracy()
    accuracy.add(late, "445566", game=1)
    accuracy.add(early, "4455", game=9)
    assert [(each.move.ply, each.game) for each in accuracy.blunders(2)] == [(4, 9), (6, 1)]


def test_agents_rank_by_results_kept_and_those_without_a_move_come_last() -> None:
    position, scores = Position.from_moves("4455"), (-4, -3, 18, 2, 2, 18, -3)
    played = {"idle": (), "throws": (0,), "wins late": (3,), "wins soon": (2,)}
    found = {
        name: Accuracy.of(JudgedMove(position, column, scores) for column in columns)
        for name, columns in played.items()
    }
    assert ranked(found) == ("wins soon", "wins late", "throws", "idle")
    assert [each.move.column for each in worst_of(found.values(), 9)] == [0, 3]
    assert [each.move.column for each in worst_of(found.values(), 1)] == [0]


def test_forced_moves_do_not_count() -> None:
    forced = JudgedMove(Position(), 3, (1,) * 7)
    assert Accuracy.of([forced]).as_dict() == Accuracy().as_dict()
    assert Accuracy().all.as_dict()["perfect"] is None


def test_progress_is_reported_to_the_end() -> None:
    messages: list[WorkProgress] = []
    found = list(random_positions(SMALL, 30, seed=1, ongoing=True))
    choices = [(position, position.legal_columns[0]) for position in found]
    judge_moves(choices, Solver(SMALL, table_mb=1), messages.append)
    total = len({position.canonical_key for position in found})
    assert [at.total for at in messages] == [total] * len(messages)
    assert [at.done for at in messages] == sorted(at.done for at in messages)
    assert (messages[0].done, messages[-1].done) == (0, total)


def test_tallies_add_up_in_any_order(judged: list[JudgedMove]) -> None:
    whole, halves = Tally(), [Tally(), Tally()]
    for number, move in enumerate(judged):
        whole.add(move)
        halves[number % 2].add(move)
    halves[1].merge(halves[0])
    assert halves[1] == whole


def test_a_blunder_names_the_played_and_the_right_column() -> None:
    solver = Solver(table_mb=16)
    position = Position.from_moves("4455")
    accuracy = Accuracy(agent="me")
    accuracy.add(JudgedMove(position, 0, solver.scores(position)), "4455", game=11)
    (blunder,) = accuracy.blunders(1)
    played, right = blunder.explained(solver)
    assert played.text(position).startswith("Column 1 turns the win into a loss")
    assert right.text(position).startswith("Column 3 wins in 2 moves.")
    data = blunder.as_dict()
    assert (data["agent"], data["game"], data["moves"]) == ("me", 12, "4455")
    assert (data["column"], data["best"]) == (1, [3, 6])


def chance_of(first: int, second: int) -> float:
    """The share of all ways to hand out the unequal positions that are at least as unequal."""
    ways = [sum(way) for way in itertools.product((0, 1), repeat=first + second)]
    as_unequal = [n for n in ways if min(n, first + second - n) <= min(first, second)]
    return len(as_unequal) / len(ways)


@pytest.mark.parametrize("first", range(7))
@pytest.mark.parametrize("second", range(7))
def test_the_chance_is_the_share_of_all_ways(first: int, second: int) -> None:
    assert mcnemar(first, second) == chance_of(first, second)


def test_many_positions_are_no_trouble() -> None:
    assert mcnemar(0, 4500) == 0.0  # 2 / 2**4500 is less than any float
    assert mcnemar(2250, 2250) == 1.0
    deviations = (2330 - 2170 - 1) / math.sqrt(4500)  # the normal approximation, corrected
    assert mcnemar(2170, 2330) == pytest.approx(math.erfc(deviations / math.sqrt(2)), rel=1e-3)


def taking_wins(position: Position) -> int:
    """Win if possible, else play the first column."""
    for column in position.legal_columns:
        if position.play(column).is_over:
            return column
    return position.legal_columns[0]


def leftmost(position: Position) -> int:
    return position.legal_columns[0]


def test_bots_that_differ_only_in_wins_differ_by_default() -> None:
    found = compare_accuracy([taking_wins, leftmost], count=200)
    one, other = found["taking_wins"].accuracy, found["leftmost"].accuracy
    assert one.all == other.all and one.decisive == other.decisive
    assert one.wins.mean("perfect") == 1.0
    assert (other.wins.mean("perfect") or 0.0) < 0.5
    by_measure = {each.measure: each for each in found.comparisons()}
    clear = [measure for measure, each in by_measure.items() if each.is_clear]
    assert clear == ["wins"]
    message = by_measure["wins"].sentence
    assert message.startswith(
        "taking_wins takes a win at hand more often than leftmost: only taking_wins in "
    )
    assert by_measure["keeps_result"].sentence.endswith(" in the same positions as leftmost")


def test_counts_equal_the_single_answers() -> None:
    found = compare_accuracy(["random", "greedy"], count=90, seed=2)
    rows: dict[str, dict[str, dict[str, object]]] = {"random": {}, "greedy": {}}
    for row in found.answer_rows():
        rows[str(row["agent"])][str(row["moves"])] = row
    unequal = {"perfect": [0, 0], "wins": [0, 0], "blocks": [0, 0]}
    for moves, one in rows["greedy"].items():
        right = [each["column"] in each["best"] for each in (one, rows["random"][moves])]  # type: ignore[operator]
        of = {"win": "wins", "block": "blocks"}.get(str(one["band"]), "perfect")
        if right[0] != right[1]:
            unequal[of][right[1]] += 1
    first = list(found.ranking).index("greedy")
    for each in found.comparisons():
        if each.measure in unequal:
            counts = (each.only_first, each.only_second)
            assert list(counts if first == 0 else counts[::-1]) == unequal[each.measure]
            assert each.p_value == mcnemar(*counts) == each.adjusted_p_value


def test_positions_that_only_one_answered_are_left_out() -> None:
    def shy(position: Position) -> int:
        if position.turn:
            raise RuntimeError("not as second player")
        return position.legal_columns[0]

    few = bundled_set()
    assert few is not None
    found = measure(SetPlan((shy, "greedy"), few.first(20)))
    answered = found["shy"].accuracy.all.moves
    (perfect,) = [each for each in found.comparisons() if each.measure == "perfect"]
    assert perfect.positions == answered < found["greedy"].accuracy.all.moves


def test_chances_of_several_pairs_are_adjusted_by_holm() -> None:
    scores = (-4, -3, 18, 2, 2, 18, -3)
    position = Position.from_moves("4455")
    right, wrong = (JudgedMove(position, column, scores) for column in (2, 0))
    played = {"a": 20, "b": 12, "c": 11}
    moves = {
        name: {at: right if at < count else wrong for at in range(20)}
        for name, count in played.items()
    }
    found = {
        (each.first, each.second): each
        for each in compare_moves(moves, {name: {} for name in played})
        if each.measure == "perfect"
    }
    raw = {pair: each.p_value for pair, each in found.items()}
    assert raw == {("a", "b"): 2 / 2**8, ("a", "c"): 2 / 2**9, ("b", "c"): 1.0}
    assert found["a", "c"].adjusted_p_value == 3 * raw["a", "c"]
    assert found["a", "b"].adjusted_p_value == 2 * raw["a", "b"]
    assert found["b", "c"].adjusted_p_value == 1.0
    assert [each.is_clear for each in found.values()] == [True, True, False]


def test_a_difference_that_may_be_chance_is_called_so() -> None:
    result = Comparison("ann", "bob", "keeps_result", 60, 3, 5, mcnemar(3, 5), mcnemar(3, 5))
    assert result.sentence == (
        "bob keeps the result about as often as ann, as far as 60 positions show: only bob in 5"
        " positions, only ann in 3 (p = 0.73)"
    )
    assert result.as_dict()["sentence"] == result.sentence


def test_the_tactical_set_has_wins_to_take_and_to_block() -> None:
    """By plain rules: a win at hand, or no win and one column that must be blocked."""
    positions = bundled_set(which=TACTICS)
    assert positions is not None
    assert [each.band for each in positions.positions] == ["win"] * 200 + ["block"] * 200
    for each in positions.positions:
        game = Game()
        for column in each.moves:
            game = game.play(int(column) - 1)
        wins = {column for column in game.legal() if game.play(column).over()}
        assert bool(wins) == (each.band == "win")
        best = max(score for score in each.scores if score is not None)
        right = {column for column, score in enumerate(each.scores) if score == best}
        if wins:
            assert right == wins
        else:
            saved = {
                column
                for column in game.legal()
                if not any(game.play(column).play(r).over() for r in game.play(column).legal())
            }
            assert saved <= right and len(right) == 1


def test_an_agent_of_the_set_keeps_each_answer() -> None:
    class Slow(Agent):
        def choose(self, position: Position, limit: Limit, rng: object) -> Decision:
            return Decision(9 if position.turn else position.legal_columns[0])

    found = compare_accuracy([Slow()], count=5)
    assert isinstance(found, SetAccuracy)
    rows = list(found.answer_rows())
    assert len(rows) == 10
    for row in rows:
        assert (row["column"] is None) == (row["fault"] == "illegal") == bool(row["reason"])
        assert (row["after"] is None) == (row["seconds"] is None) == (row["column"] is None)
