"""The reference of the API as a page without files from other hosts."""

from __future__ import annotations

import re
from html import escape
from typing import Any
from urllib.parse import urlencode

#: The style sheet of the page.
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
        '<p><a href="/api/openapi.json">OpenAPI document</a></p>',
    ]
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            parts += _section(method.upper(), path, route, document)
    return "\n".join([*parts, "</main></body></html>"])


def _section(method: str, path: str, route: dict[str, Any], document: dict[str, Any]) -> list[str]:
    heading = escape(f"{method} {path}")
    if method == "GET":
        heading = f'<a href="{escape(_example(path, route))}">{heading}</a>'
    parts = [f"<section><h2>{heading}</h2>", f"<p>{_prose(route.get('description', ''))}</p>"]
    cells = "".join(
        f"<tr><th scope='row'><code>{escape(name)}</code></th>"
        f"<td>{escape(_default_text(field.get('default')))}</td>"
        f"<td>{_prose(field.get('description', ''))}</td></tr>"
        for name, field in _fields(route, document)
    )
    if cells:
        parts.append(
            "<table><thead><tr><th scope='col'>name</th><th scope='col'>default</th>"
            f"<th scope='col'>meaning</th></tr></thead><tbody>{cells}</tbody></table>"
        )
    return [*parts, "</section>"]


def _fields(route: dict[str, Any], document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the parameters of a route and the fields of its body, each with its schema."""
    fields = [(each["name"], {**each["schema"], **each}) for each in route.get("parameters", ())]
    for kind in route.get("requestBody", {}).get("content", {}).values():
        schema = kind["schema"]
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        fields += schema.get("properties", {}).items()
    return fields


def _example(path: str, route: dict[str, Any]) -> str:
    """Return an example address of the route."""
    example = {
        each["name"]: each["schema"]["examples"][0]
        for each in route.get("parameters", ())
        if each["schema"].get("examples")
    }
    return f"{path}?{urlencode(example)}" if example else path


def _prose(text: str) -> str:
    """Return a description as HTML; backticks mark code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _default_text(default: Any) -> str:
    return "" if default is None or default == {} else str(default)
