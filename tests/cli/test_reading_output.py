"""The page on reading the output names every JSON key and every heading of a table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.process.test_process import bot
from tests.arena.report.stores import GAMES, SMALL_PLAN, made
from tests.cli.conftest import Run

PAGE = Path(__file__).parents[2] / "docs" / "reading-output.md"
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
    "check": ("check", bot("full")),
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
}
#: Keys that are no words of ours: reasons, evaluations, options of trees told on their own pages.
OWN = {"forfeit_reasons", "evaluations", "files"}


def with_book(words: tuple[str, ...], book: Path) -> tuple[str, ...]:
    return tuple(str(book) if word == "BOOK" else word for word in words)


#: The section on what all objects have.
EVERY = "All objects"


def section(verb: str) -> str:
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(rf"^## {verb}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, f"{PAGE.name} has no section on {verb}"
    return found[1] + ("" if verb == EVERY else section(EVERY))


def keys_of(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            if key not in OWN:
                yield from keys_of(value)
    elif isinstance(data, list):
        for value in data:
            yield from keys_of(value)


@pytest.mark.parametrize("words", ASKED.values(), ids=ASKED)
def test_every_json_key_is_told(run: Run, small_book: Path, words: tuple[str, ...]) -> None:
    ran = run(*with_book(words, small_book), "--json")
    assert ran.status == (words[0] == "check")  # it has found a fault
    told = set(re.findall(r"`([a-z_0-9]+)`", section(words[0])))
    assert set(keys_of(json.loads(ran.out))) <= told


def test_the_keys_of_an_export_are_told(run: Run, tmp_path: Path) -> None:
    words = ("export", "uct", "-o", str(tmp_path / "main.py"))
    told = set(re.findall(r"`([a-z_0-9]+)`", section("export")))
    assert set(json.loads(run(*words, "--json").out)) <= told


def test_the_keys_of_a_data_set_are_told(run: Run, tmp_path: Path) -> None:
    words = ("dataset", "--positions", "3", "--plies", "6", "--out", str(tmp_path / "a.csv"))
    told = set(re.findall(r"`([a-z_0-9]+)`", section("dataset")))
    assert set(keys_of(json.loads(run(*words, *SMALL, "--json").out))) <= told


def test_the_keys_of_training_are_told(run: Run, tmp_path: Path) -> None:
    words = ("--games", "20", "--every", "20", "--tuples", "3", "--length", "3", "--against", "1")
    ran = run("train", "ntuple", "--out", str(tmp_path / "r"), *words, *SMALL[:6], "--json")
    told = set(re.findall(r"`([a-z_0-9]+)`", section("train")))
    assert set(keys_of(json.loads(ran.out))) <= told


def test_the_keys_of_a_conversion_are_told(run: Run, tmp_path: Path) -> None:
    ran = run("convert", "-", "-o", str(tmp_path / "a.csv"), "--json", typed="44\n")
    told = set(re.findall(r"`([a-z_0-9]+)`", section("convert")))
    assert set(keys_of(json.loads(ran.out))) <= told


def test_the_keys_of_the_accuracy_of_games_are_told(run: Run, tmp_path: Path) -> None:
    ran = run("accuracy", str(made(tmp_path / "a.db", GAMES, {"plan": SMALL_PLAN})), "--json")
    told = set(re.findall(r"`([a-z_0-9]+)`", section("accuracy")))
    assert set(keys_of(json.loads(ran.out))) <= told


def test_the_keys_of_games_are_told(run: Run, tmp_path: Path) -> None:
    store = str(made(tmp_path / "a.db", GAMES, {"plan": SMALL_PLAN}))
    told = set(re.findall(r"`([a-z_0-9]+)`", section("games")))
    listed = run("games", store, "--json").out.splitlines()
    assert len(listed) == len(GAMES)
    for line in listed:
        assert set(keys_of(json.loads(line))) <= told
    out = run("games", store, "--export", str(tmp_path / "a.csv"), "--json").out
    assert set(keys_of(json.loads(out))) <= told
    words = ("--import", "-", "--first", "ann", "--second", "bob", "--json")
    done = run("games", str(tmp_path / "b.db"), *words, typed="44\n").out
    assert set(keys_of(json.loads(done))) <= told


def test_the_keys_of_a_report_are_told(run: Run, tmp_path: Path) -> None:
    ran = run("report", str(made(tmp_path / "a.db", GAMES, {"plan": SMALL_PLAN})), "--json")
    sections = "".join(map(section, ("report", "tournament", "accuracy")))
    told = set(re.findall(r"`([a-z_0-9]+)`", sections))
    assert set(keys_of(json.loads(ran.out))) <= told


@pytest.mark.parametrize(
    ("words", "headings"),
    [
        (("match", "greedy", "random", "--games", "2"), "wins draws losses score 95 % interval"),
        (("match", "greedy", "random", "--games", "2"), "moves seconds nodes depth branching"),
        (
            ("accuracy", "random", "--count", "9", "--jobs", "1"),
            "agent moves perfect loss decisive keeps floor wins blocks",
        ),
        (
            ("accuracy", "random", "--count", "9", "--jobs", "1"),
            "95 % interval perfect loss keeps wins blocks s a move",
        ),
        (
            ("accuracy", "random", "--count", "9", "--jobs", "1"),
            "right columns moves perfect floor keeps floor loss floor",
        ),
        (("analyze", "12", *SMALL), "disc column before after judgement"),
        (("book", "counts", "BOOK"), "ply win draw loss over quiet win quiet draw quiet loss"),
        (("perft", "2"), "ply sequences distinct positions"),
    ],
)
def test_every_heading_is_told(
    run: Run, small_book: Path, words: tuple[str, ...], headings: str
) -> None:
    told = run(*with_book(words, small_book)).out
    lines = [" ".join(line.split()) for line in told.splitlines()]
    assert any(line.endswith(headings) for line in lines)
    page = section(words[0])
    assert all(re.search(rf"\b{word}\b", page) for word in re.findall(r"[a-z]+", headings))
