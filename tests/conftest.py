"""Settings for every test."""

import pytest
from hypothesis import settings

from claimeven.compiled.kernels import PLAIN

# No test depends on timing: a machine under load, or the first compilation, must not fail one.
settings.register_profile("claimeven", deadline=None)
settings.load_profile("claimeven")


def pytest_configure(config: pytest.Config) -> None:
    """Let words wrap around where kernels are plain Python: there NumPy warns of it."""
    if PLAIN:
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered:RuntimeWarning")
