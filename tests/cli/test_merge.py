"""Parts of runs and `claimeven merge`: the merged file is the file of one run."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run, bad_input
from tests.cli.experiments import BOARD, contents

#: Commands that have parts, with the end of the file.
COMMANDS = {
    "random": ("dataset", "--positions", "50", "--plies", "6-12"),
    "all": ("dataset", "--source", "all", "--plies", "0-3", "--no-book"),
    "book": ("book", "build", "--plies", "4", "--table-mb", "4"),
    "tournament": ("tournament", "random", "greedy", "alphabeta:depth=2", "--rounds", "3"),
    "match": ("match", "random", "greedy", "--games", "7"),
}
ENDS = {"dataset": ".csv", "book": ".book", "tournament": ".db", "match": ".db"}


@pytest.fixture
def parts(tmp_path: Path, run: Run) -> Callable[..., list[str]]:
    """Compute the parts of a command, and return their files."""

    def computed(*words: str, count: int = 3) -> list[str]:
        out = tmp_path / f"out{ENDS[words[0]]}"
        for number in range(1, count + 1):
            ended = run(*words, *BOARD, "--out", str(out), "--part", f"{number}/{count}")
            assert ended.status == 0, ended.err
        assert not out.exists()
        return [f"{out}.part-{number}-of-{count}" for number in range(1, count + 1)]

    return computed


@pytest.mark.parametrize("name", COMMANDS)
def test_merged_parts_are_one_run(
    name: str, parts: Callable[..., list[str]], tmp_path: Path, run: Run
) -> None:
    words = COMMANDS[name]
    files = parts(*words)
    whole, merged = (tmp_path / f"{name}{ENDS[words[0]]}" for name in ("whole", "out"))
    assert run(*words, *BOARD, "--out", str(whole)).status == 0
    ended = run("merge", str(merged), *reversed(files))
    assert ended.status == 0, ended.err
    assert contents(merged) == contents(whole)
    one, other = (tomllib.loads(Path(f"{path}.toml").read_text()) for path in (merged, whole))
    assert one == other
    if name == "random":  # the description of its origin names the command that made the parts
        card, other = (Path(f"{path}.md").read_text() for path in (merged, whole))
        assert card.replace("out.csv", "whole.csv") == other


@pytest.mark.parametrize("source", ["selfplay", "mixed"])
def test_parts_of_games_are_a_run_for_their_number_of_rows(
    source: str, parts: Callable[..., list[str]], tmp_path: Path, run: Run
) -> None:
    words = ("dataset", "--positions", "60", "--plies", "9-12", "--source", source)
    merged, whole = tmp_path / "out.csv", tmp_path / "whole.csv"
    assert run("merge", str(merged), *parts(*words)).status == 0
    count = merged.read_bytes().count(b"\n") - 1
    assert 40 <= count <= 60
    run(*words, *BOARD, "--out", str(whole), "--positions", str(count))
    assert merged.read_bytes() == whole.read_bytes()


def test_more_parts_than_rows(parts: Callable[..., list[str]], tmp_path: Path, run: Run) -> None:
    words = ("dataset", "--positions", "2", "--plies", "9-12", "--source", "selfplay")
    merged = tmp_path / "merged.csv"
    assert run("merge", str(merged), *parts(*words, count=4)).status == 0
    assert 1 <= merged.read_bytes().count(b"\n") - 1 <= 2


def test_files_that_are_not_all_parts_of_one_run(
    parts: Callable[..., list[str]], tmp_path: Path, run: Run
) -> None:
    merged = str(tmp_path / "merged")
    for words in (COMMANDS["random"], COMMANDS["book"], COMMANDS["match"]):
        end = ENDS[words[0]]
        one, two, three = parts(*words)
        assert "1 of 3 parts are missing: 2/3" in bad_input(run("merge", merged + end, one, three))
        copy = shutil.copy(two, tmp_path / "copy")
        assert bad_input(run("merge", merged + end, one, two, str(copy))).endswith(
            f"{two} and {copy} are both part 2/3"
        )
        other, _ = parts(*words, count=2)
        assert "is part 1/2" in bad_input(run("merge", merged + end, one, two, three, other))
        assert not Path(merged + end).exists()
    one, two, three = parts(*COMMANDS["random"])
    Path(two).unlink()
    run(*COMMANDS["random"], *BOARD, "--out", two.partition(".part")[0], "--part", "2/3",
        "--seed", "7")  # fmt: skip
    assert "is a part of another run than" in bad_input(
        run("merge", merged + ".csv", one, two, three)
    )
    of_no_part = tmp_path / "header"
    of_no_part.write_text('{"part": 5}')
    for file in (__file__, str(of_no_part)):
        assert "is not a part" in bad_input(run("merge", merged + ".csv", file))


def test_an_unfinished_part_is_named_and_resumed(
    parts: Callable[..., list[str]], tmp_path: Path, run: Run
) -> None:
    files = parts(*COMMANDS["random"])
    lines = Path(files[1]).read_bytes().splitlines(keepends=True)
    Path(files[1]).write_bytes(b"".join(lines[:-2]))
    merged = str(tmp_path / "merged.csv")
    assert "is unfinished, 15 of 17: run its command again" in bad_input(
        run("merge", merged, *files)
    )
    parts(*COMMANDS["random"])
    assert Path(files[1]).read_bytes() == b"".join(lines)
    assert run("merge", merged, *files).status == 0


@pytest.mark.parametrize("text", ["0/3", "4/3", "2", "a/b", "1/0"])
def test_an_invalid_part(text: str, run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "x.book")
    message = bad_input(run("book", "build", "--plies", "2", "--out", out, "--part", text))
    assert message.startswith("a part ")
    assert "--out" in bad_input(run("match", "random", "greedy", "--part", "1/2"))
