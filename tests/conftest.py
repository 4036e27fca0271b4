"""Settings for every test."""

import os

import pytest
from hypothesis import settings

# No test depends on timing: a machine under load, or the first compilation, must not fail one.
settings.register_profile("claimeven", deadline=None)
settings.load_profile("claimeven")


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        # Words wrap round in compiled code by design; as plain Python NumPy warns of it.
        config.addinivalue_line(
            "filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning"
        )
