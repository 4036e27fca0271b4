"""The tests; their folders mirror the package."""

import os

from claimeven.parallel.process import ONE_CORE

#: NumPy's library of linear algebra starts a thread for each core in each process, a third of the
#: time of importing NumPy, and few of the hundreds of processes use it; if one does, the threads
#: wait for each other at full speed. NumPy reads the setting at its import, after this.
#: Workers have the same setting.
for _name, _value in ONE_CORE.items():
    os.environ.setdefault(_name, _value)
