"""`claimeven site`: the page as files."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from claimeven import Geometry
from claimeven.book.locations import shipped_book_path
from claimeven.puzzles import bundled_puzzles
from tests.cli.conftest import Run


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site."""
    from claimeven.web.site import write_site

    return write_site(tmp_path_factory.mktemp("site") / "public").folder


def listed(folder: Path) -> dict[str, str]:
    """The files that the service worker stores, with their digests."""
    text = (folder / "service-worker.js").read_text()
    found: dict[str, str] = json.loads(re.search(r"const FILES = ({.*?});", text, re.DOTALL)[1])
    return found


def test_the_service_worker_lists_every_other_file_with_its_digest(written: Path) -> None:
    paths = {path.relative_to(written).as_posix(): path for path in written.rglob("*.*")}
    assert {"./" if name == "index.html" else name for name in paths} == {
        *listed(written), "service-worker.js",
    }  # fmt: skip
    for name, digest in listed(written).items():
        data = paths["index.html" if name == "./" else name].read_bytes()
        assert digest == "sha256-" + base64.b64encode(hashlib.sha256(data).digest()).decode()


def test_every_address_in_the_page_is_relative_and_there(written: Path) -> None:
    page = (written / "index.html").read_text()
    addresses = re.findall(r'(?:href|src)="([^"#]*)"', page)
    assert len(addresses) > 30
    for address in addresses:
        assert not address.startswith("/") and "://" not in address
        assert (written / address.partition("?")[0]).exists()
    assert "tournament" not in page
    assert page.index("Content-Security-Policy") < page.index("<script")
    assert re.findall(r"<script(?![^>]* src=)|<style| style=| on\w+=", page) == []
    manifest = written / "static" / "app.webmanifest"
    for icon in json.loads(manifest.read_text())["icons"]:
        assert (manifest.parent / icon["src"]).is_file()


def test_the_book_the_puzzles_and_the_agents_are_the_bundled_ones(written: Path) -> None:
    data = written / "data"
    assert (data / "7x6.book").read_bytes() == shipped_book_path(Geometry()).read_bytes()
    puzzles = json.loads((data / "puzzles.json").read_text())
    assert puzzles["digest"] == bundled_puzzles().digest
    assert puzzles["puzzles"] == [puzzle.as_dict() for puzzle in bundled_puzzles().puzzles]
    agents = {agent["name"] for agent in json.loads((data / "agents.json").read_text())["agents"]}
    assert {"perfect", "alphabeta", "uct", "flat", "random"} <= agents


def test_a_site_is_written_again_and_other_files_stay(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    first = run("site", "--out", str(folder))
    assert (first.status, first.err) == (0, "")
    assert f"python -m http.server --directory {folder}" in first.out
    (folder / "CNAME").write_text("c4.example.org")
    (folder / "static" / "api.js").unlink()
    old = folder / "static" / "old.js"
    old.write_text("")
    worker = folder / "service-worker.js"
    worker.write_text(worker.read_text().replace('  "./"', '  "static/old.js": "",\n  "./"'))
    again = run("site", "--out", str(folder), "--json")
    assert (again.status, again.err) == (0, "")
    assert not old.exists()
    assert (folder / "CNAME").read_text() == "c4.example.org"
    found = json.loads(again.out)
    files = [path for path in folder.rglob("*.*") if path.name != "CNAME"]
    assert found["folder"] == str(folder)
    assert found["files"] == len(files)
    assert found["bytes"] == sum(path.stat().st_size for path in files) > found["compressed_bytes"]


def test_other_folders_and_files_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    needs = "--out must be a new or empty folder, or an earlier site"
    for path, reason in ((tmp_path, "has other files"), (tmp_path / "notes.txt", "is a file")):
        result = run("site", "--out", str(path))
        assert (result.status, result.out) == (2, "")
        assert result.err == f"claimeven: {path} {reason}: {needs}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    assert run("site").status == 2


def test_a_site_needs_no_packages_of_a_server() -> None:
    unneeded = "{'fastapi', 'uvicorn', 'pydantic'}"
    code = f"import sys, claimeven.cli.serve; print({unneeded} & {{*sys.modules}})"
    words = [sys.executable, "-c", code]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "set()\n"
