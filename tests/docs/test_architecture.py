"""ARCHITECTURE.md names modules that exist, and the layers that import-linter checks."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.docs.examples import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
SOURCE = ROOT / "src" / "claimeven"
LAYERS = next(
    contract["layers"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    if contract.get("containers") == ["claimeven"]
)


def test_the_layers_are_those_that_are_checked() -> None:
    drawn = re.search(r"<!-- layers -->\n```text\n(.*?)```", TEXT, re.DOTALL)
    assert drawn
    assert [layer.strip() for layer in drawn[1].split("->")] == LAYERS[1:]  # without __main__


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w./]+(?:\.py|/))`", TEXT))))
def test_modules_and_packages_exist(name: str) -> None:
    if name in ("name.py", "name_kernel.py", "textbook.py", "kernel.py", "layout.py", "views/"):
        return
    places = (SOURCE, SOURCE.parent, ROOT, SOURCE / "parallel")
    subpackages = {"puct/", "net/", "common/", "terminal/"}
    found = any((place / name).exists() for place in places)
    assert found or (name in subpackages and any(SOURCE.glob(f"*/{name}"))), name


def test_every_package_is_in_the_table() -> None:
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert packages == set(re.findall(r"^\| `(\w+)/` \|", TEXT, re.MULTILINE))
