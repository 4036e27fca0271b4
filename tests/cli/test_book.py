"""`claimeven book`: build, info, verify, counts, export and import."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from claimeven import Geometry, __version__
from claimeven.book.book import Book
from claimeven.book.build import ply_counts, verify_book
from claimeven.book.mmap_book import write_mapped
from tests.book.conftest import content
from tests.cli.conftest import Run, bad_input, interrupted

BOARD = ("--columns", "4", "--rows", "4", "--connect", "3", "--table-mb", "1")


@pytest.fixture
def file(run: Run, tmp_path: Path) -> Path:
    path = tmp_path / "small.book"
    result = run("book", "build", "--plies", "3", "--out", str(path), *BOARD)
    assert result.status == 0
    size = path.stat().st_size
    content = len(Book.load(path))
    message = f"{path}: 4x4 connect 3, plies 0 to 3, {content} positions, {size} bytes"
    assert " ".join(result.out.split()) == message
    return path


def test_a_book_is_named_after_its_board(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("book", "build", "--plies", "2", *BOARD).status == 0
    assert run("book", "build", "--plies", "1", *BOARD[:4]).status == 0
    assert {path.name for path in tmp_path.glob("*.book")} == {"4x4-connect3.book", "4x4.book"}


def test_a_book_that_holds_more_is_not_replaced(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    build = ("book", "build", "--out", str(path), "--plies")
    assert run(*build, "2", *BOARD).status == 0
    for words in (("1", *BOARD), ("3", *BOARD[:4])):
        message = bad_input(run(*build, *words))
        assert (
            "a.book is already a book of 4x4 connect 3 up to ply 2: choose another name" in message
        )
    assert run(*build, "2", *BOARD).status == run(*build, "3", *BOARD).status == 0
    result = run("book", "build", "--plies", "1", *BOARD, "--out", "/dev/null")
    assert "is a device, not a file" in bad_input(result)
    text = tmp_path / "a.txt"
    assert run("book", "export", str(path), "--out", str(text)).status == 0
    assert run("book", "import", str(text), "--out", str(path)).status == 0
    assert run(*build[:2], "--plies", "1", *BOARD, "--out", str(tmp_path / "b.book")).status == 0
    assert run("book", "export", str(tmp_path / "b.book"), "--out", str(text)).status == 0
    assert "is already a book" in bad_input(run("book", "import", str(text), "--out", str(path)))
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    for out in (path, link, tmp_path / "folder" / ".." / "a.book"):
        (tmp_path / "folder").mkdir(exist_ok=True)
        message = bad_input(run("book", "export", str(path), "--out", str(out)))
        assert message == f"{out} is the exported book: name another file"
    database = ("import", "--from", "bitbully-databases", "--out", str(path))
    assert "is already a book of 4x4 connect 3" in bad_input(run("book", *database))
    assert run("book", "info", str(path)).status == 0
    path.write_text("no book")
    message = bad_input(run(*build, "1", *BOARD))
    assert message.endswith("it does not start like one: choose another name or remove it")
    path.write_text("")
    assert run(*build, "1", *BOARD).status == 0


def test_info_reports_the_contents_of_a_book(run: Run, file: Path) -> None:
    result = run("book", "info", str(file))
    assert "4x4 connect 3, plies 0 to 3" in " ".join(result.out.split())
    rows = [line.split() for line in result.out.splitlines()[-4:]]
    assert rows == [[str(ply), str(len(keys))] for ply, keys in enumerate(Book.load(file).keys)]
    output = json.loads(run("book", "info", str(file), "--json").out)
    assert (output["columns"], output["rows"], output["connect"], output["plies"]) == (4, 4, 3, 3)
    assert sum(output["positions"]) == output["entries"] == len(Book.load(file))


def test_a_built_book_is_reported_as_json_too(run: Run, file: Path, tmp_path: Path) -> None:
    info = json.loads(run("book", "info", str(file), "--json").out)
    again = tmp_path / "again.book"
    built = run("book", "build", "--plies", "3", "--out", str(again), "--json", *BOARD)
    result = json.loads(built.out)
    assert result.pop("provenance")["command"]["command"] == "book build"
    assert result == {**info, "file": str(again), "bytes": again.stat().st_size}
    text = tmp_path / "small.txt"
    assert run("book", "export", str(file), "--out", str(text)).status == 0
    read = run("book", "import", str(text), "--out", str(again), "--json")
    size = again.stat().st_size
    assert json.loads(read.out) == {**info, "file": str(again), "bytes": size}


def test_verify_ends_with_1_for_a_wrong_book(run: Run, file: Path) -> None:
    result = run("book", "verify", str(file), "--all", "--table-mb", "1")
    assert result.status == 0
    assert result.out.endswith(" 0 wrong\n")
    right = Book.load(file)
    scores = [layer.copy() for layer in right.scores]
    scores[1][0] -= 1
    Book(right.geometry, right.keys, tuple(scores)).save(file)
    result = run("book", "verify", str(file), "--sample", "3", "--table-mb", "1")
    assert result.status == 1
    assert "ply 1, key" in result.out
    result = run("book", "verify", str(file), "--sample", "0", "--table-mb", "1", "--json")
    assert result.status == 1
    output = json.loads(result.out)
    assert output["solved"] == 0
    assert {entry["ply"] for entry in output["wrong"]} == {1}


def test_all_findings_of_a_check_are_reported(run: Run, file: Path) -> None:
    right = Book.load(file)
    last = tuple(scores + (ply == right.plies) for ply, scores in enumerate(right.scores))
    wrong = Book(right.geometry, right.keys, last)
    wrong.save(file)
    words = ("book", "verify", str(file), "--table-mb", "1", "--sample", "3")
    for options, sample, seed in ((("--seed", "7"), 3, 7), ((), 3, 0), (("--all",), None, 0)):
        found = verify_book(wrong, sample=sample, seed=seed, table_mb=1)
        result = run(*words, *options, "--json")
        output = json.loads(result.out)
        assert (result.status, output.pop("claimeven")) == (1, __version__)
        each = [vars(entry) for entry in found.wrong]
        assert output.pop("provenance")["seed"] == seed
        assert output == {"file": str(file), **vars(found), "wrong": each}
    assert len(found.wrong) > 20  # more than are listed
    text, *listed = " ".join(run(*words, "--all").out.split()).split(" ply ")
    assert text.endswith(
        f": {len(wrong)} entries, 0 missing or extra, {found.backed} compared with their children,"
        f" {found.solved} solved again, {len(found.wrong)} wrong"
    )
    assert listed == [
        f"{entry.ply}, key {entry.key}: {entry.score}, should be {entry.correct_score}"
        for entry in found.wrong[:20]
    ]


def test_a_book_that_lacks_positions_is_wrong(run: Run, file: Path) -> None:
    book = Book.load(file)
    keys, scores = ((*layers[:-1], layers[-1][1:]) for layers in (book.keys, book.scores))
    Book(book.geometry, keys, scores).save(file)
    result = run("book", "verify", str(file), "--table-mb", "1")
    assert (result.status, " 1 missing or extra, 0 compared " in " ".join(result.out.split())) == (
        1,
        True,
    )
    assert json.loads(run("book", "verify", str(file), "--json").out)["missing"] == 1
    output = bad_input(run("book", "counts", str(file)))
    assert output == "the book does not have the positions of ply 3"


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_a_build_ended_by_ctrl_c_reports_how_to_continue(tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    journal = tmp_path / "a.book.journal"
    board = ("--columns", "6", "--rows", "6", "--table-mb", "4")
    words = ("book", "build", "--plies", "6", "--out", str(path), *board)
    result = interrupted(*words, when=journal.exists)
    assert (result.status, result.out) == (130, "")
    assert result.err.strip() == f"interrupted; run the same command to continue from {journal}"
    assert not path.exists()


def test_games_over_by_then_are_counted_too(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "two.book"
    board = (*BOARD[:4], "--connect", "2")
    assert run("book", "build", "--plies", "3", "--out", str(path), *board).status == 0
    found = list(ply_counts(Book.load(path)))
    rows = [(row.ply, *row.positions, row.over, *row.quiet) for row in found]
    assert any(row.over for row in found)
    lines = run("book", "counts", str(path)).out.splitlines()[1:]
    assert [tuple(map(int, line.split())) for line in lines] == rows
    output = json.loads(run("book", "counts", str(path), "--json").out)["plies"]
    words = ("win", "draw", "loss")
    assert [
        (row["ply"], *(row["positions"][word] for word in words), row["over"],
         *(row["quiet"][word] for word in words))
        for row in output
    ] == rows  # fmt: skip


def test_counts_are_reported_by_ply(run: Run, file: Path) -> None:
    lines = run("book", "counts", str(file)).out.splitlines()
    assert len(lines) == 5
    assert lines[1].split() == ["0", "1", "0", "0", "0", "1", "0", "0"]
    output = json.loads(run("book", "counts", str(file), "--json").out)
    assert sum(output["plies"][2]["positions"].values()) == 16


def test_export_and_import_give_the_same_file(run: Run, file: Path, tmp_path: Path) -> None:
    text, again = tmp_path / "book.txt", tmp_path / "again.book"
    assert run("book", "export", str(file), "--out", str(text)).status == 0
    assert run("book", "export", str(file)).out == text.read_text()
    assert run("book", "import", str(text), "--out", str(again)).status == 0
    assert content(Book.load(again)) == content(Book.load(file))
    result = run("book", "import", "-", "--out", str(again), typed=text.read_text())
    assert (result.status, content(Book.load(again))) == (0, content(Book.load(file)))
    for path, name in ((file, "book build"), (again, "book import")):
        about = Book.load(path).description
        assert (about["kind"], about["board"]["columns"]) == ("book", 4)
        assert about.get("command", {}).get("command") == name


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("info", "missing.book"), "missing.book cannot be read: No such file or directory"),
        (("verify", "FILE", "--sample", "-1"), "--sample and --seed must be 0 or more, got -1"),
        (("verify", "FILE", "--seed", "-7"), "--sample and --seed must be 0 or more, got -7"),
        (("verify", "FILE", "--table-mb", "0"), "the MB of a table must be greater than 0"),
        (("import", "missing.txt", "--out", "x.book"), "missing.txt cannot be read: No such file"),
        (
            ("import", "FILE", "--out", "x.book"),
            "small.book is not a book: it must start",
        ),
        (("export", "FILE", "--out", "missing/x.txt"), "missing/x.txt cannot be written"),
        (
            ("build", "--plies", "99"),
            "a book of 7x6 connect 4 must be 0 to 14, got 99",
        ),
        (("build", "--table-mb", "0"), "the MB of a table must be greater than 0"),
        (("build", "--table-mb", "inf"), "the MB of a table must be finite, got inf"),
        (
            ("build", "--plies", "2", "--out", "."),
            ". cannot be written: it is a folder",
        ),
        (("build", "--out", ""), "a file to write must have a name, got ''"),
        (("import", "FILE", "--out", ""), "a file to write must have a name, got ''"),
        (("export", "FILE", "--out", ""), "a file to write must have a name, got ''"),
        (("export", "FILE", "--out", "/dev/full"), "/dev/full cannot be written: it is a device"),
        (("build", "--threads", "-1"), "threads must be 1 to 256, got -1"),
        (("build", "--columns", "13", "--rows", "9"), "13x9 connect 4 takes 130"),
        (("import",), "name a FILE to import, or a database with --from bitbully-databases"),
        (("import", "FILE"), "name the book to write with --out"),
        (("import", "-", "--out", "x.book"), "stdin is not a book: it must start"),
        (("import", "--from", "bitbuly"), "must be one of text, bitbully-databases, got 'bitbuly'"),
        (
            ("import", "missing.dat", "--from", "bitbully-databases", "--out", "x.book"),
            "missing.dat cannot be read: No such file",
        ),
        (
            ("import", "FILE", "--from", "bitbully-databases", "--out", "x.book"),
            "small.book is not a database of 7x6 connect 4 with 12 discs",
        ),
        (
            ("import", "FILE", "--from", "bitbully-databases", "--sample", "-1"),
            "--sample must be 0 or more, got -1",
        ),
        (("biuld",), "there is no command 'biuld' (did you mean build?): choose from build"),
        (("sell",), "there is no command 'sell': choose from build, "),
    ],
)
def test_bad_input_is_one_sentence(
    run: Run,
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("book", *[str(file) if word == "FILE" else word for word in arguments])
    assert (result.status, result.out) == (2, "")
    assert sentence in result.err
    assert result.err.count("\n") == 1
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["small.book", "small.book.toml"]


def test_a_damaged_book_is_rejected_by_every_command(run: Run, file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    for verb in ("info", "verify", "counts", "export"):
        result = run("book", verb, str(file))
        assert (result.status, result.out) == (2, "")
        assert result.err == f"claimeven: {file} is corrupt: its checksum is wrong\n"


def test_a_user_without_a_folder_for_books_is_reported(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claimeven.book.locations.user_folder", lambda: None)
    text = " ".join(run("book", "list").out.split())
    assert text.endswith("There is no folder for your books: set CLAIMEVEN_BOOK_DIR.")
    assert json.loads(run("book", "list", "--json").out)["folder"] is None


def test_the_list_shows_which_book_is_used(
    run: Run, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "books"
    folder.mkdir()
    monkeypatch.setenv("CLAIMEVEN_BOOK_DIR", str(folder))
    alone = json.loads(run("book", "list", "--json").out)
    assert [(book["plies"], book["used"]) for book in alone["books"]] == [(9, True)]
    mine = folder / "4x4-connect3.book"
    write_mapped(mine, Book.load(file), "a test")
    output = json.loads(run("book", "list", "--json").out)
    assert output["folder"] == str(folder)
    assert output["books"][0]["source"] == "a test"
    assert [(book["plies"], book["used"]) for book in output["books"]] == [(3, True), (9, True)]
    text = " ".join(run("book", "list").out.split())
    assert f"used {mine}: 4x4 connect 3, plies 0 to 3" in text
    assert text.endswith(f"The folder of your books is {folder}.")
    corrupt = folder / "5x5.book"
    corrupt.write_text("junk")
    bad = json.loads(run("book", "list", "--json").out)["books"]
    assert bad[:-1] == output["books"] and bad[-1]["file"] == str(corrupt)
    assert "bad\n" in run("book", "list").out and "is not an opening book" in bad[-1]["error"]
    corrupt.unlink()
    info = json.loads(run("book", "info", str(mine), "--json").out)
    assert {**info, "used": True} == {**output["books"][0], "claimeven": __version__}
    assert run("book", "verify", str(mine), "--table-mb", "1").out.endswith(" 0 wrong\n")
    board = BOARD[:6]
    assert json.loads(run("solve", "12", "--all", "--json", *board).out)["nodes"] == 0
    assert json.loads(run("solve", "12", "--json", "--book", "shipped", *board).out)["nodes"] > 0


def test_a_database_whose_package_is_missing_is_one_sentence(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bitbully_databases", None)
    monkeypatch.setenv("CLAIMEVEN_BOOK_DIR", str(tmp_path / "books"))
    result = run("book", "import", "--from", "bitbully-databases")
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "claimeven: the package bitbully-databases is not installed:"
        " pip install 'claimeven[deep-book]'\n"
    )
    assert not (tmp_path / "books").exists()


def test_the_bundled_book_is_the_default(run: Run) -> None:
    result = run("book", "info")
    assert (result.status, result.err) == (0, "")
    assert f": {Geometry()}, plies 0 to 9, 399,029 positions" in " ".join(result.out.split())
