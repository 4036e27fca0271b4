"""`python -m claimeven` and the command `claimeven`: the command line.

Until it can answer Ctrl-C in words, and once it has said all it had to say, Ctrl-C ends the
program without any; the package itself sees to that from its first line on.
"""

import atexit
import os
import signal
import sys
from contextlib import suppress


def main() -> None:
    """Run the command line, and end the process without unloading modules, which is slow and noisy
    in some libraries.
    """
    before = signal.getsignal(signal.SIGINT)
    is_heeded = before in (signal.SIG_DFL, signal.default_int_handler)  # and not ignored
    if is_heeded:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    status = 1
    try:
        from claimeven.cli.main import main as run  # noqa: PLC0415 - see above

        run(on_interrupt=signal.default_int_handler if is_heeded else None)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    if is_heeded:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
