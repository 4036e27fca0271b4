"""The hooks of the site insert code, tables and documents into pages."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from doctools import docstrings, hooks

from claimeven.minimax import textbook, types

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "page.md"


def test_the_source_of_a_function_equals_the_file() -> None:
    path, lines = hooks.source_of("claimeven.minimax.textbook.alphabeta")
    assert path == Path(textbook.__file__)
    assert lines[0] == "def alphabeta("
    assert lines[-1].strip() == "return best"
    text = path.read_text(encoding="utf-8")
    assert "\n".join(lines) in text


def test_methods_and_constants_are_found_and_indented_from_the_left() -> None:
    _, lines = hooks.source_of("claimeven.minimax.types.Counters.branching")
    assert lines[:2] == ["@property", "def branching(self) -> float | None:"]
    _, lines = hooks.source_of("claimeven.minimax.types.WIN")
    assert lines == ["WIN: Final = 10**9"]
    assert types.WIN == 10**9


def test_a_name_that_is_not_there_ends_the_build() -> None:
    for name in ("claimeven.nowhere.thing", "claimeven.minimax.types.nothing", "thing"):
        with pytest.raises(hooks.NotThere, match=name.rpartition(".")[2]):
            hooks.source_of(name)


def test_a_link_with_a_title_becomes_code_and_others_stay() -> None:
    text = (
        "Before\n\n"
        '[claimeven.minimax.types.WIN](../src/claimeven/minimax/types.py "source")\n\n'
        "A [link](other.md) in a line.\n"
    )
    page = hooks.with_inclusions(text, PAGE)
    assert 'title="src/claimeven/minimax/types.py"' in page
    assert "WIN: Final = 10**9" in page
    assert page.startswith("Before\n\n```") and page.endswith("A [link](other.md) in a line.\n")


def test_a_link_must_lead_to_the_file_that_holds_the_name() -> None:
    text = '[claimeven.minimax.types.WIN](../src/claimeven/minimax/search.py "source")'
    with pytest.raises(hooks.NotThere, match="not in"):
        hooks.with_inclusions(text, PAGE)


def test_lines_that_are_not_in_the_earlier_code_are_marked() -> None:
    old = ["def f(x):", '    """Old."""', "    return x"]
    new = ["def g(x):", '    """New', "", '    text."""', "    x += 1", "    return x"]
    assert hooks.new_lines(old, new) == [1, 5]
    assert hooks.new_lines(new, new) == []


def test_a_function_that_calls_itself_is_not_new_by_its_name() -> None:
    path = Path(textbook.__file__)
    block = hooks.source_block(
        "claimeven.minimax.textbook.alphabeta", path, "claimeven.minimax.textbook.minimax"
    ).splitlines()
    marked = {int(number) for number in block[0].split('hl_lines="')[1].split('"')[0].split()}
    assert block[1] == "def alphabeta("
    assert 1 not in marked
    assert {
        n for n, line in enumerate(block) if "alpha = max" in line or "cutoffs" in line
    } < marked


def test_a_module_is_quoted_without_its_first_line() -> None:
    link = '[claimeven.review.analysis](../src/claimeven/review/analysis.py "docstring")'
    text = hooks.with_inclusions(link, PAGE)
    assert text.startswith("A draw is worth 0.5. ")
    assert '"""' not in text
    with pytest.raises(hooks.NotThere, match="nowhere"):
        hooks.docstring("claimeven.nowhere", ROOT / "src" / "claimeven" / "nowhere.py")


def test_parts_and_whole_documents() -> None:
    glossary = hooks.with_inclusions('[Words](../ARCHITECTURE.md "part glossary")', PAGE)
    assert "| ply |" in glossary
    assert "<!--" not in glossary
    with pytest.raises(hooks.NotThere, match="nothing"):
        hooks.part(ROOT / "ARCHITECTURE.md", "nothing")
    whole = hooks.with_inclusions('[Log](../CHANGELOG.md "whole")', PAGE)
    assert whole == (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "loaded",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link href="https://fonts.example/css" rel="stylesheet">',
        '<img alt="" src="//example.org/a.png">',
        "<img src=http://example.org/a.png>",
    ],
)
def test_a_page_that_loads_from_the_network_is_refused(loaded: str) -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_path="page.md"))
    with pytest.raises(hooks.NotThere, match=r"page\.md"):
        hooks.on_post_page(f"<p>{loaded}</p>", page)


def test_links_that_a_reader_follows_are_no_loading() -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_path="page.md"))
    text = '<a href="https://semver.org">x</a><img src="a.svg"><svg xmlns="http://www.w3.org">'
    assert hooks.on_post_page(text, page) == text


def test_examples_in_docstrings_become_blocks() -> None:
    text = "Says.\n\n>>> f(\n...     1\n... )\n[1, 2]\n\nMore.\n"
    assert docstrings.with_blocks(text) == (
        "Says.\n\n```pycon\n>>> f(\n...     1\n... )\n[1, 2]\n```\n\nMore.\n"
    )


def test_comments_document_constants() -> None:
    text = "X = 1\n#: What it\n#: means.\nY = 2\n"
    assert docstrings.comment_above(text, 4) == "What it means."
    assert docstrings.comment_above(text, 1) == ""


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_included_files_exist(page: Path) -> None:
    hooks.with_inclusions(page.read_text(encoding="utf-8"), page)
