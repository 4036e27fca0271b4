"""claimeven as other programs take it: a module for each contract.

A module here bears the name of its contract, and is imported by that name: its package is an extra,
named in one sentence if it is missing. Players of *other* programs are in `claimeven.agents`.
"""


def missing(module: str, package: str, extra: str) -> ImportError:
    """Return the error of a module here that lacks the package of its contract.

    >>> missing("claimeven.adapters.gymnasium", "Gymnasium", "rl").msg
    "claimeven.adapters.gymnasium needs Gymnasium: pip install 'claimeven[rl]'"
    """
    return ImportError(f"{module} needs {package}: pip install 'claimeven[{extra}]'", name=package)
