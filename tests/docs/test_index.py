"""The first page leads to every command and every guide."""

from __future__ import annotations

import re

from claimeven.cli.main import COMMANDS
from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "index.md").read_text("utf-8")


def test_every_command_is_in_the_table() -> None:
    listed = re.findall(r"^\| `claimeven (\w+)", PAGE, re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)


def test_every_guide_is_linked() -> None:
    guides = re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    without = {"index.md", "cite.md", "changelog.md", "other-shapes.md"}
    assert {guide for guide in guides if f"({guide}" not in PAGE} <= without
