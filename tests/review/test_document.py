"""The examples of the document on explanations run as written."""

import doctest
from pathlib import Path

from claimeven.review.checks import CHECKS

DOCUMENT = Path(__file__).parents[2] / "docs" / "explain.md"


def test_examples_give_what_they_show() -> None:
    results = doctest.testfile(str(DOCUMENT), module_relative=False)
    assert results.attempted > 6
    assert results.failed == 0


def test_every_kind_of_claim_stands_in_the_table() -> None:
    text = DOCUMENT.read_text()
    assert all(f"`{kind}`" in text for kind in CHECKS)
