"""The book of moves and the models in exported agents, packed as the template reads them.

`bench/make_submission_book.py` makes the file of the book.
"""

from __future__ import annotations

import json
import lzma
import struct
import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from claimeven.agents.options import InvalidSpec
from claimeven.game.geometry import Geometry
from claimeven.networks.model_file import read_model
from claimeven.networks.net import file as net_file
from claimeven.networks.net.net import Net, search_defaults_of
from claimeven.networks.ntuple import NTupleNetwork
from claimeven.networks.ntuple_file import pack as pack_ntuple

#: The book of the usual board.
BOOK: Final = Path(__file__).parent / "data" / "7x6.moves"
#: Weights, 0 or not, of a network in a submission: four bytes each in memory.
MAX_WEIGHTS: Final = 1 << 26
#: Weights of a net in a submission: each takes a byte or less of the file.
MAX_NET_WEIGHTS: Final = 1 << 24
#: Weights repeat themselves little, so only short and near repetitions are looked for: a few
#: hundredths fewer bytes than the usual settings leave, in a seventh of the time.
_FILTER: Final = {
    "id": lzma.FILTER_LZMA2, "mode": lzma.MODE_NORMAL, "mf": lzma.MF_BT2, "nice_len": 16, "depth": 1
}  # fmt: skip


def packed_book(geometry: Geometry) -> bytes:
    """Return the packed book of a board, b"" if it has no book."""
    packed = BOOK.read_bytes()
    return packed if packed[:3] == _sizes(geometry) else b""


def pack(moves: Mapping[int, int], geometry: Geometry) -> bytes:
    """Pack positions, by their canonical keys, each with the column to play there."""
    numbers = bytearray()
    before = 0
    for key in sorted(moves):
        number = (key - before) * geometry.columns + moves[key]
        before = key
        while number > 127:
            numbers.append(number & 127 | 128)
            number >>= 7
        numbers.append(number)
    return _sizes(geometry) + zlib.compress(bytes(numbers), 9)


def _sizes(geometry: Geometry) -> bytes:
    return bytes((geometry.columns, geometry.rows, geometry.connect))


@lru_cache(maxsize=2)
def packed_network(network: NTupleNetwork) -> bytes:
    """Return a network in few bytes. Raises `InvalidSpec` for one that is too large."""
    if len(network.weights) > MAX_WEIGHTS:
        raise InvalidSpec(
            f"a network of {len(network.weights):,} weights cannot be exported: up to"
            f" {MAX_WEIGHTS:,} can be"
        )
    board = network.geometry
    arrays = pack_ntuple(network)
    head = bytearray(_sizes(board))
    head += struct.pack("<H", len(network.tuples.tuples))
    for cells in network.tuples.tuples:
        head += bytes((len(cells), *(column * board.rows + row for column, row in cells)))
    head += struct.pack("<f", arrays["unit"][0])
    numbers = arrays["places"].tobytes() + arrays["weights"].tobytes()
    # Two hundredths more bytes than level 9 leaves, in a tenth of the time.
    return bytes(head) + zlib.compress(numbers, 7)


def packed_net(path: str | Path) -> bytes:
    """Return the net of a file that was read before in few bytes.

    Raises `InvalidSpec` for one that is too large.
    """
    model = read_model(path, net_file.KIND)
    count = sum(array.size for array in model.arrays.values())
    if count > MAX_NET_WEIGHTS:
        raise InvalidSpec(
            f"a net of {count:,} weights cannot be exported: up to {MAX_NET_WEIGHTS:,} can be"
        )
    board, searching = model.geometry, search_defaults_of(model.facts.get("searching"))
    facts = {
        "shape": model.facts["shape"],
        "knows_scores": model.facts.get("knows_scores") is True,
        "score_share": searching.score_share,
        "score_scale": searching.score_scale / Net.SCORE_UNIT,
        "arrays": [[n, a.dtype.newbyteorder("<").str, a.shape] for n, a in model.arrays.items()],
    }
    content = json.dumps(facts).encode() + b"\n"
    for array in model.arrays.values():
        content += array.astype(array.dtype.newbyteorder("<")).tobytes()
    return _sizes(board) + _pressed(content)


@lru_cache(maxsize=2)
def _pressed(content: bytes) -> bytes:
    """Return bytes in fewer, which takes a quarter of a second for a net of the usual size."""
    return lzma.compress(content, filters=[_FILTER])
