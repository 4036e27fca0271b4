"""The examples of the document on exact scores run as written."""

import doctest
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "solving.md"


def test_examples_give_what_they_show() -> None:
    results = doctest.testfile(str(DOCUMENT), module_relative=False)
    assert results.attempted > 6
    assert results.failed == 0
