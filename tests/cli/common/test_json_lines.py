"""Results become JSON, with any numbers."""

from __future__ import annotations

import io
import json
import math

import numpy as np

from claimeven import __version__
from claimeven.cli.common.json_lines import write_json


def test_a_result_can_be_written() -> None:
    given = {
        "array": np.array([[1.5, math.inf], [2, math.nan]]),
        "number": np.int64(3),
        "flags": [True, None, np.bool_(False)],
        "sets": [{4}, frozenset(), (5,), range(2)],
        "float": [np.float64(0.5), -math.inf],
        2: {None: 1},
    }
    stream = io.StringIO()
    write_json(given, stream)
    assert stream.getvalue().endswith("}\n")
    assert stream.getvalue().count("\n") == 1
    assert '"flags": [true, null, false]' in stream.getvalue()
    assert json.loads(stream.getvalue()) == {
        "claimeven": __version__,
        "array": [[1.5, None], [2.0, None]],
        "number": 3,
        "flags": [True, None, False],
        "sets": [[4], [], [5], "range(0, 2)"],
        "float": [0.5, None],
        "2": {"None": 1},
    }
