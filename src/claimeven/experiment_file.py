"""Files of experiments in TOML: a command and its options by name, read and written.

```text
    command = "match"                     may be absent
    agents = ["bots/*.py", "uct:c=0.7"]   the arguments of the command
    games = 500                           an option, with _ for -
```
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from claimeven.atomic_io import write_text
from claimeven.errors import ClaimevenError, path_of
from claimeven.option_fields import CommandOption
from claimeven.provenance import version_here
from claimeven.suggestions import did_you_mean, no_such
from claimeven.text_io import reading

COMMAND = "command"
#: The start of each file that is written here: only such a file is replaced.
_HEAD = "# The options of a run of claimeven; --file repeats it.\n"
#: The next line, with the version.
_VERSION = "# claimeven "
#: Names of options in files of claimeven 0.2, and the names that replaced them.
_OLD_NAMES = {"bank": "time_bank", "memory": "memory_limit", "load_seconds": "load_timeout"}
#: For each type of field its values in words, and the fitting types of TOML.
_TAKES: dict[type, tuple[str, tuple[type, ...]]] = {
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
    str: ("a text", (str,)),
    Path: ("a text", (str,)),
    bool: ("true or false", (bool,)),
    list: ('a list of texts such as ["bots/*.py", "greedy"]', (list,)),
    tuple: ("a number, or a list of numbers", (int, float, list)),
}


class InvalidExperiment(ClaimevenError):
    """A file that does not describe an experiment of the command."""


def with_new_names(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return options read from a file, with the new names of options of claimeven 0.2."""
    return {_OLD_NAMES.get(name, name): value for name, value in stored.items()}


def read_experiment(
    path: str | Path, command: str, fields: Mapping[str, CommandOption]
) -> dict[str, Any]:
    """Return the options in a file for a command with these fields.

    An entry of a list with a `*` is replaced by all matching files, in the order of their names.
    Paths are relative to the current folder, as on the command line. Raises `InvalidExperiment`
    for a file of another command, and with the line of an unknown field or a wrong value.
    """
    found, text = read_toml(path, InvalidExperiment)
    found = with_new_names(found)
    other = found.pop(COMMAND, command)
    if other != command:
        raise InvalidExperiment(
            f"{path} is a file for claimeven {other}, not for claimeven {command}"
        )
    for name, value in found.items():
        where = f"{path}{_line_of(name, text)}"
        if (reason := reason_against(name, value, fields)) is not None:
            raise InvalidExperiment(f"{where}: {reason}")
        if isinstance(value, list):
            found[name] = [each for part in value for each in _entries(part, name, where)]
    return found


def read_toml(path: str | Path, error_class: type[ClaimevenError]) -> tuple[dict[str, Any], str]:
    """Return the data in a TOML file, and its text. Raises an error of the class."""
    try:
        with reading(path, error_class):
            text = path_of(path, error_class).read_text("utf-8-sig")
        return tomllib.loads(text), text
    except UnicodeDecodeError:
        raise error_class(f"{path} cannot be read: it must be a text file in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise error_class(f"{path} must be a TOML file: {error}") from None


def reason_against(name: str, value: Any, fields: Mapping[str, CommandOption]) -> str | None:
    """Return why a value does not fit the field of this name, or None if it fits."""
    if name not in fields:
        return no_such("field", name, fields)
    field = fields[name]
    wanted, types = _TAKES[field.kind]
    if field.choices:
        wanted, is_valid = " or ".join(field.choices), value in field.choices
    else:
        is_valid = type(value) in types
    if isinstance(value, list):
        parts = (str,) if field.kind is list else (int, float)
        is_valid = is_valid and all(type(part) in parts for part in value)
    numbers = value if isinstance(value, list) else [value]
    if is_valid and not all(math.isfinite(n) for n in numbers if isinstance(n, float)):
        wanted, is_valid = wanted.replace("number", "finite number"), False
    if is_valid and field.low is not None:
        high = math.inf if field.high is None else field.high
        wanted = f"{field.low:g} or more" if high == math.inf else f"{field.low:g} to {high:,g}"
        is_valid = all(field.low <= number <= high for number in numbers)
    if is_valid:
        return None
    shown, guess = repr(value), did_you_mean(str(value), field.choices)
    return (
        f"{name} must be {wanted}, got {shown if len(shown) <= 60 else shown[:57] + '...'}{guess}"
    )


def _line_of(name: str, text: str) -> str:
    """Return the line of a field in words, if it has its own line.

    >>> _line_of("seed", "games = 5\\nseed = 1")
    ', line 2'
    """
    found = re.search(rf"^\s*(\[+\s*)?['\"]?{re.escape(name)}\b", text, re.MULTILINE)
    return "" if found is None else f", line {text.count(chr(10), 0, found.end()) + 1}"


def _entries(part: str, name: str, where: str) -> list[str]:
    """Return an entry of a list: itself, or the files that match its `*`."""
    if "*" not in part:
        return [part]
    anchor = Path(part).anchor
    found = sorted(file.as_posix() for file in Path(anchor).glob(part.removeprefix(anchor)))
    if not found:
        raise InvalidExperiment(f"{where}: {name} names {part!r}, which matches no file")
    return found


def write_experiment(path: str | Path, options: Mapping[str, Any]) -> bool:
    """Write the options of a run and return True; another file in this place is not replaced.

    Raises `CannotWrite`, and `InvalidExperiment` for a name that is not Unicode.
    """
    path = Path(path)
    if path.is_dir() or (path.exists() and not path.read_bytes().startswith(_HEAD.encode())):
        return False
    # JSON and TOML agree on texts, numbers, true and false, and lists of them.
    lines = [f"{name} = {json.dumps(each, ensure_ascii=False)}" for name, each in options.items()]
    text = "\n".join(lines).replace("\x7f", "\\u007f")  # TOML escapes this character too
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidExperiment(f"{path} cannot be written: a name is not in UTF-8") from None
    write_text(path, f"{_HEAD}{_VERSION}{version_here()}\n{text}\n")
    return True


def described_options(path: Path) -> dict[str, Any]:
    """Return the description of a file that `write_experiment` wrote."""
    found, text = read_toml(path, InvalidExperiment)
    version = text.removeprefix(_HEAD + _VERSION).partition("\n")[0]
    if not text.startswith(_HEAD + _VERSION):
        raise InvalidExperiment(f"{path} does not name the version of claimeven that wrote it")
    return {"kind": "options", "schema": 1, "claimeven": version, COMMAND: found}
