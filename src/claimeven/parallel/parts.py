"""Parts of a work for job arrays: part 2/10 takes each tenth job, and its file is merged later."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from claimeven.errors import ClaimevenError

_Items = TypeVar("_Items")


class InvalidParts(ClaimevenError):
    """A part, or files of parts, that cannot be used."""


@dataclass(frozen=True)
class Part:
    """Part `number`, 1 or more, of `count`. Raises `InvalidParts` for other numbers.

    >>> str(Part.of("2/3")), Part.of("2/3").share(range(8)), Part.of("2/3").path("set.csv").name
    ('2/3', range(1, 8, 3), 'set.csv.part-2-of-3')
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise InvalidParts(f"a part is one of 1/{self.count} to {self.count}/{self.count}")

    @classmethod
    def of(cls, text: str) -> Part:
        """Read a part such as "2/10"."""
        found = re.fullmatch(r"(\d{1,6})/([1-9]\d{0,5})", text.strip())
        if found is None:
            raise InvalidParts(f"a part must be a number and a count such as 2/10, got {text!r}")
        return cls(int(found[1]), int(found[2]))

    def share(self, items: _Items) -> _Items:
        """Return the items of this part, a slice."""
        sliced: Any = items
        found: _Items = sliced[self.number - 1 :: self.count]
        return found

    def games(self, count: int) -> list[int]:
        """Return the numbers of the games of this part, of `count` games: pairs stay together."""
        return [n for pair in self.share(range(0, count, 2)) for n in (pair, pair + 1) if n < count]

    def path(self, out: str | Path) -> Path:
        out = Path(out)
        return out.with_name(f"{out.name}.part-{self.number}-of-{self.count}")

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def check_parts(paths: Sequence[str | Path], headers: Sequence[Mapping[str, Any]]) -> list[Part]:
    """Return the parts of some files, each with a header: its `part`, and settings of the run.

    Raises `InvalidParts` unless they are all parts of one run, each given once.
    """
    parts: dict[Part, str | Path] = {}
    for path, header in zip(paths, headers, strict=True):
        if not isinstance(header.get("part"), str):
            raise InvalidParts(f"{path} is not a part of a result: make parts with --part")
        part = Part.of(header["part"])
        for name in (*headers[0], *header):
            one, other = headers[0].get(name), header.get(name)
            if one != other and name != "part":
                values = f"{name} {other}, not {one}"
                how = values if len(values) < 80 else name
                raise InvalidParts(f"{path} is a part of another run than {paths[0]}: {how}")
        first = next(iter(parts), part)
        if part.count != first.count:
            raise InvalidParts(f"{path} is part {part}, and {paths[0]} is part {first}")
        if part in parts:
            raise InvalidParts(f"{parts[part]} and {path} are both part {part}")
        parts[part] = path
    count = next(iter(parts)).count
    missing = [f"{n}/{count}" for n in range(1, count + 1) if Part(n, count) not in parts]
    if missing:
        listed = ", ".join(missing[:5]) + ", ..." * (len(missing) > 5)
        raise InvalidParts(f"{len(missing)} of {count} parts are missing: {listed}")
    return list(parts)


def check_complete(path: str | Path, done: int, total: int) -> None:
    """Raise `InvalidParts` for a part that lacks some of its results."""
    if done < total:
        raise InvalidParts(
            f"{path} is unfinished, {done:,} of {total:,}: run its command again to complete it"
        )
