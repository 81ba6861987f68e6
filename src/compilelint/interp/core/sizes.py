"""What the sizes of a tensor say of it where a program takes them apart, and the symbols that stand for them.

A symbol is made where a size is first asked for, and means the same number as long as it is seen: what is asked again
is another symbol, unless the tensor carries it. Symbols leave no frame and no pass of a loop, in which another tensor
may stand in the same place.
"""

from __future__ import annotations

from collections.abc import Sequence as Many

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.state import State
from compilelint.model.sizes import PER_TENSOR, Symbol, of_symbol
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.values import PLAIN, Dependence, Object, Scalar, Tensor, Value, unsized


def unpacked(f: Frame, targets: Many[ir.Expr], value: ir.Expr) -> None:
    """`b, n, d = x.shape` and `= x.size()`: `x` has three dimensions, since the line raises otherwise."""
    target = targets[0]
    if not isinstance(target, ir.Display) or f.state is None or any(isinstance(one, ir.Star) for one in target.items):
        return
    owner = _owner(value)
    tensor = f.state.names.get(owner.id) if isinstance(owner, ir.Name) else None
    if isinstance(owner, ir.Name) and isinstance(tensor, Tensor) and tensor.rank in (None, len(target.items)):
        texts = [one.id if isinstance(one, ir.Name) else "" for one in target.items]
        named = tensor.but(rank=len(target.items), layout=tensor.layout, sizes=tensor.sizes)
        f.state.bind(owner.id, measured(f, named, owner.id, texts))


def asked(f: Frame, owner: ir.Expr, value: Value) -> Value:
    """A tensor whose sizes are asked for, with symbols for those that have none; the variable holds it from here on."""
    if not isinstance(value, Tensor) or f.state is None:
        return value
    found = measured(f, value, dotted_name(owner) or "_")
    if found is not value and isinstance(owner, ir.Name) and f.state.names.get(owner.id) is value:
        f.state.names[owner.id] = found
    return found


def measured(f: Frame, tensor: Tensor, text: str, texts: Many[str] = ()) -> Tensor:
    """The tensor with a symbol for every size that is not known, called as in `texts`, or `text.1`."""
    rank = tensor.rank
    if rank is None or not 0 < rank < PER_TENSOR or f.modes.silent:
        return tensor
    known = tensor.sizes or (None,) * rank
    if None not in known or len(known) != rank:
        return tensor
    base = _serial(f)
    sizes = [
        of_symbol(Symbol(base + d, _named(texts, d) or f"{text}.{d}")) if one is None else one
        for d, one in enumerate(known)
    ]
    return tensor.but(sizes=tuple(sizes))


def _named(texts: Many[str], d: int) -> str:
    return texts[d].strip("_") if texts else ""


def _serial(f: Frame) -> int:
    f.interp.symbols += PER_TENSOR
    return f.interp.symbols


def numbered(f: Frame, value: Value, text: str) -> Value:
    """A whole number that depends on no data, with a symbol of its own."""
    if value.__class__ is not Scalar or f.modes.silent:
        return value
    assert isinstance(value, Scalar)
    if value.kind != "int" or value.number is not None or value.dependence > Dependence.SHAPE:
        return value
    number = of_symbol(Symbol(_serial(f), text))
    return Scalar(value.kind, value.dependence, value.origin, value.usual, number)


def arguments(f: Frame, names: dict[str, Value]) -> dict[str, Value]:
    """What a function was called with, where numbers have symbols of its own."""
    return {name: numbered(f, value, name) for name, value in names.items()}


def setting(f: Frame, n: ir.Attr, holder: Value, value: Value) -> Value:
    """A number that the object at work was made with, `self.heads`: the same wherever this frame reads it."""
    if value.__class__ is not Scalar or not isinstance(n.value, ir.Name) or n.value.id != f.self_name:
        return value
    cls = holder.cls if isinstance(holder, Object) else None
    if not isinstance(cls, ClassInfo) or cls.stored_later(n.name):
        return value
    known = f.settings.get(n.name)
    if known is None:
        known = f.settings[n.name] = numbered(f, value, f"{n.value.id}.{n.name}")
    return known if unsized(known).key == unsized(value).key else value


def forgotten(f: Frame) -> None:
    """Forget the sizes of all tensors: one was given others in place, and several variables may hold it."""
    for name, value in (f.state.names if f.state is not None else {}).items():
        if isinstance(value, Tensor) and value.sizes is not None:
            f.here.names[name] = value.but(sizes=None)


def passed(before: State, end: State | None, since: int) -> None:
    """Forget what one pass of a loop has measured: the next measures again."""
    if end is None:
        return
    for held, old in ((end.names, before.names), (end.paths, before.paths)):
        for name, value in held.items():
            if value.__class__ not in PLAIN and value is not old.get(name):
                held[name] = unsized(value, since)


def _owner(value: ir.Expr) -> ir.Expr | None:
    """`x` of `x.shape` and `x.size()`."""
    if isinstance(value, ir.Attr) and value.name == "shape":
        return value.value
    if isinstance(value, ir.Call) and not value.args and isinstance(value.func, ir.Attr) and value.func.name == "size":
        return value.func.value
    return None
