"""How wide a text is on a terminal, where letters of some scripts take two columns and marks none.

What is measured, padded, cut or wrapped for a terminal goes through here: `len` counts characters.
"""

from __future__ import annotations

from functools import lru_cache
from textwrap import TextWrapper
from unicodedata import category, east_asian_width

#: Vowels and last consonants of Hangul, which are drawn into the letter before them.
_JOINED = range(0x1160, 0x1200)


def text_size(text: str) -> int:
    """Return the columns of a terminal that a text takes.

    >>> text_size("bot"), text_size("\\u6f22\\u5b57"), text_size("e\\u0301")
    (3, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_size, text))


def left(text: str, width: int) -> str:
    """Return a text filled up with blanks on its right, as `str.ljust` does."""
    return text + " " * (width - text_size(text))


def right(text: str, width: int) -> str:
    """Return a text filled up with blanks on its left, as `str.rjust` does."""
    return " " * (width - text_size(text)) + text


def cut(text: str, width: int) -> str:
    """Return the longest beginning of a text that has room in so many columns.

    >>> cut("a\\u6f22\\u5b57", 4) == "a\\u6f22"
    True
    """
    room = width
    for place, character in enumerate(text):
        room -= _size(character)
        if room < 0:
            return text[:place]
    return text


def wrap(
    text: str,
    width: int,
    *,
    initial_indent: str = "",
    subsequent_indent: str = "",
    break_long_words: bool = True,
    break_on_hyphens: bool = True,
) -> list[str]:
    """Return a text in lines of at most `width` columns, as `textwrap.wrap` does by characters."""
    wrapper = _Wrapper(
        width,
        initial_indent=initial_indent,
        subsequent_indent=subsequent_indent,
        break_long_words=break_long_words,
        break_on_hyphens=break_on_hyphens,
    )
    return wrapper.wrap(text)


@lru_cache(4096)
def _size(character: str) -> int:
    if category(character) in ("Mn", "Me", "Cf") or ord(character) in _JOINED:
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


class _Sized(str):
    """A piece of text whose length is told in columns."""

    __slots__ = ()

    def __len__(self) -> int:
        return text_size(str(self))


class _Wrapper(TextWrapper):
    """A wrapper that measures the pieces of a text in columns."""

    def _split(self, text: str) -> list[str]:
        return [_Sized(piece) for piece in super()._split(text)]

    def _handle_long_word(
        self, reversed_chunks: list[str], cur_line: list[str], cur_len: int, width: int
    ) -> None:
        """Put what fits of a word longer than a line at the end of the line, or leave it whole."""
        room = width - cur_len
        fits = len(cut(str(reversed_chunks[-1]), room))
        if room > 0 and fits == 0 and cur_line:  # half a letter has room there
            return
        fits = max(fits, 1) if room > 0 else room
        super()._handle_long_word(reversed_chunks, cur_line, cur_len, cur_len + fits)
        for pieces in (reversed_chunks, cur_line):
            pieces[-1:] = map(_Sized, pieces[-1:])
