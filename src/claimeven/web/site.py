"""The page as static files: any web space can serve it, and a worker in the browser computes.

`index.html` is the page with a policy for its scripts, `static/` has its modules, styles, kernels
and icons, `data/` the opening book, the puzzles and the agents. `service-worker.js` stores all
files in the browser, for use without a network.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimeven import atomic_io
from claimeven.book.locations import shipped_book_path
from claimeven.game.geometry import STANDARD
from claimeven.puzzles.puzzle import IDEAS
from claimeven.puzzles.sets import FIRST_DAY, WEEK, bundled_puzzles
from claimeven.web.local_agents import local_agents

_STATIC = Path(__file__).parent / "static"
_PAGE, _SERVICE_WORKER = "index.html", "service-worker.js"
#: Files that only a server needs, and the ones that are written with changes.
_LEFT_OUT = {_PAGE, "api.css", "views/tournament.js", f"local/{_SERVICE_WORKER}"}
#: How the service worker of a site starts.
_MARK = "// A site of claimeven."
_POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:;"
    " object-src 'none'; base-uri 'none'; form-action 'self'"
)
_HEAD = f"""\
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="backend" content="worker">
<meta name="theme-color" content="#2b5a98">
<link rel="manifest" href="static/app.webmanifest">
<link rel="apple-touch-icon" href="static/icons/icon-192.png">
<link rel="modulepreload" href="static/local/client.js">
<script type="module" src="static/api.js"></script>
"""


@dataclass(frozen=True)
class Site:
    """A written site: its folder, its number of files, their bytes, the digest of this version."""

    folder: Path
    files: int
    bytes: int
    compressed_bytes: int
    digest: str


def write_site(folder: str | Path) -> Site:
    """Write the page as a site to a new or empty folder, or over an earlier site.

    Other files of an earlier site's folder are not changed. Raises `CannotWrite`, also for a folder
    with other files only.
    """
    folder = Path(folder)
    earlier = _earlier_files(folder)
    files = _files()
    digest = hashlib.sha256(b"".join(files.values())).hexdigest()[:12]
    files[_SERVICE_WORKER] = _service_worker(files, digest)
    # The service worker first: it marks the folder as a site, also if this is interrupted.
    for name in (_SERVICE_WORKER, *(name for name in files if name != _SERVICE_WORKER)):
        atomic_io.make_folder((folder / name).parent)
        atomic_io.write_bytes(folder / name, files[name])
    for name in earlier - set(files):
        (folder / name).unlink(missing_ok=True)
    packed = sum(len(atomic_io.packed(data)) for data in files.values())
    return Site(folder, len(files), sum(map(len, files.values())), packed, digest)


def _earlier_files(folder: Path) -> set[str]:
    """Return the names of an earlier site's files. Raises `CannotWrite` if it has others."""
    needs = "must be a new or empty folder, or an earlier site"
    if folder.exists() and not folder.is_dir():
        raise atomic_io.CannotWrite(f"{folder} is a file: --out {needs}")
    service_worker = folder / _SERVICE_WORKER
    if not folder.is_dir() or not any(folder.iterdir()):
        return set()
    text = service_worker.read_text("utf-8", "replace") if service_worker.is_file() else ""
    if not text.startswith(_MARK):
        raise atomic_io.CannotWrite(f"{folder} has other files: --out {needs}")
    listed = re.findall(r'^  "((?:static|data)/[\w./-]+)": ', text, re.MULTILINE)
    return {name for name in listed if ".." not in name}


def _files() -> dict[str, bytes]:
    """Return the content of every file but the service worker."""
    book = shipped_book_path(STANDARD)
    assert book is not None
    paths = sorted(path for path in _STATIC.rglob("*") if path.is_file())
    names = {path.relative_to(_STATIC).as_posix(): path for path in paths}
    return {
        _PAGE: _page().encode(),
        **{f"static/{n}": names[n].read_bytes() for n in names if n not in _LEFT_OUT},
        "data/7x6.book": book.read_bytes(),
        "data/puzzles.json": _json(_puzzles()),
        "data/agents.json": _json(local_agents()),
    }


def _page() -> str:
    """Return the page: a worker answers, its policy is strict, and it links to no tournament."""
    text = (_STATIC / _PAGE).read_text("utf-8")
    text = re.sub(r'.*data-view="tournament".*\n', "", text)
    start = '<meta charset="utf-8">\n'
    return text.replace(start, start + _HEAD, 1)


def _puzzles() -> dict[str, Any]:
    bundled = bundled_puzzles()
    return {
        "set": bundled.name,
        "digest": bundled.digest,
        "first_day": FIRST_DAY.isoformat(),
        "week": WEEK,
        "ideas": IDEAS,
        "puzzles": [puzzle.as_dict() for puzzle in bundled.puzzles],
    }


def _service_worker(files: dict[str, bytes], digest: str) -> bytes:
    """Return the service worker with the digest of each file, so that it stores whole files."""
    digests = {name: base64.b64encode(hashlib.sha256(files[name]).digest()) for name in files}
    listed = {"./" if n == _PAGE else n: f"sha256-{digests[n].decode()}" for n in digests}
    code = (_STATIC / "local" / _SERVICE_WORKER).read_text("utf-8")
    start = f"{_MARK}\nconst VERSION = {json.dumps(digest)};\n"
    return f"{start}const FILES = {json.dumps(listed, indent=2)};\n\n{code}".encode()


def _json(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
