"""How files are recognized: test sets, boards in every form, foreign JSON, binary files."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import random
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimeven import Geometry, Position
from claimeven.errors import ClaimevenError
from claimeven.game import encodings
from claimeven.game.drawing import CHARSETS, STYLES, draw, find_drawings
from claimeven.game.errors import InvalidNotation
from claimeven.records import GameRecord, InvalidRecord, guess_by_lines, open_records, tried_records
from claimeven.records.boards import DrawnBoard
from claimeven.records.replays import replay_of
from tests.positions import BOARDS, random_games

SMALL = Geometry(4, 4, 3)


def read(text: str, geometry: Geometry | None = None, name: str = "-") -> list[GameRecord]:
    board = geometry or Geometry()
    form, lines = guess_by_lines(name, io.StringIO(text))
    return [tried.game() for tried in tried_records(lines, form, board)]


def refusal(text: str, name: str = "-") -> str:
    with pytest.raises(ClaimevenError) as refused:
        read(text, name=name)
    return str(refused.value)


# --- lines of moves, with scores ----------------------------------------------------------------


def test_scores_after_moves_are_read() -> None:
    text = "4455 18\n-4 1\n4 5\nhard 12 -1\n4455 -4 -3 18 2 2 18 -3\n 1\n"
    found = [(each.moves, each.scores, each.band) for each in read(text.replace("-4 1\n", ""))]
    assert found == [
        ("4455", (18,), ""),
        ("4", (5,), ""),  # as other lines have scores
        ("12", (-1,), "hard"),
        ("4455", (-4, -3, 18, 2, 2, 18, -3), ""),
        ("", (1,), ""),
    ]
    assert [each.moves for each in read("4 5\n4 4 5\n")] == ["45", "445"]
    assert [each.score for each in read("4455,18\n4455\n")] == [18, None]
    with pytest.raises(ClaimevenError, match="column 7 can be played after 4455"):
        read("4455 1 2 3 4 5 6 .\n")


@pytest.mark.parametrize("lines", ["4455 3\n3440 1\n", "3344\n0123\n", "0\n", "3 3 0 4\n"])
def test_a_file_that_counts_columns_from_0_is_refused_before_its_first_line(lines: str) -> None:
    number = next(n for n, line in enumerate(lines.splitlines(), 1) if "0" in line)
    said = refusal(lines)
    assert said == (
        f"line {number}: a 0 among its moves shows that columns count from 0: read it with --from"
        " moves0, or convert it first (claimeven convert FILE --from moves0)"
    )
    # A stream that cannot be read twice is answered up to the line that shows it.
    form, rest = guess_by_lines("-", iter(lines.splitlines(keepends=True)))
    found = tried_records(rest, form)
    for _ in range(number - 1):
        next(found)
    with pytest.raises(InvalidRecord, match="columns count from 0"):
        next(found)
    (first, *_) = tried_records(lines.splitlines(), "moves0")
    digits = "".join(lines.splitlines()[0].split(" " if lines[1] == " " else None)[:1])
    assert first.record is not None
    assert lines[1] == " " or first.record.columns == tuple(map(int, digits))


def test_tables_that_count_from_0_are_refused_as_a_whole() -> None:
    for text, name in (
        ("moves,first\n33,a\n340,b\n", "a.csv"),
        ('{"moves": "33"}\n\n{"moves": "340"}\n', "a.jsonl"),
    ):
        said = "line 3: a 0 among its moves shows that columns count from 0: add 1 to each column"
        assert refusal(text, name) == said
        form, lines = guess_by_lines(name, io.StringIO(text.replace("33", "37")))
        assert [bool(each.error) for each in tried_records(lines, form)] == [False, True]


def test_scores_before_moves_are_not_taken_for_moves() -> None:
    said = "line 2: its scores precede the moves: put them after the moves"
    assert refusal("12 4455\n-3 226744\n") == said


def test_a_0_next_to_the_last_column_is_an_error_of_its_line() -> None:
    form, rest = guess_by_lines("-", io.StringIO("4457\n40\n12\n"))
    assert [bool(tried.error) for tried in tried_records(rest, form)] == [False, True, False]
    assert [each.score for each in read("4455 10\n44 0\n")] == [10, 0]


def test_histories_that_count_from_1_are_refused_as_a_whole() -> None:
    assert refusal("4, 4\n4, 7\n").startswith("line 2: move 2: '7' is not an action: choose from 0")
    assert "--from moves" in refusal("4, 4\n4, 7\n")
    (first, second) = (each.moves for each in map(_moves, ("4, 4\n", "[4, 7]\n")))
    assert (first, second) == ("44", "47")


def _moves(text: str) -> GameRecord:
    (found,) = tried_records([text.replace("[", "").replace("]", "")], "moves")
    return found.game()


def test_rows_of_a_data_set_are_games_on_their_board() -> None:
    (record,) = read("moves,mine,mask\n12,1,33\n", Geometry(4, 4, 3))
    assert (record.position.mine, record.position.mask) == (1, 33)


def test_scores_of_tables_and_of_our_own_json() -> None:
    table = "moves,score\n4455,18\n12,\n"
    assert [each.scores for each in read(table, name="set.csv")] == [(18,), ()]
    assert "its score must be a whole number, got 'x'" in refusal("moves,score\n12,x\n", "a.csv")
    solved = {"moves": "4455", "score": 18, "scores": [-4, -3, 18, 2, 2, 18, -3]}
    for text in (json.dumps(solved), json.dumps(solved, indent=1)):
        assert [each.scores for each in read(text)] == [tuple(solved["scores"])]  # type: ignore[arg-type]
    for text in ("4455\t18\r\n", "\ufeff4455 18\n", "4455 18  # by hand\n", "4455 +18 \n"):
        assert [(each.moves, each.scores) for each in read(text)] == [("4455", (18,))]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("4455 3 4 5", "the moves 445534 and the score 5"),
        ("4,4,5,5", "OpenSpiel's actions, whose columns count from 0; --from moves counts from 1"),
        ("44 55 3", ""),
        ("4,0,5", ""),
        ("[4, 4]", ""),
        ("4455 -4 -3 18 2 2 18 -3", ""),
    ],
)
def test_ambiguous_input_is_reported(text: str, said: str) -> None:
    form, lines = guess_by_lines("-", io.StringIO(text))
    (found,) = tried_records(lines, form)
    assert (
        found.record is not None
        and found.doubt.startswith(said)
        and bool(found.doubt) == bool(said)
    )


# --- boards -------------------------------------------------------------------------------------


def printed(position: Position) -> dict[str, str]:
    """A board in every form that programs print it."""
    polito, lund = encodings.to_polito(position), encodings.to_polito(position).T[::-1]
    rows = np.array(encodings.to_kaggle(position)).reshape(polito.shape[::-1])
    forms: dict[str, Any] = {
        f"{style} {charset}": draw(position, style=style, charset=charset)
        for style in STYLES
        for charset in CHARSETS
    }
    forms |= {
        "fen": encodings.to_fen(position),
        "kaggle": str(encodings.to_kaggle(position)),
        "rows": str(rows),
        "rows as floats": str(rows.astype(float)),
        "repr of rows": repr(lund),
        "nested": json.dumps(rows.tolist()),
        "nested over lines": json.dumps(rows.tolist(), indent=1),
        "grid": "\n".join(" ".join(row) for row in encodings.to_characters(position)),
        "strings": str(["".join(row) for row in encodings.to_characters(position)]),
        "flat": ",".join(map(str, encodings.to_kaggle(position))),
        "theaigames": encodings.to_theaigames(position),
        "columns": repr(polito),
        "columns nested": str(polito.tolist()),
    }
    return forms


def test_boards_are_read_in_every_form_they_are_printed_in() -> None:
    board = Geometry()
    for columns in list(random_games(board, 60, seed=4))[::2]:
        position = Position.from_moves(columns, board)
        for name, text in printed(position).items():
            for each in (text, f"\n{text}\n\n"):
                (record,) = read(each)
                assert record.position == position, (name, text)
                assert not record.is_ordered or name == "kaggle"


def test_boards_of_digits_and_odd_rows_above() -> None:
    (record,) = read("0000000\n" * 5 + "0001200\n")
    assert record.position == Position.from_moves("45")
    with pytest.raises(InvalidNotation, match="line 2 of the drawing has 'B' in a cell"):
        list(find_drawings("title\n..B....\n" + "..R....\n" * 5))
    (drawn,) = find_drawings(
        "........\n" * 5 + "....XO..\nabcdefgh\n^^^^^^^^\n01234567\nIN ORDER\n"
    )
    assert len(drawn.cells) == 6


def test_boards_of_other_sizes_name_theirs() -> None:
    rng = random.Random(2)
    for board in [board for board in BOARDS if board.columns > 2 and board.rows > 1]:
        columns = rng.choice(list(random_games(board, 4, seed=9)))
        position = Position.from_moves(columns, board)
        for style in STYLES:
            text = draw(position, style=style, charset="ascii")
            (record,) = read(text, Geometry(connect=board.connect))
            assert record.position == position


def test_several_boards_of_a_text() -> None:
    first, second = Position.from_moves("12", SMALL), Position.from_moves("123", SMALL)
    for text in (
        f"{draw(first)}\n{draw(second)}",
        f"game 1\n\n{draw(first, style='box')}\nthen\n{draw(second, style='box')}\n",
        f"0 1 2 3\n-------\n{draw(first, charset='ascii')}\n\n0 1 2 3\n{draw(second)}",
    ):
        found = [record.position for record in read(text, Geometry(connect=3))]
        assert found == [first, second]


def test_the_side_that_is_one_disc_ahead_moved_first() -> None:
    """A notebook may let O start: its boards with equal numbers of discs are read so too."""
    text = ". . .\nO . .\n\n. . .\nO X .\n"
    one, two = read(text, Geometry(connect=3))
    assert one.position == Position.from_moves("1", Geometry(3, 2, 3))
    assert two.position == Position.from_moves("12", Geometry(3, 2, 3))
    ((_, found),) = [
        (n, item)
        for form, lines in [guess_by_lines("-", io.StringIO(text.partition("\n\n")[0]))]
        for n, item in form.items(lines, Geometry(connect=3))
    ]
    assert isinstance(found, DrawnBoard) and (found.first, found.is_swapped) == (1, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[0, 0, 0], [1, 0, 0], [2, 1, 0]]", "may be written by rows or by columns"),
        ("[[0, 3], [0, 1], [1, 2]]", "a cell holds 3: choose from 0, 1, 2 (or -1), X, O"),
        ("[[1, 0, 0], [0, 0, 0], [0, 1, 1]]", "a disc floats above an empty cell"),
        ("[[0 0 0 ... 0 0 0]]", "the array is printed in part: print its .tolist()"),
        ("[[[0, 1]]]", "it has planes"),
        ("[[0, 1", "a bracket is not closed"),
        ("[" + "0, " * 40 + "0]", "it has 41 cells, and 7x6 connect 4 has 42"),
        ("| X | X |\n| X |\n", "line 2"),
        (". . X . . . .\n. . . . . . .\n", "a disc floats above an empty cell in column 3"),
        ("X X . . . . .\n" * 1, "the first player has 2 discs and the second 0"),
        (
            ".......\n" * 5 + "...RB..\n",
            "line 6 of the drawing has 'B' in a cell: choose from . X O",
        ),
        (". . .\n. 3 .\n. 1 2\n", "line 2 of the drawing has '3' in a cell"),
        ("  0 1 2\n0 0 0 0\n1 0 0 0\n2 1 2 0\n3 1 2 0\n", "line 5 is not a row of 4 cells"),
        ("7/7/7/7/7/3r3 r 1", "it says that r is to move"),
        ("[[1,1,1,1],[0,0]]", "its lists are of unequal length"),
    ],
)
def test_errors_of_a_board_are_named(text: str, said: str) -> None:
    assert said in refusal(text)


# --- foreign JSON -------------------------------------------------------------------------------


def test_boards_with_scores_of_their_columns() -> None:
    """As the community's sets are: one object a line, some number for a full column."""
    position = Position.from_moves("4444445")
    output = {"board": encodings.to_kaggle(position), "score": 3}
    lines = [output, output | {"move score": [1, 2, 3, -99, 0, -1, -2]}, {"board": output["board"]}]
    found = read("".join(json.dumps(line) + "\n" for line in lines))
    assert [each.position for each in found] == [position] * 3
    assert [each.scores for each in found] == [(3,), (1, 2, 3, None, 0, -1, -2), ()]
    assert "its mark is 1" in refusal(json.dumps(output | {"mark": 1}))
    assert "99 is not a score" in refusal(json.dumps(output | {"score": 99}))


def arena_replay(columns: tuple[int, ...]) -> dict[str, Any]:
    """A replay as the Game Arena lays it out: both wait, then a move a step."""
    steps: list[list[dict[str, Any]]] = [[{"action": {"submission": -1}}] * 2]
    for number, column in enumerate(columns):
        both = [{"action": {"submission": -1}}, {"action": {"submission": -1}}]
        both[number % 2] = {"action": {"submission": column, "actionString": f"x{column}"}}
        rows = [["." if cell is None else "xo"[cell] for cell in row]
                for row in Position.from_moves(columns[: number + 1]).rows]  # fmt: skip
        seen = {"observationString": json.dumps({"board": rows})}
        steps.append([each | {"observation": seen} for each in both])
    return {
        "name": "open_spiel_connect_four",
        "configuration": {"openSpielGameString": "connect_four_proxy(columns=7,rows=6,x_in_row=4)"},
        "steps": steps,
        "info": {"actionHistory": [str(c) for c in columns], "TeamNames": ["ann", "bob"]},
    }


def test_replays_of_the_game_arena() -> None:
    replay = arena_replay((3, 3, 4, 0, 2, 0, 5))
    page = f"<!doctype html>\n<script>window.kaggle = {json.dumps({'environment': replay})};\n"
    for text in (json.dumps(replay), json.dumps(replay, indent=1), page):
        (game,) = read(text)
        assert (game.moves, game.first, game.winner) == ("4451316", "ann", 0)
    (bare,) = read(json.dumps(replay["steps"]))
    assert bare.moves == "4451316"
    replay["steps"][3][0]["action"]["submission"] = 5
    assert "its board is not the one its moves lead to" in refusal(json.dumps(replay))
    assert "a replay of 'open_spiel_chess'" in refusal(
        json.dumps(replay | {"name": "open_spiel_chess"})
    )
    lost = arena_replay((3,)) | {"rewards": [1, -1], "statuses": ["DONE", "DONE"]}
    (game,) = read(json.dumps(lost))
    assert (game.fault, game.fault_seat, game.winner) == ("illegal", 1, 0)


def test_real_replays_of_the_game_arena() -> None:
    kaggle = pytest.importorskip("kaggle_environments")
    environment = kaggle.make("open_spiel_connect_four")
    columns = [3, 3, 4, 0, 2, 0, 5]

    def player(seat: int) -> Any:
        left = iter(columns[seat::2])

        def agent(seen: Any, configuration: Any) -> dict[str, int]:
            is_asked = seen.get("observationString") and seen.get("currentPlayer") == seat
            return {"submission": next(left) if is_asked else -1}

        return agent

    environment.run([player(0), player(1)])
    for text in (json.dumps(environment.toJSON()), environment.render(mode="html")):
        (game,) = read(text)
        assert (list(game.columns), game.winner) == (columns, 0)


def test_a_list_of_steps_and_a_page_of_connectx() -> None:
    replay = replay_of(GameRecord((3, 3, 2)))
    for text in (
        json.dumps(replay["steps"]),
        json.dumps(replay["steps"], indent=2),
        f"<html><script>window.kaggle = {json.dumps({'environment': replay})}</script></html>",
    ):
        assert [game.moves for game in read(text)] == ["443"]
    assert "it is a web page without a replay" in refusal("<!DOCTYPE html>\n<p>404</p>")
    assert "it is a notebook" in refusal(json.dumps({"cells": [], "nbformat": 4}, indent=1))


def test_turns_of_a_column_and_a_color() -> None:
    for text in (
        "A_Red\nB_Yellow\nA_Red\n",
        '["A_Red", "B_Yellow", "A_Red"]',
        "A_red, B_yellow, A_red",
    ):
        assert [game.moves for game in read(text)] == ["121"]
    two = read("A_Red B_Yellow\nG_Yellow A_Red\n")
    assert [game.moves for game in two] == ["12", "71"]
    assert "move 2: Red moves twice in a row" in refusal("A_Red A_Red\n")
    assert "is not on the board" in refusal("A_Red H_Yellow\n")


def test_lists_of_moves() -> None:
    assert [each.moves for each in read('["4455", "12"]')] == ["4455", "12"]
    assert [each.moves for each in read('{"moves": [3, 3, 4]}\n')] == ["445"]
    assert [each.moves for each in read("(3, 3, 4)\n[3, 3]\n")] == ["445", "44"]


def test_histories_in_a_state_of_the_arena() -> None:
    text = "# Automatically generated by OpenSpiel\n[Meta]\nVersion: 1\n\n[Game]\n"
    text += "connect_four_proxy(columns=7,rows=6)\n[State]\nhistory=0:3,1:3,0:4\nmove_number=3\n"
    assert [game.moves for game in read(text)] == ["445"]


def test_a_table_through_pyarrow_keeps_its_moves_if_they_are_read_as_text() -> None:
    """As documented: by default twenty digits become a number that is not exact."""
    csv = pytest.importorskip("pyarrow.csv")
    arrow = pytest.importorskip("pyarrow")
    moves = "44444455555511111122"
    table = f"moves,first,second\n{moves},ann,bob\n".encode()
    by_default = csv.read_csv(io.BytesIO(table))
    assert str(by_default["moves"][0].as_py()) != moves
    options = csv.ConvertOptions(column_types={"moves": arrow.string()})
    kept = csv.read_csv(io.BytesIO(table), convert_options=options)
    back = io.BytesIO()
    csv.write_csv(kept, back)
    (game,) = read(back.getvalue().decode(), name="games.csv")
    assert game.moves == moves
    back = io.BytesIO()
    csv.write_csv(by_default, back)
    said = refusal(back.getvalue().decode(), "games.csv")
    assert "its moves became a number, 4.444" in said


# --- files that hold no text of games -----------------------------------------------------------


def archives(tmp_path: Path) -> dict[str, tuple[Path, str]]:
    """Files of every kind that users pass by mistake, and the messages."""
    found: dict[str, tuple[Path, str]] = {}

    def put(name: str, data: bytes, said: str) -> None:
        path = tmp_path / name
        path.write_bytes(data)
        found[name] = (path, said)

    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("games.txt", "44\n")
    tarred = io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w") as tar:
        info = tarfile.TarInfo("games.txt")
        info.size = 3
        tar.addfile(info, io.BytesIO(b"44\n"))
    array = io.BytesIO()
    np.save(array, np.zeros((6, 7), dtype=np.int8))
    put("games.zip", zipped.getvalue(), "a zip archive: unpack it")
    put("games.npz", zipped.getvalue(), "an archive of NumPy")
    put("games.xlsx", zipped.getvalue(), "a workbook: save its sheet as .csv")
    put("games.tar", tarred.getvalue(), "a tar archive: unpack it")
    put("games.tar.gz", gzip.compress(tarred.getvalue()), "a tar archive: unpack it")
    put("board.npy", array.getvalue(), "an array of NumPy")
    put("games.pkl", pickle.dumps(["44"]), "a pickle")
    put("board.png", b"\x89PNG\r\n\x1a\n" + bytes(20), "a picture")
    put("board.jpg", b"\xff\xd8\xff\xe0" + bytes(20), "a picture")
    put("paper.pdf", b"%PDF-1.7\n%\xe2\xe3", "a PDF document")
    put("games.parquet", b"PAR1" + bytes(40), "a Parquet file")
    put("games.db", b"SQLite format 3\0" + bytes(40), "holds games of a tournament")
    put("7x6.book", bytes([7, 6, 8, 1, 1, 20]) + bytes(range(60)), "an opening book of Pons's")
    put("utf16.txt", "44\n".encode("utf-16"), "UTF-16: save it as UTF-8")
    put("agent.py", b"import random\n\ndef agent(o, c):\n", "a program")
    put("noise.txt", random.Random(1).randbytes(300), "not text")
    return found


def test_other_files_are_named_with_the_remedy(tmp_path: Path) -> None:
    for name, (path, said) in archives(tmp_path).items():
        with pytest.raises(InvalidRecord) as refused, open_records(path) as stream:
            form, lines = guess_by_lines(name, stream)
            list(tried_records(lines, form))
        assert said in str(refused.value), name


def test_packed_text_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "games.txt.gz"
    path.write_bytes(gzip.compress(b"4455 18\n12\n"))
    with open_records(path) as stream:
        form, lines = guess_by_lines(str(path), stream)
        assert [each.game().scores for each in tried_records(lines, form)] == [(18,), ()]


# --- robustness of the reader --------------------------------------------------------------------


def tried(text: str, name: str = "-") -> None:
    """Read a text to its end: games, or one sentence."""
    try:
        form, lines = guess_by_lines(name, io.StringIO(text))
        for each in tried_records(lines, form):
            assert (each.record is None) == bool(each.error)
            assert "\n" not in each.error
    except InvalidRecord as error:
        assert "\n" not in str(error)


@given(st.text(alphabet="[]{}()0123456789.,:;|_-+/XOxo●│┌ \n\"'A_Rdyelow=", max_size=80))
def test_no_text_of_their_characters_breaks_the_reader(text: str) -> None:
    tried(text)


@pytest.mark.parametrize(
    "text",
    [
        "9" * 10_000 + "\n",
        "3, " + "0" * 10_000 + "\n",
        "[[" + "1" * 10_000 + ", 0]]",
        "7/" + "9" * 10_000 + "\n",
        '{"board": [' + "9" * 10_000 + "]}",
        "[" * 100_000 + "]" * 100_000,
        "[0]\n" * 50_000,
        "A_Red " * 50_000,
        "|" * 100_000 + "\n",
        ". " * 100_000 + "\n",
        "<" * 100_000,
        '{"steps": ' * 50_000,
    ],
    ids=lambda text: text[:12],
)
def test_long_texts_are_refused_soon(text: str) -> None:
    tried(text)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    tried(data.decode("utf-8", "surrogateescape"))


def test_no_cut_or_changed_file_breaks_the_reader() -> None:
    rng = random.Random(6)
    position = Position.from_moves("4455667")
    texts = [*printed(position).values(), json.dumps(arena_replay((3, 3, 4)), indent=1)]
    texts += ["A_Red\nB_Yellow\n", "4455 18\n12\n", json.dumps({"board": [0] * 42, "score": 1})]
    for text in texts:
        for _ in range(60):
            cut = text[: rng.randrange(len(text))]
            place = rng.randrange(len(text))
            changed = text[:place] + rng.choice("[]{}x0\n9\ud800") + text[place + 1 :]
            tried(cut)
            tried(changed)
