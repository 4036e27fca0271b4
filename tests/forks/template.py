"""The process from which launches are forked. This module must not start a thread or compile code.

A request on a socket is one message: JSON, and the file descriptors of the new process. The answer
is the id of the process.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any, TextIO

#: Maximum bytes and file descriptors of a request.
MAX_REQUEST, MAX_DESCRIPTORS = 1 << 17, 16
#: The name of the template process of a launch, and the file in which Linux has it.
NAME, _NAME_FILE = "template", Path("/proc/self/comm")


def main(requests: int, modules: list[str]) -> None:
    """Import modules, then fork for each request until the socket is closed.

    In a fork, it runs the requested program and returns as the program does.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    gc.disable()
    for module in modules:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # a garbage collection of these objects would copy them
    gc.enable()
    request = _next_request(requests)
    if request is not None:
        _end(_status_of(*request))


def _status_of(request: dict[str, Any], descriptors: list[int]) -> int:
    """Run a requested program; return its exit status. Python reports other errors itself."""
    try:
        _become(request, descriptors)
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise
        return ended.code or 0
    return 0


def _end(status: int) -> None:
    """End as Python does, but do not free the shared modules, since that would copy them first."""
    threading._shutdown()  # type: ignore[attr-defined]  # private: waits for threads, calls exits
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        sys.exit(status)  # Python itself reports this
    os._exit(status & 0xFF)


def _next_request(requests: int) -> tuple[dict[str, Any], list[int]] | None:
    """Fork for each request; return None when the socket is closed.

    In a fork, return its request and file descriptors.
    """
    with socket.socket(fileno=requests) as connection:
        while True:
            message, descriptors, _, _ = socket.recv_fds(connection, MAX_REQUEST, MAX_DESCRIPTORS)
            if not message:
                return None
            request = json.loads(message)
            if _fork(request["session"], connection):
                return request, descriptors
            for descriptor in descriptors:
                os.close(descriptor)


def _fork(session: bool, connection: socket.socket) -> bool:
    """Fork; whether this is the new process. Its id is sent when it is ready for signals.

    It is forked twice, so that its parent is the process that adopts orphans.
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
    connection.send(str(os.getpid()).encode())
    return True


def _become(request: dict[str, Any], descriptors: list[int]) -> None:
    """Continue like an interpreter that was started for a request."""
    _renumber(descriptors, request["numbers"])
    if request["launches"] and (of_worker := _worker_request(request["variables"])):
        request, descriptors = of_worker
        _renumber(descriptors, request["numbers"])
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["variables"])
    option, program, *arguments = request["arguments"]
    sys.path[0] = request["folder"] if option == "-m" else ""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = _stream(number, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()  # Python itself seeds `random`
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, request["blocked"])
    sys.argv = [option, *arguments]
    if option == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        names = sys.modules["__main__"].__dict__
        names.clear()
        names.update(__name__="__main__", __builtins__=__builtins__)
        exec(compile(program, "<string>", "exec"), names)


def _worker_request(variables: dict[str, str]) -> tuple[dict[str, Any], list[int]] | None:
    """Fork this launch into a template for its workers.

    Returns None in the launch, and the request of a worker in each fork of the template.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork():
        theirs.close()
        from tests.forks import agents

        agents.launch_workers_from(ours, variables)
        return None
    os.setsid()
    ours.close()
    default = _NAME_FILE.read_text("utf-8")
    _NAME_FILE.write_text(NAME, "utf-8")
    null = os.open(os.devnull, os.O_RDWR)
    _renumber([null, null, null, theirs.detach()], [0, 1, 2, 3])
    request = _next_request(3)
    if request is None:
        os._exit(0)
    _NAME_FILE.write_text(default, "utf-8")
    if "claimeven.web.tasks" in request[0]["arguments"][1]:  # starts many agents
        from tests.forks import agents

        agents.launch_workers({"claimeven.agents.worker": agents.AGENT})
    return request


def _renumber(descriptors: list[int], numbers: list[int]) -> None:
    """Give file descriptors these numbers, and close all others."""
    import fcntl  # missing on Windows

    above = max(numbers) + 1
    copies = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, above) for descriptor in descriptors]
    for descriptor, number in zip(copies, numbers, strict=True):
        os.dup2(descriptor, number)
    last = -1
    for number in [*sorted(numbers), os.sysconf("SC_OPEN_MAX")]:
        if number > last + 1:  # `closerange` treats an empty range as all
            os.closerange(last + 1, number)
        last = number


def _stream(number: int, like: TextIO) -> TextIO | None:
    """Open a standard stream like Python does at its start; None if it is closed."""
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
