"""Agents behind a server: the position goes out as JSON, a column comes back.

The contract, for servers in any language: `POST` of

    {"board": "7x6", "connect": 4, "position": "......./......./...", "turn": 1,
     "legal": [1, 2, 3, 4, 5, 6, 7], "limit": {"seconds": 1.0}, "seed": 123}

answered by `{"column": 4}`. `position` holds the rows from the top, divided by `/`: X is a disc of
the first player, O of the second, a dot an empty cell. `turn` is 1 or 2, columns count from 1,
`limit` holds what is limited, and `seed` is there for servers that draw.
`claimeven serve` answers so at `/play?agent=SPEC`.
"""

from __future__ import annotations

import json
import math
import time
from typing import Any

import numpy as np

from claimeven.agents.base import LIMITS, Agent, AgentFault, Decision, FaultKind, Limit
from claimeven.agents.http_client import CallFailed, CallLate, Endpoint
from claimeven.agents.options import InvalidSpec
from claimeven.agents.sanitize import shown
from claimeven.agents.validation import illegal
from claimeven.game.encodings import to_characters
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: Seconds to reach the server, and for a move where time is not limited.
REACH_SECONDS, PATIENCE = 10.0, 90.0
#: Greatest seed sent, one that every language can hold.
_SEEDS = 2**53


class HttpAgent(Agent):
    """The agent behind an address. Raises `InvalidSpec` for what is no address.

    All limits are sent along; time is measured here. A server that is gone or answers with an error
    crashes, one that is late stalls, and an answer that is no legal column is illegal.
    """

    limits = frozenset(LIMITS)

    def __init__(self, url: str) -> None:
        self.name = url
        self._endpoint = Endpoint(url, keep=True)

    def load(self, geometry: Geometry) -> None:
        """Raise `InvalidSpec` if nobody listens there."""
        try:
            self._endpoint.reach(REACH_SECONDS)
        except CallFailed as error:
            raise InvalidSpec(str(error)) from None

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Ask the server. Raises `AgentFault` for whatever goes wrong."""
        begin = time.perf_counter()
        message = json.dumps(request_of(position, limit, int(rng.integers(_SEEDS)))).encode()
        seconds = PATIENCE if math.isinf(limit.longest) else limit.longest
        try:
            reply = self._endpoint.post(message, "application/json", seconds)
            told = reply.data()
        except CallFailed as error:
            raise AgentFault(str(error)) from None
        except CallLate:
            late = f"did not answer within {PATIENCE:g} s" if limit.seconds is None else None
            raise AgentFault(late or limit.overrun, kind=FaultKind.STALL) from None
        column = told.get("column")
        if not isinstance(column, int) or isinstance(column, bool):
            raise illegal(f"answered with column {shown(column)}, which is no number from 1")
        if column - 1 not in position.legal_columns:
            why = "is full" if 1 <= column <= position.geometry.columns else "is not on the board"
            legal = ", ".join(str(legal + 1) for legal in position.legal_columns)
            raise illegal(
                f"answered with column {shown(column)} (counted from 1), which {why}: legal were"
                f" {legal}"
            )
        return Decision(column - 1, seconds=time.perf_counter() - begin)

    def close(self) -> None:
        """Let go of the connection."""
        self._endpoint.close()


def request_of(position: Position, limit: Limit, seed: int) -> dict[str, Any]:
    """Return what is sent to ask for a move.

    >>> request_of(Position.from_moves("44"), Limit(seconds=1), 5)["legal"]
    [1, 2, 3, 4, 5, 6, 7]
    """
    geometry = position.geometry
    return {
        "board": f"{geometry.columns}x{geometry.rows}",
        "connect": geometry.connect,
        "position": "/".join("".join(row) for row in to_characters(position)),
        "turn": position.turn + 1,
        "legal": [column + 1 for column in position.legal_columns],
        "limit": {name: getattr(limit, name) for name in LIMITS if getattr(limit, name)},
        "seed": seed,
    }
