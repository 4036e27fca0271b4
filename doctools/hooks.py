"""Hooks of the site: they insert code, tables, documents and boards into pages.

A link on a separate line is replaced by its target, in the way that its title gives:

```text
[claimeven.minimax.types.clip](../src/claimeven/minimax/types.py "source")
[claimeven.m.alphabeta](../src/claimeven/m.py "source, new since claimeven.m.minimax")
[claimeven.review.analysis](../src/claimeven/review/analysis.py "docstring")
[Words](../ARCHITECTURE.md "part glossary")
[Keys of solve](output.toml "output solve.key")
[Changelog](../CHANGELOG.md "whole")
[Drop a disc](site.md "board moves=4455&analysis=on")
See [the first cut](site.md "open view=search&step=17").
```

`source` inserts the code of a function, class or constant from the sources. It marks the lines that
are not in the code named after `new since`. `docstring` inserts a docstring of a module without its
first line. `part` inserts the text between `<!-- glossary -->` and `<!-- end of glossary -->` of a
document, `whole` a whole document, and `output` a table of `docs/output.toml`. `board` inserts the
page of `claimeven site` in a frame; the rest of the title is the query of its address. `open`, also
inside a line, links to the page with that query. In plain files the links lead to the targets.

The build adds the page in the folder `board`. It fails if a target does not exist, and if a page
would load a file from the network.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import re
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import Any

from claimeven.web.site import write_site

ROOT = Path(__file__).resolve().parent.parent

_INCLUSION = re.compile(
    r"^\[(?P<name>[^\]\n]+)\]\((?P<file>[^)\s]+) \"(?P<how>[^\"\n]+)\"\)$", re.M
)
_OPENED = re.compile(r"\[([^\]\n]+)\]\([^)\s]+ \"open ([^\"\n]+)\"\)")
#: Folder of the page in the site, and the class of a link that `embed.js` gives a frame.
BOARD, FRAMED = "board", "claimeven-board"
#: Elements that a browser fetches: scripts, styles, pictures, frames.
_FETCHED = re.compile(
    r"<(?:script|img|iframe|link(?![^>]*rel=\"?canonical))[^>]*?(?:src|href)=\"?(https?:)?//", re.I
)


class NotThere(Exception):
    """A page includes a target that does not exist."""


def on_config(config: Any) -> None:
    """Make the extension of Griffe in this folder importable; called by MkDocs."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))


def on_files(files: Any, config: Any) -> Any:
    """Add the page of `claimeven site`; called by MkDocs."""
    generated = importlib.import_module("mkdocs.structure.files").File.generated
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_site(folder / BOARD)
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = path.relative_to(folder).as_posix()
            files.append(generated(config, name, content=path.read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replace the inclusions of a page; called by MkDocs."""
    return with_inclusions(markdown, Path(page.file.abs_src_path))


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Add the script of boards to their pages; reject a page that loads a file from the network.

    Called by MkDocs.
    """
    found = _FETCHED.search(output)
    if found:
        raise NotThere(f"{page.file.src_path} must not load from the network: {found.group()}")
    if f'class="{FRAMED}"' in output:
        root = "../" * page.file.src_uri.count("/")
        script = f'<script src="{root}{BOARD}/static/embed.js" defer></script>'
        output = output.replace("</body>", f"{script}</body>")
    return output


def with_inclusions(markdown: str, page: Path) -> str:
    """Return a page with its inclusions. Raises `NotThere`."""

    def include(link: re.Match[str]) -> str:
        path = (page.parent / link["file"]).resolve()
        kind, _, rest = link["how"].partition(" ")
        if kind in ("source", "source,"):
            earlier = rest.removeprefix("new since ").strip()
            return source_block(link["name"], path, earlier)
        if kind == "docstring":
            return docstring(link["name"], path)
        if kind == "part":
            return part(path, rest)
        if kind == "output":
            return output_table(path, rest)
        if kind == "board":
            return board(link["name"], rest, page)
        if link["how"] == "whole":
            return path.read_text(encoding="utf-8")
        return link.group()

    root = "../" * (len(page.relative_to(ROOT / "docs").parts) - 1)

    def opened(link: re.Match[str]) -> str:
        return f'<a href="{escape(f"{root}{BOARD}/?{link[2]}")}">{link[1]}</a>'

    return _OPENED.sub(opened, _INCLUSION.sub(include, markdown))


def source_block(name: str, path: Path, earlier: str = "") -> str:
    """Return the code of a dotted name as a block; mark the lines that are not in `earlier`."""
    home, lines = source_of(name)
    if home != path:
        raise NotThere(f"{name} is in {home}, not in {path}")
    marked = ""
    if earlier:
        numbers = new_lines(_anonymous(earlier), _anonymous(name))
        marked = f' hl_lines="{" ".join(map(str, numbers))}"' if numbers else ""
    title = home.relative_to(ROOT).as_posix()
    return "\n".join([f'``` {{ .python title="{title}"{marked} }}', *lines, "```"])


def docstring(name: str, path: Path) -> str:
    """Return the documentation of a module without its first line. Raises `NotThere`."""
    if path != ROOT.joinpath("src", *name.split(".")).with_suffix(".py") or not path.is_file():
        raise NotThere(f"{path} is not the module {name}")
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    _, _, rest = text.partition("\n\n")
    if not rest:
        raise NotThere(f"the docstring of {name} has only one line")
    return rest


def source_of(name: str) -> tuple[Path, list[str]]:
    """Return the file and the lines of a function, class, method or constant.

    Raises `NotThere` if the name has no such target.
    """
    words = name.split(".")
    for length in range(len(words) - 1, 0, -1):
        path = ROOT.joinpath("src", *words[:length]).with_suffix(".py")
        if path.is_file():
            break
    else:
        raise NotThere(f"{name} is not in a module of the package")
    text = path.read_text(encoding="utf-8")
    node: Any = ast.parse(text)
    for word in words[length:]:
        node = _defined(node, word, name)
    first, last = _span(node)
    lines = text.splitlines()[first - 1 : last]
    indent = len(lines[0]) - len(lines[0].lstrip())
    return path, [line[indent:] for line in lines]


def new_lines(old: list[str], new: list[str]) -> list[int]:
    """Numbers, from 1, of the lines of `new` that `old` lacks, without docstrings."""
    code = _without_docstring(new)
    matcher = difflib.SequenceMatcher(None, _stripped(old), _stripped(new), autojunk=False)
    return [
        number + 1
        for tag, _, _, start, end in matcher.get_opcodes()
        if tag != "equal"
        for number in range(start, end)
        if number in code and new[number].strip()
    ]


def part(path: Path, name: str) -> str:
    """Return the part of a document between its markers. Raises `NotThere`."""
    text = path.read_text(encoding="utf-8")
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- end of {name} -->", text, re.S)
    if not found:
        raise NotThere(f"{path} has no part {name}")
    return found[1]


def board(text: str, query: str, page: Path) -> str:
    """Return a link to the page of a board, which becomes a frame above the link."""
    root = "../" * (len(page.relative_to(ROOT / "docs").parts) - 1)
    address = escape(f"{root}{BOARD}/?{query}")
    return f'<p><a class="{FRAMED}" href="{address}">{escape(text)}</a></p>'


def output_table(path: Path, name: str) -> str:
    """Return a table of `output.toml`, such as `solve.key`. Raises `NotThere`."""
    output = importlib.import_module("doctools.output")
    command, _, kind = name.partition(".")
    try:
        table: str = output.table(command, kind)
    except KeyError:
        raise NotThere(f"{path} has no table {name}") from None
    return table


def _defined(node: Any, word: str, name: str) -> Any:
    for below in getattr(node, "body", ()):
        if getattr(below, "name", None) == word:
            return below
        targets = getattr(below, "targets", None) or [getattr(below, "target", None)]
        if any(getattr(target, "id", None) == word for target in targets):
            return below
    raise NotThere(f"{name} does not exist: {word} was not found")


def _span(node: Any) -> tuple[int, int]:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(line.lineno for line in decorators)]), node.end_lineno


def _without_docstring(lines: list[str]) -> set[int]:
    """Numbers, from 0, of the lines outside docstrings."""
    outside, inside = set(), False
    for number, line in enumerate(lines):
        quotes = line.count('"""')
        if not quotes and not inside:
            outside.add(number)
        inside ^= quotes == 1
    return outside


def _anonymous(name: str) -> list[str]:
    """The code of a function with a neutral name for calls of itself."""
    own = name.rpartition(".")[2]
    return [re.sub(rf"\b{own}\(", "itself(", line) for line in source_of(name)[1]]


def _stripped(lines: list[str]) -> list[str]:
    return [line.strip() for line in lines]
