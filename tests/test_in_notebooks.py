"""Positions, games and results in notebooks: well formed, complete, readable in any theme.

Numbers are compared with the results themselves.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from claimeven import (
    GameLine,
    Geometry,
    Limit,
    Position,
    analyze,
    explain,
    make_agent,
    measure_accuracy,
    place_on_ladder,
    play_match,
    play_tournament,
    run_sprt,
    select_puzzles,
)  # fmt: skip
from claimeven.agents import Decision
from claimeven.arena import Ladder, MatchResult, accuracy_of
from claimeven.arena.accuracy.answers import SetPlan
from claimeven.arena.accuracy.measure import measure
from claimeven.arena.games.game import Game
from claimeven.arena.tournaments.results import TournamentResult
from claimeven.dataset.scored_sets import load_set
from claimeven.markup import Html, Svg, bar, line, table
from claimeven.minimax import MinimaxSearch
from claimeven.minimax.inspection import build_tree
from claimeven.minimax.inspection import tree_svg as minimax_svg
from claimeven.montecarlo import MonteCarloSearch, preset, tree_svg

POSITION = Position.from_moves("445523")
MINUS = "\N{MINUS SIGN}"


def html_of(result: Any) -> str:
    """The HTML of a result: well formed, without colors that are lost on white or black."""
    html: str = result._repr_html_()
    ElementTree.fromstring(html)
    assert not re.search(r"<(style|script)|[^-]color:(?!inherit)|\bid=", html)
    return html


def words(result: Any) -> str:
    """The words of the HTML of a result."""
    text = "".join(ElementTree.fromstring(html_of(result)).itertext())
    return " ".join(text.split())


def cells(result: Any) -> list[list[str]]:
    """The tables of the HTML of a result, row by row."""
    root = ElementTree.fromstring(html_of(result))
    return [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]


@pytest.fixture(scope="module")
def match() -> MatchResult:
    return play_match("uct:iterations=20", "greedy", games=4, seed=1)


@pytest.fixture(scope="module")
def tournament() -> TournamentResult:
    return play_tournament(["random", "greedy", "greedy:win=yes"], rounds=2, seed=1)


def test_a_position_is_drawn_in_the_colours_around_it() -> None:
    html = html_of(POSITION)
    assert html.startswith("<svg style='max-width:100%;height:auto'")
    assert "currentColor" in html and "#ffffff' rx" not in html
    assert "#ffffff" in POSITION._repr_svg_()  # a picture of its own has a ground


def test_a_line_shows_its_last_move() -> None:
    shown = words(GameLine(Position(), (3, 3)))
    assert shown.endswith("Moves: 44")
    assert "stroke-dasharray" in html_of(GameLine(Position(), (3, 3)))
    assert words(GameLine()).endswith("No moves yet.")
    assert words(GameLine(Position(), (3, 3)).undo(2)).endswith("No moves yet.")


def test_drawings_are_text_that_is_shown() -> None:
    search = MonteCarloSearch(preset("uct", seconds=None))
    grown = search.search(POSITION, np.random.default_rng(1), iterations=50)
    tree = tree_svg(grown.forest.branch(1), POSITION)
    looked = MinimaxSearch("minimax").trace(POSITION, 1)
    for svg in (tree, minimax_svg(build_tree(looked, 1, 9), POSITION, 10)):
        assert isinstance(svg, Svg) and svg._repr_svg_() == svg
        assert re.search(r'<rect width="\d+" height="\d+" rx="8" fill="#ffffff"/>', svg)
        ElementTree.fromstring(svg._repr_html_())
    assert words(grown.forest).count("root") == 2  # in the tree and in its legend
    agent = make_agent("uct:iterations=50")
    agent.choose(POSITION, Limit(), np.random.default_rng(1))
    view = agent.tree(1, 9)
    assert view is not None and view._repr_svg_() == view.svg
    assert "<svg" in view._repr_html_()


def test_a_decision_shows_its_column_and_all_others() -> None:
    decision = make_agent("uct:iterations=50").choose(POSITION, Limit(), np.random.default_rng(1))
    heads, mean, visits, share = cells(decision)
    assert heads == ["column", *"1234567"]
    assert [int(cell) for cell in visits[1:]] == list(decision.details["visits"])
    assert mean[0] == "mean" and share[1] == f"{decision.policy[0]:.1%}"
    assert f"Column {decision.column + 1}: value" in words(decision)
    assert words(Decision(10)) == "Column k: 0.0000 s"
    assert words(Decision(-1)) == "Column -1 (counted from 0), of no board: 0.0000 s"
    assert words(Decision(99)) == "Column 99 (counted from 0), of no board: 0.0000 s"
    odd = {"values": ["a"], "line": [99], "visits": 3}
    assert words(Decision(2, details=odd)) == "Column 3: 0.0000 s"


def test_a_minimax_result() -> None:
    result = MinimaxSearch("alphabeta").search(Position.from_moves("112233"), depth=3)
    shown = words(result)
    assert shown.startswith("Column 4: value win in 1 for the side to move, best line 4")
    assert f"{result.counters.nodes:,} positions visited" in shown
    # The center is tried first and wins: of the others a bound is known.
    header, values = cells(result)
    assert (header, values[4]) == (["column", *"1234567"], "win in 1")
    assert [value.startswith("<=") for value in values[1:]] == [n != 4 for n in range(1, 8)]


def test_a_monte_carlo_result() -> None:
    search = MonteCarloSearch(preset("uct", seconds=None))
    result = search.search(POSITION, np.random.default_rng(1), iterations=100)
    rows = cells(result)[1:]
    assert [row[0] for row in rows] == list("1234567")
    assert [int(row[2]) for row in rows] == [child.visits for child in result.root.children]
    assert "100 iterations" in words(result)


def test_an_explanation_has_its_scores_and_sentences() -> None:
    found = explain("4455")
    shown = words(found)
    assert "Yellow wins in 2 moves." in shown
    assert f"+18{MINUS}3" in shown  # above the columns
    for column in found.columns:
        assert column.text(found.position) in shown


def test_a_review() -> None:
    review = analyze("44553433556")
    shown = words(review)
    assert "The game is over: Yellow wins with move 6." in shown
    first, second = cells(review)[1:3]
    assert first[1] == f"{review.accuracy(0):.1f} %" and second[0] == "Red"
    rows = cells(review)[4:]
    assert [row[4] for row in rows] == [f"{m.judgement} {m.mark}".strip() for m in review.moves]
    assert [row[6] for row in rows] == [move.reason for move in review.moves]
    assert html_of(review).count("<title>after ") == len(review.score_history)
    assert "Best play from here" in words(analyze(""))


def test_a_game_and_one_that_was_forfeited(match: MatchResult) -> None:
    played = match.games[0]
    assert f"Moves: {played.all_moves}" in words(played)
    assert "Game 1: agent 1 first, agent 2 second" in words(played)
    lost = Game(winner=1, fault="crash", fault_seat=0, reason="raised <b>")
    assert "Yellow forfeits: raised <b>" in words(lost)
    drawn = Game(moves="1122", root=Position(Geometry(2, 2)))
    assert "A draw." in words(drawn)


def test_a_match(match: MatchResult) -> None:
    _, first, second, *more = cells(match)
    assert [row[0] for row in more[-2:]] == [first[0], second[0]]
    assert first[:4] == [
        "uct:iterations=20",
        *map(str, (match.wins[0], match.draws, match.wins[1])),
    ]
    assert second[1] == str(match.wins[1])
    assert first[4] == f"{match.scores[0]:.1%}"
    assert "4 games on 7x6 connect 4, seed 1" in words(match)
    assert "forfeits" not in words(match)

    def broken(position: Position) -> int:
        return 99

    assert "forfeits of broken: 2 x illegal: " in words(play_match(broken, "greedy", games=2))


def test_standings_have_a_ladder_and_a_cross_table(tournament: TournamentResult) -> None:
    rows = cells(tournament)
    order = [agent.label for agent in tournament.standings.ranking]
    ladder = tournament.standings.ladder
    assert isinstance(ladder, Ladder)
    ranks = [each.rank for each in sorted(ladder.ratings, key=lambda each: order.index(each.agent))]
    assert all(low <= number <= high for number, (low, high) in enumerate(ranks, 1))
    named = ["-".join(map(str, sorted({*rank}))) for rank in ranks]
    for found, numbers in ((rows[1:4], named), (rows[5:8], ["1", "2", "3"])):
        pairs = zip(numbers, order, strict=True)
        assert [row[0].split() for row in found] == [[*pair] for pair in pairs]
    assert rows[5][1] == "" and rows[5][2].endswith(" / 4")
    assert tournament.standings._repr_html_() == tournament._repr_html_()
    names = [[row[0].split()[-1], row[1]] for row in cells(ladder)]
    assert names == [[row[0].split()[-1], row[1]] for row in rows[:4]]


def test_a_place_on_the_ladder() -> None:
    placement = place_on_ladder("greedy:win=yes", rounds=1)
    assert f"greedy:win=yes: place {placement.place} of 13, " in words(placement)
    assert f"<b>{placement.place} greedy:win=yes</b></td>" in html_of(placement)


def test_a_sequential_test() -> None:
    result = run_sprt("greedy", "random", elo0=0, elo1=100, seed=1)
    assert "a lead of 100 Elo fits better than one of 0" in words(result)
    assert f"games {2 * result.run.counts.pairs} in" in words(result)


def test_accuracy_and_blunders() -> None:
    measured = measure_accuracy("greedy", count=60)
    keeping = measured.accuracy.decisive.mean("keeps_result")
    assert keeping is not None
    assert cells(measured)[1][5] == f"{keeping:.1%}"
    assert "120 positions answered, 0 faults" in words(measured)
    assert cells(measured.accuracy)[1][0] == "greedy"
    worst = measured.accuracy.blunders(1)[0]
    assert f"greedy plays {worst.move.column + 1}, a " in words(worst)


def test_accuracy_of_several_agents(tmp_path: Path) -> None:
    plan = SetPlan(("random", "greedy"), load_set(None, count=30))
    assert [row[0] for row in cells(measure(plan))[1:3]] == ["greedy", "random"]
    kept = tmp_path / "kept.db"
    small = Geometry(4, 4)
    play_tournament(["random", "greedy"], rounds=1, seed=1, geometry=small, out=kept)
    judged = accuracy_of(kept)
    assert f"2 games on 4x4 connect 4, {judged.moves} moves in" in words(judged)


def test_a_puzzle_keeps_its_solution() -> None:
    puzzle = select_puzzles()[0]
    shown = words(puzzle)
    assert puzzle.task in shown and puzzle.difficulty in shown


def test_text_is_escaped_where_it_enters() -> None:
    assert "<script>" not in line("<script>") and "<b>" in line(Html("<b>x</b>"))
    assert "&lt;i&gt;" in table(["<i>"], [["<i>"]]) and "&lt;i&gt;" in bar("<i>", 2.0)
    assert "100%,transparent 100%" in bar("", 2.0)

    def evil(position: Position) -> int:
        return position.legal_columns[0]

    evil.__qualname__ = evil.__name__ = "<script>alert(1)</script>"
    assert "<script>" not in play_match(evil, "greedy", games=2)._repr_html_()
