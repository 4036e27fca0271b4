"""Names of a package whose modules are imported when the names are first used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def offer(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], Any]]:
    """Return a package's `__getattr__` and `__dir__` (PEP 562) for the names of each module.

    `names` are words, by the module in the package (or, from "claimeven." on, anywhere) that they
    come from. A name may also be a module within it.
    """
    homes = {
        name: home if home.startswith("claimeven.") else f"{package}.{home}"
        for home, words in names.items()
        for name in words.split()
    }

    def get(name: str) -> Any:
        if name not in homes:
            # With name and object Python itself suggests a name that is like it.
            raise AttributeError(
                f"module {package!r} has no attribute {name!r}",
                name=name,
                obj=sys.modules[package],
            )
        home = importlib.import_module(homes[name])
        if not hasattr(home, name):
            importlib.import_module(f"{homes[name]}.{name}")
        value = getattr(home, name)
        sys.modules[package].__dict__[name] = value
        return value

    return get, lambda: sorted({*homes, *sys.modules[package].__dict__})
