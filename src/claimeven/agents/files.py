"""What users bring in Python files or modules: agents, evaluations and other functions.

`my_agent.py:agent`, `my_agent.py` (what is called `agent`, else the last function or class it
defines) and `package.module:name`. A file may import its neighbours. What it prints goes to
stderr. `kaggle:main.py` takes the last callable that a file leaves behind, as Kaggle does (see
`foreign`): where an agent for Kaggle is found that is another one, that is said.

The code runs in the process that calls these functions. `make_agent` gives agents that run code
of a user a process of their own.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import linecache
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from importlib.util import decode_source
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from claimeven.agents.contract import Agent
from claimeven.agents.foreign.table import split_foreign
from claimeven.agents.functions import as_agent
from claimeven.agents.http_calls import is_address
from claimeven.agents.kaggle import KaggleAgent
from claimeven.agents.options import InvalidSpec
from claimeven.agents.prints import PrintsToStderr
from claimeven.agents.safe_text import described, traceback_of
from claimeven.agents.texts import held
from claimeven.suggestions import did_you_mean_file

if TYPE_CHECKING:
    from claimeven.evaluation.registry import Evaluation

#: Name looked for when a spec names a file alone.
USUAL_NAME = "agent"


def split_file_spec(spec: str) -> tuple[str, str] | None:
    """Split `file.py:name` or `package.module:name`; None for a spec of another form."""
    if is_address(spec) or split_foreign(spec) is not None:
        return None
    place, colon, name = spec.rpartition(":")
    if not colon:
        place, name = spec, ""
    if place.endswith(".py") and (not name or name.isidentifier()):
        return place, name
    if name.endswith(".py"):
        return spec, ""
    looks_like_module = all(part.isidentifier() for part in place.split("."))
    if colon and name.isidentifier() and looks_like_module and _module_exists(place):
        return place, name
    return None


def files_of(spec: str) -> tuple[Path, ...]:
    """Return the files that the agent of a spec comes from, those that are there.

    >>> files_of("nowhere.py:agent")
    ()
    """
    foreign = split_foreign(spec)
    if foreign is not None:
        kind, text = foreign
        return tuple(path for path in kind.files(text) if _is_file(path))
    parts = split_file_spec(spec.strip())
    if parts is None:
        return ()
    path = Path(parts[0])
    if _is_file(path):
        return (path,)
    return () if parts[0].endswith(".py") else _files_of_module(parts[0])


def _files_of_module(name: str) -> tuple[Path, ...]:
    """Return the file of a module that can be imported, found without importing anything."""
    inner = Path(*name.split("."))
    for folder in sys.path:
        for path in (Path(folder, inner, "__init__.py"), Path(folder, inner).with_suffix(".py")):
            if _is_file(path):
                return (path,)
    return ()


def file_of(spec: str) -> Path | None:
    """Return the file that the agent of a spec comes from; None if none of that name is there.

    >>> file_of("nowhere.py:agent") is None
    True
    """
    return next(iter(files_of(spec)), None)


def load_agent(spec: str, place: str, name: str) -> Agent:
    """Return the agent called `name` in a file or module.

    Raises `InvalidSpec` when the file, the name or an agent of a known form is missing.
    """
    module = load_module(place)
    agent = as_agent(_find(module, place, name), spec)
    if isinstance(agent, KaggleAgent) and not name:
        last = _last_callable(module)
        if last is not None and last is not agent.function:
            said = getattr(last, "__name__", "without a name")
            print(
                f"{spec}: on Kaggle the last callable ({said}) would be the agent, as it is"
                f" for kaggle:{place}",
                file=sys.stderr,
            )
    return agent


def load_function(place: str, name: str) -> Callable[..., Any]:
    """Return what is called `name` in a file or module. Raises `InvalidSpec` if it is not callable.

    An empty name stands for the last function or class that it defines.
    """
    found: Any = _find(load_module(place), place, name)
    if not callable(found):
        raise InvalidSpec(f"{place}:{name} is not a function")
    function: Callable[..., Any] = found
    return function


def load_evaluation(text: str) -> Evaluation:
    """Return an evaluation by name, or a user's function: `my_file.py:function`.

    Raises `InvalidEvaluation` or `InvalidSpec`.
    """
    from claimeven.evaluation.registry import (  # noqa: PLC0415 - brings in Numba
        EVALUATIONS,
        get_evaluation,
    )

    is_file = text not in EVALUATIONS and (":" in text or text.endswith(".py"))
    parts = split_file_spec(text) if is_file else None
    return get_evaluation(text if parts is None else load_function(*parts))


def load_module(place: str) -> ModuleType:
    """Import a file (`place` ends in .py) or a module. Raises `InvalidSpec` when that fails."""
    try:
        with PrintsToStderr():
            return _import_file(place) if place.endswith(".py") else importlib.import_module(place)
    except (InvalidSpec, KeyboardInterrupt):
        raise
    except BaseException as error:
        reason = f"{place} cannot be loaded: {described(error)}"
        raise InvalidSpec(reason, traceback_of(error)) from error


def _is_file(path: Path) -> bool:
    with suppress(OSError, ValueError):  # a name too long for a file, or none
        return path.is_file()
    return False


class _Loader(SourceFileLoader):
    """Takes a text for what a file holds, in tracebacks too."""

    def __init__(self, name: str, path: str, text: bytes) -> None:
        super().__init__(name, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        """Return the text, compiled."""
        lines = decode_source(self._text).splitlines(keepends=True)
        linecache.cache[self.path] = (len(self._text), None, lines, self.path)
        return self.source_to_code(self._text, self.path)


def _import_file(place: str) -> ModuleType:
    path, text = Path(place), held(place)
    if text is None and path.is_dir():
        raise InvalidSpec(f"{place} is a folder, and no file")
    if text is None and not path.is_file():
        raise InvalidSpec(f"there is no file {place}{did_you_mean_file(place)}")
    full = str(path.resolve())
    mark = hashlib.sha256(full.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    name = f"claimeven_user_{path.stem}_{mark}"
    loader = None if text is None else _Loader(name, full, text)
    spec = importlib.util.spec_from_file_location(name, full, loader=loader)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    folder = str(path.resolve().parent)
    if folder in sys.path:
        sys.path.remove(folder)
    sys.path.insert(0, folder)  # as if it were run: its neighbours come first
    spec.loader.exec_module(module)
    return module


def _module_exists(place: str) -> bool:
    """Whether there is a module, or the package that would hold it; nothing is imported."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    package = place.partition(".")[0]
    try:
        return package in sys.modules or importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _find(module: ModuleType, place: str, name: str) -> Any:
    own = {
        key: value
        for key, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", None) == module.__name__
    }
    if not name:
        if USUAL_NAME in vars(module):
            name = USUAL_NAME
        elif own:
            name = list(own)[-1]
        else:
            raise InvalidSpec(f"{place} defines no function to play with")
    if name not in vars(module) and not hasattr(module, name):
        choices = f": it has {', '.join(own)}" if own else ""
        raise InvalidSpec(f"{place} has nothing called {name!r}{choices}")
    return getattr(module, name)


def _last_callable(module: ModuleType) -> Callable[..., Any] | None:
    """Return the last callable among the names of a module, in the order they were first bound."""
    found = [v for k, v in vars(module).items() if callable(v) and not k.startswith("__")]
    return found[-1] if found else None
