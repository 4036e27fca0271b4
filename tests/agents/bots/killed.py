"""Is killed, as by the kernel when memory runs out."""

import os
import signal


def agent(position):
    os.kill(os.getpid(), signal.SIGKILL)
