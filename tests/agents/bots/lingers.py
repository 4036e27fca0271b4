"""Starts a thread that does not let its process end."""

import threading
import time

threading.Thread(target=time.sleep, args=(1000,)).start()


def agent(position):
    return position.legal_columns[0]
