"""A real browser for the tests of pages, driven by Playwright: headless Chromium."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

#: Places of the system's Chromium, tried before Playwright's own. The first is the same
#: without windows, as Playwright's own is, and takes two thirds of the time.
_COMMANDS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
#: It makes no requests by itself, runs as any user, and shows all pages in one process.
_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--renderer-process-limit=1",
]  # fmt: skip


@pytest.fixture(scope="session")
def chromium() -> Iterator[tuple[Any, asyncio.AbstractEventLoop]]:
    """A headless Chromium for all tests of a process, and the event loop that drives it."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        try:
            browser = launched(playwright)
        except api.Error:
            if _installed() is not None:
                raise
            pytest.skip("there is no Chromium: install one, or run `playwright install chromium`")
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield browser, loop
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture(scope="module")
def browser(chromium: tuple[Any, asyncio.AbstractEventLoop]) -> Iterator[Any]:
    """A headless Chromium; tests open their own contexts in it.

    Its event loop counts as running in this thread, where no other can run, only in modules that
    use it.
    """
    browser, loop = chromium
    asyncio._set_running_loop(loop)
    yield browser
    for context in browser.contexts:
        context.close()
    asyncio._set_running_loop(None)


@contextmanager
def watched(tab: Any, address: str) -> Iterator[Any]:
    """A tab without failures and warnings, and with requests to one address only.

    It is blank afterwards: tests may continue in the same tab, which is much faster than another
    one.
    """
    problems: list[str] = []

    def listen(message: Any) -> None:
        problems.append(message.text)

    def catch(error: Any) -> None:
        problems.append(str(error))

    def see(asked: Any) -> None:
        if not asked.url.startswith((address, "data:", "blob:")):
            problems.append(f"asked {asked.url}")

    heard = {"console": listen, "pageerror": catch, "request": see}
    for event, hear in heard.items():
        tab.on(event, hear)
    yield tab
    tab.goto("about:blank")
    for event, hear in heard.items():
        tab.remove_listener(event, hear)
    assert problems == []


def launched(playwright: Any) -> Any:
    """Start a headless Chromium: the system's, or else Playwright's own."""
    return playwright.chromium.launch(executable_path=_installed(), args=_ARGUMENTS)


def _installed() -> str | None:
    return next(filter(None, map(shutil.which, _COMMANDS)), None)
