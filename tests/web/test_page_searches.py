"""Watching a search: its views show the steps of the search."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import claimeven
from tests.web.conftest import Server

PACKAGE = Path(claimeven.__file__).parent
NODE = ".search-tree .node"


def texts(page: Any, node: str) -> list[str]:
    """The lines in the box of a node."""
    found: list[str] = page.locator(f"{NODE}[data-moves='{node}'] text").all_text_contents()
    return found


def test_levels_are_named_and_plain_minimax_has_no_windows(page: Any) -> None:
    page.goto("/?view=search&agent=minimax&depth=3&step=40")
    page.wait_for_selector(NODE)
    assert page.locator(".search-tree .level").all_text_contents() == ["MAX", "MIN", "MAX", "MIN"]
    for words in (".step-words", ".search-tree", ".search-view .hint-text >> nth=0"):
        shown = page.locator(words).first.text_content()
        assert "[" not in shown and "window" not in shown and "cut" not in shown
    page.keyboard.press("w")
    page.wait_for_selector(".search-tree.whole")
    assert page.locator(".search-tree .level").all_text_contents() == ["MAX", "MIN", "MAX", "MIN"]
    page.goto("/?view=search&agent=alphabeta&depth=3&step=40")
    page.wait_for_selector(NODE)
    assert "window [" in page.inner_text(".step-words")
    assert page.locator(".search-tree .level").count() == 4
    page.goto("/?view=search&agent=uct&step=40")
    page.wait_for_selector(NODE)
    assert page.locator(".search-tree .level").count() == 0


def test_the_numbers_of_leaves_are_explained(page: Any) -> None:
    page.goto("/?view=search&agent=minimax&depth=3")
    page.wait_for_selector(NODE)
    page.wait_for_selector(
        ".search-view .hint-text:has-text('the least. At the depth limit values are estimates:"
        " each 3 cells in a line with discs of only one side count 100 with two cells empty"
        " and 1000 with one')"
    )


def test_q_and_bonus_are_added_and_the_greatest_sum_is_marked(page: Any, server: Server) -> None:
    page.goto("/?view=search&agent=uct&iterations=30&step=117")  # iteration 30 selects
    page.wait_for_selector(".step-words:has-text('Iteration 30. Select')")
    tree = server.get(
        "/api/search/montecarlo", board="4x4", connect=3, agent="uct", iterations=29
    ).json["tree"]
    sums = {child["move"]: child["selection"] for child in tree["children"]}
    best = max(sums, key=lambda move: sums[move])
    for child in tree["children"]:
        title, *lines = texts(page, child["move"])
        assert ("max" in title) == (child["move"] == best)
        if child["proof"] == "loss":
            assert lines[1] == "proven loss"
            continue
        q, bonus, total = (
            float(number.replace("\u2212", "-"))
            for number in re.fullmatch(
                r"N \d+\s+Q (\S+)\|\+ (\S+) = (\S+)", "|".join(lines)
            ).groups()
        )
        assert abs(q + bonus - total) < 0.011 and abs(total - sums[child["move"]]) < 0.006
    assert page.locator(f"{NODE}.most[data-moves='{best}']").count() == 1


def test_no_phase_is_said_twice(page: Any) -> None:
    page.goto("/?view=search&agent=uct&iterations=5")
    for phase in ("Select", "Expand", "Simulate", "Back up"):
        page.wait_for_selector(f".step-words:has-text('Iteration 1. {phase}: ')")
        assert page.inner_text(".step-words").lower().count(phase.lower()) == 1
        page.click("[aria-label='Step on']")


def test_the_constant_of_uct_is_shown_and_can_be_changed(page: Any) -> None:
    page.goto("/?view=search&agent=uct&iterations=40")
    page.wait_for_selector(".hint-text:has-text('c = 1.4: ')")
    assert page.get_attribute(".search-view form input[step=any]", "placeholder") == "1.4"
    page.fill(".search-view form input[step=any]", "0.2")
    page.click(".search-view form button")
    page.wait_for_selector(".hint-text:has-text('c = 0.2: ')")
    page.wait_for_url("**&c=0.2*")
    page.reload()
    page.wait_for_selector(".hint-text:has-text('c = 0.2: ')")
    page.select_option(".search-view select >> nth=0", "alphabeta")
    assert page.is_hidden(".search-view form input[step=any]")


def test_a_search_plays_by_itself_once_it_is_asked_to(lively_page: Any) -> None:
    page = lively_page
    page.goto("/?view=search&agent=alphabeta&depth=2")
    page.wait_for_selector(".hint-text:has-text('step 1 of ')")
    page.wait_for_timeout(1200)
    assert "step 1 of " in page.inner_text(".search-view .hint-text >> nth=0")
    page.fill(".stepper .speed input", "3")
    page.click("text=Autoplay")
    page.wait_for_selector(".hint-text:text-matches('step ([4-9]|\\\\d{2,}) of ')")  # or later
    page.click("text=Stop")
    stands = page.inner_text(".search-view .hint-text >> nth=0")
    page.wait_for_timeout(600)
    assert page.inner_text(".search-view .hint-text >> nth=0") == stands
    page.click("text=Autoplay")
    page.click("[aria-label='First step']")  # a step by hand ends it
    page.wait_for_selector("text=Autoplay")
    page.click("[aria-label='Last step']")
    page.click("[aria-label='Step back']")
    page.click("text=Autoplay")
    page.wait_for_selector(".step-words:has-text('The root is worth')")
    page.wait_for_selector("text=Autoplay")  # it ends with the search


def test_less_motion_lets_a_step_stand_longer(page: Any) -> None:
    page.goto("/?view=search&agent=alphabeta&depth=2")
    page.wait_for_selector(".hint-text:has-text('step 1 of ')")
    page.fill(".stepper .speed input", "3")
    page.click("text=Autoplay")
    page.wait_for_timeout(1000)
    assert "step 1 of " in page.inner_text(".search-view .hint-text >> nth=0")
    page.wait_for_selector(".hint-text:has-text('step 2 of ')")


def test_each_step_names_a_line_of_the_textbook(page: Any) -> None:
    source = (PACKAGE / "web/static/search_code.js").read_text().partition("export function")[0]
    quoted = set(re.findall(r'"([^"\n]+)"', source))
    files = {path for path in quoted if path.endswith(".py")}
    assert len(files) == 4
    code = "".join((PACKAGE / path).read_text() for path in files)
    assert len(quoted - files) > 12
    assert [line for line in quoted - files if line not in code] == []
    for agent, file, line in (
        ("minimax", "minimax", "child = yield from minimax("),
        ("negamax", "minimax", "child = yield from negamax("),
        ("flat", "montecarlo/flat", "self.next_leaf()"),
        ("uct", "montecarlo/tree", "self.select()"),
    ):
        page.goto(f"/?view=search&agent={agent}")
        page.wait_for_selector(f".code-line:has-text('{file}/textbook.py: ')")
        assert line in page.inner_text(".code-line code")
