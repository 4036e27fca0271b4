"""Digests of the files that agents come from: whether an agent is still the one that played."""

from __future__ import annotations

import hashlib

from claimeven.agents.files import files_of
from claimeven.agents.registry import AGENTS

#: Bytes of a digest.
_SIZE = 12


def digest_of_files(spec: str) -> str | None:
    """Return a digest of the files an agent comes from, None if it comes from none.

    >>> digest_of_files("alphabeta:depth=3") is None
    True
    """
    files = () if spec.partition(":")[0] in AGENTS else files_of(spec)
    digests = [hashlib.blake2b(path.read_bytes(), digest_size=_SIZE) for path in files]
    if len(digests) > 1:
        joined = b"".join(digest.digest() for digest in digests)
        digests = [hashlib.blake2b(joined, digest_size=_SIZE)]
    return digests[0].hexdigest() if digests else None
