"""The one door through which an operation on a value goes to the rules about it.

Operations are the slots of Python's types, and so of TorchDynamo's (`torch/_dynamo/variables/object_protocol.py`). A
rule is registered for an operation on a kind of value. It answers with the result, or notes that a graph ends and
leaves the result to the caller; by None it says that it does not decide. Code of expressions, calls and kinds asks here
once an operation and names no rule.

A rule about a refusal of Dynamo is a condition and a key of `refusals.json` (`core/refusals.py`). It stands in a file
of `interp/refusals`, a folder that is listed to find them.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

from compilelint.interp.core.frame import Frame
from compilelint.syntax import ir
from compilelint.values import Value


class Operation(Enum):
    """What Python does to a value. Each member holds the rules about it, by kind of value."""

    GET_ATTRIBUTE = "get attribute"
    SET_ATTRIBUTE = "set attribute"
    DELETE_ATTRIBUTE = "delete attribute"
    GET_ITEM = "get item"
    SET_ITEM = "set item"
    DELETE_ITEM = "delete item"
    ITERATE = "iterate"
    NEXT = "next"
    CALL = "call"
    LENGTH = "length"
    TRUTH = "truth"
    NUMBER = "number"
    HASH = "hash"
    CONTAINS = "contains"
    BINARY = "binary"
    COMPARE = "compare"
    WITH = "with"
    RETURN = "return"

    def __init__(self, words: str) -> None:
        self.words = words
        self.rules: dict[type[Value], list[tuple[int, Rule]]] = {}
        self.plans: dict[tuple[type[Value], ...], tuple[Rule, ...]] = {}  # by the kinds of all operands


class Use(NamedTuple):
    """One operation: what is done, in which frame, to which values in the order of the source, and where.

    `name` is the operator (`+=`), the attribute or the function that does it (`builtins.int`); `node` is the expression
    where a rule may need to know how it is written.
    """

    frame: Frame
    name: str
    operands: tuple[Value, ...]
    pos: int
    node: ir.Expr | None = None


AUGMENTED: Final = frozenset(f"{op}=" for op in "+ - * / // % ** @ & | ^ << >>".split())
"""Operators that change their left operand where its class knows how: `rows += more`."""
Rule: TypeAlias = Callable[[Use], Value | None]

PROGRAM: Final = 0
"""Methods that the program writes come first,"""
REFUSAL: Final = 1
"""then what Dynamo refuses by a rule of its own,"""
MEASURED: Final = 2
"""and at last what was measured of the kind of an object."""


def rule(operation: Operation, *kinds: type[Value], tier: int = REFUSAL) -> Callable[[Rule], Rule]:
    """Decorator: this decides about an operation in which a value of one of these kinds takes part."""

    def register(function: Rule) -> Rule:
        for kind in kinds:
            operation.rules.setdefault(kind, []).append((tier, function))
        operation.plans.clear()
        return function

    return register


def perform(
    f: Frame, operation: Operation, name: str, operands: tuple[Value, ...], pos: int, node: ir.Expr | None = None
) -> Value | None:
    """The result of an operation where a rule about one of the operands decides it; None where none does."""
    kinds = tuple([operand.__class__ for operand in operands])
    plan = operation.plans.get(kinds)
    if plan is None:
        plan = operation.plans[kinds] = _plan(operation, kinds)
    if not plan:
        return None
    use = Use(f, name, operands, pos, node)
    for decide in plan:
        answer = decide(use)
        if answer is not None:
            return answer
    return None


def _plan(operation: Operation, kinds: tuple[type[Value], ...]) -> tuple[Rule, ...]:
    """The rules to ask for operands of these kinds: by tier, then from left to right, each once."""
    found = [one for kind in kinds for one in operation.rules.get(kind, ())]
    return tuple(dict.fromkeys(function for _, function in sorted(found, key=lambda one: one[0])))
