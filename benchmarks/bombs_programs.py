"""Bombs that are Python programs: syntax, values, classes, calls."""

from __future__ import annotations

import random
from collections.abc import Callable

from benchmarks.bounded import Hostile

HEAD = "import functools\nimport torch\nfrom torch import nn\n\n\n"
Text = Callable[[random.Random, int], str]
KINDS: list[tuple[str, str, int, Callable[[random.Random, int], Hostile]]] = []


def program(family: str, name: str, size: int) -> Callable[[Text], Text]:
    """Decorator: this function makes the text of a program of a size, which is linted with every function a root."""

    def put(text: Text) -> Text:
        def make(chance: random.Random, count: int) -> Hostile:
            return Hostile({"bomb.py": text(chance, count)}, ("--roots", "all"))

        KINDS.append((family, name, size, make))
        return text

    return put


def forward(body: str, parameters: str = "x: torch.Tensor, n: int, flag: bool") -> str:
    """A program of one function."""
    return f"{HEAD}def run({parameters}):\n{body}"


def lines(count: int, *texts: str) -> str:
    """The texts, one line each, that many times, indented as a function's body; `{i}` is the number."""
    return "".join(f"    {text.replace('{i}', str(i))}\n" for i in range(count) for text in texts)


# ---------------------------------------------------------- values


def grown(name: str, start: str, *step: str, size: int = 60) -> None:
    """A value that each step holds twice: a graph of `size` nodes, a tree of 2 ** size."""
    uses = {
        "": "",
        " in branches": "    if flag:\n        pass\n",
        " joined": "    v = a if flag else (a, 1)\n",
        " returned through a call": "    v = f(a)\n",
        " held by an object": "    v = Box(a)\n    w = v.value\n",
        " tested": "    if a == a and a in [a] and not a:\n        return x\n",
    }
    for use, tail in uses.items():

        def text(_: random.Random, count: int, tail: str = tail, branch: bool = use == " in branches") -> str:
            body = "".join(
                f"    if n > {i}:\n" + "".join(f"        {one}\n" for one in step)
                if branch
                else "".join(f"    {one}\n" for one in step)
                for i in range(count)
            )
            helpers = (
                "def f(a):\n    return a\n\n\nclass Box:\n    def __init__(self, value):\n"
                "        self.value = value\n\n\n"
            )
            return (
                f"{HEAD}{helpers}def run(x: torch.Tensor, n: int, flag: bool):\n    a = {start}\n"
                f"{body}{tail}    return a\n"
            )

        program("values", f"{name}{use}", size)(text)


grown("pair of itself", "(x,)", "a = (a, a)")
grown("tuple added to itself", "(x, 1)", "a = a + a")
grown("list of itself", "[x]", "a = [a, a]")
grown("dict of itself", "{'k': x}", "a = {'l': a, 'r': a}")
grown("Sequential of itself", "nn.Linear(2, 2)", "a = nn.Sequential(a, a)")
grown("partial of itself", "print", "a = functools.partial(a, a, k=a)")
grown("bound method of pairs", "[x]", "a = [a.append, a.pop]")
grown("text added to itself", "'ab'", "a = a + a")
grown("number squared", "3", "a = a * a + 1")
grown("list multiplied", "[x, 1]", "a = a * 3")
grown("dict united with itself", "{'k': x}", "a = {**a, len(a): a, 'z': a}", size=40)
grown("starred twice", "(x,)", "a = (*a, *a)", size=40)
grown("closure over itself", "x", "a = (lambda b: lambda: (b, b))(a)")
grown("object of itself", "x", "a = Box((a, a))")
grown("slice of itself", "[x, 1]", "a = [a, a][0:2]")
grown("zip of itself", "[x]", "a = list(zip(a, a))")


@program("values", "union of many tuples", 300)
def _(chance: random.Random, count: int) -> str:
    arms = "".join(f"    if n == {i}:\n        a = {tuple(range(chance.randrange(1, 12)))}, a\n" for i in range(count))
    return forward(f"    a = None\n{arms}    return a\n")


@program("values", "pairs that differ deep inside, joined", 40)
def _(_: random.Random, count: int) -> str:
    arms = "".join(
        f"    if n > {i}:\n        a, b = (a, b), (b, a)\n    else:\n        a, b = (b, a), (a, a)\n"
        for i in range(count)
    )
    return forward(f"    a, b = 1, x\n{arms}    return a, b\n")


@program("values", "table of tables of functions", 8)
def _(_: random.Random, count: int) -> str:
    level = "".join(
        f"T{i + 1} = {{k: T{i} for k in 'abc'}}\nU{i + 1} = [T{i}, T{i}, U{i}, U{i}]\n" for i in range(count)
    )
    return (
        f"{HEAD}def f(x):\n    return x\n\n\nT0, U0 = {{'a': f}}, [f]\n{level}\n\n"
        f"def run(x: torch.Tensor, k):\n    return U{count}[k][k][k](x)\n"
    )


@program("values", "a loop that nests what it returns", 1)
def _(_: random.Random, count: int) -> str:
    return forward("    a = b = c = (x,)\n    while n:\n        a, b, c = (b, c), (c, a), (a, b)\n    return a, b, c\n")


@program("values", "recursion whose result grows", 6)
def _(_: random.Random, count: int) -> str:
    body = "".join(
        (
            f"def g{i}(x, d):\n    if d:\n"
            f"        return (g{(i + 1) % count}(x, (d, d)), g{i}((x, x), d))\n"
            "    return x\n\n\n"
        )
        for i in range(count)
    )
    return f"{HEAD}{body}def run(x: torch.Tensor):\n    return g0(x, x)\n"


# ----------------------------------------------------------- constants


CONSTANTS = {
    "power": "10 ** 10 ** 8",
    "text repeated": "'a' * 10 ** 9",
    "long range": "list(range(10 ** 12))",
    "shift": "1 << 10 ** 9",
    "shift of shift": "(1 << 10 ** 7) << (1 << 40)",
    "product of shifts": "(1 << 60000) * (1 << 60000) ** 9999",
    "list repeated": "[0] * 10 ** 10",
    "tuple repeated": "(0, (0,) * 10 ** 9) * 10 ** 9",
    "bytes repeated": "b'a' * 10 ** 12",
    "padded text": "'a'.ljust(10 ** 12) + '%1000000000d' % 1 + '{:>1000000000}'.format(1)",
    "padded in an f-string": "f'{1:1000000000}' + f'{n:{10 ** 12}}'",
    "replaced text": "('a' * 9999).replace('a', 'b' * 9999).replace('b', 'c' * 9999)",
    "joined text": "('a' * 9999).join(['b'] * 99999)",
    "huge float power": "2.0 ** 10 ** 9 + 1e308 * 10",
    "negative power of zero": "0 ** -1 + (0 / 0) + 1 % 0",
    "integer of text": "int('9' * 100000) + int('f' * 100000, 16)",
    "complex power": "(1j) ** 10 ** 9",
    "sum of range": "sum(range(10 ** 12)) + max(range(10 ** 12)) + len([i for i in range(10 ** 12)])",
    "membership": "10 ** 11 in [i for i in range(10 ** 12)] or 5 in range(0, 10 ** 12, 3)",
    "slices": "range(10 ** 12)[::2], 'ab'[10 ** 12:], (1, 2)[:: 10 ** 12]",
    "format of numbers": "'%s' % (10 ** 4000) + str(10 ** 4300) + repr(1 << 20000)",
    "dict of range": "dict.fromkeys(range(10 ** 10)), set(range(10 ** 10)), tuple(range(10 ** 10))",
    "product": "list(__import__('itertools').product(range(10 ** 4), repeat=9))",
}


def constant(name: str, expression: str) -> None:
    """A constant that is costly to compute, in compiled code, in a global, in a default and in an annotation."""

    def text(_: random.Random, __: int) -> str:
        if "n:" in expression:
            return forward(f"    a = {expression}\n    return x, a\n")
        globals_ = f"A = {expression}\nB = [A, A]\nC = A == B\n\n\n"
        return (
            f"{HEAD}{globals_}def run(x: torch.Tensor, n=({expression})) -> ({expression}):\n    a = {expression}\n"
            + (
                "    if a == A or a == n or (a < n):\n        return A\n"
                "    for i in a if a else n:\n        x = x + i\n    return x[a], a\n"
            )
        )

    program("constants", name, 1)(text)


for _name, _expression in CONSTANTS.items():
    constant(_name, _expression)


# ------------------------------------------------------------ syntax


@program("syntax", "sum of terms", 30_000)
def _(_: random.Random, count: int) -> str:
    return forward(f"    return x{' + 1' * count}\n")


@program("syntax", "calls in a chain", 3_000)
def _(chance: random.Random, count: int) -> str:
    return forward(f"    return x{''.join(chance.choice(('.abs()', '[0]', '.T', '(x)')) for _ in range(count))}\n")


@program("syntax", "brackets", 180)
def _(chance: random.Random, count: int) -> str:
    kind = chance.choice(("()", "[]", "{}"))
    return f"a = {kind[0] * count}{kind[1] * count}\n"


@program("syntax", "unary operators", 20_000)
def _(chance: random.Random, count: int) -> str:
    return f"a = {chance.choice('-+~') * count}1\nb = {'not ' * (count // 50)}a\n"


@program("syntax", "f-strings with formats of their own", 2_000)
def _(_: random.Random, count: int) -> str:
    return forward("    return ''" + "".join(f" f'{{x!r:{{n}}}}{i}'" for i in range(count)) + "\n")


@program("syntax", "blocks in each other", 98)
def _(_: random.Random, count: int) -> str:
    tower = "".join(f"{' ' * (i + 1)}if n > {i}:\n" for i in range(min(count, 98)))
    return forward(f"{tower}{' ' * (min(count, 98) + 1)}x = (x, x)\n return x\n")


@program("syntax", "comprehensions in each other", 40)
def _(_: random.Random, count: int) -> str:
    depth = min(count, 80)
    return forward(f"    return {'[' * depth}x{''.join(f' for i{k} in range(n)]' for k in range(depth))}\n")


@program("syntax", "a comprehension of many loops", 60)
def _(_: random.Random, count: int) -> str:
    return forward(f"    return [x{''.join(f' for i{k} in (1, 2, x) if i{k}' for k in range(count))}]\n")


@program("syntax", "conditional expressions", 900)
def _(_: random.Random, count: int) -> str:
    return forward(f"    return {''.join(f'(x, {k}) if n == {k} else ' for k in range(count))}x\n")


@program("syntax", "match with nested patterns", 60)
def _(_: random.Random, count: int) -> str:
    depth = min(count, 90)
    arms = "".join(
        f"        case [{'[' * depth}{k}, *rest{']' * depth}]:\n            x = (x, x)\n" for k in range(count)
    )
    return forward(f"    match x:\n{arms}    return x\n")


@program("syntax", "try in each other", 16)
def _(_: random.Random, count: int) -> str:
    depth = min(count, 19)
    down = "".join(f"{' ' * (i + 1)}try:\n" for i in range(depth))
    up = "".join(
        f"{' ' * (i + 1)}except E{i}:\n{' ' * (i + 2)}x = (x, x)\n{' ' * (i + 1)}finally:\n{' ' * (i + 2)}y = (x, y)\n"
        for i in reversed(range(depth))
    )
    return forward(f" y = x\n{down}{' ' * (depth + 1)}x = x + 1\n{up} return x, y\n")


@program("syntax", "loops in each other", 17)
def _(_: random.Random, count: int) -> str:
    depth = min(count, 19)
    down = "".join(f"{' ' * (i + 1)}for i{i} in n:\n" for i in range(depth))
    return forward(f" y = z = x\n{down}{' ' * (depth + 1)}x, y, z = (y, z), (z, x), (x, y)\n return x\n")


@program("syntax", "with of many items", 300)
def _(_: random.Random, count: int) -> str:
    return forward(f"    with {', '.join(f'torch.no_grad() as a{i}' for i in range(count))}:\n        return x, a0\n")


@program("syntax", "one name, many assignments", 8_000)
def _(_: random.Random, count: int) -> str:
    return forward(f"    {'a = ' * count}x\n    return a\n")


@program("syntax", "starred targets", 2_000)
def _(_: random.Random, count: int) -> str:
    names = ", ".join(f"a{i}" for i in range(count))
    return forward(f"    {names}, *rest = [x] * n\n    *rest, {names} = rest, *rest\n    return rest\n")


@program("syntax", "lambdas in each other", 90)
def _(_: random.Random, count: int) -> str:
    depth = min(count, 90)
    return forward(f"    f = {'lambda a=x: ' * depth}(a, a)\n    return f{'()' * depth}\n")


@program("syntax", "deep annotation", 90)
def _(_: random.Random, count: int) -> str:
    depth = min(count, 90)
    tower = "tuple[" * depth + "torch.Tensor, torch.Tensor" + "]" * depth
    union = " | ".join(f"list[dict[str, tuple[int, {'torch.Tensor'}]]]" for _ in range(count * 10))
    return (
        f"{HEAD}from typing import Optional, Union\n\n\n"
        f"def run(x: {tower}, y: {union}, z: Union[{union.replace(' |', ',')}]):\n"
        "    return x[0][0], y, z\n"
    )


@program("syntax", "annotations that name each other", 30)
def _(_: random.Random, count: int) -> str:
    names = "".join(f"A{i + 1} = tuple[A{i}, A{i}]\n" for i in range(count))
    return f"{HEAD}A0 = torch.Tensor\n{names}\n\ndef run(x: A{count}):\n    return x[0], x\n"


@program("syntax", "string annotation in a string", 12)
def _(_: random.Random, count: int) -> str:
    text = "torch.Tensor"
    for _i in range(min(count, 14)):
        text = repr(f"list[{text}]")
    return f"{HEAD}def run(x: {text}):\n    return x\n"


# ---------------------------------------------------------- programs


@program("programs", "decorators on one function", 400)
def _(_: random.Random, count: int) -> str:
    wrap = "def wrap(f):\n    def inner(*a, **k):\n        return f(*a, **k), f(*a, **k)\n    return inner\n\n\n"
    return f"{HEAD}{wrap}{'@wrap' + chr(10)}{('@wrap' + chr(10)) * count}def run(x: torch.Tensor):\n    return x\n"


@program("programs", "decorators that make decorators", 12)
def _(_: random.Random, count: int) -> str:
    wraps = "".join(
        (
            f"def w{i}(f):\n    @w{i + 1}\n    def inner(*a):\n"
            f"        return f(*a), w{i + 1}(f)(*a)\n    return inner\n\n\n"
        )
        for i in range(count)
    )
    return f"{HEAD}{wraps}def w{count}(f):\n    return f\n\n\n@w0\n@w0\ndef run(x: torch.Tensor):\n    return x\n"


@program("programs", "star arguments", 30)
def _(_: random.Random, count: int) -> str:
    body = "".join(f"def f{i}(*a, **k):\n    return f{i + 1}(*a, *a, a, **k, k{i}=a)\n\n\n" for i in range(count))
    return (
        f"{HEAD}{body}def f{count}(*a, **k):\n    return a, k\n\n\n"
        "def run(x: torch.Tensor):\n    return f0(x, x, k=x)\n"
    )


@program("programs", "a hierarchy of diamonds", 40)
def _(_: random.Random, count: int) -> str:
    first = "class A0(nn.Module):\n    def forward(self, x):\n        return x\n\n\n"
    rest = "".join(
        f"class B{i}(A{i}):\n    def forward(self, x):\n        return super().forward(x), super().forward(x)\n\n\n"
        + (
            f"class C{i}(A{i}):\n    def forward(self, x):\n"
            f"        return super().forward((x, x))\n\n\nclass A{i + 1}(B{i}, C{i}):\n"
            "    pass\n\n\n"
        )
        for i in range(count)
    )
    return f"{HEAD}{first}{rest}"


@program("programs", "classes that are their own base", 60)
def _(_: random.Random, count: int) -> str:
    return HEAD + "".join(
        (
            f"class A{i}({', '.join(f'A{(i * k + 1) % count}' for k in (1, 2, 3))}):\n"
            "    def forward(self, x):\n        return self.forward(super().forward(x))\n\n\n"
        )
        for i in range(count)
    )


@program("programs", "a wide tree of classes", 1_500)
def _(_: random.Random, count: int) -> str:
    return (
        HEAD
        + "class A0(nn.Module):\n    def forward(self, x):\n        return self.f(x)\n\n\n"
        + "".join(f"class A{i + 1}(A{i // 2}):\n    def f(self, x):\n        return x\n\n\n" for i in range(count))
    )


@program("programs", "modules of modules", 30)
def _(_: random.Random, count: int) -> str:
    return (
        HEAD
        + "class M0(nn.Module):\n    def forward(self, x):\n        return x\n\n\n"
        + "".join(
            (
                f"class M{i + 1}(nn.Module):\n    def __init__(self):\n"
                f"        super().__init__()\n        self.a = M{i}()\n"
                f"        self.b = nn.ModuleList([self.a, M{i}(), self])\n"
                f"        self.c = nn.Sequential(self.a, self.b, M{i}())\n"
                "    def forward(self, x):\n        for m in self.b:\n"
                "            x = m(x), self.a(x)\n        return self.c(x)\n\n\n"
            )
            for i in range(count)
        )
    )


@program("programs", "four calls of the next function", 40)
def _(_: random.Random, count: int) -> str:
    body = "".join(
        (
            f"def f{i}(x, y):\n    f{i + 1}(x, 1)\n    f{i + 1}(x, None)\n"
            f"    f{i + 1}([x], y)\n    return f{i + 1}((x, y), x)\n\n\n"
        )
        for i in range(count)
    )
    return f"{HEAD}{body}def f{count}(x, y):\n    return x\n\n\ndef run(x: torch.Tensor):\n    return f0(x, x)\n"


@program("programs", "functions that all call each other", 120)
def _(chance: random.Random, count: int) -> str:
    def calls(i: int) -> str:
        return "".join(f"    x = f{chance.randrange(count)}(x, (k, {i}))\n" for _ in range(4))

    return HEAD + "".join(f"def f{i}(x: torch.Tensor, k):\n{calls(i)}    return x, k\n\n\n" for i in range(count))


@program("programs", "recursion with a growing argument", 8)
def _(_: random.Random, count: int) -> str:
    shapes = (
        "[y]",
        "(y, y)",
        "{'a': y}",
        "lambda: y",
        "{**y, 'b': y}",
        "functools.partial(y, y)",
        "nn.Sequential(y, y)",
        "y + y",
    )
    return HEAD + "".join(
        (
            f"def grow{i}(x: torch.Tensor, y=()):\n"
            f"    return grow{i}(x, {shape}) or grow{(i + 1) % len(shapes)}(x, {shape})\n\n\n"
        )
        for i, shape in enumerate(shapes)
    )


@program("programs", "Church numerals", 12)
def _(_: random.Random, count: int) -> str:
    body = "    two = lambda f: lambda x: f(f(x))\n    n = two\n" + "    n = n(two)\n" * count
    return forward(f"{body}    return n(lambda x: (x, x))(x)\n", "x: torch.Tensor")


@program("programs", "the Y combinator", 1)
def _(_: random.Random, __: int) -> str:
    return forward(
        (
            "    y = lambda f: (lambda v: f(lambda *a: v(v)(*a)))(lambda v: f(lambda *a: v(v)(*a)))\n"
            "    return y(lambda s: lambda t: s((t, t)))(x)\n"
        ),
        "x: torch.Tensor",
    )


@program("programs", "generators that feed each other", 40)
def _(_: random.Random, count: int) -> str:
    body = "".join(
        (
            f"def g{i}(x):\n    yield from g{(i + 1) % count}((x, x))\n"
            f"    for y in g{(i + 2) % count}(x):\n        yield y, y\n\n\n"
        )
        for i in range(count)
    )
    return f"{HEAD}{body}def run(x: torch.Tensor):\n    return list(g0(x))\n"


@program("programs", "attributes that grow", 40)
def _(_: random.Random, count: int) -> str:
    return (
        f"{HEAD}class Net(nn.Module):\n    def forward(self, x, n):\n"
        + "".join(
            (
                f"        if n > {i}:\n            self.a = (self.a, self.a, self)\n"
                "            self.b = [self.b, self.a, x]\n"
            )
            for i in range(count)
        )
        + "        return self.a, self.b\n"
    )


@program("programs", "globals of globals", 60)
def _(_: random.Random, count: int) -> str:
    names = "".join(f"G{i + 1} = (G{i}, [G{i}, G{i}], {{'a': G{i}}})\n" for i in range(count))
    return (
        f"{HEAD}G0 = (1, 2)\n{names}\n\ndef run(x: torch.Tensor, n):\n"
        f"    if G{count} == G{count}:\n        return G{count}[n]\n"
        f"    return x, G{count}, [*G{count}, *G{count}]\n"
    )


@program("programs", "compile calls through wrappers", 300)
def _(_: random.Random, count: int) -> str:
    return f"{HEAD}def f(x):\n    return x\n\n\n" + "".join(
        (
            f"c{i + 1} = torch.compile({f'c{i}' if i else 'f'})\n"
            f"d{i + 1} = functools.partial(torch.compile, dynamic=True)({f'd{i}' if i else 'f'})\n"
        )
        for i in range(count)
    )


@program("programs", "conditions in a loop over pairs", 30)
def _(_: random.Random, count: int) -> str:
    arms = "".join(f"        if n[{i}]:\n            y, z = (z, y), (y, {i})\n" for i in range(count))
    return forward(f"    y = z = x\n    for i in range(9):\n{arms}    return y, z\n")


@program("programs", "finding after finding", 2_000)
def _(_: random.Random, count: int) -> str:
    return forward(lines(count, "if x.sum() > {i}:", "    print(x.item(), x.tolist(), int(x))") + "    return x\n")
