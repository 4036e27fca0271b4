"""The caller's side of a launch: see the package."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import inspect
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.forks.template import MAX_REQUEST, NAME

ROOT = Path(__file__).parents[2]
#: Set if each start is to be a start of Python itself.
REAL = "CLAIMEVEN_REAL_STARTS"
#: Prefixes of variables that are only read when Python or a library starts.
AT_START = (
    "PYTHON", "NUMBA_", "OMP_", "OPENBLAS_", "MKL_", "NUMEXPR_", "VECLIB_", "LD_", "LANG", "LC_",
)  # fmt: skip
#: One of them that is read at its use. Ray sets it in the process that starts its work.
LATER = "PYTHONBREAKPOINT"
#: The option of `prctl` to adopt orphans.
_ADOPT = 36
#: The lock of a launch: the process adopts orphans during a launch, and not after.
_ONE_LAUNCH = threading.Lock()
#: Seconds that a template has to answer, or to end.
_PATIENCE = 120.0
#: The code of a template.
_START = (
    "import sys; sys.path.insert(0, {root!r}); from tests.forks.template import main; "
    "del sys.path[0]; main({end}, {modules!r})"
)
_EXECUTE = inspect.signature(subprocess.Popen._execute_child)  # type: ignore[attr-defined]  # private
#: Options that a launch does not support: Python is started then.
_NEVER = ("preexec_fn", "executable", "shell", "uid", "gid", "gids")


class Template:
    """A process that has imported modules; it starts at its first use and ends with us.

    `variables` returns the variables for its start.
    """

    def __init__(self, *modules: str, variables: Callable[[], dict[str, str]]) -> None:
        self.modules = modules
        self.variables = variables
        self._lock = threading.Lock()
        self._owner = 0
        self._at_start: dict[str, str] = {}

    def take(self, asking: socket.socket, variables: Mapping[str, str]) -> None:
        """Connect a process of this number with a template, started with these variables, by a
        socket.
        """
        self._owner, self._at_start, self._asking = os.getpid(), _at_start(variables), asking
        asking.settimeout(_PATIENCE)

    def fits(self, variables: Mapping[str, str], sets_path: bool) -> bool:
        """Whether Python would start with these variables as the template has.

        If its code `sets_path`, that may be another.
        """
        if sys.platform != "linux" or os.environ.get(REAL):
            return False
        with self._lock:
            if self._owner != os.getpid():
                self._start()
        apart = {"PYTHONPATH"} if sets_path else set()
        return all(
            name in apart for name, _ in _at_start(variables).items() ^ self._at_start.items()
        )

    def launch(self, asked: Mapping[str, Any], descriptors: list[int]) -> int:
        """Return the number of a new process, a child of this one."""
        question = json.dumps(asked).encode()
        with self._lock, _ONE_LAUNCH, _adopting():
            try:
                socket.send_fds(self._asking, [question], descriptors)
                answer = self._asking.recv(MAX_REQUEST)
            except BaseException:
                self._owner = 0  # a late answer would be taken for that to the next question
                raise
        assert answer, "the template of the processes has ended"
        return int(answer)

    def _start(self) -> None:
        variables = self.variables()
        asking, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.take(asking, variables)
        start = _START.format(root=str(ROOT), end=theirs.fileno(), modules=self.modules)
        self.process = subprocess.Popen(
            [sys.executable, "-c", start],
            stdin=subprocess.DEVNULL,
            env=variables,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        atexit.register(self._end)

    def _end(self) -> None:
        if self._owner == os.getpid():
            self._asking.close()
            try:
                self.process.wait(_PATIENCE)
            finally:
                self.process.kill()


class Launched(subprocess.Popen[Any]):
    """A `Popen` whose process is forked from a template if one fits, else started.

    One that `launches` has a separate template for its workers; one that `sets_path` first sets the
    folders of modules.
    """

    def __init__(
        self,
        arguments: list[str],
        template: Template,
        launches: bool = False,
        sets_path: bool = False,
        **options: Any,
    ) -> None:
        self._template, self._launches, self._sets_path = template, launches, sets_path
        self.is_fork = False
        super().__init__(arguments, **options)

    def _execute_child(self, *given: Any) -> None:
        asked = _EXECUTE.bind(self, *given).arguments
        variables = os.environ if asked["env"] is None else asked["env"]
        arguments = [os.fsdecode(argument) for argument in asked["args"]]
        if (
            sys.platform != "linux"
            or arguments[0] != sys.executable
            or arguments[1] not in ("-m", "-c")
            or any(asked[name] not in (None, False, -1) for name in _NEVER)
            or not self._template.fits(variables, self._sets_path)
        ):
            execute_child: Any = super()._execute_child  # type: ignore[misc]  # of its own
            execute_child(*given)
            return
        theirs = [asked[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        streams = [number if end == -1 else end for number, end in enumerate(theirs)]
        passed = sorted(set(asked["pass_fds"]) - {0, 1, 2})
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        self.pid = self._template.launch(
            {
                "arguments": arguments[1:],
                "folder": str(Path(asked["cwd"] or "").absolute()),
                "variables": dict(variables),
                "numbers": [0, 1, 2, *passed],
                "launches": self._launches,
                "session": asked["start_new_session"],
                "blocked": [int(number) for number in blocked],
            },
            [*streams, *passed],
        )
        self.is_fork = True
        own: Any = self
        own._child_created = True
        ends = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        own._close_pipe_fds(*(asked[name] for name in ends))


def children_of(process: int) -> list[int]:
    """The children of a process, in order, but for the template it may have."""
    output = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(process)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    named = [line.split(maxsplit=1) for line in output.stdout.splitlines()]
    return [int(number) for number, name in named if name != NAME]


def _at_start(variables: Mapping[str, str]) -> dict[str, str]:
    return {
        name: output
        for name, output in variables.items()
        if name.startswith(AT_START) and name != LATER
    }


@contextlib.contextmanager
def _adopting() -> Iterator[None]:
    """Adopt orphans in the block."""
    _adopt(True)
    try:
        yield
    finally:
        _adopt(False)


def _adopt(on: bool) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(_ADOPT, int(on), 0, 0, 0):
        raise OSError(ctypes.get_errno(), "orphans cannot be adopted")
