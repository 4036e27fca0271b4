"""Every move of every game of a store judged against exact scores, which are stored with the games.

The moves of an opening are not judged. A forfeited game counts with the moves that were made.
Scores are derived data: dropping them loses only time. In a store they are the table `scores`: the
canonical key of a position, and a signed byte a column for the side to move, -128 if it is full.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.arena.accuracy.metrics import Accuracy, Blunder
from claimeven.arena.games.game import Game
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.query import opened
from claimeven.arena.store.store import Store, StoredAgent
from claimeven.blocks import flat_rows
from claimeven.errors import ClaimevenError
from claimeven.game.game_line import GameLine
from claimeven.game.geometry import WORD_BITS, Geometry
from claimeven.game.notation import parse_moves
from claimeven.game.position import Position
from claimeven.markup import shown_by
from claimeven.messages import WorkProgress, report
from claimeven.parallel.jobs import Calls, Executor, made
from claimeven.review.analysis import JudgedMove
from claimeven.solver.progress import SolveProgress
from claimeven.solver.solver import ILLEGAL, Solver
from claimeven.suggestions import no_such

#: The scores of a position's columns for the side to move, None for a full column.
Row = tuple[int | None, ...]
#: Positions solved between two writes, so that an interruption loses little.
BATCH = 128
#: Keys that one query asks for, and seconds to wait for another process that writes to the file.
_ASKED, _BUSY_TIMEOUT = 500, 10.0

_TABLE = "CREATE TABLE IF NOT EXISTS scores (key {} PRIMARY KEY, columns BLOB NOT NULL)"


class ScoreCache:
    """Scores of positions of a board, also in a store; `trouble` says why it was not written."""

    def __init__(self, path: str | Path | None = None, bits: int = WORD_BITS) -> None:
        self.trouble: str | None = None
        self._path = None if path is None else Path(path)
        self._fits_word = bits <= WORD_BITS
        self._rows: dict[int, Row] = {}

    def __getitem__(self, position: Position) -> Row:
        """Return the scores of a position that was `solve`d. Raises KeyError."""
        return _oriented(self._rows[position.canonical_key], position)

    def solve(
        self,
        positions: Iterable[Position],
        solver: Callable[[], Solver],
        on_progress: Callable[[WorkProgress], object] | None = None,
        executor: Executor | None = None,
    ) -> None:
        """Look up or solve the scores of positions, which may not be over.

        All are solved together by all threads of the solver (made only if needed), or by the
        workers of an executor, the latest plies first: they are quick and fill the table for
        earlier ones. After Ctrl-C the solved scores stay stored.
        """
        begin = time.monotonic()
        wanted = {position.canonical_key: position for position in positions}
        for key, row in self._stored(key for key in wanted if key not in self._rows):
            if _fits(row, wanted[key]):
                self._rows[key] = row
        left = [wanted[key] for key in wanted.keys() - self._rows.keys()]
        left.sort(key=lambda position: (-position.ply, position.canonical_key))
        resumed = len(wanted) - len(left)

        def report(done: int) -> None:
            if on_progress is not None:
                seconds = time.monotonic() - begin
                on_progress(WorkProgress(resumed + done, len(wanted), resumed, seconds))

        report(0)
        if not left:
            return
        if executor is not None:
            calls = Calls(Solver.scores, partial(made, solver().maker()))
            found: dict[int, Row] = {}
            try:
                with closing(calls.results(left, executor)) as results:
                    for done, (place, row) in enumerate(results, start=1):
                        found[left[place].canonical_key] = _oriented(row, left[place])
                        if len(found) == BATCH:
                            self._keep(found)
                            found = {}
                        report(done)
            finally:
                self._keep(found)
            return
        search = solver()
        for start in range(0, len(left), BATCH):
            part = left[start : start + BATCH]

            def report_part(at: SolveProgress, start: int = start, size: int = len(part)) -> None:
                report(start + at.done * size // max(1, at.total))

            rows = search.scores_many(part, on_progress=report_part).tolist()
            pairs = zip(part, rows, strict=True)
            self._keep({each.canonical_key: _oriented(_row(row), each) for each, row in pairs})
            report(start + len(part))

    def _stored(self, keys: Iterable[int]) -> Iterator[tuple[int, Row]]:
        asked = list(keys)
        if self._path is None or not asked:
            return
        # A store without the table, or a corrupt one, has no scores: they are computed.
        with suppress(sqlite3.Error), closing(_connected(self._path, "ro")) as connection:
            for start in range(0, len(asked), _ASKED):
                part = {self._as_stored(key): key for key in asked[start : start + _ASKED]}
                marks = ", ".join("?" * len(part))
                query = f"SELECT key, columns FROM scores WHERE key IN ({marks})"
                for key, columns in connection.execute(query, list(part)).fetchall():
                    scores = np.frombuffer(columns, dtype=np.int8).tolist()
                    yield part[key], _row(scores)

    def _as_stored(self, key: int) -> int | bytes:
        if not self._fits_word:
            return key.to_bytes(16, "big")
        return key - (1 << 64) if key >> 63 else key

    def _keep(self, found: Mapping[int, Row]) -> None:
        """Add scores, also to the store."""
        self._rows.update(found)
        if self._path is None or self.trouble is not None:
            return
        stored = ([ILLEGAL if score is None else score for score in row] for row in found.values())
        columns = (np.array(row, dtype=np.int8).tobytes() for row in stored)
        rows = list(zip(map(self._as_stored, found), columns, strict=True))
        try:
            with closing(_connected(self._path, "rw")) as connection, connection:
                connection.execute(_TABLE.format("INTEGER" if self._fits_word else "BLOB"))
                connection.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            self.trouble = f"scores cannot be stored in {self._path}: {error}"


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    where = f"{path.resolve().as_uri()}?mode={mode}"
    return sqlite3.connect(where, uri=True, timeout=_BUSY_TIMEOUT)


def _oriented(row: Row, position: Position) -> Row:
    """Convert the row of a position to the row of its canonical one, or back."""
    return row if position.key == position.canonical_key else row[::-1]


def _row(scores: Iterable[int]) -> Row:
    return tuple(None if score == ILLEGAL else score for score in scores)


def _fits(row: Row, position: Position) -> bool:
    """Whether a row read from a file may be one of a position, or of its mirror image."""
    row, legal = _oriented(row, position), position.legal_columns
    return len(row) == position.geometry.columns and all(
        (score is not None) == (column in legal) for column, score in enumerate(row)
    )


#: Default size of the solver's table in MB. Positions after the book are many and quick: a small
#: table fits the processor's cache better, which outweighs its lost entries.
JUDGE_MB = 32


@dataclass(frozen=True)
class GamesAccuracy:
    """How well the agents of some games played: an `Accuracy` for each, by label.

    `judged` are the games and `moves` is the number of their judged moves. `positions` is the
    number of the different ones up to mirroring, with scores in `known`; `total` counts all games.

    `accuracy_of("class.db")["greedy"].all.mean("perfect")` is a share between 0 and 1.
    """

    agents: tuple[StoredAgent, ...]
    by_agent: dict[str, Accuracy]
    geometry: Geometry
    judged: tuple[Game, ...] = field(repr=False)
    total: int
    moves: int
    positions: int
    known: ScoreCache = field(repr=False, compare=False)

    _repr_html_ = shown_by("claimeven.arena.accuracy_results", "games_accuracy")

    def __getitem__(self, label: str) -> Accuracy:
        """Return the accuracy of an agent. Raises `InvalidStore` naming those there are."""
        if label not in self.by_agent:
            raise InvalidStore(no_such("agent", label, self.by_agent))
        return self.by_agent[label]

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """The labels of the agents, the best at keeping the result first, without moves last."""
        return ranked(self.by_agent)

    def worst(self, most: int) -> list[Blunder]:
        """Return the worst moves of all agents, worst first."""
        return worst_of(self.by_agent.values(), most)

    def rows(self) -> list[dict[str, Any]]:
        """Return the accuracy of all agents as flat rows, best first: see `Accuracy.rows`."""
        return flat_rows(row for label in self.ranking for row in self[label].rows())

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        return {
            **self.geometry.as_dict(),
            "games": len(self.judged),
            "games_stored": self.total,
            "moves": self.moves,
            "positions": self.positions,
            "agents": [
                {"label": label, **self.by_agent[label].as_dict()} for label in self.ranking
            ],
        }


def accuracy_of(
    store: str | Path | Store,
    *,
    agent: str | None = None,
    most: int | None = None,
    solver: Callable[[Geometry], Solver] | None = None,
    threads: int = 1,
    executor: Executor | None = None,
    on_progress: Callable[[WorkProgress], object] | None = None,
    on_message: Callable[[str], object] | None = None,
) -> GamesAccuracy:
    """Judge every move of the games of a store; return the accuracy of each agent.

    `agent` restricts it to one, by label; `most` limits the number of games, taken evenly from the
    schedule in whole pairs. `solver` makes the solver for a board; by default it has `threads`
    threads and the bundled book. The workers of an `executor` have a solver like it. Computed
    scores are stored in the store's file, so a second or interrupted run continues there.
    `on_progress` gets how far the work is, `on_message` a sentence if scores cannot be stored.

    Raises `InvalidStore` for an invalid store, an unknown agent, and illegal moves.
    """
    with opened(store) as source:
        agents, start = source.agents, source.start
        labels = [each.label for each in agents]
        if agent is not None and agent not in labels:
            raise InvalidStore(no_such("agent", agent, labels))
        wanted = {each.id: each.label for each in agents if agent in (None, each.label)}
        stored = list(source.games())
        games = _spread([game for game in stored if set(game.agents) & set(wanted)], most)

        def make() -> Solver:
            if solver is not None:
                return solver(start.geometry)
            return Solver(start.geometry, table_mb=JUDGE_MB, threads=threads)

        known = ScoreCache(source.path, start.geometry.bits)
        different = {
            position.canonical_key: position
            for game in games
            for position, _, _ in moves_of(game, start, wanted)
        }
        known.solve(different.values(), make, on_progress, executor)
        if known.trouble is not None:
            report(on_message, known.trouble)
    by_agent = {label: Accuracy(agent=label) for label in wanted.values()}
    moves = 0
    for game in games:
        for position, column, mover in moves_of(game, start, wanted):
            before = game.all_moves[: position.ply - start.ply]
            move = JudgedMove(position, column, known[position])
            by_agent[wanted[mover]].add(move, before, game.number, _pair_of(game))
            moves += 1
    chosen = tuple(each for each in agents if each.id in wanted)
    return GamesAccuracy(
        chosen, by_agent, start.geometry, tuple(games), len(stored), moves, len(different), known
    )


def _spread(games: list[Game], most: int | None) -> list[Game]:
    """Return at most `most` games: whole pairs if possible, evenly from all agents and meetings."""
    if most is None or len(games) <= most:
        return games
    meetings: dict[tuple[int, ...], dict[object, list[Game]]] = {}
    for game in games:
        meeting = meetings.setdefault(tuple(sorted(game.agents)), {})
        meeting.setdefault(_pair_of(game), []).append(game)
    size = sum(map(len, meetings.values()))
    # Pair after pair from the meeting whose agents have been taken least so far.
    taken, of_agent = Counter[tuple[int, ...]](), Counter[int]()
    for _ in range(most * size // len(games)):
        left = (two for two, pairs in meetings.items() if taken[two] < len(pairs))
        two = min(left, key=lambda two: (sum(of_agent[agent] for agent in two), taken[two]))
        taken[two] += 1
        of_agent.update(two)
    chosen = {
        game.job
        for two, count in taken.items()
        for part in range(count)
        for game in [*meetings[two].values()][part * len(meetings[two]) // count]
    }
    return [game for game in games if game.job in chosen] or games[:most]


def _pair_of(game: Game) -> tuple[object, ...]:
    """Return a key that only the two games of a pair have in common."""
    return (*sorted(game.agents), game.job if game.pair is None else game.pair)


def moves_of(
    game: Game, start: Position, agents: Iterable[int] | None = None
) -> Iterator[tuple[Position, int, int]]:
    """Yield the moves of a game after its opening: position before, 0-based column, whose it is.

    With `agents` (their numbers) only their moves. Raises `InvalidStore` for illegal moves.
    """
    try:
        columns = parse_moves(game.all_moves, start.geometry)
        positions = GameLine(start, columns).positions
    except ClaimevenError as error:
        raise InvalidStore(f"game {game.number + 1} cannot be read: {error}") from None
    skipped = len(game.opening)
    for position, column in zip(positions[skipped:], columns[skipped:], strict=False):
        mover = game.agents[position.turn]
        if agents is None or mover in agents:
            yield position, column, mover


def ranked(accuracies: dict[str, Accuracy]) -> tuple[str, ...]:
    """Return labels by the share of decisive moves that keep the result, then by the mean loss."""

    def rank(label: str) -> tuple[bool, float, float]:
        found = accuracies[label]
        keeping, loss = found.decisive.mean("keeps_result"), found.all.mean("score_loss")
        return (loss is None, -1.0 if keeping is None else -keeping, 0.0 if loss is None else loss)

    return tuple(sorted(accuracies, key=rank))


def worst_of(accuracies: Iterable[Accuracy], most: int) -> list[Blunder]:
    """Return the worst moves of several agents, worst first."""
    found = [blunder for accuracy in accuracies for blunder in accuracy.blunders(most)]
    return sorted(found, key=lambda blunder: blunder.rank)[:most]
