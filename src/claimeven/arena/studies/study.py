"""The data of a study: the experiments of an original, its reported figures, and ours.

An experiment is a match or a measurement. Its findings are quantities (the share of games won, the
time of a game, the iterations of a decision); a `Figure` is one as it was reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from claimeven.agents.base import Limit
from claimeven.agents.function_agent import name_of
from claimeven.agents.registry import AgentLike
from claimeven.arena.api import match_plan
from claimeven.arena.games.plan import Plan, setting_of
from claimeven.arena.options import InvalidMatch, MatchOptions
from claimeven.game.geometry import STANDARD, Geometry


@dataclass(frozen=True)
class Source:
    """The source of an experiment: its short name, its title, and the machine of the original."""

    name: str
    title: str
    machine: str


@dataclass(frozen=True)
class Quantity:
    """A quantity, its unit, and whether more (1) or less (-1) of it is faster, or neither."""

    name: str
    unit: str
    faster: int = 0


#: The name of the agent behind the address of a server.
SERVER = "server"

#: All quantities. Shares are in per cent.
QUANTITIES = {
    name: Quantity(name, unit, faster)
    for unit, faster, names in (
        ("%", 0, "wins draws losses score share"),
        ("s", -1, "seconds_per_game seconds_per_move seconds"),
        ("us", -1, "microseconds"),
        ("x", 0, "ratio"),
        ("plies", 0, "depth"),
        ("positions", 0, "depth_from_one inner stored"),
        ("games", 0, "wins_in_ten"),
        ("columns", 0, "branching"),
        ("", 1, "iterations"),
        ("", 0, "evaluations_per_game steps_per_move column exact_score evaluations value visits"),
    )
    for name in names.split()
}


@dataclass(frozen=True)
class Finding:
    """A number measured here; if it depends on chance, with a 95 % interval."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Figure:
    """One number of an experiment, as it was `reported` in the unit of its `quantity`, or None.

    `label` is its name in words, and `quantity` one of `QUANTITIES`. `key` is the agent, "0" or
    "1", or the variant of the experiment. `words` are of the original, also instead of a number.
    """

    label: str
    quantity: str
    key: str = "0"
    reported: float | None = None
    words: str = ""

    def speed_up(self, now: float) -> float | None:
        """How many times as fast it is now; None if it is unknown."""
        faster = QUANTITIES[self.quantity].faster
        if not faster or not self.reported or now <= 0:
            return None
        return now / self.reported if faster > 0 else self.reported / now


#: The findings of an experiment by quantity and key.
Findings = Mapping[tuple[str, str], Finding]


@dataclass(frozen=True)
class Match:
    """An experiment of games between two agents.

    `reported_games` is the number of games of the original, None without games. With `swap` the
    seats change from game to game, else the first agent moves first. `seconds` limits a move.
    """

    agents: tuple[AgentLike, AgentLike]
    games: int
    figures: tuple[Figure, ...]
    reported_games: int | None = None
    swap: bool = False
    seconds: float | None = None
    opening_plies: int = 0
    start: str = ""
    geometry: Geometry = STANDARD

    @property
    def names(self) -> tuple[str, str]:
        """The names of the agents."""
        first, second = map(name_of, self.agents)
        return first, second

    @property
    def measures_time(self) -> bool:
        """Whether a figure measures speed: then a single process plays."""
        return any(QUANTITIES[figure.quantity].faster for figure in self.figures)

    @property
    def setting(self) -> str:
        """The setting in words."""
        first, second = self.names
        words = [f"{first} against {second}", f"{self.games:,} games"]
        if self.reported_games not in (None, self.games):
            words[-1] += f" (original: {self.reported_games:,})"
        board = "" if self.geometry == STANDARD else f" on {self.geometry}"
        words.append(f"from {self.start or 'the empty board'}{board}")
        if self.opening_plies:
            words.append(f"{self.opening_plies} random plies before each pair")
        words.append("seats swapped" if self.swap else "the first agent always moves first")
        if self.seconds:
            words.append(f"{self.seconds:g} s a move")
        return ", ".join(words)

    def plan(self, seed: int) -> Plan:
        """Return the plan. Raises `InvalidMatch` for a match that needs a server."""
        if SERVER in self.agents:
            raise InvalidMatch(
                "this study plays a server: name it with --server URL, such as"
                " http://127.0.0.1:8000/play?agent=uct of `claimeven serve`"
            )
        board = self.geometry
        options = MatchOptions(
            games=self.games, seed=seed, start=self.start, opening_plies=self.opening_plies,
            swap=self.swap, seconds=self.seconds, columns=board.columns, rows=board.rows,
            connect=board.connect,
        )  # fmt: skip
        return match_plan(*self.agents, options)


@dataclass(frozen=True)
class Measurement:
    """An experiment without games: a function that is called with some arguments."""

    setting: str
    measure: Callable[..., Findings]
    figures: tuple[Figure, ...]
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return its settings as plain data for JSON: as of a match, and all arguments."""
        given = dict(self.arguments)
        agents = [given["agent"]] if "agent" in given else []
        limit = Limit(**{name: given[name] for name in given.keys() & vars(Limit())})
        setting = setting_of(agents, given.pop("geometry", STANDARD), limit)
        position = given.get("moves", "")
        return {**setting, "position": position, "arguments": given}


Experiment = Match | Measurement


@dataclass(frozen=True)
class Study:
    """Experiments of one original that answer one question.

    `differs` says what is unlike the original, `remark` is a conclusion from the figures.
    """

    name: str
    title: str
    source: Source
    experiments: tuple[Experiment, ...]
    differs: str = ""
    remark: str = ""

    @property
    def games(self) -> int:
        """Games of all its matches."""
        return sum(each.games for each in self.experiments if isinstance(each, Match))

    @property
    def needs_server(self) -> bool:
        """Whether it plays the server that a run has to name."""
        return any(SERVER in each.agents for each in self.experiments if isinstance(each, Match))

    @property
    def is_timed(self) -> bool:
        """Whether any of its experiments has a limit on the clock."""
        return any(
            each.seconds if isinstance(each, Match) else "seconds" in each.arguments
            for each in self.experiments
        )

    @property
    def figures(self) -> Iterator[tuple[Experiment, Figure]]:
        """Every figure with its experiment."""
        return ((each, figure) for each in self.experiments for figure in each.figures)
