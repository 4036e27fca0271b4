"""`claimeven sprt`: output, resumed files, Ctrl-C, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimeven.arena import api
from claimeven.arena.store.store import Store
from tests.cli.conftest import Run, bad_input, interrupted

HERE = ("--jobs", "1")


def test_a_verdict_with_its_figures(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = (
        "sprt",
        "greedy",
        "random",
        "--elo1",
        "100",
        "--seed",
        "1",
        "--max-games",
        "200",
        *HERE,
    )
    result = run(*words)
    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[:3] == [
        "A is greedy",
        "B is random",
        "elo1 accepted: a lead of 100 Elo fits better than one of 0 (risk 0.05)",
    ]
    assert "pairs of A       0 lost, 0 lost and drawn, 2 split, 0 won and drawn, 9 won" in lines
    assert max(map(len, lines)) <= 80
    monkeypatch.setenv("COLUMNS", "40")
    narrow = run(*words).out
    assert max(map(len, narrow.splitlines())) <= 40
    assert "".join(narrow.split()).startswith("Aisgreedy")
    output = json.loads(run(*words, "--json").out)
    assert (output["verdict"], output["pairs"], output["games"]) == ("elo1", 11, 22)
    assert output["pair_counts"] == [0, 0, 2, 0, 9]
    assert output["log_likelihood_ratio"] > output["test"]["bounds"][1]
    low, high = output["test"]["bounds"]
    ratio = f"{output['log_likelihood_ratio']:+z.2f}: elo0 at {low:+.2f}, elo1 at {high:+.2f}"
    assert f"log ratio        {ratio}" in lines
    for name, key, style in (
        ("score of A", "share", ".1%"),
        ("Elo", "elo", "+z.0f"),
        ("normalized Elo", "normalized_elo", "+z.0f"),
    ):
        ends = " to ".join(f"{bound:{style}}" for bound in output[f"{key}_interval_95"])
        assert f"{name:<16} {output[key]:{style}} (95 % interval {ends})" in lines
    assert f"A is stronger    with likelihood {output['superiority']:.1%}" in lines


def test_the_requested_hypotheses_are_tested(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    words = ("sprt", "random", "greedy", "--elo1", "100", "--alpha", "0.1", "--beta", "0.02",
             "--model", "logistic", "--columns", "5", "--seed", "4", "--seconds", "2",
             "--memory-limit", "900", "--max-games", "400", "--out", str(path), *HERE)  # fmt: skip
    result = run(*words)
    assert (
        result.err == "--memory-limit applies to no agent here (to built-in ones with --isolate)\n"
    )
    lines = result.out.splitlines()
    assert lines[2] == "elo0 accepted: a lead of 0 Elo fits better than one of 100 (risk 0.02)"
    assert "kind of Elo      logistic, on 5x6 connect 4, seed 4" in lines
    output = json.loads(run(*words, "--resume", "--json").out)
    assert "pairs of A       " + ", ".join(
        f"{count} {name}"
        for count, name in zip(
            output["pair_counts"], ("lost", "lost and drawn", "split", "won and drawn", "won"),
            strict=True,
        )
    ) in lines  # fmt: skip
    with Store.read(path) as store:
        plan = store.meta["plan"]
    assert (plan["limit"], plan["memory_mb"]) == ({"seconds": 2.0}, 900)


def test_an_undecided_test_is_reported_and_continues_with_more_games(
    run: Run, tmp_path: Path
) -> None:
    words = ("sprt", "greedy", "random", "--out", str(tmp_path / "t.db"), *HERE)
    result = run(*words, "--max-games", "6")
    assert result.status == 0
    assert "undecided: 3 pairs do not distinguish a lead of 20 Elo from a lead of 0" in result.out
    output = json.loads(run(*words, "--max-games", "10", "--resume", "--json").out)
    assert (output["games"], output["max_games"], output["verdict"]) == (10, 10, "undecided")
    with Store.read(tmp_path / "t.db") as store:
        assert store.meta["command"] == "claimeven sprt greedy random --max-games 10"
    assert "games of another test: its alpha is 0.05, got 0.1" in bad_input(
        run(*words, "--max-games", "10", "--alpha", "0.1", "--resume")
    )


def test_repeated_games_and_forfeits_are_reported(run: Run, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def agent(position):\n    raise RuntimeError('no')\n")
    words = ("greedy", str(bot), "--opening-plies", "0", "--max-games", "8", *HERE)
    out = run("sprt", *words).out
    assert "only 2 of 8 games differ" in out
    assert "forfeits of B: 8 x crash" in out
    assert "games differ" not in run("sprt", *words[:4], "--max-games", "4", *HERE).out


def test_the_remedy_for_few_openings_is_reported(run: Run, tmp_path: Path) -> None:
    openings = tmp_path / "openings.txt"
    openings.write_text("44\n12\n")
    test = ("sprt", "greedy", "alphabeta:depth=1", "--elo1", "3", "--max-games", "20", *HERE)
    result = run(*test, "--openings", str(openings))
    assert "More openings give more information:" in " ".join(result.out.split())
    assert "openings.txt has 2" in " ".join(result.out.split())
    short = run(*test, "--opening-plies", "1")
    assert "More openings give more information: --opening-plies 6" in " ".join(short.out.split())


def test_ctrl_c_reports_how_to_continue(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    # Hypotheses so close that it would continue for long.
    words = ("greedy:win=no", "greedy:win=no,block=no", "--elo0", "-0.1", "--elo1", "0.1", *HERE)
    finished = interrupted(
        "sprt", *words, "--out", str(path), "--json", when=lambda: games_in(path)
    )
    assert finished.status == 130, finished.err
    assert f"continue with: --out {path} --resume" in finished.err
    assert "Traceback" not in finished.err
    output = json.loads(finished.out)
    assert (output["verdict"], output["games_played"]) == ("undecided", games_in(path))


def games_in(path: Path) -> int:
    try:
        with Store.read(path) as store:
            return len(store)
    except ValueError:
        return 0  # it is being made


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("greedy", "greedy"), "greedy takes part twice"),
        (("greedy", "random", "--elo0", "20"), "elo0 must be less than elo1, got 20 and 20"),
        (("greedy", "random", "--elo1", "nan"), "got nan"),
        (("greedy", "random", "--beta", "0"), "alpha and beta must be above 0 and below 1 in sum"),
        (
            ("greedy", "random", "--model", "trinomial"),
            "must be one of normalized, logistic, got 'trinomial'",
        ),
        (("greedy", "random", "--max-games", "3"), "an even number of 2 or more, got 3"),
        (("greedy", "random", "--resume"), "--resume needs a file"),
        (("greedy", "rondom"), "there is no agent 'rondom'"),
        (("greedy", "random", "--seed", "-1"), "seed must be 0 or more"),
        (("greedy", "random", "--jobs", "0"), "jobs must be 1 or more, got 0"),
    ],
)
def test_bad_input_gets_one_sentence(run: Run, arguments: tuple[str, ...], message: str) -> None:
    few = () if "--max-games" in arguments else ("--max-games", "20")  # its openings are drawn
    assert message in bad_input(run("sprt", *arguments, *few))


@pytest.mark.parametrize("command", ["sprt", "match", "tournament"])
@pytest.mark.parametrize("agent", ["nosuch", "uct:c=abc", "nosuch.py", "ugi:nosuch"])
def test_wrong_agents_are_rejected_before_openings_are_drawn(
    command: str, agent: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(*_: object) -> None:
        pytest.fail("openings are drawn")

    monkeypatch.setattr(api, "make_openings", draw)
    bad_input(run(command, "greedy", agent, "--openings", "balanced"))
