"""Modules made one, and the modules that cannot be joined."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimeven.notebook.bundle import bundle


def written(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return folder / "main.js"


def test_each_module_is_there_once_before_its_users(tmp_path: Path) -> None:
    entry = written(
        tmp_path,
        main_js='import { one } from "./a.js";\nimport { two as deux } from "./b.js";\n'
        "export default { sum: one + deux };\n",
        a_js='import { two } from "./b.js";\nexport const one = two - 1;\n',
        b_js="export const two = 2;\nconst one = 5;\n",
    )
    assert bundle(entry) == (
        "const $module1 = (() => {\nconst two = 2;\nconst one = 5;\n\nreturn { two };\n})();\n"
        "const $module2 = (() => {\nconst { two } = $module1;\nconst one = two - 1;\n\n"
        "return { one };\n})();\n"
        "const { one } = $module2;\nconst { two: deux } = $module1;\n"
        "export default { sum: one + deux };\n"
    )


def test_folders_styles_and_every_kind_of_export(tmp_path: Path) -> None:
    entry = written(
        tmp_path,
        main_js='import {\n  One,\n  two as deux,\n} from "./parts/a.js";\n'
        'import { three } from "./b.js";\n'
        'import sheet from "./main.css" with { type: "css" };\nexport default { One, sheet };\n',
        b_js="export async function three() {}\n",
        main_css='a::after { content: "\\201c"; }\n',
    )
    (tmp_path / "parts").mkdir()
    written(
        tmp_path / "parts",
        a_js='import { three } from "../b.js";\nexport class One {}\nexport let two = three;\n'
        "export function four() {}\n",
    )
    assert bundle(entry) == (
        "const $module1 = (() => {\nasync function three() {}\n\nreturn { three };\n})();\n"
        "const $module2 = (() => {\nconst { three } = $module1;\nclass One {}\nlet two = three;\n"
        "function four() {}\n\nreturn { One, two, four };\n})();\n"
        "const { One, two: deux } = $module2;\nconst { three } = $module1;\n"
        "const sheet = new CSSStyleSheet();\n"
        r'sheet.replaceSync("a::after { content: \"\\201c\"; }\n");'
        "\nexport default { One, sheet };\n"
    )


@pytest.mark.parametrize(
    ("a_js", "error", "output"),
    [
        (
            "export default 1;\n",
            ValueError,
            r"a\.js has a line that cannot be bundled: export default",
        ),
        ("export const { a } = {};\n", ValueError, r"a\.js has a line that cannot be bundled"),
        ('import { a } from "./main.js";\n', ValueError, r"main\.js imports itself, through"),
        ('import { a } from "./b.js";\n', FileNotFoundError, r"b\.js"),
    ],
)
def test_invalid_modules(tmp_path: Path, a_js: str, error: type[Exception], output: str) -> None:
    main = 'import { a } from "./a.js";\nexport default {};\n'
    with pytest.raises(error, match=output):
        bundle(written(tmp_path, main_js=main, a_js=a_js))


@pytest.mark.parametrize(
    "line",
    [
        'import everything from "./a.js";',
        'import * as a from "./a.js";',
        'import "./a.js";',
        'import { h } from "https://example.org/h.js";',
        "export { one };",
        'const a = await import("./a.js");',
    ],
)
def test_unknown_syntax_is_refused(tmp_path: Path, line: str) -> None:
    entry = written(tmp_path, main_js=f"{line}\nexport default {{}};\n", a_js="")
    with pytest.raises(ValueError, match=r"main\.js has a line that cannot be bundled: "):
        bundle(entry)


def test_modules_in_a_circle_are_refused(tmp_path: Path) -> None:
    entry = written(
        tmp_path,
        main_js='import { a } from "./a.js";\nexport default {};\n',
        a_js='import { b } from "./b.js";\nexport const a = 1;\n',
        b_js='import { a } from "./a.js";\nexport const b = 1;\n',
    )
    with pytest.raises(ValueError, match=r"a\.js imports itself, through others"):
        bundle(entry)


def test_the_board_of_notebooks_uses_the_modules_of_the_page() -> None:
    import claimeven.notebook
    import claimeven.web
    from claimeven.notebook import widget

    page = Path(claimeven.web.__file__).parent / "static"
    own = Path(claimeven.notebook.__file__).parent / "static"
    assert sorted(file.name for file in own.iterdir()) == ["widget.css", "widget.js"]
    body = (page / "board.js").read_text(encoding="utf-8").partition("export class BoardView")[2]
    assert body.partition("export function")[0] in widget.MODULE
    assert "fetch(" not in widget.MODULE and "http" not in widget.MODULE.replace(
        "http://www.w3.org/2000/svg", ""
    )
