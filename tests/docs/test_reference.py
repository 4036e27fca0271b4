"""The reference has every module that the documents import from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from claimeven import records, solver

DOCS = Path(__file__).parents[2] / "docs"


def test_every_module_that_documents_import_is_in_the_reference() -> None:
    pages = [page for page in DOCS.rglob("*.md") if page.parent.name != "reference"]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    imported = set(re.findall(r"(?:from|import) (claimeven(?:\.\w+)*)", text))
    for module, names in re.findall(r"from (claimeven(?:\.\w+)*) import ([\w, ]+)", text):
        folder = DOCS.parent / "src" / module.replace(".", "/")
        for name in map(str.strip, names.split(",")):
            is_module = (folder / f"{name}.py").is_file() or (folder / name).is_dir()
            imported |= {f"{module}.{name}"} if is_module else set()
    assert len(imported) > 15
    reference = "\n".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    documented = set(re.findall(r"^::: (\S+)$", reference, re.MULTILINE))
    names = ("adapters.kaggle", "adapters.openspiel", "networks.net")
    assert {f"claimeven.{name}" for name in names} <= documented
    documented.discard("claimeven")  # which would do for all
    missing = {
        module
        for module in imported
        if not any(
            f"{module}.".startswith(f"{known}.") or known.startswith(f"{module}.")
            for known in documented
        )
    }
    assert missing == set()


def test_the_reference_has_the_names_that_packages_offer() -> None:
    griffe = pytest.importorskip("griffe")
    extensions = griffe.load_extensions("doctools.griffe_extension")
    loaded = griffe.load("claimeven", search_paths=[DOCS.parent / "src"], extensions=extensions)
    for name, offered in (("solver", solver.__all__), ("records", records.__all__)):
        assert sorted(map(str, loaded[name].exports)) == sorted(offered)
    assert {"Position", "STANDARD", "parse_moves"} <= set(loaded["game"].exports)
