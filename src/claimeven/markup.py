"""Parts of what results show in notebooks: drawings, tables, lines of text, side by side.

They use the colors of the page around them and no style sheet, so they fit light and dark
notebooks, and any other page. Text is escaped; only an `Html` made here is not.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from html import escape
from typing import Any

_RULE = "border:0;border-bottom:1px solid rgba(128,128,128,.4);padding:.2em .5em;white-space:nowrap"
_TABLE = (
    "border-collapse:collapse;border:0;margin:.3em 0;color:inherit;background:none;"
    "font-variant-numeric:tabular-nums"
)
_FLEX = "display:flex;flex-wrap:wrap;gap:.5em 1.5em;align-items:flex-start"
#: The color of a bar: visible on white and on black.
_BAR = "rgba(64,128,208,.4)"


class Html(str):
    """A piece of HTML."""

    __slots__ = ()


class Svg(str):
    """An SVG drawing: text like any other, that notebooks show as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return drawing(self)


Part = str | Html


def shown_by(module: str, function: str) -> Callable[[Any], str]:
    """Return a `_repr_html_` that a function of a module makes, imported at the first call.

    The function returns HTML, or sections of blocks (`claimeven.blocks`). A module of results does
    not import their presentation this way.
    """

    def show(result: Any) -> str:
        shown = getattr(importlib.import_module(module), function)(result)
        html: str = shown if isinstance(shown, str) else shown._repr_html_()
        return html

    return show


def code(lines: Iterable[str]) -> Html:
    return Html(f"<pre>{escape(chr(10).join(lines))}</pre>")


def drawing(svg: str) -> Html:
    """Return a drawing that is never wider than there is room."""
    return Html(svg.replace("<svg ", "<svg style='max-width:100%;height:auto' ", 1))


def line(*parts: Part) -> Html:
    return Html(f"<div style='margin:.2em 0'>{''.join(map(_inner, parts))}</div>")


def strong(text: str) -> Html:
    return Html(f"<b>{escape(text)}</b>")


def bar(text: str, share: float) -> Html:
    """Return a text on a bar that fills a share, 0 to 1, of its cell."""
    per_cent = round(100 * min(max(share, 0.0), 1.0), 1)
    ground = f"linear-gradient(to right,{_BAR} {per_cent:g}%,transparent {per_cent:g}%)"
    return Html(
        f"<span style='display:block;padding:0 .3em;background:{ground}'>{escape(text)}</span>"
    )


def table(heads: Iterable[Part], rows: Iterable[Iterable[Part]], words: int = 1) -> Html:
    """Return a table: its first columns are `words`, to the left, the others numbers."""

    def cells(kind: str, parts: Iterable[Part]) -> str:
        return "".join(
            f"<{kind} style='text-align:{'left' if place < words else 'right'};{_RULE}'>"
            f"{_inner(part)}</{kind}>"
            for place, part in enumerate(parts)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return Html(
        f"<div style='overflow-x:auto'><table style='{_TABLE}'>"
        f"<thead><tr>{cells('th', heads)}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def beside(*parts: Html) -> Html:
    """Return parts side by side, or one below the other in a narrow place."""
    each = "".join(f"<div style='min-width:0;max-width:100%'>{part}</div>" for part in parts)
    return Html(f"<div style='{_FLEX}'>{each}</div>")


def folded(summary: str, part: Html) -> Html:
    """Return a part that is shown when its summary is clicked on."""
    return Html(f"<details><summary>{escape(summary)}</summary>{part}</details>")


def below(*parts: Html) -> Html:
    return Html(f"<div>{''.join(parts)}</div>")


def _inner(part: Part) -> str:
    return part if isinstance(part, Html) else escape(part)
