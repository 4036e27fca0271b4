"""The words of the project, counted: idioms per 10,000 words, and words that the rules exclude.

`python -m doctools.prose [PATHS]` prints the counts, `--list [IDIOM] [PATHS]` each place.
`tests/docs/test_prose.py` holds the project to them.

Prose is the text of documents and notebooks without code and tables of figures; docstrings without
their examples; comments; and string literals of at least three words.
"""

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
MIN_WORDS_OF_MESSAGE = 3
"""String literals with fewer words are keys and names, not prose."""


class Piece(NamedTuple):
    """Some prose, and the line of its file where it starts."""

    line: int
    text: str


class Idiom(NamedTuple):
    """A way to speak that a reader has to translate.

    `limit` is the highest rate per 10,000 words: twice the rate of four admired projects
    (python-chess, httpx, mctx, fastchess), or 0 for words that every sentence can do without.
    """

    pattern: str
    limit: float
    instead: str


IDIOMS = {
    "what is, what the": Idiom(
        r"\bwhat (?:is|was|are|were|the|a|an|it|its|they|their|has|had|can|one|each|all)\b"
        r"(?![^.]*\?)",
        1.2,
        "the noun: the settings, the result, unread output",
    ),
    "tell": Idiom(r"\b(?:tell|tells|told|telling)\b", 0.8, "report, print, return, raise, show"),
    "stand": Idiom(r"\b(?:stand|stands|stood)\b", 0.2, "is, is in, is listed in"),
    "lie": Idiom(r"\b(?:lie|lies|lay|lain)\b", 0.2, "is in, is located, is stored"),
    "beside": Idiom(r"\b(?:beside|besides|likewise|meanwhile)\b", 0.2, "next to, also, while"),
    "so many": Idiom(r"\b(?:so many|so much|so long|as many|as much)\b", 0.4, "name the quantity"),
    "those of": Idiom(r"\b(?:those|that) of\b", 0.4, "repeat the noun"),
    "of its own": Idiom(
        r"\bof (?:its|his|their|our|your|one's) own\b|\bof (?:ours|others|theirs|yours)\b",
        0.8,
        "own, its, separate, third-party",
    ),
    "comes along": Idiom(
        r"\b(?:com|tak|go|bring)(?:e|es|ing|ings)? along\b", 0.0, "bundled, built-in"
    ),
    "learnt": Idiom(r"\b(?:learnt|taught|untaught)\b", 0.0, "trained, learned, untrained"),
    "where (if)": Idiom(r"(?-i:\b[Ww]here\b)", 14, "if, when; where only for places"),
    "nothing": Idiom(
        r"(?-i:(?<!['\"/])\b(?:[Nn]othing|[Nn]obody|none|[Nn]o one)\b(?!['\"./\\]))",
        3,
        "negate the verb",
    ),
    "begin": Idiom(r"\b(?:begin|begins|began|begun|beginning)\b", 0.8, "start, initial"),
    "goes on": Idiom(r"\b(?:go|goes|went|going|gone) on\b", 0.0, "continue, resume"),
    "alone": Idiom(r"\b(?:alone|at once|anew|kept|ended)\b", 4, "only, immediately, again, stored"),
    "who": Idiom(r"\b(?:who|people|somebody|someone)\b", 4, "the caller, the user"),
    "whatever": Idiom(r"\b(?:whatever|whichever|whoever)\b", 0.4, "any, every, all"),
    "damaged": Idiom(r"\b(?:damaged)\b", 0.0, "corrupt, invalid"),
    "is no": Idiom(
        r"(?<!there )\b(?:is|are) no(?!t)\b(?! (?:longer|more|less))", 1.3, "X must be ..., got ..."
    ),
    "starts with what": Idiom(
        r"(?:^|(?<=[.:!?]\s))(?-i:What|Whatever|Whoever|Where|Nothing|Nobody)\b(?![^.?!]*\?)",
        0.4,
        "the subject first: a person or a thing",
    ),
    "over 25 words": Idiom(
        r"(?:[A-Za-z][\w'-]*[^\w.!?;:|]+){25,}[A-Za-z][\w'-]*", 20, "one idea a sentence"
    ),
    "third clause": Idiom(r";\s[^.;!?]*;\s[^.!?]*", 4, "a new sentence after the second clause"),
    "British": Idiom(
        r"\b\w*(?:(?<!w)(?:analys(?:e[ds]?|ing)\b)|colour|centre|favour|behaviour|neighbour|licence"
        r"|organis|initialis|normalis|minimis|maximis|optimis(?!t|m)|recognis|summaris|serialis|visualis)\w*",
        0.0,
        "American spelling",
    ),
}
"""Each idiom with its limit and the words to write instead."""

COMPARISON = r"\b(?:used to|no longer|formerly|previously|until now|now that)\b"


def _without_code(text: str) -> str:
    """The text without code spans, addresses and HTML."""
    text = re.sub(r"`[^`\n]*`", " x ", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"https?://\S+|<[^>\n]+>", " ", text)


def markdown(text: str) -> Iterator[Piece]:
    """The paragraphs of a Markdown text, without code blocks."""
    block: list[str] = []
    start, fenced = 1, False
    for number, row in enumerate([*text.splitlines(), ""], 1):
        edge = bool(re.match(r"\s*(```|~~~)", row))
        fenced ^= edge
        line = "" if edge or fenced or row.startswith(("    ", ">>> ")) else row
        if line.strip() and not re.match(r"\s*([-*|#]|\d+\.) ", line):
            start = start if block else number
            block.append(line)
            continue
        if block:
            yield Piece(start, _without_code("\n".join(block)))
        start, block = number, [line] if line.strip() else []
    if block:
        yield Piece(start, _without_code("\n".join(block)))


def _docstring_parts(text: str, line: int) -> Iterator[Piece]:
    shown = []
    example = False
    for row in text.splitlines():
        example = row.strip().startswith(">>>") or (example and bool(row.strip()))
        shown.append("" if example or row.strip().startswith("```") else row)
    for piece in markdown("\n".join(row.strip() for row in shown)):
        yield Piece(line + piece.line - 1, piece.text)


def _is_message(text: str) -> bool:
    """Whether a string literal has sentences: not a name, nor Python, SQL, JavaScript or CSS."""
    is_code = re.search(
        r"^\s*(?:def|import|from|class|for|return|const|let)\b|\b(?:SELECT|UPDATE|DELETE|CREATE)\b"
        r"|[;{]\n|=> ",
        text,
        re.M,
    )
    return not is_code and len(re.findall(r"[A-Za-z]{2,}", text)) >= MIN_WORDS_OF_MESSAGE


@lru_cache(maxsize=1)
def syntax(text: str) -> list[ast.AST]:
    """The nodes of a Python module, the module first."""
    return list(ast.walk(ast.parse(text)))


def python(text: str) -> Iterator[Piece]:
    """The docstrings, messages and comments of a Python module."""
    nodes = syntax(text)
    documented = {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    inside = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else " x " for p in node.values]
            message = "".join(str(part) for part in parts)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in inside
        ):
            message = node.value
        else:
            continue
        if id(node) in documented:
            yield from _docstring_parts(message, node.lineno)
        elif _is_message(message):
            yield Piece(node.lineno, _without_code(message))
    comment: list[str] = []
    start = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            start = start if comment else token.start[0]
            comment.append(token.string.lstrip("#").strip())
        elif comment and token.type not in (tokenize.NL, tokenize.COMMENT):
            yield Piece(start, _without_code(" ".join(comment)))
            comment = []


def javascript(text: str) -> Iterator[Piece]:
    """The comments and messages of a script or a style sheet."""
    for found in re.finditer(
        r"/\*.*?\*/|(?<!:)//[^\n]*|\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`", text, re.S
    ):
        part = re.sub(r"\$\{[^}]*\}", " x ", found.group().strip("/*\"'`"))
        if len(re.findall(r"[A-Za-z]{2,}", part)) >= MIN_WORDS_OF_MESSAGE:
            yield Piece(text.count("\n", 0, found.start()) + 1, part)


def notebook(text: str) -> Iterator[Piece]:
    """The text cells of a notebook; lines count within their cell."""
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "markdown":
            yield from markdown("".join(cell["source"]))


def commented(text: str) -> Iterator[Piece]:
    """The comments of a file whose comments start with #."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.search(r"(?:^|\s)#+ (.*)", line):
            yield Piece(number, _without_code(found.group(1)))


READERS = {
    ".md": markdown,
    ".py": python,
    ".js": javascript,
    ".css": javascript,
    ".html": lambda text: iter(
        [Piece(1, re.sub(r"\{[%{#].*?[}%#]\}|<[^>]*>", " ", text, flags=re.S))]
    ),
    ".ipynb": notebook,
    ".toml": commented,
    ".yml": commented,
    ".yaml": commented,
    "": commented,
}


LISTS_OF_IDIOMS = ("doctools/prose.py", "tests/docs/test_prose.py")


def files(root: Path = ROOT) -> list[Path]:
    """Every file of the project that has prose, in order."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=root, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    named = [root / name for name in listed if name not in LISTS_OF_IDIOMS]
    return [path for path in named if path.suffix in READERS and path.is_file()]


def read(path: Path) -> list[Piece]:
    """The prose of a file."""
    return list(READERS[path.suffix](path.read_text(encoding="utf-8")))


class Place(NamedTuple):
    """Where an idiom occurs, with the words around it."""

    path: Path
    line: int
    idiom: str
    words: str


def places(path: Path, pieces: list[Piece] | None = None) -> Iterator[Place]:
    """Each idiom in a file, or in its pieces."""
    for piece in read(path) if pieces is None else pieces:
        for name, idiom in IDIOMS.items():
            for found in re.finditer(idiom.pattern, piece.text, re.IGNORECASE):
                line = piece.line + piece.text.count("\n", 0, found.start())
                around = piece.text[max(0, found.start() - 40) : found.end() + 40]
                yield Place(path, line, name, " ".join(around.split()))


def count(paths: list[Path]) -> tuple[int, dict[str, int]]:
    """The words of the files, and how often each idiom occurs."""
    words = 0
    counts = dict.fromkeys(IDIOMS, 0)
    for path in paths:
        pieces = read(path)
        words += sum(len(re.findall(r"[A-Za-z][A-Za-z'-]*", piece.text)) for piece in pieces)
        for place in places(path, pieces):
            counts[place.idiom] += 1
    return words, counts


def main(arguments: list[str]) -> None:
    listed = arguments[:1] == ["--list"]
    names = arguments[1:] if listed else arguments
    chosen = [name for name in names if name in IDIOMS] or list(IDIOMS)
    paths = [Path(name).resolve() for name in names if name not in IDIOMS] or files()
    paths = [f for p in paths for f in (sorted(p.rglob("*")) if p.is_dir() else [p])]
    paths = [path for path in paths if path.is_file() and path.suffix in READERS]
    if listed:
        for path in paths:
            for place in places(path):
                if place.idiom in chosen:
                    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
                    print(f"{shown}:{place.line}: {place.idiom}: {place.words}")
        return
    words, counts = count(paths)
    print(f"{words:,} words")
    for name, idiom in IDIOMS.items():
        rate = counts[name] * 10_000 / max(words, 1)
        print(f"{name:20} {counts[name]:6} {rate:7.1f}  limit {idiom.limit}")


if __name__ == "__main__":
    main(sys.argv[1:])
