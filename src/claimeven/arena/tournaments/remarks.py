"""What the games of a tournament cannot show: equal files, and openings that are all the same."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from claimeven.arena.store.models import StoredAgent
from claimeven.review.claims import listed

#: A path with an extension in a spec, such as `bots/ann.py` in `bots/ann.py:agent`.
_PATH = re.compile(r"[^:=,]+\.[A-Za-z]\w*(?=$|[:,])")


def remarks(agents: Sequence[StoredAgent], openings: Iterable[str]) -> Iterator[str]:
    """Yield sentences about a tournament of these agents, whose games began with these openings.

    >>> ann, bob = (StoredAgent(0, name, f"{name}.py", "5c1d") for name in ("ann", "bob"))
    >>> print(*remarks([ann, bob], ["43", "43"]), sep="\\n")
    ann and bob are equal files: what one scores against the other is chance.
    All games began with the moves 43: more rounds begin with others.
    """
    alike: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for agent in agents:
        if agent.digest is not None:
            alike[agent.digest, _PATH.sub("", agent.spec)].append(agent.label)
    for group in alike.values():
        if len(group) > 1:
            yield f"{listed(group)} are equal files: what one scores against the other is chance."
    begun = list(openings)
    if len(begun) > 1 and len(set(begun)) == 1 and begun[0]:
        yield f"All games began with the moves {begun[0]}: more rounds begin with others."
