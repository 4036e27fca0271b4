"""Processes and threads: connections, child processes, the worker loop and the pool.

This package does not depend on the game. `posix` and `windows` have what differs between systems.
"""
