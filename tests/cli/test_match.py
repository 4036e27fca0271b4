"""`claimeven match`: the printed games, totals and failures."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from claimeven import Position, play_match
from claimeven.arena import InvalidMatch
from claimeven.arena.results import labels
from claimeven.arena.store.store import Store
from tests import forks
from tests.agents.process.test_process import bot
from tests.cli.conftest import Run, bad_input, command, environment
from tests.cli.test_tournament import CRAMPED, unix

LONG = "alphabeta:depth=1,eval=sequences,order=left,start=center"


def lines_of(run: Run, *words: str) -> list[str]:
    finished = run("match", *words)
    assert finished.status == 0
    return finished.out.splitlines()


def test_games_are_shown_in_order_with_their_openings(run: Run) -> None:
    words = ("greedy", "random", "--games", "6", "--position", "1212", "--opening-plies", "2")
    shown = lines_of(run, *words, "--show", "--jobs", "2")
    assert [line.split(":")[0] for line in shown if line.startswith("game ")] == [
        f"game {number}" for number in range(1, 7)
    ]
    openings = [line.split()[1] for line in shown if line.startswith("opening ")]
    moves = [line.split()[1] for line in shown if line.startswith("moves ")]
    assert len(openings) == len(moves) == 6
    for opening, played in zip(openings, moves, strict=True):
        assert opening.startswith("1212")
        assert len(opening) == 6
        assert played.startswith(opening)
        assert Position.from_moves(played).is_over
    assert any(line.startswith("6 games on 7x6 connect 4, from 1212, seed 0, 2 random plies")
               for line in shown)  # fmt: skip
    output = json.loads(run("match", *words, "--show", "--json").out)
    assert [game["opening"] for game in output["played"]] == openings
    assert [game["moves"] for game in output["played"]] == moves
    assert (output["position"], output["opening_plies"]) == ("1212", 2)
    assert "played" not in json.loads(run("match", *words, "--json").out)


def test_equal_games_are_reported(run: Run) -> None:
    output = " ".join(
        " ".join(lines_of(run, "alphabeta:depth=2", "greedy", "--games", "20")).split()
    )
    assert "unique games: 2 (10%): repeated games are not new evidence, so the" in output
    assert "--opening-plies 4 would vary them" in output
    assert "20.7% to 100.0%" in output
    varied = " ".join(lines_of(run, "random", "greedy", "--games", "20"))
    assert "evidence" not in varied


@pytest.mark.parametrize("width", ["80", "40"])
def test_names_are_never_lost(run: Run, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    shown = lines_of(run, LONG, bot("first"), "--games", "2")
    assert f"A is {LONG}" in shown
    assert f"B is {bot('first')}" in shown
    assert any(line.startswith("A alphabeta ") for line in shown)
    assert any(line.startswith("B first.py ") for line in shown)
    assert all(len(line) <= int(width) or " is " in line for line in shown)
    same = lines_of(run, "random", "random", "--games", "2")
    assert any(line.startswith("A random ") for line in same)
    assert any(line.startswith("B random ") for line in same)


def test_forfeits_are_reported_by_kind_and_all_reasons_in_json(run: Run, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def agent(position):\n    return {}[position] if position.ply % 2 else 'x'\n")
    words = ("match", str(bot), "random", "--games", "12")
    lines = " ".join(run(*words).out.split()).split("forfeits of ")[1:]
    assert len(lines) == 2
    assert lines[0].startswith(f"{bot}: 6 x crash: such as raised KeyError: Position.from_fen(")
    assert lines[1].startswith(f"{bot}: 6 x illegal: returned 'x' instead of a column number")
    output = json.loads(run(*words, "--json").out)
    assert sum(output["forfeit_reasons"][0].values()) == 12
    assert len(output["forfeit_reasons"][0]) > 2


def test_commandose_shows_the_traceback_of_an_agent_that_fails(run: Run, tmp_path: Path) -> None:
    words = ("match", bot("raises"), "random", "--games", "4")
    quiet, verbose = run(*words), run(*words, "--verbose")
    assert "Traceback" not in quiet.err + quiet.out + verbose.out
    assert verbose.err.count("Traceback") == 1
    assert "raises.py forfeits: raised RuntimeError: \\x1b[31mbroken\\x07 ☃" in verbose.err
    assert ", in agent\n" in verbose.err
    assert "\x1b" not in quiet.out + verbose.err
    assert "worker.py" not in verbose.err
    both = tmp_path / "both.py"
    both.write_text("def agent(p):\n    return [][p.ply] if p.turn else 1 // 0\n")
    output = run("match", str(both), "random", "--games", "6", "--verbose").err
    heads = [line.partition(":")[0] for line in output.splitlines() if line.startswith("game ")]
    assert (output.count("Traceback"), heads) == (2, ["game 1", "game 2"])
    shown = run("match", str(both), "random", "--games", "2", "--show").out
    assert "both.py forfeits: raised ZeroDivisionError" in " ".join(shown.split())
    file = tmp_path / "broken.py"
    file.write_text("1 / 0\n", encoding="utf-8")
    assert "Traceback" not in run("match", str(file), "random").err
    finished = run("match", str(file), "random", "--verbose")
    assert finished.status == 2
    assert "ZeroDivisionError" in finished.err.partition("Traceback")[2]


def test_the_first_lines_that_a_bot_prints_are_shown(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "talks.py"
    file.write_text("def agent(p):\n    print('ply', p.ply)\n    return p.legal_columns[0]\n")
    finished = run("match", str(file), "greedy", "--games", "20")
    shown = finished.err.splitlines()
    assert [line.startswith("ply ") for line in shown] == [True] * 20 + [False]
    assert re.fullmatch(rf"{file} has printed \d+ more lines, which are left out", shown[-1])


def test_stateful_agents_are_reported(run: Run) -> None:
    finished = run("match", bot("remembers", "Counting"), "greedy", "--games", "4", "--jobs", "2")
    assert finished.status == 0
    assert finished.err.endswith(" remembers earlier games: one process plays them, in order\n")


def test_a_limit_that_an_agent_does_not_know_is_rejected(run: Run) -> None:
    finished = run("match", "uct", "random", "--depth", "3")
    assert (finished.status, finished.out) == (2, "")
    sentence = "uct cannot be limited by depth: it supports seconds, iterations"
    assert finished.err == f"claimeven: {sentence}\n"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bot_that_ends_its_process_costs_its_games(run: Run, jobs: str) -> None:
    finished = run("match", bot("exits"), "random", "--games", "4", "--jobs", jobs, "--json")
    assert finished.status == 0
    output = json.loads(finished.out)
    assert output["forfeit_reasons"] == [{"ended its process: exit status 3": 4}, {}]


def test_a_lingering_thread_does_not_delay_the_match(run: Run) -> None:
    finished = run("match", bot("lingers"), "random", "--games", "2", "--json")
    assert finished.status == 0
    assert json.loads(finished.out)["games"] == 2


def test_a_match_is_stored_and_resumed(run: Run, tmp_path: Path) -> None:
    words = ("match", "greedy", "random", "--opening-plies", "2", "--show")
    out = ("--out", str(tmp_path / "m.db"))
    whole = run(*words, "--games", "10").out
    assert run(*words, "--games", "4", *out).status == 0
    refused = run(*words, "--games", "10", *out)
    assert (refused.status, "exists already" in refused.err) == (2, True)
    resumed = run(*words, "--games", "10", *out, "--resume").out

    def games(text: str) -> str:
        return text.partition("\n10 games on")[0]

    assert games(resumed) == games(whole)
    with Store.read(tmp_path / "m.db") as store:
        assert store.meta["command"].startswith("claimeven match greedy random --games 10 ")
    assert "--resume needs a file" in bad_input(run("match", "a", "b", "--resume"))
    assert "takes part twice" in bad_input(
        run("match", "random", "random", "--out", str(tmp_path / "n.db"))
    )


def test_ctrl_c_shows_how_to_continue_with_a_match(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    words = ("match", "greedy", "random", "--games", "100000", "--out", str(path), "--show")
    with forks.program(
        command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=60)
    assert program.returncode == 130
    assert f"continue with: --out {path} --resume" in err.decode()
    output = re.search(r"interrupted after (\d+) of", err.decode())
    assert output is not None
    with Store.read(path) as store:
        assert len(store) - int(output[1]) in (0, 1)  # one may be stored and not counted yet


@unix
def test_a_full_disk_ends_a_match_with_the_played_games(tmp_path: Path) -> None:
    path, page = tmp_path / "m.db", tmp_path / "m.html"
    words = ("match", "random", "greedy", "--games", "6000", "--out", str(path), "--json",
             "--report", str(page))  # fmt: skip
    finished = forks.run_program(
        [sys.executable, "-c", CRAMPED, "500000", *words],
        capture_output=True, text=True, env=environment(),
    )  # fmt: skip
    assert finished.returncode == 2
    last = finished.stderr.splitlines()[-1]
    assert last.startswith(f"claimeven: {path} cannot be written: the disk is full")
    assert 0 < json.loads(finished.stdout)["games"] < 6000
    assert not page.exists()


def test_sigterm_ends_all_processes_of_a_match() -> None:
    words = command("match", bot("first"), "random", "--games", "100000", "--jobs", "2", "--show")
    with forks.program(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()  # a game has been played
        program.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        program.communicate(timeout=60)  # ends when no process has the pipes open
        assert time.monotonic() - begin < 60
    assert program.returncode == -signal.SIGTERM


def test_openings_of_a_match_come_from_a_file_or_by_score(run: Run, tmp_path: Path) -> None:
    openings = tmp_path / "openings.txt"
    openings.write_text("44\n123\n", encoding="utf-8")
    words = ("match", "random", "greedy", "--games", "6", "--openings")
    output = json.loads(run(*words, str(openings), "--json", "--show").out)
    assert [game["opening"] for game in output["played"]] == ["44", "44", "123", "123", "44", "44"]
    assert output["unique_openings"] == 2
    assert ", 2 openings, " in run(*words, str(openings)).out
    assert output["opening_plies"] is None  # of 2 and of 3
    for source in ("balanced", "-9..9"):
        drawn = json.loads(run(*words, source, "--json", "--show").out)
        assert [len(game["opening"]) for game in drawn["played"]] == [4] * 6
        assert drawn["opening_plies"] == 4
    stored = tmp_path / "m.db"
    played = [
        json.loads(
            run(*words, str(openings), "--json", "--show", "--out", str(stored), *resume).out
        )["played"]
        for resume in ((), ("--resume",))
    ]
    assert played == [output["played"], output["played"]]
    assert "cannot be read" in bad_input(run(*words, "nowhere.txt"))


def test_openings_may_be_given_as_moves() -> None:
    result = play_match("greedy", "random", games=4, openings=["44", "1"])
    assert [played.opening for played in result.games] == ["44", "44", "1", "1"]
    with pytest.raises(InvalidMatch, match="must have at least one opening"):
        play_match("greedy", "random", games=4, openings=[])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "--memory-limit 900",
            "--memory-limit applies to no agent here (to built-in ones with --isolate)\n",
        ),
        (
            "--memory-limit 900 --load-timeout 9",
            "--memory-limit and --load-timeout apply to no agent here"
            " (to built-in ones with --isolate)\n",
        ),
        ("--memory-limit 900 --isolate", ""),
        ("", ""),
    ],
)
def test_bounds_that_hold_for_no_agent_are_reported(run: Run, words: str, message: str) -> None:
    finished = run("match", "greedy", "random", "--games", "2", *words.split())
    assert (finished.status, finished.err) == (0, message)


def test_bounds_hold_for_an_agent_from_a_file(run: Run) -> None:
    finished = run("match", bot("first"), "greedy", "--games", "2", "--memory-limit", "900")
    assert finished.status == 0
    assert "no agent here" not in finished.err


@pytest.mark.parametrize(
    ("names", "marks"),
    [
        (("x" * 20, "random"), ("x" * 20, "random")),
        (("random", "random"), ("A random", "B random")),
        (("x" * 21, "bots/" + "y" * 18), ("A " + "x" * 15 + "...", "B " + "y" * 18)),
        (("x" * 21, "alphabeta:depth=3"), ("A " + "x" * 15 + "...", "B alphabeta:depth=3")),
        (("ugi:/opt/engines/my-engine --depth 3", "random"), ("A ugi:my-engine", "B random")),
    ],
)
def test_labels_are_short_and_distinguish_two_agents(
    names: tuple[str, str], marks: tuple[str, str]
) -> None:
    assert labels(names, 20) == marks


def test_results_are_shown_by_seat(run: Run, tmp_path: Path) -> None:
    words = ("match", "greedy", "random", "--games", "20", "--seed", "3", "--opening-plies", "3")
    lines = run(*words).out.splitlines()
    head = next(place for place, line in enumerate(lines) if line.startswith("by seat "))
    rows = [line.split() for line in lines[head + 1 : head + 5]]
    assert [row[:2] for row in rows] == [
        [f"{agent},", seat] for agent in ("greedy", "random") for seat in ("first", "second")
    ]
    output = json.loads(run(*words, "--json").out)
    for row, counts in zip(rows, [*output["by_seat"][0], *output["by_seat"][1]], strict=True):
        assert list(map(int, row[2:5])) == list(counts.values())
        assert sum(counts.values()) == 10
    for name, place in (("wins", 0), ("draws", 1)):
        totals = [sum(seat[name] for seat in agent) for agent in output["by_seat"]]
        assert totals == (output["wins"] if place == 0 else [output["draws"]] * 2)
    assert output["swap"] is True


def test_seats_need_not_be_swapped(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "m.db")
    words = ("match", "greedy", "random", "--no-swap", "--show", "--json", "--games")
    output = json.loads(run(*words, "4").out)
    assert output["swap"] is False
    assert [game["first"] for game in output["played"]] == [1, 1, 1, 1]
    assert output["by_seat"][0][1] == {"wins": 0, "draws": 0, "losses": 0}
    stored = json.loads(run(*words, "4", "--out", path).out)
    assert stored["played"] == output["played"]
    assert json.loads(run(*words, "6", "--out", path, "--resume").out)["games"] == 6
    message = bad_input(run("match", "greedy", "random", "--games", "8", "--out", path, "--resume"))
    assert "its swap differs (false, not true)" in message
    odd = json.loads(run(*words, "2", "--position", "444").out)
    assert [game["first"] for game in odd["played"]] == [2, 2]  # A starts, as second player


COUNTING = "alphabeta-polito"


@pytest.mark.parametrize("agent", [COUNTING, "uct-aifour:iterations=20"])
def test_evaluations_are_reported_if_the_agent_counts_them(run: Run, agent: str) -> None:
    asked = ("match", agent, "random", "--games", "2")
    output = json.loads(run(*asked, "--json").out)
    words = [line for line in run(*asked).out.splitlines() if line.startswith("evaluations by")]
    if agent == COUNTING:
        a_game, a_move = output["evaluations_per_game"][0], output["per_move"][0]["evaluations"]
        assert words == [f"evaluations by {COUNTING}: {a_game:,.1f} a game, {a_move:,.1f} a move"]
    else:
        assert (words, output["evaluations_per_game"]) == ([], [None, None])


def test_adjudicated_games_are_reported(run: Run, tmp_path: Path) -> None:
    words = ("match", "random", "greedy", "--games", "6", "--columns", "5", "--rows", "4",
             "--opening-plies", "3", "--adjudicate", "8")  # fmt: skip
    output = json.loads(run(*words, "--show", "--json").out)
    ended = [game for game in output["played"] if game["adjudicated"] is not None]
    assert len(ended) == output["adjudicated"] > 0
    text = run(*words, "--show", "--out", str(tmp_path / "a.db")).out
    assert f"{len(ended)} of 6 games ended early with the exact result." in text
    assert text.count("(adjudicated by exact score): ") == len(ended)
    listed = run("games", str(tmp_path / "a.db")).out
    assert listed.count("(adjudicated)") == len(ended)
