"""What the package imports first: while the command line starts, Ctrl-C ends it without a word.

Python would print a traceback of whatever is being imported. Programs that use the package are left
alone: this looks for the command line, `claimeven` or `python -m claimeven`.
"""

import sys

_given, _all = sys.argv, sys.orig_argv
if _given and (
    _given[0].replace("\\", "/").rpartition("/")[2] in ("claimeven", "claimeven.exe")
    or (_given[0] == "-m" and _all[len(_all) - len(_given)] == "claimeven")
):
    _signal = __import__("_signal")  # part of Python itself: `signal` takes milliseconds to import
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
