"""Operands of a side that is computed in vain: which divisors and indices are made safe, and which stay as they are."""

from __future__ import annotations

import ast

import pytest

from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.safe_operands import with_safe_divisors, with_safe_indices


def _text(node: cst.BaseExpression) -> str:
    return cst.Module([]).code_for_node(node)


@pytest.mark.parametrize(
    ("side", "first", "wanted"),
    [
        ("table[i + 1] * 2", True, "table[where(i == n, i + 1, 0)] * 2"),
        ("table[i + 1] * 2", False, "table[where(i == n, 0, i + 1)] * 2"),
        pytest.param("table[j]", True, "table[j]", id="the test does not read it"),
        pytest.param("table[:i]", True, "table[:i]", id="a slice raises for no bound"),
        pytest.param("table[i, 0]", True, "table[i, 0]", id="two indices"),
    ],
)
def test_an_index_that_the_test_reads(side: str, first: bool, wanted: str) -> None:
    tested = ast.parse("i == n", mode="eval").body
    made = with_safe_indices(cst.parse_expression(side), tested, cst.parse_expression("i == n"), "where", first)
    assert _text(made) == wanted


@pytest.mark.parametrize(
    ("test", "wanted"),
    [
        ("n == 0", "a / where(n == 0, 1, n)"),
        ("n > 0", "a / where(n > 0, n, 1)"),
        pytest.param("n > 1", "a / n", id="not compared with zero"),
        pytest.param("m == 0", "a / n", id="another number"),
    ],
)
def test_a_divisor_that_the_test_compares_with_zero(test: str, wanted: str) -> None:
    tested = ast.parse(test, mode="eval").body
    assert (
        _text(with_safe_divisors(cst.parse_expression("a / n"), tested, cst.parse_expression(test), "where")) == wanted
    )
