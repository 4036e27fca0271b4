"""Games on the terminal, typed on stdin and on a pseudo terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run, command, environment

AGAINST = ("play", "--second", "alphabeta:depth=2")


def test_a_game_of_two_people_to_its_end(run: Run) -> None:
    ran = run("play", "--second", "human", typed="1\n2\n1\n2\n1\n2\n1\n")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines()[-1] == "first player wins, moves 1212121"


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("x", "'x' is not a column: choose from 1 to 7."),
        ("0", "'0' is not a column: choose from 1 to 7."),
        ("8", "'8' is not a column: choose from 1 to 7."),
        ("-1", "'-1' is not a column: choose from 1 to 7."),
        ("3.5", "'3.5' is not a column: choose from 1 to 7."),
        ("u", "there is no move to take back."),
        ("r", "there is no move to play again."),
    ],
)
def test_a_bad_column_asks_again(run: Run, typed: str, sentence: str) -> None:
    ran = run(*AGAINST, typed=f"{typed}\nq\n")
    assert ran.status == 0
    assert sentence in ran.out.splitlines()
    assert ran.out.count("column 1 to 7, or ?: ") == 2


def test_a_full_column_asks_again(run: Run) -> None:
    ran = run("play", "--second", "human", "--position", "444444", typed="4\n\n1\nq\n")
    assert "column 4 is full." in ran.out.splitlines()
    assert ran.out.splitlines()[-1] == "game left after moves 1"


def test_undo_and_redo_go_back_to_the_turn_of_the_person(run: Run) -> None:
    ran = run(*AGAINST, "--json", typed="4\nu\nu\nr\n4\nu\nu\n3\nq\n")
    told = json.loads(ran.out)
    assert told["moves"].startswith("3")
    assert len(told["moves"]) == 2
    assert "there is no move to take back." in ran.err.splitlines()
    redone = json.loads(run(*AGAINST, "--json", typed="4\n1\nu\nu\nr\nr\nq\n").out)
    straight = json.loads(run(*AGAINST, "--json", typed="4\n1\nq\n").out)
    assert redone["moves"] == straight["moves"]
    assert len(straight["moves"]) == 4


def test_a_person_who_moves_second_takes_back_their_own_move(run: Run) -> None:
    arguments = ("play", "--first", "greedy", "--second", "human", "--json")
    told = json.loads(run(*arguments, typed="4\nu\nu\n5\nq\n").out)
    assert told["moves"][:2] == "15"
    assert len(told["moves"]) == 3


def test_help_hint_and_quit(run: Run) -> None:
    ran = run(*AGAINST, "--hint", "greedy:win=yes", "--position", "112233", typed="?\nH\nQ\n")
    assert ran.status == 0
    assert "take your last move back" in ran.out
    assert "plays 4" in ran.out
    assert "column      1" not in ran.err


def test_a_hint_that_fails_is_no_end(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text("def agent(p):\n    raise ValueError('no idea')\n", encoding="utf-8")
    ran = run("play", "--second", "human", "--hint", str(file), typed="h\n4\nq\n")
    assert ran.status == 0
    assert f"{file} raised ValueError: no idea." in ran.out.splitlines()
    assert ran.out.splitlines()[-1] == "game left after moves 4"


@pytest.mark.parametrize("typed", ["", "4\n", "4"])
def test_the_end_of_the_input_ends_the_game(run: Run, typed: str) -> None:
    ran = run("play", "--second", "human", typed=typed)
    assert ran.status == 0
    assert ("game left after moves 4" in ran.out) == bool(typed)


def test_the_last_move_is_marked(run: Run) -> None:
    ran = run("play", "--second", "human", typed="4\nq\n")
    assert ran.out.count("[") == 1


def test_agents_play_each_other_and_think_aloud(run: Run) -> None:
    arguments = ("play", "--first", "alphabeta:depth=2", "--second", "greedy")
    mute, low, high = (run(*arguments, "--thinking", level) for level in ("mute", "low", "high"))
    assert mute.status == low.status == high.status == 0
    last = mute.out.splitlines()[-1]
    assert "wins, moves" in last or "draw, moves" in last
    assert low.out.splitlines()[-1] == high.out.splitlines()[-1] == last
    assert "evaluations" not in mute.out
    assert "evaluations" in low.out
    assert "root depth 2" not in low.out
    assert "root depth 2" in high.out


def test_a_failing_trace_does_not_end_the_game(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from claimeven.agents import Agent, Decision\n"
        "class Mine(Agent):\n"
        "    def choose(self, position, limit, rng):\n"
        "        return Decision(position.legal_columns[0])\n"
        "    def trace(self, position, limit, rng):\n"
        "        yield 'one'\n"
        "        raise ValueError('two')\n",
        encoding="utf-8",
    )
    ran = run("play", "--first", f"{file}:Mine", "--second", "random", "--thinking", "high")
    assert ran.status == 0
    assert "... the trace ends: ValueError: two" in ran.out


def test_the_same_seed_plays_the_same_game(run: Run) -> None:
    arguments = ("play", "--first", "random", "--second", "random", "--json", "--seed")
    games = [json.loads(run(*arguments, seed).out) for seed in ("1", "1", "2")]
    assert games[0] == games[1]
    assert games[0]["moves"] != games[2]["moves"]
    assert games[0]["winner"] in (1, 2, None)
    assert games[0]["forfeit"] is None


def test_other_boards_and_letters(run: Run) -> None:
    board = ("--columns", "12", "--rows", "4", "--connect", "3")
    ran = run("play", "--second", "human", *board, typed="a\nl\nb\nk\nc\n")
    assert ran.out.splitlines()[-1] == "first player wins, moves albkc"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
@pytest.mark.parametrize("no_color", [False, True], ids=["colour", "NO_COLOR"])
def test_a_game_on_a_pseudo_terminal(no_color: bool) -> None:
    import pty

    ours, theirs = pty.openpty()
    variables = {"TERM": "xterm-256color"} | ({"NO_COLOR": "1"} if no_color else {})
    with subprocess.Popen(
        command(*AGAINST),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(**variables),
        start_new_session=True,
    ) as program:
        os.close(theirs)
        os.write(ours, b"9\n4\nu\n3\nq\n")
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        os.close(ours)
    text = shown.decode()
    assert program.returncode == 0
    assert "'9' is not a column: choose from 1 to 7." in text
    assert "game left after moves 3" in text
    assert "Traceback" not in text
    assert not no_color or "\x1b[3" not in text


def test_no_color_and_pipes_hold_no_escapes(process: Run) -> None:
    ran = process("play", "--first", "random", "--second", "random", NO_COLOR="1", TERM="xterm")
    assert ran.status == 0
    assert "\x1b" not in ran.out + ran.err
