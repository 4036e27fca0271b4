"""Words that are not choices: typing errors, synonyms, names of files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from claimeven.agents.options import Option
from claimeven.agents.registry import AGENTS
from claimeven.cli.main import COMMANDS
from claimeven.suggestions import did_you_mean
from tests.cli.conftest import Run, bad_input


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("mcts", "uct"), ("MCTS:iterations=100", "uct"), ("monte-carlo", "uct"),
        ("Monte Carlo", "uct"), ("gekko", "greedy"), ("alpha-beta", "alphabeta"),
        ("Alpha_Beta", "alphabeta"), ("ab", "alphabeta"), ("minmax", "minimax"),
        ("minimx", "minimax"), ("humna", "human"), ("Human", "human"), ("player", "human"),
        ("solver", "perfect"), ("best", "perfect"), ("perfct", "perfect"), ("alphazero", "puct"),
        ("neural-net", "net"), ("rnd", "random"),
    ],
)  # fmt: skip
def test_an_agent_is_suggested(run: Run, word: str, meant: str) -> None:
    text_said = bad_input(run("match", word, "greedy"))
    assert text_said.startswith(
        f"there is no agent {word.partition(':')[0]!r} (did you mean {meant}?)"
    )


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("analysis", "analyze"), ("anlyze", "analyze"), ("evaluate", "think"),
        ("tourney", "tournament"), ("tournement", "tournament"), ("Play", "play"),
        ("solver", "solve"), ("best", "solve"), ("perfect", "solve"), ("elo", "ladder"),
        ("rating", "ladder"), ("gui", "serve"), ("web", "serve"), ("tests", "check"),
        ("import", "convert"), ("bots", "agents"), ("submit", "export"),
    ],
)  # fmt: skip
def test_a_command_is_suggested(run: Run, word: str, meant: str) -> None:
    text_said = bad_input(run(word))
    assert text_said.startswith(f"there is no command {word!r} (did you mean {meant}?)")


@pytest.mark.parametrize(
    ("word", "meant"),
    [("mcts", "uct"), ("gekko", "greedy"), ("uct:iterations=9", "uct"), ("AlphaZero", "puct")],
)
def test_an_agent_for_a_command_can_be_played(run: Run, word: str, meant: str) -> None:
    expected = f"{meant} is an agent: try 'claimeven play --second {meant}'"
    assert bad_input(run(word)) == expected


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("match greedy random --bank 9", "time-bank"), ("match greedy random --time 1", "seconds"),
        ("match greedy random --memory 9", "memory-limit"), ("solve 4 --effort", "stats"),
        ("match greedy random --playouts 9", "iterations"), ("solve 4 --by x", "solver"),
        ("match greedy random --concurrency 2", "jobs"), ("accuracy uct --worst 1", "show-worst"),
        ("train selfplay --patience 3", "worker-timeout"), ("book build --width 5", "columns"),
    ],
)  # fmt: skip
def test_an_option_is_suggested(run: Run, words: str, meant: str) -> None:
    message = bad_input(run(*words.split()))
    assert f"(did you mean --{meant}?) (try " in message


def test_british_spellings_are_accepted(run: Run) -> None:
    assert run("analyse", "4455", "--json").status == 0
    assert did_you_mean("centre", ["center", "left"]) == " (did you mean center?)"
    option = Option("start", "choice", "center", "", choices=("center", "left"))
    assert option.parse("centre", "any") == "center"


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("my_agent", "my_agent.py"), ("My-Agent", "my_agent.py"), ("MyAgent", "my_agent.py"),
        ("my_agent.agent", "my_agent.py"), ("my_agnt:agent", "my_agent.py"),
        ("my_agnt.py", "my_agent.py"), ("her_bot", "bots/her_bot.py"),
        ("her_bot.py", "bots/her_bot.py"), ("bots/herbot.py", "bots/her_bot.py"),
    ],
)  # fmt: skip
def test_a_file_is_suggested(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    word: str,
    meant: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    for name in ("my_agent.py", "bots/her_bot.py", "zzz.py"):
        (tmp_path / name).write_text("def agent(position):\n    return position.legal_columns[0]\n")
    text_said = bad_input(run("match", word, "greedy"))
    assert f"(did you mean {meant}?)" in text_said or f"for the file give {meant}" in text_said


def test_a_file_for_a_command_is_an_agent(run: Run) -> None:
    text_said = bad_input(run("my_agent.py"))
    assert text_said.startswith("my_agent.py is an agent: try 'claimeven check my_agent.py'")


def test_an_unlike_word_gets_no_suggestion(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for text_said in (bad_input(run("match", "xyzzy", "greedy")), bad_input(run("no/xyzzy"))):
        assert "did you mean" not in text_said


def test_no_choice_is_taken_for_another() -> None:
    for choices in (list(AGENTS), list(COMMANDS)):
        for choice in choices:
            assert did_you_mean(choice, choices) == f" (did you mean {choice}?)"
            assert did_you_mean(choice.upper(), choices) == f" (did you mean {choice}?)"


def test_a_name_of_the_package_is_suggested_by_python() -> None:
    code = "import claimeven; claimeven.Positon"
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert finished.stderr.rstrip().endswith(
        "has no attribute 'Positon'. Did you mean: 'Position'?"
    )
