"""The first import of the package: while the command line starts, Ctrl-C stops it silently.

Python would print a traceback of the import. The current folder comes last on the path. This
applies to `claimeven` and `python -m claimeven` only, not to programs that use the package.
"""

import sys

_given, _all = sys.argv, sys.orig_argv
if _given and (
    _given[0].replace("\\", "/").rpartition("/")[2] in ("claimeven", "claimeven.exe")
    or (_given[0] == "-m" and _all[len(_all) - len(_given)] == "claimeven")
):
    if _given[0] == "-m" and not sys.flags.safe_path:  # a random.py there is not Python's
        sys.path.append(sys.path.pop(0))
    _signal = __import__("_signal")  # part of Python itself: `signal` takes milliseconds to import
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
