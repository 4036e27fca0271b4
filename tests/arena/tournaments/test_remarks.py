"""What the games of a tournament cannot show is said: equal files, one opening for all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimeven.arena.store.store import StoredAgent
from claimeven.arena.tournaments.standings import remarks
from tests.cli.conftest import Run, run  # noqa: F401


def told(specs: list[tuple[str, str | None]], openings: list[str]) -> list[str]:
    agents = [
        StoredAgent(place, chr(97 + place), spec, digest)
        for place, (spec, digest) in enumerate(specs)
    ]
    return list(remarks(agents, openings))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("bots/x.py", "y.py", True),
        ("bots/x.py:agent", "/a/b/y.py:agent", True),
        ("x.py:agent", "x.py:other", False),
        ("x.py:agent,depth=2", "y.py:agent,depth=3", False),
        ("kaggle:x.py", "kaggle:y.py", True),
        ("kaggle:x.py", "y.py", False),
        ("net:model=m.npz,c=1", "net:model=n.npz,c=1", True),
        ("net:model=m.npz,c=1.5", "net:model=n.npz,c=2.5", False),
    ],
)
def test_files_are_equal_if_content_and_use_are(one: str, other: str, equal: bool) -> None:
    assert bool(told([(one, "d1"), (other, "d1")], [])) == equal
    assert told([(one, "d1"), (other, "d2")], []) == []


def test_agents_without_files_are_no_equal_files() -> None:
    assert told([("uct", None), ("uct", None)], []) == []


@pytest.mark.parametrize(
    ("openings", "said"),
    [(["43", "43"], True), (["43", "34"], False), (["", ""], False), (["43"], False), ([], False)],
)
def test_one_opening_for_all_games_is_said(openings: list[str], said: bool) -> None:
    assert bool(told([], openings)) == said


def test_a_class_of_equal_files_in_one_round_reads_both(run: Run, tmp_path: Path) -> None:  # noqa: F811
    for name in ("ann", "bob", "cem"):
        (tmp_path / f"{name}.py").write_text(
            "def agent(position): return position.legal_columns[0]"
        )
    files = sorted(map(str, tmp_path.glob("*.py")))
    ran = run("tournament", *files, "--rounds", "1", "--jobs", "1")
    shown = " ".join(ran.out.split())
    assert "ann, bob and cem are equal files: what one scores against the other is chance." in shown
    assert "All games began with the moves 7133: more rounds begin with others." in shown
    data = json.loads(run("tournament", *files, "--rounds", "1", "--jobs", "1", "--json").out)
    assert [text.split()[0] for text in data["remarks"]] == ["ann,", "All"]
    ran = run("tournament", files[0], "random", "--rounds", "3", "--jobs", "1")
    assert "equal files" not in ran.out and "All games began" not in ran.out
