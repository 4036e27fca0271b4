"""Processes and threads: connections, child processes, the worker loop and the pool.

This package does not depend on the game. The modules `posix` and `windows` contain the code that
differs between systems.
"""
