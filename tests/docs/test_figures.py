"""Pictures and generated tables are up to date, and pages use them all."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from doctools import puzzle, tables
from doctools.__main__ import DOCS, FOLDER, PICTURES, made, main

from claimeven import Solver

#: Pictures of the page, for which `doctools.screens` and `doctools.recording` need a browser.
SCREENSHOTS = {path.name for path in FOLDER.glob("screen-*.png")} | {"recording.webp"}
#: Drawn by `claimeven train compare` from runs that are too long to repeat.
RUNS = {"compare-runs.png"}


def test_pictures_and_tables_are_not_stale() -> None:
    """After a change of a search, run `python -m doctools` and look at the differences."""
    for path, text in made():
        assert path.is_file(), f"python -m doctools: {path} is missing"
        assert path.read_text(encoding="utf-8") == text, f"python -m doctools: {path} is stale"


def test_every_picture_is_shown_and_every_shown_picture_is_made() -> None:
    shown = {
        (page.parent / target).resolve()
        for page in DOCS.rglob("*.md")
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    }
    drawn = {f"{name}.svg" for name in PICTURES}
    assert shown == {FOLDER / name for name in drawn | SCREENSHOTS | RUNS}
    assert {path.name for path in FOLDER.iterdir()} == drawn | SCREENSHOTS | RUNS


def test_pictures_are_complete_and_load_no_resources() -> None:
    for path in FOLDER.glob("*.svg"):
        root = ElementTree.parse(path).getroot()
        assert root.tag.endswith("svg")
        assert root.get("aria-label")
        assert "href" not in path.read_text(encoding="utf-8")


def test_every_table_is_in_a_page() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in tables.pages_with_tables(DOCS))
    assert all(f"<!-- figures: {name} -->" in text for name in tables.TABLES)
    with pytest.raises(KeyError, match="nothing"):
        tables.with_tables("<!-- figures: nothing -->\n<!-- end of figures -->")


def test_the_puzzle_agrees_with_the_tutorial() -> None:
    scores = Solver(table_mb=16, book=None).scores(puzzle.PUZZLE)
    assert [column for column, score in enumerate(scores) if score > 0] == [puzzle.ANSWER]
    assert all(score < 0 for column, score in enumerate(scores) if column != puzzle.ANSWER)


def test_check_reports_a_stale_picture_without_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- figures: positions -->\nold\n<!-- end of figures -->\n", "utf-8")
    before = page.read_text("utf-8")
    monkeypatch.setattr("doctools.__main__.DOCS", tmp_path)
    monkeypatch.setattr("doctools.__main__.PICTURES", {})
    assert main(["--check"]) == 1
    assert page.read_text("utf-8") == before
    assert "page.md is stale" in capsys.readouterr().out
    assert main([]) == 0
    assert "| 8 | 184,275 |" in page.read_text("utf-8")
    assert main(["--check"]) == 0
