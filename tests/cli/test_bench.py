"""`claimeven bench` on few positions; the whole result is compared with `agents.benchmark`."""

from __future__ import annotations

import json
import re

import pytest
from doctools.output import described_keys

from claimeven import __version__
from claimeven.agents import benchmark
from claimeven.cli import counts
from tests.cli.conftest import Run
from tests.cli.test_commands import WIDTH, widest
from tests.cli.test_reading_output import keys_of, page_of


@pytest.fixture(autouse=True)
def few_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "POSITIONS", {"25667344611614": -12, "445566": 18})
    monkeypatch.setattr(benchmark, "ITERATIONS", 50)


def test_the_table_ends_in_the_total(run: Run) -> None:
    data = json.loads(run("bench", "--json").out)
    result = run("bench")
    assert (result.status, result.err) == (0, "")
    assert widest(result.out) <= WIDTH
    lines = result.out.splitlines()
    assert lines[0].startswith("2 positions, claimeven ")
    assert f"claimeven {__version__}, " in lines[0]
    assert lines[-1] == counts.LEGEND
    rows = [line.split() for line in lines[lines.index("") + 2 : -2]]
    assert [row[0] for row in rows] == [*(row["search"] for row in data["searches"]), "total"]
    assert rows[-1][1] == f"{data['nodes']:,}"
    limits = [" ".join(row[1:-4]) for row in rows[:-1]]
    assert limits == [row["limit"] for row in data["searches"]]
    assert all(limits)
    for row in rows:
        nodes, seconds, rate = int(row[-4].replace(",", "")), float(row[-3]), float(row[-2])
        # A value rounded to hundredths is no more exact than this.
        assert nodes / (seconds + 0.005) / 1e6 <= rate + 0.005
        assert seconds < 0.01 or rate - 0.005 <= nodes / (seconds - 0.005) / 1e6


def test_json_adds_up(run: Run) -> None:
    data = json.loads(run("bench", "--json").out)
    assert (data["version"], data["positions"]) == (__version__, 2)
    assert all(row["nodes"] > 0 for row in data["searches"])
    for key in ("nodes", "seconds"):
        assert data[key] == pytest.approx(sum(row[key] for row in data["searches"]))
    for totals in (data, *data["searches"]):
        assert totals["nodes_per_second"] == pytest.approx(totals["nodes"] / totals["seconds"])


def test_every_word_of_it_is_explained(run: Run) -> None:
    page = page_of("bench")
    assert set(keys_of(json.loads(run("bench", "--json").out))) <= described_keys("bench")
    for heading in ("search", "a position", "nodes", "seconds", "nodes/s"):
        assert re.search(rf"^\| `?{heading}`?[; ]", page, re.MULTILINE), heading
