"""The page on reading the output names every key of every JSON object."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from claimeven.cli.main import main
from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "reading-output.md").read_text(encoding="utf-8")

#: A call of each verb that prints an object, by the section that explains it.
CALLS = {
    "solve": ["solve", "4455", "--all", "--json"],
    "think": ["think", "4455", "--agent", "uct:iterations=50", "--tree", "--json"],
    "explain": ["explain", "44455554221", "--json"],
    "analyze": ["analyze", "4444555235332332", "--json"],
    "match": ["match", "greedy", "random", "--games", "2", "--json"],
    "tournament": ["tournament", "greedy", "random", "--rounds", "1", "--jobs", "1", "--json"],
    "play": ["play", "--first", "greedy", "--second", "random", "--json"],
    "dataset": ["dataset", "--positions", "5", "--plies", "30", "--out", "rows.csv", "--json"],
    "book": ["book", "info", "--json"],
    "perft": ["perft", "2", "--json"],
    "agents": ["agents", "--json"],
}


@pytest.mark.parametrize("verb", CALLS)
def test_every_key_is_told(verb: str, answer: Callable[[list[str]], Any]) -> None:
    told = set(re.findall(r"`([\w-]+)`", _section(verb)))
    assert set(_keys(answer(CALLS[verb]))) <= told | set(re.findall(r"`([\w-]+)`", _shared()))


def test_details_of_every_family_are_told(answer: Callable[[list[str]], Any]) -> None:
    told = set(re.findall(r"`([\w-]+)`", _section("think")))
    for agent in (
        "negamax:depth=3",
        "uct:iterations=50",
        "flat:iterations=50",
        "perfect",
        "greedy",
    ):
        details = answer(["think", "4455", "--agent", agent, "--json"])["details"]
        assert set(details) <= told, agent


@pytest.fixture
def answer(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[list[str]], Any]:
    """Run a command in a folder of its own and read the object that it prints."""
    monkeypatch.chdir(tmp_path)

    def run(arguments: list[str]) -> Any:
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capfd.readouterr()
        assert not ended.value.code, err
        return json.loads(out)

    return run


def _section(verb: str) -> str:
    found = re.search(rf"^## {verb}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    assert found, f"no section on {verb}"
    return found[1]


def _shared() -> str:
    """The text before the first verb."""
    return PAGE[: PAGE.index("## solve")]


def _keys(value: Any) -> Iterator[str]:
    """Every key of an object and of the objects in it, those of `details` and data keys apart."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield key
            if key not in ("details", "forfeit_reasons"):
                yield from _keys(below)
    elif isinstance(value, list):
        for below in value:
            yield from _keys(below)
