"""Commands that workers may compute, with small inputs: for every kind of executor."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

#: Positions and games on 5x4, of which one line is invalid.
LINES = "1122\n12\n\n9\n2345\n1234\n"
#: Games on 5x4.
GAMES = "1122334\n12123434\n5432154321\n2222333314\n"
BOARD = ("--columns", "5", "--rows", "4")

#: Each command: its words, among them IN (a file of `LINES`), GAMES, BOOK and OUT.
COMMANDS: dict[str, Sequence[str]] = {
    "dataset": ("dataset", "--positions", "60", "--plies", "6-12", "--out", "OUT.csv", *BOARD),
    "self-play": (
        "dataset", "--positions", "60", "--plies", "6-12", "--source", "selfplay", "--out",
        "OUT.csv", *BOARD,
    ),
    "all-positions": (
        "dataset", "--source", "all", "--plies", "0-3", "--no-book", "--out", "OUT.csv", *BOARD,
    ),
    "book-build": ("book", "build", "--plies", "4", "--table-mb", "4", "--out", "OUT.book", *BOARD),
    "book-verify": ("book", "verify", "BOOK", "--all", "--table-mb", "4", "--json"),
    "analyze": ("analyze", "IN", "--json", *BOARD),
    "explain": ("explain", "IN", *BOARD),
    "solve": ("solve", "IN", "--all", *BOARD),
    "solve-json": ("solve", "IN", "--json", *BOARD),
    "accuracy": ("accuracy", "random", "greedy", "--count", "40", "--show-worst", "1", "--json"),
    "accuracy of games": ("accuracy", "GAMES", "--show-worst", "1", "--json", *BOARD),
    "study": ("study", "run", "polito-alphabeta", "--games", "8", "--json"),
    "tournament": (
        "tournament", "random", "greedy", "alphabeta:depth=2", "--rounds", "4", "--json", "--out",
        "OUT.db", *BOARD,
    ),
}  # fmt: skip


def words_of(name: str, folder: Path, book: Path) -> list[str]:
    """The words of a command whose files are in a folder."""
    folder.mkdir(parents=True)
    (folder / "lines.txt").write_text(LINES, encoding="ascii")
    (folder / "games.txt").write_text(GAMES, encoding="ascii")
    names = {"IN": str(folder / "lines.txt"), "GAMES": str(folder / "games.txt"), "BOOK": str(book)}
    return [names.get(word, re.sub("^OUT", str(folder / "out"), word)) for word in COMMANDS[name]]


def result_of(output: str, folder: Path) -> Any:
    """The output of a command without times and nodes, and the bytes or rows of its file."""
    shown = [_unmeasured(line) for line in output.replace(str(folder), "").splitlines()]
    return shown, [contents(path) for path in sorted(folder.glob("out*"))]


def _unmeasured(line: str) -> Any:
    if not line.startswith("{"):
        return re.sub(r"[\d.]+ s$", "", line)
    return _without(json.loads(line))


def _without(data: Any) -> Any:
    if isinstance(data, list):
        return [_without(each) for each in data]
    if isinstance(data, dict):
        is_time = data.get("speed_up") is not None
        measured = {*MEASURED, "measured", "speed_up"} if is_time else MEASURED
        return {key: _without(each) for key, each in data.items() if key not in measured}
    return data


#: Figures that no seed determines, and the number of processes.
MEASURED = ("seconds", "nodes", "seconds_per_move", "begun", "command", "jobs")


def contents(path: Path) -> Any:
    """The bytes of a file, or the games of a store in order, without times."""
    if path.suffix != ".db":
        return path.read_bytes()
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT * FROM games ORDER BY 1").fetchall()
        names = [column[1] for column in database.execute("PRAGMA table_info(games)")]
    games = [dict(zip(names, row, strict=True)) for row in rows]
    return [_without({**game, "told": json.loads(game["told"])}) for game in games]
