"""Specs of foreign agents: distinguished from all others, refused in one sentence, digested."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimeven.agents import AGENTS, InvalidSpec
from claimeven.agents.base import Agent
from claimeven.agents.external import FOREIGN, split_foreign
from claimeven.agents.external.line_process import ForeignKind, split_command
from claimeven.agents.files import files_of, split_file_spec
from claimeven.agents.fingerprint import digest_of_files
from claimeven.agents.options import AgentKind, Option
from claimeven.agents.registry import make_agent
from claimeven.arena.tournaments.run import brief_labels

MIDDLE = "def agent(obs, config):\n    return config.columns // 2 if not obs.board[3] else 0\n"


def test_prefixes_are_distinguished_from_all_other_specs() -> None:
    assert not set(FOREIGN) & set(AGENTS)
    for spec in ("greedy", "kaggle.py:agent", "http://host/play", "os.path:join", "kagg:le"):
        assert split_foreign(spec) is None
    for prefix, kind in FOREIGN.items():
        found = split_foreign(f" {prefix}: a b,c:d=e ")
        assert found == (kind, "a b,c:d=e")
        assert split_file_spec(f"{prefix}:os") is None
        assert (kind.prefix, kind.form.partition(":")[0]) == (prefix, prefix)
        assert kind.examples
        for example in kind.examples:
            assert split_foreign(example) is not None


def named(build: object = None) -> ForeignKind:
    """A kind with agents that have names, as some packages have."""

    def make(options: object) -> Agent:
        raise AssertionError

    depth = Option("depth", "int", 4, "plies", 1, 9)
    return ForeignKind(
        prefix="package",
        form="package:NAME",
        summary="agents of a package",
        build=lambda text, spec, sandbox: make_agent("greedy"),
        examples=("package:deep,depth=3",),
        agents=(AgentKind("deep", "looks ahead", (depth,), make), AgentKind("flat", "", (), make)),
        extra=("package", "no_module_of_this_name"),
    )


def test_names_after_a_prefix_take_options() -> None:
    kind = named()
    for text in ("deep,depth=3", "deep:depth=3", " deep , depth = 3 "):
        agent, options = kind.parse(text)
        assert (agent.name, options) == ("deep", {"depth": 3})
    assert kind.parse("flat")[1] == {}
    for text, output in (
        (
            "deap",
            "there is no agent of package 'deap' (did you mean deep?): choose from deep, flat",
        ),
        ("deep,dept=3", "deep has no option 'dept' (did you mean depth?): it takes depth"),
        ("deep,depth=30", "depth=30 of deep: depth takes a whole number from 1 to 9"),
        ("deep,depth", "'depth' in 'package:deep,depth' is not of the form option=value"),
        ("deep,depth=1,depth=2", "'package:deep,depth=1,depth=2' has depth twice"),
    ):
        with pytest.raises(InvalidSpec) as caught:
            kind.parse(text)
        assert str(caught.value) == output
    with pytest.raises(InvalidSpec, match=r"^package: needs the extra 'package': pip install 'cl"):
        kind.need_extra()


def test_settings_precede_a_program_with_an_equals_sign_in_its_path() -> None:
    assert split_command("Hash=64 Book= ./v=2/engine Depth=3") == (
        {"Hash": "64", "Book": ""},
        ["./v=2/engine", "Depth=3"],
    )
    for path in ("/opt/v=2/engine", "../v=2/engine"):
        assert split_command(path) == ({}, [path])


def test_a_backslash_is_a_part_of_a_path_on_windows() -> None:
    text = r"Hash=64 C:\v=2\rocket.exe --book 'C:\my books\deep.bin'"
    words = [r"C:\v=2\rocket.exe", "--book", r"C:\my books\deep.bin"]
    assert split_command(text, windows=True) == ({"Hash": "64"}, words)
    assert split_command(r"./my\ engine", windows=False) == ({}, ["./my engine"])


def test_their_files_are_digested_and_their_labels_short(tmp_path: Path) -> None:
    file = tmp_path / "main.py"
    file.write_text(MIDDLE, encoding="utf-8")
    spec = f"kaggle:{file}"
    assert files_of(spec) == (file,)
    before = digest_of_files(spec)
    assert before == digest_of_files(str(file))
    file.write_text(MIDDLE + "\n", encoding="utf-8")
    assert before != digest_of_files(spec) is not None
    assert digest_of_files("kaggle:nowhere.py") is None
    assert brief_labels([spec, "greedy"]) == ("main", "greedy")
    assert brief_labels([spec, f"kaggle:{tmp_path}/b/main.py"])[0] == spec
