"""Agents, evaluations and other functions from users' Python files or modules.

Specs are `my_agent.py:agent`, `my_agent.py` and `package.module:name`. Without a name the agent is
the object called `agent`, or else the last function or class that looks most like an agent. A file
may import its neighbors, also as a part of a package. Its output goes to stderr. A warning reports
if `kaggle:main.py` would use another object: the last callable of a file, as Kaggle does.

The code runs in the process that calls these functions; `make_agent` starts a separate process.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import linecache
import re
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import decode_source
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from claimeven.agents.base import Agent
from claimeven.agents.external import split_foreign
from claimeven.agents.external.kaggle import KaggleAgent
from claimeven.agents.function_agent import as_agent, call_text, rank, settings_text
from claimeven.agents.http_agent import is_address
from claimeven.agents.options import InvalidSpec, split_limit, split_options
from claimeven.agents.source_snapshot import is_file, run_file, source_of
from claimeven.plugins import AGENTS, installed

if TYPE_CHECKING:
    from claimeven.evaluation.registry import Evaluation

#: The name of the agent in a file by default.
DEFAULT_NAME = "agent"
#: A name and options, after a file.
_NAME = re.compile(r"[^\W\d]\w*(\s*,\s*[^\W\d]\w*\s*=\s*[^,\s][^,]*)*")


def split_file_spec(spec: str) -> tuple[str, str] | None:
    """Split `file.py:name` or `package.module:name`; None for a spec of another form.

    The options of `file.py:name,option=value` stay with the name. An agent of an installed package,
    `name:option=value`, is split like its module. Raises `InvalidSpec` if that is broken.
    """
    spec, _ = split_limit(spec)
    if is_address(spec) or split_foreign(spec) is not None:
        return None
    spec = _without_plugin(spec)
    before, colon, name = spec.partition(".py:")
    place = f"{before}.py"
    if not colon:
        place, colon, name = spec.rpartition(":") if ":" in spec else (spec, "", "")
    if place.endswith(".py") and (not name or _NAME.fullmatch(name)):
        return place, name
    if name.endswith(".py"):
        return spec, ""
    looks_like_module = all(part.isidentifier() for part in place.split("."))
    if colon and _NAME.fullmatch(name) and looks_like_module and _module_exists(place):
        return place, name
    return None


def _without_plugin(spec: str) -> str:
    """Return a spec with the module and object of an installed package in place of its name."""
    name, _, options = spec.partition(":")
    is_name = name.replace("-", "_").isidentifier()
    plugin = installed(AGENTS).get(name) if is_name else None
    if plugin is None:
        return spec
    if plugin.problem:
        raise InvalidSpec(plugin.problem)
    module = plugin.place.partition(":")[0]
    if not _module_exists(module):
        raise InvalidSpec(f"{name} of {plugin.package} cannot be loaded: no module {module}")
    return f"{plugin.place},{options}" if options else plugin.place


def files_of(spec: str) -> tuple[Path, ...]:
    """Return the files of the agent of a spec that exist.

    >>> files_of("nowhere.py:agent")
    ()
    """
    foreign = split_foreign(spec)
    if foreign is not None:
        kind, text = foreign
        return tuple(path for path in kind.files(text) if is_file(path))
    try:
        parts = split_file_spec(spec.strip())
    except InvalidSpec:
        return ()
    if parts is None:
        return ()
    paths = [Path(parts[0])]
    if not parts[0].endswith(".py"):  # the file of a module, which is not imported
        inner = Path(*parts[0].split("."))
        paths += [
            path
            for folder in map(Path, sys.path)
            for path in (folder / inner / "__init__.py", (folder / inner).with_suffix(".py"))
        ]
    return tuple([path for path in paths if is_file(path)][:1])


def file_of(spec: str) -> Path | None:
    """Return the file of the agent of a spec; None if it does not exist.

    >>> file_of("nowhere.py:agent") is None
    True
    """
    return next(iter(files_of(spec)), None)


def load_agent(spec: str, place: str, name: str) -> Agent:
    """Return the agent called `name` in a file or module. Raises `InvalidSpec` without one."""
    module = load_module(place)
    name, _, text = name.partition(",")
    found, which = _choose(module, place, name.strip())
    options = split_options(text, spec)
    agent = as_agent(found, spec, options)
    called = call_text(agent, getattr(found, "__name__", None) or name or DEFAULT_NAME)
    settings = settings_text(found, options)
    agent.plays = f"{called}, {which}" + f", with {settings}" * bool(settings)
    agent.is_guess = not name and DEFAULT_NAME not in vars(module)
    if isinstance(agent, KaggleAgent) and not name:
        callables = [v for k, v in vars(module).items() if callable(v) and not k.startswith("__")]
        last = callables[-1] if callables else None
        if last is not None and last is not agent.function:
            last_name = getattr(last, "__name__", "without a name")
            print(
                f"{spec}: on Kaggle the last callable ({last_name}) would be the agent, as it is"
                f" for kaggle:{place}",
                file=sys.stderr,
            )
    return agent


def load_function(place: str, name: str) -> Callable[..., Any]:
    """Return the named (or last) function or class of a file or module. Raises `InvalidSpec`."""
    module = load_module(place)
    own = _own(module)
    found: Callable[..., Any] = _named(module, place, name or [DEFAULT_NAME, *own][-1])
    if not callable(found):
        raise InvalidSpec(f"{place}:{name} is not a function")
    return found


def load_evaluation(text: str) -> Evaluation:
    """Return an evaluation: a name or `mine.py:name`. Raises `InvalidEvaluation`, `InvalidSpec`."""
    from claimeven.evaluation import registry  # noqa: PLC0415 - brings in Numba

    is_file = text not in registry.EVALUATIONS and (":" in text or text.endswith(".py"))
    parts = split_file_spec(text) if is_file else None
    return registry.get_evaluation(text if parts is None else load_function(*parts))


def load_module(place: str) -> ModuleType:
    """Import a file (`place` ends in .py) or a module. Raises `InvalidSpec` if that fails."""
    load = _import_file if place.endswith(".py") else importlib.import_module
    return run_file(place, lambda: load(place))


class _Neighbors(MetaPathFinder):
    """Finds the modules and packages next to a file, except those with names of Python's."""

    def __init__(self, file: Path) -> None:
        self.folder = str(file.parent)
        self.around = {folder.name: str(folder.parent) for folder in reversed(file.parents)}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module; None if it is not next to the file."""
        if path is not None or name in sys.stdlib_module_names:
            return None
        found = PathFinder.find_spec(name, [self.folder])
        if found is not None and found.loader is not None:
            return found
        if name in self.around and PathFinder.find_spec(name) is None:
            return PathFinder.find_spec(name, [self.around[name]])
        return None


def _import_file(place: str) -> ModuleType:
    path, text = Path(place).resolve(), source_of(place)
    mark = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    module = ModuleType(f"claimeven_user_{path.stem}_{mark}")
    module.__file__, module.__package__ = str(path), _package_of(path, text)
    sys.modules[module.__name__] = module
    # The folder comes first, except for Python's own modules: a neighbor may have the same name.
    sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, _Neighbors)]
    sys.meta_path.insert(0, _Neighbors(path))
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    sys.path.sort(key={"", str(Path.cwd())}.__contains__)
    code = compile(text, str(path), "exec", dont_inherit=True)
    try:
        lines = decode_source(text).splitlines(keepends=True)  # for tracebacks
    except UnicodeDecodeError:
        raise InvalidSpec(f"{place} cannot be read: it is not UTF-8 text") from None
    linecache.cache[str(path)] = (len(text), None, lines, str(path))
    exec(code, vars(module))
    return module


def _package_of(path: Path, text: bytes) -> str:
    """Return the name of the package that a file is a part of, or an empty text."""
    folders: list[str] = []
    for folder in path.parents:
        if not (folder.name.isidentifier() and (folder / "__init__.py").is_file()):
            break
        folders.insert(0, folder.name)
    if not folders and re.search(rb"^\s*from\s+\.", text, re.MULTILINE):
        return path.parent.name if path.parent.name.isidentifier() else ""
    return ".".join(folders)


def _module_exists(place: str) -> bool:
    """Whether a module or its package exists; it is not imported."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    package = place.partition(".")[0]
    try:
        return package in sys.modules or importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _own(module: ModuleType) -> dict[str, Any]:
    """Return the functions and classes that a module defines, and its agents."""
    return {
        key: value
        for key, value in vars(module).items()
        if (callable(value) and getattr(value, "__module__", None) == module.__name__)
        or isinstance(value, Agent)
    }


def _named(module: ModuleType, place: str, name: str) -> Any:
    """Return the attribute of a module. Raises `InvalidSpec`, with the choices."""
    if name not in vars(module) and not hasattr(module, name):
        own = _own(module)
        choices = f": it has {', '.join(own)}" if own else ""
        raise InvalidSpec(f"{place} does not define {name!r}{choices}")
    return getattr(module, name)


def _choose(module: ModuleType, place: str, name: str) -> tuple[Any, str]:
    """Return the named agent of a module, `agent`, or the last likely one, and the reason."""
    file = Path(place).name
    if name:
        return _named(module, place, name), f"the one named, of {file}"
    if DEFAULT_NAME in vars(module):
        return getattr(module, DEFAULT_NAME), f"the one called {DEFAULT_NAME}, of {file}"
    own = {key: value for key, value in _own(module).items() if key != "main"}
    ranks = {key: rank(value) for key, value in own.items()}
    able = [key for key in own if ranks[key]]
    best = [key for key in able if ranks[key] == max(ranks.values())]
    if not best:
        for value in reversed(own.values()):
            as_agent(value, place)  # raises the reason
        hint = f": to play {[*own][-1]}, give {place}:{[*own][-1]}" if own else ""
        raise InvalidSpec(f"{place} defines no function to play with{hint}")
    if len(able) == 1:
        return own[best[0]], f"the only one in {file} that can be an agent"
    others = ", ".join(key for key in able if key != best[-1])
    which = "best" if len(best) == 1 else "last"
    return own[best[-1]], (
        f"the {which} of the possible agents in {file}; to play {others}, give {place}:NAME"
    )
