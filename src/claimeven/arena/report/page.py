"""The page itself: one HTML file that loads nothing.

Jinja escapes whatever text is put into the template. The policy in the head of the page lets run
the one script that comes with it, by its digest, and lets nothing be loaded from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from claimeven import __version__
from claimeven.agents.registry import AGENTS
from claimeven.arena.report import format, sentences, tables
from claimeven.arena.report.context import Contents
from claimeven.arena.report.games import viewer_data
from claimeven.game.svg import draw_stage
from claimeven.plotting import Chart, svg_in_page

_PACKAGE = "claimeven.arena.report"
#: Charts that stand in the page: the ladder draws its ratings itself.
_CHARTS = ("accuracy-by-ply", "time-and-strength")
#: Cells of the viewer's board in pixels where there is room.
_CELL = 56


def render(
    contents: Contents,
    blunders: Sequence[tables.Row] = (),
    charts: Sequence[Chart] = (),
    without_charts: str = "",
) -> str:
    """Return the page as HTML, with these blunders and charts, or why there are no charts."""
    style, script = (_resource(name) for name in ("style.css", "viewer.js"))
    rows = tables.ladder_rows(contents)
    shown = {
        "contents": contents,
        "headline": sentences.headline(contents),
        "leader": sentences.leader(contents),
        "ladder_notes": list(sentences.ladder_notes(contents)),
        "rows": rows,
        "cross": list(zip(rows, tables.cross_rows(contents), strict=True)),
        "cross_letters": tables.cross_letters(contents),
        "games_of_two": tables.games_of_two(contents),
        "forfeits": tables.forfeit_rows(contents),
        "accuracy": tables.accuracy_rows(contents),
        "accuracy_notes": list(sentences.accuracy_notes(contents)),
        "ply_note": sentences.ply_note(contents),
        "blunders": blunders,
        "charts": {chart.name: chart for chart in charts if chart.name in _CHARTS},
        "without_charts": without_charts,
        "facts": list(tables.facts(contents)),
        "agents": tables.agent_rows(contents),
        "built_in": tuple(AGENTS),
        "data": viewer_data(contents),
        "stage": Markup(draw_stage(contents.geometry, _CELL)),
        "style": Markup(style),
        "script": Markup(script),
        "digest": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
        "version": __version__,
    }
    return _environment().get_template("page.html").render(shown)


def _resource(name: str) -> str:
    return (resources.files(_PACKAGE) / "template" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(_PACKAGE, "template"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    environment.filters.update(
        signed=format.signed,
        points=format.points,
        share=format.share,
        decimal=format.decimal,
        duration=format.duration,
        count=lambda number: f"{number:,}",
        breakable=_breakable,
        drawing=lambda chart: Markup(svg_in_page(chart)),
    )
    return environment


def _breakable(text: str) -> Any:
    """Return text that may be broken after the marks inside a spec."""
    return Markup("<wbr>").join(escape(part) for part in re.split(r"(?<=[:,=/_.])", text))
