"""The recording of the page: short, small, and made by steps that still work."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from tests.docs.examples import ROOT
from tests.web.conftest import running

FILE = ROOT / "docs" / "pictures" / "recording.webp"


def test_it_is_animated_short_and_small() -> None:
    picture = pytest.importorskip("PIL.Image").open(FILE)
    assert picture.is_animated
    assert FILE.stat().st_size <= 400_000
    milliseconds = 0
    for frame in range(picture.n_frames):
        picture.seek(frame)
        picture.load()
        milliseconds += picture.info["duration"]
    assert 5_000 < milliseconds < 10_000
    assert picture.info["loop"] == 0


def test_the_recording_has_alternative_text() -> None:
    for name in ("README.md", "docs/index.md"):
        text = (ROOT / name).read_text("utf-8")
        before = text.split(f"{FILE.name})")[0]
        assert len(before.rpartition("![")[2].partition("]")[0]) > 40


@pytest.mark.browser
def test_its_steps_run(browser: Any) -> None:
    recording = importlib.import_module("doctools.recording")
    with running("--workers", "1") as server:
        page = browser.new_page(base_url=server.url, viewport=recording.SIZE)
        frames = list(recording.steps(page))
        page.close()
    assert len({picture.tobytes() for picture, _ in frames}) > 10
    first, last = frames[0][0], frames[-1][0]
    assert first.size == last.size == tuple(recording.SIZE.values())
