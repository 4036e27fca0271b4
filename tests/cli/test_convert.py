"""`claimeven convert`: files of every format, stdin, stores, what cannot be read or written."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from claimeven.arena.games.game import Game
from claimeven.arena.store.store import Store, StoredAgent
from tests.cli.conftest import Run, bad_input

#: A game won by the first player, and the start of one.
GAMES = "4455667\n12\n"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.txt"
    path.write_text(GAMES)
    return path


@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("moves", "4455667\n12\n"),
        (
            "csv",
            "moves,first,second,opening,result,fault,reason,adjudicated\n4455667,,,,first,,,\n",
        ),
        ("jsonl", '{"moves": "4455667", "first": "", '),
        ("kaggle", '{"name": "connectx", '),
        ("openspiel", "3, 3, 4, 4, 5, 5, 6\n0, 1\n"),
    ],
)
def test_games_go_to_stdout_and_to_a_file(
    run: Run, games: Path, tmp_path: Path, form: str, begins: str
) -> None:
    result = run("convert", str(games), "--to", form)
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith(begins)
    assert run("convert", "-", typed=result.out).out == GAMES
    assert run("convert", str(games), "--to", form, "-o", "-").out == result.out
    out = tmp_path / "out.file"
    output = json.loads(run("convert", str(games), "--to", form, "-o", str(out), "--json").out)
    del output["claimeven"]
    assert output == {"out": str(out), "from": "moves", "to": form, "games": 2, "skipped": 0}
    assert out.read_text() == result.out


def test_extensions_choose_the_format(run: Run, games: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "replays.json")
    result = run("convert", str(games), "-o", out)
    assert result.out.split()[-5:] == ["2", "games,", "moves", "to", "kaggle"]
    assert run("convert", out).out == GAMES
    assert run("convert", out, "--from", "kaggle", "--to", "openspiel").out.endswith("\n0, 1\n")


def test_positions_are_labeled_by_the_solver(run: Run, games: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "p.data")
    words = ("--table-mb", "1", "--columns", "4", "--rows", "4")
    # 12 on 4x4 is a draw, as every published count of that board has it; the other game is over.
    typed = "12\n1213141\n"
    assert run("convert", "-", "-o", out, *words, typed=typed).status == 0
    labels = [line.rpartition(",")[2] for line in Path(out).read_text().splitlines()]
    assert labels == ["draw", "win"]
    board = words[2:]
    assert bad_input(run("convert", out, *words)).endswith(
        "--table-mb is for --to uci, which needs the solver"
    )
    back = run("convert", out, *board)
    assert sorted(back.out.split()[0]) == ["1", "2"]
    assert "2 games are only positions" in back.err
    judged = run("analyze", out, *words, "--json")
    assert judged.status == 0
    assert len(judged.out.splitlines()) == 2
    assert "the position has no order of moves: it is judged as 12" in judged.err


def test_labels_are_from_the_first_players_view_and_unchanged(run: Run, tmp_path: Path) -> None:
    board = ("--columns", "4", "--rows", "4", "--connect", "3")
    solved = run("convert", "-", "--to", "uci", *board, "--table-mb", "1", typed="-\n1\n12\n")
    assert (solved.status, solved.err) == (0, "")
    labels = [line.rpartition(",")[2] for line in solved.out.splitlines()]
    assert labels == ["win"] * 3
    for moves in ("", "1", "12"):
        judged = json.loads(run("analyze", moves, *board, "--table-mb", "1", "--json").out)
        assert judged["score_history"][-1] > 0  # for the first player
    output = solved.out.replace("win", "loss")  # labels are taken as they are
    again = run("convert", "-", "--from", "uci", "--to", "uci", *board, typed=output)
    assert (again.status, again.out, again.err) == (0, output, "")
    replays = tmp_path / "two.json"
    replays.write_text(
        "".join(
            run("convert", "-", "--to", "kaggle", "--rows", rows, *board[:2], typed="12\n").out
            for rows in "45"
        )
    )
    both = run("convert", str(replays), "--to", "uci", "--table-mb", "1")
    assert [line.count(",") for line in both.out.splitlines()] == [16, 20]


def test_a_file_of_games_is_not_written_over(run: Run, games: Path, tmp_path: Path) -> None:
    path, link = tmp_path / "class.txt", tmp_path / "link.txt"
    made = tmp_path / "class.db"
    with Store.create(made, {"plan": {}}, (StoredAgent(0, "ann", "greedy"),)) as store:
        store.add([Game("a", 0, 0, 0, 0, "44", "55667", 0)])
    made.rename(path)
    link.symlink_to(path)
    before = path.read_bytes()
    for words in (
        ("convert", str(games), "-o", str(path)),
        ("convert", str(path), "-o", str(path)),
        ("convert", str(path), "-o", str(link)),
        ("games", str(path), "--export", str(path)),
    ):
        assert bad_input(run(*words)).endswith("it holds games, so name another file")
    assert path.read_bytes() == before


def test_a_pipe_is_read_once(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "games"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(GAMES,))
    writer.start()
    assert run("convert", str(pipe)).out == GAMES
    writer.join()


def test_games_from_a_position_of_their_own_are_no_records(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "class.db"
    plan = {"start": [0, 1 << 21]}
    with Store.create(path, {"plan": plan}, (StoredAgent(0, "ann", "greedy"),)) as store:
        store.add([Game("a", 0, 0, 0, 0, "", "55667", 0)])
    assert "start from a position, which game records cannot store" in bad_input(
        run("convert", str(path))
    )


def test_stored_games_are_read(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "class.db"
    agents = (StoredAgent(0, "ann", "greedy"), StoredAgent(1, "bob", "random"))
    lost = Game("b", 1, 0, 1, 0, "", "5", 0, fault="stall", fault_seat=1, reason="no answer")
    with Store.create(path, {"plan": {"columns": 7, "rows": 6}}, agents) as store:
        store.add([Game("a", 0, 0, 0, 1, "44", "55667", 0), lost])
    rows = [
        json.loads(line) for line in run("convert", str(path), "--to", "jsonl").out.split("\n")[:-1]
    ]
    assert [(row["first"], row["opening"], row["result"], row["fault"]) for row in rows] == [
        ("ann", "44", "first", None),
        ("bob", "", "first", "stall"),
    ]
    assert [row["reason"] for row in rows] == [None, "no answer"]
    (won, forfeit) = run("convert", str(path), "--to", "kaggle").out.splitlines()
    assert json.loads(won)["info"] == {"TeamNames": ["ann", "bob"]}
    assert json.loads(forfeit)["statuses"] == ["DONE", "TIMEOUT"]


def test_stored_games_have_a_board_and_a_format(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    run("games", str(path), "--import", "-", "--first", "a", "--second", "b", typed="44\n")
    for words, message in (
        (("convert", "--columns", "8"), "have the board 7x6 connect 4, not 8x6 connect 4"),
        (("convert", "--from", "csv"), "has stored games: leave --from out"),
        (("games", "--game", "1", "--columns", "8"), "have the board 7x6 connect 4, not 8x6"),
    ):
        assert message in bad_input(run(words[0], str(path), *words[1:]))
    small = ("--columns", "4", "--rows", "4")
    path = tmp_path / "small.db"
    run("games", str(path), "--import", "-", "--first", "a", "--second", "b", *small, typed="44\n")
    for board in ((), small):
        assert run("convert", str(path), *board).out == "44\n"


def test_replays_are_judged_and_imported(run: Run, games: Path, tmp_path: Path) -> None:
    replays = tmp_path / "replays.json"
    assert run("convert", str(games), "-o", str(replays)).status == 0
    small = tmp_path / "small.json"
    typed = "1213141\n"
    run("convert", "-", "-o", str(small), "--columns", "4", "--rows", "4", typed=typed)
    judged = run("analyze", str(small), "--table-mb", "1", "--json")
    assert json.loads(judged.out)["moves"] == "1213141"
    store = str(tmp_path / "e.db")
    words = ("--first", "ann", "--second", "bob")
    result = run("games", store, "--import", str(replays), *words)
    assert "2 games added" in " ".join(result.out.split())
    bad = bad_input(run("games", store, "--import", str(small), *words))
    assert "its board is 4x4 connect 4, not 7x6 connect 4; nothing was imported" in bad


def test_an_unreadable_line_is_named_and_no_file_written(run: Run, tmp_path: Path) -> None:
    source, out = tmp_path / "g.txt", tmp_path / "o.csv"
    source.write_text("44\n48\n12\n")
    message = bad_input(run("convert", str(source), "-o", str(out)))
    assert "g.txt, line 2: move 2: '8' is not a column: choose from 1 to 7; no file was" in message
    assert not out.exists()
    for name, typed, where in ((str(source), "", f"{source}, "), ("-", "44\n48\n", "")):
        output = run("convert", name, typed=typed)
        assert (output.status, output.err) == (
            2, f"claimeven: {where}line 2: move 2: '8' is not a column: choose from 1 to 7\n"
        )  # fmt: skip
    two = run("convert", "-", "-o", str(out), "--skip-invalid", "--json", typed="44\n48\n12\n49\n")
    assert (two.status, json.loads(two.out)["skipped"], json.loads(two.out)["games"]) == (1, 2, 2)
    assert two.err.splitlines()[0].startswith("claimeven: line 2: move 2: '8' is not a column")
    result = run("convert", str(source), "-o", str(out), "--skip-invalid", "--json")
    assert result.status == 1
    assert "line 2: move 2: '8' is not a column" in result.err
    assert json.loads(result.out)["skipped"] == 1
    assert len(out.read_text().splitlines()) == 3


@pytest.mark.parametrize("form", ["csv", "jsonl", "kaggle"])
def test_damaged_games_of_any_format_are_left_out(run: Run, tmp_path: Path, form: str) -> None:
    source = tmp_path / f"g.{form}"
    whole = run("convert", "-", "--to", form, typed="44\n12\n").out.splitlines()
    source.write_text("\n".join([*whole[:-1], whole[-1][:3], whole[-1]]) + "\n")
    result = run("convert", str(source), "--from", form, "--skip-invalid")
    assert (result.status, result.out.split()) == (1, ["44", "12"])
    assert f"g.{form}, line {len(whole)}: " in result.err


def test_a_position_that_cannot_be_labeled_is_named(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "g.txt"
    source.write_text("ab\n")
    board = ("--columns", "13", "--rows", "9")
    message = bad_input(run("convert", str(source), "--to", "uci", *board))
    assert "ab cannot be labeled: the solver supports boards of" in message
    message = bad_input(run("convert", "-", "--to", "uci", *board, typed="-\n"))
    assert message.startswith("the empty board cannot be labeled: the solver supports boards of")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.txt",), "nowhere.txt cannot be read: No such file"),
        (("-", "--to", "kagle"), "did you mean kaggle?"),
        (("-", "--json"), "--json describes the file of -o"),
        (("-", "-o", "/no/such/folder/x.csv"), "there is no folder /no/such/folder"),
        (("-", "--from", "uci"), "line 1: it has 1 cells"),
        (("-", "-o", "games.db"), "games.db must end in .txt, .moves0, .csv, "),
        (("-", "-o", "games.parquet"), "or add --to"),
    ],
)
def test_bad_input(run: Run, arguments: tuple[str, ...], message: str) -> None:
    assert message in bad_input(run("convert", *arguments, typed="44\n"))


def test_output_of_solve_on_the_empty_board_is_a_game_without_moves(run: Run) -> None:
    board = ("--columns", "4", "--rows", "4")
    solved = run("solve", *board, "--table-mb", "1", "", "12").out
    assert solved.startswith(" ")
    assert run("convert", "-", *board, typed=solved).out == "-\n12\n"
