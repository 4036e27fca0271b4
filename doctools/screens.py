"""Pictures of the page's main screens: `python -m doctools.screens`, which needs Chromium.

They show the page of this checkout. They are not compared: fonts differ between machines.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.sync_api import sync_playwright
from tests.browser import launched

FOLDER: Final = Path(__file__).resolve().parent.parent / "docs" / "pictures"
#: Maximum bytes of a picture, which keeps the repository small.
MAX_BYTES: Final = 120_000
COLORS: Final = 192
DESKTOP, TALL, PHONE = (1200, 780), (1200, 930), (390, 780)
#: A game with a mistake of each side.
GAME: Final = "44444326555532"


@dataclass(frozen=True)
class Screen:
    """A picture: the page at an address, after `prepare`, in a window of `size` pixels."""

    address: str
    prepare: Callable[[Any], None]
    size: tuple[int, int] = DESKTOP
    scheme: str = "light"


def _analysis(page: Any) -> None:
    page.click("text=Review the game")
    page.wait_for_selector(".judgement:has-text('Accuracy')")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.scores button:enabled')]"
        ".every(button => /\\d/.test(button.textContent))"
    )
    page.locator(".claim.has-cells:visible").first.hover()


def _search(page: Any) -> None:
    page.wait_for_selector(".node")
    page.locator(".stepper [aria-label=Step]").fill("32")  # a cut, and the columns that it skips
    page.evaluate("document.activeElement.blur()")


def _growth(page: Any) -> None:
    page.wait_for_selector(".node")
    page.select_option(".search-view select >> nth=0", "uct")
    page.click(".search-view form button")
    page.wait_for_selector(".step-words:has-text('Iteration 1. Select')")
    page.keyboard.press("End")
    page.wait_for_selector(".step-words:has-text('Iteration 100. Back up')")
    page.evaluate("document.activeElement.blur()")


def _puzzle(page: Any) -> None:
    page.wait_for_selector(".disc")
    page.click("text=Hint")
    page.wait_for_selector(".puzzle-hints li")
    page.click("text=Hint")
    page.wait_for_selector(".puzzle-hints li >> nth=1")


def _phone(page: Any) -> None:
    page.wait_for_selector(".claim.has-cells:visible")
    page.locator(".claim.has-cells:visible").first.tap()


SCREENS: Final = {
    "analysis": Screen(f"/?moves={GAME}&at=11&second=human&analysis=on", _analysis, TALL),
    "alphabeta": Screen("/?view=search", _search, scheme="dark"),
    "uct": Screen("/?view=search", _growth, TALL),
    "puzzle": Screen("/?view=puzzles&puzzle=3", _puzzle, PHONE, "dark"),
    "phone": Screen("/?moves=4455&second=human&analysis=on", _phone, PHONE),
}
#: Screens next to each other in one picture.
ON_PHONES: Final = ("puzzle", "phone")


@contextlib.contextmanager
def served() -> Iterator[str]:
    """The address of a server of this checkout."""
    command = [sys.executable, "-m", "claimeven", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield next(line.split()[3] for line in server.stdout if " is at " in line)
        finally:
            server.terminate()


def beside(pictures: list[Image.Image]) -> Image.Image:
    """Put pictures of one height next to each other."""
    gap = 30
    width = sum(picture.width for picture in pictures) + gap * (len(pictures) - 1)
    whole = Image.new("RGB", (width, pictures[0].height), "white")
    left = 0
    for picture in pictures:
        whole.paste(picture, (left, 0))
        left += picture.width + gap
    return whole


def save(name: str, picture: Image.Image) -> None:
    """Write a picture with few colors, which is enough for flat pictures."""
    path = FOLDER / f"screen-{name}.png"
    picture.quantize(COLORS, kmeans=2).save(path, optimize=True)  # which keeps rare colors too
    size = path.stat().st_size
    print(f"{path.name}: {size:,} bytes")
    if size > MAX_BYTES:
        raise SystemExit(f"{path.name} must have at most {MAX_BYTES:,} bytes, got {size:,}")


def main() -> None:
    """Take every picture."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with served() as address, sync_playwright() as playwright:
        browser = launched(playwright)
        taken: dict[str, Image.Image] = {}
        for name, screen in SCREENS.items():
            width, height = screen.size
            page = browser.new_page(
                base_url=address, viewport={"width": width, "height": height},
                color_scheme=screen.scheme, reduced_motion="reduce", has_touch=screen.size == PHONE,
            )  # fmt: skip
            page.goto(screen.address)
            page.wait_for_function(
                "() => !document.body.innerText.includes('Compiling, once')", timeout=120_000
            )
            screen.prepare(page)
            page.wait_for_timeout(400)  # a click's colors fade
            taken[name] = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            page.close()
        browser.close()
    save("phones", beside([taken.pop(name) for name in ON_PHONES]))
    for name, picture in taken.items():
        save(name, picture)


if __name__ == "__main__":
    main()
