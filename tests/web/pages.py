"""Actions of tests on the page, and its readings."""

from __future__ import annotations

import random
from typing import Any

from claimeven import Outcome, Position

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


def drop(page: Any, column: int) -> None:
    """Click on a column, its lowest cell."""
    page.click(f".stage [data-cell='{column},1']")


def board_of(page: Any, where: str = ".stage") -> str:
    """The rows of the board shown, from the top."""
    cells = page.eval_on_selector_all(
        f"{where} [data-cell]", "cells => cells.map(cell => cell.dataset.player)"
    )
    columns = page.eval_on_selector(f"{where} [role=row]", "row => row.children.length")
    marks = [".XO"[int(player or 0)] for player in cells]
    return "/".join("".join(marks[i : i + columns]) for i in range(0, len(marks), columns))


def rows(moves: str) -> str:
    """The rows of the position after moves, by our own rules."""
    now = Position.from_moves(moves)
    geometry = now.geometry
    marks = {None: ".", 0: "X", 1: "O"}
    return "/".join(
        "".join(marks[now.cell(column, row)] for column in range(geometry.columns))
        for row in reversed(range(geometry.rows))
    )


def moves_of(page: Any) -> str:
    """The moves to the position shown."""
    moves: str = page.eval_on_selector(".moves", "element => element.dataset.moves")
    return moves


def beaten_by_agent(page: Any, rng: random.Random) -> Outcome:
    """Play a game of random clicks as the second player, once the first has moved; its outcome.

    The board must be empty; after each click the agent's answer is waited for.
    """
    clicked = 0
    while True:
        page.wait_for_function(
            "clicked => { const made = document.querySelector('.moves').dataset.moves.length;"
            " return made > 2 * clicked && made % 2"
            " || /wins?|draw/.test(document.querySelector('.status').textContent); }",
            arg=clicked,
        )
        now = Position.from_moves(moves_of(page))
        assert board_of(page) == rows(moves_of(page))
        if now.outcome is not None:
            return now.outcome
        drop(page, rng.choice(now.legal_columns) + 1)
        clicked += 1


def shows(page: Any, moves: str) -> None:
    """Wait until the board shows the position after moves."""
    page.wait_for_function(
        "wanted => document.querySelector('.moves').dataset.moves === wanted", arg=moves
    )
    assert board_of(page) == rows(moves)


def status(page: Any) -> str:
    """The status of the game."""
    text: str = page.inner_text(".status")
    return text


def assert_accessible(page: Any, axe: Any) -> None:
    """Let axe judge a page at three widths, and its colors in the dark scheme."""
    # Names of controls start with their visible text. The other scheme has other colors, and no
    # more.
    names = {"rules": {"label-content-name-mismatch": {"enabled": True}}}
    colors = {"runOnly": {"type": "tag", "values": ["cat.color"]}}
    page.evaluate(axe.axe_script)
    for width, scheme, options, least in (
        (360, "light", names, 15), (768, "light", names, 15), (1280, "light", names, 15),
        (1280, "dark", colors, 0),
    ):  # fmt: skip
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate(
            "options => axe.run({ ...options, resultTypes: ['violations'] })", options
        )
        assert len(found["passes"]) > least  # it has looked
        wrong = {
            violation["id"]: [node["html"] for node in violation["nodes"]]
            for violation in found["violations"]
        }
        assert wrong == {}, (width, scheme)
