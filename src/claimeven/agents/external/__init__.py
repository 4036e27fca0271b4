"""External programs as agents: the meaning of a spec `prefix:text`.

Each kind has one module with its `KIND`. `claimeven.adapters` offers our agents to other programs.
"""

from __future__ import annotations

from claimeven.agents.external import kaggle, openspiel, pons, ugi
from claimeven.agents.external.line_process import ForeignKind
from claimeven.agents.options import split_limit

#: The kinds by prefix, in the order of listings.
FOREIGN: dict[str, ForeignKind] = {
    kind.prefix: kind for kind in (kaggle.KIND, openspiel.KIND, ugi.KIND, pons.KIND)
}


def split_foreign(spec: str) -> tuple[ForeignKind, str] | None:
    """Return the kind of an external spec and the text after the colon; None for any other spec.

    >>> split_foreign("greedy:win=yes") is None
    True
    >>> kind, text = split_foreign("kaggle:bots/main.py")
    >>> kind.prefix, text
    ('kaggle', 'bots/main.py')
    """
    prefix, _, text = split_limit(spec)[0].partition(":")
    kind = FOREIGN.get(prefix)
    return None if kind is None else (kind, text.strip())
