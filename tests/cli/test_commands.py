"""The commands: their help, their output as text and as JSON."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy
import pytest

from claimeven import __version__
from claimeven.agents import AGENTS
from claimeven.agents.external import FOREIGN
from claimeven.cli import counts
from claimeven.cli.main import COMMANDS, SECTIONS
from claimeven.game import perft
from claimeven.game.position import Position
from tests.cli.conftest import Run

WIDTH = 80


def widest(text: str) -> int:
    return max(len(line) for line in text.splitlines())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert (result.status, result.err) == (0, "")
    assert f"claimeven {name}" in result.out.partition("Examples:")[2]
    assert widest(result.out) <= WIDTH


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_help_lists_all_commands_in_sections(run: Run, option: str) -> None:
    result = run(option)
    assert (result.status, result.err) == (0, "")
    titles = [line.rstrip(":") for line in result.out.splitlines() if re.match(r"\w.*:$", line)]
    assert titles == ["Options", *SECTIONS]
    for name, summary in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", result.out, re.MULTILINE)
    assert "Examples:" in result.out
    assert widest(result.out) <= WIDTH


def test_without_arguments_the_program_shows_six_commands(run: Run) -> None:
    result = run()
    assert (result.status, result.err) == (0, "")
    listed = re.findall(r"^  (\w+)", result.out, re.MULTILINE)
    assert listed == ["play", "serve", "explain", "check", "match", "tournament"]
    assert "claimeven --help lists all commands" in result.out
    assert widest(result.out) <= WIDTH


@pytest.mark.parametrize("group", ["book", "study", "train"])
def test_a_group_of_commands_lists_its_choices(run: Run, group: str) -> None:
    result = run(group)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"claimeven: {group} needs a command: choose from ")
    assert len(result.err.splitlines()) == 1


def test_the_version_names_its_platform(run: Run) -> None:
    python = ".".join(map(str, sys.version_info[:3]))
    versions = f"Python {python}.*, NumPy {numpy.__version__}, Numba [0-9.]+"
    assert re.fullmatch(rf"claimeven {__version__} \({versions}\)\n", run("--version").out)


def test_the_version_imports_no_heavy_modules() -> None:
    code = "import sys; from claimeven.cli.main import main\ntry: main(['--version'])\nexcept"
    code += " SystemExit: print(sorted({'numpy', 'numba'} & set(sys.modules)))"
    words = [sys.executable, "-c", code]
    finished = subprocess.run(words, capture_output=True, text=True, check=True)
    assert finished.stdout.splitlines()[-1] == "[]"


# --- match --------------------------------------------------------------------------------------

MAIN_JOB = ("match", "alphabeta:depth=3,eval=sequences", "random", "--games", "60")


@pytest.mark.usefixtures("real_starts")
def test_the_main_job_as_a_process(run: Run, process: Run) -> None:
    result = process(*MAIN_JOB, "--json")
    assert result.status == 0
    totals = json.loads(result.out)
    assert totals["agents"] == ["alphabeta:depth=3,eval=sequences", "random"]
    assert totals["games"] == sum(totals["wins"]) + totals["draws"] == 60
    assert totals["wins"][0] >= 0.95 * 60
    assert 1 <= totals["unique_games"] <= 60
    assert totals["forfeits"] == 0
    assert totals["seconds"] > 0
    assert len(totals["per_move"]) == 2
    for measures in totals["per_move"]:
        assert {"seconds", "nodes", "depth", "branching"} <= set(measures)
    again = json.loads(run(*MAIN_JOB, "--json").out)
    assert (again["wins"], again["unique_games"]) == (totals["wins"], totals["unique_games"])


def test_a_match_as_a_table(run: Run) -> None:
    result = run(*MAIN_JOB[:3], "--games", "4", "--seed", "3")
    assert (result.status, result.err) == (0, "")
    assert widest(result.out) <= WIDTH
    for word in ("wins", "draws", "losses", "score", "95 % interval", "unique games"):
        assert word in result.out
    for word in ("seconds", "nodes", "depth", "branching"):
        assert word in result.out
    assert "\x1b" not in result.out
    assert result.out.startswith("4 games on 7x6 connect 4, seed 3")


def test_show_prints_every_game(run: Run) -> None:
    result = run("match", "greedy:win=yes", "random", "--games", "3", "--show")
    assert [f"game {n}:" in result.out for n in (1, 2, 3, 4)] == [True, True, True, False]
    assert result.out.count("\nmoves ") == 3


def test_a_match_from_a_position_on_another_board(run: Run) -> None:
    board = ("--columns", "5", "--rows", "4", "--connect", "3", "--position", "33")
    result = run("match", "negamax:depth=full", "random", "--games", "4", *board, "--json")
    totals = json.loads(result.out)
    assert (totals["columns"], totals["rows"], totals["connect"]) == (5, 4, 3)
    assert totals["games"] == 4


# --- agents, perft ------------------------------------------------------------------------------


def test_agents_are_listed_with_their_options(run: Run) -> None:
    words, data = run("agents"), json.loads(run("agents", "--json").out)
    assert widest(words.out) <= WIDTH
    assert [agent["name"] for agent in data["agents"]] == list(AGENTS)
    for agent in data["agents"]:
        assert agent["name"] in words.out
        assert {"name", "summary", "options"} <= set(agent)
        for option in agent["options"]:
            assert {"name", "takes", "default", "help"} <= set(option)
    one = run("agents", "negamax")
    assert widest(one.out) <= WIDTH
    for option in AGENTS["negamax"].options:
        assert f"{option.name}=" in one.out
        assert f"({option.range})" in " ".join(one.out.split())
    preset = next(kind for kind in AGENTS.values() if kind.is_preset)
    (given,) = [part for part in words.out.split("\n\n") if part.startswith(f"{preset.name}:")]
    assert not any(option.help in " ".join(given.split()) for option in preset.options)
    alone = " ".join(run("agents", preset.name).out.split())
    assert all(option.help in alone for option in preset.options)


def test_agents_of_other_programs_are_listed_with_the_others(run: Run) -> None:
    words, data = run("agents"), json.loads(run("agents", "--json").out)
    assert [kind["prefix"] for kind in data["foreign"]] == list(FOREIGN)
    for prefix, kind in FOREIGN.items():
        assert kind.form in words.out
        one = run("agents", prefix)
        assert (one.status, one.err) == (0, "")
        assert all(example in one.out for example in kind.examples)
        output = " ".join(one.out.split())
        assert all(note in output for note in kind.notes)
        assert kind.extra is None or f"pip install 'claimeven[{kind.extra[0]}]'" in output
        for agent in kind.agents:
            assert f"{agent.name}: {agent.summary}" in output
            assert (f"{prefix}: " in words.out) and agent.name in words.out
        assert max(map(len, one.out.splitlines())) <= 80
        alone = json.loads(run("agents", f"{prefix}:", "--json").out)
        assert (alone["agents"], [kind["prefix"] for kind in alone["foreign"]]) == ([], [prefix])
    assert run("agents", "kagle").err.count("did you mean kaggle?") == 1


@pytest.mark.parametrize(
    ("ending", "status", "message"),
    [
        (KeyboardInterrupt, 130, "interrupted at ply 4"),
        (MemoryError, 2, "claimeven: there is not enough memory for ply 4: use fewer plies"),
    ],
)
def test_interrupted_perft_prints_its_counts(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    ending: type[BaseException],
    status: int,
    message: str,
) -> None:
    count = perft.perft

    def finished(position: Position, depth: int) -> int:
        if depth == 4:
            raise ending
        return count(position, depth)

    monkeypatch.setattr(counts, "sequences_of", finished)
    output = run("perft", "30", "--json")
    assert (output.status, output.err.strip()) == (status, message)
    assert json.loads(output.out)["sequences"] == [1, 7, 49, 343]
    assert json.loads(output.out)["total_positions"] == 1 + 7 + 49 + 238
    table = run("perft", "30")
    assert (table.status, table.err.strip()) == (status, message)
    assert [line.split()[0] for line in table.out.splitlines()] == ["ply", *"0123", "sum"]


def test_perft_equals_published_counts(run: Run) -> None:
    data = json.loads(run("perft", "5", "--json").out)
    assert data["sequences"] == [1, 7, 49, 343, 2401, 16807]
    assert data["positions"] == [1, 7, 49, 238, 1120, 4263]
    table = [line.split() for line in run("perft", "5").out.splitlines()]
    assert table[-3:] == [["4", "2,401", "1,120"], ["5", "16,807", "4,263"], ["sum", "5,678"]]
    later = json.loads(run("perft", "1", "--position", "444444", "--json").out)
    assert (later["moves"], later["sequences"]) == ("444444", [1, 6])
    assert [line.split()[0] for line in run("perft", "0").out.splitlines()] == ["ply", "0", "sum"]
    small = json.loads(run("perft", "99", "--columns", "3", "--rows", "2", "--json").out)
    assert len(small["positions"]) == 7
    assert small["total_positions"] == sum(small["positions"])


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("study ", {"all", "list", "run"}),
        ("study r", {"run"}),
        ("book ver", {"verify"}),
        ("train distil --score-f", {"--score-focus"}),
        ("puzzles ", {"make"}),
        ("mat", {"match"}),
    ],
)
def test_the_shell_completes_commands_and_options(
    run: Run, monkeypatch: pytest.MonkeyPatch, typed: str, offered: set[str]
) -> None:
    words = f"claimeven {typed}"
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    monkeypatch.setenv("_CLAIMEVEN_COMPLETE", "bash_complete")
    result = run()
    assert (result.status, result.err) == (0, "")
    assert {line.removeprefix("plain,") for line in result.out.split()} == offered


@pytest.mark.parametrize("group", ["book", "puzzles", "study", "train"])
def test_the_help_of_a_group_cuts_no_sentence(run: Run, group: str) -> None:
    commands = run(group, "--help").out.partition("Commands:")[2]
    assert "..." not in commands
    assert commands.count(".\n") == len(re.findall(r"^  \w", commands, re.MULTILINE)) > 0
