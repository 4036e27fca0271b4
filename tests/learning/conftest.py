"""What tests of learning share."""

from __future__ import annotations

import pytest

from tests.learning.jax_cache import keep_what_jax_compiles


@pytest.fixture(scope="session", autouse=True)
def _compiled_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    keep_what_jax_compiles(tmp_path_factory.mktemp("jax"))
