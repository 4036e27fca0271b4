"""`claimeven check --algorithm`: a search and the textbook, in words and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from tests.arena.test_algorithm_check import PLAIN, SEARCHES
from tests.cli.conftest import Run, bad_input

MINIMAX = (SEARCHES / "minimax.py").read_text(encoding="utf-8")
#: A position in which all searches are short.
LATE = "124777744774446613623666322225"


def test_the_first_difference_is_drawn_with_its_cause(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "my.py"
    file.write_text(MINIMAX.replace("yield from lowest(", "yield from highest("), encoding="utf-8")
    result = run("check", "--algorithm", "minimax", str(file), "--moves", "4453")
    assert result.status == 1
    text = " ".join(result.out.split())
    assert "textbook of minimax differ in a search after 4453 to depth 2: ┌" in text
    assert "The textbook returns column " in text
    assert "The program returns column " in text
    assert "Possible cause: " not in text
    assert "Cause: both sides take the greatest value: the opponent must take the least." in text
    assert "turn * child.value > turn * best.value" in text
    shown = run("check", "--algorithm", "minimax", str(file), "--moves", "4453", "--json")
    assert shown.status == 1
    data = json.loads(shown.out)
    assert data["ok"] is False
    assert data["difference"]["moves"] == "4453"
    assert data["causes"][0].startswith("both sides")
    assert data["is_sure"] is True


def test_programs_without_a_difference_are_fine(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "plain.py"
    file.write_text(PLAIN, encoding="utf-8")
    good = SEARCHES / "minimax.py"
    moves = ("--moves", "", "--moves", "44")
    result = run("check", "--algorithm", "minimax", str(good), str(file), *moves)
    assert result.status == 0
    text = " ".join(result.out.split())
    assert f"{good} and the textbook of minimax do the same in 2 positions, " in text
    assert "It shows no visits (yield each position), so its cutoffs are not compared." in text


def test_a_crash_and_bad_input(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "my.py"
    file.write_text(MINIMAX.replace("highest(", "higher(", 1), encoding="utf-8")
    words = ("check", "--algorithm", "minimax", str(file), "--moves", LATE)
    result = run(*words)
    assert result.status == 1
    text = " ".join(result.out.split())
    assert "The program raised NameError: name 'highest' is not defined" in text
    assert "No known mistake does the same." in text
    other = run(*words, f"{file}:root")
    assert other.status == 2
    assert "does not define 'root'" in other.err
    assert "--moves needs --algorithm" in bad_input(run("check", str(file), "--moves", "4"))
    over = run("check", "--algorithm", "uct", str(SEARCHES / "uct.py"), "--moves", "1212121")
    assert "the game is over after 1212121" in bad_input(over)
