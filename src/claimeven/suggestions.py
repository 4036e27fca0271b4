"""Messages for a word that stands for nothing: what it may have meant, and what there is."""

from __future__ import annotations

from collections.abc import Iterable


def no_such(what: str, word: str, choices: Iterable[str]) -> str:
    """Say that there is no `what` called `word`, the one it looks like, and all there are.

    >>> no_such("agent", "alphabet", ["random", "alphabeta"])
    "there is no agent 'alphabet' (did you mean alphabeta?): choose from random, alphabeta"
    """
    known = list(choices)
    return f"there is no {what} {word!r}{did_you_mean(word, known)}: choose from {', '.join(known)}"


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return the choice a word looks like, as an addition in brackets; nothing if there is none.

    >>> did_you_mean("deph", ["depth", "eval"]), did_you_mean("deph", ["eval"])
    (' (did you mean depth?)', '')
    """
    from difflib import get_close_matches  # noqa: PLC0415 - needed for mistakes alone

    known = list(choices)
    found = get_close_matches(word, known, n=1) or [
        choice for choice in known if word and choice.lower() == word.lower()
    ]
    return f" (did you mean {found[0]}?)" if found else ""
