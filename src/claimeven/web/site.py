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
from typing import Any, Final

from claimeven import atomic_io
from claimeven.agents.families import baselines, classic, montecarlo, perfect
from claimeven.book.locations import shipped_book_path
from claimeven.evaluation.registry import EVALUATIONS
from claimeven.game.geometry import MAX_CONNECT, MIN_CONNECT, STANDARD
from claimeven.montecarlo.options import PRESETS
from claimeven.puzzles.puzzle import FIRST_DAY, IDEAS, WEEK, bundled_puzzles
from claimeven.web.search_traces import MAX_ITERATIONS, MAX_NODES, MAX_POSITIONS, description_of
from claimeven.web.settings import CAPS, ServerSettings, allowed_agents, levels

_STATIC = Path(__file__).parent / "static"
_PAGE, _SERVICE_WORKER = "index.html", "service-worker.js"
#: Files that only a server needs, and the ones that are written with changes.
_LEFT_OUT = {_PAGE, "api.css", "views/tournament.js", "replay.js", f"local/{_SERVICE_WORKER}"}
#: Comments on their own lines of a module, which browsers need not load.
_COMMENTS = re.compile(rb"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/)\n", re.MULTILINE | re.DOTALL)
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

#: Agents of the page: all without trained models, a graph, or a search to the end of the game.
_NAMES: Final = {
    kind.name
    for family in (baselines, classic, montecarlo, perfect)
    for kind in family.KINDS
    if kind.name not in ("uct-itu-table", "full")
}
#: Options without an effect there: one thread, kernels only, a new tree for each move.
_FIXED: Final = ("backend", "threads", "table_mb", "transpositions", "reuse")


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

    Other files of an earlier site stay. Raises `CannotWrite`, also for a folder of other files.
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
    book = shipped_book_path(STANDARD)
    assert book is not None
    paths = sorted(path for path in _STATIC.rglob("*") if path.is_file())
    names = {path.relative_to(_STATIC).as_posix(): path for path in paths}
    return {
        _PAGE: _page().encode(),
        **{f"static/{n}": _shipped(names[n]) for n in names if n not in _LEFT_OUT},
        "data/7x6.book": book.read_bytes(),
        "data/puzzles.json": _json(_puzzles()),
        "data/agents.json": _json(local_agents()),
    }


def _shipped(path: Path) -> bytes:
    data = path.read_bytes()
    return _COMMENTS.sub(b"", data) if path.suffix == ".js" else data


def _page() -> str:
    """Return the page: a worker answers, its policy is strict, and it links to no tournament."""
    text = (_STATIC / _PAGE).read_text("utf-8")
    text = re.sub(r'.*data-view="tournament".*\n', "", text)
    start = '<meta charset="utf-8">\n'
    return text.replace(start, start + _HEAD, 1)


def local_agents() -> dict[str, Any]:
    """Return the agents with options and all settings, levels, caps, and what evaluations count."""
    caps = ServerSettings(workers=1).caps
    return {
        "agents": [
            _without_fixed(agent, {**CAPS, **caps})
            for agent in allowed_agents(STANDARD)
            if agent["name"] in _NAMES
        ],
        "levels": levels(),
        "caps": caps,
        "evaluations": {
            name: {n: description_of(each, n) for n in range(MIN_CONNECT, MAX_CONNECT + 1)}
            for name, each in EVALUATIONS.items()
        },
        "depth": classic.DEFAULT_DEPTH,
        "opening_discs": classic.OPENING_DISCS,
        "trace": {
            "iterations": montecarlo.TRACE_ITERATIONS,
            "max_iterations": MAX_ITERATIONS,
            "max_nodes": MAX_NODES,
            "max_positions": MAX_POSITIONS,
        },
    }


def _without_fixed(agent: dict[str, Any], caps: dict[str, Any]) -> dict[str, Any]:
    """Return an agent with the options that have an effect, and its settings."""
    options = [dict(option) for option in agent["options"] if option["name"] not in _FIXED]
    for option in options:
        cap = caps.get(option["name"])
        if cap is not None:
            option["high"] = min(option["high"] or cap, cap)
            option["takes"] = f"{option['takes'].partition(' to ')[0]} to {option['high']:,.0f}"
    settings = vars(PRESETS[agent["name"]]) if agent["name"] in PRESETS else {}
    return {**agent, "options": options, "defaults": dict(settings)}


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
