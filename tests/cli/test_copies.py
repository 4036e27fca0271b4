"""`claimeven copies`: evidence in words for a teacher, as JSON, and exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

from tests.arena.class_bots import BOTS, REWRITTEN
from tests.cli.conftest import Run, bad_input


def files(folder: Path, *names: str) -> list[str]:
    texts = {**BOTS, "copy": REWRITTEN["alf"], "mine": BOTS["cem"].replace("discs", "d")}
    texts["eve"] = BOTS["ann"].replace("middle", "center")
    for name in names:
        (folder / f"{name}.py").write_text(texts[name], encoding="utf-8")
    return [str(folder / f"{name}.py") for name in names]


def test_evidence_is_a_table_with_care(run: Run, tmp_path: Path) -> None:
    paths = files(tmp_path, "alf", "ann", "cem", "copy", "eve", "mine")
    (tmp_path / "zed.py").write_text("def agent(p):\n    return 1 // 0\n", encoding="utf-8")
    arguments = (*paths, str(tmp_path / "zed.py"), "--positions", "10", "--jobs", "1")
    result = run("copies", *arguments)
    assert result.status == 1
    assert max(map(len, result.out.splitlines())) <= 80
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    assert lines[0] == "7 agents, 21 pairs, 10 positions"
    assert "cem, mine equal code 100% of 5 lines -" in lines
    assert any(line.startswith("alf, copy shared code 6") for line in lines)
    text = " ".join(lines)
    assert "The code of ann and eve is so short that it may be independent." in text
    assert "This is evidence and no verdict" in text
    assert "zed: choices not compared: raised ZeroDivisionError" in text
    assert run("copies", *arguments).out == result.out


def test_the_same_as_json(run: Run, tmp_path: Path) -> None:
    paths = files(tmp_path, "cem", "mine", "fay")
    result = run("copies", *paths, "--positions", "0", "--json")
    assert result.status == 1
    data = json.loads(result.out)
    finding = {
        "kind": "equal code", "agents": paths[:2], "share": 1.0, "total": 5, "chance": None,
        "like": None,
    }  # fmt: skip
    assert (data["agents"], data["findings"]) == (paths, [finding])
    assert data["left_out"] == {}
    given = run("copies", *paths, "--positions", "0", "--template", paths[0])
    assert given.status == 0
    assert "No agents are more alike than independent agents may be." in given.out


def test_bad_input_is_a_sentence(run: Run, tmp_path: Path) -> None:
    [path] = files(tmp_path, "ann")
    assert "2 agents or more" in bad_input(run("copies", path))
    assert "there is no file" in bad_input(run("copies", path, f"{tmp_path}/no.py"))
    given = run("copies", path, "greedy", "--template", f"{tmp_path}/no.py")
    assert "no.py" in bad_input(given)
