"""The games of a store: found, listed, read as it grows, and written for other programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

from claimeven.agents.base import FaultKind
from claimeven.arena.games.game import Game
from claimeven.arena.options import InvalidMatch
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.store import GameQuery, Store, StoredAgent
from claimeven.atomic_io import binary_file, check_output
from claimeven.blocks import flat_rows
from claimeven.errors import path_of
from claimeven.game.geometry import Geometry
from claimeven.game.notation import format_moves, parse_moves
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.records import RESULTS, result_name
from claimeven.suggestions import no_such

#: The fields of a table of games and their types; `move_stats` becomes one column a quantity.
FIELDS = {
    "game": int, "pair": int, "first": str, "second": str, "opening": str, "moves": str,
    "plies": int, "result": str, "winner": str, "fault": str, "fault_by": str, "reason": str,
    "adjudicated": int, "seconds": float, "job": str,
}  # fmt: skip
#: Games after which consecutive numbers of games that were read are dropped.
_OFTEN = 10_000
#: Games of a Parquet file in memory at the same time.
_ROWS = 10_000
Row = dict[str, Any]
#: Yields games as plain data; it may be called several times.
_Rows = Callable[[], Iterator[Row]]
_Writer = Callable[[BinaryIO, _Rows, Geometry], None]
#: Results from the view of an agent.
OWN_RESULTS = ("win", "loss")
#: The word for a fault of any kind.
ANY_FAULT = "any"
#: Conditions in SQL for each of `RESULTS`, and for the agent that won or lost.
_ENDED = (*(f"finished AND winner IS {winner}" for winner in (0, 1, "NULL")), "NOT finished")
_OF_WINNER = {
    "win": "CASE winner WHEN 0 THEN first WHEN 1 THEN second END = ?",
    "loss": "CASE winner WHEN 0 THEN second WHEN 1 THEN first END = ?",
}
#: The number of all games.
_ALL = GameQuery().most


@dataclass(frozen=True)
class GameFilter:
    """A filter of games; omitted fields match all games.

    `agents` (labels) are the players. `result` is one of `RESULTS`, or one of `OWN_RESULTS` for the
    first of `agents`, either if it played against itself. `fault` is the kind of fault that ended
    the game, or "any". `plies` are the minimum and maximum number of discs. `opening` holds the
    first moves; `pair` is the number of the pair (from 0). Raises `InvalidMatch` for unknown words.
    """

    agents: tuple[str, ...] = ()
    result: str | None = None
    fault: str | None = None
    plies: tuple[int, int] | None = None
    opening: str = ""
    pair: int | None = None

    def __post_init__(self) -> None:
        if self.result is not None and self.result not in (*RESULTS, *OWN_RESULTS):
            raise InvalidMatch(no_such("result", self.result, (*RESULTS, *OWN_RESULTS)))
        if self.result in OWN_RESULTS and not self.agents:
            raise InvalidMatch(f"the result {self.result} needs an agent: name it")
        faults = (*map(str, FaultKind), ANY_FAULT)
        if self.fault is not None and self.fault not in faults:
            raise InvalidMatch(no_such("fault", self.fault, faults))
        if self.plies is not None and not 0 <= self.plies[0] <= self.plies[1]:
            low, high = self.plies
            raise InvalidMatch(f"plies must be a minimum and a maximum, got {low} to {high}")

    def query(
        self, agents: Sequence[StoredAgent], geometry: Geometry, skipped: int = 0, most: int = _ALL
    ) -> GameQuery:
        """Return the query in a store of these agents, or for a page. Raises `InvalidStore`."""
        ids = {agent.label: agent.id for agent in agents}
        for label in self.agents:
            if label not in ids:
                raise InvalidStore(no_such("agent", label, ids))
        opening = format_moves(parse_moves(self.opening, geometry), geometry)
        asked: list[tuple[Any, ...]] = [("1",)]  # conditions, each with its values
        asked += [("? IN (first, second)", ids[label]) for label in self.agents]
        if self.result in RESULTS:
            asked.append((_ENDED[RESULTS.index(self.result)],))
        elif self.result is not None:
            asked.append((_OF_WINNER[self.result], ids[self.agents[0]]))
        if self.fault is not None:
            faults = tuple(FaultKind) if self.fault == ANY_FAULT else (self.fault,)
            asked.append((f"fault IN ({', '.join('?' * len(faults))})", *map(str, faults)))
        if self.plies is not None:
            asked.append(("length(opening || moves) BETWEEN ? AND ?", *self.plies))
        if opening:
            asked.append(("substr(opening || moves, 1, ?) = ?", len(opening), opening))
        if self.pair is not None:
            asked.append(("pair = ?", self.pair))
        condition = " AND ".join(text for text, *_ in asked)
        return GameQuery(condition, tuple(chain(*(values for _, *values in asked))), skipped, most)


@dataclass(frozen=True)
class GameList:
    """Some games of a store with the labels of their agents; see `rows` and `count`.

    `stored` counts the readable games of the store, `corrupt` the unreadable games wanted.
    """

    geometry: Geometry
    agents: tuple[StoredAgent, ...]
    games: tuple[Game, ...]
    stored: int
    corrupt: int = 0

    def label(self, agent: int) -> str:
        """Return the label of an agent by its number."""
        return next(each.label for each in self.agents if each.id == agent)

    def rows(self) -> list[Row]:
        """Return the games as flat rows: see `game_rows`."""
        return game_rows(self.games, {agent.id: agent.label for agent in self.agents})

    def count(self, result: str) -> int:
        """Return the number of games with a result of `RESULTS`."""
        return sum(result_of(game) == result for game in self.games)


def find_games(
    store: str | Path | Store,
    wanted: GameFilter | None = None,
    limit: int | None = None,
    page: int = 1,
) -> GameList:
    """Return the games of a store, or the games of a filter, in the order of the plan.

    With a `limit` only a `page` of at most `limit` games is read and returned; corrupt games take
    their place on a page. Raises `InvalidStore` for unknown agents too, and `InvalidNotation`.

    `find_games("class.db", GameFilter(("ann",), "loss")).games` are the games that ann lost.
    """
    with opened(store) as source:
        games = tuple(each_game(source, wanted, limit, page))
        corrupt, stored = len(source.corrupt), len(games)
        if wanted is not None or limit is not None:
            stored = len(source) - corrupt * (limit is None)
        return GameList(source.start.geometry, source.agents, games, stored, corrupt)


def each_game(
    store: Store, wanted: GameFilter | None = None, limit: int | None = None, page: int = 1
) -> Iterator[Game]:
    """Yield the games that `find_games` returns, one at a time: no other game is read."""
    most = _ALL if limit is None else min(limit, _ALL)
    query = (wanted or GameFilter()).query(
        store.agents, store.start.geometry, min(most * (page - 1), _ALL), most
    )
    return store.games(query=query)


@contextmanager
def opened(store: str | Path | Store) -> Iterator[Store]:
    """Yield a store; one given by its path is opened for reading and closed again."""
    if isinstance(store, Store):
        yield store
        return
    with Store.read(store) as source:
        yield source


def result_of(game: Game) -> str:
    """Return the result of a game, one of `RESULTS`."""
    return result_name(game.winner, game.finished)


def result_in_words(game: Game) -> str:
    """Return the result of a game in words.

    >>> result_in_words(Game("a", 0, 0, 0, 1, "", "1213141", 0))
    'Yellow wins'
    """
    if not game.finished:
        return "left unfinished"
    result = "draw" if game.winner is None else f"{PLAYER_NAMES[game.winner]} wins"
    return result if game.adjudicated is None else f"{result} (adjudicated by exact score)"


def game_dict(game: Game, labels: Mapping[int, str]) -> dict[str, Any]:
    """Return a game as plain data: agents by label, games and pairs from 1, `moves` all of them.

    `opening` holds the first of them, which no agent chose; `move_stats` holds the figures of each
    move after the opening. `adjudicated` is the exact score after `plies` discs that ended it.
    """
    return {
        "game": game.number + 1,
        "pair": None if game.pair is None else game.pair + 1,
        "first": labels[game.first],
        "second": labels[game.second],
        "opening": game.opening,
        "moves": game.all_moves,
        "plies": len(game.all_moves),
        "result": result_of(game),
        "winner": None if game.winning_agent is None else labels[game.winning_agent],
        "fault": game.fault,
        "fault_by": None if game.fault_seat is None else labels[game.agents[game.fault_seat]],
        "reason": game.reason,
        "adjudicated": game.adjudicated,
        "seconds": game.seconds,
        "job": game.job,
        "move_stats": {name: list(values) for name, values in game.move_stats.items()},
    }


def game_rows(games: Iterable[Game], labels: Mapping[int, str]) -> list[Row]:
    """Return games as flat rows, with the fields of a table of games: see `game_dict`."""
    found = (game_dict(game, labels) for game in games)
    return flat_rows({name: game[name] for name in FIELDS} for game in found)


def export_games(
    store: str | Path | Store | GameList,
    path: str | Path,
    wanted: GameFilter | None = None,
    on_progress: Callable[[int], object] = lambda _: None,
) -> int:
    """Write games to a file, complete or not at all; return their number.

    The ending decides the format: `.csv` and `.parquet` (extra `data`) are tables with a row per
    game, `.jsonl` has a JSON object per line, `.txt` a move string per line. Parquet and JSON also
    hold the figures of each move; for Parquet games are read twice. `on_progress` gets the number
    of games read. Raises `InvalidMatch` for other endings, and `CannotWrite`.
    """
    write = writer_for(path)
    count = 0
    with nullcontext(store) if isinstance(store, GameList) else opened(store) as source:
        board = source.geometry if isinstance(source, GameList) else source.start.geometry
        labels = {agent.id: agent.label for agent in source.agents}

        def rows() -> Iterator[Row]:
            games = source.games if isinstance(source, GameList) else each_game(source, wanted)
            nonlocal count
            for count, game in enumerate(games, 1):
                on_progress(count)
                yield game_dict(game, labels)

        with binary_file(path) as stream:
            write(stream, rows, board)
    return count


def writer_for(path: str | Path) -> _Writer:
    """Return the writer for a file name; raise its errors before any work."""
    ending = path_of(path, InvalidMatch).suffix.lower()
    if ending not in _WRITERS:
        raise InvalidMatch(
            f"{path} must end in {', '.join(_WRITERS)}: the ending decides the format"
        )
    if ending == ".parquet":
        _pyarrow()
    check_output(path)
    return _WRITERS[ending]


def _write_csv(stream: BinaryIO, rows: _Rows, _: Geometry) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    writer = csv.DictWriter(text, FIELDS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows())
    text.detach()


def _write_lines(line_of: Callable[[Row], str], stream: BinaryIO, rows: _Rows, _: Geometry) -> None:
    stream.writelines(line_of(game).encode() + b"\n" for game in rows())


def _write_parquet(stream: BinaryIO, rows: _Rows, board: Geometry) -> None:
    arrow, parquet = _pyarrow()
    types = {int: arrow.int64(), str: arrow.string(), float: arrow.float64()}
    schema = {name: types[kind] for name, kind in FIELDS.items()}
    for quantity in sorted({quantity for row in rows() for quantity in row["move_stats"]}):
        schema[f"move_{quantity}"] = arrow.list_(arrow.float64())
    header = {"claimeven": json.dumps(board.as_dict())}
    flat = (
        row | {f"move_{name}": values for name, values in row["move_stats"].items()}
        for row in rows()
    )
    with parquet.ParquetWriter(stream, arrow.schema(schema.items(), header)) as writer:
        while some := list(islice(flat, _ROWS)):
            writer.write_table(arrow.Table.from_pylist(some, writer.schema))


_WRITERS: dict[str, _Writer] = {
    ".csv": _write_csv,
    ".jsonl": partial(_write_lines, json.dumps),
    ".parquet": _write_parquet,
    ".txt": partial(_write_lines, lambda game: game["moves"] or "-"),
}


def _pyarrow() -> tuple[Any, Any]:
    from claimeven.dataset.files import imported_pyarrow  # noqa: PLC0415 - for a quick start

    return imported_pyarrow(InvalidMatch)


class UnreadGames:
    """Yields each game of a store once, in several calls; `count` is the number read.

    Games are stored nearly in the order of their numbers. So it remembers the number below which
    all games are read, and the games read beyond. Corrupt games count as read.
    """

    def __init__(self) -> None:
        self.count = 0
        self._next = 0
        self._beyond: set[tuple[int, str]] = set()
        self._corrupt: set[tuple[Any, Any]] = set()

    def read(self, store: Store) -> Iterator[Game]:
        """Yield the games that were not read before. Raises what `Store.games` raises."""
        for game in store.games(self._next, frozenset(self._beyond | self._corrupt)):
            self._beyond.add((game.number, game.job))
            self.count += 1
            yield game
            if not self.count % _OFTEN:
                self._forget()
        self._corrupt.update(store.corrupt)
        self.count += len(store.corrupt)
        self._forget()

    def has_all_of(self, least: int, most: int) -> bool:
        """Whether it read all games of a store of `least` games before and `most` after it."""
        return least <= self.count <= most

    def _forget(self) -> None:
        """Move on to the first number that is missing."""
        corrupt = {each for each in self._corrupt if isinstance(each[0], int)}
        for number, job in sorted(self._beyond | corrupt, key=itemgetter(0)):
            if number > self._next:
                break
            self._next = max(self._next, number + 1)
            self._beyond.discard((number, job))
