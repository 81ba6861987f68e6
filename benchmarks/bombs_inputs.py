"""Bombs that are no program: comments, notebooks, configuration, ignore files, imports, encodings, file trees."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping

from benchmarks.bounded import Hostile

Make = Callable[[random.Random, int], Hostile]
KINDS: list[tuple[str, str, int, Make]] = []
MODEL = "import torch\n\n\ndef run(x: torch.Tensor):\n    if x.sum() > 0:\n        return x\n    return -x\n"


def bomb(family: str, name: str, size: int) -> Callable[[Make], Make]:
    """Decorator: this function makes the files of an input of a size."""

    def put(make: Make) -> Make:
        KINDS.append((family, name, size, make))
        return make

    return put


# ---------------------------------------------------------------- globs

LONG = "a" * 120
GLOBS = {
    "stars": lambda n: "*a" * n + "b",
    "double stars": lambda n: "**/" * n + "b",
    "double stars and names": lambda n: "**/a/" * n + "b",
    "stars in folders": lambda n: "/".join(["*a*a*"] * n),
    "questions and stars": lambda n: "?*" * n + "b",
    "classes": lambda n: "[a-z]*" * n + "!",
    "open classes": lambda n: "[" * n + "*a" * n,
    "escapes": lambda n: "\\a*" * n + "\\",
}


def glob_bombs() -> None:
    """Each pattern in each place that takes patterns."""
    places: Mapping[str, Callable[[str, int], Mapping[str, str]]] = {
        ".gitignore": lambda glob, n: {".gitignore": f"{glob}\n!{glob}\n"},
        "exclude": lambda glob, n: {"compilelint.toml": f"exclude = {json.dumps([glob, '!' + glob])}\n"},
        "per-file-ignores": lambda glob, n: {
            "compilelint.toml": (
                f'[per-file-ignores]\n{json.dumps(glob)} = ["CL101"]\n{json.dumps("!" + glob)} = ["CL102"]\n'
            )
        },
        "roots": lambda glob, n: {"compilelint.toml": f"roots = {json.dumps(['explicit', glob])}\n"},
    }
    for shape, pattern in GLOBS.items():
        for place, files in places.items():

            def make(
                _: random.Random,
                count: int,
                pattern: Callable[[int], str] = pattern,
                files: Callable[[str, int], Mapping[str, str]] = files,
            ) -> Hostile:
                deep = "/".join(["a"] * 24 + [LONG] * 4)
                named = MODEL.replace("run", LONG)
                return Hostile(
                    {
                        **files(pattern(count), count),
                        f"{LONG}.py": named,
                        f"{deep}/{LONG}.py": named,
                        f"{LONG}/x.py": MODEL,
                    }
                )

            KINDS.append(("globs", f"{shape} in {place}", 24, make))


glob_bombs()


@bomb("globs", "many patterns, many files", 3_000)
def _(chance: random.Random, count: int) -> Hostile:
    patterns = "\n".join(f"*{chance.randrange(10**6)}*{chance.choice('abcd')}?/**/x{i}*.py" for i in range(count))
    return Hostile({".gitignore": patterns, **{f"p{i}/m{i}.py": "x = 1\n" for i in range(150)}})


@bomb("globs", "an ignore file of one line of stars", 500_000)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile({".gitignore": "*" * count + "b\n", "m.py": MODEL})


@bomb("globs", "an ignore file in every folder", 150)
def _(_: random.Random, count: int) -> Hostile:
    path, files = "", {"m.py": MODEL}
    for i in range(min(count, 200)):
        path += "d/"
        files |= {f"{path}.gitignore": f"!**/*{i}*\n*.pyc\n" * 20, f"{path}m.py": "x = 1\n"}
    return Hostile(files)


# -------------------------------------------------------------- comments


def comment(name: str, size: int, text: Callable[[int], str]) -> None:
    """A comment that a suppression might be, behind a finding."""

    def make(_: random.Random, count: int) -> Hostile:
        return Hostile({"m.py": MODEL.replace("> 0:", f"> 0:  {text(count)}") + f"{text(count)}\n"})

    KINDS.append(("comments", name, size, make))


comment("noqa, spaces", 60_000, lambda n: "# noqa: CL101" + " " * n + "!")
comment("noqa, commas", 60_000, lambda n: "# noqa: CL101" + " ," * n + "!")
comment("noqa, tabs and commas", 60_000, lambda n: "# noqa: CL101" + ",\t \t" * n + "C")
comment("noqa, codes", 60_000, lambda n: "# noqa: " + "CL101," * n + "x")
comment("noqa, digits", 200_000, lambda n: "# noqa: CL" + "1" * n + "x" + "A" * n)
comment("noqa, hashes", 60_000, lambda n: "# noqa:" * n)
comment("noqa without a code", 200_000, lambda n: "# noqa:" + " " * n + "CL1")
comment("noqa words", 60_000, lambda n: "noqa : " * n + "CL1 # noqa")
comment("ours, spaces", 200_000, lambda n: "#" + " " * n + "compilelint" + " " * n + ":" + " " * n + "ignore[")
comment("ours, hashes and spaces", 20_000, lambda n: "# \t" * n + "compilelint")
comment("ours, many", 20_000, lambda n: "# compilelint: ignore[CL101] " * n)
comment("ours, open bracket", 200_000, lambda n: "# compilelint: ignore[" + "CL101, " * n)
comment("ours, brackets", 100_000, lambda n: "# compilelint: ignore" + "[" * n + "]" * n)
comment("ours, words", 200_000, lambda n: "# compilelint: " + "ignore-" * n + " " * n + "[")
comment(
    "ours, spaces inside", 100_000, lambda n: "# compilelint: ignore[" + " " * n + "CL101" + " " * n + "x]" + " " * n
)
comment("ours, words before the colon", 30_000, lambda n: "compilelint " * n + "# compilelint")


@bomb("comments", "a suppression on every line", 20_000)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile({"m.py": MODEL + "x = 1  # compilelint: ignore[CL101, CL102] because\n" * count})


@bomb("comments", "a statement of many lines, each with a suppression", 20_000)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile({"m.py": MODEL + "x = [\n" + "    1,  # noqa: CL101, CL102\n" * count + "]\n"})


# ------------------------------------------------------------- notebooks


def notebook(cells: list[str], **more: object) -> str:
    """A notebook of code cells."""
    listed: list[dict[str, object]] = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": cell} for cell in cells
    ]
    return json.dumps({"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more})


def cell(name: str, size: int, text: Callable[[int], str]) -> None:
    """A notebook of one cell, which is no Python, so that each line is looked at for magics."""

    def make(_: random.Random, count: int) -> Hostile:
        return Hostile({"n.ipynb": notebook(["%ls\n" + text(count), MODEL])})

    KINDS.append(("notebooks", name, size, make))


cell("assignment without end", 100_000, lambda n: "a, " * n)
cell("assignment of spaces", 100_000, lambda n: "a" + " " * n + "b ?")
cell("assignments", 50_000, lambda n: "a = " * n + "!")
cell("brackets and dots", 50_000, lambda n: "a[']." * n)
cell("timeit options", 50_000, lambda n: "%timeit" + " -n 1" * n)
cell("timeit options and digits", 50_000, lambda n: "%timeit" + " -n" + "1" * n + " " * n)
cell("timeit options, spaces", 3_000, lambda n: "%timeit" + " -n1 " * n + " -" + " " * n)
cell("help words", 100_000, lambda n: "a." * n + "?" * n + "!")
cell("help stars", 100_000, lambda n: "*" * n + "a" * n + " " * n + "x")
cell("question marks", 100_000, lambda n: "?" * n + "%" * n)
cell("quotes", 100_000, lambda n: "%x 'a\\" * n + '"')
cell("quotes and backslashes", 100_000, lambda n: "x = '" + "\\" * n + "?")
cell("open quotes", 50_000, lambda n: "'\"" * n + "?\n")
cell("cell magic", 100_000, lambda n: "%%" + "a" * n)
cell("lines of magics", 30_000, lambda n: "%a b\n!c d\nx = !e\n" * n)
cell("lines that go on", 30_000, lambda n: "%a \\\n" * n)
cell("open brackets", 30_000, lambda n: "x = (\n" * n)
cell("spaces before a magic", 50_000, lambda n: (" " * n + "%a\n") * 3)


@bomb("notebooks", "many cells that do not parse", 1_500)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile({"n.ipynb": notebook(["%a\n?b\nx = !c\nf(\n" for _ in range(count)])})


@bomb("notebooks", "nested JSON", 200_000)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile({"n.ipynb": '{"cells": ' + "[" * count + "]" * count + "}"})


@bomb("notebooks", "a huge number in JSON", 200_000)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile({"n.ipynb": '{"cells": [], "nbformat": ' + "9" * count + "}"})


@bomb("notebooks", "many cells with findings", 1_000)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile({"n.ipynb": notebook([MODEL.replace("run", f"run{i}") for i in range(count)])})


# --------------------------------------------------------- configuration


def configured(name: str, size: int, text: Callable[[int], str]) -> None:
    """A configuration file beside a model."""

    def make(_: random.Random, count: int) -> Hostile:
        return Hostile({"compilelint.toml": text(count), "m.py": MODEL})

    KINDS.append(("configuration", name, size, make))


configured("nested arrays", 100_000, lambda n: f"select = {'[' * n}{']' * n}\n")
configured("nested tables", 50_000, lambda n: f"a = {'{ a = ' * n}1{' }' * n}\n")
configured("dotted keys", 20_000, lambda n: f"{'a.' * n}a = 1\n")
configured("many tables", 20_000, lambda n: "".join(f"[targets{i}.a.b]\n" for i in range(n)))
configured("a long integer", 200_000, lambda n: f"roots = {'9' * n}\n")
configured("a long string", 3_000_000, lambda n: f'exclude = ["{"a" * n}"]\n')
configured("many rules", 30_000, lambda n: f"select = {json.dumps(['CL101'] * n)}\n")
configured("an unknown long word", 100_000, lambda n: f'select = ["{"print-" * n}"]\n{"x-" * n} = 1\n')
configured("many excludes", 3_000, lambda n: f"exclude = {json.dumps([f'**/*a*{i}*' for i in range(n)])}\n")
configured(
    "many per-file patterns",
    2_000,
    lambda n: "[per-file-ignores]\n" + "".join(f'"**/*{i}*/*.py" = ["CL101"]\n' for i in range(n)),
)
configured("many targets", 5_000, lambda n: '[[targets]]\nmodel = "a:b"\n' * n)
configured("quotes and backslashes", 100_000, lambda n: 'x = "' + "\\\\" * n + "\n")
configured("extends itself", 1, lambda n: 'extend = "./././compilelint.toml"\n')
configured("a device", 1, lambda n: 'extend = "/dev/zero"\n')
configured("a random device as baseline", 1, lambda n: 'baseline = "/dev/zero"\n')
configured("torch version", 50_000, lambda n: f'torch-version = "{">=2." + "1" * n}{",<3" * n}"\n')


@bomb("configuration", "a chain of extends", 1_000)
def _(_: random.Random, count: int) -> Hostile:
    chain = {f"c{i}.toml": f'extend = "c{i + 1}.toml"\nselect = ["CL101"]\n' for i in range(count)}
    return Hostile({"compilelint.toml": 'extend = "c0.toml"\n', **chain, f"c{count}.toml": "", "m.py": MODEL})


@bomb("configuration", "requirements", 50_000)
def _(_: random.Random, count: int) -> Hostile:
    spec = "torch" + " " * count + "[" + "a," * count + ">=2" + ",<3" * count
    return Hostile(
        {
            "requirements.txt": f"{spec}\n-r requirements.txt\n" * 3,
            "pyproject.toml": f"[project]\ndependencies = [{json.dumps(spec)}]\n",
            "m.py": MODEL,
        }
    )


@bomb("configuration", "baseline", 20_000)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile(
        {
            "compilelint.toml": 'baseline = "b.json"\n',
            "b.json": '{"findings": ' + '{"a": ' * count + "1" + "}" * count + "}",
            "m.py": MODEL,
        }
    )


# -------------------------------------------------------------- imports


@bomb("imports", "modules that import each other by star", 250)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile(
        {
            f"m{i}.py": (
                f"import torch\nfrom m{(i + 1) % count} import *\n"
                f"from m{(i * 7 + 3) % count} import *\n\n\ndef f{i}(x: torch.Tensor):\n"
                "    return g(x)\n"
            )
            for i in range(count)
        }
    )


@bomb("imports", "names handed on in a circle", 250)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile(
        {
            f"m{i}.py": (
                f"from m{(i + 1) % count} import f as f\nfrom m{(i + 2) % count} import f as g\n"
                "A = f or g\nclass B(f, g):\n    def forward(self, x):\n        return A(x)\n"
            )
            for i in range(count)
        }
    )


@bomb("imports", "packages in packages", 60)
def _(_: random.Random, count: int) -> Hostile:
    files, path = {}, ""
    for i in range(min(count, 100)):
        path += f"p{i}/"
        files[f"{path}__init__.py"] = "from . import *\nfrom .. import *\nfrom ." + f"p{i + 1} import *\n"
    return Hostile({**files, "m.py": f"from {path.rstrip('/').replace('/', '.')} import x\n" + MODEL})


@bomb("imports", "one line of many imports", 20_000)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile({"m.py": "import " + ", ".join(f"a.b{i}.c" for i in range(count)) + "\n" + MODEL})


@bomb("imports", "many relative dots", 20_000)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile({"m.py": f"from {'.' * count} import a\nfrom {'.' * 9}{'a.' * count}b import *\n" + MODEL})


# ----------------------------------------------------------- file trees


@bomb("files", "many files", 600)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile({f"p{i % 30}/m{i}.py": MODEL for i in range(count)})


@bomb("files", "bytes that are no text", 300_000)
def _(chance: random.Random, count: int) -> Hostile:
    return Hostile(
        {
            "m.py": chance.randbytes(count),
            "n.ipynb": chance.randbytes(count),
            "o.py": b"# coding: utf-7\n" + b"+AGE-" * count,
        }
    )


@bomb("files", "encodings that say strange things", 1_000)
def _(_: random.Random, count: int) -> Hostile:
    names = (
        "utf-7",
        "idna",
        "punycode",
        "hex",
        "zlib",
        "rot13",
        "utf-16",
        "unicode_escape",
        "raw_unicode_escape",
        "cp037",
        "mbcs",
    )
    return Hostile(
        {f"m_{name}.py": f"# -*- coding: {name} -*-\n".encode() + b"x = '\\u0041+AEE-'\n" * count for name in names}
    )


@bomb("files", "line ends of all kinds", 100_000)
def _(chance: random.Random, count: int) -> Hostile:
    ends = ("\r", "\n", "\r\n", "\f", "\v", "\x85", "\u2028")
    return Hostile(
        {
            "m.py": MODEL + "".join("x = 1" + chance.choice(ends[:3]) for _ in range(count)),
            "s.py": "x = '''" + "".join(chance.choice(ends) for _ in range(count)) + "'''\n",
        }
    )


@bomb("files", "one long identifier", 1_000_000)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile({"m.py": MODEL.replace("run", "a" * count) + f"class {'B' * count}({'a' * count}): pass\n"})


@bomb("files", "joined lines", 50_000)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile({"m.py": MODEL + "x = 1 \\\n" + " + 1 \\\n" * count + "\n"})


@bomb("files", "names in other scripts", 2_000)
def _(_: random.Random, count: int) -> Hostile:
    return Hostile(
        {"m.py": MODEL + "".join(f"\u00e9\u0301\ufb01{i} = '\u202e\U0001f600' * {i}\n" for i in range(count))}
    )
