"""Bad input, and agents that misbehave."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from claimeven.arena.store.store import Store
from tests import forks
from tests.cli.conftest import Run, bad_input, command, environment

BAD = [
    (
        "match alphabet random",
        "there is no agent 'alphabet' (did you mean alphabeta?): ",
    ),
    ("match alphabeta:deep=3 random", "alphabeta has no option 'deep' (did you mean depth?): it "),
    ("match alphabeta:x=3 random", "alphabeta has no option 'x': it takes depth, "),
    ("match alphabeta:order=centr random", "order=centr of alphabeta (did you mean center?): "),
    ("match random alphabeta:depth=0", "depth=0 of alphabeta: depth takes a whole number"),
    ("match random alphabeta:eval=wide", "there is no evaluation 'wide'"),
    ("match random random --games 0", "games must be 1 to 20,000,000, got 0"),
    ("report .", ". cannot be read: it is a folder"),
    ("report /", "/ cannot be read: it is a folder"),
    ("challenge http://127.0.0.1:9 --out .", ". cannot be written: it is a folder, not a file"),
    ("export uct -o x.py --seed -1", "seed must be 0 or more, got -1"),
    (
        "puzzles --number 3 --difficulty easy",
        "--number selects one puzzle: it does not go with --difficulty",
    ),
    ("puzzles --number 3 --seed 5", "--number selects one puzzle: it does not go with --seed"),
    ("puzzles --daily 2026-01-01 --seed 5", "--daily selects one puzzle: it does not go with"),
    ("think 4455 --trace-lines 3", "--trace-lines needs --trace: give both"),
    ("think 4455 --tree-depth 1", "--tree-depth needs a tree: add --tree or --svg"),
    ("think 4455 --trace --tree-nodes 3", "--tree-nodes needs a tree: add --tree or --svg"),
    (
        "think 4 --agent flat:capacity=7",
        "flat:capacity=7 cannot play on 7x6 connect 4: capacity mu",
    ),
    ("games x.db --game 1 --agent a", "--game shows one game: it does not go with --agent"),
    ("games x.db --game 1 --export x.csv", "--game shows one game: it does not go with --exp"),
    ("match random greedy --games 99999999999999999999", "games must be 1 to 20,000,000"),
    (
        "tournament random greedy --opening-plies 0 --rounds 99999999999",
        "rounds must be 1 to 10,000,000",
    ),
    (
        "sprt random greedy --opening-plies 0 --max-games 99999999998",
        "rounds must be 1 to 10,000,000",
    ),
    (
        "match random greedy --memory-limit 99999999999999",
        "memory_limit_mb must be 1 to 4,294,967,296",
    ),
    (
        "match random greedy --openings x.txt --opening-plies 3",
        "--opening-plies is for drawn openings",
    ),
    (
        "sprt random greedy --openings x.txt --opening-plies 3",
        "--opening-plies is for drawn openings",
    ),
    (
        "report x.db --no-accuracy --accuracy-games 5",
        "--accuracy-games is for judging games: it does not go",
    ),
    ("report x.db --no-accuracy --threads 2", "--threads is for judging games: it does not"),
    ("games x.db --pair 0", "--pair must be 1 or more, got 0"),
    ("play --second=", "there is no agent ''"),
    ("match random random --games x", "Invalid value for '--games': 'x' is not a valid integer"),
    ("match random random --jobs 0", "jobs must be 1 or more, got 0"),
    ("match random random --seed -1", "seed must be 0 or more, got -1"),
    ("match random random --depth 0", "depth must be greater than 0, got 0"),
    ("match random random --seconds -1", "seconds must be greater than 0, got -1.0"),
    ("match random random --seconds nan", "seconds must be a number, got nan"),
    ("match random random --opening-plies -1", "opening_plies must be 0 or more, got -1"),
    ("match random random --opening-plies 43", "no random opening of 43 plies was found"),
    ("match random random --columns 0", "columns must be 1 to 16, got 0"),
    ("match random random --columns 17", "columns must be 1 to 16, got 17"),
    ("match random random --rows 99", "rows must be 1 to 16, got 99"),
    ("match random random --connect 1", "connect must be 2 to 8, got 1"),
    ("match random random --columns x", "Invalid value for '--columns'"),
    ("match random random --position 1212121", "the game is over in the start position"),
    (
        "match random random --position 12121212",
        "move 8: column 2 cannot be played: the game is over",
    ),
    ("match random random --position 4444444", "move 7: column 4 is full"),
    ("match random random --position 40", "move 2: '0' is not a column: choose from 1 to 7"),
    ("match random random --position 8", "move 1: '8' is not a column: choose from 1 to 7"),
    ("match random random --position x", "move 1: 'x' is not a column: choose from 1 to 7"),
    ("match nowhere.py:agent random", "there is no file nowhere.py"),
    ("match random nowhere.py", "there is no file nowhere.py"),
    ("match random", "Missing argument 'B'"),
    ("match random random random", "Got unexpected extra argument (random)"),
    ("match random random --fast", "there is no option --fast"),
    ("match random random --gams 3", "there is no option --gams (did you mean --games?)"),
    ("match random random --backend=gpu", "there is no option"),
    ("think 4444444", "move 7: column 4 is full"),
    ("think 0", "move 1: '0' is not a column: choose from 1 to 7"),
    ("think 448", "move 3: '8' is not a column: choose from 1 to 7"),
    ("think x", "move 1: 'x' is not a column: choose from 1 to 7"),
    ("think 1212121", "the game is over after 1212121: Yellow wins"),
    ("think 12121213", "move 8: column 3 cannot be played: the game is over"),
    ("think 44 --agent unknown", "there is no agent 'unknown'"),
    ("think 44 --nodes 0", "nodes must be greater than 0, got 0"),
    ("think 44 --iterations 0", "iterations must be greater than 0, got 0"),
    ("think 44 --columns 17", "columns must be 1 to 16, got 17"),
    ("think", "Missing argument 'POSITION'"),
    (
        "think 44 --columns 13 --rows 9 --agent alphabeta:backend=compiled",
        "alphabeta:backend=compiled cannot play on 13x9 connect 4: backend=compiled supports",
    ),
    (
        "match random uct:backend=compiled --columns 13 --rows 9",
        "uct:backend=compiled cannot play on 13x9 connect 4: backend=compiled supports boards of",
    ),
    (
        "match perfect:level=3 random --columns 13 --rows 9",
        "perfect:level=3 cannot play on 13x9 connect 4: the solver supports boards of",
    ),
    (
        "play --second full --columns 13 --rows 9",
        "full cannot play on 13x9 connect 4: the solver supports boards of",
    ),
    ("play --second unknown", "there is no agent 'unknown'"),
    ("play --position 1212121", "the game is over in the start position"),
    ("play --position 9", "move 1: '9' is not a column"),
    ("play --hint unknown", "there is no agent 'unknown'"),
    (
        "play --thinking loud",
        "Invalid value for '--thinking': must be one of mute, low, high, got 'loud'",
    ),
    (
        "play --thinking hig",
        "Invalid value for '--thinking': must be one of mute, low, high, got 'hig'",
    ),
    ("play --seed -1", "seed must be 0 or more, got -1"),
    ("play --rows 17", "rows must be 1 to 16, got 17"),
    ("agents unknown", "there is no agent 'unknown': choose from random, "),
    ("agents negmax", "there is no agent 'negmax' (did you mean negamax?): choose from random"),
    ("perft -- -1", "PLIES must be 0 or more, got -1"),
    ("perft many", "Invalid value for 'PLIES': 'many' is not a valid integer"),
    ("perft 3 --connect 9", "connect must be 2 to 8, got 9"),
    ("perft 3 --position 4444444", "move 7: column 4 is full"),
    ("halma", "there is no command 'halma': choose from play, "),
    ("slove 44", "there is no command 'slove' (did you mean solve?): choose from play, "),
    ("--fast", "there is no option"),
]


@pytest.mark.parametrize(("line", "sentence"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_reported_in_one_sentence(run: Run, line: str, sentence: str) -> None:
    assert bad_input(run(*line.split())).startswith(sentence)


#: The first line of each command.
FIRST = {line.split()[0]: line.split() for line, _ in reversed(BAD)}


@pytest.mark.parametrize("command", FIRST)
def test_bad_input_is_a_sentence_where_json_is_asked_for(run: Run, command: str) -> None:
    bad_input(run(command, "--json", *FIRST[command][1:]))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "match random random --out=",
            "Invalid value for '--out': a file or folder must have a name",
        ),
        ("games x.db --import=", "Invalid value for '--import': a file or folder must have a name"),
        ("train plot run --out=", "Invalid value for '--out': a file or folder must have a name"),
        ("serve --allow-host=", "--allow-host must be a host name without address or port, got ''"),
        (
            "serve --allow-host lab:80",
            "--allow-host must be a host name without address or port, got 'lab:80'",
        ),
        (
            "serve --allow-host http://lab/",
            "--allow-host must be a host name without address or port, got 'http://lab/'",
        ),
    ],
)
def test_empty_names_are_rejected(run: Run, line: str, sentence: str) -> None:
    assert bad_input(run(*line.split())).startswith(sentence)


@pytest.mark.parametrize("line", ["think 4444444", "halma"])
def test_bad_input_as_a_process(process: Run, line: str) -> None:
    result = process(*line.split())
    bad_input(result)


def test_a_file_without_the_function(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def agent(position):\n    return 0\n", encoding="utf-8")
    for verb in (("match", "random"), ("think", "44", "--agent"), ("play", "--second")):
        result = run(*verb, f"{file}:player")
        output = bad_input(result)
        assert output == f"{file} does not define 'player': it has agent"


# --- agents that misbehave ----------------------------------------------------------------------

MISBEHAVING = {
    "raises": "raise RuntimeError('broken')",
    "None": "return None",
    "3.0": "return 3.0",
    "text": "return '3'",
    "full": "return 3",
    "off the board": "return -1",
    "exits": "import sys; sys.exit(0)",
    "Decision": "from claimeven.agents import Decision; return Decision(0, nodes='many')",
}


@pytest.mark.parametrize("body", MISBEHAVING.values(), ids=MISBEHAVING.keys())
def test_a_bad_agent_forfeits_and_json_stays_whole(run: Run, tmp_path: Path, body: str) -> None:
    file = tmp_path / "bad.py"
    file.write_text(f"def agent(position):\n    {body}\n", encoding="utf-8")
    arguments = (f"{file}:agent", "greedy", "--games", "2", "--position", "444444")
    result = run("match", *arguments, "--json")
    assert result.status == 0
    totals = json.loads(result.out)
    assert (totals["games"], totals["wins"], totals["forfeits"]) == (2, [0, 2], 2)
    assert result.out.count("\n") == 1
    words = run("match", *arguments)
    assert words.status == 0
    assert f"forfeits of {file}:agent: " in " ".join(words.out.split())
    asked = run("think", "444444", "--agent", f"{file}:agent", "--json")
    output = bad_input(asked)
    assert output.startswith(f"{file}:agent r")
    played = run("play", "--first", f"{file}:agent", "--second", "random", "--position", "444444")
    assert played.status == 0
    assert "forfeits" in played.out


PRINTING = """
import os, subprocess, sys
print("loading")
def agent(position):
    print("print")
    sys.stdout.write("write")
    sys.stdout.flush()
    sys.__stdout__.write("dunder")
    os.write(1, b"descriptor")
    if position.ply < 3:
        subprocess.run(["echo", "child"], check=True)
    return position.legal_columns[0]
"""


@pytest.mark.parametrize(
    "line",
    [
        "match FILE random --games 2 --json --jobs 2",
        "play --first FILE --second random --json",
    ],
)
def test_an_agent_that_prints_never_breaks_json(process: Run, tmp_path: Path, line: str) -> None:
    file = tmp_path / "prints.py"
    file.write_text(PRINTING, encoding="utf-8")
    result = process(*line.replace("FILE", f"{file}:agent").split())
    assert result.status == 0
    json.loads(result.out)
    assert result.out.count("\n") == 1
    for word in ("loading", "print", "write", "dunder", "descriptor", "child"):
        assert word in result.err


def test_details_of_a_decision_are_written_as_json(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "numpy_agent.py"
    file.write_text(
        "import numpy as np\n"
        "from claimeven.agents import Decision\n"
        "def agent(position):\n"
        "    return Decision(np.int64(2), value=np.float32(0.5), policy=np.eye(7)[2],\n"
        "                    depth=np.int8(3), details={'values': np.arange(7), 'own': {1}})\n",
        encoding="utf-8",
    )
    result = run("think", "44", "--agent", f"{file}:agent", "--json")
    output = json.loads(result.out)
    assert (output["column"], output["value"], output["depth"]) == (3, 0.5, 3)
    assert output["details"]["values"] == [0, 1, 2, 3, 4, 5, 6]
    assert run("match", f"{file}:agent", "random", "--games", "1", "--json").status == 0


def test_names_in_brackets_are_shown_as_they_are(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "[old]" / "x[" / "b]"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("def agent(p):\n    raise ValueError('[x]')\n", encoding="utf-8")
    result = run("match", f"{folder}/a.py:agent", "random", "--games", "2")
    assert result.status == 0
    assert "[/b]/a.py:agent" in result.out.replace("\n", "")
    assert "[x]" in result.out


def test_a_reader_that_leaves_is_no_error() -> None:
    with forks.program(
        command("match", "random", "random", "--games", "400", "--show"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.read(10) == b"game 1: Ye"
        program.stdout.close()
        assert program.stderr.read() == b""


@pytest.mark.parametrize("verb", ["analyze", "solve", "explain"])
def test_a_file_of_a_tournament_is_reported_and_the_others_are_read(
    run: Run, tmp_path: Path, verb: str
) -> None:
    small = ("--columns", "4", "--rows", "4", "--connect", "3", "--table-mb", "1")
    games, other = tmp_path / "my class.db", tmp_path / "other.txt"
    Store.create(games, {}, ()).close()
    other.write_text("1212\n")
    result = run(verb, str(games), str(other), *small, "--json")
    assert (result.status, result.err) == (
        1,
        f"claimeven: {games} holds games of a tournament: `claimeven games '{games}' --export"
        " games.txt` writes them as text\n",
    )
    nothing, answer = map(json.loads, result.out.splitlines())
    assert nothing is None
    assert answer["moves"] == "1212"
    piped = run(verb, "-", *small, typed=games.read_bytes())
    assert piped.status == 1
    assert piped.err == (
        "claimeven: stdin holds games of a tournament: `claimeven games FILE --export games.txt`"
        " writes them as text\n"
    )
    if verb != "solve":
        assert piped.out.splitlines()[0].endswith(" stdin")
        assert max(map(len, piped.out.splitlines())) <= 80


@pytest.mark.parametrize("verb", ["analyze", "solve", "explain"])
def test_a_file_in_utf_16_is_reported_once(run: Run, tmp_path: Path, verb: str) -> None:
    path = tmp_path / "games.txt"
    path.write_text("12\n1212\n", encoding="utf-16")
    result = run(verb, str(path), "--columns", "4", "--rows", "4", "--connect", "3")
    assert result.status == 1
    output = f"claimeven: {path}, line 1: its text is in UTF-16: save it as UTF-8\n"
    assert result.err == output
