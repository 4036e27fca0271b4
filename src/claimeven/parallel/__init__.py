"""Processes and threads: one connection, child, worker loop and pool for all that runs elsewhere.

Nothing here knows the game. `posix` and `windows` hold what the systems do in their own way.
"""
