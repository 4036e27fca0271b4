"""`claimeven solve`: lines, JSON, streams, and bad input."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from claimeven import Geometry, Position
from claimeven.solver import Solver
from tests import forks
from tests.cli.conftest import Run, bad_input, command, environment, started
from tests.positions import random_games

SMALL = ("--columns", "5", "--rows", "4", "--table-mb", "4")


def test_a_line_is_the_moves_and_their_score(run: Run) -> None:
    result = run("solve", "226744515337", "44455554221", "--table-mb", "16")
    assert (result.status, result.out) == (0, "226744515337 7\n44455554221 -15\n")
    result = run("solve", "226744515337", "--all", "--no-book", "--threads", "2")
    assert (result.status, result.out) == (0, "226744515337 -1 0 -1 7 6 -2 0\n")


def test_full_columns_and_the_empty_board(run: Run) -> None:
    scores = run("solve", "1111", "", "--all", *SMALL).out.splitlines()
    assert scores[0].startswith("1111 . ")
    assert scores[1] == " -1 0 0 0 -1"
    assert run("solve", "", *SMALL).out == " 0\n"


def test_json_shows_everything_of_a_position(run: Run) -> None:
    result = run("solve", "1122112", "", "--json", *SMALL)
    first, second = (json.loads(line) for line in result.out.splitlines())
    position = Position.from_moves("1122112", Geometry(5, 4))
    scores = Solver(Geometry(5, 4), table_mb=4).scores(position)
    assert list(first) == [
        "moves",
        "score",
        "scores",
        "outcome",
        "plies_to_end",
        "nodes",
        "seconds",
        "claimeven",
    ]
    assert first["scores"] == list(scores)
    assert first["score"] == max(score for score in scores if score is not None)
    assert second["moves"] == ""
    assert second["score"] == 0
    assert second["outcome"] == "draw"
    assert second["plies_to_end"] == 20
    assert second["nodes"] > 0
    assert second["seconds"] > 0


def test_a_stream_is_answered_line_by_line_like_the_solver(run: Run) -> None:
    geometry = Geometry(5, 4)
    games = list(random_games(geometry, 40, seed=9, ongoing=True))
    lines = ["".join(str(column + 1) for column in columns) for columns in games]
    solver = Solver(geometry, table_mb=4)
    expected = [solver.scores(Position.from_moves(columns, geometry)) for columns in games]
    result = run("solve", "-", "--all", *SMALL, typed="".join(line + "\n" for line in lines))
    assert result.status == 0
    for line, moves, scores in zip(result.out.splitlines(), lines, expected, strict=True):
        texts = ["." if score is None else str(score) for score in scores]
        assert line == " ".join([moves, *texts])


BAD_LINES = "12\n19\n12x\n1212121\n12121212\n11111\n\n21\n"


@pytest.mark.parametrize("form", [(), ("--all",), ("--json",)])
def test_wrong_lines_are_reported_and_the_stream_continues(run: Run, form: tuple[str, ...]) -> None:
    result = run("solve", "-", *form, *SMALL, typed=BAD_LINES)
    assert result.status == 1
    assert result.err.splitlines() == [
        "claimeven: line 2: move 2: '9' is not a column: choose from 1 to 5",
        "claimeven: line 3: move 3: 'x' is not a column: choose from 1 to 5",
        "claimeven: line 4: the game is over after 1212121: Yellow wins",
        "claimeven: line 5: move 8: column 2 cannot be played: the game is over",
        "claimeven: line 6: move 5: column 1 is full",
    ]
    lines = result.out.split("\n")
    assert lines[1:6] == ["null" if "--json" in form else ""] * 5
    assert all(lines[place] for place in (0, 6, 7))
    assert lines[8:] == [""]


def test_each_line_of_a_stream_is_answered_immediately() -> None:
    with started("solve", "-", *SMALL) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for moves in ("12", "9", "21"):
            program.stdin.write(moves + "\n")
            program.stdin.flush()
            answer = program.stdout.readline()
            assert answer == "\n" if moves == "9" else answer.startswith(f"{moves} ")
        program.stdin.close()
        assert program.wait(timeout=60) == 1


def test_a_guide_changes_no_score(run: Run) -> None:
    for arguments in (("solve", "226744515337", "--all"), ("explain", "5256464", "--json")):
        plain = run(*arguments, "--no-book", "--table-mb", "16")
        guided = run(*arguments, "--no-book", "--table-mb", "16", "--guide", "net")
        assert (plain.status, plain.err) == (guided.status, guided.err) == (0, "")
        assert plain.out == guided.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "give the moves of a position such as 4455"),
        (("-", "48"), "move 2: '8' is not a column"),
        (("nowhere.txt",), "there is no file nowhere.txt"),
        ((".",), ". cannot be read: Is a directory"),
        (("44", "--book", "nowhere.book"), "nowhere.book cannot be read: No such file"),
        (("44", "--book", ""), "--book must be a file or shipped, got ''"),
        (("44", "--book", "a", "--no-book"), "give --book FILE or --no-book, not both"),
        (("44", "--guide", "nowhere.npz"), "nowhere.npz cannot be read: No such file"),
        (("44", "--guide", ""), "a file or folder must have a name, got ''"),
        (("44", "--guide", "net", "--columns", "8"), "no bundled model is for 8x6 connect 4: give"),
        (("48",), "move 2: '8' is not a column: choose from 1 to 7"),
        (("44", "--weak", "--all"), "--weak prints the outcome of a position: it does not go with"),
        (
            ("44", "--stats", "--json"),
            "--stats is for lines of text: --json always prints all results",
        ),
        (("44", "--against", "pons:x", "--pons"), "--against does not go with --pons"),
        (("44", "--solver", "ugi:x"), "another solver must be given as pons:COMMAND, got 'ugi:x'"),
        (("44", "--solver", "pons:nowhere"), "there is no program nowhere"),
        (("44", "4444444"), "move 7: column 4 is full"),
        (("1212121",), "the game is over after 1212121: Yellow wins"),
        (("12121212",), "column 2 cannot be played: the game is over"),
        (("44", "--table-mb", "0"), "the MB of a table must be greater than 0, got 0"),
        (("44", "--table-mb", "nan"), "the MB of a table must be a number, got nan"),
        (("44", "--table-mb", "inf"), "the MB of a table must be finite, got inf"),
        (("44", "--table-mb", "1e12"), "there is not enough memory for a table of 1e+12 MB"),
        (("44", "--threads", "0"), "threads must be 1 to 256, got 0"),
        (("dd", "--columns", "13", "--rows", "9"), "13x9 connect 4 takes 130"),
        (("44", "--columns", "99"), "columns must be 1 to 16, got 99"),
    ],
)
def test_unsolvable_input_is_one_sentence(
    run: Run, arguments: tuple[str, ...], sentence: str
) -> None:
    result = run("solve", *arguments)
    assert (result.status, result.out) == (2, "")
    assert result.err.count("\n") == 1
    assert result.err.startswith("claimeven: ")
    assert sentence in result.err


PONS_LINES = "12\n19\n1 2\n1212121\n12121212\n11111\n\n21"


def test_the_drop_in_answers_and_refuses_as_pons_does(run: Run) -> None:
    result = run("solve", "--pons", *SMALL, typed=PONS_LINES)
    assert result.status == 0
    assert result.err.splitlines() == [
        'Line 2: Invalid move 2 "19"',
        'Line 3: Invalid move 2 "1 2"',
        'Line 4: Invalid move 7 "1212121"',
        'Line 5: Invalid move 7 "12121212"',
        'Line 6: Invalid move 5 "11111"',
    ]
    lines = result.out.split("\n")
    assert lines[1:6] == [""] * 5
    assert [lines[0].split()[0], lines[6].split()[0], lines[7].split()[0]] == ["12", "0", "21"]
    output = run("solve", "--pons", "--stats", "-w", *SMALL, typed="12\n").out.split()
    assert output[0] == "12"
    assert output[1] in ("-1", "0", "1")
    assert all(number.isdigit() for number in output[2:])
    assert len(output) == 4


def test_the_drop_in_takes_files_and_moves_too(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"12\r\n19\n 21\n")
    result = run("solve", "--pons", *SMALL, "1", str(file), "-", "12", typed="21\n9\n")
    typed = run("solve", "--pons", *SMALL, typed="1\n12\n\n\n21\n\n12\n").out.splitlines()
    given = result.out.splitlines()
    assert given[:3] + given[4:] == [*typed[:2], "", typed[4], "", typed[6]]
    assert result.err.splitlines() == [
        'Line 3: Invalid move 2 "19"',
        'Line 4: Invalid move 1 " 21"',
        'Line 6: Invalid move 1 "9"',
    ]
    gone = run("solve", "--pons", *SMALL, "12", str(tmp_path / "none"))
    assert (gone.status, gone.out.split()[0]) == (2, "12")
    assert gone.err.endswith("none cannot be read: No such file or directory\n")
    first, second = (
        run("solve", "--pons", "--stats", *SMALL, typed=lines).out.splitlines()[-1].split()
        for lines in ("12\n", "3344\n12\n12\n")
    )
    assert first[:2] == second[:2]
    assert int(second[2]) <= int(first[2])


def test_a_full_board_is_a_draw_to_the_drop_in(run: Run) -> None:
    board = ("--columns", "2", "--rows", "2", "--connect", "3")
    assert run("solve", "--pons", *board, typed="1122\n").out == "1122 0\n"
    result = run("solve", "--pons", "-a", *board, typed="1122\n11\n")
    assert result.out == "1122 -1000 -1000\n11 -1000 0\n"


def test_weak_scores_are_outcomes(run: Run) -> None:
    lines = ("4455", "44455554221", "44444412")
    result = run("solve", "--weak", *lines, "--table-mb", "4")
    assert result.out == "4455 1\n44455554221 -1\n44444412 -1\n"


DROP_IN = " ".join(["pons:" + shlex.join(command("solve", "--pons")), *SMALL])
#: A solver that answers with the scores in a table, 0 by default, and ends at a null.
ANSWERS = """
import json, pathlib, sys
table = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())
for line in sys.stdin:
    score = table.get(line.strip(), 0)
    if score is None:
        break
    print(line.strip(), score, flush=True)
"""


def answering(folder: Path, table: dict[str, int | None]) -> str:
    """Write a solver that knows some positions, and return its spec."""
    (folder / "solver.py").write_text(ANSWERS)
    (folder / "solver.json").write_text(json.dumps(table))
    return f"pons:{sys.executable} {folder / 'solver.py'}"


def test_scores_are_compared_with_another_solver(run: Run, tmp_path: Path) -> None:
    positions = ("1212", "21", "", "3344")
    result = run("solve", *positions, "--against", DROP_IN, *SMALL)
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("4 positions, 0 differ; ")
    other = answering(tmp_path, {"1212": 1, "": 1, "12": 1})
    result = run("solve", "1212", "", "--against", other, *SMALL)
    assert result.status == 1
    first, second, summary = result.out.splitlines()
    assert first.endswith(" against 1")
    assert second == " 0 against 1"
    assert summary.startswith("2 positions, 2 differ; ")
    lines = run("solve", "-", "--against", other, "--json", *SMALL, typed="\n99\n12\n")
    assert lines.status == 1 and lines.out.splitlines()[1] == "null"
    answers = [json.loads(line) for line in lines.out.splitlines()]
    assert [bool(answer) for answer in answers] == [True, False, True]
    del answers[0]["claimeven"]
    assert answers[0] == {
        "moves": "", "scores": [0], "other_scores": [1], "agree": False
    }  # fmt: skip


def test_another_solver_answers(run: Run, tmp_path: Path) -> None:
    board = SMALL[:4]
    positions = ("112233", "21", "")
    lines = run("solve", *positions, *SMALL).out.splitlines()
    scores = [int(line.split()[-1]) for line in lines]
    expected = json.loads(run("solve", "21", "--json", *SMALL).out)["scores"]
    after = {f"21{column}": -score for column, score in enumerate(expected, 1)}
    table = {**dict(zip(positions, scores, strict=True)), **after, "12": None}
    other = answering(tmp_path, table)
    for words in (positions, ("--weak", *positions)):
        ours = run("solve", *words, *SMALL).out
        assert run("solve", *words, "--solver", other, *board).out == ours
    output = json.loads(run("solve", "21", "--solver", other, "--json", *board).out)
    assert (output["nodes"], output["scores"]) == (None, expected)
    options = (("--threads", "2"), ("--table-mb", "4"), ("--book", "x"), ("--no-book",))
    for option in (*options, ("--guide", "net")):
        message = bad_input(run("solve", "21", "--solver", other, *board, *option))
        assert "are for the built-in solver: they do not go with --solver" in message
    message = bad_input(run("solve", "12", "--solver", other, *board))
    assert message.startswith(f"{other} ended its process")


# The scores of these two are published: 4455 is 18, 226744515337 is 7.
SCORED = "4455 18\n226744515337 6\n"


def test_the_scores_of_a_test_set_are_compared(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "begin.txt"
    path.write_text(SCORED)
    for name in ("-", str(path)):
        result = run("solve", name, "--table-mb", "16", typed=SCORED)
        assert (result.status, result.err) == (1, "")
        assert result.out.splitlines() == [
            "4455 18",
            "226744515337 7  # given 6",
            "# 2 scores given: 1 right, 1 wrong",
        ]
    output = [json.loads(line) for line in run("solve", str(path), "--json").out.splitlines()]
    assert [(each.get("given"), each.get("agrees")) for each in output[:2]] == [
        ([18], True),
        ([6], False),
    ]
    assert [output[2][key] for key in ("compared", "right", "wrong")] == [2, 1, 1]
    weak = run("solve", str(path), "--weak", "--table-mb", "16")
    assert (weak.status, weak.out.splitlines()[-1]) == (0, "# 2 scores given: 2 right, 0 wrong")
    path.write_text("4455 -4 -3 18 2 2 18 -3\n4455 -4 -3 17 2 2 18 -3\n")
    result = run("solve", str(path), "--all", "--table-mb", "16")
    assert result.status == 1
    assert result.out.splitlines()[1].endswith("  # given -4 -3 17 2 2 18 -3")
    path.write_text("4455 -2 -3 18 2 2 18 -3\n")  # the best score is right, one column's is not
    for verb in ("solve", "explain", "analyze"):
        again = run(verb, str(path), "--table-mb", "16")
        assert again.status == 1 and "-2 -3 18 2 2 18 -3" in again.out
    # The output can be read again.
    path.write_text(result.out)
    assert run("convert", str(path)).out == "4455\n4455\n"
    assert run("solve", "4455 18", "--table-mb", "16").out.startswith("4455 18\n# 1 score given")


def test_the_scores_are_compared_by_explain_and_analyze_too(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "small.txt"
    small = ("--columns", "4", "--rows", "4", "--connect", "3", "--table-mb", "1")
    path.write_text("1212 8\n")
    for verb in ("explain", "analyze"):
        result = run(verb, str(path), *small)
        assert result.status == 1 and "wrong score" in result.out and ": 8.\n" in result.out
        output = json.loads(run(verb, str(path), *small, "--json").out)
        assert (output["given"], output["agrees"]) == ([8], False)


def test_a_file_that_counts_from_0_is_not_half_answered(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "zero.txt"
    path.write_text("3344 18\n115633404226 7\n")
    for verb in ("solve", "explain", "analyze"):
        result = run(verb, str(path))
        assert result.status == 1 and "3344" not in result.out
        assert "line 2: a 0 among its moves shows that columns count from 0" in result.err
    result = run("solve", str(path), "--from", "moves0", "--table-mb", "16")
    assert (result.status, result.out.splitlines()[-1]) == (0, "# 2 scores given: 2 right, 0 wrong")
    for words in (("convert", str(path)), ("games", str(tmp_path / "g.db"), "--import", str(path))):
        assert "columns count from 0" in bad_input(run(*words))
    assert run("convert", str(path), "--from", "moves0").out == "4455\n226744515337\n"
    assert "columns count from 0" in bad_input(run("solve", "3340"))


def test_boards_in_any_form_are_solved(run: Run, tmp_path: Path) -> None:
    small = ("--connect", "3", "--table-mb", "1")
    path = tmp_path / "board.txt"
    path.write_text(
        "+---------+\n| . . . . |\n| . . . . |\n| . X . . |\n| . X O . |\n+-1-2-3-4-+\n"
    )
    expected = run("solve", "232", "--columns", "4", "--rows", "4", *small).out.split()[-1]
    for argument in (str(path), "4/4/1x2/1xo1", "[[0,0,0,0],[0,0,0,0],[0,1,0,0],[0,1,2,0]]"):
        result = run("solve", argument, *small)
        assert (result.status, result.out.split()[-1]) == (0, expected)
    path.write_text(path.read_text().replace("O", "X"))
    result = run("solve", str(path), *small)
    assert (result.status, result.out) == (1, "\n")
    assert "the first player has 3 discs and the second 0: players take turns" in result.err


def test_spaces_between_moves_are_left_out(run: Run) -> None:
    assert run("solve", "1 2 1", *SMALL).out == run("solve", "121", *SMALL).out
    assert run("solve", "-", *SMALL, typed=" 1 2\t1 \n").out.startswith("121 ")
    assert json.loads(run("solve", "1 2 1", "--json", *SMALL).out)["moves"] == "121"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_is_reported() -> None:
    with Path("/dev/full").open("w") as full:
        finished = forks.run_program(
            command("--help"), stdout=full, stderr=subprocess.PIPE, text=True, env=environment()
        )  # fmt: skip
    assert finished.returncode == 1
    assert finished.stderr == "claimeven: the output cannot be used: No space left on device\n"


@pytest.mark.parametrize(
    ("words", "closed"), [(("solve", "-", *SMALL), "<&-"), (("--help",), ">&-"), (("-h",), "2>&-")]
)
def test_a_stream_that_is_closed_is_as_an_empty_one(words: tuple[str, ...], closed: str) -> None:
    line = " ".join(f"'{word}'" for word in command(*words))
    finished = subprocess.run(
        ["sh", "-c", f"{line} {closed}"],
        input="", capture_output=True, text=True, env=environment(), check=False,
    )  # fmt: skip
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.startswith("Usage: ") == (closed == "2>&-")


def test_ctrl_c_ends_a_long_search_without_a_trace() -> None:
    """The empty 8x7 board takes hours; the first line shows that the search has started."""
    with started("solve", "-", "--columns", "8", "--rows", "7", "--threads", "2") as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write("121212\n\n")
        program.stdin.flush()
        assert program.stdout.readline() == "121212 25\n"
        time.sleep(0.1)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    assert (program.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "interrupted"
    assert "Traceback" not in err
