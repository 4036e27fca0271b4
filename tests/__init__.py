"""The tests; their folders mirror those of the package."""

import os

from claimeven.parallel.process import ONE_CORE

#: NumPy's library of linear algebra starts a thread for each core in each process, a third of the
#: time of importing NumPy, and few of the hundreds of processes use it; where one does, the threads
#: wait for each other at full speed. It asks when it is imported, which whatever comes after this
#: may do. Workers are given the same, and may start as any other process.
for _name, _value in ONE_CORE.items():
    os.environ.setdefault(_name, _value)
