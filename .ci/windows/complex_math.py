"""Give the extension modules in a folder the complex functions that Wine's C runtime lacks.

`complex_math.py FOLDER` writes `wpi-ms-win-crt-math-l1-1-0.dll` there, which has them and passes
all other functions on to `ucrtbase.dll`, and lets the modules below the folder ask it.
"""

import re
import subprocess
import sys
from pathlib import Path

ASKED, GIVEN = "api-ms-win-crt-math-l1-1-0.dll", "wpi-ms-win-crt-math-l1-1-0.dll"
FUNCTIONS = (
    "real", "imag", "abs", "arg", "exp", "log", "pow", "sqrt", "sin", "cos", "sinh", "cosh",
    "tan", "tanh",
)  # fmt: skip
#: For each kind of complex number: the end of the names, its parts, the end of real functions.
KINDS = (("f", "float", "f"), ("", "double", ""), ("l", "double", ""))
#: Real functions whose names an `l` may follow, whether or not they are asked for.
DOUBLES = (
    "nextafter", "rint", "log1p", "exp2", "expm1", "lgamma", "trunc", "copysign", "cbrt", "acosh",
    "asinh", "atanh",
)  # fmt: skip
CODE = """
typedef struct {{ {real} v[2]; }} z{end};
{real} w_creal{end}(z{end} a) {{ return a.v[0]; }}
{real} w_cimag{end}(z{end} a) {{ return a.v[1]; }}
{real} w_cabs{end}(z{end} a) {{ return hypot{f}(a.v[0], a.v[1]); }}
{real} w_carg{end}(z{end} a) {{ return atan2{f}(a.v[1], a.v[0]); }}
z{end} w_cexp{end}(z{end} a) {{
    {real} e = exp{f}(a.v[0]);
    z{end} r = {{{{e * cos{f}(a.v[1]), e * sin{f}(a.v[1])}}}};
    return r;
}}
z{end} w_clog{end}(z{end} a) {{
    z{end} r = {{{{log{f}(w_cabs{end}(a)), w_carg{end}(a)}}}};
    return r;
}}
z{end} w_cpow{end}(z{end} a, z{end} b) {{
    z{end} l = w_clog{end}(a);
    z{end} m = {{{{l.v[0] * b.v[0] - l.v[1] * b.v[1], l.v[0] * b.v[1] + l.v[1] * b.v[0]}}}};
    return w_cexp{end}(m);
}}
z{end} w_csqrt{end}(z{end} a) {{
    z{end} half = {{{{0.5, 0}}}};
    return w_cpow{end}(a, half);
}}
z{end} w_csin{end}(z{end} a) {{
    z{end} r = {{{{sin{f}(a.v[0]) * cosh{f}(a.v[1]), cos{f}(a.v[0]) * sinh{f}(a.v[1])}}}};
    return r;
}}
z{end} w_ccos{end}(z{end} a) {{
    z{end} r = {{{{cos{f}(a.v[0]) * cosh{f}(a.v[1]), -sin{f}(a.v[0]) * sinh{f}(a.v[1])}}}};
    return r;
}}
z{end} w_csinh{end}(z{end} a) {{
    z{end} r = {{{{sinh{f}(a.v[0]) * cos{f}(a.v[1]), cosh{f}(a.v[0]) * sin{f}(a.v[1])}}}};
    return r;
}}
z{end} w_ccosh{end}(z{end} a) {{
    z{end} r = {{{{cosh{f}(a.v[0]) * cos{f}(a.v[1]), sinh{f}(a.v[0]) * sin{f}(a.v[1])}}}};
    return r;
}}
z{end} divided{end}(z{end} a, z{end} b) {{
    {real} size = b.v[0] * b.v[0] + b.v[1] * b.v[1];
    z{end} r = {{{{(a.v[0] * b.v[0] + a.v[1] * b.v[1]) / size,
                 (a.v[1] * b.v[0] - a.v[0] * b.v[1]) / size}}}};
    return r;
}}
z{end} w_ctan{end}(z{end} a) {{ return divided{end}(w_csin{end}(a), w_ccos{end}(a)); }}
z{end} w_ctanh{end}(z{end} a) {{ return divided{end}(w_csinh{end}(a), w_ccosh{end}(a)); }}
"""


def functions_asked_for(module: Path) -> set[str]:
    """The names that a module takes from the C runtime's mathematics."""
    words = ["x86_64-w64-mingw32-objdump", "-p", str(module)]
    names, inside = set(), False
    for line in subprocess.run(
        words, capture_output=True, text=True, check=True
    ).stdout.splitlines():
        if "DLL Name:" in line:
            inside = ASKED in line
        elif inside and (found := re.fullmatch(r"(?:\s+(?:<none>|[0-9a-f]+)){2,3}\s+(\w+)", line)):
            names.add(found[1])
    return names


def target(name: str, names: set[str]) -> str:
    """Which function of `ucrtbase` a real one is: its `long double` is a `double`."""
    if name == "_ldclass":
        return "_dclass"
    is_long = name.endswith("l") and name not in ("ceil", "erfl")
    return name[:-1] if is_long and name[:-1] in {*names, *DOUBLES} else name


def main(folder: Path) -> None:
    """Build the library; change the name in all modules that ask for the other."""
    modules = [*folder.rglob("Lib/**/*.pyd"), *folder.rglob("Lib/**/*.dll")]
    asked = {module: found for module in modules if (found := functions_asked_for(module))}
    names = set().union(*asked.values())
    ours = {f"c{name}{kind[0]}" for name in FUNCTIONS for kind in KINDS} & names
    code = "".join(CODE.format(end=end, real=real, f=f) for end, real, f in KINDS)
    (folder / "complex.c").write_text("#include <math.h>\n" + code)
    exports = [f"  {name} = w_{name}" for name in sorted(ours)]
    exports += [f"  {name} = ucrtbase.{target(name, names)}" for name in sorted(names - ours)]
    (folder / "complex.def").write_text(f"LIBRARY {GIVEN}\nEXPORTS\n" + "\n".join(exports) + "\n")
    sources = [folder / "complex.c", folder / "complex.def"]
    words = ["x86_64-w64-mingw32-gcc", "-shared", "-O2", "-o", folder / GIVEN, *sources]
    subprocess.run(words, check=True)
    for module in asked:
        module.write_bytes(module.read_bytes().replace(ASKED.encode(), GIVEN.encode()))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
