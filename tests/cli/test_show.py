"""`claimeven show`: facts held to plain code on a grid, boards that no game reaches, every form."""

from __future__ import annotations

import ast
import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.cli.show import FORMS
from claimeven.game import encodings
from claimeven.game.drawing import draw, parse_drawing
from tests.cli.conftest import Run, bad_input
from tests.positions import random_games

#: A board as a notebook prints it: four discs against two, which no game reaches.
FOUR_AGAINST_TWO = """\
P1: X\tP2: O
  ╔═════╦═════╦═════╦═════╦═════╦═════╦═════╗
3 ║     ║     ║     ║     ║     ║     ║     ║
  ╠═════╬═════╬═════╬═════╬═════╬═════╬═════╣
2 ║     ║     ║     ║     ║     ║     ║     ║
  ╠═════╬═════╬═════╬═════╬═════╬═════╬═════╣
1 ║  O  ║     ║     ║     ║  X  ║     ║     ║
  ╠═════╬═════╬═════╬═════╬═════╬═════╬═════╣
0 ║  O  ║     ║     ║  X  ║  X  ║  X  ║     ║
  ╚═════╩═════╩═════╩═════╩═════╩═════╩═════╝
     0     1     2     3     4     5     6
"""


def counted(cells: np.ndarray, player: int, length: int) -> int:
    """Windows of `length` cells that a player fills, by a scan of a grid (columns, rows)."""
    columns, rows = cells.shape
    return sum(
        all(
            0 <= c + i * dc < columns and 0 <= r + i * dr < rows
            and cells[c + i * dc, r + i * dr] == player
            for i in range(length)
        )
        for c in range(columns)
        for r in range(rows)
        for dc, dr in ((0, 1), (1, 0), (1, 1), (1, -1))
    )  # fmt: skip


def windows_of(cells: np.ndarray, own: int) -> int:
    """The evaluation `windows` of a grid by its definition, for 1 or -1."""
    columns, rows = cells.shape
    worth = {
        (4, 0): 100001,
        (3, 0): 1000,
        (2, 0): 100,
        (0, 2): -101,
        (0, 3): -1001,
        (0, 4): -100000,
    }
    total = int(np.count_nonzero(cells[columns // 2] == own))
    for c in range(columns):
        for r in range(rows):
            for dc, dr in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if not (0 <= c + 3 * dc < columns and 0 <= r + 3 * dr < rows):
                    continue
                window = [cells[c + i * dc, r + i * dr] for i in range(4)]
                total += worth.get((window.count(own), window.count(-own)), 0)
    return total


def test_counts_equal_plain_code(run: Run) -> None:
    for columns in list(random_games(Geometry(), 8, seed=3, ongoing=True)):
        position = Position.from_moves(columns)
        output = json.loads(run("show", "".join(str(c + 1) for c in columns), "--json").out)
        cells = encodings.to_polito(position).astype(int)
        for length in range(1, 5):
            expected = [counted(cells, player, length) for player in (1, -1)]
            assert output["counts"][str(length)] == expected
            listed = [[s for s in runs if s["length"] == length] for runs in output["sequences"]]
            assert list(map(len, listed)) == expected
        assert output["evaluations"]["windows"] == [windows_of(cells, 1), windows_of(cells, -1)]
        assert output["legal_columns"] == [c + 1 for c in range(7) if not cells[c, 5]]
        for player, value in ((0, 1), (1, -1)):
            wins = []
            for column in position.legal_columns:
                grid = cells.copy()
                grid[column, position.height_of(column)] = value
                if counted(grid, value, 4):
                    wins.append(column + 1)
            assert output["winning_columns"][player] == wins
        assert (output["turn"], output["discs"]) == (position.turn, [*map(int, (
            (cells == 1).sum(), (cells == -1).sum()))])  # fmt: skip


def test_a_board_that_no_game_reaches_is_shown_and_not_played_on(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text(FOUR_AGAINST_TWO)
    result = run("show", str(path))
    assert (result.status, result.err) == (0, "")
    assert "the first player has 4 discs and the second 2" in " ".join(result.out.split())
    output = json.loads(run("show", str(path), "--json").out)
    assert output["counts"] == {"1": [16, 8], "2": [5, 1], "3": [1, 0], "4": [0, 0]}
    assert (output["turn"], output["moves"], output["rows"]) == (None, None, 4)
    assert output["winning_columns"] == [[3, 7], []]
    cells = np.array(ast.literal_eval(run("show", str(path), "--as", "polito").out))
    assert output["evaluations"]["windows"] == [windows_of(cells, 1), windows_of(cells, -1)]
    again = run("show", run("show", str(path), "--as", "box-ascii").out, "--json")
    assert json.loads(again.out) == output
    for verb in ("solve", "explain", "analyze"):
        result = run(verb, str(path))
        assert result.status == 1
        assert result.err.endswith(
            "the first player has 4 discs and the second 2: players take turns; claimeven show"
            " draws, counts and evaluates such a board\n"
        )
    assert "players take turns" in bad_input(run("convert", str(path)))
    assert "no moves lead to this board" in bad_input(run("show", str(path), "--as", "moves"))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_printed_and_most_are_read_again(run: Run, form: str) -> None:
    board = Geometry(5, 4, 3)
    size = ("--columns", "5", "--rows", "4", "--connect", "3")
    position = Position.from_moves("3342", board)
    result = run("show", "3342", "--as", form, *size)
    assert (result.status, result.err) == (0, "")
    text = result.out.rstrip("\n")
    if form in ("pettingzoo", "pgx", "openspiel", "lund", "svg"):
        assert text
        return
    if form == "python":
        assert eval(text, {"Position": Position, "Geometry": Geometry}) == position
        return
    again = json.loads(run("show", text, *size, "--json").out)
    assert again["fen"] == encodings.to_fen(position)
    style, _, charset = form.partition("-")
    if charset:
        assert text == draw(position, style=style, charset=charset)
        assert parse_drawing(text, board) == position


@pytest.mark.parametrize(
    "words",
    [
        ("match", "greedy", "random", "--games", "2", "--openings", "FILE"),
        ("accuracy", "random", "--jobs", "1", "--show-worst", "0", "--positions", "FILE"),
        ("games", "imported.db", "--import", "FILE", "--first", "ann", "--second", "bob"),
    ],
)
def test_every_command_reports_how_a_doubtful_file_is_read(
    words: tuple[str, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("listed.txt").write_text("4,4,5,5\n4,4\n")
    result = run(*(word.replace("FILE", "listed.txt") for word in words))
    assert result.status == 0
    assert result.err.count("listed.txt, line 1 is read as OpenSpiel's actions, whose columns") == 1
    assert "is read as" not in result.err.replace("line 1 is read as", "")


def test_how_a_doubtful_input_is_read_is_reported_once(run: Run) -> None:
    result = run("show", "-", "--as", "moves", typed="4,4,5,5\n3,4\n")
    assert (result.status, result.out.split()) == (0, ["5566", "45"])
    assert result.err == (
        "claimeven: line 1 is read as OpenSpiel's actions, whose columns count from 0; --from"
        " moves counts from 1\n"
    )
    result = run("show", "4455 3 4 5", "--as", "moves")
    assert result.err.startswith(
        "claimeven: 4455 3 4 5 is read as the moves 445534 and the score 5"
    )
    for words in (("4,4,5,5", "--from", "moves"), ("4455",), ("3,3,0",)):
        assert run("show", *words).err == ""
    assert "count from 0" in run("convert", "-", typed="4,4\n").err


def test_long_inputs_are_not_repeated_in_messages(run: Run) -> None:
    for text in ("[[" * 5000, '{"board": ' + "[" * 5000):
        result = run("show", text)
        assert (result.status, result.err[:30]) == (1, "claimeven: the text, line 1: n")
        assert len(result.err) < 200


def test_the_first_player_of_the_text_is_reported(run: Run) -> None:
    text = ". . .\nO . .\n"
    assert "symbols      O (2, -1) moves first in the input and is X here" in run("show", text).out
    assert "symbols" not in run("show", text.replace("O", "X")).out


def test_games_that_are_over_and_several_of_them(run: Run, tmp_path: Path) -> None:
    output = json.loads(run("show", "4455667", "--json").out)
    assert (output["outcome"], output["turn"], output["legal_columns"]) == ("Yellow wins", None, [])
    path = tmp_path / "games.txt"
    path.write_text("44\n4x\n55\n")
    result = run("show", str(path))
    assert result.status == 1
    assert [line for line in result.out.splitlines() if line.startswith("position")] == [
        "position 44",
        "position 55",
    ]
    assert "line 2: move 2: 'x' is not a column" in result.err
    assert "runs of Red: length, first cell, direction" in run(
        "show", "44", "--sequences"
    ).out  # fmt: skip


def test_commands_that_start_from_a_position_take_boards_and_files(
    run: Run, tmp_path: Path
) -> None:
    small = ("--connect", "3")
    path = tmp_path / "board.txt"
    path.write_text(draw(Position.from_moves("232", Geometry(4, 4, 3))))
    two = tmp_path / "two.txt"
    two.write_text("44\n45\n")
    size = ("--columns", "4", "--rows", "4", *small)
    for words in (
        ("think", "{}", "--agent", "random", "--json"),
        ("perft", "2", "--position", "{}"),
        ("match", "random", "random", "--games", "1", "--json", "--position", "{}"),
    ):
        by_file = run(*(word.format(path) for word in words), *small)
        by_moves = run(*(word.format("322") for word in words), *size)
        assert (by_file.status, by_file.err) == (0, "")
        if words[0] == "perft":
            assert by_file.out == by_moves.out
        message = bad_input(run(*(word.format(two) for word in words)))
        assert message == f"{two} has more than one position: give a file with one, or its moves"
        path_of_none = tmp_path / "impossible.txt"
        path_of_none.write_text(FOUR_AGAINST_TWO)
        message = bad_input(run(*(word.format(path_of_none) for word in words)))
        assert message.startswith(
            "the first player has 4 discs and the second 2: players take turns"
        )


def test_openings_of_a_file_may_have_scores_or_be_replays(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("4455 18\n4 12\n")
    words = ("match", "random", "random", "--games", "4", "--json", "--show", "--openings")
    result = run(*words, str(path))
    assert (result.status, result.err) == (0, "")
    (tmp_path / "o.json").write_text(run("convert", str(path), "--to", "kaggle").out)
    assert '"4455"' in result.out and '"4"' in result.out
    replays = run(*words, str(tmp_path / "o.json"))
    assert (replays.status, '"4455"' in replays.out, '"4"' in replays.out) == (0, True, True)


def test_several_files_are_imported_and_converted(run: Run, tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.csv"
    one.write_text("4455667\n4455 18\n")
    two.write_text("moves,first,second\n12,ann,bob\n")
    store = str(tmp_path / "games.db")
    players = ("--first", "ann", "--second", "bob")
    result = run("games", store, "--import", str(one), str(two), *players, "--json")
    output = [json.loads(line) for line in result.out.splitlines()]
    assert [(each["added"], each["scored"]) for each in output] == [(2, 1), (1, 0)]
    text = " ".join(run("games", store, "--import", str(one), *players).out.split())
    assert f"1 of them have scores, which are not stored: claimeven solve {one} compares" in text
    for words in ((str(two),), ("--from", "moves")):
        message = bad_input(run("games", store, *words))
        assert message == "--from and more files need --import"
    result = run("convert", str(one), str(two))
    assert (result.status, result.out) == (0, "4455667\n4455\n12\n")
    assert "1 games have scores, which moves cannot store (jsonl can)" in result.err
    saved = run("convert", str(one), "--to", "jsonl").out.splitlines()
    assert json.loads(saved[1])["scores"] == [18]
    out = tmp_path / "all.csv"
    message = run("convert", str(one), str(two), store, "-o", str(out), "--json")
    assert json.loads(message.out)["from"] == "moves, csv, store"
    one.write_text("44\n48\n")
    message = bad_input(run("convert", str(two), str(one), "-o", str(tmp_path / "more.csv")))
    assert message.startswith(f"{one}, line 2: move 2: '8' is not a column")


def test_games_of_any_format_are_judged(run: Run, tmp_path: Path) -> None:
    board = ("--columns", "4", "--rows", "4", "--connect", "3")
    path = tmp_path / "games.csv"
    path.write_text("moves,first,second\n12121,ann,bob\n1213,ann,bob\n")
    output = json.loads(run("accuracy", str(path), "--json", "--table-mb", "1", *board).out)
    store = str(tmp_path / "games.db")
    assert run("games", store, "--import", str(path), *board).status == 0
    stored = json.loads(run("accuracy", store, "--json", "--table-mb", "1").out)
    for each, name in ((output, "games.csv"), (stored, "games.db")):
        each.pop("seconds")
        assert each.pop("provenance")["command"]["agents"] == [name]
    assert output == stored
    path.write_text("moves,first\n12x,ann\n")
    assert "line 2 of" in bad_input(run("accuracy", str(path), *board))


def test_no_file_makes_a_command_fail_without_a_sentence(run: Run, tmp_path: Path) -> None:
    """Bytes at random, and files of every kind cut anywhere."""
    rng = random.Random(8)
    replay = run("convert", "-", "--to", "kaggle", typed="4455667\n").out
    texts = [
        replay,
        FOUR_AGAINST_TWO,
        draw(Position.from_moves("4455")),
        "moves\n44\n",
        "4455 18\n",
    ]
    files = [text.encode() for text in texts] + [gzip.compress(replay.encode(), mtime=0)]
    path = tmp_path / "x"
    commands = (
        ("convert", str(path)),
        ("show", str(path), "--as", "fen"),
        ("games", str(tmp_path / "g.db"), "--import", str(path)),
        ("perft", "1", "--position", str(path)),
    )
    for _ in range(40):
        data = bytearray(rng.choice([*files, rng.randbytes(rng.randrange(1, 200))]))
        del data[rng.randrange(len(data)) :]
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(bytes(data))
        for words in commands:
            result = run(*words)
            assert result.status in (0, 1, 2)
            assert "Traceback" not in result.err and len(result.err) < 20_000
            assert result.status == 0 or result.err.startswith("claimeven: ")
