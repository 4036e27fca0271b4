"""The recipe of docs/cluster.md on one machine: a cluster of two nodes, of which one is killed.

Each command gives the results of one process.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from claimeven import Geometry
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.store import Store
from claimeven.book.build import build_book
from tests.cli.cluster_driver import kill
from tests.cli.conftest import PATIENCE, Run, interrupted
from tests.cli.experiments import result_of, words_of
from tests.forks import environment

#: Commands with each kind of work; local workers run them all (`test_workers`).
NAMES = (
    "dataset", "self-play", "book-verify", "accuracy", "accuracy of games", "study", "tournament",
)  # fmt: skip
PAGE = Path(__file__).parents[2] / "docs" / "cluster.md"


def recipe() -> list[str]:
    """The commands of the page, without comments."""
    block = PAGE.read_text("utf-8").partition("<!-- recipe -->")[2].split("```")[1]
    lines = [line.partition("#")[0].strip() for line in block.splitlines()[1:]]
    return [line for line in lines if line]


class Cluster:
    """The machines of the recipe, each a group of processes."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        self.address = f"127.0.0.1:{port}"
        self.folder = folder
        self.nodes: list[subprocess.Popen[bytes]] = []
        self.variables = environment(HOME=str(folder), RAY_USAGE_STATS_ENABLED="0")
        self.variables["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.last = ""
        for line in recipe():
            self._run(line.replace("first:6379", self.address).replace("6379", str(port)))

    def _run(self, line: str) -> None:
        words = line.split()
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            self.variables[name] = value
        elif words[:2] == ["ray", "start"]:
            self._start([*words, "--num-cpus", "1"])
        elif words[0] == "ray":
            subprocess.run(
                words, env=self.variables, check=True, timeout=PATIENCE, capture_output=True
            )
        elif words[0] == "claimeven":
            self.last = line

    def _start(self, words: list[str]) -> None:
        log = self.folder / f"node-{len(self.nodes)}.log"
        with log.open("wb") as stream:
            self.nodes.append(
                subprocess.Popen(
                    words, env=self.variables, stdout=stream, stderr=stream, start_new_session=True
                )
            )
        deadline = time.monotonic() + PATIENCE
        while b"Ray runtime started" not in log.read_bytes():
            assert self.nodes[-1].poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)

    def program(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run Python on the first machine."""
        return subprocess.run(
            [sys.executable, "-m", *words], env=self.variables, cwd=PAGE.parents[1], text=True,
            capture_output=True, timeout=2 * PATIENCE, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("ray")
    if sys.platform != "linux":
        pytest.skip("a machine is killed by the signals of Linux")
    found = Cluster(tmp_path_factory.mktemp("home"))
    try:
        yield found
    finally:
        for node in found.nodes:
            kill(node.pid)
            node.wait()


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("books") / "tiny.book"
    build_book(path, Geometry(5, 4), 4, table_mb=4)
    return path


def test_ctrl_c_keeps_the_games_and_the_cluster(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recipe ends with scores after it."""
    for name, value in cluster.variables.items():
        monkeypatch.setenv(name, value)
    out = tmp_path / "games.db"

    def some_are_stored() -> bool:
        with suppress(InvalidStore), Store.read(out) as store:
            return len(store) > 0
        return False

    words = ("random", "uct:iterations=500", "--rounds", "9999", "--out", str(out), "--json")
    ray = ("--executor", "ray", "--jobs", "1", "--address", cluster.address)
    result = interrupted("tournament", *words, *ray, when=some_are_stored)
    assert (result.status, "Traceback" in result.err) == (130, False)
    assert result.err.splitlines()[-1].endswith(f"continue with: --out {out} --resume")
    with Store.read(out) as store:
        assert json.loads(result.out)["games"] == len(store)

    assert re.sub(r" --executor.*", "", cluster.last) == "claimeven solve 4455 12"
    ended = cluster.program(*cluster.last.split())
    assert (ended.returncode, ended.stdout) == (0, "4455 18\n12 -2\n"), ended.stderr


def test_each_command_equals_one_process_though_a_machine_is_killed(
    cluster: Cluster, book: Path, tmp_path: Path, run: Run
) -> None:
    machine = cluster.nodes[1].pid
    arguments = [str(tmp_path / "away"), str(book), cluster.address, str(machine), *NAMES]
    ended = cluster.program("tests.cli.cluster_driver", *arguments)
    status = dict(line.rsplit(" ", 1) for line in ended.stdout.splitlines())
    assert status.get("killed") == "True", ended.stderr
    for name in NAMES:
        here, away = (tmp_path / place / name for place in ("here", "away"))
        ended_here = run(*words_of(name, here, book))
        assert status[name] == str(ended_here.status), ended.stderr
        output = away.with_suffix(".txt").read_text()
        assert result_of(output, away) == result_of(ended_here.out, here), name
