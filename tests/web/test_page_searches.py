"""Watching a search: its views show the steps of the search."""

from __future__ import annotations

import re
from typing import Any

from tests.web.conftest import Server

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
    page.goto("/?view=search&agent=uct:iterations=40")
    page.wait_for_selector(".hint-text:has-text('c = 1.4: ')")
    assert page.input_value(".search-view form input:visible >> nth=0") == "40"
    assert page.inner_text(".search-view .hint-text >> nth=0").startswith("iteration 1 of 40 ")
    assert page.inner_text(".search-view .options-text") == ""
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


def test_with_less_motion_a_step_stays_longer(page: Any) -> None:
    page.goto("/?view=search&agent=alphabeta&depth=2")
    page.wait_for_selector(".hint-text:has-text('step 1 of ')")
    page.fill(".stepper .speed input", "3")
    page.click("text=Autoplay")
    page.wait_for_timeout(1000)
    assert "step 1 of " in page.inner_text(".search-view .hint-text >> nth=0")
    page.wait_for_selector(".hint-text:has-text('step 2 of ')")


def test_the_code_is_next_to_the_tree_with_the_current_line_marked(page: Any) -> None:
    for agent, file, line in (
        ("minimax", "minimax", "def minimax("),
        ("negamax", "minimax", "def negamax("),
        ("flat", "montecarlo/flat", "return self.simulate_and_back_up("),
        ("uct", "montecarlo/tree", "path, expanded = self.select()"),
    ):
        page.goto(f"/?view=search&agent={agent}")
        page.wait_for_selector(f".code:has-text('{file}/textbook.py')")
        assert page.inner_text(".code-row.current >> nth=0").startswith(line)
        assert page.locator(".code-row").count() >= 10
    page.goto("/?view=search&agent=alphabeta&depth=3")
    for line in ("def alphabeta(", "child = alphabeta(", "child = alphabeta("):
        page.wait_for_selector(f".code-row.current:has-text('{line}')")
        page.click("[aria-label='Step on']")
    page.keyboard.press("c")
    page.wait_for_selector(".code-row.current:has-text('if alpha >= beta')")
    shown = page.locator(".code-rows").bounding_box()
    marked = page.locator(".code-row.current").bounding_box()
    assert shown["y"] <= marked["y"] < shown["y"] + shown["height"] - 10
    page.uncheck(".stepper label:has-text('Code') input")
    assert page.is_hidden(".code")


def test_levels_have_the_colors_of_the_players(page: Any) -> None:
    def colors() -> list[str]:
        found: list[str] = page.eval_on_selector_all(
            ".search-tree .body", "all => all.map((each) => getComputedStyle(each).fill)"
        )
        return found

    yellow, red = "rgb(255, 212, 71)", "rgb(191, 47, 74)"
    page.goto("/?view=search&agent=alphabeta&depth=2&step=9")
    page.wait_for_selector(NODE)
    assert colors() == [yellow, red, yellow]
    # Red is to move at the root of this one; a user may have swapped the colors.
    page.goto("/?view=search&agent=alphabeta&depth=2&on=game&moves=4&step=12")
    page.wait_for_selector(NODE)
    assert colors() == [red, yellow, red]
    page.evaluate("document.documentElement.classList.add('flipped')")
    assert colors() == [yellow, red, yellow]


def test_keys_and_buttons_lead_to_the_next_cutoff_leaf_and_iteration(page: Any) -> None:
    page.goto("/?view=search&agent=alphabeta&on=leaves&leaves=3+12+8+|+2+4+6+|+14+5+2")
    page.wait_for_selector(".step-words:has-text('Visit the root')")
    page.click("text=Next cutoff")
    page.wait_for_selector(".step-words:has-text('Cut at move 2: 2 moves skipped')")
    page.keyboard.press("l")
    page.wait_for_selector(".step-words:has-text('Move 3, then 1 is worth 14: evaluated.')")
    page.keyboard.press("c")
    page.wait_for_selector(".step-words:has-text('This search has no further cutoff.')")
    page.goto("/?view=search&agent=uct&iterations=3")
    page.wait_for_selector(".step-words:has-text('Iteration 1. Select')")
    for words in ("Iteration 2. Select", "Iteration 3. Select", "no further iteration"):
        page.click("text=Next iteration")
        page.wait_for_selector(f".step-words:has-text('{words}')")


def test_a_tree_is_given_by_its_leaves(page: Any) -> None:
    page.goto("/?view=search")
    page.wait_for_selector(NODE)
    page.select_option(".search-view select >> nth=1", "leaves")
    page.fill("input.leaves", "3 12 8 | 2 x 6 | 14 5 2")
    page.click(".search-view form button")
    page.wait_for_selector(".step-words:has-text('A leaf must be a number of up to six digits')")
    assert page.locator(NODE).count() == 0
    page.fill("input.leaves", "3 12 8 | 2 4 6 | 14 5 2")
    page.click(".search-view form button")
    page.wait_for_selector(NODE)
    assert page.locator(NODE).count() == 13  # also unvisited ones, with their values
    assert texts(page, "32") == ["move 2", "5"]
    assert page.is_hidden(".search-view .looked-at")
    page.click("text=Next cutoff")
    page.wait_for_url("**&leaves=3+12+8+%7C+2+4+6+%7C+14+5+2&on=leaves&step=13")
    page.reload()
    page.wait_for_selector(".step-words:has-text('Cut at move 2')")
    assert texts(page, "") == ["root", "[3, \u221e]", "\u2265 3"]
    assert texts(page, "2") == ["move 2", "[3, 2]", "\u2264 2 \u2702"]
    assert texts(page, "23") == ["move 3", "cut away", "6 \u2702"]
    page.keyboard.press("End")
    page.wait_for_selector(".step-words:has-text('The root is worth 3: best of the moves tried.')")
    page.select_option(".search-view select >> nth=0", "uct")  # needs a board
    page.click(".search-view form button")
    page.wait_for_selector(".step-words:has-text('Iteration 1. Select')")
    page.wait_for_url("**agent=uct&iterations=100&on=4x4,3&step=1")


def test_a_first_search_has_small_numbers_and_its_evaluation_can_be_chosen(page: Any) -> None:
    page.goto("/?view=search&tree=whole")
    page.wait_for_selector(NODE)
    page.keyboard.press("End")
    page.wait_for_selector(".step-words:has-text('The root is worth \u22122')")
    values = [int(word) for word in re.findall(r"-?\d+", " ".join(
        text.partition(": ")[2].replace("\u2212", "-")
        for text in page.locator(f"{NODE} text").all_text_contents()
    ))]  # fmt: skip
    assert len(values) > 10 and max(map(abs, values)) <= 6
    page.select_option(".search-view select >> nth=2", "triples")
    page.click(".search-view form button")
    page.wait_for_selector(".step-words:has-text('Visit the root')")
    page.wait_for_url("**agent=alphabeta:eval=triples&depth=2&on=4x4,3&step=1&tree=whole")
    page.reload()
    page.wait_for_selector(".hint-text:has-text('runs of three')")
    assert page.input_value(".search-view select >> nth=2") == "triples"


def test_all_text_grows_for_a_projector(page: Any) -> None:
    def sizes() -> dict[str, float]:
        """The heights of texts on the screen, in pixels."""
        found: dict[str, float] = page.evaluate(
            """() => Object.fromEntries([".step-words", ".search-view .hint-text", ".code-row",
                ".stepper button", ".node text", ".level"].map((name) => {
                const element = document.querySelector(name);
                const scale = element.getScreenCTM?.().a ?? 1;
                return [name, parseFloat(getComputedStyle(element).fontSize) * scale];
            }))"""
        )
        return found

    size = page.viewport_size
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto("/?view=search&agent=alphabeta&on=leaves&leaves=3+12+8+|+2+4+6+|+14+5+2&step=13")
    page.wait_for_selector(NODE)
    small = sizes()
    page.select_option(".stepper select", "150")
    page.wait_for_url("**&text=150")
    grown = sizes()
    assert all(grown[name] > 1.2 * small[name] for name in small)
    page.click("[aria-label='Fill the screen']")
    page.wait_for_function("() => document.fullscreenElement")
    assert all(pixels >= 720 / 32 for pixels in sizes().values())
    page.evaluate("document.exitFullscreen()")
    page.set_viewport_size({"width": 768, "height": 900})  # a tablet
    page.click("[aria-label='Fill the screen']")
    page.wait_for_function("() => document.fullscreenElement")
    assert page.evaluate("document.querySelector('.tree').offsetWidth") > 700
    page.evaluate("document.exitFullscreen()")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.reload()
    page.wait_for_selector(NODE)
    assert sizes() == grown
    page.set_viewport_size(size)
