"""Studies as tables: the figures of the original and of a run side by side."""

from __future__ import annotations

from claimeven.arena.studies.runner import ExperimentResult, StudyResult
from claimeven.arena.studies.study import QUANTITIES, Figure, Finding
from claimeven.blocks import Block, Sections, Table

HEADINGS = ("", "original", "here", "95 % interval", "faster")


def study_sections(result: StudyResult) -> Sections:
    """Return a study with all its figures."""
    study, source = result.study, result.study.source
    head = [f"{study.name}: {study.title}", f"{source.name}, {source.title} ({source.machine})"]
    experiments: list[list[Block]] = [
        [each.experiment.setting + f"; {each.forfeits:,} forfeited" * bool(each.forfeits),
         _table(each)]
        for each in result.experiments
    ]  # fmt: skip
    notes = [
        f"{name}: {text}"
        for name, text in (("differs", study.differs), ("remark", study.remark))
        if text
    ]
    return Sections([head, *experiments, notes])


def _table(result: ExperimentResult) -> Table:
    rows = [(figure.label, *figure_texts(result, figure)) for figure in result.experiment.figures]
    # A column that is empty throughout is left out.
    shown = [place for place in range(len(HEADINGS)) if any(row[place] for row in rows)]
    return Table(
        [HEADINGS[place] for place in shown], [[row[place] for place in shown] for row in rows]
    )


def figure_texts(result: ExperimentResult, figure: Figure) -> tuple[str, str, str, str]:
    """Return a reported and a measured figure, its interval, and the speed-up."""
    found = result.found(figure)
    now = "-" if found is None else amount_text(found.value, figure.quantity)
    times = None if found is None else figure.speed_up(found.value)
    return reported_text(figure), now, interval_text(found, figure.quantity), speed_text(times)


def reported_text(figure: Figure) -> str:
    """Return the reported number with the words of the original, or a dash.

    >>> reported_text(Figure("games won", "wins", reported=99.4))
    '99.4 %'
    """
    number = "" if figure.reported is None else amount_text(figure.reported, figure.quantity)
    return " ".join(part for part in (number, figure.words) if part) or "-"


def interval_text(found: Finding | None, quantity: str) -> str:
    """Return an interval, with one unit if both bounds have the same; empty without an interval.

    >>> interval_text(Finding(0.002, 0.0, 0.004), "seconds_per_move")
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
    """Return a speed-up as text; empty for None.

    >>> speed_text(9013.2), speed_text(3.21), speed_text(None)
    ('9,000 x', '3.2 x', '')
    """
    if times is None:
        return ""
    return f"{float(f'{times:.2g}'):,.{0 if times >= 10 else 1}f} x"


def amount_text(amount: float, quantity: str) -> str:
    """Return a number with its unit, a time in the unit that suits it.

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
