"""A tournament's file: the values of its fields, and one sentence for invalid ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimeven import Geometry, Limit, Position
from claimeven.agents import Sandbox
from claimeven.arena.api import FIELDS, read_plan, read_settings
from claimeven.arena.games.openings import make_openings
from claimeven.arena.games.plan import Plan
from claimeven.experiment_file import InvalidExperiment


def written(folder: Path, text: str) -> Path:
    path = folder / "class.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_plan_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    for name in ("bob", "ann"):
        (tmp_path / "bots" / f"{name}.py").touch()
    path = written(
        tmp_path,
        'agents = ["bots/*.py", "greedy"]\n'
        "rounds = 3\nseed = 7\nkind = 'gauntlet'\nopenings = 'random'\nopening_plies = 2\n"
        "columns = 5\nrows = 4\nconnect = 3\n"
        "seconds = 1\ntime_bank = 2.5\nmemory_limit = 512\nload_timeout = 9.5\nisolate = true\n"
        "jobs = 2\nout = 'class.db'\n",
    )
    start = Position(Geometry(5, 4, 3))
    assert read_plan(path) == Plan(
        ("bots/ann.py", "bots/bob.py", "greedy"),
        rounds=3,
        seed=7,
        kind="gauntlet",
        openings=((), *make_openings("random", 3, 2, 7, start)[1:]),
        start=start,
        limit=Limit(seconds=1, time_bank=2.5),
        sandbox=Sandbox(True, 512, load_timeout=9.5),
    )
    result = read_settings(path)
    assert (result["jobs"], result["out"]) == (2, "class.db")
    plain = read_plan(written(tmp_path, 'agents = ["random", "greedy"]'))
    assert (plain.rounds, plain.seed, plain.limit.unlimited) == (10, 0, True)


def test_files_of_version_0_2_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, "seconds = 1\nbank = 2.5\nmemory = 512\nload_seconds = 9.5\n")
    settings = read_settings(path)
    assert settings == {"seconds": 1, "time_bank": 2.5, "memory_limit": 512, "load_timeout": 9.5}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("round = 3", "there is no field 'round' (did you mean rounds?): choose from agents, "),
        ("rounds = 2.5", "rounds must be a whole number, got 2.5"),
        ("rounds = true", "rounds must be a whole number, got True"),
        ("seconds = 'one'", "seconds must be a number, got 'one'"),
        ("isolate = 1", "isolate must be true or false, got 1"),
        (
            "agents = 'greedy'",
            'agents must be a list of texts such as ["bots/*.py", "greedy"], got',
        ),
        ("agents = ['greedy', 3]", "agents must be a list of texts"),
        ("agents = ['none/*.py']", "agents names 'none/*.py', which matches no file"),
        (
            "kind = 'gauntlets'",
            "kind must be round-robin or gauntlet, got 'gauntlets' (did you mean",
        ),
        ("[limit]\nseconds = 1", "there is no field 'limit' (did you mean seconds?): choose from"),
    ],
)
def test_an_error_names_its_field(tmp_path: Path, text: str, expected: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InvalidExperiment) as caught:
        read_settings(path)
    assert str(caught.value).startswith(f"{path}, line 1: {expected}")
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidExperiment, match=r"class\.toml must be a TOML file: .*line 1"):
        read_settings(written(tmp_path, "rounds == 3"))
    with pytest.raises(InvalidExperiment, match="cannot be read: No such file"):
        read_settings(tmp_path / "none.toml")
    (tmp_path / "odd.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidExperiment, match="cannot be read: it must be a text file"):
        read_settings(tmp_path / "odd.toml")
    with pytest.raises(InvalidExperiment, match="must name agents"):
        read_plan(written(tmp_path, "rounds = 3"))


def test_every_field_is_an_option_of_the_verb() -> None:
    from claimeven.cli.contests import tournament as command

    options = {name.strip("-").replace("-", "_") for param in command.params for name in param.opts}
    assert set(FIELDS) - {"agents"} <= options
    others = {"specs", "file", "resume", "resume_changed", "json", "skip_broken", "verbose"}
    assert options - set(FIELDS) <= others
