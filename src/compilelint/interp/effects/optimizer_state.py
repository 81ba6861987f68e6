"""State of an optimizer that its methods change: what the first step fills, what groups keep, and what gets lost.

Measured on torch 2.13 with 33 optimizers of three packages: each step that is compiled without a break compiles again
on the second call, on equal inputs, since Dynamo guards that its state is empty. A break in the loop over the
parameters leaves the whole step to Python. What is assigned to an attribute of the optimizer itself is lost wherever
the graph was compiled (2.13 and 2.15): the next call finds the old value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from compilelint.events import StateHow
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.slots import Change, ChangeHow
from compilelint.interp.effects.state_slots import doubted, guarded, in_training, use_of
from compilelint.project.classes import ClassInfo
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import dotted_name, statements_of
from compilelint.values import UNKNOWN, Const, Mapping, Value, type_name

OF_OPTIMIZER: Final = "state of an optimizer"
LOST: Final = "lost"
_BASES: Final = frozenset({"torch.optim.Optimizer", "torch.optim.optimizer.Optimizer"})


def is_optimizer(cls: ClassInfo) -> bool:
    """Whether a class derives from torch's optimizer."""
    return not _BASES.isdisjoint(cls.external_bases)


def is_item(f: Frame, expr: ir.Expr) -> bool:
    """Whether an expression is an item of `self.state`, or a variable that holds one."""
    if isinstance(expr, ir.Name):
        if f.function is None or f.owner is None:
            return False
        return expr.id in fact(f.function.node, _states_in) or expr.id in _handed(f.owner, f.function.node)
    return _is_item(expr)


def filled(f: Frame, pos: int) -> None:
    """A method of an optimizer has filled what a test at `pos` found empty, unless the constructor fills it."""
    if f.owner is not None and not _filled_before(f.owner):
        _put(f, pos, "contents", "self.state", "key")


def assigned(f: Frame, cls: ClassInfo, name: str, pos: int) -> None:
    """An attribute of an optimizer is assigned, where it is lost.

    A frame that itself reads an attribute which is an int is not compiled at all; behind a decorator it is.
    """
    initial = f.interp.initially(f, cls, name.rpartition(".")[2])
    counts = initial is not None and type_name(initial) == "int"
    if counts and f.function is not None and not f.function.node.decorators:
        return
    _put(f, pos, LOST, name, "write", fails="flips")


def _filled_before(cls: ClassInfo) -> bool:
    """Whether the constructor puts something in the state of a parameter."""
    init = cls.method("__init__")
    return init is not None and fact(init.node, _fills_state)


def _fills_state(node: ir.Function) -> bool:
    states = fact(node, _states_in)
    return any(
        isinstance(target, ir.Index)
        and (_is_item(target.value) or (isinstance(target.value, ir.Name) and target.value.id in states))
        for s in statements_of(node.body)
        if isinstance(s, ir.Assign)
        for target in s.targets
    )


@if_judged
def contained(f: Frame, expr: ir.Expr, how: str, pos: int, key: Value | None) -> bool:
    """Note that an item of the optimizer's state or of a group is written; whether `expr` names one of these."""
    if f.owner is None or f.function is None or not is_optimizer(f.owner):
        return False
    if how in ("setdefault", "item") and is_item(f, expr):
        filled(f, pos)
        return True
    if not isinstance(expr, ir.Name) or expr.id not in fact(f.function.node, _groups_in):
        return False
    if how in ("item", "augmented") and isinstance(key, Const):
        steps = how == "augmented" or isinstance(f.around.rhs, ir.AugAssign)
        if steps or key.value in fact(f.function.node, _items_read).get(expr.id, ()):
            name = f"self.param_groups[0][{key.value!r}]"
            _put(f, pos, f"group {key.value}", name, "write", fails="varies" if steps else "flips")
    return True


def _put(
    f: Frame,
    pos: int,
    part: str,
    name: str,
    how: ChangeHow,
    fails: StateHow | Literal[""] = "",
) -> None:
    if f.modes.silent or f.owner is None:
        return
    slot = (OF_OPTIMIZER, id(f.owner), part, name if part == LOST else "")
    guarded(f, slot)
    change = Change(
        slot,
        name,
        "self",
        how,
        f.site(pos),
        UNKNOWN,
        Mapping((), UNKNOWN),
        literal=True,
        doubted=doubted(f),
        training=in_training(f),
        fails=fails,
    )
    use_of(f).add(change)


def _groups_in(node: ir.Function) -> frozenset[str]:
    """The variables of a method that hold a group of `self.param_groups`."""
    found: set[str] = set()
    for s in statements_of(node.body):
        if isinstance(s, ir.For):
            target, over = s.target, s.iterable
            if isinstance(over, ir.Call) and dotted_name(over.func) == "enumerate" and over.args:
                target = target.items[-1] if isinstance(target, ir.Display) and len(target.items) == 2 else target
                over = over.args[0]
            if isinstance(target, ir.Name) and _is_groups(over):
                found.add(target.id)
        elif isinstance(s, ir.Assign) and isinstance(s.value, ir.Index) and _is_groups(s.value.value):
            found.update(target.id for target in s.targets if isinstance(target, ir.Name))
    return frozenset(found)


def _is_groups(expr: ir.Expr) -> bool:
    return dotted_name(expr) == "self.param_groups"


def _items_read(node: ir.Function) -> dict[str, frozenset[object]]:
    """The constant keys that a function reads, or asks for, of each variable."""
    found: dict[str, set[object]] = {}
    for s in statements_of(node.body):
        written = s.targets if isinstance(s, ir.Assign) else ()
        for e in expressions(own_expressions(s)):
            if isinstance(e, ir.Index) and not any(e is target for target in written):
                if isinstance(e.value, ir.Name) and isinstance(e.index, ir.Const):
                    found.setdefault(e.value.id, set()).add(e.index.value)
            elif isinstance(e, ir.Compare) and isinstance(e.left, ir.Const) and e.ops[0] in ("in", "not in"):
                found.setdefault(dotted_name(e.rights[0]), set()).add(e.left.value)
    return {name: frozenset(keys) for name, keys in found.items()}


def _states_in(node: ir.Function) -> frozenset[str]:
    """The variables of a method that hold an item of `self.state`."""
    found: set[str] = set()
    for s in statements_of(node.body):
        if isinstance(s, ir.Assign):
            found.update(name for target in s.targets for name in _named(target, s.value))
    return frozenset(found)


def _handed(cls: ClassInfo, node: ir.Function) -> frozenset[str]:
    """The parameters of a method that other methods of its class give an item of `self.state`."""
    names = [p.name for p in node.params[1:]]
    found: set[str] = set()
    for method in cls.methods():
        states = fact(method.node, _states_in)
        for call in fact(method.node, _own_calls):
            if dotted_name(call.func) == f"self.{node.name}":
                given = [*zip(names, call.args, strict=False), *call.keywords]
                items = [(name, e) for name, e in given if _is_item(e) or (isinstance(e, ir.Name) and e.id in states)]
                found.update(name for name, _ in items if name)
    return frozenset(found)


def _own_calls(node: ir.Function) -> list[ir.Call]:
    """The calls of methods of `self` in a function."""
    calls = (e for s in statements_of(node.body) for e in expressions(own_expressions(s)) if isinstance(e, ir.Call))
    return [call for call in calls if dotted_name(call.func).startswith("self.")]


def _named(target: ir.Expr, value: ir.Expr) -> Iterator[str]:
    if isinstance(target, ir.Name) and _is_item(value):
        yield target.id
    elif isinstance(target, ir.Display) and isinstance(value, ir.Display):
        for one in target.items:  # beside a star, positions do not say which is which
            if isinstance(one, ir.Name) and "state" in one.id and any(map(_is_item, value.items)):
                yield one.id


def _is_item(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Index) and dotted_name(expr.value) == "self.state"
