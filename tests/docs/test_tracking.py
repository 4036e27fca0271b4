"""The examples of the page on tracking, run with trackers that only record."""

from __future__ import annotations

import json
import logging
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.docs.examples import ROOT, blocks_of

PAGE = ROOT / "docs" / "tracking.md"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks_of(PAGE):
        if block.title:
            (tmp_path / block.title).write_text("\n".join(block.lines) + "\n", encoding="utf-8")


class Writer:
    """A writer that records calls of any method."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *error: object) -> None:
        self.calls.append(("close", ()))

    def __getattr__(self, name: str) -> Any:
        return lambda *given, **named: self.calls.append((name, (*given, *named.values())))


def module(monkeypatch: pytest.MonkeyPatch, name: str, **names: Any) -> None:
    found = ModuleType(name)
    vars(found).update(names)
    monkeypatch.setitem(sys.modules, name, found)


def test_tensorboard_gets_every_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer()
    module(monkeypatch, "tensorboardX", SummaryWriter=lambda folder: writer)
    runpy.run_path("with_tensorboard.py")
    rows = [json.loads(line) for line in Path("run1/log.jsonl").read_text().splitlines()]
    numbers = [
        (name, value, row["games"])
        for row in rows
        for name, value in row.items()
        if isinstance(value, float | int)
    ]
    assert [given for name, given in writer.calls if name == "add_scalar"] == numbers
    assert len(rows) == 2 and writer.calls[-1] == ("close", ())
    runpy.run_path("with_tensorboard.py")  # the run is finished, so there is no new row
    assert [name for name, _ in writer.calls].count("add_scalar") == len(numbers)


def test_mlflow_gets_every_game_and_the_description(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Writer()
    names = {name: getattr(log, name) for name in ("log_metric", "log_dict")}
    module(monkeypatch, "mlflow", start_run=Writer, **names)
    runpy.run_path("with_mlflow.py")
    games = [given for name, given in log.calls if name == "log_metric" and given[0] == "plies"]
    assert [step for _, _, step in games] == [1, 2, 3, 4]
    name, (about, file) = log.calls[-1]
    assert (name, about["kind"], file) == ("log_dict", "result", "provenance.json")


def test_wandb_gets_every_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[dict[str, Any]] = []
    run = SimpleNamespace(log=rows.append, summary={})

    @contextmanager
    def init(project: str) -> Iterator[SimpleNamespace]:
        yield run

    module(monkeypatch, "wandb", init=init)
    runpy.run_path("with_wandb.py")
    assert {row["agent"] for row in rows} == {"greedy", "random"}
    plain = (str, int, float, bool, type(None))
    assert all(isinstance(value, plain) for row in rows for value in row.values())
    assert run.summary["seconds"] > 0


def test_messages_are_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(logging, "basicConfig", lambda **settings: None)
    caplog.set_level("INFO", "claimeven")
    runpy.run_path("logged.py")
    assert caplog.messages == ["games.db: 0 of 4 games are stored"]
