"""Games of a store as files that other programs read: Parquet, CSV, JSON lines, move strings."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from claimeven.arena.errors import InvalidMatch
from claimeven.arena.store.query import GameFilter, GameList, each_game, game_dict, opened
from claimeven.arena.store.store import Store
from claimeven.atomic_io import binary_file, check_output
from claimeven.game.geometry import Geometry

#: The fields of a table of games and their types; `told` becomes one column a quantity.
FIELDS = {
    "game": int,
    "pair": int,
    "first": str,
    "second": str,
    "opening": str,
    "moves": str,
    "plies": int,
    "result": str,
    "winner": str,
    "fault": str,
    "fault_by": str,
    "reason": str,
    "seconds": float,
    "job": str,
}
#: Games of a Parquet file that are held in memory at once.
_ROWS = 10_000
Row = dict[str, Any]
#: Yields games as plain data, each time anew.
_Rows = Callable[[], Iterator[Row]]


def export_games(
    store: str | Path | Store | GameList,
    path: str | Path,
    wanted: GameFilter | None = None,
    watch: Callable[[int], object] = lambda _: None,
) -> int:
    """Write games to a file one at a time, whole or not at all; return how many.

    The ending says how: `.csv` and `.parquet` (extra `data`) are tables with a row a game, `.jsonl`
    has a JSON object a line, `.txt` a move string a line. Parquet and JSON also hold what was
    stored of each move; for Parquet games are read twice. `watch` is called with the number of
    games read. Raises `InvalidMatch` for other endings, and `CannotWrite`.
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
                watch(count)
                yield game_dict(game, labels)

        with binary_file(path) as stream:
            write(stream, rows, board)
    return count


def writer_for(path: str | Path) -> Callable[[BinaryIO, _Rows, Geometry], None]:
    """Return what writes a file of this name; raise what will stand in its way before any work."""
    ending = Path(path).suffix.lower()
    if ending not in _WRITERS:
        raise InvalidMatch(f"{path} must end in {', '.join(_WRITERS)}: that says what is written")
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


def _write_json_lines(stream: BinaryIO, rows: _Rows, _: Geometry) -> None:
    for game in rows():
        stream.write(json.dumps(game).encode() + b"\n")


def _write_moves(stream: BinaryIO, rows: _Rows, _: Geometry) -> None:
    for game in rows():
        stream.write((game["moves"] or "-").encode() + b"\n")


def _write_parquet(stream: BinaryIO, rows: _Rows, board: Geometry) -> None:
    arrow, parquet = _pyarrow()
    types = {int: arrow.int64(), str: arrow.string(), float: arrow.float64()}
    schema = {name: types[kind] for name, kind in FIELDS.items()}
    for quantity in sorted({quantity for row in rows() for quantity in row["told"]}):
        schema[f"move_{quantity}"] = arrow.list_(arrow.float64())
    header = {"claimeven": json.dumps(board.as_dict())}
    flat = (row | {f"move_{name}": told for name, told in row["told"].items()} for row in rows())
    with parquet.ParquetWriter(stream, arrow.schema(schema.items(), header)) as writer:
        while some := list(islice(flat, _ROWS)):
            writer.write_table(arrow.Table.from_pylist(some, writer.schema))


_WRITERS = {
    ".csv": _write_csv,
    ".jsonl": _write_json_lines,
    ".parquet": _write_parquet,
    ".txt": _write_moves,
}


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow  # noqa: PLC0415 - an extra
        import pyarrow.parquet  # noqa: PLC0415 - for a quick start
    except ImportError:
        raise InvalidMatch(
            "Parquet files need pyarrow: pip install 'claimeven[data]', or write a .csv file"
        ) from None
    return pyarrow, pyarrow.parquet
