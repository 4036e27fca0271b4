"""The options of matches, tournaments, tests and placements: each is declared here, once.

The fields are keyword arguments in Python, command-line options, and fields of a tournament file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from claimeven.errors import ClaimevenError
from claimeven.option_fields import option, options_of
from claimeven.parallel.executors import ExecutorOptions
from claimeven.suggestions import no_such

if TYPE_CHECKING:
    from claimeven.agents.base import Limit
    from claimeven.agents.process.sandbox import Sandbox
    from claimeven.game.geometry import Geometry
    from claimeven.ratings.sprt import SequentialRun, SequentialTest

#: Kinds of tournaments, the default one first.
KINDS = ("round-robin", "gauntlet")
#: Kinds of Elo that a sequential test may have, the default one first.
MODELS = ("normalized", "logistic")
#: Plies of the balanced openings of a match by default.
BALANCED_PLIES = 4
#: Rounds of a placement by default.
POOL_ROUNDS = 16
#: Options that have another name in Python.
_PYTHON_NAMES = {"memory_limit_mb": "memory_limit"}


class InvalidMatch(ClaimevenError):
    """A match that cannot be played as asked."""


@dataclass(frozen=True, kw_only=True)
class BoardOptions:
    """The board."""

    columns: int = option(int, 7, "Columns of the board, 1 to 16.")
    rows: int = option(int, 6, "Rows of the board, 1 to 16.")
    connect: int = option(int, 4, "Discs in a line that win, 2 to 8.")

    @property
    def geometry(self) -> Geometry:
        """The board. Raises the errors of an invalid size."""
        from claimeven.game.geometry import Geometry  # noqa: PLC0415 - for a quick start

        return Geometry(self.columns, self.rows, self.connect)


@dataclass(frozen=True, kw_only=True)
class LimitOptions:
    """The limits of an agent for a move."""

    seconds: float | None = option(float, None, "Seconds an agent may take for a move.")
    time_bank: float | None = option(
        float, None, "Seconds per game that an agent may use for moves beyond --seconds."
    )
    iterations: int | None = option(
        int, None, "Monte Carlo iterations an agent may make for a move."
    )
    depth: int | None = option(int, None, "Plies an agent may search ahead.")
    nodes: int | None = option(int, None, "Positions an agent may visit for a move.")

    @property
    def limit(self) -> Limit:
        """The limit of each move. Raises `InvalidLimit`."""
        from claimeven.agents.base import Limit  # noqa: PLC0415 - brings in all agents

        return Limit(**{name: getattr(self, name) for name in options_of(LimitOptions)})


@dataclass(frozen=True, kw_only=True)
class SandboxOptions:
    """The bounds of agents with separate processes; `quiet` discards their output."""

    isolate: bool = option(
        bool, False, "Run built-in agents in separate processes too, as agents from files."
    )
    memory_limit: int | None = option(
        int, None, "Memory limit of an agent in a separate process (default: 2048 MB).",
        metavar="MB",
    )  # fmt: skip
    load_timeout: float | None = option(
        float, None, "Time limit to load an agent from a file or a program (default: 30 s).",
        metavar="SECONDS",
    )  # fmt: skip
    quiet: bool = False

    @property
    def sandbox(self) -> Sandbox:
        """Which agents have separate processes, and the bounds of those. Raises `InvalidLimit`."""
        from claimeven.agents.process.sandbox import Sandbox  # noqa: PLC0415 - quick start

        return Sandbox(self.isolate, self.memory_limit, self.quiet, self.load_timeout)


@dataclass(frozen=True, kw_only=True)
class RunOptions(ExecutorOptions, LimitOptions, SandboxOptions):
    """How games are played and stored.

    With `out` the games are stored in a file as they end; `resume` plays only the games that the
    file lacks; "changed" resumes even if claimeven or the files of agents have changed.
    `adjudicate` ends a game with its exact result once at most this number of cells is empty.
    `on_message` gets messages for the user, `on_row` each game played as a flat row.
    """

    out: str | Path | None = option(Path, None, "File to store the games in, for --resume.")
    resume: bool | str = option(bool, False, "Play only the games that the file of --out lacks.")
    adjudicate: int | None = option(
        int, None, "End a game with its exact result when at most this many cells are empty.",
        metavar="CELLS",
    )  # fmt: skip
    on_message: Callable[[str], object] | None = None
    on_row: Callable[[dict[str, Any]], object] | None = None

    def __post_init__(self) -> None:
        from claimeven.game.validation import true_or_false  # noqa: PLC0415 - for a quick start

        for each in fields(self):
            value = getattr(self, each.name)
            if each.type == "bool" or (each.name == "resume" and not isinstance(value, str)):
                flag = true_or_false(value, each.name, InvalidMatch)
                object.__setattr__(self, each.name, flag)
            elif each.name.startswith("on_") and not (value is None or callable(value)):
                raise InvalidMatch(f"{each.name} must be a function, got {value!r:.60}")
        if isinstance(self.resume, str) and self.resume != "changed":
            raise InvalidMatch(f"resume must be True, False or 'changed', got {self.resume!r:.60}")

    @classmethod
    def of(cls, options: Self | None, settings: Mapping[str, Any]) -> Self:
        """Return options with some of them changed by name.

        A `Limit` and a `Geometry` may be given as a whole. Raises `InvalidMatch`.
        """
        if not isinstance(options, cls | None):
            raise InvalidMatch(f"options must be {cls.__name__}, got {options!r:.60}")
        given: dict[str, Any] = {}
        for name, value in settings.items():
            if name not in ("limit", "geometry"):
                given[_PYTHON_NAMES.get(name, name)] = value
            elif value is not None:
                given.update(_parts_of(name, value))
        known = [each.name for each in fields(cls)]
        for name in given:
            if name not in known:
                names = {field: python for python, field in _PYTHON_NAMES.items()}
                whole = {"seconds": "limit", "columns": "geometry"}
                choices = [names.get(each, each) for each in known]
                choices += [whole[each] for each in known if each in whole]
                raise InvalidMatch(no_such("option", name, choices))
        return cls(**given) if options is None else replace(options, **given)


def _parts_of(name: str, value: Any) -> dict[str, Any]:
    from claimeven.agents.base import check_is_limit  # noqa: PLC0415 - for a quick start
    from claimeven.game.geometry import check_geometry  # noqa: PLC0415 - for a quick start

    (check_is_limit if name == "limit" else check_geometry)(value)
    return {each.name: getattr(value, each.name) for each in fields(value)}


@dataclass(frozen=True, kw_only=True)
class _OpeningOptions(RunOptions, BoardOptions):
    """The openings of games, and the seed."""

    openings: str | Path | Sequence[str] = option(
        str, "random",
        "random, balanced (exact score -2 to 2), another band of scores such as 3..8, or a file of"
        " move strings.",
    )  # fmt: skip
    seed: int = option(int, 0, "Seed of all random choices; only time varies.")


@dataclass(frozen=True, kw_only=True)
class _PartOptions(_OpeningOptions):
    """The part of the games to play."""

    part: str | None = option(
        str, None, "Play only a part of the games, into a separate file for claimeven merge.",
        metavar="I/N",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.part is not None and self.out is None:
            raise InvalidMatch("--part needs a file: name it with --out")


@dataclass(frozen=True, kw_only=True)
class MatchOptions(_PartOptions):
    """The options of a match.

    `games` are played in pairs: the same opening with the seats swapped. If `swap` is False, the
    first agent makes the first move of every game. `start` is a move string, a position or an
    `Opening` from which all games start. `openings` follow it: `opening_plies` random plies
    (default 0), "balanced" openings or a band of exact scores such as "3..8" (default 4 plies), a
    file of openings, or move strings. `seed` decides everything but the clock. Without
    `keep_decisions` games hold only moves and figures. `on_progress` gets the games in order.
    """

    games: int = option(int, 100, "Games to play.")
    jobs: int | None = option(
        int, None, "Worker processes (default: 1, or all cores of a cluster)."
    )
    opening_plies: int | None = option(
        int, None, "Plies of the opening of each pair of games.",
        shown=f"0; balanced: {BALANCED_PLIES}",
    )  # fmt: skip
    swap: bool = option(
        bool, True, "Swap seats after each game, or let A always move first.",
        flags="--swap/--no-swap",
    )  # fmt: skip
    start: Any = ""
    keep_decisions: bool = True
    on_progress: Callable[[Any], object] | None = None


@dataclass(frozen=True, kw_only=True)
class TournamentOptions(_PartOptions):
    """The options of a tournament.

    In a round every two agents play a pair of games: the same opening with the seats swapped. With
    `kind` "gauntlet" only the first agent plays the others. `openings` are "random" or "balanced"
    openings of `opening_plies` plies, a band of exact scores such as "3..8", a file of openings, or
    move strings. With "random" ones round 1 is on the empty board. `seed` decides everything but
    the clock. `on_progress` gets the games done.
    """

    rounds: int = option(int, 10, "Pairs of games of every two agents.")
    opening_plies: int = option(int, 4, "Plies of an opening.")
    kind: str = option(
        str, KINDS[0], "All against all, or the first agent against the others.", choices=KINDS
    )
    on_progress: Callable[[int], object] | None = None


@dataclass(frozen=True, kw_only=True)
class SprtOptions(_OpeningOptions):
    """The options of a sequential test; see `SequentialTest` for hypotheses, risks and model.

    At most `max_games` are played. `on_progress` gets the number of finished games and the test.
    """

    elo0: float = option(float, 0.0, "Lead of A in Elo that would be too small.")
    elo1: float = option(float, 20.0, "Lead of A in Elo that the test looks for.")
    alpha: float = option(float, 0.05, "Risk of accepting elo1 if elo0 is true.")
    beta: float = option(float, 0.05, "Risk of accepting elo0 if elo1 is true.")
    model: str = option(
        str, MODELS[0], "Which Elo: in deviations of a game, or of the mean score.", choices=MODELS
    )
    max_games: int = option(int, 10_000, "Maximum number of games.")
    opening_plies: int = option(int, 8, "Plies of an opening.")
    on_progress: Callable[[int, SequentialRun], object] | None = None

    @property
    def test(self) -> SequentialTest:
        """The sequential test of the games."""
        from claimeven.ratings.sprt import SequentialTest  # noqa: PLC0415 - for a quick start

        return SequentialTest(self.elo0, self.elo1, self.alpha, self.beta, self.model)


@dataclass(frozen=True, kw_only=True)
class LadderOptions(RunOptions):
    """The options of a placement: pairs of games, and the limit of the new agent."""

    rounds: int = option(int, POOL_ROUNDS, "Pairs of games against each agent of the pool.")
    on_progress: Callable[[int], object] | None = None


@dataclass(frozen=True, kw_only=True)
class CopyOptions(ExecutorOptions, LimitOptions, SandboxOptions, BoardOptions):
    """The options of the search for copies; 0 positions compare only sources."""

    positions: int = option(int, 100, "Positions without an obvious column; 0: compare only files.")
    seed: int = option(int, 0, "Seed of the positions and agents.")


@dataclass(frozen=True, kw_only=True)
class TuneOptions(_OpeningOptions):
    """The options of `tune`: the opponents, and the games of its stages.

    `against` is a spec or several, or "pool" for the reference pool. The limits are for the tuned
    agent. `on_try` gets the result after each try. `on_progress` gets the name of the stage, its
    finished games and all its games.
    """

    against: str | Sequence[str] = "pool"
    out: str | Path | None = option(Path, None, "Folder to store the games in, for --resume.")
    tries: int = option(int, 40, "Number of settings to try.")
    games: int = option(int, 100, "Games of a try; clearly worse tries stop earlier.")
    final_games: int = option(int, 400, "Fresh games that measure the best setting.")
    opening_plies: int = option(int, 6, "Plies of an opening.")
    on_try: Callable[[Any], object] | None = None
    on_progress: Callable[[str, int, int], object] | None = None
