"""The pages on the published players agree with the recordings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.originals.positions import load

DOCS = Path(__file__).parents[2] / "docs"
PAGES = (DOCS / "classics.md", DOCS / "research" / "originals.md")
TEXT = re.sub(r"\s+", " ", " ".join(page.read_text("utf-8") for page in PAGES))

POLITO, LUND, AIFOUR, ITU = (load(name) for name in ("polito", "lund", "aifour", "itu"))


def differing(one: list[Any], other: list[Any]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def columns(rows: list[list[Any]]) -> list[Any]:
    return [row[0] for row in rows]


def test_figures_of_the_errors() -> None:
    printed, text = POLITO["printed"], POLITO["text"]
    seen, there = ([[n > 0 for n in f] for f in which["four"]] for which in (printed, text))
    values = text["evaluation"]
    late = [i for i, moves in enumerate(load("positions")["going_on"]) if len(moves) >= 2]
    policies = [[which["policy"][i] for i in late] for which in (printed, text)]
    few = [i for i in late if i < 300]
    calls = [sum(POLITO[w]["alphabeta"][i][2] for i in few) for w in ("printed", "cut")]
    through = list(zip(AIFOUR["printed"]["evaluation"], AIFOUR["text"]["evaluation"], strict=True))
    signs = sum((a > 0) - (a < 0) != (b > 0) - (b < 0) for a, b in through)
    lines = AIFOUR["text"]["negamax"]
    expected = (
        f"counts differ on {differing(printed['counts'], text['counts'])} of 1,000 positions; "
        f"{differing(seen, there)} of 1,000 finished games",
        f"another value on {differing(printed['evaluation'], values)} of 1,000 positions; on"
        f" {differing(POLITO['ahead']['evaluation'], values)} with only the look mended, on"
        f" {differing(POLITO['diagonals']['evaluation'], values)} with only the diagonals",
        f"another column on"
        f" {differing(columns(printed['alphabeta']), columns(text['alphabeta']))} of 1,000"
        f" positions; on {differing(*policies)} of {len(late)} in the playout policy",
        f"{calls[0]:,} evaluations on {len(few)} positions, {calls[1]:,} with this mended alone",
        f"another column on"
        f" {differing(columns(LUND['printed']['5']), columns(LUND['text']['5']))} of 60",
        f"another value on {sum(a != b for a, b in through)} of 1,000 positions, another sign on"
        f" {signs}",
        f"another column on {sum(row[0] != row[1] for row in lines)} of {len(lines)} positions",
        f"missed in {differing(ITU['printed']['outcome'], ITU['text']['outcome'])} of 1,000",
    )
    for words in expected:
        assert words in TEXT


def test_figures_of_the_matches() -> None:
    study, lab = load("aifour-match"), load("itu-match")
    for (uct, draws, negamax), words in (
        (study["printed"], "UCT win {} and negamax {} of its 50 games"),
        (study["first_column"], "UCT wins {} and negamax {}"),
        (study["text"], "as the text has it, {} and {}"),
    ):
        assert draws == 0
        assert words.format(uct, negamax) in TEXT
    wins = [lab[which][0] for which in ("printed", "diagonals", "text")]
    assert f"flat wins {wins[0]} as printed, {wins[1]} with every line seen, {wins[2]}" in TEXT
    assert f"at {lab['playouts']} playouts a move" in TEXT
