"""Every example of every page runs as written; `examples` describes the kinds of blocks."""

from __future__ import annotations

import doctest
import importlib.util
import io
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from claimeven.agents import AGENTS
from claimeven.cli.main import COMMANDS, cli, main
from tests.docs.examples import (
    PAGES,
    ROOT,
    Shown,
    blocks_of,
    commands_of,
    differs,
    is_plain,
    run_doctests,
    run_in_shell,
    words_of,
)

WITH_EXAMPLES = [
    pytest.param(page, id=str(page.relative_to(ROOT)))
    for page in PAGES
    if any(block.language in ("python", "pycon", "console") for block in blocks_of(page))
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a page's examples."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Return a runner of commands: it returns the output, with stderr if the command fails."""

    def runner(command: str) -> str:
        if not is_plain(command):
            return run_in_shell(command)
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(words_of(command)[1:])
        out, err = capfd.readouterr()
        return out + (err if ended.value.code else "")

    return runner


@pytest.mark.parametrize("page", WITH_EXAMPLES)
def test_examples_print_their_shown_output(
    page: Path, folder: Path, run: Callable[[str], str]
) -> None:
    for block in blocks_of(page):
        if block.title:
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
    assert run_doctests(page, {"__name__": "__main__"}).failed == 0
    for block in blocks_of(page):
        if block.language == "console":
            for shown in commands_of(block):
                difference = differs(shown, run(shown.command))
                assert not difference, f"{page}:{shown.number}: {shown.command}\n{difference}"


def test_every_python_block_is_run_or_written_to_a_file() -> None:
    for page in PAGES:
        for block in blocks_of(page):
            if block.language in ("python", "pycon"):
                is_run = any(line.startswith(">>> ") for line in block.lines)
                assert is_run or block.title.endswith(".py"), f"{page}:{block.number}"


def test_commands_options_and_agents_of_pages_exist() -> None:
    seen = 0
    for page in PAGES:
        for words in _calls(page):
            seen += 1
            assert words[0] in COMMANDS or words[0].startswith("-"), f"{page}: {words}"
            if words[0] in COMMANDS:
                options = _options(words)
                for word in words[1:]:
                    assert not word.startswith("--") or word in options, f"{page}: {words}"
                    _check_agent(word)
    assert seen > 40


def test_modules_named_in_commands_exist() -> None:
    for page in PAGES:
        text = " ".join(page.read_text(encoding="utf-8").split())
        for module in re.findall(r"python -m ((?:bench|tests|doctools)[\w.]*)", text):
            assert importlib.util.find_spec(module.rstrip(".")) is not None, f"{page}: {module}"


def test_a_wrong_example_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n", encoding="utf-8")
    results: doctest.TestResults = run_doctests(page, {})
    assert (results.failed, results.attempted) == (1, 1)
    assert "page.md" in capsys.readouterr().out
    shown = Shown("claimeven solve 4455", "4455 ...7", 1)
    assert differs(shown, "4455 18\n")
    assert not differs(shown, "4455 17  \n")


def _calls(page: Path) -> list[list[str]]:
    """The words after each `claimeven` of a page, in blocks and in lines of text."""
    lines = re.findall(r"`(claimeven [a-z][^`]*)`", page.read_text(encoding="utf-8"))
    for block in blocks_of(page):
        if block.language == "console":
            lines += [shown.command for shown in commands_of(block)]
        elif block.language == "sh":
            lines += re.sub(r"\\\n\s*", "", "\n".join(block.lines)).splitlines()
    calls = []
    for line in lines:
        for command in re.split(r"\||&&|;|\bthen\b", line):
            words = shlex.split(command, comments=True)
            if words and Path(words[0]).name == "claimeven" and len(words) > 1:
                calls.append(words[1:])
    return calls


def _check_agent(spec: str) -> None:
    """Raise `InvalidSpec` for an agent with options that it does not have."""
    name, _, options = spec.partition(":")
    if name in AGENTS and options:
        AGENTS[name].parse(dict(option.split("=") for option in options.split(",")))


def _options(words: list[str]) -> set[str]:
    """Every option of a command, and of its subcommands."""
    command = cli.get_command(click.Context(cli), words[0])
    assert command is not None
    known = {"--help"}
    while command is not None:
        known.update(name for p in command.params for name in (*p.opts, *p.secondary_opts))
        if not isinstance(command, click.Group) or len(words) < 2:
            break
        words = words[1:]
        command = command.get_command(click.Context(command), words[0])
    return known
