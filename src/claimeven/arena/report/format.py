"""Numbers as a report writes them."""

from __future__ import annotations

from collections.abc import Iterable

_MINUS, _SPACE = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}"
_HALF = "\N{VULGAR FRACTION ONE HALF}"


def reach(ratings: Iterable[float]) -> tuple[float, float]:
    """Return from where to where ratings are drawn: intervals may lie far beyond.

    >>> reach([-100.0, 300.0]), reach([0.0])
    ((-220.0, 420.0), (-100.0, 100.0))
    """
    held = list(ratings)
    margin = max(100.0, 0.3 * (max(held) - min(held)))
    return min(held) - margin, max(held) + margin


def signed(number: float) -> str:
    r"""Return a whole number with its sign.

    >>> signed(12.4), ascii(signed(-3.2)), signed(0.2)
    ('+12', "'\\u22123'", '0')
    """
    whole = round(number)
    return f"{whole:+,d}".replace("-", _MINUS) if whole else "0"


def points(number: float) -> str:
    """Return points, halves as they are written in tables of chess.

    >>> points(7.0), points(7.5), points(0.5)
    ('7', '7½', '½')
    """
    whole, half = divmod(round(2 * number), 2)
    return f"{whole or '' if half else whole}{_HALF if half else ''}"


def share(number: float | None) -> str:
    r"""Return a share in per cent.

    >>> share(0.125), share(None)
    ('12.5\xa0%', '-')
    """
    return "-" if number is None else f"{100 * number:.1f}{_SPACE}%"


def decimal(number: float | None) -> str:
    """Return a number with one digit behind the point.

    >>> decimal(2.25), decimal(None)
    ('2.2', '-')
    """
    return "-" if number is None else f"{number:.1f}"


def duration(seconds: float | None) -> str:
    r"""Return a time in the unit that suits it.

    >>> duration(0.0000312), duration(0.0123), duration(1.5), duration(None)
    ('31\xa0µs', '12\xa0ms', '1.5\xa0s', '-')
    """
    if seconds is None:
        return "-"
    for unit, size in (("µs", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            amount = seconds / size
            return f"{amount:.{1 if amount < 9.95 else 0}f}{_SPACE}{unit}"
    return f"{seconds:,.1f}{_SPACE}s"
