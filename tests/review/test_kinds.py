"""Every kind of claim stands in the document on explanations."""

from pathlib import Path

from claimeven.review.kinds import KINDS

DOCUMENT = Path(__file__).parents[2] / "docs" / "explain.md"


def test_every_kind_of_claim_stands_in_the_table() -> None:
    text = DOCUMENT.read_text()
    assert all(f"`{kind}`" in text for kind in KINDS)
