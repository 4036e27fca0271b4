"""Agents as engines by UGI: their answers to each line, and games."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from claimeven import Decision, Geometry, Limit, Position
from claimeven.adapters import ugi
from claimeven.adapters.ugi import UgiEngine, serve
from claimeven.adapters.ugi_codec import info_of, limit_of
from claimeven.agents import AGENTS, Agent, InvalidSpec, make_agent
from claimeven.arena import play_match
from tests import forks
from tests.cli.conftest import command, environment

OURS = "ugi:" + " ".join([sys.executable, "-m", "claimeven", "ugi"])
DEADLINE = 60


def said(*lines: str, spec: str = "greedy:win=yes", geometry: Geometry | None = None) -> list[str]:
    """The answers of an engine to some lines."""
    output: list[str] = []
    engine = UgiEngine(spec, output.append, geometry=geometry)
    serve(engine, io.StringIO("".join(line + "\n" for line in lines)))
    return output


def test_an_engine_prints_its_name_and_options() -> None:
    output = said("ugi", spec="alphabeta:depth=3,eval=streaks")
    assert output[0] == "id name claimeven alphabeta:depth=3,eval=streaks"
    assert output[1].startswith("id author ")
    assert output[-1] == "ugiok"
    assert "option name Columns type spin default 7 min 1 max 16" in output
    assert "option name depth type string default 3" in output
    assert "option name eval type string default streaks" in output
    assert "option name order type combo default center var center var left" in output
    names = [line.split()[2] for line in output[2:-1]]
    own = [option.name for option in AGENTS["alphabeta"].options]
    assert names == ["Columns", "Rows", "Connect", "Seed", "Notation", *own]


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("position startpos", ["true", "false", "none", "7/7/7/7/7/7 r 1"]),
        ("position startpos moves d", ["false", "false", "none", "7/7/7/7/7/3r3 y 1"]),
        ("position fen 7/7/7/7/7/3r3 y 1 moves 4 c", ["false", "false", "none", None]),
        ("position startpos moves a b a b a b a", ["false", "true", "p1win", None]),
        ("position startpos moves 1 2 1 2 1 2 7 2", ["true", "true", "p2win", None]),
        ("position startpos moves h", ["none"] * 4),
        ("position fen 7/7 r", ["none"] * 4),
    ],
)
def test_queries_are_answered(line: str, answers: list[str | None]) -> None:
    what = ("p1turn", "gameover", "result", "fen")
    output = [t for t in said(line, *(f"query {w}" for w in what)) if not t.startswith("info")]
    for found, answer in zip(output, answers, strict=True):
        assert answer is None or found == f"response {answer}"


def test_legal_moves_and_a_drawn_board() -> None:
    small = Geometry(2, 2, 3)
    output = said("position startpos moves a a b", "query islegal a", "query islegal b",
                "position startpos moves a a b b", "query result", geometry=small)  # fmt: skip
    assert output == ["response false", "response true", "response draw"]


def test_a_move_is_answered_in_the_notation_of_the_other_side() -> None:
    for moves, winning in (("d c d c d c", "d"), ("4 3 4 3 4 3", "4")):
        output = said(f"position startpos moves {moves}", "go depth 1")
        assert output[-1] == f"bestmove {winning}"
        assert output[-2].startswith("info depth 1 nodes 7 time ")
        assert output[-2].endswith(f"pv {winning}")
    output = said(
        "setoption name notation value digits", "position startpos moves d c d c d c", "go"
    )
    assert output[-1] == "bestmove 4"
    assert said("go")[-1].removeprefix("bestmove ").isalpha()


def test_scores_are_reported_as_plies_to_the_end() -> None:
    output = said("position startpos moves d d e e", "go", spec="perfect:table_mb=1")
    assert "score mate 3 " in output[-2]
    output = said("position startpos moves d d e e f", "go", spec="perfect:table_mb=1")
    assert "score mate -2 " in output[-2]


def test_limits_go_to_the_agent() -> None:
    output = said("go nodes 70", spec="uct")
    assert " nodes 70 " in output[-2]
    output = said("go nodes 700 depth 2", spec="alphabeta")
    assert output[-2].startswith("info depth ")
    output = said("go depth 5 movetime 20", spec="uct")
    assert "info string uct knows no limit of depth: it is left free" in output
    output = said("go movetime 0.5 depth", spec="alphabeta:depth=2")
    assert output[:2] == [
        f"info string no whole number follows {word}: it is left free"
        for word in ("movetime", "depth")
    ]
    assert output[-1].startswith("bestmove ")
    for clock in ("p1time 300 p2time 9 p1inc 10 p2inc 0", "wtime 300 btime 9"):
        assert said(f"go {clock}", spec="uct")[-1].startswith("bestmove ")


@pytest.mark.parametrize(
    ("spec", "words", "limit"),
    [
        # A fifteenth of the time left and four fifths of the increment, without 10 ms for the talk.
        ("uct", "p1time 30000 p2time 60000 p1inc 1000 p2inc 2000", Limit(seconds=2.79)),
        ("uct", "wtime 30000 btime 60000", Limit(seconds=1.99)),
        # At most half of the time left, and always some.
        ("uct", "p1time 1000 p1inc 5000", Limit(seconds=0.49)),
        ("uct", "p1time 0", Limit(seconds=0.001)),
        ("uct", "p1time -5", Limit(seconds=0.001)),
        ("uct", "movetime 250", Limit(seconds=0.24)),
        ("uct", "movetime 3", Limit(seconds=0.001)),
        ("uct", "p1time 30000 movetime 250", Limit(seconds=0.24)),
        ("uct", "p2time 30000", Limit()),
        ("uct", "nodes 70", Limit(iterations=70)),
        ("uct", "nodes 3000000000", Limit(iterations=2**31 - 1)),
        ("puct", "iterations 3000000000", Limit(iterations=2**31 - 1)),
        ("alphabeta", "nodes 70", Limit(nodes=70)),
        ("alphabeta", "depth 0", Limit(depth=1)),
        ("alphabeta", "nodes 99999999999999999999", Limit(nodes=10**12)),
        ("greedy", "nodes 70 depth 3", Limit(nodes=70, depth=3)),
    ],
)
def test_limits_are_read(spec: str, words: str, limit: Limit) -> None:
    found, is_endless, _ = limit_of(words.split(), make_agent(spec), Position())
    assert found.seconds == pytest.approx(limit.seconds)
    assert replace(found, seconds=limit.seconds) == limit and not is_endless


def test_the_clock_of_the_side_to_move_counts() -> None:
    words = ["p1time", "30000", "p2time", "60000", "p1inc", "1000", "p2inc", "2000"]
    found, _, _ = limit_of(words, make_agent("uct"), Position.from_moves("4"))
    assert found.seconds == pytest.approx(60 / 15 + 0.8 * 2 - 0.01)


def test_decisions_are_printed_as_engine_info() -> None:
    start = Position()
    found = Decision(3, value=-0.25, depth=4, nodes=500, details={"line": [3, 2]})
    line = "info depth 4 score cp -25 nodes 500 time 2000 nps 250 pv"
    assert info_of(found, start, 2.0, letters=True) == f"{line} d c"
    assert info_of(found, start, 2.0, letters=False) == f"{line} 4 3"
    drawn = info_of(Decision(0, score=0), start, 0.0, letters=True)
    assert drawn == "info score cp 0 nodes 0 time 0 nps 0 pv a"
    assert " nodes 7 " in info_of(Decision(0, iterations=7), start, 1.0, letters=True)


def test_an_invalid_move_is_reported_by_its_number() -> None:
    output = said("position startpos moves d 4 x d")
    assert len(output) == 1 and output[0].startswith("info string move 3: ")


def test_the_notation_lasts_until_another_is_read() -> None:
    output = said(
        "position startpos moves 4", "position startpos", "go", "position startpos moves d", "go"
    )
    moves = [line.split()[1] for line in output if line.startswith("bestmove")]
    assert moves[0].isdigit() and moves[1].isalpha()


def test_the_last_position_line_counts() -> None:
    start, played = "response 7/7/7/7/7/7 r 1", "response 7/7/7/7/7/3r3 y 1"
    moves = "position startpos moves d"
    assert said(moves, "uginewgame", "query fen") == [start]
    assert said(moves, "setoption name Rows value 6", "query fen") == [played]
    assert said(moves, "setoption name Rows value 5", "query fen") == ["response 7/7/7/7/7 r 1"]
    assert said("setoption name Rows value 5", "setoption name Columns value 4", "query fen") == [
        "response 4/4/4/4/4 r 1"
    ]


def test_lines_that_say_too_much_or_too_little() -> None:
    output = said("query islegal", "x" * 500, "quit", "ugi")
    assert output[:2] == [
        "info string query takes p1turn, gameover, result, fen or islegal MOVE", "response none",
    ]  # fmt: skip
    assert len(output) == 3 and len(output[2]) < 100
    assert said("query islegal z") == ["response false"]


def test_seeds_have_bounds() -> None:
    for seed, refused in ((2**31 - 1, False), (2**31, True), (10**30, True)):
        output = said(f"setoption name Seed value {seed}")
        reason = f"Seed={seed} of the engine: Seed takes a whole number from 0 to 2,147,483,647"
        assert output == [f"info string {reason}"] * refused
    assert "option name Seed type spin default 123456 min 0 max 2147483647" in said(
        "setoption name Seed value 123456", "ugi"
    )


def test_an_option_set_after_a_search_holds_for_the_next() -> None:
    output = said("go", "setoption name depth value 3", "go", spec="alphabeta:depth=2")
    assert [line.split()[2] for line in output if line.startswith("info depth")] == ["2", "3"]


def test_options_are_declared_as_they_are_set() -> None:
    output = said("setoption name Notation value digits", "ugi", spec="greedy:win=yes,block=no")
    assert (
        "option name Notation type combo default digits var auto var letters var digits" in output
    )
    assert "option name win type check default true" in output
    assert "option name block type check default false" in output
    assert "option name playout_cutoff type spin default 5 min 0 max 1000" in said(
        "ugi", spec="uct:playout_cutoff=5"
    )


def test_options_change_the_agent_and_the_board() -> None:
    output = said(
        "setoption name Depth value 2", "setoption name Columns value 5", "isready", "query fen",
        "go", "setoption name depth value <empty>", "ugi", spec="alphabeta:depth=9",
    )  # fmt: skip
    assert output[:2] == ["readyok", "response 5/5/5/5/5/5 r 1"]
    assert output[2].startswith("info depth 2 ")
    assert "option name depth type string default <empty>" in output
    for line, sentence in (
        ("setoption name deph value 2", "(did you mean depth?): choose from Columns, Rows,"),
        ("setoption name depth value deep", "depth=deep of alphabeta: depth takes a whole number"),
        ("setoption name Rows value 99", "Rows takes a whole number from 1 to 16"),
        ("setoption name Seed value x", "Seed=x of the engine: Seed takes a whole number from 0"),
        ("setoption name Notation value x", "Notation takes auto, letters, digits"),
        ("setoption", "there is no option ''"),
    ):
        assert sentence in said(line, spec="alphabeta")[0]
    output = said(
        "setoption name Columns value 16", "setoption name Rows value 8", "isready", "go",
        spec="perfect:table_mb=1",
    )  # fmt: skip
    assert "connect 4 takes 144" in output[0]
    assert output[1] == "readyok"
    assert output[-1] == "bestmove none"


def test_the_name_is_printed_before_the_agent_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def make(spec: str, geometry: Geometry) -> Agent:
        made.append(spec)
        return make_agent(spec, geometry)

    monkeypatch.setattr(ugi, "make_agent", make)
    output: list[str] = []
    engine = UgiEngine("uct", output.append)
    engine.handle("ugi")
    assert output[-1] == "ugiok" and not made
    engine.handle("isready")
    assert output[-1] == "readyok" and made == ["uct"]
    engine.close()


def test_the_seed_decides() -> None:
    def game(seed: int) -> list[str]:
        lines = ["uginewgame", f"setoption name Seed value {seed}", *["go"] * 12]
        return [t for t in said(*lines, spec="random") if t.startswith("bestmove")]

    assert game(3) == game(3) != game(4)
    played = said("uginewgame", *["go"] * 9, "uginewgame", *["go"] * 9, spec="random")
    moves = [line for line in played if line.startswith("bestmove")]
    assert moves[:9] != moves[9:]


JUNK = "ug|position|position fen|go x y|setoption name|query|query x|stop|\x00|\ud800|xboard"
WORDS = (
    "ugi isready position startpos fen moves go depth nodes movetime infinite 7/7 d 4 -1 \u00e9"
    " 99999999999999999999 query setoption name value stop"
)


def test_it_survives_random_commands() -> None:
    rng = random.Random(5)
    lines = [" ".join(rng.choices(WORDS.split(), k=rng.randrange(1, 7))) for _ in range(300)]
    lines = [line for line in lines if not line.startswith("go") or "infinite" not in line]
    output = said(*JUNK.split("|"), *lines, "isready", "position startpos", "go depth 1")
    assert "readyok" in output
    assert output[-1].startswith("bestmove ")
    assert "info string unknown command 'ug' (did you mean ugi?)" in output
    assert all("\n" not in line and line.isprintable() for line in output)


def test_a_failing_agent_is_reported_and_plays_no_move() -> None:
    output = said("go", spec=f"{Path(__file__).parents[1] / 'agents' / 'bots' / 'full'}.py")
    assert output[-1].startswith("bestmove")
    output = said("position startpos moves 1 1 1 1 1 1", "go", spec=f"{bot('full')}")
    assert output[-1] == "bestmove none"
    assert "column 0 (counted from 0), which is full" in output[-2]
    with pytest.raises(InvalidSpec, match="did you mean greedy"):
        UgiEngine("gredy", print)
    with pytest.raises(InvalidSpec, match="human plays at a terminal or in the browser"):
        UgiEngine("human", print)


def test_an_invalid_option_is_reported_with_the_agent() -> None:
    output = said("setoption name eval value nowhere.py:x", "go", spec="alphabeta")
    assert any("alphabeta:eval=nowhere.py:x: there is no file" in line for line in output)


def bot(name: str) -> Path:
    return Path(__file__).parents[1] / "agents" / "bots" / f"{name}.py"


def test_a_game_that_is_over_has_no_move() -> None:
    output = said("position startpos moves a b a b a b a", "go")
    assert output == ["info string the game is over", "bestmove none"]
    assert said("position startpos moves z", "d")[-1] == "info string no position is set"


@contextmanager
def talking(*words: str) -> Iterator[subprocess.Popen[str]]:
    with forks.program(
        command("ugi", *words), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=environment(), bufsize=1,
    ) as program:  # fmt: skip
        watch = threading.Timer(DEADLINE, program.kill)
        watch.start()
        try:
            yield program
        finally:
            watch.cancel()
            program.kill()


def test_a_search_is_stopped_and_answers_while_it_searches() -> None:
    with talking("uct:iterations=1000000000") as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for search in ("go infinite", "go movetime 1000000", "go"):
            program.stdin.write(f"position startpos moves d\n{search}\nisready\n")
            lines = iter(program.stdout.readline, "")
            assert next(line for line in lines if not line.startswith("info depth")) == "readyok\n"
            program.stdin.write("stop\n")
            assert any(line.startswith("bestmove") for line in lines)
        program.stdin.write("go infinite\nquit\n")
        rest = program.stdout.read()
        assert rest.splitlines()[-1].startswith("bestmove ")
        assert program.wait(timeout=DEADLINE) == 0


class Deaf(Agent):
    """An agent that ignores the first interrupt, as Python does during a callback."""

    limits: frozenset[str] = frozenset()

    def __init__(self, started: Callable[[], object]) -> None:
        self.started = started
        self.interrupts = 0

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        is_new, begin = True, time.monotonic()
        while time.monotonic() < begin + DEADLINE:
            try:
                if is_new:
                    is_new = False
                    self.started()
                time.sleep(0.01)
            except KeyboardInterrupt:
                self.interrupts += 1
                if self.interrupts == 2:
                    raise
        return Decision(0)


@pytest.mark.parametrize("last", ["", "quit\n"])
def test_a_search_that_passed_a_stop_over_is_stopped_again(
    monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    """By itself after a while, and by no more than two interrupts."""
    output: list[str] = []
    ours, theirs = os.pipe()
    deaf = Deaf(lambda: os.write(theirs, f"stop\nstop\n{last}".encode()))
    monkeypatch.setattr(ugi, "make_agent", lambda spec, geometry: deaf)

    def write(line: str) -> None:
        output.append(line)
        os.close(theirs)

    with os.fdopen(ours) as lines:
        os.write(theirs, b"go\n")
        serve(UgiEngine("greedy", write), lines)
    assert deaf.interrupts == 2
    assert output == ["bestmove d"]


def test_a_stop_ends_the_search_that_was_asked_for_before_it() -> None:
    """A quick client sends the next `go`, and a `stop`, before the first answer is all written."""
    output: list[str] = []

    def write(line: str) -> None:
        output.append(line)
        if len([line for line in output if line.startswith("bestmove")]) == 1 and len(output) < 50:
            output.extend([""] * 50)
            reader = threading.Thread(target=lambda: [engine.note(line) for line in quick])
            reader.start()
            reader.join()

    quick = ["go infinite\n", "stop\n"]
    engine = UgiEngine("alphabeta", write)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    late = threading.Timer(DEADLINE / 2, lambda: engine.note("stop\n"))
    late.start()
    try:
        for line in ("go depth 2\n", quick[0]):
            if line != quick[0]:
                engine.note(line)
            engine.handle(line)
        assert late.is_alive()
        assert len([line for line in output if line.startswith("bestmove")]) == 2
    finally:
        late.cancel()
        signal.signal(signal.SIGINT, before)


def test_a_stop_is_of_all_searches_read_before_it() -> None:
    with talking("alphabeta") as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write("isready\ngo infinite\nstop\ngo infinite\nstop\n")
        program.stdin.write("go movetime 600000\ngo infinite\nstop\n")
        lines = iter(program.stdout.readline, "")
        for _ in range(4):
            assert any(line.startswith("bestmove ") for line in lines)
        program.stdin.write("quit\n")
        assert program.wait(timeout=DEADLINE) == 0


def test_the_seed_fixes_the_draws_of_a_class_at_the_start_of_a_game() -> None:
    output = said(
        *["setoption name Seed value 5", "uginewgame", "go"] * 3, spec=str(bot("shuffles"))
    )  # fmt: skip
    moves = [line for line in output if line.startswith("bestmove")]
    assert len(moves) == 3 and len(set(moves)) == 1


def test_a_stop_after_a_failed_search_ends_only_that_search(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def agent(position):\n    raise ValueError('boom')\n")
    with talking(str(tmp_path / "bad.py")) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write("isready\ngo\n")
        lines = iter(program.stdout.readline, "")
        assert any(line == "bestmove none\n" for line in lines)
        for _ in range(10):
            program.stdin.write("position startpos\ngo\nstop\n")
            assert any(line == "bestmove none\n" for line in lines)
        program.stdin.write("quit\n")
        assert program.wait(timeout=DEADLINE) == 0


def test_options_are_reset_to_none() -> None:
    output = said("setoption name model value", "setoption name depth value ", "setoption name",
                "setoption name depth value 3", spec="ntuple-alphabeta")  # fmt: skip
    assert len(output) == 1 and output[0].startswith("info string there is no option ''")


def test_a_search_with_a_limit_is_left_where_somebody_quits_or_is_gone() -> None:
    limited = "go depth 42\n"  # for ever, as far as anybody waits
    with talking("alphabeta") as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(f"isready\n{limited}")
        assert program.stdout.readline() == "readyok\n"
        time.sleep(0.1)
        program.stdin.write("quit\n")
        assert program.stdout.read().splitlines()[-1].startswith("bestmove ")
        assert program.wait(timeout=DEADLINE) == 0
    with talking("alphabeta") as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(f"isready\n{limited}")
        assert program.stdout.readline() == "readyok\n"
        program.stdin.close()
        program.stdout.close()
        program.wait(timeout=DEADLINE)
    # At the end of the lines it finishes.
    output = forks.run_program(
        command("ugi", "alphabeta"), input="go depth 4\n", env=environment(), text=True,
        capture_output=True, timeout=DEADLINE, check=True,
    ).stdout  # fmt: skip
    assert "info depth 4 " in output and output.splitlines()[-1].startswith("bestmove ")


def test_ours_against_ours_plays_as_without_the_protocol() -> None:
    spec = "alphabeta:depth=2"
    own = play_match(spec, "greedy", games=2, seed=3, start="44", limit=Limit(depth=2))
    talked = play_match(
        f"{OURS} {spec}", "greedy", games=2, seed=3, start="44", limit=Limit(depth=2)
    )
    assert [g.all_moves for g in talked.games] == [g.all_moves for g in own.games]
    assert not any(talked.forfeits)


def test_ours_on_another_board() -> None:
    small = Geometry(5, 4, 3)
    result = play_match(f"{OURS} greedy:win=yes", "random", games=2, geometry=small)
    assert not any(result.forfeits)
    assert Position.from_moves(result.games[0].all_moves, small).is_over
