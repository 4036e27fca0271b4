"""The list of the API as a page that needs nothing from other hosts."""

from __future__ import annotations

import re
from html import escape
from typing import Any
from urllib.parse import urlencode

#: Styles, in the page's own file of the kind.
STYLE = "/static/api.css"


def api_page(document: dict[str, Any]) -> str:
    """Return the page for an OpenAPI document."""
    info = document["info"]
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(info['title'])} API</title>",
        f'<link rel="stylesheet" href="{STYLE}"></head><body><main>',
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>",
        f"<p>{_prose(info['description'])}</p>",
        '<p><a href="/api/openapi.json">The whole as an OpenAPI document</a></p>',
    ]
    for path, methods in document["paths"].items():
        for method, told in methods.items():
            parts += _route(method.upper(), path, told, document)
    return "\n".join([*parts, "</main></body></html>"])


def _route(method: str, path: str, told: dict[str, Any], document: dict[str, Any]) -> list[str]:
    name = escape(f"{method} {path}")
    example = _example(path, told) if method == "GET" else None
    heading = f'<a href="{escape(example)}">{name}</a>' if example else name
    rows = [*_parameters(told), *_body(told, document)]
    parts = [f"<section><h2>{heading}</h2>", f"<p>{_prose(told.get('description', ''))}</p>"]
    if rows:
        cells = "".join(
            f"<tr><th scope='row'><code>{escape(name)}</code></th>"
            f"<td>{escape(default)}</td><td>{_prose(words)}</td></tr>"
            for name, default, words in rows
        )
        parts.append(
            "<table><thead><tr><th scope='col'>name</th><th scope='col'>default</th>"
            f"<th scope='col'>what it is</th></tr></thead><tbody>{cells}</tbody></table>"
        )
    return [*parts, "</section>"]


def _prose(text: str) -> str:
    """Return a description, in which what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _parameters(told: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (
            each["name"],
            _shown(each["schema"].get("default")),
            each.get("description") or each["schema"].get("description", ""),
        )
        for each in told.get("parameters", ())
    ]


def _body(told: dict[str, Any], document: dict[str, Any]) -> list[tuple[str, str, str]]:
    content = told.get("requestBody", {}).get("content", {})
    rows = []
    for kind in content.values():
        schema = kind["schema"]
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        rows += [
            (name, _shown(each.get("default")), each.get("description", ""))
            for name, each in schema.get("properties", {}).items()
        ]
    return rows


def _example(path: str, told: dict[str, Any]) -> str:
    """Return an address that shows the route at work."""
    given = {
        each["name"]: each["schema"]["examples"][0]
        for each in told.get("parameters", ())
        if each["schema"].get("examples")
    }
    return f"{path}?{urlencode(given)}" if given else path


def _shown(default: Any) -> str:
    return "" if default is None or default == {} else str(default)
