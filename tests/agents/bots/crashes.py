"""Is killed by the kernel, as code outside of Python may be."""

import os
import signal


def agent(position):
    os.kill(os.getpid(), signal.SIGSEGV)
