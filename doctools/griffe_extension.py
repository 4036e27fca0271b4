"""An extension of Griffe, which reads the sources for the reference."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import griffe

from doctools.docstrings import comment_above, with_blocks


class Docstrings(griffe.Extension):
    """Puts examples into separate blocks, and documents constants by their comments.

    The names of a package are those that it imports in the form `name as name`.
    """

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Set the public names of a package and of those within it."""
        for module in pkg.members.values():
            if isinstance(module, griffe.Module) and module.is_init_module:
                self.on_package(pkg=module)
        sources = [Path(str(pkg.filepath)).with_suffix(suffix) for suffix in (".py", ".pyi")]
        text = "\n".join(each.read_text("utf-8") for each in sources if each.exists())
        names = re.findall(r"^from \S+ import (\w+) as \1$", text, re.MULTILINE)
        if names:
            pkg.exports = names

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
