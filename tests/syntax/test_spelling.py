"""Expressions as a title writes them."""

from __future__ import annotations

import ast

import pytest

from compilelint.syntax import ir, spelling
from compilelint.syntax.places import unpack
from compilelint.syntax.spelling import LONGEST, node_at, spelled
from tests.support.reveal import lowered


def expression(text: str) -> ir.Expr:
    (statement,) = lowered(text + "\n").body
    assert isinstance(statement, ir.ExprStmt)
    return statement.value


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "self.mask",
        "onehot[e]",
        "scores.max() > 0",
        "x[:, 1:, ..., None]",
        "x[i:j:2]",
        "torch.where(mask, x, fill_value=0.5)",
        "f(*xs, **named)",
        "(a + b) * c",
        "a - (b - c)",
        "a - b - c",
        "(a ** b) ** c",
        "a ** b ** c",
        "-x.abs()",
        "(-x) ** 2",
        "not (a and b)",
        "a or b and c",
        "(a or b) and c",
        "0 < x <= 1",
        "(x > 0) == (y > 0)",
        "(x > 0) & mask",
        "x @ y.T",
        "1e6",
        "1e-5",
        "0.5",
        'x.mean(dim="h")',
        "(1,)",
        "[a, b]",
        "{a}",
        "a if t else b",
        "(a if t else b).x",
        "[v for v in xs]",
        "n := x.item()",
        "x is not None",
    ],
)
def test_an_expression_reads_as_it_was_written(text: str) -> None:
    parsed = expression(f"({text})")
    assert spelled(parsed) == text
    assert ast.dump(ast.parse(f"({text})")) == ast.dump(ast.parse(f"({spelled(parsed)})"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param(
            "torch.einsum('bij,bjk->bik', self.first, self.second).max()",
            "torch.einsum(…).max()",
            id="arguments give way first",
        ),
        pytest.param(
            "first_long_name + second_long_name + third_long_name + last",
            "first_long_name + second_long_name + th…",
            id="then the end",
        ),
        pytest.param("f'{x}'", 'f"…"', id="the text of an f-string is not a name"),
        pytest.param("f(\n    a,\n    b,\n)", "f(a, b)", id="never more than a line"),
        pytest.param("table['`']", "", id="a backtick would end the code"),
        pytest.param("table['\\n']", 'table["\\n"]', id="what cannot be printed is escaped"),
        pytest.param("a" + ".b" * 30, "", id="too deep to be followed"),
    ],
)
def test_what_does_not_fit_is_shortened(text: str, shown: str) -> None:
    found = spelled(expression(text))
    assert len(found) <= LONGEST
    if shown:
        assert found == shown


def test_each_expression_of_a_file_is_found_by_its_place() -> None:
    text = """
def f(x: int, y=g(2), *rest, key=[3]) -> "Tensor":
    if a > b:
        with open(x) as z, y:
            return h(z)[1:2], {**k, "a": 1}
    elif (c := d):
        pass
    else:
        for i, j in zip(a, b):
            while not i:
                try:
                    assert i, f"{i!r:>{j}}"
                except (E, F) as e:
                    raise G from e
                finally:
                    del x[0]
    match a:
        case 1 if b:
            yield lambda q: q + 1
    return [m for n in o if p for m in n]


class C(B, metaclass=M):
    wörter: int = s @ t
"""
    module = lowered(text)
    places = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Call, ast.Compare, ast.Subscript, ast.BinOp, ast.Attribute))
    ]
    assert len(places) > 8
    for node in places:
        found = node_at(module, _pos(node))
        assert found is not None, ast.unparse(node)
        assert spelled(found) == ast.unparse(node).replace("'", '"')
    assert node_at(module, 0) is None
    assert node_at(object(), 0) is None


MANY = 40
CROWDED = f"""
def f(a, b, x):
    y = {" and ".join(f"a.p{i}" for i in range(MANY))}
    g({", ".join(f"a[{i}]" for i in range(MANY))}, {", ".join(f"k{i}=b.q{i}" for i in range(MANY))})
    d = {{{", ".join(f"a.k{i}: b.v{i}" for i in range(MANY))}, **a.rest, b.k: a.v, b.l: a.w}}
    z = [{", ".join(f"x.a{i} < x.b{i}" for i in range(MANY))}]
    assert {" < ".join(f"a.c{i}" for i in range(MANY))}
{"".join(f"    x.m{i}(b.n{i})" + chr(10) for i in range(MANY))}
"""


def test_an_expression_is_found_among_very_many() -> None:
    module = lowered(CROWDED)
    places = [
        node for node in ast.walk(ast.parse(CROWDED)) if isinstance(node, (ast.Call, ast.Subscript, ast.Attribute))
    ]
    assert len(places) > 8 * MANY
    for node in places:
        assert node_at(module, _pos(node)) is not None, ast.unparse(node)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(" and ".join(["x.y"] * 3_000), id="operands"),
        pytest.param("\n".join(["x.y"] * 3_000), id="statements"),
        pytest.param("[" + ", ".join(["x.y"] * 3_000) + "]", id="items"),
    ],
)
def test_a_search_does_not_look_at_all_of_very_many(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finding is spelled by a search: one among n for each of n findings took n x n steps."""
    module = lowered(text)
    last = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)][-1]
    steps: list[int] = []

    def counted(pos: int) -> tuple[int, int, int, int]:
        steps.append(pos)
        return unpack(pos)

    monkeypatch.setattr(spelling, "unpack", counted)
    assert node_at(module, _pos(last)) is not None
    assert len(steps) < 100


def _pos(node: ast.expr) -> int:
    from compilelint.syntax.expressions import pos_of

    return pos_of(node)
