"""The examples of a page: its fenced blocks, and the way to run each kind.

| block | use |
|---|---|
| `python` with `>>>` | run as a doctest; the blocks of a page share their names |
| `... title="name.py"` | written to the page's folder, in which its other blocks run |
| `console` | each line after `$ ` is run and must print the lines below it |
| `sh` | not run, but every command, option and agent of `claimeven` in it must exist |

The same is true for commands in the text. `...` matches any output; in a `console` block all white
space is equal.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
FLAGS = doctest.ELLIPSIS
#: Tables of the command line are as wide as their cells, and times differ.
CONSOLE_FLAGS = FLAGS | doctest.NORMALIZE_WHITESPACE

_FENCE = re.compile(r"^( *)(`{3,})(.*)$")
_SHELL = re.compile(r"[|<>;&$`]")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its title if it has one, its lines, the number of the first."""

    language: str
    title: str
    lines: tuple[str, ...]
    number: int


@dataclass(frozen=True)
class Shown:
    """A command and its output on a page."""

    command: str
    output: str
    number: int


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page in order."""
    opened: tuple[str, str, str, int] | None = None
    lines: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = _FENCE.match(line)
        if opened is None:
            if fence:
                opened = (fence[1], fence[2], fence[3].strip(), number + 1)
                lines = []
            continue
        indent, ticks, info, first = opened
        if fence and fence[2] == ticks and not fence[3].strip():
            language = re.match(r"[\w-]*", info)
            title = re.search(r'title="([^"]+)"', info)
            assert language is not None
            yield Block(language[0], title[1] if title else "", tuple(lines), first)
            opened = None
        else:
            lines.append(line.removeprefix(indent))
    assert opened is None, f"{page} ends inside a block"


def commands_of(block: Block) -> Iterator[Shown]:
    """Yield the commands of a console block with their output."""
    found: list[tuple[int, str, list[str]]] = []
    for number, line in enumerate(block.lines, start=block.number):
        if line.startswith("$ "):
            found.append((number, line[2:], []))
        elif found and found[-1][1].endswith("\\"):
            first, command, output = found[-1]
            found[-1] = (first, f"{command[:-1].rstrip()} {line.strip()}", output)
        else:
            found[-1][2].append(line)
    for number, command, output in found:
        yield Shown(command, "\n".join(output).rstrip(), number)


def run_doctests(page: Path, names: dict[str, object]) -> doctest.TestResults:
    """Run the Python examples of a page; stdout has the failures."""
    lines: list[str] = []
    for block in blocks_of(page):
        if block.language in ("python", "pycon"):
            lines += [""] * (block.number - 1 - len(lines)) + list(block.lines) + [""]
    test = doctest.DocTestParser().get_doctest("\n".join(lines), names, page.name, str(page), 0)
    return doctest.DocTestRunner(optionflags=FLAGS).run(test, clear_globs=False)


def is_plain(command: str) -> bool:
    """Whether a command is only the program, without shell syntax."""
    return command.startswith("claimeven ") and not _SHELL.search(command)


def words_of(command: str) -> list[str]:
    """Split a plain command as a shell does; `*` matches files of the current folder."""
    words = []
    for word in shlex.split(command):
        found = sorted(map(str, Path().glob(word))) if "*" in word else []
        words += found or [word]
    return words


def run_in_shell(command: str) -> str:
    """Run a command in a shell with the program; return its output, and stderr if it fails."""
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    program = f'claimeven() {{ {shlex.quote(sys.executable)} -m claimeven "$@"; }}\n'
    ended = subprocess.run(
        ["bash", "-c", program + command],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
        timeout=120,
        check=False,
    )
    return ended.stdout + (ended.stderr if ended.returncode else "")


def differs(shown: Shown, got: str) -> str:
    """Return the difference of an output from the page, or an empty string."""
    want = doctest.Example(shown.command, shown.output + "\n")
    clean = "\n".join(line.rstrip() for line in got.rstrip().splitlines()) + "\n"
    checker = doctest.OutputChecker()
    if checker.check_output(want.want, clean, CONSOLE_FLAGS):
        return ""
    return checker.output_difference(want, clean, CONSOLE_FLAGS | doctest.REPORT_NDIFF)
