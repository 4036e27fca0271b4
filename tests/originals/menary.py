"""The output of the notebook of S. Menary: boards, search steps, results of its searches.

The classes of the search and the board are in a separate package, which the notebook only
imports; so the output of its code is read from the document instead of being computed again.
"""

from __future__ import annotations

import re
from typing import Any

from tests.originals.documents import Document

_EDGE = r"\+(?:---\+)+\n"
_BOARD = re.compile(rf"(?m)^{_EDGE}(?:\|.*\n)+{_EDGE}\|.*\n{_EDGE}Game result.*$")
_SEARCH = re.compile(
    r"(?m)^Action values are: +(.*)\nVisit counts are: +(.*)\nSelecting action (\d)"
)
_STEP = re.compile(
    r"(?m)^Select unvisited action (\S+)\nSimulation ended with result (\w)\n"
    r"Simulated trajectory was: (.*)$"
)
_TREE = re.compile(r"(?m)^(?:Updated tree is:|Initial tree:)\n((?: *> .*\n)+)")


def record(document: Document, going_on: list[str], finished: list[str]) -> dict[str, Any]:
    """Collect the output of the notebook."""
    return {
        "drawings": [drawing.splitlines() for drawing in _BOARD.findall(document.text)],
        "searches": [
            {
                "values": [float(value) for value in values.split()],
                "visits": [int(visits) for visits in counts.split()],
                "column": int(column),
            }
            for values, counts, column in _SEARCH.findall(document.text)
        ],
        "steps": [
            {"move": move, "winner": winner, "playout": playout.split()}
            for move, winner, playout in _STEP.findall(document.text)
        ],
        "trees": [tree.splitlines() for tree in _TREE.findall(document.text)],
    }
