"""Move strings as verbs take them: typed as arguments, or line by line from stdin and files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TextIO, TypeVar

from claimeven.cli.shared.streams import as_file
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.records import Format, GameRecord, InvalidRecord, guess_by_lines, tried_records
from claimeven.records.formats import check_first_line
from claimeven.records.moves import moves_of

#: The argument that stands for the lines of stdin.
STDIN = "-"
#: What only the name of a file has.
_OF_FILES = "./\\"
_BYTE_ORDER_MARK = "\ufeff"

Read = TypeVar("Read")


@dataclass(frozen=True)
class Given(Generic[Read]):
    """One move string: its text without spaces and what was read of it; None if that failed."""

    moves: str
    value: Read | None
    error: str = ""


class Inputs(Generic[Read]):
    """The move strings that the arguments of a verb stand for, in their order.

    `-` is stdin and the name of a file that file: one move string a line, an empty line for the
    empty board. Everything else is a move string itself. Arguments that cannot be raise
    `ClaimevenError` here, before anything is answered; a line that cannot be is told on stderr
    with its number when its turn comes, and `failed` is set.

    With `of_record` files may also hold games in any format of `claimeven.records`; `geometry` is
    the board of those that do not name theirs.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        read: Callable[[str], Read],
        of_record: Callable[[GameRecord], Read] | None = None,
        geometry: Geometry = STANDARD,
    ) -> None:
        self.read = read
        self._of_record = of_record
        self._geometry = geometry
        self.failed = False
        self.are_many = len(arguments) > 1
        self._parts: list[Given[Read] | tuple[str, TextIO]] = []
        for argument in arguments:
            self._parts.append(self._part(argument))

    def __iter__(self) -> Iterator[Given[Read]]:
        for part in self._parts:
            if isinstance(part, Given):
                yield part
            else:
                yield from self._of_lines(*part)

    def _part(self, argument: str) -> Given[Read] | tuple[str, TextIO]:
        if argument == STDIN:
            self.are_many = True
            return "", as_file(sys.stdin)
        moves = "".join(argument.split())
        try:
            return Given(moves, self.read(moves))
        except ClaimevenError:
            lines = _open(argument)
            if lines is None:
                raise
        self.are_many = True
        return argument, lines

    def _of_lines(self, name: str, lines: TextIO) -> Iterator[Given[Read]]:
        where = f"{name}, " if name else ""
        with lines if name else nullcontext(lines) as source:
            try:
                yield from self._of_source(name, where, source)
            except InvalidRecord as error:  # nothing can be read from here on
                self._tell(str(error) if error.line is None else f"{where}{error}")
                yield Given(name or "stdin", None, error.reason)

    def _of_source(self, name: str, where: str, source: TextIO) -> Iterator[Given[Read]]:
        """Read a file. Raises `InvalidRecord` where it is no text, or cannot be read to its end."""
        if self._of_record is None:
            yield from self._read_lines(where, _checked(name, source))
            return
        form, rest = guess_by_lines(name, source)
        if form.name == "moves":
            yield from self._read_lines(where, rest)
        else:
            yield from self._read_records(where, form, rest, self._of_record)

    def _read_records(
        self,
        where: str,
        form: Format,
        lines: Iterable[str],
        of_record: Callable[[GameRecord], Read],
    ) -> Iterator[Given[Read]]:
        for tried in tried_records(lines, form, self._geometry):
            if tried.record is None:
                self._tell(f"{where}line {tried.line}: {tried.error}")
                yield Given("", None, tried.error)
            else:
                yield Given(tried.record.moves, of_record(tried.record))

    def _tell(self, error: str) -> None:
        print(f"claimeven: {error}", file=sys.stderr, flush=True)
        self.failed = True

    def _read_lines(self, where: str, lines: Iterable[str]) -> Iterator[Given[Read]]:
        for number, line in enumerate(lines, start=1):
            text = line.removeprefix(_BYTE_ORDER_MARK)
            if self._of_record is not None:
                text = moves_of(text, self._geometry)
            moves = "".join(text.split())
            try:
                given = Given(moves, self.read(moves))
            except ClaimevenError as error:
                self._tell(f"{where}line {number}: {error}")
                given = Given(moves, None, str(error))
            yield given


def _checked(name: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a file as they come. Raises `InvalidRecord` where they are no text."""
    for number, line in enumerate(lines):
        if number == 0:
            check_first_line(name, line)
        yield line


def open_text(name: str) -> TextIO:
    """Open a text file in whatever encoding; `ClaimevenError` if it cannot be read.

    It is read as UTF-8. Bytes that are none become lone surrogates, which no reader of lines
    takes for anything, so only their line is refused.
    """
    try:
        return Path(name).open(encoding="utf-8", errors="surrogateescape")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ClaimevenError(f"{name} cannot be read: {reason}") from None


def _open(argument: str) -> TextIO | None:
    """Open the file of that name; None if the argument names no file."""
    try:
        is_there = Path(argument).exists()
    except (OSError, ValueError):  # too long for a name, or a name that cannot be
        is_there = False
    if is_there:
        return open_text(argument)
    if any(character in argument for character in _OF_FILES):
        raise ClaimevenError(f"there is no file {argument}")
    return None
