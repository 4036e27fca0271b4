"""Faults of a site and of its visitors' browsers: a sentence for each, and the game continues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.web.conftest import PATIENCE
from tests.web.pages import DESKTOP, drop, moves_of, shows, status
from tests.web.static_server import serving

NOT_STORED = "The page works, but not without a network: its files could not be stored."
CANNOT_COMPUTE = "This browser cannot run the solver and the agents"


@contextmanager
def opened(
    browser: Any, site: Path, changed: Mapping[str, bytes | None] | None = None, script: str = ""
) -> Iterator[Any]:
    """A page of a site with changed files, in a browser in which a script has run before."""
    with serving(site, "four", changed) as address:
        context = browser.new_context(viewport=DESKTOP, base_url=address, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE * 1000)
        context.add_init_script(script)
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        yield page
        context.close()
        assert errors == []


def test_without_kernels_two_people_can_play(browser: Any, site: Path) -> None:
    for missing in (
        "globalThis.BigInt",
        "globalThis.WebAssembly",
        "Array.prototype.toSorted",
    ):
        with opened(browser, site, script=f"delete {missing}") as page:
            page.goto("./?second=perfect:level%3D4&moves=12")
            page.wait_for_selector(".banner:visible")
            assert page.inner_text(".banner").startswith(CANNOT_COMPUTE)
            drop(page, 1)
            shows(page, "121")
            if missing != "globalThis.BigInt":
                continue
            for column in (2, 1, 2, 1):
                drop(page, column)
            shows(page, "1212121")
            assert status(page).strip() == "Yellow wins."
            assert page.is_visible(".banner")
            assert page.is_hidden("nav")
            page.goto("./?view=puzzles&moves=44")
            shows(page, "44")
            page.click("#analysis")
            page.wait_for_selector(f".status:has-text('{CANNOT_COMPUTE}')")
            drop(page, 5)
            shows(page, "445")


def test_a_truncated_module_is_reported_and_the_game_continues(browser: Any, site: Path) -> None:
    name = "static/local/solver.wasm"
    changed = {name: (site / name).read_bytes()[:-100]}
    with opened(browser, site, changed) as page:
        page.goto("./?second=human&moves=44&analysis=on")
        page.wait_for_selector(".status:has-text('The file solver.wasm is incomplete or changed')")
        # Its digest is wrong: it is not stored, which is shown until the next move.
        page.wait_for_selector(f".banner:has-text('{NOT_STORED}')")
        drop(page, 5)
        shows(page, "445")
        page.keyboard.press("a")
        drop(page, 3)
        shows(page, "4453")


def test_a_full_storage_is_reported_and_the_page_works(browser: Any, site: Path) -> None:
    with opened(browser, site) as page:
        page.goto("./static/icon.svg")  # of the same origin
        session = page.context.new_cdp_session(page)
        session.send(
            "Storage.overrideQuotaForOrigin",
            {"origin": page.evaluate("location.origin"), "quotaSize": 1000},
        )
        page.goto("./?second=human&analysis=on&moves=4455")
        page.wait_for_selector(".scores .best")
        page.wait_for_selector(f".banner:has-text('{NOT_STORED}')")
        drop(page, 3)
        shows(page, "44553")
        assert page.evaluate("caches.keys()") == []


def test_a_dead_worker_is_reported_and_started_again(browser: Any, site: Path) -> None:
    with opened(browser, site) as page:
        page.goto("./?second=human&board=8x7&moves=1&analysis=on")
        page.wait_for_selector(".scores:has-text('…')")
        (worker,) = page.workers
        worker.evaluate("() => { setTimeout(() => { throw new Error('dead'); }); }")
        page.wait_for_selector(".status:has-text('The part of the page that computes has stopped')")
        assert moves_of(page) == "1"
        page.evaluate("history.replaceState(null, '', '?second=human&moves=4455&analysis=on')")
        page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
        page.wait_for_selector(".scores .best")


def test_an_update_replaces_the_stored_files(browser: Any, site: Path) -> None:
    changed: dict[str, bytes | None] = {}
    with opened(browser, site, changed) as page:
        page.goto("./")
        page.evaluate("() => navigator.serviceWorker.ready")
        (old,) = page.evaluate("caches.keys()")
        worker = (site / "service-worker.js").read_text()
        version = worker.partition('VERSION = "')[2].partition('"')[0]
        changed["service-worker.js"] = worker.replace(version, "new").encode()
        page.evaluate("() => navigator.serviceWorker.ready.then(found => found.update())")
        page.goto("about:blank")  # no page of the old version is open
        page.goto("./?moves=44")
        shows(page, "44")
        page.wait_for_function(
            "async old => { const names = await caches.keys();"
            " return names.length === 1 && names[0] !== old; }",
            arg=old,
        )
        page.context.set_offline(True)
        page.goto("./index.html?moves=45")
        shows(page, "45")
