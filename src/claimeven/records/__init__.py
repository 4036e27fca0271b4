r"""Records of games as files of this and of other programs, read and written.

>>> from claimeven.records import read_records, write_text
>>> records = list(read_records("3, 3, 4, 4\n", "openspiel"))
>>> write_text(records, "moves")
'4455\n'
"""

from __future__ import annotations

from claimeven.records.formats import (
    FORMATS,
    Format,
    Tried,
    format_of,
    guess_by_lines,
    guess_format,
    open_records,
    read_records,
    read_text,
    tried_records,
    write_records,
    write_text,
)
from claimeven.records.record import RESULTS, GameRecord, InvalidRecord, result_name

__all__ = [
    "FORMATS",
    "RESULTS",
    "Format",
    "GameRecord",
    "InvalidRecord",
    "Tried",
    "format_of",
    "guess_by_lines",
    "guess_format",
    "open_records",
    "read_records",
    "read_text",
    "result_name",
    "tried_records",
    "write_records",
    "write_text",
]
