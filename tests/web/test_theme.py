"""The theme: as the system, light or dark; stored, and set before the first paint."""

from __future__ import annotations

import re
from typing import Any

from claimeven.web.site import _STATIC

_GROUND = "getComputedStyle(document.body).backgroundColor"
_LIGHT, _DARK = "rgb(245, 247, 250)", "rgb(18, 23, 30)"


def test_a_button_switches_the_theme_and_the_browser_stores_it(page: Any, context: Any) -> None:
    page.emulate_media(color_scheme="light")
    other = context.new_page()
    other.goto("/")
    page.goto("/?moves=4455")
    button = page.locator("#theme-button")
    assert button.get_attribute("aria-label") == "Theme: as the system"
    button.click()
    assert button.get_attribute("aria-label") == "Theme: light"
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-label") == "Theme: dark"
    assert page.inner_text("#announcements") == "Theme: dark"
    assert page.evaluate(_GROUND) == _DARK  # against the system
    other.wait_for_selector("[aria-label='Theme: dark']")
    assert other.evaluate(_GROUND) == _DARK
    other.close()
    page.reload()
    assert button.get_attribute("aria-label") == "Theme: dark"
    page.goto("/api")
    assert page.evaluate(_GROUND) == _DARK
    page.goto("/?theme=light&embed=1")  # of the frame, whatever is stored
    page.evaluate(
        "dispatchEvent(new StorageEvent('storage', { key: 'claimeven.theme', newValue: 'dark' }))"
    )
    assert page.evaluate(_GROUND) == _LIGHT
    page.keyboard.press("4")
    page.wait_for_url("**moves=4*")
    assert "theme=light" in page.url
    page.goto("/")
    page.click("#theme-button")
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(_GROUND) == _DARK
    page.emulate_media(color_scheme="light")
    assert page.evaluate(_GROUND) == _LIGHT
    page.evaluate("localStorage.clear()")


def test_the_theme_is_set_before_the_first_paint() -> None:
    """By a script before the style sheets, which blocks the parser; no rule follows the system."""
    head = (_STATIC / "index.html").read_text("utf-8").partition("</head>")[0]
    assert '<script src="static/theme.js"></script>' in head
    assert head.index("theme.js") < head.index("stylesheet")
    for path in _STATIC.glob("*.css"):
        style = path.read_text("utf-8")
        assert "prefers-color-scheme" not in style
        for scheme in re.findall(r"color-scheme: (?!light dark)\w+", style):
            assert f":root[data-theme={scheme.split()[-1]}] {{ {scheme}; }}" in style
