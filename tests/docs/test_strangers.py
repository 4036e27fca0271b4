"""The container for third-party code: its command runs under the same limits without a container.

`unshare`, `mount` and `setpriv` give plain processes the limits of the options of `podman run`: no
network, read-only files except the named folders, no rights. The limits of the whole container
(memory, cores, processes) need a control group and are not tested. No image is built here.
"""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import claimeven
from claimeven.arena import Standings, play_match
from tests.cli.conftest import environment
from tests.docs.examples import ROOT, blocks_of

PAGE = ROOT / "docs" / "strangers.md"
#: The options of `podman run`, and the values that matter below.
OPTIONS = {
    "--rm": None,
    "--network": "none",
    "--read-only": None,
    "--tmpfs": "/tmp",
    "--memory": "4g",
    "--cpus": "2",
    "--pids-limit": "256",
    "--cap-drop": "all",
    "--security-opt": "no-new-privileges",
}
HOME = "/home/player"

#: Tries every door, and raises an error if one is open.
SPY = """
import os, socket, tempfile
import claimeven

def is_closed(door):
    try:
        door()
    except OSError:
        return True
    return False

def agent(position):
    here = os.path.dirname(__file__)
    assert is_closed(lambda: socket.create_connection(("127.0.0.1", {port}), 2)), "the network"
    assert is_closed(lambda: open(os.path.join(here, "other.py"), "a")), "another bot"
    assert is_closed(lambda: open(claimeven.__file__, "a")), "claimeven"
    assert is_closed(lambda: open(os.path.join(here, "..", "mine.txt"), "a")), "files of the user"
    assert is_closed(lambda: os.mkdir("/doors")), "the root folder"
    assert is_closed(lambda: socket.sethostname("spy")), "the rights of root"
    with tempfile.TemporaryFile() as place:
        place.write(b"a place for a while")
    return position.legal_columns[0]
"""

OTHER = "def agent(position):\n    return position.legal_columns[0]\n"

#: Exit status if the system has the tools but does not allow read-only folders.
UNABLE = 77
UNSHARE = ("unshare", "--user", "--map-root-user", "--net", "--mount")
#: Applies the limits to $1, which contains bots, out and tmp, and runs the command $2.
BOUNDS = f"""
cd "$1" || exit 1
mount --bind bots bots && mount --bind out out && mount -t tmpfs none tmp || exit {UNABLE}
while read -r _ place _; do
    case "$place" in
        /proc*|/sys*|/dev*|"$1/out"|"$1/tmp") ;;
        *) mount -o remount,bind,ro "$place" 2>/dev/null;;
    esac
done < /proc/self/mounts
for place in / "$1" bots "$(dirname "$3")"; do
    touch "$place/door" 2>/dev/null && exit {UNABLE}
done
export TMPDIR="$1/tmp"
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all sh -c "$2"
"""


def words_of_the_page() -> list[str]:
    """Return the words of `podman run` on the page."""
    (block,) = (block for block in blocks_of(PAGE) if block.language == "sh")
    text = "\n".join(block.lines).replace("\\\n", " ")
    (line,) = (line for line in text.splitlines() if line.startswith("podman run"))
    return shlex.split(line)


def test_the_options_are_those_that_are_tried() -> None:
    words = words_of_the_page()[2:]
    given: dict[str, str | None] = {}
    while words[0].startswith("--"):
        name = words.pop(0)
        given[name] = None if OPTIONS.get(name, "") is None else words.pop(0)
    assert given == OPTIONS
    assert words[:4] == ["-v", f"./bots:{HOME}/bots:ro", "-v", f"./out:{HOME}/out"]
    assert words[4:7] == ["claimeven", "sh", "-c"]
    # The image has this home, and the command.
    recipe = (ROOT / "Containerfile").read_text("utf-8")
    assert re.search(rf"^WORKDIR {HOME}$", recipe, re.MULTILINE)
    assert re.search(r"^USER player$", recipe, re.MULTILINE)
    # The page's command names the file, because docker does not look for this name.
    build = "podman build -f Containerfile -t claimeven ."
    pages = (PAGE.read_text("utf-8"), (ROOT / "docs" / "serve.md").read_text("utf-8"), recipe)
    assert all(build in text for text in pages)
    table = pages[0]
    assert all(
        f"`{name}" in table or f"`{value}`" in table for name, value in OPTIONS.items() if value
    )


def test_the_image_compiles_by_names_that_are_there() -> None:
    recipe = (ROOT / "Containerfile").read_text("utf-8")
    (code,) = re.findall(r'python -c "(from [^"]+)"', recipe.replace("\\\n", " "))
    subprocess.run([sys.executable, "-c", code], env=environment(), check=True, timeout=200)


def test_the_image_is_built_from_the_files_of_a_wheel() -> None:
    listed = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    taken = {line[1:] for line in listed if line.startswith("!")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    needed = {"pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]}
    assert taken == needed | {package.split("/")[0] for package in wheel}
    assert "*" in listed


def test_a_bot_that_tries_every_door_finds_them_closed(tmp_path: Path) -> None:
    if not (shutil.which("unshare") and shutil.which("setpriv")):
        pytest.skip("the tools of Linux that bound a process are not here")
    for name in ("bots", "out", "tmp"):
        (tmp_path / name).mkdir()
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "bots" / "other.py").write_text(OTHER, "utf-8")
    words = words_of_the_page()[-1].split(" ", 1)
    assert words[0] == "claimeven"
    with socket.create_server(("127.0.0.1", 0)) as server:
        spy = SPY.replace("{port}", str(server.getsockname()[1]))
        (tmp_path / "bots" / "spy.py").write_text(spy, encoding="utf-8")
        # Without bounds it finds the first door open.
        alone = play_match(str(tmp_path / "bots" / "spy.py"), "random", games=1)
        assert alone.forfeits[0] == {"raised AssertionError: the network": 1}
        command = f"{shlex.quote(sys.executable)} -m {' '.join(words)} --rounds 1 --jobs 1"
        ran = subprocess.run(
            [*UNSHARE, "sh", "-c", BOUNDS, "sh", str(tmp_path), command, claimeven.__file__],
            capture_output=True,
            text=True,
            timeout=100,
            env=environment(),
            check=False,
        )
    if ran.returncode == UNABLE or ran.stderr.startswith("unshare:"):
        pytest.skip(f"no bounds can be laid here: {ran.stderr.strip()}")
    assert ran.returncode == 0, ran.stderr
    standings = Standings.read(tmp_path / "out" / "class.db")
    assert len(standings.games) == 6
    assert [game.reason for game in standings.games if game.fault] == []
