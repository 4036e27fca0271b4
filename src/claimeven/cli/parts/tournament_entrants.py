"""Who takes part in a tournament: every agent is tried before the first game."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from claimeven.agents import Isolation, Limit
from claimeven.agents.files import file_of
from claimeven.agents.registry import broken_agents
from claimeven.agents.sanitize import printable
from claimeven.cli.common.progress import status_line
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry


def entrants(
    specs: Sequence[str],
    geometry: Geometry,
    limit: Limit,
    isolation: Isolation,
    skip_broken: bool,
    challenger: str | None = None,
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the agents that can play, and of those left out why they cannot.

    Without `skip_broken` none is left out: each that cannot play is told on stderr, all of them at
    once, and `ClaimevenError` is raised. With it files are left out; a name that stands for
    nothing is an error all the same, and so is a `challenger` that cannot play, whom all others
    would have met.
    """
    with status_line() as line:
        waited: list[str] = []

        def watch(spec: str) -> None:
            waited.append(spec)
            line.show(lambda: f"loading {printable(spec)}, {len(waited)} of {len(specs)}")

        broken = broken_agents(specs, geometry, limit, isolation, watch)
    files = [spec for spec in broken if file_of(spec) is not None and spec != challenger]
    mistaken = [spec for spec in broken if not (skip_broken and spec in files)]
    if len(mistaken) == 1:
        hint = "; --skip-broken leaves it out" if mistaken[0] in files else ""
        raise ClaimevenError(f"{broken[mistaken[0]]}{hint}")
    if mistaken:
        for spec in mistaken:
            _tell(str(broken[spec]))
        hint = (
            "; claimeven check tells more of a file, --skip-broken plays without those"
            if set(mistaken) <= set(files)
            else ""
        )
        raise ClaimevenError(f"{len(mistaken)} of {len(specs)} agents cannot play{hint}")
    for error in broken.values():
        _tell(f"left out: {error}")
    able = tuple(spec for spec in specs if spec not in broken)
    return able, {spec: str(error) for spec, error in broken.items()}


def _tell(sentence: str) -> None:
    print(f"claimeven: {' '.join(sentence.split())}", file=sys.stderr)
