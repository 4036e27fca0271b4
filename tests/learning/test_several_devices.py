"""Training and inference on all accelerators of a machine give the result of one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.learning.needs import needs_jax
from tests.learning.several_devices import results

pytestmark = needs_jax


def test_four_devices_train_and_evaluate_as_one(tmp_path: Path) -> None:
    """This process has one device, and another process has four virtual devices."""
    file = tmp_path / "found.npz"
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4"
    subprocess.run(
        [sys.executable, "-m", "tests.learning.several_devices", str(file)],
        env={**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
        cwd=Path(__file__).parents[2],
        check=True,
        timeout=300,
    )
    one, four = results(), np.load(file)
    assert [int(each["devices of 64"]) for each in (one, four)] == [1, 4]
    assert [int(each["devices of 66"]) for each in (one, four)] == [1, 3]
    for name in one:
        if not name.startswith("devices"):
            assert np.abs(one[name] - four[name]).max() < 1e-3, name
    for count in (64, 66):
        losses = four[f"losses of {count}"].sum(axis=1)
        assert losses[-1] < losses[0]
