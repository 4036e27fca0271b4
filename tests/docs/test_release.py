"""Releases: the checks and files of the script, and the packages of the conda recipe."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import claimeven
from tests.docs.examples import ROOT

PACKAGE = """#!/bin/sh
test -e broken && exit 1
exit 0
"""


def git(folder: Path, *words: str) -> str:
    settings = ["-c", "user.name=a", "-c", "user.email=a@b"]
    done = subprocess.run(
        ["git", *settings, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def release(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    identity = {
        f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    return subprocess.run(
        [sys.executable, folder / ".ci" / "release", *words],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", **identity},
        check=False,
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with the files that a release writes, and a package that builds."""
    names = ("src/claimeven/__init__.py", "CITATION.cff", "docs/cite.md", "conda/meta.yaml")
    for name in (*names, ".ci/release"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / ".ci" / "package").write_text(PACKAGE)
    (tmp_path / ".ci" / "package").chmod(0o755)
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 9.0.0 (unreleased)\n\n- All.\n")
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "Start")
    return tmp_path


def test_a_release_has_its_version_everywhere_and_a_tag(tree: Path) -> None:
    output = release(tree, "9.0.0")
    assert output.returncode == 0, output.stderr
    assert git(tree, "tag") == "v9.0.0"
    assert git(tree, "status", "--porcelain") == ""
    for name in ("src/claimeven/__init__.py", "CITATION.cff", "docs/cite.md", "conda/meta.yaml"):
        text = (tree / name).read_text("utf-8")
        assert "9.0.0" in text and claimeven.__version__ not in text, name
    assert re.search(r"## 9\.0\.0 \(\d{4}-\d\d-\d\d\)", (tree / "CHANGELOG.md").read_text("utf-8"))
    assert "git push origin main v9.0.0" in output.stdout


def test_a_dirty_tree_and_wrong_versions_are_refused(tree: Path) -> None:
    assert release(tree, "9.0.0", "--dry-run").stdout == "9.0.0 can be released\n"
    assert release(tree, "9").stderr == "version must be MAJOR.MINOR.PATCH, got 9\n"
    assert (
        f"version must be above {claimeven.__version__}, got 0.0.1" in release(tree, "0.0.1").stderr
    )
    assert 'must have a section "9.1.0 (unreleased)"' in release(tree, "9.1.0").stderr
    (tree / "CITATION.cff").write_text("changed")
    output = release(tree, "9.0.0")
    assert output.stderr == "the tree has changes: commit or stash them\n"
    assert output.returncode == 1


def test_a_package_that_does_not_build_leaves_the_tree_as_it_was(tree: Path) -> None:
    (tree / "broken").touch()
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "--message", "Broken")
    output = release(tree, "9.0.0")
    assert output.returncode == 1
    assert "no file was changed" in output.stderr
    assert git(tree, "status", "--porcelain") == "" == git(tree, "tag")


def test_the_recipe_asks_for_the_same_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    recipe = (ROOT / "conda" / "meta.yaml").read_text("utf-8")
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    asked = {line.strip(" -").replace(" ", "") for line in run.splitlines()}
    assert asked == {*project["dependencies"], f"python{project['requires-python']}"}
    assert f'version = "{claimeven.__version__}"' in recipe
