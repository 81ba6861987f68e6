"""Bombs of a second round: what holds itself, nests, multiplies, or names what names it; a line or two for each.

`{i}` in a repeated text is the number of the repetition. Two of them went off when they were written: loops in loops
whose containers grow, and a file of fixes that is searched again after each round of them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from benchmarks.bounded import Hostile

HEAD = "import dataclasses\nimport functools\nimport itertools\nimport math\nimport torch\nfrom torch import nn\n\n\n"
KINDS: list[tuple[str, str, int, Callable[[random.Random, int], Hostile]]] = []
Text = Callable[[int], str]


def _bomb(family: str, name: str, size: int, make: Callable[[int], Hostile]) -> None:
    KINDS.append((family, name, size, lambda chance, count: make(count)))


def _program(family: str, name: str, size: int, text: Text, *words: str) -> None:
    _bomb(family, name, size, lambda count: Hostile({"bomb.py": text(count)}, words or ("--roots", "all")))


def _body(family: str, name: str, size: int, text: Text, *words: str) -> None:
    """A program of one function with this body."""

    def whole(count: int) -> str:
        body = "".join(f"    {line}\n" for line in text(count).splitlines())
        return f"{HEAD}def run(x: torch.Tensor, n=3, flag=None):\n{body}"

    _program(family, name, size, whole, *words)


def _file(family: str, name: str, size: int, path: str, text: Text) -> None:
    _bomb(family, name, size, lambda count: Hostile({path: text(count), "m.py": f"{HEAD}X = 1\n"}))


def _times(count: int, text: str) -> str:
    return "".join(text.replace("{i}", str(i)) for i in range(count))


def _nested(count: int, *heads: str, inside: str, after: str = "") -> str:
    """Blocks in blocks, the heads in turn; `after` stands behind each block, one level further in than a line of it."""
    text = "".join("    " * i + heads[i % len(heads)].replace("{i}", str(i)) + "\n" for i in range(count))
    text += "    " * count + inside + "\n"
    if after:
        line, _, block = after.partition("\n")
        own = [i for i in reversed(range(count)) if i % len(heads) == 0]
        text += "".join("    " * i + line + "\n" + "    " * (i + 1) + block.replace("{i}", str(i)) + "\n" for i in own)
    return text


# ---------------------------------------------------------- values

_body(
    "values",
    "list that holds itself, in loops",
    12,
    lambda n: "a = [x]\n" + _nested(n, "for i in a:", inside="a = [a, a] + a + [a.append(a)]") + "return a",
)
_body(
    "values",
    "dictionary of itself in branches",
    60,
    lambda n: "a = {}\n" + _times(n, "a = {0: a, 1: a}\nif flag:\n    a = {1: a, 2: a}\n") + "return a",
)
_body(
    "values",
    "tuple unpacked into itself",
    60,
    lambda n: "a = (1,)\n" + _times(n, "a = (a, *a, *a)\nb, *c = a\n") + "return run(*a, *c)",
)
_body(
    "values",
    "functions of functions",
    40,
    lambda n: "g = lambda y: y\n" + _times(n, "g = (lambda h: lambda y: h(h(y)))(g)\n") + "return g(x)",
)
_body(
    "values",
    "keywords of keywords",
    60,
    lambda n: "k = {}\n" + _times(n, "k = dict(k, a{i}=k, b{i}=k)\nk = {**k, 'c{i}': k}\n") + "return run(x, **k)",
)
_body(
    "values",
    "partial of partials",
    60,
    lambda n: (
        "g = functools.partial(run, x)\n"
        + _times(n, "g = functools.partial(functools.partial(g, g), g, h=g)\n")
        + "return functools.reduce(g, [x] * 100, g)"
    ),
)
_body(
    "values",
    "generators of generators",
    60,
    lambda n: "g = (i for i in x)\n" + _times(n, "g = (j for i in g for j in (i, i))\n") + "return sum(g)",
)
_program(
    "values",
    "data class of itself",
    60,
    lambda n: (
        f"{HEAD}@dataclasses.dataclass\nclass D:\n    a: object = None\n"
        "    b: object = None\n\n\ndef run(x: torch.Tensor):\n    d = D(x, x)\n"
        + _times(n, "    d = D(d, dataclasses.replace(d, a=d))\n")
        + "    return d\n"
    ),
)
_program(
    "values",
    "module dictionaries of lists of themselves",
    40,
    lambda n: (
        f"{HEAD}class N(nn.Module):\n    def __init__(self):\n        super().__init__()\n        m = nn.Linear(1, 1)\n"
        + _times(n, "        m = nn.ModuleDict({'a': nn.ModuleList([m, m]), 'b': nn.Sequential(m, m)})\n")
        + "        self.m = m\n\n    def forward(self, x):\n"
        "        for k, v in self.m.items():\n            x = v(x)\n        return x\n"
    ),
)
_program(
    "values",
    "defaults of defaults",
    100,
    lambda n: (
        f"{HEAD}d0 = torch.ones(1)\n"
        + _times(n, "def f{i}(x=d{i}, y=(d{i}, d{i})):\n    return x\n\n\nd{i}_ = (f{i}(), f{i})\nd1{i} = d{i}_\n")
    ),
)

# ---------------------------------------------------------- constants

_body(
    "constants",
    "text formatted into itself",
    60,
    lambda n: "s = 'x'\n" + _times(n, "s = f'{s}{s}{s}'\n") + "return x, s",
)
_body(
    "constants",
    "widths of formats",
    999_999_999,
    lambda n: f"return x, '%{n}d' % 1, f'{{1:>{n}}}', 'x'.ljust({n}), 'x'.zfill({n}), bytes({n}), ' ' * {n}",
)
_body(
    "constants",
    "text replaced and joined by itself",
    6,
    lambda n: (
        "s = 'a' * 1000\n" + _times(n, "s = s.replace('a', 'aa' * 1000)\ns = s.join([s] * 1000)\n") + "return x[len(s)]"
    ),
)
_body(
    "constants",
    "factorials and towers of powers",
    10**7,
    lambda n: (
        f"a = (7 ** 7 ** 7 ** 7) * math.factorial({n}) * (1 << {n} ** 2)\n"
        f"return x * a * pow(3, {n} ** 2) * math.comb({n}, {n} // 2)"
    ),
)
_body(
    "constants",
    "collections of a long range",
    10**9,
    lambda n: (
        f"r = range({n})\n"
        "a = list(r), tuple(r), set(r), dict.fromkeys(r), sorted(r), sum(r), r[::3][::7], max(r), list(zip(r, r))\n"
        f"return x, a, [0] * {n}"
    ),
)
_body(
    "constants",
    "products and permutations",
    50,
    lambda n: (
        f"for a in itertools.product(range(100), repeat={n}):\n    x = x + a[0]\n"
        f"return x, list(itertools.permutations(range({n}))), list(itertools.combinations(range({n}), {n} // 2))"
    ),
)
_program(
    "constants",
    "attributes of a class",
    10**9,
    lambda n: (
        f"{HEAD}class N(nn.Module):\n    S = 'x' * {n}\n    T = (S,) * {n}\n\n"
        f"    def forward(self, x):\n        return x if self.S * {n} else self.T\n"
    ),
)

# ---------------------------------------------------------- programs

_body(
    "programs",
    "loops in loops over containers that grow",
    15,
    lambda n: (
        "a = []\nb = {}\nc = ()\n"
        + _nested(n, "for i{i} in range(n):", inside="a.append(c); b[x] = a; c = (c, a, b)")
        + "return x, a, b, c"
    ),
)
_body(
    "programs",
    "loops in loops that change all of it on the way",
    15,
    lambda n: (
        "a = []\nb = {}\nc = ()\n"
        + "".join(
            "    " * i + f"for i{i} in range(n):\n" + "    " * (i + 1) + f"a.append(i{i}); b[i{i}] = a; c = (c, a, b)\n"
            for i in range(n)
        )
        + "return x, a, b, c"
    ),
)
_body(
    "programs",
    "while loops in while loops",
    19,
    lambda n: _nested(n, "while x.sum() > {i}:", inside="x = x + 1") + "return x",
)
_body(
    "programs",
    "loops with an else in loops",
    14,
    lambda n: _nested(n, "for i{i} in x:", inside="x = x + 1", after="else:\ny = (x, {i})") + "return x",
)
_body(
    "programs",
    "branches in loops in branches",
    18,
    lambda n: (
        "a = b = c = x\n"
        + _nested(n, "if flag[{i}]:", "for i{i} in range(n):", inside="a, b, c = (b, c), (c, a), [a, b]")
        + "return a, b, c"
    ),
)
_body(
    "programs",
    "loops in try in loops",
    16,
    lambda n: (
        _nested(n - n % 2, "try:", "for i{i} in range(n):", inside="x = x + 1", after="except E as e:\nx = (x, {i})")
        + "return x"
    ),
)
_body(
    "programs",
    "functions in functions",
    18,
    lambda n: (
        "".join("    " * i + f"def g{i}(x, y=x):\n" for i in range(n))
        + "    " * n
        + "return x.item()\n"
        + "".join("    " * i + f"return g{i}(x) + g{i}(x, (x, x))\n" for i in reversed(range(n)))
    ),
)
_body(
    "programs",
    "comprehensions in comprehensions",
    40,
    lambda n: "return " + "[" * n + "x" + _times(n, " for a{i} in range(n)]"),
)
_body(
    "programs",
    "one comprehension of many loops",
    60,
    lambda n: "return [x" + _times(n, " for a{i} in range(n) if a{i}") + "]",
)
_body(
    "programs",
    "returns of another kind in every branch",
    1_500,
    lambda n: _times(n, "if n == {i}:\n    return x + {i}, [x] * {i}\n") + "return x",
)
_body(
    "programs",
    "two variables",
    40,
    lambda n: (
        "def a(m, n):\n    if m == 0:\n        return n + 1\n    return a(m - 1, a(m, n - 1))\n\n\n"
        + f"return x[a({n}, {n})]"
    ),
)
_program(
    "programs",
    "each function calls the next three times",
    60,
    lambda n: (
        HEAD
        + "".join(
            f"def f{i}(x: torch.Tensor, k={i}):\n"
            f"    return f{i + 1}(x, k) + f{i + 1}(x, k + 1) + f{i + 1}(x.T, k)\n\n\n"
            for i in range(n)
        )
    ),
)
_program(
    "programs",
    "loops over what the next one appends",
    12,
    lambda n: (
        HEAD
        + "".join(
            f"def f{i}(x: torch.Tensor, a):\n    for i in x:\n        for j in a:\n"
            "            for k in a:\n                a.append((i, j, k, a))\n"
            f"                b = f{i + 1}(x, [a, j])\n    return b\n\n\n"
            for i in range(n)
        )
    ),
)
_program(
    "programs",
    "classes over two chains",
    60,
    lambda n: (
        HEAD
        + "class A0: pass\nclass B0: pass\n"
        + "".join(
            f"class A{i}(A{i - 1}, B{i - 1}): pass\nclass B{i}(A{i - 1}, B{i - 1}):\n"
            "    def forward(self, x):\n        return super().forward(x)\n"
            for i in range(1, n + 1)
        )
        + f"class N(A{n}, nn.Module): pass\n"
    ),
)
_program(
    "programs",
    "decorators on decorators",
    2_000,
    lambda n: (
        f"{HEAD}def d(f):\n    @functools.wraps(f)\n    def g(*a, **k):\n        return f(*a, **k)\n    return g\n\n\n"
        + "@d\n" * n
        + "def f(x: torch.Tensor):\n    return x.item()\n"
    ),
)
_program(
    "programs",
    "attributes that ask for longer ones",
    1,
    lambda n: (
        f"{HEAD}class N(nn.Module):\n    def __getattr__(self, name):\n"
        "        return getattr(self, name + name)\n\n    def forward(self, x):\n"
        "        return self.a.b.c(x)\n"
    ),
)
_program(
    "programs",
    "compiled again and again",
    300,
    lambda n: (
        f"{HEAD}def f(x):\n    return x.item()\n\n\n"
        + "f = torch.compile(torch.compile(f, fullgraph=True), dynamic=True)\n" * n
    ),
    "--roots",
    "auto",
)
_program(
    "programs",
    "a table of compiled functions in loops",
    10**6,
    lambda n: (
        f"{HEAD}T = {{i: (lambda x, i=i: x.item() + i) for i in range({n})}}\n"
        "for k in T:\n    for j in T:\n        T[k] = torch.compile(T[j])\n"
    ),
    "--roots",
    "auto",
)
_program(
    "programs",
    "fixes in every line, searched for in rounds",
    1_400,
    lambda n: (
        f"{HEAD}def f(x: torch.Tensor):\n" + _times(n, "    if x.sum() > {i}:\n        x = x + 1\n") + "    return x\n"
    ),
    "--diff",
    "--unsafe-fixes",
)

# ---------------------------------------------------------- syntax

_program(
    "syntax",
    "annotation in annotations",
    40,
    lambda n: f"{HEAD}def f(x: " + "Optional[Union[" * n + "torch.Tensor" + ", int]]" * n + "):\n    return x.item()\n",
)
_program(
    "syntax",
    "annotations that are texts",
    5_000,
    lambda n: (
        f"{HEAD}def f(x: '"
        + "(" * n
        + "'): return x\ndef g(x: '"
        + "1+" * n
        + "1'): return x\ndef h(x: '"
        + "lambda:" * n
        + "1'): return x\n"
    ),
)
_body(
    "syntax",
    "alternatives in a pattern",
    40,
    lambda n: "match flag:\n    case " + "(" * n + "1" + _times(n, " | {i})") + ":\n        return x\nreturn x",
)
_body("syntax", "lines that go on", 2_500, lambda n: "return x" + " + \\\n x" * n + ".item()")
_body("syntax", "letters that are two", 20_000, lambda n: "\ufb01" * n + " = x\nreturn fi.item()")
_program(
    "syntax", "form feeds and line separators", 100_000, lambda n: f"{HEAD}{chr(12) * n}\ns = '{chr(0x2028) * n}'\n"
)
_body("syntax", "findings on one line", 6_000, lambda n: "return [" + "x.item(), " * n + "]")
_program(
    "comments",
    "brackets in brackets",
    50_000,
    lambda n: (
        f"{HEAD}# compilelint: ignore["
        + "[CL101]," * n
        + "]\n# noqa: "
        + "CL101,," * n
        + "\n# "
        + "compilelint: ignore-file[" * (n // 2)
        + "\n"
    ),
)

# ---------------------------------------------------------- beside programs

_file(
    "globs",
    "classes and escapes in .gitignore",
    60,
    ".gitignore",
    lambda n: ("[a-z]*" * n + "!\n") * 200 + "[[:alpha:]" * n + "\n" + "\\" * 9_999 + "\n",
)
_file(
    "globs",
    "classes, braces and double stars in exclude",
    60,
    "compilelint.toml",
    lambda n: f'exclude = ["{"[a-z]*" * n}!", "{"{a,b}" * n}", "{"**/" * (3 * n)}x", "{"[!" * n}"]\n',
)
_file(
    "configuration",
    "many patterns of many stars",
    3_000,
    "compilelint.toml",
    lambda n: "per-file-ignores = {" + ", ".join(f'"{"*a" * 30}{i}" = ["CL101"]' for i in range(n)) + "}\n",
)
_file(
    "configuration",
    "requirements of a project",
    20_000,
    "pyproject.toml",
    lambda n: (
        '[project]\nname = "x"\n'
        f'dependencies = ["torch{">=2," * n}", "torch @ {"a" * 50 * n}", "torch[{"a," * n}]"]\n'
        "[tool.compilelint]\n"
    ),
)
_file(
    "configuration",
    "extends itself by a way around",
    100,
    "compilelint.toml",
    lambda n: f'extend = "{"./" * n}compilelint.toml"\n',
)
_bomb(
    "configuration",
    "extends in a chain",
    500,
    lambda n: Hostile(
        {
            "m.py": HEAD,
            "compilelint.toml": 'extend = "c0.toml"\n',
            **{f"c{i}.toml": f'extend = "c{i + 1}.toml"\n' for i in range(n)},
        }
    ),
)
_bomb(
    "configuration",
    "requirements that include each other",
    50,
    lambda n: Hostile(
        {
            "m.py": HEAD,
            "requirements.txt": "-r requirements0.txt\ntorch==" + "2." * 600 * n + "\ntorch ; " + "(" * 60 * n + "\n",
            **{
                f"requirements{i}.txt": f"-r requirements{(i + 1) % n}.txt\n-r requirements{(i + 2) % n}.txt\n"
                for i in range(n)
            },
        }
    ),
)
_file(
    "notebooks",
    "cells of magics",
    20_000,
    "n.ipynb",
    lambda n: json.dumps(
        {"cells": [{"cell_type": "code", "source": ["%%x\n"] * 3}] * n, "nbformat": 4, "metadata": {}}
    ),
)
_file(
    "notebooks",
    "signs of magics in a line",
    50_000,
    "n.ipynb",
    lambda n: json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "source": "x = " + "!" * n + "\n" + "a," * (n // 2) + " = %x\n" + "?" * n + "\n" + "%" * n,
                }
            ],
            "nbformat": 4,
            "metadata": {},
        }
    ),
)
_bomb(
    "imports",
    "stars in a circle, and what they export",
    80,
    lambda n: Hostile(
        {
            f"m{i}.py": f"import torch\nfrom m{(i + 1) % n} import *\nfrom m{(i + 7) % n} import *\n"
            f"__all__ = __all__ + __all__\n\n\ndef f{i}(x: torch.Tensor):\n"
            f"    return f{(i + 3) % n}(x)\n"
            for i in range(n)
        },
        ("--roots", "all"),
    ),
)
_bomb(
    "files",
    "folders in folders",
    60,
    lambda n: Hostile(
        {"".join(f"d{j}/" for j in range(i % n)) + f"f{i}.py": "import torch\n" for i in range(1, 40 * n)}
    ),
)
