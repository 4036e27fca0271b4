"""Tests of only one system."""

import sys

collect_ignore = ["test_process.py"] if sys.platform == "win32" else []
