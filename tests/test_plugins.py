"""Agents and evaluations of other installed packages: a package that offers both is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from claimeven import Geometry, play_match, plugins
from claimeven.agents import InvalidSpec, make_agent
from claimeven.agents.fingerprint import digests_of
from claimeven.agents.registry import completions, installed_agents
from claimeven.evaluation import InvalidEvaluation
from claimeven.evaluation.registry import get_evaluation
from claimeven.plugins import BrokenPackage, installed
from claimeven.web.settings import ServerSettings, allowed_agents, check_allowed
from tests.agents.support import decided
from tests.cli.conftest import Run, bad_input, run  # noqa: F401 - run is a fixture
from tests.forks import environment

CODE = """
import os
from claimeven import Agent, Decision
from claimeven.agents import AgentKind, Option

class Nearest(Agent):
    \"\"\"Plays the column nearest to its own.\"\"\"
    def __init__(self, column: int = 3):
        self.column = column
    def choose(self, position, limit, rng):
        near = min(position.legal_columns, key=lambda c: abs(c - self.column))
        return Decision(near, details={"process": os.getpid()})

def rightmost(position):
    return -(position.geometry.column_mask(6) & position.theirs).bit_count()

NUMBER = 3
KIND = AgentKind(
    "kind", "an agent with ranges", (Option("column", "int", 2, "where it plays", 0, 6),),
    lambda options: Nearest(options["column"]),
)
"""
POINTS = """
[claimeven.agents]
nearest = their_bots.players:Nearest
ranged = their_bots.players:KIND
greedy = their_bots.players:Nearest
missing = their_bots.nowhere:Nearest
raises = their_bots.raises:Nearest
removed = no_such_module:Nearest
odd name = their_bots.players:Nearest

[claimeven.evaluations]
theirs = their_bots.players:rightmost
number = their_bots.players:NUMBER
"""


def install(folder: Path, name: str, points: str | bytes, version: str = "1.2") -> None:
    """Write the metadata of an installed package."""
    metadata = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir(parents=True)
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (metadata / "METADATA").write_text(text, encoding="utf-8")
    data = points if isinstance(points, bytes) else points.encode()
    (metadata / "entry_points.txt").write_bytes(data)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with an installed package, on the path of this process and its children."""
    place = tmp_path / "site"
    (place / "their_bots").mkdir(parents=True)
    for name, text in (("__init__", ""), ("players", CODE), ("raises", "raise SystemExit(3)\n")):
        (place / "their_bots" / f"{name}.py").write_text(text, encoding="utf-8")
    install(place, "their-bots", POINTS)
    monkeypatch.syspath_prepend(str(place))
    paths = [str(place), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    _forget()
    yield place
    _forget()
    for name in [name for name in sys.modules if name.startswith("their_bots")]:
        del sys.modules[name]


def _forget() -> None:
    plugins.installed.cache_clear()
    plugins._offered.cache_clear()


@pytest.mark.usefixtures("folder", "real_starts")
def test_an_installed_agent_and_evaluation_play() -> None:
    agent = make_agent("nearest:column=6")
    decision = decided(agent)
    assert (decision.column, agent.name) == (6, "nearest:column=6")
    assert decision.details["process"] != os.getpid()
    assert agent.plays.endswith("the one named, of their_bots.players, with column=6")
    agent.close()
    with closing(make_agent("ranged:column=5")) as agent:
        assert decided(agent).column == 5
        assert agent.plays.endswith("of their_bots.players, with column=5")
    agent = make_agent("minimax:depth=1,eval=theirs")
    assert decided(agent).column == 6
    assert not agent.trusted or agent.process  # type: ignore[attr-defined]  # its own process
    agent.close()
    result = play_match("nearest:column=2@seconds=9", "random", games=2)
    assert not any(result.faults) and len(result.games) == 2
    assert get_evaluation("theirs").name == "rightmost"


def test_its_files_identify_it(folder: Path) -> None:
    for spec in ("nearest:column=2", "minimax:depth=1,eval=theirs", "their_bots.players:Nearest"):
        before = digests_of(spec)
        assert {*before} == {"players.py"}
        with (folder / "their_bots" / "players.py").open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        assert digests_of(spec)["players.py"] != before["players.py"]


@pytest.mark.parametrize(
    ("spec", "output"),
    [
        ("nearest:colum=2", "Nearest has no option 'colum' (did you mean column?): it takes col"),
        ("nearest:column=x", "column=x of Nearest: column takes a whole number"),
        ("ranged:column=9", "column=9 of kind: column takes a whole number from 0 to 6"),
        ("nearst", "there is no agent 'nearst' (did you mean nearest?): choose from random, "),
        ("missing", "their_bots.nowhere cannot be loaded: ModuleNotFoundError: No module named"),
        ("removed", "removed of their-bots 1.2 cannot be loaded: no module no_such_module"),
        ("raises", "their_bots.raises cannot be loaded: SystemExit: 3"),
        ("minimax:eval=their", "there is no evaluation 'their' (did you mean theirs?): choose"),
        ("minimax:eval=number", "number of their-bots 1.2 is not a function"),
    ],
)
@pytest.mark.usefixtures("folder", "real_starts")
def test_a_wrong_spec_is_reported_in_a_sentence(spec: str, output: str) -> None:
    with pytest.raises((InvalidSpec, InvalidEvaluation)) as caught:
        make_agent(spec)
    assert output in str(caught.value) and "\n" not in str(caught.value)


def test_broken_packages_have_no_effect_on_others(folder: Path) -> None:
    install(folder, "other-bots", "[claimeven.agents]\nnearest = other:Bot\nfine = other.x:y.z\n")
    install(folder, "garbage", b"\xff\xfe[[[")
    install(folder, "no-equals", "[claimeven.agents]\nnearest\n")
    _forget()
    kinds, broken = installed_agents()
    assert [*kinds] == ["ranged"]
    assert broken["greedy"] == (
        "greedy of their-bots 1.2 has the name of another agent: give their_bots.players:Nearest"
    )
    assert broken["missing"].startswith("missing of their-bots 1.2 cannot be loaded: ModuleNotF")
    assert broken["raises"] == "raises of their-bots 1.2 cannot be loaded: SystemExit: 3"
    assert broken["odd name"].endswith("got 'odd name' as 'their_bots.players:Nearest'")
    assert "their_bots.players:Nearest" in broken["nearest"] and "other:Bot" in broken["nearest"]
    assert sum("cannot be read" in reason for reason in broken.values()) >= 1
    with pytest.raises(InvalidSpec, match=r"nearest is offered by .* and by .*: give "):
        make_agent("nearest")
    with pytest.raises(BrokenPackage):
        installed(plugins.AGENTS)["odd name"].load()
    assert decided("greedy").column == 0  # the built-in agent


def test_only_trusted_agents_are_on_the_page(folder: Path) -> None:
    with pytest.raises(InvalidSpec, match="there is no agent 'nearest'"):
        check_allowed("nearest", ServerSettings(workers=1))
    trusting = ServerSettings(workers=1, trust=("nearest",))
    assert check_allowed(" nearest:column=2", trusting) == "nearest:column=2"
    assert allowed_agents(Geometry(), ("nearest",))[-1]["name"] == "nearest"
    for spec, output in (
        ("nearest:column=x", "column takes a whole number"),
        ("their_bots.players:Nearest", "this server runs only bundled agents"),
        ("nearest@seconds=99", "a server has its own limits"),
        ("minimax:eval=theirs", "a server runs no functions from files and modules"),
    ):
        with pytest.raises(InvalidSpec, match=output):
            check_allowed(spec, trusting)
    with pytest.raises(InvalidSpec, match=r"missing of their-bots 1\.2 cannot be loaded"):
        check_allowed("random", ServerSettings(workers=1, trust=("missing",)))


def test_shells_complete_names_and_options(folder: Path) -> None:
    assert completions("nea") == ["nearest"]
    assert completions("nearest:c") == ["nearest:column="]
    assert completions("minimax:depth=1,eval=th") == ["minimax:depth=1,eval=theirs"]
    assert completions("missing:x") == []
    assert completions("uct:solver=")[:2] == ["uct:solver=yes", "uct:solver=no"]
    assert "kaggle:" in completions("k")


def test_the_program_lists_and_completes_them(
    folder: Path,
    run: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed = run("agents")
    assert listed.status == 0
    assert "nearest: Plays the column nearest to its own (their-bots 1.2)" in listed.out
    assert "eval=theirs: an evaluation (their-bots 1.2)" in listed.out
    assert "claimeven: missing of their-bots 1.2 cannot be loaded: " in listed.err
    data = json.loads(run("agents", "--json").out)
    assert [each["name"] for each in data["agents"]][-2:] == ["nearest", "ranged"]
    assert data["evaluations"][0] == {"name": "theirs", "package": "their-bots 1.2"}
    assert len(data["broken"]) == 5
    one = run("agents", "nearest")
    assert "column=3" in one.out and "(a whole number)" in one.out and not one.err
    assert "missing of their-bots 1.2" in run("agents", "missing").err
    refused = bad_input(run("serve", "--trust", "missing"))
    assert refused.startswith("missing of their-bots 1.2 cannot be loaded: ")
    monkeypatch.setenv("_CLAIMEVEN_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "claimeven match near")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert run().out.splitlines()[0] == "plain,nearest"


def test_entry_points_are_read_when_needed(folder: Path) -> None:
    code = "import claimeven, sys; from claimeven import plugins; claimeven.make_agent('random')"
    test = f"{code}; sys.exit(plugins._offered.cache_info().currsize)"
    done = subprocess.run([sys.executable, "-c", test], env=environment(), check=False, timeout=300)
    assert done.returncode == 0
