"""The code of the textbook searches for the search viewers of the page.

A search reports its steps, counts and checks; a listing leaves that out, so that a reader sees the
algorithm. `tests/web/test_listings.py` runs the listings against the searches.
"""

from __future__ import annotations

import ast
import inspect
import io
import json
import re
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import claimeven
from claimeven.minimax import textbook as minimax
from claimeven.montecarlo import textbook as montecarlo
from claimeven.montecarlo.flat import textbook as flat
from claimeven.montecarlo.puct import textbook as puct
from claimeven.montecarlo.tree import textbook as tree

PACKAGE: Final = Path(claimeven.__file__).parent
PATH: Final = PACKAGE / "web" / "static" / "search_listings.js"

#: The functions of each search, by the name of the search.
FUNCTIONS: Final[dict[str, tuple[Callable[..., Any], ...]]] = {
    "minimax": (minimax.minimax,),
    "alphabeta": (minimax.alphabeta,),
    "negamax": (minimax.negamax,),
    "tree": (
        *(tree.TextbookTree.step, tree.TextbookTree.select, tree.TextbookTree.best_child),
        *(tree.TextbookTree.expand, montecarlo.TextbookSearch.simulate, tree.TextbookTree.back_up),
    ),
    "flat": (
        *(flat.TextbookFlat.step, flat.TextbookSimple.next_leaf, flat.TextbookSimple.expand),
        *(flat.TextbookSimple.simulate_and_back_up, montecarlo.TextbookSearch.simulate),
    ),
    "puct": (
        *(puct.PuctTree.step, puct.PuctTree.select, puct.PuctTree.best_child),
        *(puct.PuctTree.expand, puct.PuctTree.evaluate, puct.PuctTree.back_up),
    ),
}

#: Starts of the lines that only report, count or check.
_LEFT_OUT: Final = (
    *('"""', "assert ", "yield Event(", "context.enter(", "context.counters."),
    *("skipped = ", "reason = ", "self.iterations += ", "self.depth", "columns = tuple(node."),
    *("return Step(", "step = Step(", "return step"),
)


def listing(function: Callable[..., Any]) -> str:
    """Return the code of a function without annotations and reports, a statement in a line."""
    source = inspect.cleandoc("\n" + inspect.getsource(function))
    _, *body = logical_lines(source)
    lines = [_signature(source)]
    for line in body:
        text = line.strip()
        if text.startswith(_LEFT_OUT):
            continue
        if text or lines[-1]:
            plain = line.replace("yield from ", "")
            lines.append(re.sub(r"^(\s*[\w.]+): [^=()]+ = ", r"\1 = ", plain))
    if not lines[1]:
        del lines[1]
    return "\n".join(lines).rstrip()


def logical_lines(source: str) -> Iterator[str]:
    """Yield the statements and the blank lines of a source, each joined to one line."""
    lines = source.splitlines()
    first = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_empty = not token.line.strip() and first == token.start[0] - 1
        if token.type == tokenize.NEWLINE or (token.type == tokenize.NL and is_empty):
            head, *rest = lines[first : token.end[0]]
            text = " ".join([head.rstrip(), *(line.strip() for line in rest)])
            joined = re.sub(r",? ([)\]])", r"\1", re.sub(r"([(\[]) ", r"\1", text))
            yield joined if rest else text
            first = token.end[0]


def _signature(source: str) -> str:
    """Return the first line of a function without annotations."""
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    names = [each.arg for each in node.args.args]
    defaults = [ast.get_source_segment(source, each) for each in node.args.defaults]
    given = dict(zip(reversed(names), reversed(defaults), strict=False))
    parameters = (f"{name}={given[name]}" if name in given else name for name in names)
    return f"def {node.name}({', '.join(parameters)}):"


def module() -> str:
    """Return the listings as a module of JavaScript."""
    listings = {
        search: {
            "file": Path(inspect.getfile(functions[0])).relative_to(PACKAGE).as_posix(),
            **{function.__name__: listing(function) for function in functions},
        }
        for search, functions in FUNCTIONS.items()
    }
    return (
        "// The textbook searches without reports of their steps; by `python -m doctools`.\n"
        f"export const LISTINGS = {json.dumps(listings, indent=2)};\n"
    )
