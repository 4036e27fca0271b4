"""ES modules made one, for places that take a single text: anywidget is such a place.

A few lines suffice for modules in this form, and other modules are rejected:

- `import { name, other as mine } from "./path.js";` may run over several lines;
- `import sheet from "./path.css" with { type: "css" };` is a style sheet to adopt;
- `export` is before a function, a class, `const` or `let`; the entry has `export default`.

Each module becomes a function that is called once and returns its exports: names stay separate.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+\.js)";\n', re.MULTILINE)
_SHEET = re.compile(r'^import (\w+) from "(\.[^"]+\.css)" with \{ type: "css" \};\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|class|const|let) (\w+)", re.MULTILINE)
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)
_REST = re.compile(r"^(?:(?:import|export)\b|.*\bimport\().*", re.MULTILINE)


def bundle(entry: Path) -> str:
    """Return one ES module that is `entry` with all it imports; its default export stays.

    Raises `ValueError` for a module that is not written as above, or that imports itself through
    others, and `FileNotFoundError` for one that is not there.
    """
    places: dict[Path, str] = {}
    parts: list[str] = []
    body, _ = _module(entry.resolve(), places, parts, (entry.resolve(),), is_entry=True)
    return "\n".join([*parts, body])


def _name_of(path: Path, places: dict[Path, str], parts: list[str], above: tuple[Path, ...]) -> str:
    """Return the name of the exports of a module; it is added to the parts at its first import."""
    if path in above:
        raise ValueError(f"{path.name} imports itself, through others")
    if path not in places:
        body, exports = _module(path, places, parts, (*above, path))
        places[path] = f"$module{len(places) + 1}"
        parts.append(
            f"const {places[path]} = (() => {{\n{body}\nreturn {{ {', '.join(exports)} }};\n}})();"
        )
    return places[path]


def _module(
    path: Path,
    places: dict[Path, str],
    parts: list[str],
    above: tuple[Path, ...],
    is_entry: bool = False,
) -> tuple[str, list[str]]:
    """Return a module's text without imports and exports, and the names it exports."""

    def imported(found: re.Match[str]) -> str:
        name = _name_of((path.parent / found[2]).resolve(), places, parts, above)
        names = ", ".join(each.strip().replace(" as ", ": ") for each in found[1].split(","))
        return f"const {{ {names.rstrip(', ')} }} = {name};\n"

    def sheet(found: re.Match[str]) -> str:
        rules = json.dumps((path.parent / found[2]).read_text(encoding="utf-8"))
        return f"const {found[1]} = new CSSStyleSheet();\n{found[1]}.replaceSync({rules});\n"

    text = path.read_text(encoding="utf-8")
    exports = [found[2] for found in _EXPORT.finditer(text)]
    text = _EXPORT.sub(r"\1 \2", _IMPORT.sub(imported, _SHEET.sub(sheet, text)))
    rest = _REST.search(_DEFAULT.sub("", text) if is_entry else text)
    if rest is not None:
        raise ValueError(f"{path.name} has a line that cannot be bundled: {rest[0]}")
    return text, exports
