"""What a test that came out says of the values in it: `x is not None`, `isinstance(x, T)`, `x.dim() == 2`, `if x`.

Does not belong here: how a test comes out, and what several tests together say (`truth`).
"""

from __future__ import annotations

from compilelint.interp.core.dtypes import dtype_class
from compilelint.interp.core.frame import Frame
from compilelint.interp.kinds.types import narrowed_to, types_of
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.values import (
    BOTTOM,
    NONE,
    UNKNOWN,
    BoundMethod,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Mapping,
    Scalar,
    Sequence,
    Tensor,
    Union,
    Value,
    arms,
    is_none,
    join_all,
    tensor_arm,
    truth,
)


def type_asked(test: ir.Expr) -> ir.Call | None:
    """`type(x) == list` as the `isinstance` that it implies."""
    if not (isinstance(test, ir.Compare) and len(test.ops) == 1 and test.ops[0] in ("is", "is not", "==", "!=")):
        return None
    left = test.left
    if not (isinstance(left, ir.Call) and isinstance(left.func, ir.Name) and left.func.id == "type"):
        return None
    return ir.Call(test.pos, ir.Name(test.pos, "isinstance"), (left.args[0], test.rights[0]), ()) if left.args else None


def known_truth(value: Value, wanted: bool) -> Value:
    """The part of a value that may have this truth."""
    kept = [a for a in arms(value) if truth(a) is not (not wanted)]
    return join_all(kept)


def assume_comparison(f: Frame, n: ir.Compare, taken: bool) -> None:
    """Note what one comparison that came out as `taken` says of its two sides."""
    op, left, right = n.ops[0], n.left, n.rights[0]
    if isinstance(left, ir.Const) and not isinstance(right, ir.Const):
        left, right = right, left
    positive = op in ("is", "==")
    asked = type_asked(n)
    if asked is not None:
        if positive is taken:  # of another type it may still be an instance of this one
            assume_call(f, asked, True)
        return
    if op in ("is", "is not", "==", "!=") and isinstance(right, ir.Const):
        if right.value is None:
            key = path_key(left)
            known = known_at(f, key)
            if known is not None:
                if positive is taken:
                    left_over = NONE if is_none(known) is not False else None
                    narrow(f, key, known, left_over)
                else:
                    narrow(f, key, known, _not_none(known))
        elif positive is taken:
            _assume_rank(f, left, right.value)
    elif positive is taken and isinstance(left, ir.Attr) and left.name == "dtype":
        key = path_key(left.value)
        known = known_at(f, key)
        tensor = tensor_arm(known) if known is not None else None
        if tensor is not None and known is not None:
            dtype = f.eval(right)
            if isinstance(dtype, External):
                f.here.names[key] = tensor.but(dtype=dtype_class(dtype.name)) if "." not in key else known


def _assume_rank(f: Frame, left: ir.Expr, number: object) -> None:
    """`x.dim() == 2`, `x.ndim == 2`, `len(x.shape) == 2`."""
    subject: ir.Expr | None = None
    if isinstance(left, ir.Attr) and left.name == "ndim":
        subject = left.value
    elif isinstance(left, ir.Call) and isinstance(left.func, ir.Attr) and left.func.name in ("dim", "ndimension"):
        subject = left.func.value
    elif isinstance(left, ir.Call) and isinstance(left.func, ir.Name) and left.func.id == "len" and left.args:
        inner = left.args[0]
        subject = inner.value if isinstance(inner, ir.Attr) and inner.name == "shape" else None
    if isinstance(subject, ir.Name) and type(number) is int:
        known = f.here.names.get(subject.id)
        if isinstance(known, Tensor):
            f.here.names[subject.id] = known.but(rank=number)


def assume_call(f: Frame, n: ir.Call, taken: bool) -> None:
    """Note what `isinstance(x, T)`, `callable(x)` and the like say of `x`."""
    if not n.args or not isinstance(n.func, (ir.Name, ir.Attr)):
        return
    name = n.func.id if isinstance(n.func, ir.Name) else n.func.name
    key = path_key(n.args[0])
    known = known_at(f, key)
    if known is None:
        return
    if name == "isinstance" and len(n.args) == 2:
        wanted = types_of(f.eval(n.args[1]))
        if wanted is not None:
            narrow(f, key, known, narrowed_to(known, wanted, taken, f.origin("`isinstance`", n.pos)))
    elif name == "is_tensor":
        narrow(f, key, known, narrowed_to(known, ("torch.Tensor",), taken, f.origin("`torch.is_tensor`", n.pos)))
    elif name == "callable" and taken:
        kept = join_all([a for a in arms(known) if not isinstance(a, (Tensor, Const, Scalar, Sequence, Mapping))])
        narrow(f, key, known, kept)
    elif name == "hasattr" and taken and is_none(known) is not True:
        narrow(f, key, known, _not_none(known))


def assume_types(f: Frame, subject: ir.Name, classes: list[Value]) -> None:
    """Narrow a matched name to the classes of a `case`."""
    known = f.here.names.get(subject.id)
    wanted = [types_of(c) for c in classes]
    if known is not None and all(w is not None for w in wanted):
        flat = tuple(t for w in wanted if w is not None for t in w)
        narrow(f, subject.id, known, narrowed_to(known, flat, True, f.origin("`case`", subject.pos)))


def path_key(n: ir.Expr) -> str:
    """The key of `x`, `x.y` or `x["k"]` in the state of a frame; empty for what has none."""
    if isinstance(n, ir.Walrus):
        return n.name
    if isinstance(n, ir.Index) and isinstance(n.index, ir.Const):
        base = dotted_name(n.value)
        return f"{base}[{n.index.value!r}]" if base else ""
    return dotted_name(n)


def known_at(f: Frame, key: str) -> Value | None:
    """What is believed about a variable or a path; None where narrowing would have nothing to hold on to."""
    if not key or f.state is None:
        return None
    if "." not in key and "[" not in key:
        return f.state.names.get(key)
    known = f.state.paths.get(key)
    if known is not None:
        return known
    if "[" in key:
        base, _, item = key[:-1].rpartition("[")
        return _item(known_at(f, base), item)
    base, _, name = key.rpartition(".")
    owner = known_at(f, base)
    return None if owner is None else f.interp.peek(f, owner, name)


def _item(container: Value | None, item: str) -> Value:
    """What lies under a constant key, given by its text."""
    if isinstance(container, Mapping):
        for key, value in (*container.entries, *container.maybe):
            if repr(key) == item:
                return value
        return UNKNOWN if container.element is BOTTOM else container.element
    return UNKNOWN


def narrow(f: Frame, key: str, known: Value, value: Value | None) -> None:
    """Hold `value` to stand at a key from here on; the line is not reached where it is None."""
    if value is None or value is BOTTOM:
        f.state = None
    elif value is not known and f.state is not None:
        target = f.state.paths if "." in key or "[" in key else f.state.names
        target[key] = value


def _not_none(value: Value) -> Value | None:
    if isinstance(value, Const) and value.value is None:
        return None
    if isinstance(value, Union):
        return join_all([a for a in value.arms if not (isinstance(a, Const) and a.value is None)])
    return value


def truthy(value: Value) -> Value | None:
    """What of a value may be true; None where nothing may."""
    kept = [a for a in arms(value) if truth(a) is not False]
    return join_all(kept) if kept else None


_ALWAYS_TRUE = (FunctionRef, ClassRef, BoundMethod)


def falsy(value: Value) -> Value | None:
    """What of a value may be false; None where nothing may."""
    kept = [a for a in arms(value) if truth(a) is not True and not isinstance(a, _ALWAYS_TRUE)]
    return join_all(kept) if kept else None
