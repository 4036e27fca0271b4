"""The files that Python code depends on, found by reading it."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimeven.agents import fingerprint
from claimeven.agents.fingerprint import dependencies_of, digests_of, paths_of, snapshot_file

#: The text of a bot, and the files around it that it then depends on.
SAID = {
    "import helper": {"helper.py"},
    "from helper import f": {"helper.py"},
    "import lib.deep": {"lib/__init__.py", "lib/deep.py", "lib/other.py"},
    "from lib import deep": {"lib/__init__.py", "lib/deep.py", "lib/other.py"},
    "def f():\n    import helper as h": {"helper.py"},
    "import importlib\nimportlib.import_module('helper')": {"helper.py"},
    "import fast": {"fast.cpython-311-x86_64-linux-gnu.so"},
    "import numpy as np\nW = np.load('weights.npz')": {"weights.npz"},
    "open(__file__.replace('bot.py', '') + '/weights.npz')": {"weights.npz"},
    "f'{HERE}/weights.npz'": {"weights.npz"},
    "Path(__file__).parent / 'data' / 'table.json'": {"data/table.json"},
    "os.path.join(HERE, 'data', f'table.json')": {"data/table.json"},
    "for each in Path(HERE).glob('*.npz'): pass": {"weights.npz"},
    "sys.path.append('../shared')\nimport common": {"../shared/common.py"},
    "sys.path.append(os.path.dirname(os.path.dirname(__file__)))\nimport top": {"../top.py"},
    "open('log.txt', 'a').write('x')": set(),
    "with open('log.txt', mode='w') as f: pass": set(),
    "import random, numpy, json": set(),
    "'''A text of no file\\nat all.'''": set(),
    "def agent(position)": set(),
    "'~nobody/x.py', '**', '*', '[', '/proc/kcore', '/dev/zero', '\\d'": set(),
    "x = '\\0weights.npz' + '" + "x" * 5000 + "'": set(),
}


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot among files that it may depend on."""
    folder = tmp_path / "bots"
    for name in (
        "helper.py", "random.py", "other_bot.py", "weights.npz", "log.txt", "lib/__init__.py",
        "lib/other.py", "data/table.json", "fast.cpython-311-x86_64-linux-gnu.so",
        "../shared/common.py", "../top.py",
    ):  # fmt: skip
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    (folder / "lib" / "deep.py").write_text("from .other import x\nfrom . import other\n")
    return folder / "bot.py"


@pytest.mark.parametrize("said", SAID)
def test_imports_and_files_of_a_bot_are_found(bot: Path, said: str) -> None:
    bot.write_text(said)
    assert set(paths_of(f"{bot}:agent")) == {"bot.py", *SAID[said]}


def test_files_that_name_each_other_are_found_once(bot: Path) -> None:
    bot.write_text("import helper")
    (bot.parent / "helper.py").write_text("import bot, helper")
    assert [path.name for path in dependencies_of(bot)] == ["bot.py", "helper.py"]


def test_the_number_of_found_files_is_bounded(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint, "MAX_FILES", 2)
    bot.write_text("import helper, lib.deep")
    assert len(dependencies_of(bot)) == 2


def test_the_files_of_options_and_commands_count(
    bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot.write_text("import helper\ndef f(*given): return 0\n")
    monkeypatch.chdir(bot.parent)
    for name in ("net.onnx", "net.onnx.data"):
        (bot.parent / name).write_bytes(b"a net")
    for spec, names in (
        ("net:model=weights.npz", ["weights.npz"]),
        ("puct:model=weights.npz,iterations=5", ["weights.npz"]),
        ("puct:model=net.onnx", ["net.onnx", "net.onnx.data"]),
        ("puct:model=bot.py:f,iterations=5", ["bot.py", "helper.py"]),
        ("net:model=bot:f", ["bot.py", "helper.py"]),
        ("alphabeta:eval=bot.py:f", ["bot.py", "helper.py"]),
        ("kaggle:bot.py", ["bot.py", "helper.py"]),
        ("ugi:python bot.py --net=weights.npz", ["bot.py", "helper.py", "weights.npz"]),
        ("ugi:EvalFile=weights.npz python bot.py", ["bot.py", "helper.py", "weights.npz"]),
        ("alphabeta:eval=nowhere.py:f", []),
        ("alphabeta:no such option", []),
        ("ugi:python 'bot.py", []),
        ("http://127.0.0.1:8000/play", []),
        ("perfect", []),
    ):
        found = digests_of(spec)
        assert sorted(found) == names, spec
        assert all(len(digest) == 24 for digest in found.values())


def test_which_text_the_processes_of_an_agent_keep() -> None:
    specs = ("bot.py", "bot.py:f", "kaggle:bot.py", "ugi:python bot.py", "alphabeta:eval=bot.py:f")
    assert [snapshot_file(spec) for spec in specs] == ["bot.py", "bot.py", "bot.py", None, None]
