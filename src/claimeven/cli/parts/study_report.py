"""Studies in words: the list of them, and then and now side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from claimeven.arena.studies import QUANTITIES, ExperimentResult, Figure, Found, Study, StudyResult
from claimeven.cli.common.output import table_lines

HEADINGS = ("", "then", "now", "95 % interval", "faster")


def list_lines(studies: Sequence[Study], width: int) -> Iterator[str]:
    """Yield a table of the studies, the titles below the names where they do not fit beside."""
    names = max(len(study.name) for study in studies)
    for study in studies:
        games = f"{study.games:,} games" if study.games else "no games"
        yield f"{study.name:<{names}}  {study.source.name}, {games}"
        yield from _wrapped(study.title, width, "  ")


def study_lines(result: StudyResult, width: int) -> Iterator[str]:
    """Yield a study with all its figures in lines of at most `width` characters."""
    study = result.study
    yield from _wrapped(f"{study.name}: {study.title}", width)
    yield from _wrapped(
        f"{study.source.name}, {study.source.title} ({study.source.machine})", width
    )
    for each in result.experiments:
        yield ""
        forfeits = f"; {each.forfeits:,} forfeited" if each.forfeits else ""
        yield from _wrapped(each.experiment.setting + forfeits, width)
        yield from (line.rstrip() for line in table_lines(*_table(each), width))
    if study.differs or study.remark:
        yield ""
    for name, text in (("differs", study.differs), ("remark", study.remark)):
        yield from _wrapped(f"{name}: {text}" if text else "", width)


def then_text(figure: Figure) -> str:
    """Write what was reported: the number, what was said of it, or a dash.

    >>> then_text(Figure("games won", "wins", then=99.4)), then_text(Figure("x", "wins"))
    ('99.4 %', '-')
    """
    number = "" if figure.then is None else amount_text(figure.then, figure.quantity)
    return " ".join(part for part in (number, figure.words) if part) or "-"


def now_text(found: Found | None, quantity: str) -> str:
    """Write what was found; a dash for nothing."""
    return "-" if found is None else amount_text(found.value, quantity)


def interval_text(found: Found | None, quantity: str) -> str:
    """Write an interval without its unit where both bounds have the same; nothing for none.

    >>> interval_text(Found(0.002, 0.0, 0.004), "seconds_per_move")
    '0 to 4 ms'
    """
    if found is None or found.low is None or found.high is None:
        return ""
    if not found.low and QUANTITIES[quantity].unit == "s":
        return f"0 to {amount_text(found.high, quantity)}"
    low, high = (amount_text(bound, quantity) for bound in (found.low, found.high))
    unit = low.rpartition(" ")[2]
    if " " in low and high.endswith(f" {unit}"):
        low = low.removesuffix(f" {unit}")
    return f"{low} to {high}"


def speed_text(times: float | None) -> str:
    """Write how many times as fast it is; nothing where that means nothing.

    >>> speed_text(9013.2), speed_text(3.21), speed_text(None)
    ('9,000 x', '3.2 x', '')
    """
    if times is None:
        return ""
    return f"{float(f'{times:.2g}'):,.{0 if times >= 10 else 1}f} x"


def amount_text(amount: float, quantity: str) -> str:
    """Write a number with its unit; times in the unit that suits them.

    >>> amount_text(0.00129, "seconds_per_game"), amount_text(128079, "stored")
    ('1.29 ms', '128,079')
    """
    unit = QUANTITIES[quantity].unit
    if unit == "s":
        for name, size in (("s", 1.0), ("ms", 1e-3)):
            if amount >= size:
                return f"{amount / size:.3g} {name}"
        return f"{amount * 1e6:.3g} us"
    if unit == "%":
        return f"{amount:.1f} %"
    if unit in ("us", "x"):
        return f"{amount:.3g} {unit}"
    return f"{amount:,.0f}" if amount == int(amount) or amount >= 100 else f"{amount:.2f}"


def _table(result: ExperimentResult) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    rows = []
    figures = result.experiment.figures
    wide = max(len(figure.label) for figure in figures)
    for figure in figures:
        found = result.found(figure)
        now, interval = (text(found, figure.quantity) for text in (now_text, interval_text))
        speed = speed_text(None if found is None else figure.speed_up(found.value))
        rows.append([figure.label.ljust(wide), then_text(figure), now, interval, speed])
    # A column that is empty throughout is left out.
    shown = [place for place in range(len(HEADINGS)) if any(row[place] for row in rows)]
    return [HEADINGS[place] for place in shown], [[row[place] for place in shown] for row in rows]


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return wrap(
        text, width, initial_indent=indent, subsequent_indent=indent + "  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
