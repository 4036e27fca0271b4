"""Text about the actions of an agent is the same in every process, and names only its own files."""

from __future__ import annotations

from claimeven.agents import sanitize
from claimeven.agents.sanitize import described, has_user_line, shown, traceback_of


class Thing:
    """An object that writes itself as most do, and its method too."""

    def method(self) -> None:
        """Do nothing."""


def test_addresses_of_objects_are_not_shown() -> None:
    where = f"{__name__}.Thing object"
    assert shown(Thing()) == f"<{where}>"
    assert shown([Thing(), {1: Thing()}]) == f"[<{where}>, {{1: <{where}>}}]"
    assert shown(test_addresses_of_objects_are_not_shown).endswith("_are_not_shown>")
    assert "0x" not in shown(Thing().method)
    assert described(KeyError(Thing())) == f"KeyError: <{where}>"
    assert described(ValueError(f"no {Thing()} and no {Thing()}!")) == (
        f"ValueError: no <{where}> and no <{where}>!"
    )


def test_other_numbers_stay() -> None:
    assert shown(" at 0x7f0123456789") == "' at 0x7f0123456789'"
    assert described(ValueError("meet at 0x10, at 0.5")) == "ValueError: meet at 0x10, at 0.5"


def test_a_traceback_names_a_user_line_or_none() -> None:
    try:
        raise ValueError("here")
    except ValueError as error:
        assert has_user_line(traceback_of(error))
    assert not has_user_line(f'  File "{sanitize.__file__}", line 3, in shown\n    "x.py"\n')
    in_group = '  + Exception Group Traceback (most recent call last):\n  |   File "x.py", line 3\n'
    assert has_user_line(in_group)
    assert not has_user_line("TypeError: x() takes 1 positional argument\n")
