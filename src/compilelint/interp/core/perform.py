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
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.model.slotted import dataclass
from compilelint.syntax import ir
from compilelint.torchfacts import Fact
from compilelint.values import Value

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
Condition: TypeAlias = Callable[[Use], Fact | None]
Kinds: TypeAlias = tuple[type[Value], ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Registered(Generic[T]):
    """A rule about an operation on one kind of value, about these names alone where there are some."""

    tier: int
    names: frozenset[str]
    decide: Callable[[Use], T | None]


class Rules(Generic[T]):
    """The rules about one operation, and in which order they are asked about operands of given kinds."""

    __slots__ = ("by_kind", "plans", "plans_by_name")

    def __init__(self) -> None:
        self.by_kind: dict[type[Value], list[Registered[T]]] = {}
        self.plans: dict[Kinds, tuple[Callable[[Use], T | None], ...] | None] = {}
        self.plans_by_name: dict[tuple[str, Kinds], tuple[Callable[[Use], T | None], ...]] = {}

    def add(self, kinds: Kinds, registered: Registered[T]) -> None:
        """Put a rule about an operation in which a value of one of these kinds takes part."""
        for kind in kinds:
            self.by_kind.setdefault(kind, []).append(registered)
        self.plans.clear()
        self.plans_by_name.clear()

    def plan(self, name: str, kinds: Kinds) -> tuple[Callable[[Use], T | None], ...]:
        """The rules to ask: by tier, then from the left operand to the right, each once."""
        try:
            plan = self.plans[kinds]
        except KeyError:
            named = any(one.names for kind in kinds for one in self.by_kind.get(kind, ()))
            plan = self.plans[kinds] = None if named else self._planned(name, kinds)
        if plan is not None:
            return plan
        known = self.plans_by_name.get((name, kinds))
        if known is None:
            known = self.plans_by_name[name, kinds] = self._planned(name, kinds)
        return known

    def _planned(self, name: str, kinds: Kinds) -> tuple[Callable[[Use], T | None], ...]:
        found = [one for kind in kinds for one in self.by_kind.get(kind, ()) if not one.names or name in one.names]
        return tuple(dict.fromkeys(one.decide for one in sorted(found, key=lambda one: one.tier)))


class Operation(Enum):
    """What Python does to a value. Each member holds the rules about it, those with a result and those with a fact."""

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
        self.results: Rules[Value] = Rules()
        self.facts: Rules[Fact] = Rules()


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
        operation.results.add(kinds, Registered(tier, frozenset(names), function))
        return function

    return register


def condition(
    operation: Operation, *kinds: type[Value], names: Iterable[str] = (), tier: int = REFUSAL
) -> Callable[[Condition], Condition]:
    """Decorator: this gives the fact with which such an operation ends the graph; else as `rule`."""

    def register(function: Condition) -> Condition:
        operation.facts.add(kinds, Registered(tier, frozenset(names), function))
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
    plan = operation.results.plan(name, tuple([operand.__class__ for operand in operands]))
    if not plan:
        return None
    use = Use(f, name, operands, pos, node, args)
    for decide in plan:
        answer = decide(use)
        if answer is not None:
            return answer
    return None


def ask(
    f: Frame, operation: Operation, name: str, operands: tuple[Value, ...], pos: int, args: Args = NO_ARGS
) -> Fact | None:
    """The fact with which an operation ends the graph, for callers that weigh it against others; None without one."""
    plan = operation.facts.plan(name, tuple([operand.__class__ for operand in operands]))
    if not plan:
        return None
    use = Use(f, name, operands, pos, None, args)
    return next((fact for fact in (decide(use) for decide in plan) if fact is not None), None)
