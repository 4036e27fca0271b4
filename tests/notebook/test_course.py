"""The notebooks of the course: they run from top to bottom, and are stored without output.

One kernel runs them one after the other, reset between them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (extra test-all)")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (extra test-all)")
pytest.importorskip("ipykernel", reason="ipykernel is not installed (extra test-all)")
pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
WIDGET = "application/vnd.jupyter.widget-view+json"
#: Seconds that a cell may take before a test gives up: generous, for machines under load.
PATIENCE = 240
#: Words that notebooks have and do not have; the numbers come with the seeds.
SAID = {
    "1-minimax-to-alphabeta": ["value win in 7 for the side to move", "times fewer positions."],
    "2-flat-to-uct": ["flat Monte Carlo plays column 3; column 6 wins", "<b>Column 6</b>"],
    "3-how-good-is-my-agent": [" games on 7x6 connect 4, seed ", "positions answered, 0 faults"],
}


@pytest.fixture(scope="module")
def kernel() -> Iterator[Any]:
    """A real kernel, with the package as these tests have it."""
    from jupyter_client.manager import KernelManager

    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(extra_arguments=["--log-level=ERROR"], stdin=None)
    yield manager
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()


def outputs_of(notebook: Any) -> Iterator[tuple[str, str]]:
    """All that cells put out: kind and text."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                yield output.name, output.text
            for kind, data in output.get("data", {}).items():
                yield kind, str(data)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_its_results(path: Path, kernel: Any) -> None:
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    notebook.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
    client = nbclient.NotebookClient(notebook, km=kernel, timeout=PATIENCE)
    try:
        client.execute()
    finally:
        client.kc.stop_channels()
    shown = list(outputs_of(notebook))
    kinds = [kind for kind, _ in shown]
    assert "stderr" not in kinds
    assert kinds.count("image/png") >= 2  # plots
    assert kinds.count(WIDGET) >= 1
    reported = "\n".join(text for _, text in shown)
    for text in SAID[path.stem]:
        assert text in reported


def test_all_are_there() -> None:
    assert [path.stem for path in NOTEBOOKS] == sorted(SAID)
    page = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\(notebooks/([\w-]+)\.ipynb\)", page) == sorted(SAID)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_kept_without_output_and_as_it_is_written(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    data = json.loads(text)
    assert text == json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    assert data["metadata"] == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    ids = [cell["id"] for cell in data["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in data["cells"]:
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
