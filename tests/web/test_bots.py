"""Bots of the command line: `claimeven serve my_bot.py`, over HTTP and in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from claimeven.agents.options import InvalidSpec
from claimeven.cli import serve
from claimeven.web.settings import InvalidSettings, ServerSettings, check_allowed
from tests.browser import watched
from tests.cli.conftest import Run, bad_input
from tests.web.conftest import Server, running
from tests.web.pages import assert_accessible, drop, moves_of, shows, status

FINE = """
from claimeven import Decision

def agent(position):
    values = [None if position.cell(c, 5) is not None else c / 8 for c in range(7)]
    details = {"values": values, "note": "x"}
    return Decision(position.legal_columns[-1], value=-0.25, details=details)
"""
CRASHING = """
def divide(position):
    return 1 / (position.ply - 1)

def agent(position):
    divide(position)
    return 0
"""
#: Files by name, and their bots on the command line.
FILES = {
    "fine.py": FINE,
    "bad.py": CRASHING,
    "syntax.py": "def agent(position:\n    return 0\n",
    "nothing.py": "x = 3\n",
    "full.py": "def agent(position):\n    return 6\n",
    "slow.py": "def agent(position):\n    while True:\n        pass\n",
    "other.py": "def agent(position):\n    return 0\n",
    "search.py": (
        "from claimeven import Agent, Decision\n\n"
        "def agent(position):\n    yield position\n    for column in position.legal_columns:\n"
        "        yield position.play(column), (column + 1) / 4, 'a leaf'\n"
        "    yield position, 1\n    return 3\n\n"
        "def rows(board):\n    yield board\n    board = board.copy()\n    board[-1, 0] = 1\n"
        "    yield board\n    return 0\n\n"
        "def crash(position):\n    yield '2'\n    raise ValueError('on purpose')\n\n"
        "def early(position):\n    yield '22'\n    return 0\n\n"
        "def other(position):\n    return 0\n\n"
        "class Told(Agent):\n    def choose(self, position, limit, rng):\n"
        "        return Decision(0)\n    def trace(self, position, limit, rng):\n"
        "        yield 'depth 3: 0.5'\n        yield '12 - good'\n"
    ),
    "state.py": (
        "from claimeven import Agent, Decision\n\nclass Bot(Agent):\n    count = 0\n"
        "    def __init__(self, column: int = 0):\n        self.column = column\n"
        "    def choose(self, position, limit, rng):\n        Bot.count += 1\n"
        "        return Decision(self.column, details={'count': Bot.count})\n"
    ),
}
SEARCHES = [f"search.py:{name}" for name in ("rows,shape=rows", "crash", "early", "other", "Told")]
BOTS = [name for name in FILES if name not in ("other.py", "state.py")]
BOTS += ["state.py:Bot,column=2", *SEARCHES]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bots")


@pytest.fixture(scope="module")
def bots(folder: Path) -> Iterator[Server]:
    """A server with bots."""
    for name, code in FILES.items():
        (folder / name).write_text(code, encoding="utf-8")
    specs = [str(folder / name) for name in BOTS]
    with running(*specs, "--workers", "2", "--seconds", "0.6") as server:
        yield server


def test_a_bot_moves_and_reports_all_it_says(bots: Server, folder: Path) -> None:
    spec = str(folder / "fine.py")
    answer = bots.post("/api/move", {"agent": spec, "moves": "777777"}).json
    assert (answer["agent"], answer["column"], answer["value"]) == (spec, 6, -0.25)
    assert answer["details"] == {"values": [0, 0.125, 0.25, 0.375, 0.5, 0.625, None], "note": "x"}
    assert answer["seconds"] > 0
    assert bots.post(f"/play?agent={spec}", {"moves": "7"}).json == {"column": 7}
    assert bots.status()["bots"] == [str(folder / name) for name in BOTS]


def test_faults_come_with_their_kind_and_the_authors_line(bots: Server, folder: Path) -> None:
    def fault(name: str, moves: str = "4") -> dict[str, Any]:
        answer = bots.post("/api/move", {"agent": str(folder / name), "moves": moves})
        assert answer.status == 422
        data: dict[str, Any] = answer.json
        assert list(data) == ["error", "kind", "traceback"]
        return data

    crash = fault("bad.py")
    assert (crash["error"], crash["kind"]) == (
        "raised ZeroDivisionError: division by zero",
        "crash",
    )
    line = CRASHING.splitlines().index("    return 1 / (position.ply - 1)") + 1
    assert f'bad.py", line {line}, in divide' in crash["traceback"]
    assert "claimeven" not in crash["traceback"]
    full = fault("full.py", "777777")
    assert full["kind"] == "illegal"
    assert full["error"].startswith("returned column 6 (counted from 0), which is full")
    slow = fault("slow.py")
    assert slow["kind"] == "stall"
    assert slow["error"] == "took over 0.25 s more than the 0.6 s it had for a move"
    syntax = fault("syntax.py")
    assert syntax["kind"] is None
    assert "syntax.py cannot be loaded: SyntaxError" in syntax["error"]
    assert "def agent(position:" in syntax["traceback"]
    assert fault("nothing.py")["error"].endswith("nothing.py defines no function to play with")
    bundled = bots.post("/api/move", {"agent": "greedy", "moves": "44", "limit": {"seconds": 0.1}})
    assert bundled.status == 200  # the server continues


def test_a_changed_file_is_read_again(bots: Server, folder: Path) -> None:
    path, spec = folder / "bad.py", str(folder / "bad.py")
    asked = {"agent": spec, "moves": "4"}
    for code, column in (
        ("import other\n\ndef agent(position):\n    return other.agent(position) + 2\n", 3),
        ("def agent(observation, configuration):\n    return 4  # another signature\n", 5),
    ):
        path.write_text(code, encoding="utf-8")
        assert bots.post("/api/move", asked).json["column"] == column
    path.unlink()
    assert "there is no file" in bots.post("/api/move", asked).json["error"]
    path.write_text("import other\n\nagent = other.agent\n", encoding="utf-8")
    assert bots.post("/api/move", asked).json["column"] == 1
    (folder / "other.py").write_text("def agent(position):\n    return 5\n", encoding="utf-8")
    assert bots.post("/api/move", asked).json["column"] == 6  # a file that it imports
    path.write_text(CRASHING, encoding="utf-8")


def test_one_process_plays_all_moves(bots: Server, folder: Path) -> None:
    asked = {"agent": f"{folder / 'state.py'}:Bot,column=2"}
    counts = [bots.post("/api/move", asked).json["details"]["count"] for _ in range(3)]
    assert counts == [1, 2, 3]


def steps_of(bots: Server, spec: object, **query: object) -> list[dict[str, Any]]:
    """The steps of a bot's search on a small board."""
    asked = {"board": "4x4", "connect": 3, "agent": spec, **query}
    answer = bots.get("/api/search/minimax", **asked).json
    assert (answer["agent"], answer["algorithm"]) == (str(spec), "own")
    steps: list[dict[str, Any]] = answer["steps"]
    assert [step["step"] for step in steps] == list(range(len(steps)))
    assert answer["total_steps"] == len(steps)
    assert answer["counters"]["nodes"] == len({step["moves"] for step in steps})
    return steps


def test_a_search_that_yields_is_watched(bots: Server, folder: Path) -> None:
    spec = folder / "search.py"
    steps = steps_of(bots, spec, moves="1")
    assert [(step["kind"], step["moves"], step["value"], step["reason"]) for step in steps] == [
        ("enter", "", None, ""),
        *(("return", column, int(column) / 4, "a leaf") for column in "1234"),
        ("return", "", 1.0, ""),
    ]
    assert (
        bots.post("/api/move", {"agent": str(spec), "board": "4x4", "connect": 3}).json["column"]
        == 4
    )
    rows = steps_of(bots, f"{spec}:rows,shape=rows")
    assert [(step["kind"], step["moves"]) for step in rows] == [("enter", ""), ("enter", "1")]
    late = steps_of(bots, f"{spec}:crash")[-1]
    assert (late["moves"], late["reason"]) == ("2", "raised ValueError: on purpose")
    lines = steps_of(bots, f"{spec}:Told")
    assert [step["reason"] for step in lines] == ["depth 3: 0.5", "good"]
    assert [step["moves"] for step in lines] == ["", "12"]
    for name, sentence in (
        ("early", "showed Position.from_fen("),
        ("other", "shows no steps: its function must yield positions"),
    ):
        answer = bots.get("/api/search/minimax", agent=f"{spec}:{name}")
        assert sentence in answer.json["error"]


def test_only_the_given_specs_may_be_named(bots: Server, folder: Path) -> None:
    for spec in (
        str(folder / "other.py"), f"{folder / 'fine.py'}:agent", f"{folder / 'state.py'}:Bot",
        f"{folder / 'fine.py'}@seconds=9", f"kaggle:{folder / 'fine.py'}", "fine.py",
        f"alphabeta:eval={folder / 'fine.py'}:agent", f"{folder}/./fine.py",
    ):  # fmt: skip
        answer = bots.post("/api/move", {"agent": spec})
        assert answer.status == 422
        assert "this server" in answer.error or "a server" in answer.error
        assert bots.get("/api/search/minimax", agent=spec).status == 422
    with pytest.raises(InvalidSpec, match="only bundled agents"):
        check_allowed("fine.py", ServerSettings(workers=1))
    assert check_allowed(" fine.py ", ServerSettings(workers=1, bots=("fine.py",))) == "fine.py"


@pytest.mark.parametrize(
    "given", [{"host": "0.0.0.0"}, {"hosts": ("lab",)}, {"root_urls": ("https://a.org",)}]
)
def test_bots_are_only_for_this_machine(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettings, match=r"a\.py runs its code on this machine, so only"):
        ServerSettings(workers=1, bots=("a.py",), **given)
    for host in ("localhost", "127.0.0.5", "::1"):
        ServerSettings(workers=1, bots=("a.py",), host=host)


def test_invalid_bots_are_reported(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_bot.py").write_text("def agent(position):\n    return 0\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    for words, sentence in (
        (["missing.py"], "there is no file missing.py"),
        (["."], ". is a folder, not a file: name the file in it, my_bot.py"),
        (["my_bot"], "there is no agent 'my_bot': for the file give my_bot.py"),
        (["notes.txt"], "notes.txt: a Python file ends in .py; rename it"),
        (["uct"], "BOT must have its own code, such as my_bot.py, got uct"),
        (["http://localhost:1/play"], "BOT must have its own code, such as my_bot.py, got http"),
        (["my_bot.py", "--host", "0.0.0.0"], "my_bot.py runs its code on this machine, so only"),
        (["my_bot.py", "--allow-host", "lab"], "my_bot.py runs its code on this machine, so only"),
    ):
        assert bad_input(run("serve", "--port", "0", *words)).startswith(sentence)
    for spec in (
        " my_bot.py", "my_bot.py:agent@seconds=1", "kaggle:my_bot.py", "my_bot:agent",
        "alphabeta:eval=my_bot.py:agent,depth=2",
    ):  # fmt: skip
        assert serve._checked_bot(spec) == spec.strip()
    assert capfd.readouterr().err == ""
    (tmp_path / "my_bot.py").write_text(FILES["syntax.py"], encoding="utf-8")
    assert serve._checked_bot("my_bot.py:agent") == "my_bot.py:agent"
    assert capfd.readouterr().err == (
        "claimeven: my_bot.py cannot be loaded: SyntaxError: '(' was never closed (my_bot.py, line"
        " 1)\n"
    )


def test_a_bot_is_played_and_mended_in_the_page(bots: Server, folder: Path, browser: Any) -> None:
    context = browser.new_context(base_url=bots.url, reduced_motion="reduce", bypass_csp=True)
    tab = context.new_page()
    path = folder / "bad.py"
    fine, bad = str(folder / "fine.py"), str(path)
    with watched(tab, bots.url):
        tab.goto(f"/?first=human&second={fine}")
        drop(tab, 4)
        shows(tab, "47")
        assert tab.inner_text(".bot").startswith("Your bot")
        assert "fine.py played column 7" in tab.inner_text(".bot")
        assert "value -0.25" in tab.inner_text(".bot")
        assert tab.inner_text(".bot-values tr.chosen").split() == ["7", "0.750"]
        assert "note: x" in tab.inner_text(".bot")
        path.write_text("def agent(position):\n    return 4\n", encoding="utf-8")
        tab.goto("/")  # the first two bots play each other
        tab.wait_for_function("() => document.querySelector('.moves').dataset.moves.length > 3")
        assert moves_of(tab).startswith("7575")
        path.write_text(CRASHING, encoding="utf-8")
        tab.goto(f"/?first=human&second={folder / 'search.py'}")
        tab.click("text=Watch the search of search.py")
        tab.wait_for_selector(".step-words:has-text('Visit the root')")
        tab.click("[aria-label='Last step']")
        assert tab.inner_text(".step-words").startswith("The root is worth 1")
        nodes = tab.locator(".search-tree .node title").all_text_contents()
        assert nodes == ["root 1", *(f"column {c} {int(c) / 4:g}" for c in "1234567")]
    tab.goto(f"/?first=human&second={bad}")
    drop(tab, 4)
    tab.wait_for_selector(".bot .problem:has-text('division by zero')")
    assert status(tab) == "bad.py raised ZeroDivisionError: division by zero."
    assert "in divide" in tab.inner_text(".bot pre")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert_accessible(tab, axe)
    path.write_text("def agent(position):\n    return 2\n", encoding="utf-8")
    tab.click("text=Reload and move again")
    shows(tab, "43")
    assert tab.locator(".bot pre").is_hidden()
    path.write_text("def agent(position):\n    return 1\n", encoding="utf-8")
    tab.click("text=Reload and move again")
    shows(tab, "42")
    path.write_text(CRASHING, encoding="utf-8")
    context.close()


def test_the_search_of_a_bot_is_watched_in_the_page(
    bots: Server, folder: Path, browser: Any
) -> None:
    page = browser.new_page(base_url=bots.url, reduced_motion="reduce")
    with watched(page, bots.url):
        page.goto(f"/?view=search&agent={folder / 'search.py'}&on=7x6,4")
        leaves = ("Column 1 is worth 0.25: a leaf.", "Column 2 is worth 0.5: a leaf.")
        for words in ("Visit the root.", *leaves):
            page.wait_for_selector(f".step-words:has-text('{words}')")
            page.click("[aria-label='Step on']")
        page.wait_for_url("**search.py&on=7x6,4&step=4")
        assert page.locator(".node").count() == 8
        assert page.locator(".level").count() == 0
        page.keyboard.press("End")
        page.wait_for_selector(".step-words:has-text('The root is worth 1.')")
        page.select_option(".search-view select >> nth=0", str(folder / "search.py:Told"))
        page.click(".search-view form button")
        page.wait_for_selector(".step-words:has-text('The root: depth 3: 0.5')")
        page.select_option(".search-view select >> nth=0", str(folder / "search.py:crash"))
        page.click(".search-view form button")  # the root is shown without a visit
        page.wait_for_selector(".node.here >> nth=1")
    page.close()
