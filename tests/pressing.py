"""Ctrl-C pressed at each step that the main thread takes in chosen modules, one after the other."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import Any


@contextmanager
def pressed_as_usual() -> Iterator[None]:
    """Ctrl-C has Python's own handler in the block, and has it still at the end."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass
class Pressed:
    """One call in which Ctrl-C was pressed: at which step, and the exception of the call, or None.

    `is_past_the_end` means that the call had fewer steps: it was not pressed.
    """

    step: int
    raised: BaseException | None = None
    is_past_the_end: bool = False


def pressed_at(step: int, call: Callable[[], object], *modules: ModuleType) -> Pressed:
    """Make a call; press Ctrl-C at one of the steps that its bytecode takes in some modules.

    The first step is number 1. Has to be called in the main thread, in `pressed_as_usual`.
    """
    steps = _Steps(step, modules)

    def follow(frame: FrameType, event: str, argument: object) -> Any:
        if not steps.are_in(frame):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            steps.take()
        return follow

    default = sys.gettrace()
    sys.settrace(follow)
    try:
        call()
    except BaseException as raised:  # Ctrl-C, or the exception that the call makes of it
        steps.pressed.raised = raised
    finally:
        sys.settrace(default)
    return steps.pressed


def pressed_as_python_looks(step: int, call: Callable[[], object], *modules: ModuleType) -> Pressed:
    """`pressed_at` with steps at which Python looks for signals, which it does not at each.

    A function starts, or one written in C is over. The way into and out of a `with` block of
    such a lock has no step, and some code relies on that.
    """
    steps = _Steps(step, modules)

    def follow(frame: FrameType, event: str, argument: object) -> None:
        if event in ("call", "c_return") and steps.are_in(frame):
            steps.take()

    default = sys.getprofile()
    sys.setprofile(follow)
    try:
        call()
    except BaseException as raised:
        steps.pressed.raised = raised
    finally:
        sys.setprofile(default)
    return steps.pressed


class _Steps:
    """Counts the steps in some modules down to the one at which Ctrl-C is pressed."""

    def __init__(self, step: int, modules: Sequence[ModuleType]) -> None:
        self.pressed = Pressed(step, is_past_the_end=True)
        self._files = {module.__file__ for module in modules}
        self._left = step

    def are_in(self, frame: FrameType) -> bool:
        return frame.f_code.co_filename in self._files

    def take(self) -> None:
        self._left -= 1
        if self._left == 0:
            self.pressed.is_past_the_end = False
            signal.raise_signal(signal.SIGINT)
