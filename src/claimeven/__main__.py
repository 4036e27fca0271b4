"""`python -m claimeven` and the command `claimeven`: the command line.

Until it can answer Ctrl-C in words, and once it has said all it had to say, Ctrl-C ends the
program without any. What is imported here first decides how soon that holds.
"""

import gc
import signal


def main() -> None:
    """Run the command line."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # not when started with Ctrl-C ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from claimeven.cli.main import main as run  # noqa: PLC0415 - see above

        run(on_interrupt=usual if usual is signal.default_int_handler else None)
    finally:
        if usual is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        gc.freeze()  # Python would look for garbage among all modules, a fifth of a short run


if __name__ == "__main__":
    main()
