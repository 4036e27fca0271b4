"""Names of a package whose modules are imported when the names are first used."""

from __future__ import annotations

import importlib.util
import pkgutil
import sys
from collections.abc import Callable
from typing import Any


def offer(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return a package's `__getattr__` and `__dir__` (PEP 562), and its `__all__`.

    The names are in its `__init__.pyi`, which type checkers read: one a line, as
    `from module import name as name`. A name may also be a module within that module. The modules
    of the package are there too without being imported.
    """
    lines = (pkgutil.get_data(package, "__init__.pyi") or b"").decode().splitlines()
    words = [line.split() for line in lines if line.startswith("from ")]
    homes = {name: module for _, module, _, name, *_ in words}

    def get(name: str) -> Any:
        if name not in homes:
            if name.isidentifier() and importlib.util.find_spec(f"{package}.{name}"):
                return importlib.import_module(f"{package}.{name}")
            # With name and object Python itself suggests a name that is like it.
            raise AttributeError(
                f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package]
            )
        home = importlib.import_module(homes[name])
        if not hasattr(home, name):
            importlib.import_module(f"{homes[name]}.{name}")
        value = getattr(home, name)
        sys.modules[package].__dict__[name] = value
        return value

    return get, lambda: sorted({*homes, *sys.modules[package].__dict__}), sorted(homes)
