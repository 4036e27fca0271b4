"""Never answers from the second move on, and leaves a process behind that does not either."""

import os
import time


def agent(position):
    if position.ply > 1:
        os.fork()
        while True:
            time.sleep(1000)
    return 0
