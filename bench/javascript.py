"""Speed of the solver in Chromium, next to the native one: `python -m bench.javascript`.

Both solve the sets of `bench/positions` with one thread, a table of 64 MB and no book. The script
asserts every score, and that both visit the same nodes. Then it measures the time from the start of
a worker to the first exact scores, and the bytes of the files. Needs Chromium and the extra
test-all.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.browser import launched
from tests.web.static_server import serving

from bench.sets import OWN_POSITIONS, SIGNATURE_MB, SIGNATURES
from bench.timing import machine, percentiles
from claimeven import Position, Solver, atomic_io
from claimeven.web.site import write_site

#: Number of starts of a worker, and a position of 16 discs.
STARTS, FIRST = 20, "4444413226712433"
#: Scripts of a page that only needs scores; docs/javascript.md lists them too.
SCRIPTS: tuple[str, ...] = (
    "claimeven",
    "client",
    "worker",
    "score_routes",
    "solver",
    "book",
    "kernels",
)
SCRIPTS += ("positions", "slots", "../rules", "../words")
_SOLVE = """async ({ moves, settings }) => {
  const { Client } = await import("./static/local/client.js");
  const client = new Client(new URL(`static/local/worker.js?${settings}`, location.href));
  await client.request("api/load", {});
  await client.request("api/book", {}); // which is missing
  const answers = [];
  const start = performance.now();
  for (const each of moves) answers.push(await client.request("api/score", { moves: each }));
  const milliseconds = performance.now() - start;
  client.close();
  const nodes = answers.reduce((sum, answer) => sum + answer.nodes, 0);
  return { milliseconds, nodes, scores: answers.map(({ score }) => score) };
}"""
_FIRST = """async (moves) => {
  const start = performance.now();
  const { Solver } = await import("./static/local/claimeven.js");
  const solver = await Solver.load();
  await solver.scores(moves);
  const milliseconds = performance.now() - start;
  solver.close();
  return milliseconds;
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("--sets", nargs="*", default=list(SIGNATURES), metavar="NAME")
    options = parser.parse_args()
    print(machine())
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - not among the tests' packages

    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = Path(made)
        write_site(folder)
        (folder / "blank.html").write_text("<!doctype html><title>-</title>", encoding="utf-8")
        browser = launched(playwright)
        changed: dict[str, bytes | None] = {"data/7x6.book": None}
        with serving(folder, changed=changed) as url:
            page = browser.new_page()
            page.goto(f"{url}blank.html")
            for name in options.sets:
                _compare(page, name)
            del changed["data/7x6.book"]
            _first_scores(browser, url)
        browser.close()
        _sizes(folder)


def _compare(page: Any, name: str) -> None:
    rows = [line.split() for line in (OWN_POSITIONS / f"{name}.txt").read_text().splitlines()]
    asked = {"moves": [moves for moves, _ in rows], "settings": f"megabytes={SIGNATURE_MB}"}
    found = page.evaluate(_SOLVE, asked)
    assert found["scores"] == [int(score) for _, score in rows]
    solver = Solver(table_mb=SIGNATURE_MB, book=None)
    solver.load()
    start = time.perf_counter()
    for moves, score in rows:
        assert solver.score(Position.from_moves(moves)) == int(score)
    native = 1000 * (time.perf_counter() - start)
    assert found["nodes"] == solver.statistics.nodes
    both = [milliseconds / len(rows) for milliseconds in (found["milliseconds"], native)]
    print(f"  {name}, {len(rows)}: {both[0]:.2f} ms a position in Chromium, {both[1]:.2f} native")


def _first_scores(browser: Any, url: str) -> None:
    times = []
    for _ in range(STARTS):
        page = browser.new_page()
        page.goto(f"{url}blank.html")
        times.append(page.evaluate(_FIRST, FIRST) / 1000)
        page.close()
    print(f"  start to the first scores: {percentiles(times)}")


def _sizes(folder: Path) -> None:
    local = folder / "static" / "local"
    parts = {
        "scripts": [local / f"{name}.js" for name in SCRIPTS],
        "solver.wasm": [local / "solver.wasm"],
        "7x6.book": [folder / "data" / "7x6.book"],
    }
    for name, paths in parts.items():
        contents = [path.read_bytes() for path in paths]
        packed = sum(len(atomic_io.packed(content)) for content in contents)
        print(f"  {name}: {sum(map(len, contents)):,} bytes, {packed:,} compressed")


if __name__ == "__main__":
    main()
