"""Record the results of the originals, for comparison in the tests.

    python -m tests.originals.record positions [--seed 1] [--count 1000]
    python -m tests.originals.record NAME DOCUMENT
    python -m tests.originals.record NAME-match DOCUMENT

The first writes the random positions that all are run on; the second takes the code out of the
document of an original (polito, menary, lund, aifour or itu), runs it on them, and writes its
answers to `recorded/NAME.json`; the third lets the players of aifour or itu play each other, with
the original's errors and without. The tests need only the recordings.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from tests.originals import aifour, itu, lund, menary, polito
from tests.originals.documents import Document
from tests.originals.positions import RECORDED, load, random_lists

RECORDERS = {
    "polito": polito.record,
    "menary": menary.record,
    "lund": lund.record,
    "aifour": aifour.record,
    "itu": itu.record,
}


MATCHES = {"aifour-match": aifour.record_match, "itu-match": itu.record_match}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=("positions", *RECORDERS, *MATCHES))
    parser.add_argument("document", nargs="?", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    given = parser.parse_args()
    if given.name == "positions":
        write("positions", {"seed": given.seed, **random_lists(given.seed, given.count)})
        return
    if given.document is None:
        parser.error(f"which document holds the code of {given.name}?")
    digest = hashlib.sha256(given.document.read_bytes()).hexdigest()
    document = Document(given.document)
    if given.name in MATCHES:
        answers = MATCHES[given.name](document)
    else:
        positions = load("positions")
        answers = RECORDERS[given.name](document, positions["going_on"], positions["finished"])
    write(given.name, {"document": digest, **answers})


def write(name: str, recording: dict[str, Any]) -> None:
    """Write a recording with one line for each of its lists."""
    path = RECORDED / f"{name}.json"
    path.write_text(_written(recording, 0) + "\n", encoding="utf-8")
    print(f"{path}: {path.stat().st_size:,} bytes")


def _written(data: Any, depth: int) -> str:
    if not isinstance(data, dict):
        return json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    inside = ",\n".join(
        f"{' ' * (depth + 1)}{json.dumps(key)}: {_written(value, depth + 1)}"
        for key, value in data.items()
    )
    return f"{{\n{inside}\n{' ' * depth}}}"


if __name__ == "__main__":
    main()
