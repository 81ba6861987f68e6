"""Facts stay with their nodes, and a watch records who reads a node."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from compilelint.syntax import ir
from compilelint.syntax.facts import fact, watching
from compilelint.syntax.lowering import lower

TEXT = "def one(x):\n    return x\n"


class Seen:
    """What was read."""

    def __init__(self) -> None:
        self.bodies: list[str] = []
        self.facts: list[str] = []

    def body(self, node: ir.Function) -> None:
        self.bodies.append(node.name)

    def fact(self, node: Any, read: Callable[[Any], object]) -> None:
        self.facts.append(read.__name__)


def function() -> ir.Function:
    found = lower(ast.parse(TEXT), TEXT, "/m.py", "m", False).body[0]
    assert isinstance(found, ir.Function)
    return found


def length(node: ir.Function) -> int:
    return len(node.body)


def test_a_fact_is_read_once() -> None:
    node = function()
    assert fact(node, length) == 1
    assert node.facts == {length: 1}


def test_a_watch_records_bodies_and_a_fact_counts_as_one_look() -> None:
    node, seen = function(), Seen()
    with watching(seen):
        assert len(node.body) == 1
        assert fact(node, length) == 1
        assert fact(node, length) == 1
    assert seen.bodies == ["one"]
    assert seen.facts == ["length", "length"]


def test_afterwards_a_watch_records_nothing() -> None:
    node, seen = function(), Seen()
    with watching(seen):
        pass
    assert len(node.body) == 1
    assert seen.bodies == []
