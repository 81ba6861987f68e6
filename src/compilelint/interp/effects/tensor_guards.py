"""What a guard on a kept tensor would see changed that its abstract value does not hold: width of a dtype, gradients.

Both are read off the source: the cast that stands outermost in what is stored, and whether the way from a parameter to
it is free of what cuts the gradient off. Does not belong here: dtype classes, sizes and layouts (`replaced_state`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from compilelint.events import StateHow
from compilelint.interp.text.assigned import assigned_in
from compilelint.model import Doubt
from compilelint.project.classes import CONSTRUCTORS, ClassInfo
from compilelint.survey.scopes import expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import Instance, Source, Value, arms, tensor_arm

if TYPE_CHECKING:
    from compilelint.interp.core.frame import Frame

_CASTS = {"half": "float16", "bfloat16": "bfloat16", "double": "float64", "float": "float32"}
_CASTS |= {"int": "int32", "long": "int64", "short": "int16", "char": "int8", "bool": "bool"}
_KEEPS = frozenset({"detach", "clone", "contiguous", "requires_grad_"})
_ROWWISE = frozenset({"tanh", "sigmoid", "relu", "gelu", "silu", "softmax", "exp", "lerp", "clamp"})
_ROWWISE_LAYERS = frozenset({"Linear", "RNNCell", "GRUCell", "Tanh", "Sigmoid", "ReLU", "GELU", "LayerNorm"})
_FACTORIES = frozenset({"zeros", "ones", "empty", "rand", "randn"})
_CUTS = frozenset(
    """
    detach data item tolist argmax argmin argsort numpy shape size long int bool bernoulli multinomial one_hot no_grad
    isnan isinf eq ne gt ge lt le sign round floor ceil zeros_like ones_like empty_like rand_like randn_like
    """.split()
)
_PARAMETERLESS = frozenset(
    """
    Dropout ReLU Tanh GELU SiLU Sigmoid Softmax LogSoftmax Identity ELU LeakyReLU Mish Hardswish SELU Softplus Flatten
    MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d Upsample Unfold Fold
    """.split()
)


def fails(
    f: Frame, cls: object, name: str, initial: Value | None, rhs: ir.AugAssign | ir.Expr | None, pos: int
) -> StateHow | Literal[""]:
    """How a tensor that is stored under a name fails the guard on the one that was there; empty where it does not."""
    if initial is None or tensor_arm(initial) is None:
        return ""
    if isinstance(cls, ClassInfo) and (recast(f, cls, name, rhs) or filled(cls, name, rhs) or resized(f, name, rhs)):
        return "reshapes"
    if aliased(f, rhs):
        return "aliases"
    return "gains-gradient" if gains_gradient(f, initial, rhs, pos) else ""


def recast(f: Frame, cls: ClassInfo, name: str, rhs: ir.AugAssign | ir.Expr | None) -> bool:
    """Whether a tensor is stored with another width than its constructor gave it."""
    if rhs is None or isinstance(rhs, ir.AugAssign):
        return False
    before = next((width for stored in constructed(cls, name) if (width := _made_width(stored))), "")
    after = _width(rhs)
    return bool(after) and bool(before) and before != after


def doubtful(f: Frame, cls: object, name: str, rhs: ir.AugAssign | ir.Expr | None, pos: int) -> Doubt | None:
    """Why a tensor that is stored under a name most likely fails the guard, what the caller gives deciding."""
    if widened(f, cls, name, rhs, pos):
        return Doubt.ROWS_OF_THE_CALLER
    double = isinstance(cls, ClassInfo) and any(_made_width(one) == "float64" for one in constructed(cls, name))
    cast = rhs is not None and not isinstance(rhs, ir.AugAssign) and _follows_an_argument(f, rhs)
    return Doubt.DTYPE_OF_THE_CALLER if double and cast else None


def _follows_an_argument(f: Frame, rhs: ir.Expr) -> bool:
    """`self.table.to(x.dtype)`, `.type_as(x)`: models are hardly ever given double precision."""
    while isinstance(rhs, ir.Call) and isinstance(rhs.func, ir.Attr) and rhs.func.name in _KEEPS:
        rhs = rhs.func.value
    if not isinstance(rhs, ir.Call) or last_name(rhs.func) not in ("to", "type", "type_as") or f.function is None:
        return False
    given = [*rhs.args, *(value for key, value in rhs.keywords if key == "dtype")]
    names = {p.name for p in f.function.node.params} - {f.self_name}
    return any(dotted_name(one).removesuffix(".dtype") in names for one in given)


def filled(cls: ClassInfo, name: str, rhs: ir.AugAssign | ir.Expr | None) -> bool:
    """Whether a tensor that was made without elements (`torch.empty(0, 4)`) is replaced by another."""
    empty = any(
        isinstance(e, ir.Call)
        and last_name(e.func) in _FACTORIES
        and any(isinstance(one, ir.Const) and type(one.value) is int and one.value == 0 for one in e.args)
        for e in constructed(cls, name)
    )
    return empty and rhs is not None and not isinstance(rhs, ir.AugAssign) and not _made_width(rhs)


def resized(f: Frame, name: str, rhs: ir.AugAssign | ir.Expr | None) -> bool:
    """Whether an attribute is cut or padded into itself: `self.rest = self.rest[1:]`, `F.pad(self.track, (0, 1))`."""
    own = f"{f.self_name}.{name}"
    if isinstance(rhs, ir.Index) and isinstance(rhs.index, ir.Slice):
        cut = rhs.index
        first = isinstance(cut.lower, ir.Const) and cut.upper is None
        last = cut.lower is None and isinstance(cut.upper, ir.Unary) and cut.upper.op == "-"
        return dotted_name(rhs.value) == own and cut.step is None and (first or last)
    padded = isinstance(rhs, ir.Call) and last_name(rhs.func) == "pad" and bool(rhs.args)
    return padded and isinstance(rhs, ir.Call) and dotted_name(rhs.args[0]) == own


def widened(f: Frame, cls: object, name: str, rhs: ir.AugAssign | ir.Expr | None, pos: int) -> bool:
    """Whether a tensor that was made with one row (`torch.zeros(1, 8)`) is replaced by one with a row for each of an
    argument's: `self.state = torch.tanh(x + self.state)`. What reduces the argument first keeps the row.
    """
    if rhs is None or f.function is None or not isinstance(cls, ClassInfo):
        return False
    made = list(constructed(cls, name))
    if not made or not all(map(_has_one_row, made)):
        return False
    names = {p.name for p in f.function.node.params} - {f.self_name}
    first = rhs.value if isinstance(rhs, ir.AugAssign) else rhs
    return _spreads(f, first, names, pos, set())


def _has_one_row(e: ir.Expr) -> bool:
    if not isinstance(e, ir.Call) or last_name(e.func) not in _FACTORIES or not e.args:
        return False
    sizes = e.args[0].items if isinstance(e.args[0], ir.Display) else e.args
    return len(sizes) > 1 and isinstance(sizes[0], ir.Const) and sizes[0].value == 1


def _spreads(f: Frame, e: ir.Expr, names: set[str], pos: int, seen: set[str]) -> bool:
    """Whether an argument enters elementwise, or through a layer, and nothing takes its rows together."""
    if isinstance(e, ir.Name):
        if e.id in seen:
            return False
        seen.add(e.id)
        found = [value for at, value in assigned_in(f).get(e.id, ()) if at < pos]
        return e.id in names if not found else any(_spreads(f, one, names, pos, seen) for one in found)
    if isinstance(e, (ir.Binary, ir.Unary, ir.IfExp)):
        return any(_spreads(f, one, names, pos, seen) for one in _parts(e))
    if not isinstance(e, ir.Call):
        return False
    if isinstance(e.func, ir.Attr) and e.func.name in _KEEPS:
        return _spreads(f, e.func.value, names, pos, seen)
    called = last_name(e.func)
    layer = called in _ROWWISE or any(
        isinstance(arm, Instance) and arm.name.rpartition(".")[2] in _ROWWISE_LAYERS
        for arm in arms(_silently(f, e.func))
    )
    return layer and any(_spreads(f, one, names, pos, seen) for one in e.args)


def _width(e: ir.Expr) -> str:
    """The dtype that the outermost cast of an expression names; for a sum or product the widest that is named."""
    if isinstance(e, ir.Binary):
        return "float64" if "float64" in (_width(e.left), _width(e.right)) else ""
    if not isinstance(e, ir.Call) or not isinstance(e.func, ir.Attr):
        return ""
    name = e.func.name
    if name in _KEEPS:
        return _width(e.func.value)
    if name in _CASTS and not e.args:
        return _CASTS[name]
    return _dtype_named(e) if name in ("to", "type") else ""


def _dtype_named(call: ir.Call) -> str:
    """The dtype among the arguments of a call: `torch.int8`."""
    given = [*call.args, *(value for key, value in call.keywords if key == "dtype")]
    for one in given:
        name = dotted_name(one)
        if name.startswith("torch.") and name.count(".") == 1:
            last = name.removeprefix("torch.")
            return {"float": "float32", "double": "float64", "half": "float16", "long": "int64"}.get(last, last)
    return ""


def _made_width(e: ir.Expr) -> str:
    """The dtype of what a factory of torch makes: as its argument says, else the default."""
    if not isinstance(e, ir.Call):
        return ""
    if last_name(e.func) not in _FACTORIES:
        return _width(e)
    given = [value for key, value in e.keywords if key == "dtype"]
    return _dtype_named(e) if given else "float32"


def constructed(cls: ClassInfo, name: str) -> Iterator[ir.Expr]:
    """What the constructors of a class store under a name, registered buffers among it."""
    for c in cls.mro:
        for method in c.methods() if isinstance(c, ClassInfo) else ():
            if method.node.name in CONSTRUCTORS:
                yield from fact(method.node, _stored).get(name, ())


def _stored(node: ir.Function) -> dict[str, list[ir.Expr]]:
    """What a constructor stores in attributes and registers as buffers, by name, in the order of the text."""
    found: dict[str, list[ir.Expr]] = {}
    for s, _ in statements(node.body):
        if isinstance(s, ir.Assign):
            for name in dict.fromkeys(t.name for t in s.targets if isinstance(t, ir.Attr)):
                found.setdefault(name, []).append(s.value)
        elif isinstance(s, ir.ExprStmt) and isinstance(s.value, ir.Call):
            call = s.value
            first = call.args[0] if last_name(call.func) == "register_buffer" and len(call.args) > 1 else None
            if isinstance(first, ir.Const) and isinstance(first.value, str):
                found.setdefault(first.value, []).append(call.args[1])
    return found


# -------------------------------------------------------------------- gradients


def gains_gradient(f: Frame, initial: Value | None, rhs: ir.AugAssign | ir.Expr | None, pos: int) -> bool:
    """Whether a tensor that needs no gradient is replaced by one that a parameter leads to."""
    held = None if initial is None else tensor_arm(initial)
    if held is None or held.source in (Source.PARAMETER, Source.INPUT) or held.array or f.function is None:
        return False
    if held.dtype in ("int", "bool") or f.function.decorated("no_grad", "inference_mode") or _under_no_grad(f, pos):
        return False
    if _frozen(f):
        return False
    first = rhs.value if isinstance(rhs, ir.AugAssign) else rhs
    return first is not None and _from_parameter(f, first, pos, set())


def _from_parameter(f: Frame, e: ir.Expr, pos: int, seen: set[str]) -> bool:
    if isinstance(e, ir.Name):
        if e.id in seen:
            return False
        seen.add(e.id)
        return any(_from_parameter(f, value, at, seen) for at, value in assigned_in(f).get(e.id, ()) if at < pos)
    if isinstance(e, ir.Attr):
        return e.name not in _CUTS and _is_parameter(f, e)
    if isinstance(e, ir.Call):
        if last_name(e.func) in _CUTS:
            return False
        if _is_layer(f, e.func):
            return True
        inside = (*e.args, *(value for _, value in e.keywords))
        receiver = (e.func.value,) if isinstance(e.func, ir.Attr) else ()
        return any(_from_parameter(f, one, pos, seen) for one in (*receiver, *inside))
    if isinstance(e, ir.Compare):
        return False
    if isinstance(e, ir.Index):
        return _from_parameter(f, e.value, pos, seen)
    return any(_from_parameter(f, one, pos, seen) for one in _parts(e))


def _parts(e: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(e, ir.Binary):
        yield from (e.left, e.right)
    elif isinstance(e, ir.Unary):
        yield e.operand
    elif isinstance(e, ir.IfExp):
        yield from (e.then, e.other)
    elif isinstance(e, ir.Display):
        yield from e.items


def _is_parameter(f: Frame, e: ir.Attr) -> bool:
    found = tensor_arm(_silently(f, e))
    return found is not None and found.source is Source.PARAMETER


def _is_layer(f: Frame, e: ir.Expr) -> bool:
    """Whether a call runs a layer of torch with parameters."""
    if not dotted_name(e).startswith(f"{f.self_name}.") or not f.self_name:
        return False
    return any(
        isinstance(arm, Instance)
        and arm.name.startswith("torch.nn.")
        and arm.name.rpartition(".")[2] not in _PARAMETERLESS
        for arm in arms(_silently(f, e))
    )


def _silently(f: Frame, e: ir.Expr) -> Value:
    modes, f.modes = f.modes, f.modes.silenced
    try:
        return f.eval(e)
    finally:
        f.modes = modes


def _frozen(f: Frame) -> bool:
    """Whether the class of the method switches gradients off anywhere."""
    owner = f.owner
    if not isinstance(owner, ClassInfo):
        return False
    for method in owner.methods():
        for s, _ in statements(method.node.body):
            if isinstance(s, ir.Assign) and any(
                isinstance(t, ir.Attr) and t.name == "requires_grad" for t in s.targets
            ):
                return True
            if isinstance(s, ir.ExprStmt) and any(
                isinstance(e, ir.Call) and last_name(e.func) in ("requires_grad_", "freeze")
                for e in expressions([s.value])
            ):
                return True
    return False


def _under_no_grad(f: Frame, pos: int) -> bool:
    """Whether an assignment in the function lies in `with torch.no_grad():`; `pos` is its place, or its target's."""
    assert f.function is not None
    for s, around in statements(f.function.node.body):
        targets = s.targets if isinstance(s, ir.Assign) else (s.target,) if isinstance(s, ir.AugAssign) else ()
        if s.pos == pos or any(t.pos == pos for t in targets):
            return any(isinstance(block, ir.With) and _switches_off(block) for block in around)
    return False


def _switches_off(block: ir.With) -> bool:
    entered = [e.func if isinstance(e, ir.Call) else e for e, _ in block.items]
    return any(last_name(e) in ("no_grad", "inference_mode") for e in entered)


def aliased(f: Frame, rhs: ir.AugAssign | ir.Expr | None) -> bool:
    """Whether what is stored is the very tensor that another attribute holds: `self.target = self.online`."""
    if not isinstance(rhs, ir.Attr) or not f.self_name or not dotted_name(rhs).startswith(f"{f.self_name}."):
        return False
    found = tensor_arm(_silently(f, rhs))
    return found is not None and rhs.name not in ("data", "T", "mT") and found.source is not Source.COMPUTED
