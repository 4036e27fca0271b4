"""The page in Chromium: time to the board, time to a disc, games of `perfect`.

Parts of `python -m bench.web`: `page` and `perfect`; needs Chromium and the extra test-all.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterator
from typing import Any

from tests.browser import launched
from tests.web.conftest import PATIENCE, Server
from tests.web.pages import DESKTOP, beaten_by_agent, drop

from bench.timing import percentiles

#: Maximum seconds until the first paint, and from a click to the visible disc.
MAX_PAINT, MAX_DROP = 0.3, 0.05
#: Every visit is a new tab of one browser with an empty cache. Discs are dropped on one page.
VISITS, DROPS = 30, 60
#: A position that takes longer than the measurement, which keeps a worker busy.
HARD = "/api/scores?board=8x7&moves="
#: Runs before the page's code and records when the board is visible, and the times of events. Event
#: timing reports the time from the click to the frame that shows its effect, in steps of 8 ms, for
#: 16 ms or more.
_WATCH = """
window.seen = { board: null, clicks: [] };
new MutationObserver((_, watching) => {
  if (!document.querySelector(".panel-face")) return;
  watching.disconnect();
  requestAnimationFrame(() => setTimeout(() => { seen.board = performance.now(); }));
}).observe(document, { childList: true, subtree: true });
new PerformanceObserver((list) => {
  const clicks = list.getEntries().filter((entry) => entry.name === "click");
  seen.clicks.push(...clicks.map((entry) => entry.duration));
}).observe({ type: "event", durationThreshold: 16 });
"""


@contextlib.contextmanager
def _chromium(server: Server) -> Iterator[Any]:
    """Return a function that opens a new tab without a cache."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - not among the tests' packages

    with sync_playwright() as playwright:
        browser = launched(playwright)
        context = browser.new_context(viewport=DESKTOP, base_url=server.url)
        context.set_default_timeout(PATIENCE * 1000)
        context.add_init_script(_WATCH)

        def opened() -> Any:
            page = context.new_page()
            tools = context.new_cdp_session(page)
            tools.send("Network.setCacheDisabled", {"cacheDisabled": True})
            return page

        yield opened
        browser.close()


def first_sight(server: Server) -> None:
    """The time to the board, and to a disc while all workers search."""
    with _chromium(server) as opened:
        paints, boards = [], []
        opened().goto("/")  # the browser itself is warm
        for _ in range(VISITS):
            page = opened()
            page.goto("/")
            page.wait_for_function(
                "() => seen.board && performance.getEntriesByName('first-contentful-paint').length"
            )
            paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            paints.append(page.evaluate(paint) / 1000)
            boards.append(page.evaluate("seen.board") / 1000)
            page.close()
        print(f"  first paint of the page: {percentiles(paints)}")
        print(f"  the board is visible: {percentiles(boards)}")
        assert sorted(paints)[int(0.95 * VISITS)] <= MAX_PAINT
        with contextlib.ExitStack() as stack:
            for number in range(1, server.status()["workers"] + 1):
                stack.enter_context(server.waiting_for(f"{HARD}{number}"))
            while server.status()["busy"] < server.status()["workers"]:
                time.sleep(0.01)
            page = opened()
            page.goto("/?second=human&analysis=on")
            page.wait_for_function("() => document.querySelectorAll('.side option').length > 20")
            rng = random.Random(1)
            for _ in range(DROPS // 4):
                for column in rng.sample(range(1, 8), 4):
                    drop(page, column)
                    page.wait_for_timeout(60)
                page.keyboard.press("n")  # a new game
            page.wait_for_timeout(300)
            shown = [milliseconds / 1000 for milliseconds in page.evaluate("seen.clicks")]
        shown += [0.016] * (DROPS - len(shown))  # quicker ones are not reported
        print(f"  discs dropped while all workers search: {percentiles(shown)}")
        assert sorted(shown)[int(0.95 * DROPS)] <= MAX_DROP


def perfect_never_loses(server: Server, games: int) -> None:
    """Games of `perfect` at full level, first player, against random clicks."""
    with _chromium(server) as opened:
        page = opened()
        page.goto("/?first=perfect:level=10&second=human")
        outcomes = []
        for number in range(games):
            outcomes.append(beaten_by_agent(page, random.Random(number)))
            page.click("text=Play again")
    won, drawn = (sum(outcome.winner == who for outcome in outcomes) for who in (0, None))
    print(f"  {games} games of perfect as first player: {won} won, {drawn} drawn, 0 lost")
    assert won + drawn == games
