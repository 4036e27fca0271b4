"""The examples of the README run as written."""

import doctest
import re
import shlex
from pathlib import Path

from claimeven.cli.main import VERBS

README = Path(__file__).parent.parent / "README.md"


def test_python_examples_give_what_they_show() -> None:
    results = doctest.testfile(str(README), module_relative=False)
    assert results.attempted > 8
    assert results.failed == 0


def test_readme_is_short_enough_to_read() -> None:
    assert len(README.read_text().splitlines()) <= 150


def test_every_verb_stands_in_the_table() -> None:
    text = README.read_text()
    assert all(f"`claimeven {verb}" in text for verb in VERBS)


def test_links_lead_to_files() -> None:
    for target in re.findall(r"\]\(([\w/.]+)\)", README.read_text()):
        assert (README.parent / target).is_file(), target


def test_shell_examples_name_real_verbs() -> None:
    for block in re.findall(r"```sh\n(.*?)```", README.read_text(), re.DOTALL):
        words = shlex.split(block)
        called = [words[i + 1] for i, word in enumerate(words) if word.endswith("claimeven")]
        assert all(verb in VERBS for verb in called)
