"""Requests made from the API's own description: no answer may be a failure of the server."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.forks import environment
from tests.web.conftest import PATIENCE, Server

#: The checks of every answer.
CHECKS = ("not_a_server_error", "response_schema_conformance", "content_type_conformance")
RUN = "from schemathesis.cli import schemathesis; schemathesis()"


def fuzzed(server: Server, examples: int, patience: float = PATIENCE) -> str:
    """Send a number of random requests to each route; return the failures."""
    ran = subprocess.run(
        [
            sys.executable, "-c", RUN, "run", f"{server.url}/api/openapi.json",
            "--max-examples", str(examples), "--phases", "examples,fuzzing",
            "--checks", ",".join(CHECKS), "--generation-deterministic", "--no-color",
            "--request-timeout", str(PATIENCE),
        ],
        capture_output=True, text=True, env=environment(), timeout=patience, check=False,
    )  # fmt: skip
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


@pytest.mark.skipif(find_spec("schemathesis") is None, reason="schemathesis is not installed")
def test_requests_at_random_find_no_failure(server: Server) -> None:
    lost = server.status()["workers_lost"]
    assert fuzzed(server, 3) == ""
    assert server.status()["workers_lost"] == lost
