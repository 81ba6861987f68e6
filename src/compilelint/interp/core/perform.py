"""The one door through which an operation on a value goes to the rules about it.

Operations are the slots of Python's types, and so of TorchDynamo's (`torch/_dynamo/variables/object_protocol.py`). A
rule is registered for an operation on a kind of value. It answers with the result, or notes that a graph ends and
leaves the result to the caller; by None it says that it does not decide. Code of expressions, calls and kinds asks here
once an operation and names no rule.

A rule about a refusal of Dynamo is a condition and a key of `refusals.json` (`core/refusals.py`). It stands in a file
of `interp/refusals`, a folder that is listed to find them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

from compilelint.interp.core.args import Args
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
        self.rules: dict[type[Value], list[Registered]] = {}
        self.plans: dict[tuple[object, ...], tuple[Rule, ...]] = {}  # by the name if that counts, and all kinds
        self.by_name = False


NO_ARGS: Final = Args([])


class Use(NamedTuple):
    """One operation: what is done, in which frame, to which values in the order of the source, and where.

    `name` is the operator (`+=`), the attribute or the function that does it (`builtins.int`). Of a call the function
    is the one operand and `args` what it is given. `node` is the expression where a rule may need to know how it is
    written.
    """

    frame: Frame
    name: str
    operands: tuple[Value, ...]
    pos: int
    node: ir.Expr | None = None
    args: Args = NO_ARGS


AUGMENTED: Final = frozenset(f"{op}=" for op in "+ - * / // % ** @ & | ^ << >>".split())
"""Operators that change their left operand where its class knows how: `rows += more`."""
Rule: TypeAlias = Callable[[Use], Value | None]


class Registered(NamedTuple):
    """A rule about an operation on one kind of value, about these names alone where there are some."""

    tier: int
    names: frozenset[str]
    decide: Rule


PROGRAM: Final = 0
"""Methods that the program writes come first,"""
REFUSAL: Final = 1
"""then what Dynamo refuses by a rule of its own,"""
MEASURED: Final = 2
"""and at last what was measured of the kind of an object."""


def rule(
    operation: Operation, *kinds: type[Value], names: Iterable[str] = (), tier: int = REFUSAL
) -> Callable[[Rule], Rule]:
    """Decorator: this decides about an operation in which a value of one of these kinds takes part.

    With `names`, only under one of them: of calls of these functions, of attributes that are called so.
    """

    def register(function: Rule) -> Rule:
        known = Registered(tier, frozenset(names), function)
        for kind in kinds:
            operation.rules.setdefault(kind, []).append(known)
        operation.by_name = operation.by_name or bool(known.names)
        operation.plans.clear()
        return function

    return register


def perform(
    f: Frame,
    operation: Operation,
    name: str,
    operands: tuple[Value, ...],
    pos: int,
    node: ir.Expr | None = None,
    args: Args = NO_ARGS,
) -> Value | None:
    """The result of an operation where a rule about one of the operands decides it; None where none does."""
    kinds = tuple([operand.__class__ for operand in operands])
    asked = (name, *kinds) if operation.by_name else kinds
    plan = operation.plans.get(asked)
    if plan is None:
        plan = operation.plans[asked] = _plan(operation, name, kinds)
    if not plan:
        return None
    use = Use(f, name, operands, pos, node, args)
    for decide in plan:
        answer = decide(use)
        if answer is not None:
            return answer
    return None


def _plan(operation: Operation, name: str, kinds: tuple[type[Value], ...]) -> tuple[Rule, ...]:
    """The rules to ask for operands of these kinds: by tier, then from left to right, each once."""
    found = [one for kind in kinds for one in operation.rules.get(kind, ()) if not one.names or name in one.names]
    return tuple(dict.fromkeys(one.decide for one in sorted(found, key=lambda one: one.tier)))
