"""Shared by the tests of data sets: the command line, run in this process."""

from __future__ import annotations

from tests.cli.conftest import run  # noqa: F401
