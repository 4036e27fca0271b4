"""Puzzles through the API, and solved and failed on the page as a person would."""

from __future__ import annotations

import json
from typing import Any

import pytest

from claimeven import daily_puzzle, select_puzzles
from claimeven.web.routes import MAX_EXCLUDED
from tests.web.conftest import Server
from tests.web.pages import board_of, drop, rows

#: A puzzle with two columns to find: 6, answered by 4, and 6. Columns 4 and 5 are wrong.
NUMBER = 2333


@pytest.fixture(scope="module")
def solution() -> list[int]:
    puzzle = select_puzzles()[NUMBER - 1]
    assert puzzle.columns_to_find == 2
    return [column + 1 for column in puzzle.solution]


def test_a_puzzle_is_drawn(server: Server) -> None:
    query = {"difficulty": "hard", "kind": "hold", "seed": 5}
    output = server.get("/api/puzzles", **query).json
    assert output["count"] == len(select_puzzles("hard", "hold"))
    assert (output["puzzle"]["difficulty"], output["puzzle"]["kind"]) == ("hard", "hold")
    assert server.get("/api/puzzles", **query).json == output
    others = [puzzle.number for puzzle in select_puzzles("hard", "hold")]
    assert len(others) <= MAX_EXCLUDED
    last = others.pop()
    path, after = "/api/puzzles", " , ".join(map(str, others))
    for asked in ({}, {"rating": 0}):
        left = server.get(path, difficulty="hard", kind="hold", exclude=after, seed=1, **asked).json
        assert (left["puzzle"]["number"], left["count"]) == (last, len(others) + 1)
    # If all were solved they come again.
    again = server.get(path, difficulty="hard", kind="hold", exclude=f"{after},{last}", seed=1).json
    assert again["puzzle"]["number"] in {*others, last}
    near = server.get("/api/puzzles", rating=1500, seed=2).json["puzzle"]
    assert abs(near["rating"] - 1500) < 100
    assert server.get("/api/puzzles", number=7).json["puzzle"] == select_puzzles()[6].as_dict()


@pytest.mark.parametrize(
    ("rating", "asked", "among"),
    [
        (0, {}, 150),
        (1500, {}, 150),
        (9999, {}, 150),
        (1500, {"difficulty": "beginner", "kind": "hold"}, 16),
        (1500, {"motif": "forcing", "length": 3}, 10),
    ],
)
def test_a_puzzle_about_as_hard_as_asked_is_drawn_of_many(
    server: Server, rating: int, asked: dict[str, Any], among: int
) -> None:
    away = sorted(abs(puzzle.rating - rating) for puzzle in select_puzzles(**asked))
    drawn = [
        server.get("/api/puzzles", rating=rating, seed=seed, **asked).json["puzzle"]
        for seed in range(12)
    ]
    assert all(abs(puzzle["rating"] - rating) <= away[among - 1] for puzzle in drawn)
    assert len({puzzle["number"] for puzzle in drawn}) > 4


def test_the_puzzle_of_a_day(server: Server) -> None:
    output = server.get("/api/puzzles/daily", date="2026-01-05").json
    assert output["puzzle"] == daily_puzzle("2026-01-05").as_dict()


def test_columns_are_judged_and_hinted_at(server: Server, solution: list[int]) -> None:
    first, answer, last = solution
    output = server.get("/api/puzzles/attempt", number=NUMBER, column=first).json
    assert (output["correct"], output["solved"], output["reply"]) == (True, False, answer)
    output = server.get("/api/puzzles/attempt", number=NUMBER, column=last, columns_found=1).json
    assert (output["correct"], output["solved"], output["reply"]) == (True, True, None)
    wrong = server.get("/api/puzzles/attempt", number=NUMBER, column=4).json
    assert not wrong["correct"] and wrong["reply"] and wrong["claims"]
    hints = server.get("/api/puzzles/hints", number=NUMBER).json["hints"]
    assert [hint["step"] for hint in hints] == ["idea", "cells", "column"]
    assert hints[2]["columns"] == [first]
    later = server.get("/api/puzzles/hints", number=NUMBER, columns_found=1).json["hints"]
    assert later[2]["columns"] == [last] and later[2]["text"] != hints[2]["text"]


def output(page: Any) -> str:
    text: str = page.inner_text(".puzzle-message")
    return text


def rating(page: Any) -> int:
    return int(page.inner_text(".puzzle-progress dd >> nth=0"))


def begin(page: Any) -> str:
    page.goto("/")
    page.evaluate("localStorage.clear()")
    page.goto(f"/?view=puzzles&puzzle={NUMBER}")
    page.wait_for_selector(f".puzzle-about:has-text('Puzzle {NUMBER}:')")
    moves = select_puzzles()[NUMBER - 1].moves
    assert board_of(page) == rows(moves)
    return moves


def test_a_puzzle_is_solved(lively_page: Any, solution: list[int]) -> None:
    page = lively_page
    moves = begin(page)
    first, answer, last = solution
    drop(page, first)
    page.wait_for_selector(
        f".puzzle-message:has-text('Yellow replies in column {answer}. Find the next column.')"
    )
    assert board_of(page) == rows(f"{moves}{first}{answer}")
    page.keyboard.press(str(last))
    page.wait_for_selector(f".puzzle-message:has-text('Column {last} wins in ')")
    assert output(page).startswith("Solved at first try. Your rating rises by ")
    assert "Solved at first try" in page.inner_text("#announcements")
    assert rating(page) > 1000
    assert page.inner_text(".puzzle-progress dd >> nth=1") == "1"
    page.keyboard.press("Enter")  # the focus is on the next one
    page.wait_for_function(f"() => !location.search.endsWith('puzzle={NUMBER}')")
    page.reload()
    page.wait_for_selector(".puzzle-progress dd")
    after = rating(page)
    assert after > 1000  # kept
    # The same puzzle again does not count: one puzzle does not lead to the top.
    page.goto(f"/?view=puzzles&puzzle={NUMBER}")
    page.wait_for_selector(".puzzle-about:has-text('does not count again')")
    drop(page, first)
    page.wait_for_selector(".puzzle-message:has-text('Find the next column.')")
    drop(page, last)
    page.wait_for_selector(".puzzles-view[data-state=over]")
    assert output(page).startswith("Solved at first try.") and "rating" not in output(page)
    assert rating(page) == after
    assert page.inner_text(".puzzle-progress dd >> nth=1") == "1"


def test_a_puzzle_is_failed_hinted_and_tried_again(page: Any, solution: list[int]) -> None:
    moves = begin(page)
    drop(page, 4)
    page.wait_for_selector(".puzzle-message:has-text('turns the win into a loss')")
    assert output(page).startswith("Column 4 is wrong. Your rating falls by ")
    assert rating(page) < 1000
    page.hover(".puzzle-message .has-cells")
    assert page.locator(".lit .lit").count() >= 1
    page.click("text=Try again")
    assert board_of(page) == rows(moves)
    before = rating(page)
    for count in (1, 2, 3):
        page.keyboard.press("h")
        page.wait_for_selector(f".puzzle-hints li >> nth={count - 1}")
    assert f"Column {solution[0]} wins in " in page.inner_text(".puzzle-hints")
    assert page.is_disabled("button:text-is('Hint')")
    drop(page, solution[0])
    page.wait_for_selector(".puzzle-message:has-text('Find the next column.')")
    drop(page, solution[2])
    page.wait_for_selector(".puzzles-view[data-state=over]")
    assert output(page).startswith("Solved.")
    assert rating(page) == before  # counted once


def test_a_late_answer_belongs_to_its_question(page: Any, solution: list[int]) -> None:
    """The user tries again, or continues, before the server has answered."""
    moves = begin(page)
    held: list[Any] = []
    page.route("**/api/puzzles/attempt?*", lambda route: held.insert(len(held), route))
    drop(page, 4)
    page.wait_for_selector(".puzzle-message:has-text('Column 4 is wrong')")
    page.click("text=Try again")
    drop(page, 5)
    page.wait_for_selector(".puzzle-message:has-text('Column 5 is wrong')")
    while len(held) < 2:
        page.wait_for_timeout(20)
    held[0].continue_()
    page.wait_for_timeout(300)
    assert output(page).startswith("Column 5 is wrong") and board_of(page) == rows(f"{moves}5")
    held[1].continue_()
    page.wait_for_selector(".puzzle-message:has-text('Yellow replies in column')")
    assert output(page).startswith("Column 5 is wrong")
    page.unroute("**/api/puzzles/attempt?*")
    page.click("text=Try again")
    asked: list[Any] = []
    page.route("**/api/puzzles/hints?*", lambda route: asked.insert(len(asked), route))
    page.keyboard.press("h")
    while not asked:
        page.wait_for_timeout(20)
    drop(page, solution[0])
    page.wait_for_selector(".puzzle-message:has-text('Find the next column.')")
    asked[0].continue_()
    page.wait_for_timeout(300)
    page.unroute("**/api/puzzles/hints?*")
    for count in (1, 2, 3):
        page.keyboard.press("h")
        page.wait_for_selector(f".puzzle-hints li >> nth={count - 1}")
    assert f"Column {solution[2]} wins in " in page.inner_text(".puzzle-hints")


def test_the_puzzle_asked_for_last_is_shown(page: Any) -> None:
    begin(page)
    held: list[Any] = []
    page.route("**/api/puzzles?*", lambda route: held.insert(len(held), route))
    for difficulty in ("easy", "hard"):
        page.get_by_label("How hard").select_option(difficulty)
    while len(held) < 2:
        page.wait_for_timeout(20)
    held[1].continue_()
    page.wait_for_selector(".puzzle-about:has-text(': hard,')")
    held[0].continue_()
    page.wait_for_timeout(300)
    page.unroute("**/api/puzzles?*")
    assert ": hard," in page.inner_text(".puzzle-about")


def test_two_tabs_count_together(page: Any, context: Any) -> None:
    begin(page)
    other = context.new_page()
    other.goto("/?view=puzzles&puzzle=2")
    other.wait_for_selector(".puzzle-about:has-text('Puzzle 2:')")
    for each in (page, other):
        each.click("text=Show the solution")
        each.wait_for_selector(".puzzles-view[data-state=over]")
    kept = page.evaluate("JSON.parse(localStorage.getItem('claimeven.practise'))")
    assert (kept["tried"], sorted(kept["met"])) == (2, sorted([NUMBER, 2]))
    page.wait_for_function(
        "text => document.querySelector('.puzzle-progress').textContent.includes(text)",
        arg="0 of 2",
    )
    # The same puzzle in both is counted once.
    for each in (page, other):
        each.goto("/?view=puzzles&puzzle=3")
        each.wait_for_selector(".puzzle-about:has-text('Puzzle 3:')")
    for each in (page, other):
        each.click("text=Show the solution")
        each.wait_for_selector(".puzzles-view[data-state=over]")
    assert page.evaluate("JSON.parse(localStorage.getItem('claimeven.practise')).tried") == 3
    other.close()


def test_without_storage_a_tab_remembers(page: Any) -> None:
    begin(page)
    page.evaluate("void (Storage.prototype.setItem = () => { throw new Error('full'); })")
    for count in (1, 2):
        page.click("text=Show the solution")
        page.wait_for_selector(".puzzles-view[data-state=over]")
        assert f"0 of {count}" in page.inner_text(".puzzle-progress")
        page.click("text=Next puzzle")
        page.wait_for_selector(".puzzles-view:not([data-state=over])")


def test_the_solution_is_shown_and_the_puzzle_of_the_day_taken(
    page: Any,
    solution: list[int],
) -> None:
    moves = begin(page)
    page.click("text=Show the solution")
    page.wait_for_selector(
        f".puzzle-message:has-text('The solution is {' '.join(map(str, solution))}')"
    )
    assert board_of(page) == rows(moves + "".join(map(str, solution)))
    assert "Your rating falls by " in output(page)
    page.click("text=Puzzle of the day")
    page.wait_for_selector(".puzzle-about:has-text('Puzzle of 2')")
    day = page.evaluate("new Date().toLocaleDateString('sv')")  # of the browser, as 2026-01-31
    assert page.url.endswith(f"daily={day}")
    page.reload()
    page.wait_for_selector(f".puzzle-about:has-text('Puzzle of {day}:')")
    page.goto("/?view=puzzles&daily=2026-01-05")
    page.wait_for_selector(".puzzle-about:has-text('Puzzle of 2026-01-05:')")
    assert board_of(page) == rows(daily_puzzle("2026-01-05").moves)
    page.keyboard.press("h")
    page.wait_for_selector(".puzzle-message:has-text('With a hint it does not count as solved')")
    page.select_option("[aria-label='How hard']", "expert")
    page.wait_for_selector(".puzzle-about:has-text('expert')")


@pytest.mark.parametrize(
    ("zone", "day"), [("Pacific/Kiritimati", "2026-01-05"), ("America/Los_Angeles", "2026-01-04")]
)
def test_the_day_is_the_browsers(browser: Any, server: Server, zone: str, day: str) -> None:
    context = browser.new_context(base_url=server.url, timezone_id=zone)
    page = context.new_page()
    page.clock.set_fixed_time("2026-01-04T12:00:00Z")
    page.goto("/?view=puzzles&daily")
    page.wait_for_selector(f".puzzle-about:has-text('Puzzle of {day}:')")
    assert board_of(page) == rows(daily_puzzle(day).moves)
    page.clock.set_fixed_time("2026-01-05T12:00:00Z")  # a page left open over midnight
    page.click("text=Puzzle of the day")
    page.wait_for_function("day => !location.search.endsWith(day)", arg=day)
    context.close()


@pytest.mark.parametrize(
    "kept", ["[1", "null", '{"rating": "x", "met": 5, "daily": null}', '{"rating": 1500}']
)
def test_corrupt_storage_is_ignored(page: Any, kept: str) -> None:
    page.goto("/api")
    page.evaluate("kept => localStorage.setItem('claimeven.practise', kept)", kept)
    page.goto("/?view=puzzles")
    page.wait_for_selector(".puzzle-about:has-text('rating')")
    assert rating(page) == (1500 if "1500" in kept else 1000)


#: A lost game of Yellow with one mistake: column 7 in move 4 lets Red win by a double threat.
LOST, PLAYED = "54346576414573", "543465"


def kept_mistakes(page: Any) -> Any:
    return page.evaluate("JSON.parse(localStorage.getItem('claimeven.mistakes'))")


def solve_mistake(page: Any, column: int) -> None:
    page.wait_for_selector(".puzzles-view[data-state=asked]")
    assert board_of(page) == rows(PLAYED)
    drop(page, column)
    page.wait_for_selector(".puzzles-view[data-state=over]")


def test_a_mistake_of_a_game_becomes_a_puzzle_and_comes_again(browser: Any, server: Server) -> None:
    context = browser.new_context(base_url=server.url)
    page = context.new_page()
    page.clock.set_fixed_time("2026-01-05T12:00:00Z")
    page.goto(f"/?second=greedy&moves={LOST}")
    page.click("text=See your mistakes")
    page.wait_for_selector(".which:text-is('Mistake 1 of 1. You play column 7: a blunder ??')")
    page.click("text=Show a better column")
    page.wait_for_selector(".why p:text-is('Column 3 loses in 15 moves.')")
    page.wait_for_selector(".why p:has-text('in the end Yellow must play below it')")
    page.click("text=Practice as puzzles")
    page.wait_for_selector(".status:has-text('find a column that does not lose in 2 moves')")
    page.keyboard.press("h")
    page.wait_for_selector(".puzzle-hints li:has-text('Red answers in column 6 and threatens')")
    drop(page, 7)
    page.wait_for_selector(".puzzle-message:has-text('Red replies in column 6.')")
    assert "only one can be blocked" in output(page)
    page.click("text=Try again")
    drop(page, 1)  # not the best column, but it does not lose soon
    page.wait_for_selector(".puzzle-message:has-text('Column 1 loses in 7 moves instead of 15.')")
    assert (rating(page), kept_mistakes(page)[0]["times"]) == (968, 0)
    page.click("text=Next puzzle")
    solve_mistake(page, 3)
    assert (rating(page), kept_mistakes(page)[0]["times"]) == (968, 1)  # counted once
    assert "comes again on 1/6/2026" in page.inner_text(".panels")
    for day, times in (("06", 2), ("09", 3), ("16", None)):
        page.clock.set_fixed_time(f"2026-01-{day}T12:00:01Z")
        page.goto("/?view=puzzles&mistakes=yes")
        solve_mistake(page, 5)
        assert [each["times"] for each in kept_mistakes(page)] == ([times] if times else [])
    page.goto("/?view=puzzles")
    page.wait_for_selector(".panels:has-text('Play a game, then')")
    # The rating is drawn once two puzzles have counted.
    assert page.locator(".rating-curve svg").count() == 0
    page.click("text=Show the solution")
    page.wait_for_selector(".rating-curve polyline")
    caption = page.inner_text(".rating-curve figcaption")
    assert caption.startswith(
        "Your rating over the last 2 puzzles, from 2026-01-05 to 2026-01-16: 968"
    )
    context.close()


def test_mistakes_that_are_kept_may_be_corrupt(page: Any) -> None:
    whole = {
        "size": "7x6", "connect": 4, "rows": f"{'/'.join(['.......'] * 5)}/..XOX.O", "played": 3,
        "right": [2], "task": "win", "length": 3, "times": 0, "due": 0,
    }  # fmt: skip
    wrong = (
        {"rows": "x"},
        {"right": []},
        {"right": [9]},
        {"task": "y"},
        {"times": -1},
        {"due": "z"},
    )
    kept = [None, 5, *({**whole, **each} for each in wrong)]
    page.goto("/api")
    for text in ("[1", "null", '{"a": 1}', json.dumps(kept), json.dumps([*kept, whole] * 99)):
        page.evaluate("text => localStorage.setItem('claimeven.mistakes', text)", text)
        page.goto("/?view=puzzles&mistakes=yes")
        page.wait_for_selector(".puzzle-about:has-text('rating')")
        shown = "A position of your game, rating 1200." in page.inner_text(".puzzle-about")
        assert shown == (text == json.dumps([*kept, whole] * 99))
    page.evaluate("localStorage.clear()")


def test_motifs_and_lengths_select(context: Any) -> None:
    page = context.new_page()  # not watched: a browser reports each refusal in its console
    page.goto("/?view=puzzles")
    page.get_by_label("Which motif").select_option("block")
    page.wait_for_selector(".puzzle-about:has-text('beginner, rating 700')")
    page.get_by_label("How long").select_option("4")
    page.wait_for_selector(".puzzle-message:has-text('the set has no such puzzle')")
    page.get_by_label("Which motif").select_option("forcing")
    page.wait_for_selector(".puzzle-about:has-text('easy, rating 13')")
    page.wait_for_url("**motif=forcing&length=4")
    page.reload()  # the choices stay
    page.wait_for_selector(".puzzle-about:has-text('easy, rating 13')")
    assert page.get_by_label("Which motif").input_value() == "forcing"
