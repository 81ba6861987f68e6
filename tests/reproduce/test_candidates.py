"""Candidates: what one change makes of a program, and what needs no trial to fail."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import pytest

from compilelint.reproduce import candidates

Change = Callable[[ast.Module, int], "ast.Module | None"]


def every(change: Change, text: str) -> list[str]:
    def found() -> Iterator[str]:
        tree, number = ast.parse(text), 0
        while (made := change(tree, number)) is not None:
            yield ast.unparse(ast.fix_missing_locations(made))
            number += 1

    return list(found())


def code(text: str) -> str:
    return ast.unparse(ast.parse(text))


NET = """
class Net(Module):
    def __init__(self, width):
        self.stem, self.head = Linear(width, 4), Linear(4, 2)
        self.blocks = [Linear(4, 4)]
        self.size = width
    def forward(self, x):
        y = self.blocks[0](self.stem(x), 1)
        return self.head(y) * self.size
"""


def test_a_part_of_a_module_goes_with_its_calls() -> None:
    found = every(candidates.bypassed, NET)
    assert len(found) == 3, "size is a number, which nothing calls"
    blocks, stem, head = found
    assert "y = self.stem(x)" in blocks
    assert "self.blocks" not in blocks
    assert "y = self.blocks[0](x, 1)" in stem
    assert "return y * self.size" in head
    assert "self.stem, self.head =" in head, "what is assigned together is not taken out whole"


def test_a_part_that_is_also_read_is_not_bound_any_more() -> None:
    (found,) = every(
        candidates.bypassed,
        NET.replace("self.stem, self.head", "a, b")
        .replace("x), 1", "x)")
        .replace("self.head(y)", "self.blocks")
        .replace("self.stem(x)", "x"),
    )
    assert "self.blocks" in candidates.unbound(ast.parse(found))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("def f():\n    a = 1\n    return g(a)\nx = f()", "a = 1\nx = g(a)", id="a factory"),
        pytest.param("def f():\n    return 1, 2\nx = f()[0]", "x = (1, 2)[0]", id="a part of what a factory gives"),
        pytest.param("def f(a):\n    return a\nx = f(1)", None, id="it takes an argument"),
        pytest.param("def f():\n    if g:\n        return 1\n    return 2\nx = f()", None, id="it branches"),
        pytest.param("def f():\n    g()\nx = f()", None, id="it gives nothing"),
        pytest.param("@g\ndef f():\n    return 1\nx = f()", None, id="it is decorated"),
        pytest.param("x = (a, b)[1]", "x = b", id="an element of a tuple that is written out"),
        pytest.param("x = (a, b)[n]", None, id="an element that is not known"),
        pytest.param("x = (a, b)[2]", None, id="an element that is not there"),
    ],
)
def test_a_call_is_replaced_by_what_it_runs(text: str, expected: str | None) -> None:
    rest = [one.rpartition("\n\n")[2] if "def f" in one else one for one in every(candidates.inlined, text)]
    definition = text.partition("x = ")[0]
    wanted = [] if expected is None else [code(definition + expected).removeprefix(code(definition)).strip()]
    assert [one.removeprefix(code(definition)).strip() for one in rest] == wanted


def test_a_part_is_tried_in_place_of_the_whole_that_builds_it() -> None:
    text = (
        "class Inner:\n    pass\nclass Outer:\n    def __init__(self, a, b=2, c=3):\n"
        "        self.inner = Inner(a * b, c)\n        self.other = Other(a)\nmodel = Outer(7, c=5)"
    )
    found = every(candidates.inlined, text)
    assert [one.rpartition("\n")[2] for one in found] == ["model = Inner(7 * 2, 5)"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a, b = x, y", "a = x"),
        ("a, b, c = x, y, z", "(a, c) = (x, z)"),
        ("f(*x)", "f()"),
        ("f(x, y)", "f(y)"),
        ("y = [f(x) for _ in z]", "y = [f(x)]"),
        ("y = x.shape", "y = x"),
        ("y = x[0]", "y = x"),
        ("y = a > b", "y = a"),
        ("y = self.a.b", "y = self.a"),
    ],
)
def test_an_expression_has_this_part(text: str, part: str) -> None:
    assert code(part) in every(candidates.simpler, text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        pytest.param("import torch\ny = torch.ones(2)", "y = torch", id="a module stands for no value"),
        pytest.param("y = self.a", "y = self", id="an instance stands for no value"),
        pytest.param("a, b = f()", "a = f()", id="the values are not written out"),
        pytest.param("y = x.f(1)", "y = x(1)", id="the receiver is not what is called"),
    ],
)
def test_an_expression_has_not_this_part(text: str, part: str) -> None:
    assert not any(one.endswith(part) for one in every(candidates.simpler, text))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a.b\nfrom c import d as e\na(e)", set()),
        ("def f(x, *y, k=1, **z):\n    return x, y, z, k, len(x)", set()),
        ("def f():\n    x = 1\ndef g():\n    return x", {"x"}),
        ("def f():\n    x = 1\n    return lambda y: x + y", set()),
        ("[x for x in y]", {"y"}),
        ("try:\n    f()\nexcept E as e:\n    print(e)", {"f", "E"}),
        ("class A:\n    n = 1\n    def f(self):\n        return self.n, self.f, self.g", {"self.g"}),
        ("class A:\n    def f(self):\n        self.n = 1\n        return self.n", set()),
        ("with f() as (a, b):\n    a(b)", {"f"}),
        ("if (n := f) > 1:\n    n", {"f"}),
    ],
)
def test_what_nothing_binds_is_known(text: str, names: set[str]) -> None:
    assert candidates.unbound(ast.parse(text)) == names


def test_imports_of_one_module_are_one_line() -> None:
    text = "from a import b\nimport c\nfrom a import d as e, b\nfrom .a import f\nfrom a import *"
    found = ast.unparse(candidates.with_one_import_each(ast.parse(text)))
    assert found.splitlines() == ["from a import b, d as e", "import c", "from .a import f", "from a import *"]
