"""A real browser, where playwright and a Chromium are installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium: playwright's own, or that of the system."""
    driver = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright to drive a browser"
    )
    with driver.sync_playwright() as playwright:
        own = shutil.which("chromium") or shutil.which("google-chrome")
        try:
            opened = playwright.chromium.launch(
                executable_path=own, args=["--no-sandbox", "--disable-gpu"]
            )
        except driver.Error as error:
            pytest.skip(f"needs a Chromium: {str(error).splitlines()[0]}")
        yield opened
        opened.close()
