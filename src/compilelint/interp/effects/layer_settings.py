"""`self.drop.p = ...`, `self.norm.momentum *= 0.9`: settings of torch's layers that the region changes.

A layer's numbers and flags become constants of the graph, each with a guard, where the layer is called. Measured on
2.13 and 2.15 (`benchmarks/recompiles/fresh`). Only a setting that the layer was called with above its change counts,
and of constants only one that differs from what the constructor was given, or what torch takes without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilelint.interp.core.slots import Change, Slot
from compilelint.interp.effects.attribute_writes import by_literal, operator_of
from compilelint.interp.effects.state_slots import doubted, in_training, use_of
from compilelint.interp.effects.tensor_guards import constructed
from compilelint.interp.effects.training_mode import looked_at
from compilelint.project.classes import ClassInfo
from compilelint.survey.scopes import expressions
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import Const, Instance, Scalar, Value

if TYPE_CHECKING:
    from compilelint.interp.core.frame import Frame

# Without an argument; the first argument is the setting where the name of the layer says so.
_USUAL = {"p": 0.5, "momentum": 0.1, "eps": 1e-5, "inplace": False, "negative_slope": 0.01}
_FIRST = {"p": ("Dropout", "AlphaDropout", "FeatureAlphaDropout"), "negative_slope": ("LeakyReLU",)}


def written(f: Frame, target: ir.Attr, layer: Instance, value: Value, pos: int) -> None:
    """An attribute of a layer of torch is assigned."""
    path, owner, function = dotted_name(target.value), f.owner, f.function
    if f.modes.silent or f.state is None or function is None or not isinstance(owner, ClassInfo):
        return
    if not layer.name.startswith("torch.nn.modules.") and not layer.name.startswith("torch.nn."):
        return
    if target.name not in _USUAL or not f.self_name or not path.startswith(f"{f.self_name}."):
        return
    if not looked_at(function, owner, f.self_name, path, pos):
        return
    rhs, own = f.around.rhs, f"{path}.{target.name}"
    step = isinstance(rhs, ir.AugAssign) or (
        rhs is not None and any(isinstance(e, ir.Attr) and dotted_name(e) == own for e in expressions([rhs]))
    )
    initial = _given(owner, path.removeprefix(f"{f.self_name}."), target.name)
    if initial is None:
        return
    if step:
        value = Scalar(type(initial.value).__name__)
    elif not isinstance(value, Const):
        return
    made_of = [] if rhs is None else list(expressions([rhs.value if isinstance(rhs, ir.AugAssign) else rhs]))
    slot: Slot = (id(owner), path, target.name)
    use = use_of(f)
    use.reads.add(slot)
    conditional = f.around.conditional > 0
    use.add(
        Change(
            slot,
            own,
            "self",
            "step" if step else "write",
            f.site(pos),
            value,
            initial,
            rhs.op if isinstance(rhs, ir.AugAssign) else operator_of(made_of),
            conditional=conditional,
            doubted=doubted(f),
            literal=by_literal(rhs),
            training=in_training(f),
            fails="settles" if step else "",
        )
    )


def _given(owner: ClassInfo, name: str, setting: str) -> Const | None:
    """What the constructor of a class gave a layer; None where that is no constant, or the layer is made otherwise."""
    for made in constructed(owner, name):
        if not isinstance(made, ir.Call):
            return None
        first = made.args[0] if made.args and last_name(made.func).startswith(_FIRST.get(setting, ())) else None
        given = next((value for key, value in made.keywords if key == setting), first)
        if given is None:
            return Const(_USUAL[setting])
        return Const(given.value) if isinstance(given, ir.Const) else None
    return None
