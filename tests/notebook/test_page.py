"""The board of notebooks in a real browser, with the real widget in Python behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from claimeven import Geometry, Position, Solver
from claimeven.game.encodings import to_characters
from tests.notebook.conftest import BoardWidget, Cell

pytestmark = pytest.mark.browser
Put = Callable[..., Cell]
PHONE = {"width": 360, "height": 740}


def discs(position: Position) -> str:
    """The cells of a position, by our own rules."""
    return "".join(cell for row in to_characters(position) for cell in row)


def test_clicks_reach_python_and_python_reaches_the_page(cell: Put) -> None:
    board = BoardWidget()
    seen: list[str] = []
    board.observe(lambda change: seen.append(change.new), "moves")
    shown = cell(board).drop(4).drop(4)
    assert seen == ["4", "44"]
    assert shown.discs == discs(board.position) == discs(Position.from_moves("44"))
    board.play(2)
    assert shown.catch_up().discs == discs(Position.from_moves("443"))
    assert shown.status == "Red to move."
    board.position = Position.from_moves("1212")
    assert shown.catch_up().discs == discs(Position.from_moves("1212"))
    shown.drop(7)
    assert board.position == Position.from_moves("12127") and board.moves == "7"


def test_a_game_against_an_agent_to_its_end(cell: Put) -> None:
    board = BoardWidget(agent="greedy", seed=1)
    shown = cell(board)
    assert shown.status == "Yellow to move."
    while not board.position.is_over:
        before = board.position.ply
        shown.drop(board.position.legal_columns[0] + 1)
        assert board.position.ply == before + 2 or board.position.is_over
        assert shown.discs == discs(board.position)
    winner = board.position.outcome.winner
    assert shown.status in ("Yellow wins.", "Red (greedy) wins.", "A draw.")
    assert winner is None or shown.page.locator(".marks .win").count() >= 2
    shown.press("Undo")
    assert board.position.turn == 0 and not board.position.is_over
    assert board.undone
    shown.press("Redo")
    assert board.position.is_over and not board.undone
    shown.press("New game")
    assert board.moves == "" and set(shown.discs) == {"."}


def test_scores_above_the_columns_are_the_solvers(cell: Put) -> None:
    board = BoardWidget("4455")
    shown = cell(board)
    assert not shown.page.is_visible(".scores")
    shown.press("Scores")
    exact = Solver(table_mb=4).scores(Position.from_moves("4455"))
    assert board.show_scores and board.scores == exact
    texts = shown.page.eval_on_selector_all(".scores button", "all => all.map(b => b.textContent)")
    assert [int(text.replace("\N{MINUS SIGN}", "-")) for text in texts] == list(exact)
    third = shown.page.locator(".scores button").nth(2)
    third.hover()
    words = third.evaluate("button => getComputedStyle(button, '::after').content")
    assert words == '"wins in 2 moves"'
    landing = shown.page.locator("[data-cell='3,1']")
    assert landing.get_attribute("aria-label") == "column 3, row 1, empty; wins in 2 moves"
    assert shown.page.locator(".scores .best").count() == 2
    assert shown.status == "Yellow to move and wins in 2 moves."
    third.click()
    assert shown.catch_up().status == "Red to move and loses to the next move."


def test_scores_that_are_not_there_yet_stay_open_and_no_click_waits_for_them(cell: Put) -> None:
    board = BoardWidget("44")
    board._solve = lambda position, moves, is_wanted: None  # type: ignore[method-assign]  # in its place
    board.show_scores = True
    shown = cell(board)
    texts = shown.page.eval_on_selector_all(".scores button", "all => all.map(b => b.textContent)")
    assert texts == ["…"] * 7
    shown.page.click("[data-cell='4,1']")
    assert shown.discs == discs(Position.from_moves("444"))


def test_keys_play_take_back_and_are_kept_from_the_notebook(cell: Put) -> None:
    board = BoardWidget()
    shown = cell(board)
    page = shown.page
    page.evaluate("window.heard = []; addEventListener('keydown', e => window.heard.push(e.key))")
    page.focus("[role=gridcell][tabindex='0']")
    for key in ("4", "Enter", "ArrowRight", "Enter", "u", "r", "f", "8"):
        page.keyboard.press(key)
    shown.catch_up()
    assert board.moves == "445" and board.flipped
    assert page.locator(".widget.flipped").count() == 1
    for _ in range(3):  # held down
        page.keyboard.down("4")
    page.keyboard.up("4")
    assert shown.catch_up().board.moves == "4454"
    assert page.evaluate("window.heard") == []
    assert page.get_attribute("#cell", "data-lm-suppress-shortcuts") == "true"


def test_any_board(cell: Put) -> None:
    board = BoardWidget("ab", Geometry(13, 9, 5), show_scores=True)
    shown = cell(board).catch_up()
    assert shown.page.locator("[data-cell]").count() == 117
    assert "No scores: " in shown.page.inner_text("[role=alert]")
    shown.page.focus("[role=gridcell][tabindex='0']")
    shown.page.keyboard.press("Shift+L")
    assert shown.catch_up().board.moves == "abl"


def test_faults_of_an_agent_are_shown(cell: Put) -> None:
    def broken(position: Position) -> int:
        raise RuntimeError("out of ideas")

    shown = cell(BoardWidget(agent=broken)).drop(4)
    output = shown.page.inner_text("[role=alert]")
    assert "cannot continue: raised RuntimeError: out of ideas" in output
    shown.drop(5)
    assert shown.board.moves == "4"  # it is the agent's turn: the board is closed
    shown.press("Undo")
    assert shown.board.moves == "" and shown.page.inner_text("[role=alert]") == ""


@pytest.mark.parametrize("ground", ["#ffffff", "#111111"], ids=["light", "dark"])
def test_it_is_light_or_dark_as_the_notebook_is(cell: Put, ground: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not there")
    other = (
        "light" if ground == "#111111" else "dark"
    )  # the preference of the system does not count
    shown = cell(
        BoardWidget("4455", show_scores=True, agent="greedy"), ground,
        viewport=PHONE, color_scheme=other, reduced_motion="reduce",
    ).catch_up()  # fmt: skip
    host = shown.page.locator("#cell > div")
    colour = shown.page.locator(".widget").evaluate("element => getComputedStyle(element).color")
    is_bright = int(colour[4:].split(",")[0]) > 128
    assert is_bright == (ground == "#111111")
    found = axe.Axe().run(shown.page)
    assert [each["id"] for each in found.response["violations"]] == []
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    button = shown.page.get_by_role("button", name="Undo")
    assert button.evaluate("element => getComputedStyle(element).backgroundColor") != (
        "rgb(255, 105, 180)"  # the notebook's styles stay outside
    )
    shown.page.evaluate("document.body.style.background = '#888888'")
    shown.board.theme = "dark"
    shown.catch_up()
    assert host.evaluate("element => getComputedStyle(element).colorScheme") == "dark"


@pytest.mark.parametrize("ground", ["color(srgb 1 1 1)", "oklch(1 0 0)", "lab(15 0 0)"])
def test_grounds_in_any_notation_of_colours_are_read(cell: Put, ground: str) -> None:
    shown = cell(BoardWidget(), ground)
    scheme = shown.page.locator("#cell > div").evaluate("e => getComputedStyle(e).colorScheme")
    assert scheme == ("dark" if ground.startswith("lab") else "light")


def test_undo_is_disabled_before_the_first_move(cell: Put) -> None:
    for board in (
        BoardWidget(),
        BoardWidget(Position.from_moves("4455")),
        BoardWidget(agent="greedy"),
        BoardWidget(agent="greedy", seat=0).wait(),
    ):
        undo = cell(board).page.get_by_role("button", name="Undo")
        assert undo.is_disabled()


def test_two_views_of_one_board_and_one_taken_away(cell: Put) -> None:
    shown = cell(BoardWidget())
    page: Any = shown.page
    page.evaluate(
        """() => {
          const other = document.createElement("div");
          document.querySelector("main").append(other);
          window.closeOther = window.widget.render({ model: window.model, el: other });
        }"""
    )
    page.click("[data-cell='4,1'] >> nth=1")
    assert shown.catch_up().discs == 2 * discs(Position.from_moves("4"))
    page.evaluate("window.closeOther(); document.querySelector('main').lastChild.remove()")
    assert shown.drop(4).discs == discs(Position.from_moves("44"))
    page.evaluate("window.close()")
    assert page.evaluate("Object.values(window.model.listeners).flat().length") == 0
