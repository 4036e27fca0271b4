"""An extension of Griffe, which reads the sources for the reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import griffe

from doctools.docstrings import comment_above, with_blocks


class Docstrings(griffe.Extension):
    """Puts examples into separate blocks, and documents constants by their comments."""

    def on_instance(self, *, obj: griffe.Object | griffe.Alias, **_: Any) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = with_blocks(obj.docstring.value)

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Give a constant the comment above it as its docstring."""
        if attr.docstring is None and attr.lineno is not None and isinstance(attr.filepath, Path):
            comment = comment_above(attr.filepath.read_text(encoding="utf-8"), attr.lineno)
            if comment:
                attr.docstring = griffe.Docstring(comment, parent=attr)
