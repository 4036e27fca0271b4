"""All texts of the page are in one file, and another language takes their places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from claimeven.web.site import _STATIC
from tests.web.pages import DESKTOP, drop

#: Modules whose texts stay: the texts themselves, scripts of other pages, code of the textbook, and
#: the worker of a site and the search of a typed tree, whose sentences are those of the server.
_OTHER = re.compile(
    r"texts\.js|embed\.js|theme\.js|local/(?!offline|client).*"
    r"|search_(code|leaves|listings)\.js"
)
#: Comments, and the contents of strings.
_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`""", re.S
)
_INSERTED = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}")
#: Words as a user reads them: two with a space, one with a capital letter or at a sentence's end.
_WORDS = re.compile(r"[A-Za-z]{2,}[,.:]? [A-Za-z(]|^[A-Z][a-z]+[ .:…]?$|[a-z]{2,}[.!?…]$")
#: Before strings that are not shown: classes, selectors, names of files, keys and events.
_NOT_SHOWN = re.compile(
    r"(?:\b(?:class|role|id|type|d|points|transform|font-family|easing)\W?: (?:\w+ \? )?"
    r"|\b(?:querySelector(?:All)?|closest|matches|matchMedia|Event|from|text)\(|from |import "
    r"|[=!]== ?|key: |KEY = )$"
)
#: Strings that look like texts: two classes by a condition, parts of the server's sentences.
_KNOWN = {
    *("column best", "book-move best", "Yellow"),
    *("found in the transposition table", "best of", "best of the columns tried"),
}


def _shown_literals(module: str) -> Iterator[str]:
    """The strings of a module that look like texts for users."""
    for found in _TOKEN.finditer(module):
        content = next((group for group in found.groups() if group is not None), None)
        if content is None or _NOT_SHOWN.search(module, 0, found.start()):
            continue
        if _WORDS.search(_INSERTED.sub("", content)) and content not in _KNOWN:
            yield content


def test_the_scan_sees_texts_and_passes_other_strings() -> None:
    assert [*_shown_literals('h("p", { class: "a b" }, "No moves yet"); // A "word here"')] == [
        "No moves yet"
    ]
    assert [*_shown_literals('x.querySelector("a b"); button("Undo"); `${n} moves left`')] == [
        "Undo",
        "${n} moves left",
    ]


def test_no_other_module_has_texts() -> None:
    found = {}
    for path in _STATIC.rglob("*.js"):
        name = path.relative_to(_STATIC).as_posix()
        if not _OTHER.fullmatch(name):
            found[name] = [*_shown_literals(path.read_text("utf-8"))]
    assert len(found) > 30
    assert {name: texts for name, texts in found.items() if texts} == {}


#: A language in which every letter of a text has a mark.
_MARKED = """
import { ENGLISH } from "./texts.js";
const one = (letter) => (letter.length > 1 ? letter : `${letter}\\u0301`);
const mark = (text) => text.replace(/\\{\\w+\\}|[A-Za-z]/g, one);
const all = (part) => (typeof part === "string" ? mark(part)
  : Array.isArray(part) ? part.map(all)
    : Object.fromEntries(Object.entries(part).map(([key, value]) => [key, all(value)])));
export default all(ENGLISH);
"""
#: The texts of a page that users see or hear, without sentences and names of the server.
_READ = """() => {
  const server = ".claim, .brand, noscript, .commands,"
    + " .side optgroup:nth-of-type(n+2) option,"
    + " .agent-options label:not(:last-child), .code, .estimates";
  const found = [];
  const keep = (text, element) => element.closest(server) || found.push(text);
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) keep(walk.currentNode.data, walk.currentNode.parentElement);
  for (const element of document.body.querySelectorAll("*")) {
    for (const name of ["aria-label", "aria-valuetext", "title", "placeholder", "data-words"]) {
      if (element.hasAttribute(name)) keep(element.getAttribute(name), element);
    }
  }
  return [...found, document.title.replace("claimeven", "")];
}"""


def _serve(page: Any, name: str, body: str) -> None:
    """Answer requests for a module of the page with another text."""
    page.route(
        f"**/static/{name}",
        lambda route: route.fulfill(body=body, content_type="text/javascript"),
    )


@pytest.fixture
def marked(page: Any) -> Iterator[Any]:
    """A page in the marked language."""
    _serve(page, "texts.xx.js", _MARKED)
    yield page
    page.evaluate("localStorage.clear()")
    page.unroute("**/static/texts.xx.js")


def _assert_marked(page: Any) -> None:
    page.wait_for_selector("#view > :not(noscript)", state="attached")  # drawn, in the language
    texts = [text for text in page.evaluate(_READ) if text.strip()]
    assert sum("\u0301" in text for text in texts) > 15
    # The browser's lists of another language are those of English here.
    texts = [re.sub(r"(?<=\d),? or (?=\d)", "", text) for text in texts]
    unmarked = [text for text in texts if re.search("[A-Za-z]{2}", text)]
    assert not unmarked, unmarked


def test_play_and_its_dialogs_have_no_text_of_another_place(marked: Any) -> None:
    marked.goto("/?lang=xx&moves=4455&analysis=on&second=human")
    marked.wait_for_selector(".explanation details")
    assert marked.get_attribute("html", "lang") == "xx"
    _assert_marked(marked)
    marked.click("#help-button")
    _assert_marked(marked)
    marked.keyboard.press("Escape")
    for summary in marked.locator("summary:visible").all():
        summary.click()
    marked.click(".card:has(#analysis) ~ .card .card-head button")  # the review
    marked.wait_for_selector(".judgement:has-text('%')")
    marked.select_option(".side >> nth=1 >> select", "friend")
    marked.keyboard.press("h")
    _assert_marked(marked)
    marked.click("details.card form:last-of-type button:last-child")
    marked.wait_for_selector("dialog.editor[open]")
    marked.click("dialog.editor [data-cell='1,1']")
    _assert_marked(marked)
    marked.goto("/?second=human&moves=121212&position=wrong")  # the language is stored
    marked.wait_for_selector("[role=alert]:not([hidden])")
    _assert_marked(marked)
    marked.goto("/?second=human&moves=121212&lines=33.121213")
    drop(marked, 1)
    _assert_marked(marked)


@pytest.mark.parametrize("view", ["book", "puzzles", "search", "tournament"])
def test_a_view_has_no_text_of_another_place(marked: Any, view: str) -> None:
    ready = {
        "puzzles": ".puzzle-about", "search": ".search-tree", "tournament": "#view h2",
        "book": ".book-move :is(.win, .loss)",
    }[view]  # fmt: skip
    marked.goto(f"/?lang=xx&view={view}")
    marked.wait_for_selector(ready)
    _assert_marked(marked)


def test_the_texts_of_the_document_equal_the_file(page: Any) -> None:
    page.goto("/")
    assert page.evaluate("""async () => {
        const { text } = await import("./static/texts.js");
        const labels = [...document.querySelectorAll("[data-label]")]
            .filter(it => it.getAttribute("aria-label") !== text(it.dataset.label));
        return [...document.querySelectorAll("[data-text]")]
            .filter(it => it.textContent !== text(it.dataset.text)).concat(labels).length;
    }""") == 0  # fmt: skip


def test_plural_forms_numbers_and_missing_texts(page: Any) -> None:
    page.goto("/")
    assert page.evaluate("""async () => {
        const { either, text, translate } = await import("./static/texts.js");
        const english = [text("worth.wins", { count: 1 }), text("worth.wins", { count: 1234 })];
        const forms = { one: "{count} ruch", few: "{count} ruchy", many: "{count} ruch\u00f3w" };
        translate("pl", { worth: { wins: forms } });
        const polish = [1, 3, 12345].map(count => text("worth.wins", { count }));
        return [english, polish, text("play.newGame"), text("worth.loses", { count: 2 }),
            either(["1", "2"]), ...["own", null].map(other => text("levels.none", {}, other))];
    }""") == [
        ["wins in 1 move", "wins in 1,234 moves"],
        ["1 ruch", "3 ruchy", "12\u00a0345 ruch\u00f3w"],
        "New game", "loses in 2 moves", "1 lub 2", "own", None,
    ]  # fmt: skip


def test_a_language_without_a_file_leaves_the_page_english(page: Any) -> None:
    _serve(page, "texts.de.js", "")
    page.goto("/?lang=de")
    assert page.inner_text("nav [data-view=play]") == "Play"
    assert page.evaluate("localStorage['claimeven.language']") is None
    page.unroute("**/static/texts.de.js")


def test_the_languages_of_the_browser_choose_a_listed_one(page: Any, browser: Any) -> None:
    """A translation in `LANGUAGES`: a browser of that language shows it; the help has a field."""
    page.goto("/")
    texts = page.evaluate("fetch('static/texts.js').then(answer => answer.text())")
    context = browser.new_context(viewport=DESKTOP, base_url=page.url, locale="de-AT")
    tab = context.new_page()
    listed = texts.replace('{ en: "English" }', '{ en: "English", de: "Deutsch" }')
    german = 'export default { page: { play: "Spielen" }, play: { newGame: "Neues Spiel" } };'
    for name, body in (("texts.js", listed), ("texts.de.js", german)):
        _serve(tab, name, body)
    tab.goto("/")
    assert tab.inner_text("nav [data-view=play]") == "Spielen"
    assert tab.is_visible("text=Neues Spiel")
    tab.click("#help-button")
    tab.select_option("#help select", "en")
    tab.wait_for_selector("text=New game")
    tab.goto("/")  # the choice is stored
    assert tab.inner_text("nav [data-view=play]") == "Play"
    context.close()
