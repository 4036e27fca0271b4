"""`docs/output.toml` describes every JSON key and every heading of a table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doctools.hooks import with_inclusions
from doctools.output import DESCRIPTIONS, described_keys

from tests.agents.process.test_process import bot
from tests.arena.report.stores import GAMES, SMALL_PLAN, made
from tests.cli.conftest import Run

DOCS = Path(__file__).parents[2] / "docs"
SMALL = ("--columns", "4", "--rows", "4", "--connect", "3", "--table-mb", "1")

ASKED = {
    "solve": ("solve", "4455"),
    "show": ("show", "4455", "--as", "fen"),
    "think, Monte Carlo": ("think", "44", "--agent", "uct:iterations=5", "--tree"),
    "think, priors": ("think", "44", "--agent", "puct:iterations=20", "--tree"),
    "think, alpha-beta": ("think", "44", "--agent", "alphabeta:depth=2", "--trace"),
    "think, perfect": ("think", "44", "--agent", "perfect"),
    "think, full": ("think", "12", "--agent", "full", *SMALL[:6]),
    "explain": ("explain", "44455554221", "--table-mb", "4"),
    "analyze": ("analyze", "12121", *SMALL),
    "match": ("match", "greedy", "random", "--games", "2"),
    "accuracy": ("accuracy", "random", "--count", "12", "--jobs", "1", "--seconds", "1"),
    "tournament": ("tournament", "greedy", "random", "--rounds", "1", "--jobs", "1"),
    "ladder": ("ladder", "greedy:win=yes", "--rounds", "1", "--jobs", "1"),
    "ladder, published": ("ladder", "--published"),
    "sprt": ("sprt", "greedy", "random", "--max-games", "2", "--jobs", "1"),
    "tune": (
        "tune", "greedy", "--option", "win=yes,no", "--against", "random", "--tries", "1",
        "--games", "2", "--final-games", "2",
    ),
    "check": ("check", bot("full")),
    "copies": ("copies", "greedy", "random", "--positions", "5", "--jobs", "1"),
    "study list": ("study", "list"),
    "study run": ("study", "run", "lund-peer", "--games", "2", "--jobs", "1"),
    "play": ("play", "--first", "greedy", "--second", "random"),
    "puzzles": ("puzzles", "--number", "1", "--hint"),
    "puzzles counted": ("puzzles", "--counts"),
    "book info": ("book", "info", "BOOK"),
    "book list": ("book", "list"),
    "book counts": ("book", "counts", "BOOK"),
    "book verify": ("book", "verify", "BOOK", "--table-mb", "1"),
    "perft": ("perft", "2"),
    "agents": ("agents",),
    "export": ("export", "uct", "-o", "NEW"),
    "dataset": ("dataset", "--positions", "3", "--plies", "6", "--out", "NEW.csv", *SMALL),
    "train": (
        "train", "ntuple", "--out", "NEW", "--games", "20", "--eval-every", "20", "--tuples", "3",
        "--length", "3", "--eval-games", "1", *SMALL[:6],
    ),
    "convert": ("convert", "-", "-o", "NEW.csv"),
    "accuracy of games": ("accuracy", "STORE"),
    "games": ("games", "STORE"),
    "games, exported": ("games", "STORE", "--export", "NEW.csv"),
    "games, imported": ("games", "NEW.db", "--import", "-", "--first", "ann", "--second", "bob"),
    "report": ("report", "STORE"),
    "site": ("site", "--out", "NEW"),
}  # fmt: skip
#: Tables of other commands whose keys a command has too, and tables of parts of its objects.
TABLES_TOO = {
    "think": ["minimax-tree", "montecarlo-tree"],
    "explain": ["claim"],
    "analyze": ["claim"],
    "accuracy": ["claim"],
    "report": ["tournament", "accuracy"],
}
#: Objects with other keys: reasons, evaluations, files, descriptions, options of agents.
OWN = {"forfeit_reasons", "evaluations", "files", "provenance", "options", "space"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("stores") / "a.db", GAMES, {"plan": SMALL_PLAN})


@pytest.fixture
def places(small_book: Path, store: Path, tmp_path: Path) -> dict[str, str]:
    """The files that the names in the commands mean."""
    return {"BOOK": str(small_book), "STORE": str(store), "NEW": str(tmp_path / "new")}


def placed(words: tuple[str, ...], places: dict[str, str]) -> list[str]:
    return [re.sub("BOOK|STORE|NEW", lambda found: places[found[0]], word) for word in words]


def keys_of(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            if key not in OWN:
                yield from keys_of(value)
    elif isinstance(data, list):
        for value in data:
            yield from keys_of(value)


def tables_of(command: str) -> list[str]:
    """Return the names of the command's tables: `book` has `book`, `book-verify` and others."""
    own = [name for name in DESCRIPTIONS if name == command or name.startswith(f"{command}-")]
    return own + TABLES_TOO.get(command, [])


def page_of(command: str) -> str:
    """Return the text of the section on a command, with its tables."""
    for page in sorted(DOCS.glob("reading-*.md")):
        text = with_inclusions(page.read_text(encoding="utf-8"), page)
        found = re.search(rf"^## {command}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
        if found:
            return found[1]
    raise AssertionError(f"no page has a section on {command}")


@pytest.mark.parametrize("words", ASKED.values(), ids=ASKED)
def test_every_json_key_is_described(
    run: Run, places: dict[str, str], words: tuple[str, ...]
) -> None:
    result = run(*placed(words, places), "--json", typed="44\n")
    assert result.status == (words[0] == "check")  # it has found a fault
    lines = result.out.splitlines()
    assert len(lines) == (len(GAMES) if words == ASKED["games"] else 1)
    keys = described_keys(*tables_of(words[0]))
    for line in lines:
        assert set(keys_of(json.loads(line))) <= keys


@pytest.mark.parametrize(
    ("words", "headings"),
    [
        (
            ("match", "greedy", "random", "--games", "2"),
            ["wins draws losses score 95 % interval", "moves seconds nodes depth branching"],
        ),
        (
            ("accuracy", "random", "--count", "9", "--jobs", "1"),
            [
                "agent moves perfect loss decisive keeps floor wins blocks",
                "95 % interval perfect loss keeps wins blocks s a move",
                "right columns moves perfect floor keeps floor loss floor",
            ],
        ),
        (("analyze", "12", *SMALL), ["disc column before after judgement"]),
        (("book", "counts", "BOOK"), ["ply win draw loss over quiet win quiet draw quiet loss"]),
        (("perft", "2"), ["ply sequences distinct positions"]),
    ],
)
def test_every_heading_is_described(
    run: Run, places: dict[str, str], words: tuple[str, ...], headings: list[str]
) -> None:
    output = run(*placed(words, places)).out
    lines = [" ".join(line.split()) for line in output.splitlines()]
    page = page_of(words[0])
    for heading in headings:
        assert any(line.endswith(heading) for line in lines)
        assert all(re.search(rf"\b{word}\b", page) for word in re.findall(r"[a-z]+", heading))


def test_every_table_is_on_a_page() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("reading-*.md"))
    shown = re.findall(r'\(output\.toml "output ([^"]+)"\)', pages)
    assert sorted(shown) == sorted(f"{c}.{kind}" for c in DESCRIPTIONS for kind in DESCRIPTIONS[c])
