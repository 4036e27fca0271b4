"""What of these tests is of one system."""

import sys

collect_ignore = ["test_process.py"] if sys.platform == "win32" else []
