"""Functions compiled by JAX are loaded again: the same answers, and no file fails a run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from claimeven.compiled import cache
from claimeven.learning.jax_functions import JaxFunction
from tests.learning.needs import needs_jax

pytestmark = needs_jax

#: Calls a function, and prints how often JAX compiled it and its answer.
CALL = """
import json
import jax, jax.monitoring, numpy
from claimeven.learning.jax_functions import JaxFunction
names = []
jax.monitoring.register_event_duration_secs_listener(lambda name, _, **more: names.append(name))
found = JaxFunction("tests.sum", lambda x, more: {"sum": x.sum() + more})(numpy.arange(5.0), 2)
print(json.dumps([sum("backend_compile" in name for name in names), float(found["sum"])]))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAIMEVEN_CACHE_DIR", str(tmp_path))
    return tmp_path / "kernels"


def called() -> list[float]:
    ran = subprocess.run([sys.executable, "-c", CALL], capture_output=True, text=True, check=True)
    assert not ran.stderr
    found: list[float] = json.loads(ran.stdout)
    return found


def test_another_process_loads_the_compiled_function(folder: Path) -> None:
    assert called() == [1, 12.0]
    (file,) = folder.iterdir()
    assert file.name.startswith("tests.sum-") and file.suffix == cache.JAX_SUFFIX
    assert called() == [0, 12.0]


def scaled(factor: float) -> JaxFunction:
    return JaxFunction("tests.scaled", lambda x: x * factor)


def test_each_function_and_shape_has_its_own_file(folder: Path) -> None:
    for count, (factor, size) in enumerate(((2.0, 3), (2.0, 4), (3.0, 3)), 1):
        numbers = np.arange(size, dtype=np.float32)
        function = scaled(factor)
        for _ in range(2):
            assert np.asarray(function(numbers)).tolist() == (numbers * factor).tolist()
        assert len(list(folder.iterdir())) == count
    whole = np.arange(3)  # numbers of another kind
    assert np.asarray(scaled(2.0)(whole)).tolist() == [0, 2, 4]
    assert len(list(folder.iterdir())) == count + 1


@pytest.mark.parametrize("content", [None, b"", b"not what pickle writes"])
def test_a_file_that_cannot_be_used_is_done_without(folder: Path, content: bytes | None) -> None:
    numbers = np.arange(3, dtype=np.float32)
    scaled(5.0)(numbers)
    (file,) = folder.iterdir()
    if content is None:
        file.write_bytes(file.read_bytes()[:-1])
    else:
        cache.write(file, content)
    assert np.asarray(scaled(5.0)(numbers)).tolist() == [0, 5, 10]


def test_files_of_two_functions_that_were_swapped_are_done_without(folder: Path) -> None:
    numbers = np.arange(3, dtype=np.float32)
    for factor in (2.0, 3.0):
        scaled(factor)(numbers)
    one, other = folder.iterdir()
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)
    for factor in (2.0, 3.0):
        assert np.asarray(scaled(factor)(numbers)).tolist() == (numbers * factor).tolist()


def test_without_a_folder_it_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_folder = tmp_path / "file"
    no_folder.touch()
    monkeypatch.setenv("CLAIMEVEN_CACHE_DIR", str(no_folder))
    assert np.asarray(scaled(7.0)(np.ones(2))).tolist() == [7, 7]
