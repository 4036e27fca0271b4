"""Engines of other programs by UGI: one of another make plays, and those that fail forfeit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Limit, Position
from claimeven.agents import Agent, AgentFault, InvalidSpec, Sandbox, make_agent
from claimeven.agents.base import FaultKind
from claimeven.agents.external import ugi
from claimeven.agents.external.ugi import UgiAgent
from claimeven.agents.files import files_of
from claimeven.agents.fingerprint import digest_of_files
from claimeven.arena import play_match
from claimeven.arena.games.safe_call import begin_game, timed_decision
from tests.agents.support import decided

ENGINE = Path(__file__).parent / "engines" / "small.py"
QUICK = Limit(seconds=0.3)


def spec_of(*arguments: object) -> str:
    return " ".join([f"ugi:{sys.executable} {ENGINE}", *map(str, arguments)])


def asked(agent: Agent, moves: str, limit: Limit = QUICK) -> int:
    position = Position.from_moves(moves)
    return timed_decision(agent, position, limit, np.random.default_rng(0))[0].column


def test_an_engine_of_another_make_plays_twenty_games() -> None:
    result = play_match(spec_of(), "random", games=20, seed=4, limit=Limit(depth=3))
    assert not any(result.forfeits)
    assert result.wins[0] >= 18
    assert {*result.games[0].move_stats["nodes"]} == {14, None}  # random counts none


def test_an_engine_killed_for_memory_is_distinguished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In place of the counts of the kernel, which does not end a process here. It dies whenever it
    # is asked for a move: for the first time when it is asked how it writes one.
    counts, engine = tmp_path / "vmstat", tmp_path / "starves.py"
    counts.write_text("oom_kill 3\n", encoding="ascii")
    monkeypatch.setattr("claimeven.parallel.posix._COUNTS", counts)
    engine.write_text(
        "import os, pathlib, signal, sys\n"
        f"counts = pathlib.Path({str(counts)!r})\n"
        "name, count = counts.read_text().split()\n"
        "for line in sys.stdin:\n"
        "    answer = {'ugi': 'ugiok', 'isready': 'readyok'}.get(line.strip())\n"
        "    if line.startswith('go'):\n"
        "        counts.write_text(f'{name} {int(count) + 1}\\n')\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    elif answer:\n"
        "        print(answer, flush=True)\n",
        encoding="utf-8",
    )
    spec = f"ugi:{sys.executable} {engine}"
    forfeit = play_match(spec, "random", games=1, limit=QUICK).games[0].forfeit
    assert forfeit is not None
    assert forfeit.kind is FaultKind.MEMORY
    assert "signal SIGKILL, because the system had run out of memory" in forfeit.reason


@pytest.mark.parametrize("notation", [(), ("--digits",)])
def test_openings_are_sent_as_moves_in_the_engines_notation(notation: tuple[str, ...]) -> None:
    result = play_match(spec_of(*notation), "greedy", games=4, seed=1, opening_plies=6)
    assert not any(result.forfeits)
    agent = make_agent(spec_of(*notation), Geometry())
    begin_game(agent)
    assert asked(agent, "4141") == 3  # it stops a line that only it can see by itself
    assert asked(agent, "414143") == 3
    assert asked(agent, "112233") == 3
    agent.close()


def test_the_same_seed_gives_the_same_games_in_jobs() -> None:
    games = [
        [g.all_moves for g in play_match(spec_of(), "random", games=4, seed=9, jobs=jobs).games]
        for jobs in (1, 2)
    ]
    assert games[0] == games[1]


def telling(folder: Path, infos: Sequence[str] = (), settings: str = "") -> tuple[str, Path]:
    """The spec of an engine that prints much before a move, and its log of its input."""
    engine, heard = folder / "tells.py", folder / "heard.txt"
    said = "\n".join([*infos, "bestmove d"])
    engine.write_text(
        "import pathlib, sys\n"
        f"heard, said = pathlib.Path({str(heard)!r}), {said!r}\n"
        "options = 'option name hash type spin\\noption name Seed type spin\\n'\n"
        "answers = {'ugi': options + 'ugiok', 'isready': 'readyok'}\n"
        "for line in sys.stdin:\n"
        "    with heard.open('a') as file:\n"
        "        file.write(line)\n"
        "    answer = said if line.startswith('go') else answers.get(line.strip())\n"
        "    if answer:\n"
        "        print(answer, flush=True)\n",
        encoding="utf-8",
    )
    return f"ugi:{settings} {sys.executable} {engine}", heard


@pytest.mark.parametrize(
    ("infos", "value", "depth", "nodes", "details"),
    [
        ((), None, None, None, {}),
        (
            ("info depth 9 nodes 70 score cp -12 pv d d c",),
            None, 9, 70, {"cp": -12, "line": [3, 3, 2]},
        ),
        (("info score mate -3 nodes 80", "info depth 2"), -1.0, 2, 80, {"mate": -3}),
        (("info score mate 3", "info score cp 5"), None, None, None, {"cp": 5}),
        (("info depth 3", "info string depth 9 nodes 1 pv d"), None, 3, None, {}),
        (("info depth -1 nodes -5 pv d a d",), None, None, None, {"line": [3]}),
        (("info depth x nodes 1e9 pv z d",), None, None, None, {}),
    ],
)  # fmt: skip
def test_engine_info_is_in_the_decision(
    tmp_path: Path,
    infos: tuple[str, ...],
    value: float | None,
    depth: int | None,
    nodes: int | None,
    details: dict[str, object],
) -> None:
    agent = make_agent(telling(tmp_path, infos)[0], Geometry())
    agent.reset()
    position = Position.from_moves("111111")  # column a is full
    decision = decided(agent, position)
    agent.close()
    assert (decision.column, decision.value) == (3, value)
    assert (decision.depth, decision.nodes, decision.details) == (depth, nodes, details)


def test_an_engine_gets_settings_and_limit_in_its_spelling(tmp_path: Path) -> None:
    """Names of options ignore case, and every time is reported, however short."""
    spec, heard = telling(tmp_path, settings="Hash=64")
    agent = make_agent(spec, Geometry())
    agent.reset()
    for limit in (Limit(seconds=0.0001), Limit(depth=4, nodes=50), Limit()):
        decided(agent, "", limit)
    agent.close()
    lines = heard.read_text().splitlines()
    assert "setoption name hash value 64" in lines
    assert sum(line.startswith("setoption name Seed value ") for line in lines) == 1  # a game
    assert [line for line in lines if line.startswith("go")] == [
        "go movetime 10",  # how it writes a move is asked first
        "go movetime 1",
        "go depth 4 nodes 50",
        "go movetime 1000",
    ]
    assert lines[-1] == "quit"


FAULTS = [
    ("stall", FaultKind.STALL, "took over 0.25 s more than the 0.3 s it had for a move"),
    ("die", FaultKind.CRASH, "ended its process: exit status 3"),
    ("garbage", FaultKind.STALL, r"last output: 'gar\x1b[2Jbage ä what is this'"),
    ("flood", FaultKind.CRASH, "wrote a line without end"),
    ("late", FaultKind.TIME, "took over 0.25 s more than the 0.3 s it had for a move"),
    (
        "off",
        FaultKind.ILLEGAL,
        "answered bestmove 'k', which is not a column: choose from a to g, or 1",
    ),
    ("word", FaultKind.ILLEGAL, "answered bestmove 'seven', which is not a column"),
    ("nothing", FaultKind.ILLEGAL, "answered bestmove '', which is not a column"),
]


@pytest.mark.parametrize(("how", "kind", "output"), FAULTS, ids=[how for how, _, _ in FAULTS])
def test_a_failing_engine_forfeits_only_that_game(how: str, kind: FaultKind, output: str) -> None:
    spec = spec_of("--fail", how, 4)
    result = play_match(spec, "greedy", games=2, seed=1, limit=QUICK, start="1234")
    for played in result.games:
        forfeit = played.forfeit
        assert forfeit is not None
        assert played.winner == 1 - forfeit.seat
        assert forfeit.kind is kind
        assert output in forfeit.reason
        assert forfeit.reason.isprintable()


def test_a_full_column_is_illegal() -> None:
    agent = make_agent(spec_of("--fail", "full", 6))
    begin_game(agent)
    with pytest.raises(AgentFault, match=r"column 0 \(counted from 0\), which is full") as caught:
        asked(agent, "111111")
    assert caught.value.kind is FaultKind.ILLEGAL
    agent.close()


def test_the_next_game_starts_with_a_fresh_process() -> None:
    agent = make_agent(spec_of("--fail", "die", 2), Geometry(), QUICK)
    assert isinstance(agent, UgiAgent)
    begin_game(agent)
    first = agent.process
    with pytest.raises(AgentFault):
        asked(agent, "44")
    begin_game(agent)
    assert agent.process not in (None, first)
    assert asked(agent, "") == 3
    # a late engine gets a stop, and stays
    late = make_agent(spec_of("--fail", "late", 2), Geometry(), QUICK)
    assert isinstance(late, UgiAgent)
    begin_game(late)
    before = late.process
    with pytest.raises(AgentFault):
        asked(late, "44")
    begin_game(late)
    assert late.process == before
    assert asked(late, "") == 3
    for one in (agent, late):
        one.close()


def test_stderr_of_an_engine_is_bounded(capfd: pytest.CaptureFixture[str]) -> None:
    agent = make_agent(spec_of("--fail", "shout", 1))
    begin_game(agent)
    assert asked(agent, "4", Limit()) == 3
    agent.close()
    err = capfd.readouterr().err
    assert "has printed 20,000 characters in this game: the rest is left out" in err
    assert 20_000 < len(err) < 21_000


@pytest.mark.parametrize(
    ("spec", "output"),
    [
        ("ugi:./nowhere --fast", "there is no program ./nowhere"),
        ("ugi:no-such-program", "there is no program no-such-program"),
        (f"ugi:{ENGINE}", f"{ENGINE} is not a program by itself: give python {ENGINE}"),
        ("ugi:'open", "'open is not a command: no closing quotation"),
        ("ugi:Hash=3", "Hash=3 does not name a program"),
        ("ugi:Sed=3 " + spec_of()[4:], "(did you mean Seed?): choose from Seed"),
        ("ugi:true", "could not be started: it ended its process: exit status 0"),
    ],
)
def test_unusable_engines_are_refused_before_the_match(spec: str, output: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        play_match(spec, "random", games=2)
    assert output in str(caught.value)


def test_the_time_to_start_can_be_said() -> None:
    output = (
        r"^ugi:sleep 60 cannot be loaded: it could not be started: it did not answer ugi by ugiok"
        r" within 0\.4 s \(.* a larger load_timeout gives it more time\)$"
    )
    with pytest.raises(InvalidSpec, match=output):
        make_agent("ugi:sleep 60", sandbox=Sandbox(load_timeout=0.4))
    output = r"did not answer isready within 0\.4 s \(a larger load_timeout gives it more time\)$"
    with pytest.raises(InvalidSpec, match=output):
        make_agent("ugi:sh -c 'echo ugiok; sleep 60'", sandbox=Sandbox(load_timeout=0.4))


def test_loading_time_after_options_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ugi, "READY_SECONDS", 0.1)
    engine = tmp_path / "loads.py"
    engine.write_text(
        "import sys, time\n"
        "for line in sys.stdin:\n"
        "    answers = {'ugi': 'option name Net type string\\nugiok', 'isready': 'readyok'}\n"
        "    if line.startswith('setoption'):\n"
        "        time.sleep(0.5)\n"
        "    print(answers.get(line.strip(), 'bestmove d'), flush=True)\n"
    )
    spec = f"ugi:Net=large {sys.executable} {engine}"
    make_agent(spec, sandbox=Sandbox(load_timeout=30.0)).close()


def test_another_board_needs_options_of_the_engine() -> None:
    with pytest.raises(InvalidSpec, match="no option Columns, Rows, Connect: it plays 7x6 connect"):
        make_agent(spec_of(), Geometry(8, 7))


def test_limits_it_does_not_know_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be limited by iterations: it supports seconds"):
        make_agent(spec_of(), limit=Limit(iterations=5))


def test_files_of_the_command_are_digested(tmp_path: Path) -> None:
    engine = tmp_path / "an engine.py"
    engine.write_text("pass\n", encoding="utf-8")
    spec = f"ugi:Hash=3 {sys.executable} '{engine}' --book none"
    assert files_of(spec) == (engine,)
    assert digest_of_files(spec) == digest_of_files(str(engine))
    book = tmp_path / "a.book"
    digests = set()
    for content in ("e4", "d4"):
        book.write_text(content, encoding="utf-8")
        digests |= {digest_of_files(f"{spec} {book}"), digest_of_files(spec)}
    assert len(digests) == 3


def gone(process: int) -> bool:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs the proc file system")
def test_an_engine_ends_with_us_however_we_end() -> None:
    program = (
        "import numpy, sys\n"
        "from claimeven.agents import make_agent\n"
        "from claimeven import Geometry, Limit, Position\n"
        f"agent = make_agent({spec_of('--fail', 'stall', 1)!r}, Geometry(), Limit(seconds=60))\n"
        "agent.reset()\n"
        "print(agent.process, flush=True)\n"
        "agent.choose(Position.from_moves('4'), Limit(seconds=60), numpy.random.default_rng(0))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        engine = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait(timeout=20)
        assert gone(engine)
