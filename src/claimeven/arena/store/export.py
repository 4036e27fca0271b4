"""Games of a store as files that other programs read: Parquet, CSV, JSON lines, move strings."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from claimeven.arena.errors import InvalidMatch
from claimeven.arena.store.listing import GameFilter, GameList, find_games
from claimeven.arena.store.store import Store
from claimeven.outputs import binary_file, check_output

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


def export_games(
    store: str | Path | Store | GameList, path: str | Path, wanted: GameFilter | None = None
) -> int:
    """Write games to a file, whole or not at all; return how many.

    The ending says how: `.csv` and `.parquet` (extra `data`) are tables with a row a game, `.jsonl`
    has a JSON object a line, `.txt` a move string a line. Parquet and JSON also hold what was
    stored of each move. Raises `InvalidMatch` for other endings, and `CannotWrite`.
    """
    write = writer_for(path)
    games = store if isinstance(store, GameList) else find_games(store, wanted)
    with binary_file(path) as stream:
        write(stream, games)
    return len(games.games)


def writer_for(path: str | Path) -> Callable[[BinaryIO, GameList], None]:
    """Return what writes a file of this name; raise what will stand in its way before any work."""
    ending = Path(path).suffix.lower()
    if ending not in _WRITERS:
        raise InvalidMatch(f"{path} must end in {', '.join(_WRITERS)}: that says what is written")
    if ending == ".parquet":
        _pyarrow()
    check_output(path)
    return _WRITERS[ending]


def _write_csv(stream: BinaryIO, games: GameList) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    writer = csv.DictWriter(text, FIELDS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(games.dicts())
    text.detach()


def _write_json_lines(stream: BinaryIO, games: GameList) -> None:
    for game in games.dicts():
        stream.write(json.dumps(game).encode() + b"\n")


def _write_moves(stream: BinaryIO, games: GameList) -> None:
    for game in games.games:
        stream.write((game.all_moves or "-").encode() + b"\n")


def _write_parquet(stream: BinaryIO, games: GameList) -> None:
    arrow, parquet = _pyarrow()
    types = {int: arrow.int64(), str: arrow.string(), float: arrow.float64()}
    rows = list(games.dicts())
    columns = {
        name: arrow.array([row[name] for row in rows], types[kind]) for name, kind in FIELDS.items()
    }
    told = sorted({quantity for row in rows for quantity in row["told"]})
    for quantity in told:
        amounts = [row["told"].get(quantity) for row in rows]
        columns[f"move_{quantity}"] = arrow.array(amounts, arrow.list_(arrow.float64()))
    header = games.geometry.as_dict()
    table = arrow.table(columns).replace_schema_metadata({"claimeven": json.dumps(header)})
    parquet.write_table(table, stream)


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
