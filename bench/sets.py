"""The project's scored positions, and the nodes of the exact search for them."""

from __future__ import annotations

from pathlib import Path

#: Made by `bench.make_positions`: one file for each set, lines "moves score".
OWN_POSITIONS = Path(__file__).parent / "positions"
#: Nodes for the complete sets, each from an empty table of `SIGNATURE_MB`: a change of any of
#: these is a change of the search.
SIGNATURES = {
    "end-easy": 877,
    "middle-easy": 11_661,
    "middle-medium": 3_115_734,
    "begin-easy": 12_792,
    "begin-medium": 7_664_965,
}
SIGNATURE_MB = 64
