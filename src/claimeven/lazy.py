"""Names of a package whose modules are imported when the names are first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def offer(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], Any]]:
    """Return a package's `__getattr__` and `__dir__` (PEP 562) for names and their modules."""

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(homes[name]), name)
        importlib.import_module(package).__dict__[name] = value
        return value

    return get, lambda: sorted(homes)
