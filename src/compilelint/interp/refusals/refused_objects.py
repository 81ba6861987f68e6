"""Operations on objects for which Dynamo's trackers have no answer, where their kind alone is no reason.

Measured on torch 2.13 and 2.15: methods of tensors that are compared, a generator compared with `None` by `==` (up to
2.14) or sent a value while it hands on another one (up to 2.14), `__dict__` that was replaced by one with keys that are
no texts, `__setitem__` and its like called on what is no object of a class of the program, subscripts of `typing`,
`list[int]` looked up in a dict from outside, a coroutine that waits for another, an attribute that the parameters of an
attention lack, a module that stands in `sys.modules` and is none.
"""

from __future__ import annotations

from typing import Final

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.perform import Operation, Use, rule
from compilelint.interp.core.refusals import refused
from compilelint.interp.refusals.caught_errors import is_caught
from compilelint.project.classes import FunctionInfo
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.facts import plain_statements
from compilelint.syntax.walk import dotted_name, statements_of
from compilelint.values import (
    UNKNOWN,
    BoundMethod,
    Const,
    Dependence,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Scalar,
    Sequence,
    Tensor,
    Unknown,
    Value,
    is_none,
    tensor_arm,
)

_METHODS: Final = "GB6215"  # "Unresolved GetAttrVariable comparison"
_METHODS_SEARCHED: Final = "GB6215|in"
_NO_OBJECT: Final = "GB0131"  # "Unsupported __setitem__/__setattr__/__delitem__/__delattr__ inline attempt"
_SUBSCRIPT: Final = "GB9137"  # "non-constant typing subscript"
_ANNOTATED: Final = "GB4880"  # "missing_mp_subscript"
_GENERIC: Final = frozenset(f"builtins.{name}" for name in ("list", "dict", "tuple", "set", "frozenset", "type"))
ATTENTION: Final = "torch._C._SDPAParams"
_FIELDS: Final = frozenset({"query", "key", "value", "attn_mask", "dropout", "is_causal", "enable_gqa"})
_NO_FIELD: Final = "GB0359"  # "unsupported torch._C._SDPAParams attribute"
_DELEGATES: Final = "GB0120"  # "Unreachable sub-generator code"
_HASH: Final = "GB2861"  # "Untraceable C tp_hash"
_ALIAS: Final = ".<alias>"
_UNKNOWN_MANAGER: Final = "GB0142"  # "Unsupported context manager"
_AWAIT: Final = "GB0082"  # "Missing bytecode handler"
_NO_MODULE: Final = "GB0022"  # "Bad import result"
_KEYS: Final = {True: "GB5849", False: "GB7637"}  # "non-constant key", "non-string key in object __dict__"
_WRITING: Final = frozenset({"__setitem__", "__setattr__", "__delitem__", "__delattr__"})
_ODD: Final = "<odd keys>"


def _is_tensor_method(f: Frame, value: Value) -> bool:
    if not isinstance(value, BoundMethod) or not isinstance(value.receiver, Tensor) or value.receiver.array:
        return False
    return f.interp.facts.callable(f"torch.Tensor.{value.name}") is not None


@rule(Operation.COMPARE, BoundMethod)
def compared(use: Use) -> Value | None:
    """`x.relu == y.relu` of tensors."""
    f, op = use.frame, use.name
    if op in ("==", "!=") and any(_is_tensor_method(f, one) for one in use.operands):
        return refused(f, _METHODS, f"method of a tensor {op} ...", use.operands, use.pos, result=Scalar("bool"))
    return None


@rule(Operation.CONTAINS, BoundMethod)
def searched(use: Use) -> None:
    """`member in container`, whose items are compared in turn."""
    f, (member, container), pos = use.frame, use.operands, use.pos
    if _is_tensor_method(f, member) and isinstance(container, Sequence) and container.items != ():
        refused(f, _METHODS_SEARCHED, "method of a tensor in ...", (member, container), pos)


_NO_OBJECTS: Final = (Mapping, Sequence, Const, Scalar, Tensor, FunctionRef)


def _is_no_object(value: Value | None) -> bool:
    queue = isinstance(value, Instance) and value.name == "collections.deque"
    return queue or isinstance(value, _NO_OBJECTS)


@rule(Operation.CALL, FunctionRef)
def entered(use: Use) -> None:
    """A function of the program is called: `Rows.__setitem__(table, key, value)` of a plain dict."""
    f, (ref,), pos = use.frame, use.operands, use.pos
    first = use.args.get(0)
    code = ref.code if isinstance(ref, FunctionRef) and ref.receiver is None else None
    if isinstance(code, FunctionInfo) and code.node.name in _WRITING and _is_no_object(first) and first is not None:
        refused(f, _NO_OBJECT, f"{code.node.name}()", (first,), pos)


def replaced(f: Frame, owner: Value, key: str, rhs: object) -> None:
    """`obj.__dict__ = {...}`: remembers keys that are no strings, for a later read of the dictionary."""
    plain = isinstance(owner, (Object, Unknown))
    if f.state is None or not key or not plain or not isinstance(rhs, ir.DictDisplay):
        return
    modes, f.modes = f.modes, f.modes.silenced
    keys = [f.eval(one) for one in rhs.keys if one is not None]
    f.modes = modes
    tensor = any(tensor_arm(one) is one for one in keys)
    if tensor or any(isinstance(one, Const) and not isinstance(one.value, str) for one in keys):
        f.state.paths[key + _ODD] = Const(_KEYS[tensor])


def namespace_read(f: Frame, holder: ir.Expr, pos: int) -> None:
    """`obj.__dict__` or `vars(obj)` is read."""
    name = dotted_name(holder)
    odd = f.here.paths.get(f"{name}.__dict__{_ODD}") if name else None
    if isinstance(odd, Const):
        refused(f, str(odd.value), f"{name}.__dict__", (), pos)


@rule(Operation.GET_ITEM, External)
def subscripted(use: Use) -> Value | None:
    """A subscript of `typing`; reported where Dynamo does not know the result."""
    f, (value, at), pos = use.frame, use.operands, use.pos
    if not isinstance(value, External) or not value.name.startswith("typing."):
        return None
    if value.name == "typing.Annotated":
        refused(f, _ANNOTATED, "typing.Annotated[...]", (at,), pos)
    elif any(_is_no_constant(one) for one in (at.items or () if isinstance(at, Sequence) else (at,))):
        refused(f, _SUBSCRIPT, f"{value.name}[...]", (at,), pos)
    return alias_of(f, value)


@rule(Operation.GET_ATTRIBUTE, Instance)
def field_read(use: Use) -> Value | None:
    """An attribute that the parameters of an attention lack is read, where the program catches that."""
    f, name, (value,) = use.frame, use.name, use.operands
    if not isinstance(value, Instance) or value.name != ATTENTION or name in _FIELDS:
        return None
    return (
        None
        if name.startswith("__") or not is_caught(f)
        else refused(f, _NO_FIELD, f"_SDPAParams.{name}", (value,), use.pos)
    )


def sent(f: Frame, node: ir.Call | None, args: Args, pos: int) -> None:
    """`rows.send(value)` of a generator that hands on another one by `yield from` (up to torch 2.14)."""
    value, func = args.get(0), node.func if node is not None else None
    if value is None or is_none(value) is not False or f.function is None or not isinstance(func, ir.Attr):
        return
    for s in statements_of(f.function.node.body):
        made = s.value if isinstance(s, ir.Assign) and _binds(s, func.value) else None
        if not isinstance(made, ir.Call):
            continue
        called = f.eval(made.func)
        code = called.code if isinstance(called, FunctionRef) else None
        if isinstance(code, FunctionInfo) and any(
            isinstance(e, ir.Yield) and e.how == "from"
            for inner in statements_of(code.node.body)
            for e in expressions(own_expressions(inner))
        ):
            refused(f, _DELEGATES, "generator.send()", (), pos)
            return


def _binds(s: ir.Assign, name: ir.Expr) -> bool:
    return isinstance(name, ir.Name) and any(isinstance(t, ir.Name) and t.id == name.id for t in s.targets)


@rule(Operation.GET_ITEM, Mapping)
def _looked_up_by_alias(use: Use) -> None:
    node = use.node
    if isinstance(node, ir.Index) and node.index.__class__ is ir.Index:
        looked_up(use.frame, node.value, node.index, use.pos)


@rule(Operation.WITH, Object)
def entered_from_outside(use: Use) -> None:
    """`with obj` of a class of the program: up to 2.14 it must be made in the region, not kept on `self`, say."""
    (manager,) = use.operands
    if isinstance(manager, Object) and not manager.inside and not use.frame.modes.host:
        refused(use.frame, _UNKNOWN_MANAGER, "with", (manager,), use.pos)


def looked_up(f: Frame, table: ir.Expr, key: ir.Expr, pos: int) -> None:
    """`TABLE[list[int]]` and `list[int] in TABLE` of a global or an attribute, whose keys are hashed by Dynamo."""
    local = isinstance(table, ir.Name) and f.state is not None and table.id in f.state.names
    if (
        local
        or not isinstance(table, (ir.Name, ir.Attr))
        or not isinstance(key, ir.Index)
        or f.modes.silent
        or f.modes.host
    ):
        return
    generic = f.eval(key.value)
    if isinstance(generic, External) and generic.name in _GENERIC and isinstance(f.eval(table), Mapping):
        refused(f, _HASH, f"dict[{generic.name.removeprefix('builtins.')}[...]]", (), pos)


def alias_of(f: Frame, value: Value) -> Value:
    """What a subscript of `typing` gives: a region knows the alias that it makes, but none of its methods."""
    return External(value.name + _ALIAS) if isinstance(value, External) and not f.modes.silent else UNKNOWN


def is_method_of_alias(name: str) -> bool:
    """Whether a name is that of a method of an alias made in the region."""
    return f"{_ALIAS}." in name


def _is_no_constant(value: Value) -> bool:
    """A tensor, or a number that is one of sizes, which become symbols once they have changed."""
    sized = isinstance(value, Scalar) and value.kind == "int" and value.dependence is not Dependence.STATIC
    return sized or tensor_arm(value) is value


def awaited(f: Frame, pos: int) -> None:
    """`await` and its like in a coroutine that the region itself runs."""
    called = f.context.caller is not None and f.function is not None and f.function.node.is_async
    if called and not f.modes.silent:
        refused(f, _AWAIT, "await", (), pos)


@if_judged
def imported(f: Frame, dotted: str, pos: int) -> None:
    """`import name` in a function, where the module has put something else under that name into `sys.modules`."""
    if f.function is None:
        return
    for s in plain_statements(f.module.ir):
        target = s.targets[0] if isinstance(s, ir.Assign) else None
        if isinstance(s, ir.Assign) and isinstance(target, ir.Index) and dotted_name(target.value) == "sys.modules":
            named = isinstance(target.index, ir.Const) and target.index.value == dotted
            if named and isinstance(f.interp.at_module_level(f.module, s.value), Object):
                refused(f, _NO_MODULE, f"import {dotted}", (), pos)
