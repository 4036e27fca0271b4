"""Ctrl-C pressed at each step that the main thread takes in chosen modules, one after the other."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
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
    """One call in which Ctrl-C was pressed: at which step, and what the call raised, if anything.

    `is_past_the_end` tells that the call had fewer steps than that: it was not pressed.
    """

    step: int
    raised: BaseException | None = None
    is_past_the_end: bool = False


def pressed_at(step: int, call: Callable[[], object], *modules: ModuleType) -> Pressed:
    """Make a call; press Ctrl-C at one of the steps that its bytecode takes in some modules.

    The first step is number 1. Has to be called in the main thread, in `pressed_as_usual`.
    """
    files = {module.__file__ for module in modules}
    pressed = Pressed(step, is_past_the_end=True)
    left = step

    def follow(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal left
        if frame.f_code.co_filename not in files:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left == 0:
                pressed.is_past_the_end = False
                signal.raise_signal(signal.SIGINT)
        return follow

    usual = sys.gettrace()
    sys.settrace(follow)
    try:
        call()
    except BaseException as raised:  # Ctrl-C, or whatever the call makes of it
        pressed.raised = raised
    finally:
        sys.settrace(usual)
    return pressed
