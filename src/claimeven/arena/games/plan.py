"""The plan of a tournament: it decides every game by its number, for any executor and order.

A match is a tournament of two agents. A sequential test and a placement on the ladder are
tournaments too; the test stops once it is decided. `AgentFiles` has the digests of agents' files.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.agents.base import Limit
from claimeven.agents.fingerprint import digests_of, paths_of, snapshot_file
from claimeven.agents.function_agent import name_of
from claimeven.agents.options import split_limit
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.registry import AgentLike, own_limit_of
from claimeven.agents.sanitize import printable
from claimeven.arena.games.game import EMPTY
from claimeven.arena.games.openings import Opening, Pairing, random_moves
from claimeven.arena.options import KINDS, InvalidMatch
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.game.validation import whole_number
from claimeven.provenance import describe
from claimeven.review.claims import join_words
from claimeven.solver.errors import check_board

#: The start of an absolute path, on Windows too; not the address of a server.
_ROOT = r"(?:[A-Za-z]:[\\/]|/(?!/))"
#: Such a path among the words of a spec.
_ABSOLUTE = re.compile(rf"(?<![^\s:=,'\"]){_ROOT}[^\s:=,'\"]+")
#: Maximum parts of an absolute path in a name.
_MAX_PARTS = 20
#: How to resume a file of games although something has changed.
REMEDY = "--resume-changed adds to it anyway, another file of --out starts again"
#: Differences that one sentence names.
_MAX_NAMED = 3


@dataclass
class AgentFiles:
    """The digests of the files behind each agent."""

    specs: tuple[str | None, ...]
    files: tuple[dict[str, str], ...]
    _signs: dict[Path, object] = field(default_factory=dict, repr=False)
    _changed: list[str] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, agents: Iterable[AgentLike]) -> AgentFiles:
        """Return the files of agents as they are now."""
        # An object that no spec made has none.
        names = [each if isinstance(each, str) else getattr(each, "name", None) for each in agents]
        specs = tuple(name.strip() if isinstance(name, str) else None for name in names)
        signs = {path: _sign(path) for spec in specs if spec for path in paths_of(spec).values()}
        files = tuple(digests_of(spec) if spec else {} for spec in specs)
        return cls(specs, files, signs)

    def changed(self) -> list[str]:
        """Return the files that have changed, each with its agent.

        An agent's own Python file is left out if its processes continue with the old text.
        """
        signs = {path: _sign(path) for path in self._signs}
        if signs != self._signs:
            self._signs = signs
            found = (
                f"{words} of {spec}"
                for spec, before in zip(self.specs, self.files, strict=True)
                for name, words in _differing(before, digests_of(spec or ""))
                if spec and name != snapshot_file(spec)
            )
            self._changed = list(dict.fromkeys(found))
        return self._changed


def differences(
    before: Mapping[str, Any], now: Mapping[str, Any], names: Sequence[str]
) -> Iterator[str]:
    """Yield what differs, with the names of agents, in words that "has changed" ends."""
    if before.get("claimeven") != now["claimeven"]:
        yield f"claimeven ({before.get('claimeven')}, now {now['claimeven']})"
    for name, old, new in zip(names, before.get("files") or (), now["files"], strict=False):
        if isinstance(old, dict):
            yield from (f"{words} of {name}" for _, words in _differing(old, new))


def change_of(found: Sequence[str]) -> str:
    """Say in one clause that some things have changed.

    >>> change_of(["claimeven (0.1, now 0.2)", "the file of ann.py"])
    'claimeven (0.1, now 0.2) and the file of ann.py have changed'
    """
    names = [printable(name) for name in dict.fromkeys(found)]
    if len(names) > _MAX_NAMED + 1:
        names = [*names[:_MAX_NAMED], f"{len(names) - _MAX_NAMED} more"]
    return f"{join_words(names)} {'has' if len(names) == 1 else 'have'} changed"


def _differing(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the files that differ: their names, and words for them that "of AGENT" ends."""
    for place, name in enumerate({**before, **now}):
        if before.get(name) != now.get(name):
            yield name, name if place else "the file"


def _sign(path: Path) -> object:
    """Return what changes when a file is written."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def brief_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of agents in which absolute paths are as short as keeps the names apart.

    >>> brief_names(["/home/ann/bots/a.py:agent", "ugi:/opt/c4/engine", "bots/b.py"])
    ('a.py:agent', 'ugi:engine', 'bots/b.py')
    """
    for parts in range(1, _MAX_PARTS):
        brief = tuple(_brief_name(name, parts) for name in names)
        if len(set(brief)) == len(set(names)):
            return brief
    return tuple(names)  # such as /bot.py and bot.py


def _brief_name(name: str, parts: int) -> str:
    """Return a name with the last `parts` parts of each absolute path in it."""
    spec = split_limit(name)[0]
    place = spec.rpartition(":")[0] if not spec.endswith(".py") else spec
    if place.endswith(".py") and re.match(_ROOT, place):  # there may be spaces in it
        return _last_parts(place, parts) + name[len(place) :]
    return _ABSOLUTE.sub(lambda found: _last_parts(found[0], parts), name)


def _last_parts(path: str, parts: int) -> str:
    return "/".join(re.split(r"[\\/]" if path[1:2] == ":" else "/", path)[1:][-parts:])


def setting_of(
    agents: Iterable[AgentLike], geometry: Geometry, limit: Limit, seed: int | None = None
) -> dict[str, Any]:
    """Return board, limit and description as plain data, for results as JSON."""
    board, limits, files = asdict(geometry), asdict(limit), list(AgentFiles.of(agents).files)
    about = describe("result", board=board, limit=limits, seed=seed, files=files)
    return {**board, "limit": limits, "provenance": about}


#: Games of a match and rounds of a tournament: more than any user waits for.
MAX_GAMES, MAX_ROUNDS = 20_000_000, 10_000_000
#: Attempts to find a random opening that does not end the game.
_ATTEMPTS = 1000


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
        for name, low, high in (
            ("rounds", 1, MAX_ROUNDS), ("seed", 0, None), ("opening_plies", 0, None)
        ):  # fmt: skip
            number = whole_number(getattr(self, name), name, InvalidMatch, low=low, high=high)
            object.__setattr__(self, name, number)
        if self.kind not in KINDS:
            raise InvalidMatch(f"kind must be {' or '.join(KINDS)}, got {self.kind!r}")
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
        """Return the generators of a game's agents in the order of the plan, in any process."""
        seeds = (np.random.SeedSequence([self.seed, 1, number], spawn_key=(i,)) for i in (0, 1))
        one, other = map(np.random.default_rng, seeds)
        return one, other

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
        """Return the settings of games with these openings, without agents and seed, for JSON."""
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
            **({"max_games": self.games} if self.games % 2 else {}),
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
