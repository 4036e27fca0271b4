"""`claimeven study`: the list, then next to now, files taken up again, Ctrl-C, bad input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from claimeven.agents.fingerprint import digests_of
from claimeven.arena.store.store import Store
from claimeven.arena.studies import STUDIES, Figure, Finding, Match, Source, Study, run_study
from claimeven.arena.studies.runner import amount_text, interval_text, speed_text
from tests.cli.conftest import Run, bad_input, interrupted

QUICK = ("--games", "2", "--jobs", "1")


def test_the_list_names_every_study(run: Run) -> None:
    lines = run("study", "list").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == [
        study.name for study in STUDIES
    ]
    output = json.loads(run("study", "list", "--json").out)["studies"]
    assert [(each["study"], each["games"]) for each in output] == [
        (study.name, study.games) for study in STUDIES
    ]
    assert [(each["title"], each["source"]) for each in output] == [
        (study.title, study.source.name) for study in STUDIES
    ]


def test_original_figures_are_next_to_ours(run: Run) -> None:
    result = run("study", "run", "polito-alphabeta", *QUICK)
    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "2 games (original: 500)" in result.out
    (won,) = [line.split() for line in lines if line.startswith("games won")]
    assert won[2:6] == ["99.4", "%", "100.0", "%"]
    (time,) = [line for line in lines if line.startswith("time of a game")]
    assert time.endswith(" x")
    assert "1 of 1 studies" in lines[-1]


def test_json_holds_every_figure(run: Run) -> None:
    output = json.loads(run("study", "run", "lund-peer", "lund-time", *QUICK, "--json").out)
    assert [each["study"] for each in output["studies"]] == ["lund-peer", "lund-time"]
    for study in output["studies"]:
        (data,) = [each for each in STUDIES if each.name == study["study"]]
        labels = [figure.label for _, figure in data.figures]
        figures = [f for experiment in study["experiments"] for f in experiment["figures"]]
        assert [figure["label"] for figure in figures] == labels
        assert all(figure["measured"] is not None for figure in figures)


def test_a_study_named_twice_runs_once_and_draws_by_its_seed(run: Run, tmp_path: Path) -> None:
    moves = []
    for seed in (1, 1, 3):
        out = tmp_path / f"kept-{len(moves)}"
        words = ("study", "run", "lund-peer", "lund-peer", *QUICK, "--out", str(out), "--json")
        output = json.loads(run(*words, "--seed", str(seed)).out)
        assert [each["study"] for each in output["studies"]] == ["lund-peer"]
        assert (output["seed"], output["jobs"]) == (seed, 1)
        with Store.read(out / "lund-peer-1.db") as store:
            moves.append([game.moves for game in store.games()])
    assert moves[0] == moves[1] != moves[2]


def test_files_are_resumed(run: Run, tmp_path: Path) -> None:
    words = ("study", "run", "lund-peer", "--out", str(tmp_path / "kept"), "--jobs", "1")
    assert run(*words, "--games", "2").status == 0
    assert "exists already" in bad_input(run(*words, "--games", "4"))
    output = json.loads(run(*words, "--games", "4", "--resume", "--json").out)
    assert [each["games"] for each in output["studies"][0]["experiments"]] == [4, 4, 4]


def test_ctrl_c_shows_how_to_continue_and_loses_no_game(tmp_path: Path) -> None:
    words = ("study", "run", "lund-peer", "itu-flat", "--out", str(tmp_path), "--games", "20")
    finished = interrupted(
        *words, "--jobs", "1", "--json", when=(tmp_path / "itu-flat-1.db").exists
    )
    assert finished.status == 130, finished.err
    assert (
        f"interrupted after 1 of 2 studies; continue with: --out {tmp_path} --resume"
        in finished.err
    )
    assert [each["study"] for each in json.loads(finished.out)["studies"]] == ["lund-peer"]
    with Store.read(tmp_path / "lund-peer-1.db") as store:
        assert len(store) == 20


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "polito-uctt"), "no study 'polito-uctt' (did you mean polito-uct?)"),
        (("run", "itu-flat", "--games", "0"), "games must be 1 or more, got 0"),
        (("run", "itu-flat", "--seconds", "0"), "seconds must be greater than 0, got 0.0"),
        (("run", "polito-uct", "--seconds", "1"), "unlike these"),
        (("run", "lund-server"), "name it with --server URL"),
        (("run", "itu-flat", "--seats", "left"), "'original', 'swapped'"),
        (("run", "itu-flat", "--jobs", "0"), "jobs must be 1 or more, got 0"),
        (("run", "itu-flat", "--resume"), "name the folder"),
        (("run", "itu-flat", "--seed", "-1"), "seed must be 0 or more, got -1"),
        (("runs",), "no command 'runs' (did you mean run?)"),
        (("run",), "NAME"),
    ],
)
def test_bad_input_gets_one_sentence(run: Run, words: tuple[str, ...], message: str) -> None:
    assert message in bad_input(run("study", *words))


def test_a_run_sets_the_games_the_clock_and_the_seats(run: Run) -> None:
    words = ("study", "run", "itu-uct", "--games", "3", "--seconds", "0.01", "--seats", "swapped")
    output = json.loads(run(*words, "--json").out)["studies"][0]["experiments"]
    assert [each["games"] for each in output] == [3, 3]
    settings = [each["setting"] for each in output]
    assert all("3 games (original: 10)" in each for each in settings)
    assert all(each.endswith("seats swapped, 0.01 s a move") for each in settings)
    words = ("study", "run", "menary-iterations", "--seconds", "0.01", "--json")
    output = json.loads(run(*words).out)["studies"][0]["experiments"]
    assert all(each["setting"].endswith("here 0.01 s") for each in output)


def test_json_reports_the_settings_of_the_figures(run: Run) -> None:
    words = ("study", "run", "itu-uct", "menary-iterations", "--seconds", "0.01", "--games", "2")
    output = json.loads(run(*words, "--seats", "swapped", "--json").out)
    assert output["asked"] == {"games": 2, "seconds": 0.01, "swap": True, "server": None}
    uct, menary = (study["experiments"] for study in output["studies"])
    for each in uct:
        assert (each["limit"]["seconds"], each["swap"], each["seed"]) == (0.01, True, 1)
        assert (each["openings"], each["changed_files"]) == ([""], [])
        assert each["provenance"]["files"] == [{}, {}]
    small, standard = menary[0], menary[1]
    assert (small["columns"], small["rows"], small["connect"]) == (4, 4, 3)
    assert (small["position"], small["limit"]["seconds"]) == ("232", 0.01)
    assert standard["arguments"]["agent"] == "uct-menary"
    assert standard["provenance"]["files"] == [{}]
    assert standard["columns"] == 7


def test_json_of_a_study_has_openings_and_digests_of_agents(tmp_path: Path) -> None:
    """An own study, with an agent in a file and random openings."""
    bot = tmp_path / "bot.py"
    bot.write_text("def agent(position):\n    return position.legal_columns[0]\n")
    source = Source("mine", "a match of my own", "here")
    games = Match((str(bot), "greedy"), 4, (Figure("won", "wins"),), swap=True, opening_plies=2)
    (output,) = run_study(Study("mine", "mine", source, (games,))).as_dict()["experiments"]
    files = output["provenance"]["files"]
    assert [*files[0]] == ["bot.py"]
    assert files == [digests_of(str(bot)), {}]
    assert len(output["openings"]) == 2
    assert all(len(opening) == 2 for opening in output["openings"])
    assert output["opening_plies"] == 2
    assert output["games"] == output["games_planned"] == 4


def test_a_study_plays_a_server(run: Run) -> None:
    with served() as url:
        words = ("study", "run", "lund-server", "--server", url, "--games", "2", "--json")
        result = json.loads(run(*words).out)
    (output,), asked = result["studies"][0]["experiments"], result["asked"]
    assert (output["agents"], output["games"], output["forfeits"]) == (
        ["alphabeta-lund", url],
        2,
        0,
    )
    assert asked["server"] == url


@contextmanager
def served() -> Iterator[str]:
    """A server that plays the first open column."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = json.dumps({"column": asked["legal"][0]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/play"
        server.shutdown()


def test_a_folder_that_is_a_file_is_rejected(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    words = ("study", "run", "lund-peer", "--out", str(tmp_path / "file"))
    assert "is a file" in bad_input(run(*words))


@pytest.mark.parametrize(
    ("amount", "quantity", "text"),
    [
        (1.0, "seconds_per_game", "1 s"),
        (0.001, "seconds_per_game", "1 ms"),
        (0.00025, "seconds_per_game", "250 us"),
        (12.345, "wins", "12.3 %"),
        (99.5, "stored", "99.50"),
        (99.0, "stored", "99"),
        (2.0, "microseconds", "2 us"),
        (1.25, "ratio", "1.25 x"),
        (100.5, "stored", "100"),
    ],
)
def test_amounts_are_reported_in_units_that_suit(amount: float, quantity: str, text: str) -> None:
    assert amount_text(amount, quantity) == text


def test_intervals_and_speeds_are_reported_where_there_are_any() -> None:
    assert interval_text(None, "wins") == interval_text(Finding(5.0, 1.0, None), "wins") == ""
    assert interval_text(Finding(50.0, 0.0, 62.5), "wins") == "0.0 to 62.5 %"
    assert interval_text(Finding(0.5, 0.0005, 1.5), "seconds_per_game") == "500 us to 1.5 s"
    assert interval_text(Finding(0.5, 0.25, 0.75), "seconds_per_game") == "250 to 750 ms"
    assert interval_text(Finding(5.0, 4.0, 6.0), "stored") == "4 to 6"
    assert [speed_text(times) for times in (9.94, 10.0)] == ["9.9 x", "10 x"]
