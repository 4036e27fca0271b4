"""The README stays short, and renders outside the repository; `tests/docs` runs its examples."""

import re
import tomllib
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text("utf-8")
PROJECT = tomllib.loads((README.parent / "pyproject.toml").read_text("utf-8"))["project"]


def test_readme_is_short_enough_to_read() -> None:
    assert len(TEXT.split()) < 500


def test_it_has_the_two_commands_that_ci_runs() -> None:
    commands = re.findall(r"^python3 -m venv .*", TEXT, re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith("--games 500") and commands[1].endswith("-m pytest")


def test_links_are_absolute_and_lead_to_files() -> None:
    repository = PROJECT["urls"]["Repository"]
    raw = repository.replace("github.com", "raw.githubusercontent.com")
    targets = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert all(target.startswith("https://") for target in targets)
    files = [
        target.removeprefix(f"{repository}/blob/main/").removeprefix(f"{raw}/main/")
        for target in targets
        if target.startswith((f"{repository}/", f"{raw}/"))
    ]
    assert len(files) > 10
    for file in files:
        assert (README.parent / file).is_file(), file
