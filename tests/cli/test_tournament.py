"""`claimeven tournament`: the ladder, files taken up again, Ctrl-C, bad input."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from claimeven.arena import results
from claimeven.arena.games.game import Game
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.store import Store, StoredAgent
from claimeven.arena.tournaments.standings import Standings
from tests import forks
from tests.cli.conftest import (
    COMPILING,
    PATIENCE,
    Run,
    RunResult,
    bad_input,
    environment,
    interrupted,
    started,
)

unix = pytest.mark.skipif(sys.platform == "win32", reason="needs the files of Unix")

QUICK = ("--rounds", "2", "--jobs", "1")


def test_the_ladder_is_in_order_and_fits_a_terminal(run: Run) -> None:
    result = run("tournament", "random", "greedy:win=yes,block=yes", *QUICK)
    assert result.status == 0
    lines = result.out.splitlines()
    assert lines[0].startswith("4 games of 2 agents on 7x6 connect 4, round-robin, seed 0")
    assert result.out.index("1 greedy:win=yes,block=yes") < result.out.index("2 random")
    assert max(map(len, lines)) <= 80
    short = run("tournament", "random", "greedy", *QUICK).out.splitlines()
    assert [line.split()[:2] for line in short[3:5]] == [["1", "greedy"], ["2", "random"]]


def test_json_holds_everything(run: Run) -> None:
    result = run("tournament", "random", "greedy", "alphabeta:depth=2", *QUICK, "--json")
    output = json.loads(result.out)
    assert {"agents", "ratings", "cross_table", "games", "forfeits", "seconds"} <= set(output)
    assert output["games"] == output["games_planned"] == 12
    assert output["agents"][0]["label"] == "alphabeta:depth=2"
    assert [row[i] for i, row in enumerate(output["cross_table"])] == [None] * 3


def test_games_played_again_are_reported_once_most_are(run: Run) -> None:
    """Two deterministic agents play two games from one opening, with any number of rounds."""
    words = ("tournament", "greedy", "alphabeta:depth=1", "--opening-plies", "0", "--jobs", "1")
    assert "games differ" not in run(*words, "--rounds", "2").out
    output = " ".join(run(*words, "--rounds", "3").out.split())
    assert "only 2 of 6 games differ: deterministic agents repeat them." in output
    assert "More openings give more information: --opening-plies 6" in output


def test_the_most_frequent_reason_of_forfeits_is_reported(run: Run, tmp_path: Path) -> None:
    bot, openings = tmp_path / "bot.py", tmp_path / "openings.txt"
    bot.write_text("def agent(p):\n    raise ValueError('seldom' if p.heights[1] else 'often')\n")
    openings.write_text("2\n3\n4\n")
    words = ("tournament", str(bot), "greedy", "--rounds", "3", "--jobs", "1")
    words += ("--memory-limit", "900")
    result = run(*words, "--openings", str(openings))
    assert (result.status, result.err) == (0, "")
    assert "  bot: 6 x crash: such as raised ValueError: often" in result.out.splitlines()
    rows = [line.split() for line in result.out.splitlines()[3:5]]
    assert [(row[1], row[-5:-1]) for row in rows] == [
        ("greedy", ["6", "6", "0", "0"]), ("bot", ["6", "0", "0", "6"])
    ]  # fmt: skip
    built_in = run("tournament", "random", "greedy", *QUICK, "--memory-limit", "900")
    assert (
        built_in.err
        == "--memory-limit applies to no agent here (to built-in ones with --isolate)\n"
    )
    message = run(
        "tournament", "random", "greedy", "--openings", str(openings), "--opening-plies", "3"
    )
    assert "--opening-plies is for drawn openings" in bad_input(message)


def test_a_file_is_resumed_and_added_to(run: Run, tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "t.db"), "--jobs", "1")
    assert run("tournament", "random", "greedy", "--rounds", "1", *out).status == 0
    refused = run("tournament", "random", "greedy", "--rounds", "3", *out)
    assert (refused.status, "exists already: resume it with --resume" in refused.err) == (2, True)
    result = run("tournament", "random", "greedy", "--rounds", "3", *out, "--resume", "--json")
    assert json.loads(result.out)["games"] == 6


def test_options_override_a_tournament_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "class.toml"
    path.write_text(
        'agents = ["random", "greedy"]\nrounds = 2\nseed = 4\njobs = 1\nkind = "gauntlet"\n'
        'openings = "random"\nopening_plies = 1\ncolumns = 5\n'
        "seconds = 2\ntime_bank = 9\nmemory_limit = 300\n"
        f'isolate = false\nout = "{tmp_path / "t.db"}"\n',
        encoding="utf-8",
    )
    result = run("tournament", "--file", str(path), "--json")
    assert result.status == 0
    output = json.loads(result.out)
    assert (output["games"], output["rounds"], output["seed"], output["kind"]) == (
        4,
        2,
        4,
        "gauntlet",
    )
    assert (output["limit"]["seconds"], output["limit"]["time_bank"]) == (2, 9)
    assert (output["memory_limit_mb"], output["isolate"]) == (300, False)
    with Store.read(tmp_path / "t.db") as store:
        assert store.meta["plan"]["columns"] == 5
        command_again = store.meta["command"]
        assert command_again.startswith("claimeven tournament random greedy --rounds 2 ")
        assert "--time-bank 9" in command_again
        assert "toml" not in command_again
        assert store.meta["plan"]["limit"] == {"seconds": 2.0, "time_bank": 9.0}
        assert [len(game.opening) for game in store.games()] == [0, 0, 1, 1]
    openings = tmp_path / "openings.txt"
    openings.write_text("44\n")
    other = ("--file", str(path), "--openings", str(openings), "--out", str(tmp_path / "v.db"))
    assert run("tournament", *other).status == 0
    with Store.read(tmp_path / "v.db") as store:
        assert "--opening-plies" not in store.meta["command"]
        assert {game.opening for game in store.games()} == {"44"}
    words = ("greedy:win=yes", "random", "greedy", "--rounds", "2", "--out", str(tmp_path / "u.db"))
    output = json.loads(run("tournament", *words, "--file", str(path), "--json").out)
    assert (output["games"], output["rounds"], output["seed"]) == (8, 2, 4)
    path.write_text("rounds = 1\n", encoding="utf-8")
    assert "name the agents" in bad_input(run("tournament", "--file", str(path)))
    path.write_text("round = 1\n", encoding="utf-8")
    assert "there is no field 'round'" in bad_input(run("tournament", "--file", str(path)))


def broken_class(folder: Path) -> dict[str, str]:
    """Write the files of a class; return the broken ones with their messages."""
    files = {
        "fine.py": "def agent(p):\n    print('thinking')\n    return p.legal_columns[0]\n",
        "syntax.py": "def agent(position:\n",
        "empty.py": "X = 1\n",
        "fails.py": "def agent(position):\n    return [][position.ply]\n",
        "other/fine.py": "def agent(obs):\n    return 0\n",
    }
    (folder / "other").mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {
        "syntax.py": "cannot be loaded: SyntaxError",
        "empty.py": "defines no function to play with",
    }


def test_broken_files_of_a_class_are_reported_together_or_left_out(
    run: Run, tmp_path: Path
) -> None:
    broken = broken_class(tmp_path)
    files = sorted(str(path) for path in tmp_path.rglob("*.py"))
    words = (*files, "greedy", "--out", str(tmp_path / "t.db"), "--rounds", "1", "--jobs", "1")
    result = run("tournament", *words)
    assert (result.status, result.out) == (2, "")
    assert len(result.err.splitlines()) == len(broken) + 1
    for name, message in broken.items():
        assert f"claimeven: {tmp_path / name} {message}" in result.err
    assert "2 of 6 agents cannot play" in result.err
    assert "--skip-broken" in result.err
    assert not (tmp_path / "t.db").exists()

    result = run("tournament", *words, "--skip-broken")
    assert result.status == 0
    assert result.err.count("left out: ") == len(broken)
    assert "thinking" not in result.err + result.out
    assert "  fails: 6 x crash: raised IndexError: list index out of range" in result.out
    for label in (f"{tmp_path.name}/fine.py", "other/fine.py"):
        assert label in result.out  # two files of one name keep apart
    result = run("tournament", *words, "--skip-broken", "--resume", "--verbose", "--json")
    output = json.loads(result.out)
    reasons = {Path(left["spec"]).name: left["reason"] for left in output["left_out"]}
    assert reasons.keys() == broken.keys()
    assert all(message in reasons[name] for name, message in broken.items())
    assert output["games"] == 12

    single = run("tournament", str(tmp_path / "syntax.py"), "greedy")
    assert bad_input(single).endswith("; --skip-broken leaves it out")
    gauntlet = ("--kind", "gauntlet", "--skip-broken", "--rounds", "1", "--jobs", "1")
    led = bad_input(run("tournament", str(tmp_path / "syntax.py"), "greedy", "random", *gauntlet))
    assert "syntax.py cannot be loaded" in led and "--skip-broken" not in led
    met = run("tournament", "greedy", "random", str(tmp_path / "syntax.py"), *gauntlet)
    assert met.status == 0 and "syntax.py cannot be loaded" in met.err
    named = bad_input(run("tournament", "greedy", "gredy", "random", "--skip-broken"))
    assert "no agent 'gredy'" in named
    assert "--skip-broken" not in named  # which would not help
    mixed = run("tournament", str(tmp_path / "syntax.py"), "gredy", "random")
    assert (mixed.status, mixed.err.splitlines()[-1]) == (
        2, "claimeven: 2 of 3 agents cannot play"
    )  # fmt: skip
    many = run("tournament", "greedy", "gredy", "randm", "--skip-broken")
    assert (many.status, many.err.splitlines()[-1]) == (
        2, "claimeven: 2 of 3 agents cannot play"
    )  # fmt: skip


def test_a_bot_that_loads_only_once_forfeits(run: Run, tmp_path: Path) -> None:
    bot, mark = tmp_path / "once.py", tmp_path / "mark"
    bot.write_text(
        f"import pathlib\nmark = pathlib.Path({str(mark)!r})\n"
        "if mark.exists():\n    raise RuntimeError('only once')\nmark.touch()\n"
        "def agent(position):\n    return position.legal_columns[0]\n"
    )
    words = ("tournament", str(bot), "greedy", "random", "--rounds", "1", "--jobs", "1")
    result = run(*words, "--skip-broken")
    assert result.status == 0
    assert "once: 4 x crash: " in result.out and "RuntimeError: only once" in " ".join(
        result.out.split()
    )
    mark.unlink()
    assert "cannot be loaded: RuntimeError: only once" in bad_input(run(*words))


def test_ctrl_c_shows_how_to_continue_and_loses_no_game(tmp_path: Path) -> None:
    path, page = tmp_path / "t.db", tmp_path / "t.html"
    words = ("tournament", "random", "greedy", "--rounds", "5000", "--opening-plies", "0",
             "--out", str(path), "--json")  # fmt: skip
    finished = interrupted(
        *words, "--report", str(page), when=lambda: path.exists() and _games(path)
    )
    assert finished.status == 130, finished.err
    assert f"games; {page} was not written; continue with: --out {path} --resume" in finished.err
    assert not page.exists()
    assert json.loads(finished.out)["games"] == _games(path)


@unix
def test_sigterm_leaves_no_games_that_were_not_to_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    def stored() -> int:
        return sum(_games(path) for path in tmp_path.glob("claimeven-*/games.db"))

    words = ("tournament", "random", "greedy", "--rounds", "50000", "--opening-plies", "0",
             "--jobs", "2")  # fmt: skip
    finished = interrupted(*words, when=stored, by=signal.SIGTERM)
    assert (finished.status, finished.out) == (-signal.SIGTERM, "")
    assert list(tmp_path.glob("claimeven-*")) == []


#: The command with a limit on the size of files, as on a full disk.
CRAMPED = """
import resource, sys
from claimeven.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
main(sys.argv[2:])
"""


@unix
def test_a_full_disk_is_reported_and_earlier_games_are_stored(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    words = ("tournament", "random", "greedy", "--opening-plies", "0", "--jobs", "1", "--out",
             str(path))  # fmt: skip
    # The disk is full from the start; before the file is made; in the middle of more games
    # than it takes.
    both = [path, tmp_path / "t.db.toml"]
    for size, rounds, left in ((100, "1", []), (10_000, "1", []), (500_000, "3000", both)):
        finished = forks.run_program(
            [sys.executable, "-c", CRAMPED, str(size), *words, "--rounds", rounds, "--resume"],
            capture_output=True, text=True, env=environment(),
        )  # fmt: skip
        message = bad_input(
            RunResult(finished.returncode, finished.stdout, finished.stderr.replace(COMPILING, ""))
        )
        assert message.startswith(f"{path} cannot be written: the disk is full")
        assert message.endswith("--resume continues once there is room")
        assert sorted(tmp_path.iterdir()) == left
    before = stored(path)
    assert 0 < len(before) < 6000
    went_on = run(*words, "--rounds", "600", "--resume", "--json")
    assert json.loads(went_on.out)["games"] == max(1200, len(before))
    assert stored(path)[: len(before)] == before


@unix
def test_a_read_only_file_or_folder_is_reported(run: Run, tmp_path: Path) -> None:
    with TemporaryDirectory() as name:  # a folder for a user who is not root
        folder = Path(name)
        folder.chmod(0o755)
        path, fresh = folder / "t.db", folder / "new.db"
        words = ("tournament", "random", "greedy", "--jobs", "1", "--out")
        assert run(*words, str(path), "--rounds", "1").status == 0
        before = stored(path)
        for mode, words_of, message in (
            (0o444, (str(path), "--resume"), f"{path} cannot be written: it is read-only"),
            (0o666, (str(path), "--resume"), f"{path} cannot be written: its folder is read-only"),
            (0o666, (str(fresh),), f"{fresh} cannot be written: its folder is read-only"),
        ):
            path.chmod(mode)
            folder.chmod(0o555)
            assert as_nobody(tmp_path / "before", *words, *words_of) == (
                2,
                f"claimeven: {message}\n",
            )
        assert sorted(folder.iterdir()) == [path, folder / "t.db.toml"]
        reader = as_nobody(tmp_path / "before", "games", str(path), "--json")
        assert reader == (0, run("games", str(path), "--json").out)  # reading is not writing
        assert stored(path) == before


RUN_BEFORE = """
from claimeven.cli.main import main
def run(*words):
    try:
        main(list(words))
    except SystemExit as ended:
        return ended.code
place, *words = sys.argv[1:]
assert run("tournament", "random", "greedy", "--rounds", "1", "--jobs", "1", "--out", place) == 0
assert run("games", place) == 0
"""


def as_nobody(place: Path, *words: str) -> tuple[int, str]:
    """The status and output of the command for a user who is not root.

    Before, root plays a tournament into another file.
    """
    place.unlink(missing_ok=True)
    code = "sys.exit(run(*words))"
    status, out, err = forks.run_as_nobody(RUN_BEFORE, code, str(place), *words)
    return status, err + out


def stored(path: Path) -> list[tuple[str, str]]:
    with Store.read(path) as store:
        return [(game.job, game.moves) for game in store.games()]


def _games(path: Path) -> int:
    try:
        with Store.read(path) as store:
            return len(store)
    except ValueError:
        return 0  # it is being made


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("random",), "a tournament needs 2 agents or more, got 1"),
        (("random", "random"), "random takes part twice"),
        (("random", "greedy", "--rounds", "0"), "rounds must be 1 to 10,000,000, got 0"),
        (("random", "gredy"), "there is no agent 'gredy'"),
        (
            ("random", "greedy", "--kind", "swiss"),
            "must be one of round-robin, gauntlet, got 'swiss'",
        ),
        (("random", "greedy", "--openings", "no.txt"), "no.txt cannot be read"),
        (("random", "greedy", "--resume"), "--resume needs a file: name it with --out"),
        (("random", "greedy", "--out", "."), "it is a folder"),
        (("random", "uct", "--depth", "3"), "uct cannot be limited by depth"),
        (("random", "greedy", "--jobs", "0"), "jobs must be 1 or more, got 0"),
        (("random", "greedy", "--opening-plies", "99"), "no random opening of 99 plies"),
    ],
)
def test_bad_input_gets_one_sentence(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run("tournament", *arguments)
    assert result.status == 2
    assert message in result.err
    assert len(result.err.strip().splitlines()) == 1


def test_agents_that_have_not_met_yet_are_reported_apart() -> None:
    agents = [StoredAgent(number, name, name) for number, name in enumerate("abcd")]
    games = [
        Game(f"job{n}", n, n, *two, "", "4455667", 0) for n, two in enumerate([(0, 1), (2, 3)])
    ]
    text = "the agents fall into 2 groups that never met: ratings of different groups do not"
    text += " compare"
    assert [text] in results.standings(Standings.of(agents, games))
    joined = [*games, Game("job2", 2, 2, 1, 2, "", "4455667", 0)]
    assert [text] not in results.standings(Standings.of(agents, joined))


def test_the_openings_and_equal_files_are_reported(run: Run, tmp_path: Path) -> None:
    bot = "def agent(position):\n    return position.legal_columns[0]\n"
    files = [tmp_path / f"{name}.py" for name in ("ann", "bob")]
    for file in files:
        file.write_text(bot)
    words = ("tournament", *map(str, files), "greedy", "--jobs", "1", "--rounds")
    result = run(*words, "1")
    assert " seed 0, empty board, " in result.out.splitlines()[0]
    output = json.loads(run(*words, "2", "--json").out)
    assert (len(output["openings"]), output["openings"][0]) == (2, "")
    assert output["remarks"] == [
        "ann and bob are equal files: their games against each other are chance."
    ]
    assert " seed 0, 2 openings, " in run(*words, "2").out.splitlines()[0]


def test_a_changed_file_is_added_only_if_asked_for(run: Run, tmp_path: Path) -> None:
    bot, out = tmp_path / "bot.py", str(tmp_path / "t.db")
    bot.write_text("def agent(position):\n    return position.legal_columns[0]\n")
    words = ("tournament", str(bot), "greedy", "--jobs", "1", "--out", out, "--rounds")
    assert run(*words, "1").status == 0
    bot.write_text("def agent(position):\n    return position.legal_columns[-1]\n")
    assert bad_input(run(*words, "2", "--resume")) == (
        f"the file of bot.py has changed since the games of {out} were played: --resume-changed"
        " adds to it anyway, another file of --out starts again"
    )
    result = run(*words, "2", "--resume-changed")
    assert result.status == 0
    message = "the file of bot has changed after 2 games: the results mix both."
    assert message in result.out
    assert message in " ".join(run("report", out, "--no-accuracy", "--json").out.split())


@unix
def test_a_store_that_is_deleted_while_it_grows_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    words = ("greedy", "random", "--rounds", "1000000", "--opening-plies", "0", "--jobs", "1",
             "--out", str(path))  # fmt: skip
    with started("tournament", *words) as program:
        while program.poll() is None:
            with suppress(InvalidStore), Store.read(path) as store:
                if len(store):
                    break
            time.sleep(0.02)
        path.unlink()
        _, err = program.communicate(timeout=PATIENCE)
    assert program.returncode == 2
    assert f"claimeven: {path} was deleted or moved while games were added to it" in err


#: An agent that writes the answers of another one, with columns and values that cannot be.
FORGING = """
import contextlib, json, os, struct
def agent(position):
    for decision in ([9, *[None] * 5, 0.0, {}, None], [0, "x", *[1e999] * 4, 0.0, {"line": 5}, -1]):
        message = json.dumps({"value": {"decision": decision, "rng": None}}).encode()
        for number in range(3, 64):
            with contextlib.suppress(OSError):
                os.write(number, struct.pack("<I", len(message)) + message)
    return position.legal_columns[0]
"""


@unix
def test_forged_answers_leave_a_store_that_can_be_read(run: Run, tmp_path: Path) -> None:
    bot, path = tmp_path / "bot.py", str(tmp_path / "t.db")
    bot.write_text(FORGING)
    words = ("tournament", str(bot), "greedy", "random", "--jobs", "1", "--out", path, "--rounds")
    assert run(*words, "2").status == 0
    assert run(*words, "3", "--resume").status == 0
    result = run("games", path, "--json")
    assert (result.status, result.err, len(result.out.splitlines())) == (0, "", 18)
    assert json.loads(run("report", path, "--no-accuracy", "--json").out)["games"] == 18


@unix
@pytest.mark.parametrize("size", [0, 4096, 20_480, 24_576, 28_672])
def test_a_nearly_full_disk_is_reported_when_a_store_is_made(tmp_path: Path, size: int) -> None:
    path = tmp_path / "t.db"
    words = ("tournament", "random", "greedy", "--jobs", "1", "--rounds", "40", "--out", str(path))
    finished = forks.run_program(
        [sys.executable, "-c", CRAMPED, str(size), *words],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment(),
    )  # fmt: skip
    assert finished.returncode == 2
    assert f"{path} cannot be written: the disk is full" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_a_store_has_no_folders_of_this_machine(run: Run, tmp_path: Path) -> None:
    bot, path = tmp_path / "bot.py", tmp_path / "t.db"
    bot.write_text("def agent(position):\n    raise ValueError(__file__)\n")
    words = ("tournament", str(bot), "greedy", "--jobs", "1", "--out", str(path), "--rounds")
    assert run(*words, "1").status == 0
    assert str(tmp_path).encode() not in path.read_bytes()
    assert run(*words, "2", "--resume").status == 0
    with Store.read(path) as store:
        assert store.meta["command"] == "claimeven tournament bot.py greedy --rounds 2"
        assert {game.reason for game in store.games()} == {"raised ValueError: bot.py"}
