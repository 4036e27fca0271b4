"""What the site adds to the pages while it is built, without importing the package.

A link on a line of its own whose title says how becomes what it leads to:

```text
[claimeven.minimax.types.clip](../src/claimeven/minimax/types.py "source")
[claimeven.m.alphabeta](../src/claimeven/m.py "source, beside claimeven.m.minimax")
[claimeven.review.analysis](../src/claimeven/review/analysis.py "docstring")
[Words](../ARCHITECTURE.md "part glossary")
[Keys of solve](output.toml "output solve.key")
[Changelog](../CHANGELOG.md "whole")
```

`source` becomes the code of a function, class or constant, read from the sources as they are, with
the lines marked that the code named after `beside` does not have. `docstring` becomes what a
module says of itself after its first line, so that it need not be said twice. `part` becomes the
text between `<!-- glossary -->` and `<!-- end of glossary -->` of a document, `whole` all of one.
Where the pages are read as plain files, the links lead to the files.

The build fails when something named is not there, and when a page would load anything from the
network.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

_INCLUSION = re.compile(
    r"^\[(?P<name>[^\]\n]+)\]\((?P<file>[^)\s]+) \"(?P<how>[^\"\n]+)\"\)$", re.M
)
#: What a browser fetches by itself: scripts, styles, pictures, frames.
_FETCHED = re.compile(
    r"<(?:script|img|iframe|link(?![^>]*rel=\"?canonical))[^>]*?(?:src|href)=\"?(https?:)?//", re.I
)


class NotThere(Exception):
    """Something a page includes that does not exist."""


def on_config(config: Any) -> None:
    """Let the extension of Griffe be found, which stands beside this file; called by MkDocs."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replace the inclusions of a page; called by MkDocs."""
    return with_inclusions(markdown, Path(page.file.abs_src_path))


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Refuse a page that loads something from the network; called by MkDocs."""
    found = _FETCHED.search(output)
    if found:
        raise NotThere(f"{page.file.src_path} would load from the network: {found.group()}")
    return output


def with_inclusions(markdown: str, page: Path) -> str:
    """Return a page with what its inclusions name. Raises `NotThere`."""

    def include(link: re.Match[str]) -> str:
        path = (page.parent / link["file"]).resolve()
        kind, _, rest = link["how"].partition(" ")
        if kind in ("source", "source,"):
            beside = rest.removeprefix("beside ").strip()
            return source_block(link["name"], path, beside)
        if kind == "docstring":
            return docstring(link["name"], path)
        if kind == "part":
            return part(path, rest)
        if kind == "output":
            return output_table(path, rest)
        if link["how"] == "whole":
            return path.read_text(encoding="utf-8")
        return link.group()

    return _INCLUSION.sub(include, markdown)


def source_block(name: str, path: Path, beside: str = "") -> str:
    """Return the code of a dotted name as a block, lines that `beside` does not have marked."""
    home, lines = source_of(name)
    if home != path:
        raise NotThere(f"{name} stands in {home}, not in {path}")
    marked = ""
    if beside:
        numbers = new_lines(_anonymous(beside), _anonymous(name))
        marked = f' hl_lines="{" ".join(map(str, numbers))}"' if numbers else ""
    title = home.relative_to(ROOT).as_posix()
    return "\n".join([f'``` {{ .python title="{title}"{marked} }}', *lines, "```"])


def docstring(name: str, path: Path) -> str:
    """Return the documentation of a module without its first line. Raises `NotThere`."""
    if path != ROOT.joinpath("src", *name.split(".")).with_suffix(".py") or not path.is_file():
        raise NotThere(f"there is no module {name} in {path}")
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    _, _, rest = text.partition("\n\n")
    if not rest:
        raise NotThere(f"{name} says nothing beyond its first line")
    return rest


def source_of(name: str) -> tuple[Path, list[str]]:
    """Return the file and the lines of a function, class, method or constant.

    Raises `NotThere` unless the name leads to one.
    """
    words = name.split(".")
    for length in range(len(words) - 1, 0, -1):
        path = ROOT.joinpath("src", *words[:length]).with_suffix(".py")
        if path.is_file():
            break
    else:
        raise NotThere(f"there is no module of {name}")
    text = path.read_text(encoding="utf-8")
    node: Any = ast.parse(text)
    for word in words[length:]:
        node = _defined(node, word, name)
    first, last = _span(node)
    lines = text.splitlines()[first - 1 : last]
    indent = len(lines[0]) - len(lines[0].lstrip())
    return path, [line[indent:] for line in lines]


def new_lines(old: list[str], new: list[str]) -> list[int]:
    """Numbers, from 1, of the lines of `new` that `old` does not have; documentation left out."""
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
    """Return the part of a document between its marks. Raises `NotThere`."""
    text = path.read_text(encoding="utf-8")
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- end of {name} -->", text, re.S)
    if not found:
        raise NotThere(f"{path} has no part called {name}")
    return found[1]


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
    raise NotThere(f"there is no {word} on the way to {name}")


def _span(node: Any) -> tuple[int, int]:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(line.lineno for line in decorators)]), node.end_lineno


def _without_docstring(lines: list[str]) -> set[int]:
    """Numbers, from 0, of the lines that are no part of a docstring."""
    kept, inside = set(), False
    for number, line in enumerate(lines):
        quotes = line.count('"""')
        if not quotes and not inside:
            kept.add(number)
        inside ^= quotes == 1
    return kept


def _anonymous(name: str) -> list[str]:
    """The code of a function without its name, so that a call of itself is the same in both."""
    own = name.rpartition(".")[2]
    return [re.sub(rf"\b{own}\(", "itself(", line) for line in source_of(name)[1]]


def _stripped(lines: list[str]) -> list[str]:
    return [line.strip() for line in lines]
