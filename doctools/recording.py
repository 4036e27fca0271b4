"""The recording of the page in the README: `python -m doctools.recording`, which needs Chromium.

A disc is dropped, the scores change, and a sentence lights up the cells that it is about. Each
frame is a screenshot of the page of this checkout. Frames are not compared: fonts differ between
machines.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.sync_api import sync_playwright
from tests.browser import launched

from doctools.screens import FOLDER, served

FILE: Final = FOLDER / "recording.webp"
#: Maximum bytes of the recording: a README should load quickly.
MAX_BYTES: Final = 400_000
SIZE: Final = {"width": 920, "height": 560}
#: Yellow to move must prevent two threats of Red, and drops a disc somewhere else.
MOVES, MISTAKE = "4444432655", 5
ADDRESS: Final = f"/?moves={MOVES}&second=human&analysis=on"
REASON: Final = ".explanation .claim.has-cells:visible"
#: Milliseconds of a frame of a movement; frames of the way of the pointer.
FRAME, WAY = 50, 8

_POINTER: Final = """() => {
    const svg = "http://www.w3.org/2000/svg";
    const pointer = document.createElementNS(svg, "svg");
    const path = document.createElementNS(svg, "path");
    path.setAttribute("d", "M1 1v17l4.4-4 3 6.6 2.8-1.3-3-6.4H14Z");
    Object.assign(path.style, { fill: "#fff", stroke: "#000", strokeWidth: "1.3px" });
    const size = { width: "24px", height: "34px" };
    Object.assign(pointer.style, { ...size, position: "fixed", zIndex: 9, pointerEvents: "none" });
    pointer.id = "pointer";
    pointer.append(path);
    document.body.append(pointer);
}"""
_MOVE: Final = "([x, y]) => Object.assign(pointer.style, { left: `${x}px`, top: `${y}px` })"
_PAUSE: Final = """() => Math.max(0, ...document.getAnimations().map((each) => {
    each.pause();
    return each.effect.getComputedTiming().endTime;
}))"""
_SEEK: Final = "time => document.getAnimations().forEach((each) => { each.currentTime = time; })"
_FINISH: Final = "() => document.getAnimations().forEach((each) => each.finish())"
_SCORES: Final = """() => [...document.querySelectorAll(".scores button:enabled")]
    .every((button) => /\\d/.test(button.textContent))
    && document.querySelector(".explanation .claim.has-cells")"""


class Film:
    """The frames of a page, each with its milliseconds, and a pointer that moves on it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.frames: list[tuple[Image.Image, int]] = []
        self.at = (SIZE["width"] * 0.3, SIZE["height"] * 0.93)
        page.evaluate(_POINTER)
        page.evaluate(_MOVE, self.at)

    def hold(self, milliseconds: int) -> None:
        """Show the page for a time."""
        picture = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        self.frames.append((picture, milliseconds))

    def point(self, place: Any) -> None:
        """Move the pointer to the middle of an element."""
        box = place.bounding_box()
        goal = (box["x"] + min(box["width"], 400) / 2, box["y"] + box["height"] / 2)
        (x, y), self.at = self.at, goal
        for step in range(1, WAY + 1):
            share = (1 - (1 - step / WAY) ** 2) if step < WAY else 1
            self.page.evaluate(_MOVE, (x + (goal[0] - x) * share, y + (goal[1] - y) * share))
            self.hold(FRAME)
        self.page.mouse.move(*goal)

    def click(self) -> None:
        """Click, and show what moves then, frame by frame."""
        self.page.mouse.click(*self.at)
        for time in range(0, int(self.page.evaluate(_PAUSE)), FRAME):
            self.page.evaluate(_SEEK, time)
            self.hold(FRAME)
        self.page.evaluate(_FINISH)


def steps(page: Any) -> Iterator[tuple[Image.Image, int]]:
    """Drop a disc, wait for the scores, and point to a reason; yield the frames."""
    page.goto(ADDRESS)
    page.wait_for_function(_SCORES, timeout=120_000)
    page.evaluate("document.querySelector('.card:has(#analysis)').scrollIntoView()")
    film = Film(page)
    film.hold(1300)
    film.point(page.locator(f".stage [data-cell='{MISTAKE},3']"))
    film.hold(400)
    film.click()
    page.wait_for_selector(".status:has-text('Red to move and wins')")
    page.wait_for_function(_SCORES)
    film.hold(1900)
    film.point(page.locator(REASON).first)
    page.wait_for_selector(".lit")
    film.hold(3300)
    yield from film.frames


def write(path: Path, frames: list[tuple[Image.Image, int]]) -> None:
    """Write an animation that starts again at its end."""
    pictures, times = zip(*frames, strict=True)
    pictures[0].save(
        path, save_all=True, append_images=pictures[1:], duration=list(times), loop=0,
        lossless=True, quality=100, method=6, minimize_size=True,
    )  # fmt: skip


def main() -> None:
    """Record the page."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with served() as address, sync_playwright() as playwright:
        browser = launched(playwright)
        page = browser.new_page(base_url=address, viewport=SIZE, color_scheme="light")
        write(FILE, list(steps(page)))
        browser.close()
    size = FILE.stat().st_size
    print(f"{FILE.name}: {size:,} bytes")
    if size > MAX_BYTES:
        raise SystemExit(f"{FILE.name} must have at most {MAX_BYTES:,} bytes, got {size:,}")


if __name__ == "__main__":
    main()
