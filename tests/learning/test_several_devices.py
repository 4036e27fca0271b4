"""Training and inference on all accelerators of a machine give the result of one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.learning.needs import needs_jax

pytestmark = needs_jax


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The arrays of a process with one device, and of a process with four virtual devices."""
    folders = [tmp_path_factory.mktemp(f"devices{count}") for count in (1, 4)]
    processes = []
    for folder, count in zip(folders, (1, 4), strict=True):
        flags = f"--xla_force_host_platform_device_count={count}"
        processes.append(
            subprocess.Popen(
                [sys.executable, "-m", "tests.learning.several_devices", str(folder)],
                env={**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
                cwd=Path(__file__).parents[2],
            )
        )
    assert [process.wait(300) for process in processes] == [0, 0]
    return [dict(np.load(folder / "found.npz")) for folder in folders]


def test_the_runs_of_four_devices_are_those_of_one(found: list[Any]) -> None:
    one, four = found
    assert [int(each[0]) for name, each in one.items() if "devices" in name] == [1, 1, 1]
    assert [int(each[0]) for name, each in four.items() if "devices" in name] == [4, 4, 3]
    assert np.abs(one["distil"] - four["distil"]).max() < 1e-3
    assert np.abs(one["distil weights"] - four["distil weights"]).max() < 1e-3
    assert np.abs(one["selfplay"][0] - four["selfplay"][0]).max() < 1e-3
    assert one["distil"][-1].sum() < one["distil"][0].sum()
