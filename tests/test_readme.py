"""The README stays short and whole; `tests/docs` runs its examples."""

import re
from pathlib import Path

from claimeven.cli.main import VERBS

README = Path(__file__).parent.parent / "README.md"


def test_readme_is_short_enough_to_read() -> None:
    assert len(README.read_text().splitlines()) <= 150


def test_every_verb_stands_in_the_table() -> None:
    text = README.read_text()
    assert all(f"`claimeven {verb}" in text for verb in VERBS)


def test_links_lead_to_files() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README.read_text()):
        assert (README.parent / target).is_file(), target
