"""What is said where the package of an adapter is not installed."""

from __future__ import annotations


def missing(module: str, package: str, extra: str) -> ImportError:
    """Return the error of a module of this room that lacks the package it adapts to.

    >>> missing("claimeven.adapters.gymnasium", "Gymnasium", "rl").msg
    "claimeven.adapters.gymnasium needs Gymnasium: pip install 'claimeven[rl]'"
    """
    return ImportError(f"{module} needs {package}: pip install 'claimeven[{extra}]'", name=package)
