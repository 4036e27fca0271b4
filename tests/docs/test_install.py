"""The page on installing lists the project's extras with their packages."""

from __future__ import annotations

import re
import tomllib

from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "install.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
#: For work on the project itself.
OWN = {"test", "test-all", "bench", "docs", "dev"}


def bare(name: str) -> str:
    """The name of a requirement, as one writes it down in any way."""
    return re.split(r"[><=;\[ ]", name)[0].lower().replace("_", "-")


def test_every_extra_has_a_row_with_its_packages() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \| ([^|]+) \|", PAGE, re.MULTILINE))
    extras = PROJECT["optional-dependencies"]
    assert set(rows) == set(extras) - OWN
    for extra, brings in rows.items():
        named = {bare(name) for name in brings.strip().split(", ")}
        assert named == {bare(name) for name in extras[extra]}, extra
    assert all(f"`{extra}`" in PAGE for extra in OWN)


def test_the_base_equals_the_page() -> None:
    """Another package in the base is a decision: this page and its size change with it."""
    (listed,) = re.findall(r"^(click, .*), with their dependencies", PAGE, re.MULTILINE)
    named = {bare(name) for name in listed.replace(" and ", ", ").split(", ")}
    assert named == {bare(name) for name in PROJECT["dependencies"]}
