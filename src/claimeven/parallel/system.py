"""The module for this system, `posix` or `windows`, under one name."""

import sys

if sys.platform == "win32":
    from claimeven.parallel import windows as backend
else:
    from claimeven.parallel import posix as backend

__all__ = ["backend"]
