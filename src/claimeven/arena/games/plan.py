"""The plan of a tournament: it decides every game by its number, for any executor and order.

A match is a tournament of two agents. A sequential test and a placement on the ladder are
tournaments too; the test stops as soon as it is decided.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from claimeven.agents.base import Limit
from claimeven.agents.function_agent import name_of
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.registry import AgentLike, own_limit_of
from claimeven.arena.games.agent_files import AgentFiles, brief_names
from claimeven.arena.games.game import EMPTY
from claimeven.arena.games.openings import random_moves
from claimeven.arena.options import KINDS, InvalidMatch
from claimeven.game.game_line import GameLine
from claimeven.game.geometry import Geometry
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.game.validation import whole_number
from claimeven.provenance import describe
from claimeven.solver.errors import check_board

#: Games of a match and rounds of a tournament: more than any user waits for.
MAX_GAMES, MAX_ROUNDS = 20_000_000, 10_000_000
#: Attempts to find a random opening that does not end the game.
_ATTEMPTS = 1000


@dataclass(frozen=True)
class Opening:
    """The start of a game: the position after `columns` (0-based) have been played from `root`.

    >>> Opening(columns=(3, 3)).moves
    '44'
    """

    root: Position = EMPTY
    columns: tuple[int, ...] = ()

    @classmethod
    def of(cls, start: Position | Opening) -> Opening:
        """Return an opening; a position is one without moves."""
        return start if isinstance(start, Opening) else Opening(start)

    @cached_property
    def position(self) -> Position:
        """The position that the agents are given."""
        return GameLine(self.root, self.columns).position

    @cached_property
    def moves(self) -> str:
        """The move string of the columns."""
        return format_moves(self.columns, self.root.geometry)

    def then(self, columns: tuple[int, ...]) -> Opening:
        """Return the opening with more columns."""
        return Opening(self.root, self.columns + columns)


@dataclass(frozen=True)
class Pairing:
    """One game to be played.

    `number` counts from 0; games 2k and 2k + 1 share an opening with the seats swapped.
    `first` and `second` are the agents, by their place in the plan: `first` is the first player,
    whose turn it is on the empty board.
    """

    number: int
    first: int
    second: int
    opening: Opening

    @property
    def pair(self) -> int:
        """The number of the pair."""
        return self.number // 2


def generators_of(seed: int, number: int) -> tuple[np.random.Generator, np.random.Generator]:
    """Return the random generators of a game's agents, the one that comes first in the plan first.

    They depend only on the seed and the game's number, not on the process that plays it.
    """
    one, other = (np.random.SeedSequence([seed, 1, number], spawn_key=(i,)) for i in (0, 1))
    return np.random.default_rng(one), np.random.default_rng(other)


@dataclass(frozen=True)
class Plan:
    """Everything that decides some games.

    In a round of a round robin any two agents play a pair of games, the same opening with the seats
    swapped; in a gauntlet the first agent plays each of the others. Games start from `start`, a
    position or an `Opening`, followed by one of `openings` (0-based columns), which are used in
    turn, one per round. With `opening_plies`, random plies are drawn for each pair instead. Without
    `swap` the agent that comes first in the plan makes the first move of both games of a pair.
    `limit` holds for each move of all agents but the agents at the places of `unlimited`. No more
    than `max_games` are played, if it is given. A game ends with its exact result after a move that
    leaves at most `adjudicate` cells empty.

    An agent is a spec, or an `Agent` or a function of the calling process. `sandbox` says which
    of them play in separate processes. Raises `InvalidMatch` for a plan that leaves no game.
    """

    agents: tuple[AgentLike, ...]
    rounds: int = 1
    seed: int = 0
    kind: str = KINDS[0]
    openings: tuple[tuple[int, ...], ...] = ((),)
    start: Position | Opening = EMPTY
    limit: Limit = field(default_factory=Limit)
    sandbox: Sandbox = field(default_factory=Sandbox)
    unlimited: tuple[int, ...] = ()
    swap: bool = True
    opening_plies: int = 0
    max_games: int | None = None
    adjudicate: int | None = None

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            raise InvalidMatch(f"a tournament needs 2 agents or more, got {len(self.agents)}")
        for name in ("rounds", "seed", "opening_plies"):
            object.__setattr__(self, name, whole_number(getattr(self, name), name, InvalidMatch))
        if not 1 <= self.rounds <= MAX_ROUNDS:
            few = self.rounds < 1
            most = "1 or more" if few else f"{MAX_ROUNDS:,} or fewer"
            raise InvalidMatch(f"rounds must be {most}, got {self.rounds}")
        if self.seed < 0:
            raise InvalidMatch(f"seed must be 0 or more, got {self.seed}")
        if self.kind not in KINDS:
            raise InvalidMatch(f"kind must be {' or '.join(KINDS)}, got {self.kind!r}")
        if self.opening_plies < 0:
            raise InvalidMatch(f"opening_plies must be 0 or more, got {self.opening_plies}")
        if self.adjudicate is not None:
            whole_number(self.adjudicate, "adjudicate", InvalidMatch, low=1)
            check_board(self.geometry)
        if not self.openings:
            raise InvalidMatch("openings must have at least one opening, such as the empty one")
        for columns in self.openings:
            opening = self.opening.then(columns)
            if opening.position.is_over:
                is_start = opening == self.opening
                where = "in the start position" if is_start else f"after {opening.moves}"
                raise InvalidMatch(f"the game is over {where}: {opening.position.outcome}")

    @cached_property
    def opening(self) -> Opening:
        """The start that all games have in common."""
        return Opening.of(self.start)

    @property
    def geometry(self) -> Geometry:
        """The board."""
        return self.opening.root.geometry

    @cached_property
    def meeting_pairs(self) -> tuple[tuple[int, int], ...]:
        """The agents that meet, by their places, in the order of a round."""
        count = len(self.agents)
        if self.kind == "gauntlet":
            return tuple((0, other) for other in range(1, count))
        return tuple((one, other) for one in range(count) for other in range(one + 1, count))

    @property
    def games(self) -> int:
        """Number of games: a pair for any two that meet, each round."""
        planned = 2 * len(self.meeting_pairs) * self.rounds
        return planned if self.max_games is None else min(planned, self.max_games)

    @property
    def is_varied(self) -> bool:
        """Whether rounds have different openings."""
        return bool(self.opening_plies or len(self.openings) > 1)

    @property
    def plies_before(self) -> int | None:
        """Plies from `start` to the first move of the agents; None if games differ."""
        lengths = {len(columns) for columns in self.openings}
        return self.opening_plies + lengths.pop() if len(lengths) == 1 else None

    @cached_property
    def _starts(self) -> tuple[Opening, ...]:
        return tuple(self.opening.then(columns) for columns in self.openings)

    def opening_of(self, number: int) -> Opening:
        """Return the opening of a round. Raises `InvalidMatch` if no opening can be drawn."""
        opening = self._starts[number % len(self._starts)]
        if not self.opening_plies:
            return opening
        rng = np.random.default_rng([self.seed, 2, number])
        for _ in range(_ATTEMPTS):
            columns, position = random_moves(self.opening_plies, opening.position, rng)
            if not position.is_over:
                return opening.then(columns)
        raise InvalidMatch(
            f"no random opening of {self.opening_plies} plies was found that leaves a game to play"
        )

    def pairing(self, number: int) -> Pairing:
        """Return the game of a number. Rounds follow each other, a pair's games too."""
        pair, half = divmod(number, 2)
        of_round, two = divmod(pair, len(self.meeting_pairs))
        one, other = self.meeting_pairs[two]
        opening = self.opening_of(of_round)
        # The agent that comes first in the plan makes the first move of the even games.
        if (opening.position.ply + half * self.swap) % 2:
            one, other = other, one
        return Pairing(number, one, other, opening)

    def generators(self, number: int) -> tuple[np.random.Generator, np.random.Generator]:
        """Return the random generators of a game's agents, in the order of the plan."""
        return generators_of(self.seed, number)

    def limit_of(self, agent: int) -> Limit:
        """Return the limit of an agent's moves."""
        return Limit() if agent in self.unlimited else self.limit

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the agents: their specs, or the names of objects and functions."""
        return tuple(name_of(agent) for agent in self.agents)

    @cached_property
    def stored_names(self) -> tuple[str, ...]:
        """The names as they are stored: without folders of this machine."""
        return brief_names(self.names)

    @property
    def is_portable(self) -> bool:
        """Whether other processes can play it: all agents are specs."""
        return all(isinstance(agent, str) for agent in self.agents)

    @cached_property
    def agent_files(self) -> AgentFiles:
        """The files behind the agents, as of the last call of `refresh_files`."""
        return AgentFiles.of(self.agents)

    def refresh_files(self) -> AgentFiles:
        """Return the current files, for the games to come."""
        vars(self).pop("agent_files", None)
        return self.agent_files

    def describe(self, kind: str, openings: Sequence[str]) -> dict[str, Any]:
        """Return the description of a result with these games' openings."""
        return describe(
            kind,
            board=self.geometry.as_dict(),
            limit=asdict(self.limit),
            openings=openings,
            seed=self.seed,
            files=list(self.agent_files.files),
        )

    def setting(self, openings: Iterable[str]) -> dict[str, object]:
        """Return the settings of the games, except the agents' specs and the seed, for JSON.

        `openings` are the openings of the games that were played.
        """
        different = list(dict.fromkeys(openings))
        return {
            **asdict(self.geometry),
            "limit": asdict(self.limit),
            "agent_limits": [
                {name: n for name, n in vars(own_limit_of(agent)).items() if n is not None}
                for agent in self.agents
            ],
            "isolate": self.sandbox.all_agents,
            "memory_limit_mb": self.sandbox.memory_limit_mb,
            "adjudicate": self.adjudicate,
            "openings": different,
            "changed_files": self.agent_files.changed(),
            "provenance": self.describe("result", different),
        }

    def match_setting(self, openings: Iterable[str]) -> dict[str, object]:
        """Return what decides the games of a match of two agents, for JSON."""
        return {
            "agents": list(self.names),
            **self.setting(openings),
            "position": self.opening.moves,
            "opening_plies": self.plies_before,
            "unique_openings": len(set(self.openings)) if any(self.openings) else None,
            "seed": self.seed,
            "swap": self.swap,
            "games_planned": self.games,
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as plain data, as it is stored to resume a run."""
        rounds = self.rounds if self.opening_plies else len(self.openings)
        return {
            **self._decisive,
            "rounds": self.rounds,
            "openings": [self.opening_of(number).moves for number in range(rounds)],
            "isolate": self.sandbox.all_agents,
        }

    @cached_property
    def _decisive(self) -> dict[str, Any]:
        """The settings that decide each game, except its opening and its number."""
        root = self.opening.root
        return {
            "agents": list(self.stored_names),
            "seed": self.seed,
            "kind": self.kind,
            "start": [root.mine, root.mask],
            **self.geometry.as_dict(),
            "limit": {name: value for name, value in vars(self.limit).items() if value is not None},
            "unlimited": list(self.unlimited),
            "memory_mb": self.sandbox.memory_limit_mb,
            **({} if self.swap else {"swap": False}),
            **({} if self.adjudicate is None else {"adjudicate": self.adjudicate}),
        }

    def job(self, number: int) -> str:
        """Return the id of a game, which does not depend on the number of rounds."""
        return self.job_of(self.pairing(number))

    def job_of(self, pairing: Pairing) -> str:
        """Return the id of the game of a pairing."""
        text = f"{self._identity} {pairing.opening.moves} {pairing.number}"
        return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()

    @cached_property
    def _identity(self) -> str:
        return json.dumps(self._decisive, sort_keys=True)
