"""Faults of an agent in words, however many different reasons there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator


def fault_texts(faults: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield how many faults, given by kind and reason, were of each kind, and the usual reason.

    >>> list(fault_texts([("crash", "raised KeyError: 1"), ("crash", "raised KeyError: 2")]))
    ['2 x crash: such as raised KeyError: 1']
    """
    reasons: dict[str, Counter[str]] = {}
    for kind, reason in faults:
        reasons.setdefault(kind, Counter())[reason] += 1
    for kind, found in sorted(reasons.items(), key=lambda each: (-each[1].total(), each[0])):
        ((reason, count),) = found.most_common(1)
        such = "" if count == found.total() else "such as "
        yield f"{found.total()} x {kind}: {such}{reason}"
