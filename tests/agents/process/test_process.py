"""An agent from a file plays in its own process: its actions stay there."""

from __future__ import annotations

import os
import pickle
import random
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.agents import (
    Agent,
    AgentFault,
    Decision,
    InvalidLimit,
    InvalidSpec,
    Limit,
    ProcessAgent,
    Sandbox,
    make_agent,
    make_agents,
)
from claimeven.agents.files import load_agent, split_file_spec
from claimeven.agents.worker import OOM_SCORE
from claimeven.arena import play_match
from claimeven.arena.games.safe_call import checked_trace, checked_tree, timed_decision

BOTS = Path(__file__).parents[1] / "bots"


def bot(name: str, what: str = "") -> str:
    return f"{BOTS / name}.py:{what}" if what else f"{BOTS / name}.py"


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def in_process(spec: str) -> Agent:
    parts = split_file_spec(spec)
    assert parts is not None
    return load_agent(spec, *parts)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system reports both")
@pytest.mark.usefixtures("real_starts")
def test_the_memory_of_the_agent_is_reported_without_the_parents() -> None:
    ours = np.ones(100 << 17)  # 100 MB, all of it used
    agent = make_agent(bot("first"))
    assert isinstance(agent, ProcessAgent)
    output = agent.peak_memory()
    agent.close()
    assert output is not None
    assert 10 < output < ours.nbytes >> 20


def test_a_bot_that_never_answers_is_restarted() -> None:
    begin = time.monotonic()
    result = play_match(bot("stalls"), "random", games=2, limit=Limit(seconds=0.1))
    reason = "took over 0.25 s more than the 0.1 s it had for a move"
    assert result.forfeits[0] == {reason: 2}
    # Its first move of each game is played: the process is a fresh one.
    assert [len(played.columns) for played in result.games] == [2, 3]
    assert time.monotonic() - begin < 60


def test_a_bank_lets_a_bot_take_its_time(tmp_path: Path) -> None:
    file = tmp_path / "looks.py"
    file.write_text(
        "import time\n"
        "def agent(obs, config):\n"
        "    assert config.actTimeout == 0.001\n"
        "    time.sleep(0.3 if obs.step == 0 else 0.01)\n"  # more than the grace, at first
        "    return int(obs.remainingOverageTime < 60)\n",
        encoding="utf-8",
    )
    limit = Limit(seconds=0.001, time_bank=60)
    result = play_match(str(file), lambda position: 6, games=1, limit=limit)
    assert result.games[0].columns[:5] == (0, 6, 1, 6, 1)


def test_patience_ends_where_no_limit_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("claimeven.agents.process.agent.PATIENCE", 0.3)
    result = play_match(bot("stalls"), "random", games=1)
    assert result.forfeits[0] == {"did not answer within 0.3 s": 1}


def test_a_bot_may_not_linger_over_the_beginning_of_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claimeven.agents.process.agent.MIN_PATIENCE", 0.3)
    file = tmp_path / "dawdles.py"
    file.write_text(
        "import time\n"
        "from claimeven import Agent\n"
        "class Dawdler(Agent):\n"
        "    def reset(self):\n        time.sleep(1000)\n"
        "    def choose(self, position, limit, rng):\n        return None\n",
        encoding="utf-8",
    )
    result = play_match(str(file), "random", games=1, limit=Limit(seconds=0.01))
    assert result.forfeits[0] == {"did not answer within 0.3 s": 1}


def test_prints_of_a_bot_go_to_stderr_in_bounds(capfd: pytest.CaptureFixture[str]) -> None:
    result = play_match(bot("prints"), bot("speaks"), games=1, start="112211")
    assert result.forfeits == ({}, {})
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("loading\n") == 1
    assert err.count("thinking ☃\n") == err.count("warning\n") > 0
    assert len(err) < 30_000
    assert "has printed 20,000 characters in this game: the rest is left out" in err


@pytest.mark.parametrize(
    ("counted", "kind", "output"),
    [
        ("nr_free_pages 7\noom_kill 3\n", "crash", "signal SIGKILL"),
        ("oom_kill 4\n", "memory", "signal SIGKILL, because the system had run out of memory"),
        ("nr_free_pages 7\n", "crash", "signal SIGKILL, perhaps for lack of memory"),
    ],
)
def test_a_process_killed_for_memory_is_distinguished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: str, kind: str, output: str
) -> None:
    # In place of the counts of the kernel, which do not end a process here.
    counts, file = tmp_path / "vmstat", tmp_path / "starves.py"
    counts.write_text("nr_free_pages 7\noom_kill 3\n", encoding="ascii")
    monkeypatch.setattr("claimeven.parallel.posix._COUNTS", counts)
    file.write_text(
        "import os, pathlib, signal\n"
        "def agent(position):\n"
        f"    pathlib.Path({str(counts)!r}).write_text({counted!r})\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n",
        encoding="utf-8",
    )
    forfeit = play_match(str(file), "random", games=1).games[0].forfeit
    assert forfeit is not None
    assert (forfeit.kind, forfeit.reason) == (kind, f"ended its process: {output}")


def test_built_in_agents_have_processes_when_asked() -> None:
    spec = "uct:iterations=30"
    there, person = make_agents([spec, "human"], sandbox=Sandbox(all_agents=True))
    assert isinstance(there, ProcessAgent)
    assert not isinstance(person, ProcessAgent)
    chosen = [agent.choose(Position(), Limit(), rng(2)) for agent in (there, make_agent(spec))]
    assert chosen[0].column == chosen[1].column
    assert chosen[0].details["visits"] == list(chosen[1].details["visits"])
    there.close()
    with pytest.raises(InvalidSpec, match="is an object or a function of this process"):
        play_match(lambda position: 0, "random", isolate=True)
    with pytest.raises(InvalidLimit, match="memory_limit_mb must be 1 to 4,294,967,296, got 0"):
        Sandbox(memory_limit_mb=0)
    with pytest.raises(InvalidLimit, match="memory_limit_mb must be a whole number"):
        Sandbox(memory_limit_mb=1.5)  # type: ignore[arg-type]  # bad on purpose


def test_a_process_may_hold_half_of_a_small_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**21
    assert Sandbox().memory_bound_mb == min(2048, half)
    assert Sandbox(memory_limit_mb=7).memory_bound_mb == 7
    monkeypatch.setattr("claimeven.agents.process.sandbox.DEFAULT_MEMORY", half + 1)
    assert Sandbox().memory_bound_mb == half


@pytest.mark.skipif(sys.platform != "linux", reason="bounds of memory are of Linux")
@pytest.mark.usefixtures("real_starts")
def test_an_agent_that_has_less_memory_than_python_takes_is_refused_in_a_sentence(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(
        InvalidSpec, match="raised MemoryError: it needs more than its limit of 1 MB"
    ):
        make_agents(["greedy"], sandbox=Sandbox(all_agents=True, memory_limit_mb=1))
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(not Path("/proc/self/oom_score_adj").exists(), reason="a setting of Linux")
@pytest.mark.usefixtures("real_starts")
def test_where_memory_runs_out_an_agent_is_ended_before_its_match() -> None:
    agent = make_agent(bot("first"))
    assert isinstance(agent, ProcessAgent)
    score = int(Path(f"/proc/{agent.process}/oom_score_adj").read_text())
    agent.close()
    assert score >= OOM_SCORE  # a higher value of this process may not be lowered


def test_a_process_that_ends_between_two_games_is_started_again() -> None:
    agent = make_agent(bot("remembers"))
    assert isinstance(agent, ProcessAgent)
    first = agent.process
    assert first is not None
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    agent.reset()
    assert agent.process not in (None, first)
    assert agent.choose(Position(), Limit(), rng()).column == 1
    agent.close()


def test_a_fresh_process_gets_the_board_again(tmp_path: Path) -> None:
    file = tmp_path / "last.py"
    file.write_text("def agent(position):\n    return position.geometry.columns - 1\n")
    position, limit = Position(Geometry(5, 4)), Limit(seconds=60)
    agent = make_agent(str(file), position.geometry, limit)
    assert isinstance(agent, ProcessAgent)
    agent.reset()
    for _ in range(2):
        assert agent.choose(position, limit, rng()).column == 4
        process = agent.process
        assert process is not None
        os.kill(process, signal.SIGKILL)
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    agent.close()


def test_a_copy_has_the_properties_of_the_agent() -> None:
    agent = make_agent(bot("remembers"))
    other = pickle.loads(pickle.dumps(agent))
    assert (other.limits, other.stateful) == (frozenset(("depth",)), True)
    assert other.process is None
    agent.close()


def test_the_print_limit_starts_again_with_each_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tells.py"
    file.write_text("def agent(position):\n    print('#' * 8_000)\n    return 0\n")
    agent = make_agent(str(file))
    for _ in range(3):
        agent.reset()
        agent.choose(Position(), Limit(), rng())
    agent.close()
    err = capsys.readouterr().err
    assert err.count("#") == 24_000
    assert "has printed" not in err


FAILURES = [
    ("fails", "InLoad", "{spec} cannot be loaded: raised BaseException: no"),
    ("fails", "LeavesInLoad", "{spec} cannot be loaded: raised SystemExit: 5"),
    ("fails", "EndsInLoad", "{spec} cannot be loaded: ended its process: exit status 5"),
    ("fails", "InCheckBoard", "{spec} cannot play on 7x6: raised RuntimeError: too large"),
    ("fails", "Unmade", "{spec} cannot be loaded: raised KeyboardInterrupt"),
    ("unloadable", "", "{spec} cannot be loaded: Odd: not me"),
]


@pytest.mark.parametrize(("name", "what", "output"), FAILURES)
def test_an_agent_that_cannot_start_is_reported_in_a_sentence(
    name: str, what: str, output: str
) -> None:
    spec = bot(name, what)
    with pytest.raises(InvalidSpec) as caught:
        make_agents(["random", spec], Geometry())
    assert str(caught.value).replace(" (7 columns, 6 rows, 4 in a line)", "") == output.format(
        spec=spec
    ).replace("7x6", str(Geometry()))


@pytest.mark.parametrize("prefix", ["", "kaggle:"])
def test_an_agent_that_never_finishes_loading_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    file = tmp_path / "loops.py"
    file.write_text(
        "import time\nwhile True:\n    time.sleep(0.1)\ndef agent(obs, config): return 0\n",
        encoding="utf-8",
    )
    output = f"{prefix}{file} cannot be loaded: loading took over 0.5 s (load_timeout)"
    with pytest.raises(InvalidSpec) as caught:
        make_agents([prefix + str(file)], sandbox=Sandbox(load_timeout=0.5))
    assert str(caught.value) == output
    monkeypatch.setattr("claimeven.agents.process.agent.FILE_LOAD_SECONDS", 0.5)
    with pytest.raises(InvalidSpec) as caught:
        make_agent(prefix + str(file))
    assert str(caught.value) == output
    for wrong in (0, -1.0, "long", float("nan"), float("inf")):
        with pytest.raises(InvalidLimit, match="load_timeout must be "):
            Sandbox(load_timeout=wrong)  # type: ignore[arg-type]  # bad on purpose


def test_a_failed_restart_loses_only_that_game(tmp_path: Path) -> None:
    file = tmp_path / "once.py"
    file.write_text(
        "import os, pathlib\n"
        "mark = pathlib.Path(__file__).with_suffix('.mark')\n"
        "assert not mark.exists() or mark.read_text() != 'broken', 'second time'\n"
        "def agent(position):\n"
        "    mark.write_text('broken')\n"
        "    os._exit(1)\n",
        encoding="utf-8",
    )
    result = play_match(str(file), "random", games=3)
    reasons = result.forfeits[0]
    assert reasons["ended its process: exit status 1"] == 1
    assert (
        reasons[f"could not be started again: {file} cannot be loaded: AssertionError: second time"]
        == 2
    )


@pytest.mark.parametrize(
    ("prefix", "state", "after"),
    [
        ("", "lazy", None),
        ("", "started", "def agent(position):\n    1 / 0  # new"),
        ("", "made", "def agent("),
        ("kaggle:", "lazy", "def agent("),
        ("kaggle:", "made", None),
    ],
)
def test_each_process_has_the_text_that_the_file_had_first(
    tmp_path: Path, after: str | None, state: str, prefix: str
) -> None:
    (tmp_path / "beside.py").write_text("BEST = 3")
    path = tmp_path / "bot.py"
    ply = "sum(map(bool, board.board))" if prefix else "board.ply"
    path.write_text(
        f"# ä\nimport os, beside\n\ndef agent(board{', config' if prefix else ''}):\n"
        f"    ply = {ply}\n    if ply == 0:\n        os._exit(1)\n"
        "    assert ply < 4, 'so far'\n    return beside.BEST\n",
        encoding="utf-8",
    )
    spec = f"{prefix}{path}"
    if state == "made":
        agent = make_agent(spec)
    else:
        own = {"files": (str(path),)} if prefix else {"file": (str(path), "")}
        agent = ProcessAgent(spec, lazy_start=state == "lazy", **own)  # type: ignore[arg-type]
    if after is None:
        path.unlink()
    else:
        path.write_text(after)
    copy = pickle.loads(pickle.dumps(agent))
    for each in (agent, copy):
        for _ in range(2):
            with pytest.raises(AgentFault, match="ended its process: exit status 1"):
                each.choose(Position(), Limit(), rng())
            each.reset()
            assert each.choose(Position.from_moves("1"), Limit(), rng()).column == 3
        with pytest.raises(AgentFault, match="AssertionError: so far") as output:
            each.choose(Position.from_moves("1234"), Limit(), rng())
        if not prefix:
            assert "    assert ply < 4, 'so far'\n" in output.value.traceback
        each.close()


def test_a_lazy_agent_is_started_when_it_is_needed() -> None:
    agent, broken = make_agents([bot("first"), bot("unloadable")], lazy_start=True)
    assert isinstance(agent, ProcessAgent)
    assert agent.process is None
    agent.reset()
    assert agent.process is not None
    assert agent.choose(Position(), Limit(), rng()).column == 0
    with pytest.raises(AgentFault, match="Odd: not me"):
        broken.reset()
    agent.close()


def test_each_file_has_its_own_helpers() -> None:
    one, two = make_agents([bot("one/bot"), bot("two/bot")])
    chosen = [agent.choose(Position(), Limit(), rng()).column for agent in (one, two)]
    assert chosen == [1, 2]
    one.close()
    two.close()


@pytest.mark.usefixtures("real_starts")  # launches have one order of sets
@pytest.mark.parametrize("name", ["draws", "sets"])
def test_draws_of_a_bot_follow_from_the_seed(name: str) -> None:
    matches = [play_match(bot(name), "greedy", games=4, seed=5) for _ in range(2)]
    games = [[played.columns for played in match.games] for match in matches]
    assert games[0] == games[1]
    assert (len(set(games[0])) == 4) == (name == "draws")


def test_draws_at_the_start_of_a_game_follow_from_the_seed() -> None:
    games = [
        [
            played.columns
            for played in play_match(bot("shuffles"), "random", games=6, seed=5, jobs=jobs).games
        ]
        for jobs in (1, 2)
    ]
    assert games[0] == games[1] and len(set(games[0])) == 6


def test_random_draws_elsewhere_are_unchanged() -> None:
    random.seed(1)
    before = random.getstate()
    play_match(bot("draws"), "random", games=1)
    assert random.getstate() == before


FUNCTION = """
import random
import signal
import claimeven.agents.external.kaggle as kaggle
from claimeven import Decision
kaggle.MOVE_SECONDS = 0.0  # every move draws on the bank
def banked(obs, config):
    return 4 if obs.remainingOverageTime == 60 else 5
def telling(position):
    return Decision(random.randrange(3), value=0.5)
"""


@pytest.mark.parametrize("board", [Geometry(), Geometry(9, 9, 5)])
def test_a_function_learns_of_each_game(board: Geometry, tmp_path: Path) -> None:
    file = tmp_path / "functions.py"
    file.write_text(FUNCTION, encoding="utf-8")
    agents = [ProcessAgent(f"{file}:{name}", (str(file), name)) for name in ("banked", "telling")]
    generators = [rng(7), rng(8)]
    games = []
    for _ in range(2):
        output: list[list[int]] = [[], []]
        for agent, generator, columns in zip(agents, generators, output, strict=True):
            agent.reset()
            position = Position(board)
            for _ in range(6):
                columns.append(agent.choose(position, Limit(), generator).column)
                position = position.play(columns[-1])
        games.append(output)
    for agent in agents:
        agent.close()
    assert games[0] == games[1]
    assert games[0][0] == [4, 5, 5, 5, 5, 5]
    assert len(set(games[0][1])) > 1
    # A function draws no number from its generator, with any answer.
    assert [generator.bit_generator.state for generator in generators] == [
        rng(seed).bit_generator.state for seed in (7, 8)
    ]


def decided(agent: Agent, generator: np.random.Generator) -> list[Decision]:
    agent.reset()
    limit = Limit(depth=3, iterations=7)
    position, output = Position(Geometry(9, 9, 5)), []
    for _ in range(5):
        output.append(timed_decision(agent, position, limit, generator)[0])
        position = position.play(output[-1].column)
    return output


def test_a_process_answers_as_the_agent_would_here() -> None:
    spec = bot("searches", "Telling")
    there = make_agent(spec)
    assert isinstance(there, ProcessAgent)
    one, other = rng(3), rng(3)
    assert decided(there, one) == decided(in_process(spec), other)
    assert one.bit_generator.state == rng(3).bit_generator.state  # the process has its own
    unusual = [np.random.Generator(np.random.MT19937(4)) for _ in range(2)]
    assert decided(there, unusual[0]) == decided(there, unusual[1])
    there.close()


def test_traces_and_trees_come_over() -> None:
    there = make_agent(bot("searches", "Telling"))
    steps = checked_trace(there, Position.from_moves("44"), Limit(), rng(), 10)
    assert next(steps) == "ply 2"
    with pytest.raises(AgentFault, match="raised LookupError: lost"):
        next(steps)
    view = checked_tree(there, 4, 10)
    assert view is not None
    assert (view.text, view.data, view.svg) == ("text", {"depth": 4}, "<svg/>")
    there.close()


def test_a_process_reports_the_properties_of_its_agent() -> None:
    agent = make_agent(bot("remembers", "Counting"))
    assert agent.stateful
    assert agent.limits == {"depth"}
    function = make_agent(bot("first"))
    assert (function.stateful, function.limits) == (False, {"seconds"})
    agent.close()
    function.close()


def test_an_evaluation_of_ones_own_has_a_process_too(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import os\ndef worth(position):\n"
        "    return os._exit(7) if position.ply > 3 else float(position.theirs.bit_count())\n",
        encoding="utf-8",
    )
    result = play_match(f"minimax:depth=1,eval={file}:worth", "random", games=1)
    assert result.forfeits[0] == {"ended its process: exit status 7": 1}


def test_processes_end_with_their_agent() -> None:
    agent = make_agent(bot("stalls"))
    assert isinstance(agent, ProcessAgent)
    agent.reset()
    process = agent.process
    assert process is not None
    agent.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    agent.close()
    # It serves again after all.
    assert agent.choose(Position(), Limit(), rng()).column == 0
    agent.close()


def test_threads_that_share_a_process_wait_for_each_other() -> None:
    agent = make_agent(bot("searches", "Telling"))
    position = Position.from_moves("44")
    alone = [agent.choose(position, Limit(), rng(seed)).column for seed in range(40)]
    found: dict[int, int] = {}

    def ask(seeds: range) -> None:
        for seed in seeds:
            found[seed] = agent.choose(position, Limit(), rng(seed)).column

    threads = [threading.Thread(target=ask, args=(range(k, 40, 4),)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    agent.close()
    assert [found[seed] for seed in range(40)] == alone


@pytest.mark.parametrize("spec", [bot("first"), bot("searches", "Telling")])
def test_one_whose_process_has_ended_between_two_moves_plays_on_in_another(spec: str) -> None:
    there, here = make_agent(spec), in_process(spec)
    assert isinstance(there, ProcessAgent)
    generators = rng(3), rng(3)
    there.reset()
    for move in range(6):
        process = there.process
        assert process is not None
        if move > 3:
            os.kill(process, signal.SIGKILL)
            os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
        one, other = (
            agent.choose(Position(), Limit(), generator).column
            for agent, generator in zip((there, here), generators, strict=True)
        )
        assert one == other or move > 3  # a new process draws from the start
        assert (there.process == process) == (move <= 3)
    there.close()


@pytest.mark.parametrize("moves", [1, 5])
def test_that_holds_of_one_that_has_forked(moves: int) -> None:
    """The fork lives and has the pipes open, so its parent's end is not visible."""
    agent = make_agent(bot("doubles"))
    assert isinstance(agent, ProcessAgent)
    agent.reset()
    for _ in range(moves):
        assert agent.choose(Position(), Limit(), rng()).column == 0
    process = agent.process
    assert process is not None
    os.kill(process, signal.SIGKILL)
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    assert agent.choose(Position(), Limit(), rng()).column == 0
    assert agent.process != process
    agent.close()
