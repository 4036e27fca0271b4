"""A page with the board of a notebook in it, and Python behind it, without Jupyter between them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

pytest.importorskip("anywidget", reason="anywidget is not installed (extra notebook)")

from claimeven.notebook import BoardWidget
from claimeven.notebook.widget import MODULE
from tests.browser import watched

#: In place of the model that notebooks share with Python: `set` calls listeners immediately, and
#: `save_changes` sends the changes.
_MODEL = """
class Model {
  constructor(state) { this.state = state; this.listeners = {}; this.unsaved = {}; }
  get(name) { return this.state[name]; }
  set(name, value) { this.unsaved[name] = value; this.take({ [name]: value }); }
  take(values) {
    for (const [name, value] of Object.entries(values)) {
      if (JSON.stringify(this.state[name]) === JSON.stringify(value)) continue;
      this.state[name] = value;
      for (const told of [...(this.listeners[`change:${name}`] ?? [])]) told();
    }
  }
  save_changes() { window.saved(JSON.stringify(this.unsaved)); this.unsaved = {}; }
  on(event, told) { (this.listeners[event] ??= []).push(told); }
  off(event, told) {
    this.listeners[event] = this.listeners[event].filter((each) => each !== told);
  }
}
"""
_OPEN = (
    """async ([code, state]) => {"""
    + _MODEL
    + """
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  window.widget = widget;
  window.model = new Model(state);
  window.close = widget.render({ model: window.model, el: document.getElementById("cell") });
}"""
)
#: The page around the board: a notebook with its own styles and keys.
_NOTEBOOK = """<!doctype html><html lang="en"><head><title>A notebook</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body { background: GROUND; margin: 1rem; font: 13px serif; }
button { background: hotpink; } div { line-height: 3; color: red; } h1 { color: grey; }
</style></head>
<body><main><h1>A notebook</h1><div id="cell"></div></main></body></html>"""


class Cell:
    """A board in a page, as a person sees it, and the widget in Python behind it."""

    def __init__(self, page: Any, board: BoardWidget, ground: str) -> None:
        self.page, self.board = page, board
        page.set_content(_NOTEBOOK.replace("GROUND", ground))
        page.evaluate(_OPEN, [MODULE, self._state()])

    def _state(self) -> dict[str, Any]:
        state = self.board.get_state()
        names = [name for name in state if not name.startswith("_")]
        return {
            name: state[name] for name in names if name not in ("layout", "tabbable", "tooltip")
        }

    def catch_up(self) -> Cell:
        """Let Python finish, and the page hear of it."""
        self.board.wait()
        self.page.evaluate("state => window.model.take(state)", self._state())
        return self

    def drop(self, column: int) -> Cell:
        """Click on a column, from 1."""
        self.page.click(f"[data-cell='{column},1']")
        return self.catch_up()

    def press(self, name: str) -> Cell:
        """Press a button."""
        self.page.get_by_role("button", name=name, exact=True).click()
        return self.catch_up()

    @property
    def status(self) -> str:
        """The status of the game."""
        text: str = self.page.inner_text("[role=status]")
        return text.strip()

    @property
    def discs(self) -> str:
        """The cells from the top, row by row: X, O or a dot."""
        players = self.page.eval_on_selector_all(
            "[data-cell]", "cells => cells.map((cell) => cell.dataset.player)"
        )
        return "".join(".XO"[int(player or 0)] for player in players)


def output(page: Any, boards: list[BoardWidget]) -> Any:
    """Let the last of the boards receive the saved values of a page."""
    page.expose_function("saved", lambda text: boards[-1].set_state(json.loads(text)))
    return page


@pytest.fixture(scope="module")
def tab(browser: Any) -> tuple[Any, list[BoardWidget]]:
    """A tab for all tests, and the boards that were in it."""
    boards: list[BoardWidget] = []
    return output(browser.new_page(), boards), boards


@pytest.fixture
def cell(browser: Any, tab: tuple[Any, list[BoardWidget]]) -> Iterator[Callable[..., Cell]]:
    """Put a board into a page, which makes no request; the last cell is the one shown.

    With settings of the browser the page is another one.
    """
    with ExitStack() as stack:

        def put(board: BoardWidget, ground: str = "#ffffff", **context: Any) -> Cell:
            page, boards = tab
            if context:
                boards = []
                page = stack.enter_context(closing(browser.new_context(**context))).new_page()
                output(page, boards)
            boards.append(board)
            return Cell(stack.enter_context(watched(page, "data:")), board, ground)

        yield put
