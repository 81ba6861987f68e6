"""An `nn.Buffer` that a module is given while the region runs: a new one, or the one that it holds already.

Measured on torch 2.13 and 2.15: `nn.Module.__setattr__` asks an `nn.Buffer` whether it is persistent, and Dynamo has no
answer. What `self.b.to(x.device)` gives back is that object where nothing is to be converted; a view, a copy and what
`register_buffer` was given are plain tensors, and `self.b = self.b` is not looked at.
"""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.frame import Frame
from compilelint.model import Doubt
from compilelint.project.classes import ClassInfo
from compilelint.survey.scopes import expressions
from compilelint.syntax import ir
from compilelint.torchfacts import SyntaxForm
from compilelint.values import External, Instance, Object, Tensor, Value, arms

_ITSELF = frozenset({"contiguous"})
_CONVERTS = {"to": "", "type_as": "", "cpu": "", "float": "float", "long": "int", "bool": "bool"}
_NO_CHANGE_OF_DATA = frozenset({"requires_grad_", "detach_"})
_USUAL = ("torch.float32", "torch.float", "torch.int64", "torch.long", "torch.bool")


def assigned(f: Frame, owner: Value, value: Value, pos: int, how: str = "assign") -> None:
    """`module.name = nn.Buffer(...)`, and `module.name = module.name.to(...)` of one."""
    if not any(_is_module(arm) for arm in arms(owner)):
        return
    if any(arm is made for arm in arms(value) for made in f.buffers):
        _report(f, value, pos)
    elif how == "assign" and isinstance(f.around.rhs, ir.Call) and not f.modes.silent:
        found = _given_back(f, f.around.rhs)
        if found is not None:
            held, converted = found
            cap = f.around.cap
            f.around.cap = Doubt.CONVERTS_NOTHING.lower(cap) if converted else cap
            _report(f, held, pos)
            f.around.cap = cap


def _given_back(f: Frame, expr: ir.Expr) -> tuple[Value, bool] | None:
    """The `nn.Buffer` of a module that an expression gives, and whether by way of a conversion; None for any other."""
    converted = called = False
    while isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr):
        name = expr.func.name
        writes = name.endswith("_") and not name.startswith("_") and name not in _NO_CHANGE_OF_DATA
        if name in _CONVERTS:
            if not _may_keep(f, expr) or any(_asks_where(test) for test, _ in f.around.tests):
                return None  # behind such a test there is something to convert
            converted = True
        elif not writes and name not in _ITSELF:
            return None
        called, expr = True, expr.func.value
    if isinstance(expr, ir.Name):
        expr = f.aliases.get(expr.id, expr)
    held = _made_by_constructor(f, expr) if called and isinstance(expr, ir.Attr) else None
    return None if held is None else (held, converted)


def _asks_where(test: ir.Expr) -> bool:
    """Whether a test asks for a device or dtype."""
    return any(isinstance(e, ir.Attr) and e.name in ("device", "dtype") for e in expressions([test]))


def _may_keep(f: Frame, call: ir.Call) -> bool:
    """Whether a conversion may find nothing to do."""
    assert isinstance(call.func, ir.Attr)
    values = [*call.args, *[value for name, value in call.keywords if name == "dtype"]]
    dtypes = [v for v in (_quietly(f, e) for e in values) if isinstance(v, External) and v.name.startswith("torch.")]
    wanted = _CONVERTS[call.func.name]
    held = _quietly(f, call.func.value)
    fits = not wanted or not isinstance(held, Tensor) or held.dtype in ("", wanted)
    return fits and all(d.name in _USUAL for d in dtypes) and not any(name == "copy" for name, _ in call.keywords)


def _made_by_constructor(f: Frame, expr: ir.Attr) -> Value | None:
    """What a constructor stored under the attribute, where that is an `nn.Buffer`."""
    for arm in arms(_quietly(f, expr.value)):
        if isinstance(arm, Object) and isinstance(arm.cls, ClassInfo):
            initial = f.interp.initially(f, arm.cls, expr.name)
            if initial is not None and id(initial) in f.interp.buffers:
                return initial
    return None


def _quietly(f: Frame, expr: ir.Expr) -> Value:
    modes, f.modes = f.modes, f.modes.silenced
    try:
        return f.eval(expr)
    finally:
        f.modes = modes


def _is_module(owner: Value) -> bool:
    if isinstance(owner, Object):
        return isinstance(owner.cls, ClassInfo) and owner.cls.is_module
    return isinstance(owner, Instance) and owner.name.startswith("torch.nn.")


def _report(f: Frame, value: Value, pos: int) -> None:
    outcome = f.interp.facts.syntax(SyntaxForm.MODULE_SET_BUFFER)
    f.emit(events.Syntax(f.site(pos), outcome, SyntaxForm.MODULE_SET_BUFFER.value, (value,)))
    f.broken_by(outcome)
