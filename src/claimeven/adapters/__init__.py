"""claimeven as other programs take it: a module for each contract.

A module here bears the name of what it adapts to, and is imported by that name when it is wanted:
its package is an extra, named in one sentence where it is missing. Players of *other* programs,
taken in as our agents, are in `claimeven.agents`.
"""
