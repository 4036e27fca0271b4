"""The solver for other pages: the documented example runs with the documented files."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from claimeven import Position, Solver
from tests.browser import watched
from tests.docs.examples import ROOT, blocks_of
from tests.web.static_server import serving

BLOCKS = {block.title: block.lines for block in blocks_of(ROOT / "docs/javascript.md")}


@pytest.fixture(scope="module")
def folder(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example and the documented files only."""
    folder = tmp_path_factory.mktemp("folder")
    for name in BLOCKS["files"]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(site / name, folder / name)
    (folder / "exact.html").write_text("\n".join(BLOCKS["exact.html"]), encoding="utf-8")
    (folder / "blank.html").write_text("<!doctype html><title>-</title>", encoding="utf-8")
    return folder


def test_the_example_shows_its_output(browser: Any, folder: Path) -> None:
    tab = browser.new_page()
    with serving(folder, "sub/folder") as url, watched(tab, url):
        tab.goto(f"{url}exact.html")
        tab.wait_for_function("() => output.textContent.startsWith('score')", timeout=60_000)
        assert tab.inner_text("#output") == "\n".join(BLOCKS["output"])
    tab.close()


def test_the_interface_of_pages(browser: Any, folder: Path) -> None:
    tab = browser.new_page()
    with serving(folder) as url:
        tab.goto(f"{url}blank.html")
        found = tab.evaluate(
            """async () => {
              const { Solver } = await import("./static/local/claimeven.js");
              const fails = (promise) => promise.then(() => "no error", ({ message }) => message);
              const base = new URL("static/local/", location.href);
              const solver = await Solver.load({ base, megabytes: 4 });
              const control = new AbortController();
              const aborted = fails(solver.scores("44455", control.signal));
              control.abort(new Error("enough"));
              const small = await Solver.load({ board: "5x4", connect: 3, seconds: 20 });
              const quick = await Solver.load({ board: "8x7", seconds: 0.05 });
              return {
                scores: await Promise.all(["", "44", "445566", "1212121"]
                  .map((moves) => solver.score(moves))),
                columns: await solver.scores("444444"),
                best: await Promise.all(["", "12", "4455"].map((moves) => solver.bestMove(moves))),
                small: await small.scores("33"),
                invalid: await fails(solver.score("449")),
                over: await fails(solver.bestMove("1212121")),
                late: await fails(quick.scores("")),
                large: await fails(Solver.load({ board: "9x9" })),
                missing: await fails(Solver.load({ base: "./nowhere/" })),
                aborted: await aborted,
                closed: (solver.close(), quick.close(), small.close(), true),
              };
            }"""
        )
    tab.close()
    with_book = Solver(table_mb=8)
    positions = {
        moves: Position.from_moves(moves) for moves in ("", "12", "44", "445566", "444444")
    }
    assert found["scores"][:3] == [with_book.score(positions[m]) for m in ("", "44", "445566")]
    assert found["scores"][3] == -18
    assert found["columns"] == list(with_book.scores(positions["444444"]))
    assert found["best"] == [4, with_book.best_columns(positions["12"])[0] + 1, 3]
    assert len(found["small"]) == 5
    sentences = {
        "invalid": "A column must be 1 to 7, got “9”.",
        "over": "The game is over here: Yellow wins.",
        "late": "The position was not solved within the time limit.",
        "large": "This board is too large for exact scores:",
        "missing": "The part of the page that computes has stopped:",
        "aborted": "enough",
    }
    for name, sentence in sentences.items():
        assert found[name].startswith(sentence), found[name]
