"""The process that launches are forked from. This module must not start a thread or compile code.

It is asked on a socket: one message a launch, JSON with the file descriptors of the new process
next to it, and answers with the number of the process.
"""

from __future__ import annotations

import atexit
import builtins
import ctypes
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

#: Bytes of the longest question, and file descriptors that come with one.
LONGEST, MOST = 1 << 17, 16
#: What a template of a launch is called, and where a setting of Linux.
NAME, _NAMED = "template", Path("/proc/self/comm")
#: Modules that Python ends with.
_ENDS = ("__main__", "builtins", "sys")


def main(asked_on: int, modules: list[str]) -> None:
    """Import modules, then fork for each question until nobody can ask any more.

    In a fork, this becomes what was asked for and returns as that does.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    there: list[str] = []
    end = _End()
    atexit.register(_leave, there, end)  # before all others, so that it is called last
    gc.disable()
    for module in modules:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # looking for garbage among all this would copy it
    gc.enable()
    there.extend(sys.modules)
    asked = _asked_of_a_fork(asked_on)
    if asked is None:
        return
    try:
        _become(*asked)
    except SystemExit as given:
        code = 0 if given.code is None else given.code
        end.status = code if isinstance(code, int) and 0 <= code < 256 else None
        raise
    except KeyboardInterrupt:  # Python sends itself the signal, last of all
        raise
    except BaseException:
        end.status = 1
        raise
    end.status = 0


def _asked_of_a_fork(asked_on: int) -> tuple[dict[str, Any], list[int]] | None:
    """Fork for each question; None where nobody can ask any more.

    A fork returns from here with its question and the file descriptors that came with it.
    """
    with socket.socket(fileno=asked_on) as asking:
        while True:
            question, descriptors, _, _ = socket.recv_fds(asking, LONGEST, MOST)
            if not question:
                return None
            asked = json.loads(question)
            if _forked(asked["session"], asking):
                return asked, descriptors
            for descriptor in descriptors:
                os.close(descriptor)


def _forked(session: bool, asking: socket.socket) -> bool:
    """Whether this is the new process, whose number is told as soon as it may be sent signals.

    It is forked twice, so that nobody but who adopts orphans is its parent.
    """
    between = os.fork()
    if between:
        os.waitpid(between, 0)
        return False
    between = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == between:
        time.sleep(0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if session:
        os.setsid()
    asking.send(str(os.getpid()).encode())
    return True


def _become(asked: dict[str, Any], descriptors: list[int]) -> None:
    """Go on as an interpreter that was started so."""
    _take(descriptors, asked["numbers"])
    if asked["launches"] and (of_its_own := _asked_of_its_template(asked["variables"])):
        asked, descriptors = of_its_own
        _take(descriptors, asked["numbers"])
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["variables"])
    option, what, *arguments = asked["arguments"]
    sys.path[0] = asked["folder"] if option == "-m" else ""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = _stream(number, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()  # Python itself sees to `random`
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, asked["blocked"])
    sys.argv = [option, *arguments]
    if option == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        names = sys.modules["__main__"].__dict__
        names.clear()
        names.update(__name__="__main__", __builtins__=__builtins__)
        exec(compile(what, "<string>", "exec"), names)


def _asked_of_its_template(
    variables: dict[str, str],
) -> tuple[dict[str, Any], list[int]] | None:
    """Give a launch a template of its own, for its workers: a fork of what it is as yet.

    Returns None to the launch, and to its workers what was asked of the template.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork():
        theirs.close()
        from tests.forks import agents

        agents.launch_workers_from(ours, variables)
        return None
    os.setsid()
    ours.close()
    default = _NAMED.read_text("utf-8")
    _NAMED.write_text(NAME, "utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    _take([nothing, nothing, nothing, theirs.detach()], [0, 1, 2, 3])
    asked = _asked_of_a_fork(3)
    if asked is None:
        os._exit(0)
    _NAMED.write_text(default, "utf-8")
    return asked


class _End:
    """Ends the process with a status, if there is one, when nobody refers to it any more."""

    status: int | None = None

    def __del__(self, leave: Callable[[int], None] = os._exit) -> None:
        if self.status is not None:
            leave(self.status)


def _leave(names: list[str], end: _End) -> None:
    """Let the end of Python, which comes next, take no modules apart that were there at the fork.

    That would copy them all, to free what ends with the process anyway. What a launch itself has
    imported and made ends as ever. Then Python lets go of the builtins, the last of them last, and
    what is left for it to do is to free the memory of all it shares with the template.
    """
    left = [sys.modules.pop(name) for name in names if name in sys.modules and name not in _ENDS]
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(left))  # for good
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
    except Exception:
        end.status = None  # Python meets it too, and has a status of its own for it
    if sys.excepthook is not sys.__excepthook__:
        end.status = None  # which may choose another
    vars(builtins)["the end"] = end


def _take(descriptors: list[int], numbers: list[int]) -> None:
    """Give file descriptors the numbers they are to have, and close all others."""
    import fcntl  # missing on Windows

    above = max(numbers) + 1
    kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, above) for descriptor in descriptors]
    for descriptor, number in zip(kept, numbers, strict=True):
        os.dup2(descriptor, number)
    last = -1
    for number in [*sorted(numbers), os.sysconf("SC_OPEN_MAX")]:
        if number > last + 1:  # Python treats an empty range as all
            os.closerange(last + 1, number)
        last = number


def _stream(number: int, like: TextIO) -> TextIO | None:
    """Open a standard stream as Python does when it starts; None if it was started without."""
    try:
        os.fstat(number)
    except OSError:
        return None
    stream = open(  # noqa: SIM115 - open for good
        number,
        "r" if number == 0 else "w",
        encoding=like.encoding,
        errors=like.errors,
        newline="\n",
        closefd=False,
    )
    if number == 2:
        stream.reconfigure(line_buffering=True)
    stream.buffer.raw.name = f"<{['stdin', 'stdout', 'stderr'][number]}>"  # type: ignore[attr-defined]  # a file has it
    return stream
