"""The tree searches of the originals, textbook and compiled, against ones rebuilt from the texts.

`python -m tests.originals.compare` makes the same comparison on a thousand positions.
"""

from __future__ import annotations

import pytest

from tests.originals.compare import disagreements
from tests.originals.rebuilt import SEARCHES


@pytest.mark.parametrize("backend", ["compiled", "python"])
@pytest.mark.parametrize("name", SEARCHES)
def test_every_node_is_visited_as_often_with_the_same_results(name: str, backend: str) -> None:
    assert disagreements(name, backend, positions=25, iterations=120) == []
