"""The first page leads to every command and every guide."""

from __future__ import annotations

import re

from claimeven.cli.main import COMMANDS
from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "index.md").read_text("utf-8")


def test_every_command_is_in_the_table() -> None:
    listed = re.findall(r"^\| .*?\| `claimeven (\w+)", PAGE, re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)


def test_every_guide_is_linked() -> None:
    guides = re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    without = {"index.md", "cite.md", "changelog.md", "other-shapes.md"}
    assert {guide for guide in guides if f"({guide}" not in PAGE} <= without


def test_every_research_note_is_dated_and_in_its_index() -> None:
    folder = ROOT / "docs" / "research"
    index = (folder / "index.md").read_text("utf-8")
    notes = {path.name for path in folder.glob("*.md")} - {"index.md"}
    assert notes == set(re.findall(r"\]\(([\w-]+\.md)", index))
    for note in notes:
        head = (folder / note).read_text("utf-8")[:1000]
        assert re.search(r"\b20\d\d-\d\d-\d\d\b", head), f"{note} has no date"
