"""Operations on objects of which nothing finer is known than their kind: what was measured of the kind decides.

The table (`torchfacts.kinds`) has a cell for each operation on each kind of object, made inside the region or brought
from outside. A cell that says "traced", and one that was not measured, gives no event. Tensors, layers, plain numbers
and texts, and containers of these have models of their own and are not asked for here.
"""

from __future__ import annotations

from typing import Final

from compilelint import events
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.perform import AUGMENTED, MEASURED, Operation, Use, condition, rule
from compilelint.interp.effects import mapping_proxies
from compilelint.interp.refusals import refused_outside
from compilelint.torchfacts import Fact
from compilelint.torchfacts.kinds import MAKE, TRACED
from compilelint.values import (
    UNKNOWN,
    BoundMethod,
    Const,
    Instance,
    Mapping,
    Partial,
    Scalar,
    Sequence,
    Tensor,
    Value,
    type_name,
)

_MODELLED: Final = ("torch.nn.", "torch.optim.", "logging.", "torch.Generator", "builtins.")
_HELD: Final = frozenset({"list", "tuple", "set"})
_MIRRORED: Final = {">": "<", ">=": "<="}
_COMPARED: Final = frozenset({"==", "!=", "<", "<="})
_ALIKE: Final = {"int": "int", "bool": "int", "str": "str", "NoneType": "none"}


def kind_of(f: Frame, value: Value) -> tuple[str, bool | None] | None:
    """The kind of a value that the table may be asked for, and whether it was made in the region (None: not known)."""
    kinds = f.interp.facts.kinds
    if isinstance(value, Instance):
        if value.name in refused_outside.KINDS:
            return value.name, False
        if value.name not in kinds or value.name.startswith(_MODELLED):
            return None
        # What cannot be made in the graph is made behind a break, and comes into the next frame from outside.
        return value.name, value.inside and kinds.outcome(value.name, MAKE, inside=True) == TRACED
    if isinstance(value, Sequence):
        holds = value.kind in _HELD and any(isinstance(item, Tensor) for item in value.items or ())
        return (f"{value.kind}[tensor]", None) if holds else None
    if isinstance(value, Mapping):
        return ("dict[tensor]", None) if any(isinstance(one, Tensor) for _, one in value.entries) else None
    if isinstance(value, Partial):
        return "functools.partial", None
    if isinstance(value, BoundMethod) and isinstance(value.receiver, Tensor):
        return "tensor-method", None
    return None


@if_judged
def fact_on(f: Frame, value: Value, operation: str) -> Fact | None:
    """What was measured of an operation on the kind of a value; None where there is nothing to ask."""
    if f.state is None:
        return None
    called = operation.startswith(".") and operation.endswith("()")  # the attribute was read before
    outside = None if called else refused_outside.met(f, (value,))
    outside = outside or mapping_proxies.fact_on(f, value, operation)
    if outside is not None:
        return outside
    kind = kind_of(f, value)
    return None if kind is None else f.interp.facts.on_kind(kind[0], operation, inside=kind[1])


def asked(f: Frame, value: Value, operation: str, form: str, pos: int) -> bool:
    """Whether an operation on a value ends the graph by the table; it is then noted, `form` being its words."""
    fact = fact_on(f, value, operation)
    return fact is not None and _noted(f, fact, form, (value,), pos)


def _noted(f: Frame, fact: Fact, form: str, operands: tuple[Value, ...], pos: int) -> bool:
    if not (fact.breaks or fact.breaks_fullgraph):
        return False
    f.emit(events.Syntax(f.site(pos), fact, form, operands))
    f.broken_by(fact)
    return True


def short(value: Value) -> str:
    """The class of an object, for a message."""
    if isinstance(value, Instance):
        return value.name.removeprefix("builtins.")
    if isinstance(value, Sequence):
        return value.kind
    return "dict" if isinstance(value, Mapping) else type_name(value) or "object"


def operated(f: Frame, op: str, left: Value, right: Value, pos: int) -> bool | None:
    """Whether `left op right` ends the graph (`op` is `+` or `+=`); None where the table has no answer."""
    for value, operation in _cells(f, op, left, right):
        fact = fact_on(f, value, operation)
        if fact is not None:
            return _noted(f, fact, f"{_word(left)} {op} {_word(right)}", (left, right), pos)
    return None


@rule(Operation.BINARY, Instance, Sequence, Mapping, Partial, BoundMethod, tier=MEASURED)
def _joined(use: Use) -> Value | None:
    left, right = use.operands
    with_tensor = isinstance(right, Tensor)
    if isinstance(left, Mapping) and with_tensor and use.name not in AUGMENTED:
        return None  # `dict | tensor` raises
    known = operated(use.frame, use.name, left, right, use.pos)
    if use.name in AUGMENTED:
        return left if known is not None and not with_tensor else None
    return UNKNOWN if known else None


@rule(Operation.COMPARE, Instance, Sequence, Mapping, Partial, BoundMethod, tier=MEASURED)
def _compared(use: Use) -> Value | None:
    left, right = use.operands
    return Scalar("bool") if operated(use.frame, use.name, left, right, use.pos) else None


@rule(Operation.GET_ATTRIBUTE, Instance, tier=MEASURED)
def _attribute_read(use: Use) -> None:
    (value,) = use.operands
    asked(use.frame, value, f".{use.name}", f"{short(value)}.{use.name}", use.pos)


@rule(Operation.ITERATE, Instance, tier=MEASURED)
def _iterated(use: Use) -> None:
    (value,) = use.operands
    asked(use.frame, value, "for", f"for ... in {short(value)}", use.pos)


@rule(Operation.TRUTH, Instance, Sequence, Mapping, Partial, BoundMethod, tier=MEASURED)
def _tested(use: Use) -> None:
    (value,) = use.operands
    asked(use.frame, value, "if", f"the truth of {short(value)}", use.pos)


@rule(Operation.DELETE_ITEM, Instance, Sequence, Mapping, Partial, BoundMethod, tier=MEASURED)
def _item_deleted(use: Use) -> None:
    held, index = use.operands
    at = at_index(index) if isinstance(held, Instance) else ""
    asked(use.frame, held, f"del{at}", f"del {short(held)}[...]", use.pos)


@condition(Operation.WITH, Instance, tier=MEASURED)
def _entered(use: Use) -> Fact | None:
    return fact_on(use.frame, use.operands[0], "with")


@condition(Operation.SET_ATTRIBUTE, Instance, tier=MEASURED)
def _attribute_set(use: Use) -> Fact | None:
    return fact_on(use.frame, use.operands[0], "setattr")


@condition(Operation.SET_ITEM, Instance, tier=MEASURED)
def _item_set(use: Use) -> Fact | None:
    owner, index, _ = use.operands
    return fact_on(use.frame, owner, f"{at_index(index)}=") if isinstance(owner, Instance) else None


@rule(Operation.NUMBER, Instance, Sequence, Mapping, Partial, BoundMethod, tier=MEASURED)
def _signed(use: Use) -> Value | None:
    (value,) = use.operands
    operation = _SIGNS.get(use.name)
    found = operation is not None and asked(use.frame, value, operation, f"{use.name}{short(value)}", use.pos)
    return UNKNOWN if found else None


_SIGNS: Final = {"-": "neg", "+": "pos", "~": "invert"}


def _word(value: Value) -> str:
    if isinstance(value, Tensor):
        return "tensor"
    return repr(value.value) if isinstance(value, Const) and len(repr(value.value)) < _LONG else short(value)


_LONG = 20


def _cells(f: Frame, op: str, left: Value, right: Value) -> list[tuple[Value, str]]:
    """What the table may be asked for an operator: a value of a kind, and the operation on it."""
    op = _MIRRORED.get(op, op)
    if op in _COMPARED and (left is UNKNOWN or right is UNKNOWN):
        return _whatever(f, op, right if left is UNKNOWN else left)
    mine, other = kind_of(f, left), kind_of(f, right)
    if mine is not None and other is not None:
        return [(left, op)] if mine[0] == other[0] else []
    if mine is not None:
        if isinstance(right, Tensor):
            return [(left, "+tensor")] if op == "+" else []
        return [(left, op + _ALIKE.get(_plain(right), "?"))]
    if other is not None:
        if isinstance(left, Tensor):
            return [(right, f"tensor{op}")]
        return [(right, f"int{op}")] if _plain(left) == "int" else []
    return []


def _whatever(f: Frame, op: str, value: Value) -> list[tuple[Value, str]]:
    """A comparison with something unknown: the cells of what it may be, where all that were measured say the same."""
    cells = [op, *(f"{op}{other}" for other in dict.fromkeys(_ALIKE.values()))]
    facts = {fact for fact in (fact_on(f, value, cell) for cell in cells) if fact is not None}
    return [(value, cell) for cell in cells] if len(facts) == 1 else []


def _plain(value: Value) -> str:
    if isinstance(value, Const):
        return type(value.value).__name__
    return value.kind if isinstance(value, Scalar) else ""


def compared_by_identity(f: Frame, left: Value, right: Value, pos: int) -> bool:
    """Whether `left is right` ends the graph."""
    with_none = isinstance(right, Const) and right.value is None
    return asked(f, left, "is-none" if with_none else "is", f"{short(left)} is {_word(right)}", pos)


@rule(Operation.CONTAINS, Instance, Sequence, Mapping, Partial, BoundMethod, tier=MEASURED)
def _searched(use: Use) -> Value | None:
    f, (member, container), pos = use.frame, use.operands, use.pos
    if kind_of(f, container) is not None:
        operation, value = {"int": "in", "str": "in-text"}.get(_plain(member), ""), container
    elif isinstance(container, Sequence) and container.kind in ("list", "tuple"):
        operation, value = "in-list", member
    else:
        return None
    fact = fact_on(f, value, operation)
    form = f"{_word(member)} in {short(container)}"
    return Scalar("bool") if fact is not None and _noted(f, fact, form, (member, container), pos) else None


def at_index(index: Value) -> str:
    """How the table calls an index: `[int]`, `[str]`, `[slice]`; empty for others."""
    if isinstance(index, Sequence):
        return "[slice]" if index.kind == "slice" else ""
    kind = _plain(index)
    return f"[{kind}]" if kind in ("int", "str") else ""


def call_of(args: list[Value]) -> str:
    """How the table calls a call: without arguments, with a tensor, with a number; empty for others."""
    if not args:
        return "call"
    if len(args) > 1:
        return ""
    return "call-tensor" if isinstance(args[0], Tensor) else "call-int" if _plain(args[0]) == "int" else ""


BUILTINS: Final = frozenset(
    """
    len bool str repr hash iter next list tuple sorted reversed sum min max any enumerate zip abs round int float
    complex vars copy.copy copy.deepcopy torch.tensor torch.as_tensor
    """.split()
)
"""Functions that the table is asked about, by their names there."""


def called(f: Frame, name: str, args: list[Value], pos: int) -> bool:
    """Whether a builtin, or a function of torch that takes its argument apart, ends the graph by the table."""
    operation = name.removeprefix("builtins.")
    if len(args) != 1 or operation not in (_OF_CONTAINERS if isinstance(args[0], (Sequence, Mapping)) else BUILTINS):
        return False
    return asked(f, args[0], operation, f"{operation}({short(args[0])})", pos)


_OF_CONTAINERS: Final = frozenset({"str", "repr"})
"""Of containers of tensors; the others have models that look into them."""
