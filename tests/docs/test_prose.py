"""The words of the project: idioms below their rates, and names that the rules exclude.

`python -m doctools.prose --list` prints every place of an idiom.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from doctools import prose

#: Names that do not explain themselves, for variables, functions, classes and constants.
EXCLUDED = re.compile(
    r"_?(told|tell|tells|heeded|untaught|slopes?|damaged|usual|begun|anew"
    r"|(MOST|LEAST|USUAL)_\w+|(most|least|usual)_\w+)"
)
#: Subjects of commits before this one are history.
FIRST_CHECKED = "The words of the project are counted, idiom by idiom"
MAX_SUBJECT = 72
VERBS_OF_SPEECH = re.compile(r"\b(tells?|told|stands? in|lies in|takes? along|comes along)\b", re.I)


class Project(NamedTuple):
    """The project, whose modules are parsed once: its words, idioms, and excluded names."""

    words: int
    idioms: Counter[str]
    excluded: list[str]


@pytest.fixture(scope="module")
def project() -> Project:
    words, idioms, excluded = 0, Counter[str](), []
    for path in prose.files():
        more, found = prose.count([path])
        words += more
        idioms.update(found)
        if path.suffix == ".py":
            excluded += [
                f"{path.relative_to(prose.ROOT)}:{line}: {name}"
                for line, name in names(path)
                if EXCLUDED.fullmatch(name)
            ]
    return Project(words, idioms, excluded)


@pytest.mark.parametrize("idiom", prose.IDIOMS)
def test_an_idiom_is_rare(idiom: str, project: Project) -> None:
    rate, kind = project.idioms[idiom] * 10_000 / project.words, prose.IDIOMS[idiom]
    assert rate <= kind.limit, (
        f"{idiom}: {rate:.1f} in 10,000 words, at most {kind.limit}: write {kind.instead};"
        f' python -m doctools.prose --list "{idiom}"'
    )


def test_the_counter_sees_every_kind_of_prose(tmp_path: Path) -> None:
    for name, text in {
        "a.py": '"""It tells."""\n# It stands here.\nraise ValueError("it lies over there")\n',
        "a.md": "It tells of `told`.\n\n```\nIt told.\n```\n- It stands.\n",
        "a.js": "// It tells all.\nlet a = 'it stands over there';\n",
        "a.toml": "# It tells.\nname = 1\n",
        "a.ipynb": '{"cells": [{"cell_type": "markdown", "source": ["It tells."]},'
        ' {"cell_type": "code", "source": ["# It tells."]}]}',
    }.items():
        path = tmp_path / name
        path.write_text(text)
        found = Counter(place.idiom for place in prose.places(path))
        expected = {"a.py": {"tell": 1, "stand": 1, "lie": 1}, "a.md": {"tell": 1, "stand": 1}}
        expected |= {"a.js": {"tell": 1, "stand": 1}, "a.toml": {"tell": 1}, "a.ipynb": {"tell": 1}}
        assert found == expected[name], name


def names(path: Path) -> Iterator[tuple[int, str]]:
    """Every name that a module defines, with its line."""
    for node in prose.syntax(path.read_text("utf-8")):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def test_names_explain_themselves(project: Project) -> None:
    assert not project.excluded, "\n".join(project.excluded)


def test_a_class_name_is_unique() -> None:
    homes: dict[str, list[str]] = {}
    for path in (prose.ROOT / "src").rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(str(path.relative_to(prose.ROOT)))
    # A submission has its own classes, and one of posix and windows is imported on a system.
    apart = ("kaggle/template", "parallel/windows")
    for name, paths in homes.items():
        assert len([path for path in paths if not any(map(path.__contains__, apart))]) <= 1, name


def test_subjects_of_commits_are_short_and_plain() -> None:
    log = subprocess.run(
        ["git", "log", "--format=%s"], cwd=prose.ROOT, capture_output=True, text=True, check=False
    )
    if log.returncode:
        pytest.skip("this is not a repository")
    subjects = log.stdout.splitlines()
    recent = (
        subjects[: subjects.index(FIRST_CHECKED)] if FIRST_CHECKED in subjects else subjects[:50]
    )
    for subject in recent:
        assert len(subject) <= MAX_SUBJECT, subject
        assert not VERBS_OF_SPEECH.search(subject), subject
