"""`claimeven puzzles`: solved on the terminal, listed, made."""

from __future__ import annotations

import json
import re
import signal
from itertools import pairwise
from pathlib import Path

import pytest

from claimeven import daily_puzzle, select_puzzles
from claimeven.puzzles.puzzle import DIFFICULTIES, KINDS, MOTIFS
from tests.cli.conftest import PATIENCE, Run, bad_input, interrupted, started

SET = "1103 win zugzwang 543727456472434 232\n1156 hold follow_up 5435543326327354467 455226677\n"
SMALL = ("--columns", "5", "--rows", "4", "--plies", "3-11")


@pytest.fixture
def own(tmp_path: Path) -> str:
    path = tmp_path / "own.txt"
    path.write_text(SET)
    return str(path)


def test_a_puzzle_is_failed_hinted_and_solved(run: Run, own: str) -> None:
    typed = "4\nhint\nhint\nhint\n9\nwhat\nhelp\n2\n2\nq\n"
    result = run("puzzles", "--set", own, "--number", "1", typed=typed)
    assert (result.status, result.err) == (0, "")
    output = " ".join(result.out.split())
    order = (
        "rating 1103",
        "Red to move: one column wins, no other does.",
        "No. Column 4",
        "Try again.",
        "the other side must play below it",
        "Look at row",
        "Column 2 wins in",
        "'9' is not a column: choose from 1 to 7, or type help.",
        "'what' is not a column",
        "another puzzle",
        "Right. Yellow replies in column 3. Find the next column.",
        "Solved. Column 2 wins in",
    )
    places = [output.index(words) for words in order]
    assert places == sorted(places)
    assert max(map(len, result.out.splitlines())) <= 80


def test_the_solution_is_shown_and_another_puzzle_drawn(run: Run, own: str) -> None:
    words = ("puzzles", "--set", own, "--seed", "3")
    result = run(*words, typed="show\nnew\nshow\nxy\nnew\n")
    assert result.status == 0
    assert result.out.count("The solution is") == 2
    assert "the puzzle is over: type new or quit." in result.out
    assert result.out.endswith("solved 0 of 3 at the first try\n")
    assert run(*words, typed="show\nnew\nshow\nxy\nnew\n").out == result.out


def test_new_puzzles_are_others_until_all_were_there(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "five.txt"
    path.write_text(
        "".join(f"{p.rating} {p.kind} {p.idea} {p.moves} {p.as_dict()['solution']}\n"
                for p in select_puzzles("hard")[:5])
    )  # fmt: skip

    def seen(*words: str) -> list[str]:
        out = run("puzzles", "--set", str(path), *words, typed="new\n" * 11).out
        return re.findall(r"^puzzle (\d) of", out, re.MULTILINE)

    for words in (("--seed", "1"), ("--number", "3"), ("--daily", "2026-01-11")):
        output = seen(*words)
        assert len(output) == 12 and set(output[:5]) == set("12345")
        assert all(one != other for one, other in pairwise(output))
    path.write_text(path.read_text().splitlines()[0])
    result = run("puzzles", "--set", str(path), typed="new\n")
    assert result.out.endswith("there is no other puzzle.\n")


def test_a_letter_that_names_a_column_is_that_column(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "wide.txt"
    created = run("puzzles", "make", "--count", "12", "--columns", "10", "--rows", "4", "--plies",
               "22-36", "--seed", "1", "-o", str(path))  # fmt: skip
    assert created.status == 0
    wide = ("--columns", "10", "--rows", "4", "--set", str(path), "--number", "1")
    result = run("puzzles", *wide, typed="h\nq\n")
    assert re.search(
        r"No\. Column h|Column h |'h' is full|column h is full|Solved|Right", result.out
    )
    assert "hint" not in result.out


def test_a_puzzle_of_ones_own_is_checked(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("1450 hold only 4455 1\n")
    for words in ((), ("--hint",), ("--hint", "--json")):
        output = bad_input(run("puzzles", "--set", str(path), *words))
        assert output.endswith("its solution is not the only column that draws")


def test_help_fits_a_narrow_terminal(run: Run, own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = run("puzzles", "--set", own, "--number", "1", typed="help\n").out
    lines = out.splitlines()
    at = lines.index("  hint, h    the idea, then cells to")
    assert lines[at + 1] == " " * 13 + "look at, then the column"


def test_piped_input_may_end_at_any_time(run: Run, own: str) -> None:
    result = run("puzzles", "--set", own, "--kind", "hold")
    assert result.status == 0
    assert "one column holds the draw, every other loses." in result.out


def test_the_puzzle_of_a_day(run: Run) -> None:
    output = json.loads(run("puzzles", "--daily", "2026-01-05", "--json").out)
    assert output["number"] == daily_puzzle("2026-01-05").number
    today = json.loads(run("puzzles", "--json", "--daily").out)
    assert today["number"] == daily_puzzle().number
    hard = json.loads(run("puzzles", "--daily", "2026-01-05", "--difficulty", "hard", "--json").out)
    assert hard["number"] == daily_puzzle("2026-01-05", select_puzzles("hard")).number


def test_puzzles_are_listed_and_counted(run: Run) -> None:
    lines = run("puzzles", "--difficulty", "hard", "--kind", "hold", "--list").out.splitlines()
    assert len(lines) == 1 + len(select_puzzles("hard", "hold"))
    assert lines[0].split() == ["number", "kind", "difficulty", "rating", "length", "moves"]
    assert all(" hold " in line and " hard " in line for line in lines[1:])
    output = run(
        "puzzles", "--difficulty", "hard", "--kind", "hold", "--list", "--json"
    ).out.splitlines()
    assert json.loads(output[0])["difficulty"] == "hard" and len(output) == len(lines) - 1
    counted = json.loads(run("puzzles", "--counts", "--json").out)
    assert counted["puzzles"] == len(select_puzzles())
    for row in counted["difficulties"]:
        assert row["win"] == len(select_puzzles(row["difficulty"], "win"))
        assert row["from_rating"] == DIFFICULTIES[row["difficulty"]]
        assert [(each["motif"], each["puzzles"]) for each in row["motifs"]] == [
            (motif, len(select_puzzles(row["difficulty"], motif=motif))) for motif in MOTIFS
        ]
    assert json.loads(output[0])["hints"] is None
    of_difficulty = ("puzzles", "--difficulty", "hard", "--counts")
    counted = json.loads(run(*of_difficulty, "--json").out)
    assert counted["puzzles"] == len(select_puzzles("hard"))
    head, *table = run(*of_difficulty).out.splitlines()
    message = (
        f"{counted['set']}: {len(select_puzzles('hard')):,} puzzles, digest {counted['digest']}"
    )
    assert head == message
    assert [line.split() for line in table] == [
        list(DIFFICULTIES),
        ["from", "rating", *map(str, DIFFICULTIES.values())],
        *([kind, *(str(row[kind]) for row in counted["difficulties"])] for kind in KINDS),
        *(
            [motif, *(str(row["motifs"][at]["puzzles"]) for row in counted["difficulties"])]
            for at, motif in enumerate(MOTIFS)
        ),
    ]
    assert [row["win"] + row["hold"] for row in counted["difficulties"]] == [
        len(select_puzzles("hard")) * (difficulty == "hard") for difficulty in DIFFICULTIES
    ]


def test_a_motif_and_a_length_select(run: Run) -> None:
    words = ("puzzles", "--motif", "double-threat", "--length", "2", "--list", "--json")
    listed = [json.loads(line) for line in run(*words).out.splitlines()]
    assert len(listed) == len(select_puzzles(motif="double-threat", length=2)) > 100
    assert {(each["motif"], each["length"]) for each in listed} == {("double-threat", 2)}
    out = run("puzzles", "--motif", "block", "--length", "1", "--seed", "1", typed="show\n").out
    assert "The solution is" in out


def test_seeds_and_bands_decide_which_puzzles_are_drawn(run: Run) -> None:
    words = ("puzzles", "--difficulty", "hard", "--seed")
    drawn = [json.loads(run(*words, str(seed), "--json").out)["number"] for seed in range(5)]
    assert len(set(drawn)) > 1
    out = run(*words, "4", typed="new\n" * 5).out
    heads = re.findall(r"^puzzle (\d+) of [^:]*: \w+, (\w+),", out, re.MULTILINE)
    assert int(heads[0][0]) == drawn[4]
    assert [difficulty for _, difficulty in heads] == ["hard"] * 6


def test_hints_as_text_and_as_json(run: Run, own: str) -> None:
    result = run("puzzles", "--set", own, "--number", "2", "--hint")
    assert (result.status, result.err) == (0, "")
    assert "Column 4 holds the draw" in " ".join(result.out.split())
    output = json.loads(run("puzzles", "--set", own, "--number", "2", "--hint", "--json").out)
    assert [hint["step"] for hint in output["hints"]] == ["idea", "cells", "column"]
    assert output["hints"][2]["columns"] == [4]


def test_a_set_is_made_and_solved(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "mine.txt")
    result = run("puzzles", "make", "--count", "3", "--seed", "3", "-o", path, *SMALL, "--json")
    assert (result.status, result.err) == (0, "")
    assert json.loads(result.out)["puzzles"] == 3
    listed = run("puzzles", "--set", path, "--list", *SMALL[:4]).out.splitlines()
    assert len(listed) == 4
    board = (*SMALL[:4], "--connect", "4")
    assert run("puzzles", "--set", path, "--list", *board).out.splitlines() == listed
    again = run("puzzles", "make", "--count", "3", "--seed", "3", "-o", f"{path}.gz", *SMALL)
    assert " ".join(again.out.split()).startswith(f"{path}.gz: 3 puzzles, digest ")
    output = bad_input(run("puzzles", "make", "--count", "3", "-o", path))
    assert output == f"{path} already exists: choose another name or remove it"


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no such signals")
def test_work_ended_by_ctrl_c_reports_how_to_continue(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    partial = tmp_path / "mine.txt.partial"
    result = interrupted(
        "puzzles", "make", "--count", "500", "-o", str(path), *SMALL,
        when=lambda: partial.exists() and partial.read_bytes().count(b"\n") > 2,
    )  # fmt: skip
    assert result.status == 130
    assert (
        result.err.strip() == f"interrupted; run the same command to continue from {path}.partial"
    )
    assert not path.exists()


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no such signals")
def test_ctrl_c_leaves_a_puzzle(own: str) -> None:
    with started("puzzles", "--set", own, "--seed", "1") as program:
        assert program.stdout is not None
        shown = ""
        while not shown.endswith("or help: "):
            part = program.stdout.read(1)
            assert part, shown
            shown += part
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=PATIENCE)
    assert (program.returncode, out.strip()) == (130, "")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--set OWN --difficulty expert", "own.txt has no such puzzle: see --counts"),
        (
            "--difficulty eazy",
            "must be one of beginner, easy, medium, hard, expert, got 'eazy' (did",
        ),
        ("--kind lose", "must be one of win, hold, got 'lose'"),
        ("--motif blok", "zugzwang, got 'blok' (did you mean block?)"),
        ("--length 0", "length must be 1 or more, got 0"),
        ("--motif block --length 4", "puzzles-7x6-v3 has no such puzzle: see --counts"),
        ("--number 0", "the number of a puzzle must be 1 to"),
        ("--daily soon", "a day must be a date such as 2026-01-31, got 'soon'"),
        ("--daily 2026-01-01 --number 3", "give --daily or --number, not both"),
        ("--list --counts", "--list does not go with --counts"),
        ("--counts --daily", "--counts does not go with --daily"),
        ("--list --hint", "--list does not go with --hint"),
        ("--seed -1", "seed must be 0 or more, got -1"),
        ("--set nowhere.txt", "nowhere.txt cannot be read: No such file"),
        ("--columns 9", "the board 9x6 connect 4 has no bundled puzzles: make some with"),
        ("--columns 5 make --count 1 -o x.txt", "make does not go with --columns"),
        ("--difficulty hard make --count 1 -o x.txt", "make does not go with --difficulty"),
        ("maek", "there is no command 'maek' (did you mean make?)"),
        ("make --count 3 -o x.txt --columns 1 --rows 1", "a puzzle needs 3 columns to choose from"),
        ("make --count 0 -o x.txt", "count must be 1 or more, got 0"),
        ("make --count 1 -o /nowhere/x.txt", "there is no folder /nowhere"),
        ("make --count 1 -o x.txt --plies 3-a", "--plies must be a number or a range such as 8-20"),
        ("make --count 1 -o x.txt --columns 16 --rows 16", "128 bits"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_no_file(
    run: Run, own: str, words: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sentence in bad_input(run("puzzles", *words.replace("OWN", own).split()))
    assert list(tmp_path.iterdir()) == [Path(own)]
