"""`module.eval()`, `module.train(...)` and `module.training = ...` in the region: Dynamo guards the flag it read.

A module is in training when it is made; what its constructor puts to evaluation is not. The flag counts as read where
the layer was called, or asked for it, above the place that switches it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.slots import Change, Slot
from compilelint.interp.effects.state_slots import doubted, in_training, use_of
from compilelint.project.classes import CONSTRUCTORS, ClassInfo, FunctionInfo
from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.values import FALSE, TRUE, Const, Instance, Object, Sequence, Value, arms

if TYPE_CHECKING:
    from compilelint.interp.core.args import Args
    from compilelint.interp.core.frame import Frame

_ASKS = tuple(
    """
    Dropout AlphaDropout FeatureAlphaDropout BatchNorm InstanceNorm SyncBatchNorm RReLU Multihead Transformer RNN LSTM
    GRU
    """.split()
)
_EVERY = frozenset({"modules", "children", "named_modules", "named_children"})
_CONTAINERS = ("Sequential", "ModuleList", "ModuleDict")


@if_judged
def called(f: Frame, n: ir.Call, args: Args) -> None:
    """`self.drop.eval()`, `self.body.train(False)`."""
    func = n.func
    if not isinstance(func, ir.Attr) or func.name not in ("eval", "train"):
        return
    if func.name == "eval":
        to: Value = FALSE
    else:
        to = args.get(0, "mode") or TRUE
        if n.args and isinstance(n.args[0], ir.Unary) and n.args[0].op == "not":
            to = FALSE  # of a module in training
    switched(f, func.value, to, n.pos)


def switched(f: Frame, module: ir.Expr, to: Value, pos: int) -> None:
    """The flag of the module that an expression names is set."""
    path = dotted_name(module)
    function, owner = f.function, f.owner
    every = isinstance(module, ir.Name) and _goes_through(f, module.id)
    if every:
        path = f.self_name
    if f.modes.silent or f.state is None or function is None or not isinstance(owner, ClassInfo) or not f.self_name:
        return
    if not owner.is_module or not (path == f.self_name or path.startswith(f"{f.self_name}.")):
        return
    if not isinstance(to, Const) or not isinstance(to.value, bool):
        return
    slot: Slot = (id(owner), path.removeprefix(f.self_name), "training")
    use = use_of(f)
    conditional = f.around.conditional > 0
    if not conditional:
        use.changes.pop(slot, None)
    if not (every or _held_asks(f, module)) or not looked_at(function, owner, f.self_name, path, pos):
        return
    use.reads.add(slot)
    tested = bool(f.around.tests) and all(_asks(test, path) for test, _ in f.around.tests)
    use.add(
        Change(
            slot,
            f"{path}.training",
            "self",
            "write",
            f.site(pos),
            to,
            Const(not _made_for_evaluation(owner, path.removeprefix(f"{f.self_name}."))),
            conditional=conditional,
            doubted=doubted(f),
            tested=tested,
            training=in_training(f) and not tested,
        )
    )


def _goes_through(f: Frame, name: str) -> bool:
    """Whether a loop at work takes a name through all modules of the object: `for m in self.modules(): m.eval()`."""
    function = f.function
    if function is None or not f.self_name:
        return False
    for s, _ in statements(function.node.body):
        if isinstance(s, ir.For) and isinstance(s.iterable, ir.Call) and isinstance(s.iterable.func, ir.Attr):
            targets = s.target.items if isinstance(s.target, ir.Display) else (s.target,)
            method, holder = s.iterable.func.name, dotted_name(s.iterable.func.value)
            named = any(isinstance(one, ir.Name) and one.id == name for one in targets)
            if named and holder == f.self_name and method in _EVERY:
                return True
    return False


def _held_asks(f: Frame, module: ir.Expr) -> bool:
    """Whether what is switched looks at its flag when it is called: no linear layer does."""
    modes, f.modes = f.modes, f.modes.silenced
    try:
        held = f.eval(module)
    finally:
        f.modes = modes
    return any(map(_value_asks, arms(held)))


def _value_asks(value: Value) -> bool:
    if isinstance(value, Object):
        return isinstance(value.cls, ClassInfo) and value.cls.is_module
    if not isinstance(value, Instance) or not value.name.startswith("torch.nn."):
        return False
    name = value.name.rpartition(".")[2]
    if name in _CONTAINERS:
        held = next((one for _, one in value.state if isinstance(one, Sequence)), None)
        return held is None or any(_value_asks(arm) for one in held.items or (held.element,) for arm in arms(one))
    return name.startswith(_ASKS)


def looked_at(function: FunctionInfo, owner: ClassInfo, self_name: str, path: str, pos: int) -> bool:
    """Whether the flag is read above a place: the module is called there, in a method called there, or asked."""
    for e in _above(function, pos):
        if _asks(e, path) or _calls(e, path):
            return True
        if isinstance(e, ir.Call) and isinstance(e.func, ir.Attr) and dotted_name(e.func.value) == self_name:
            method = owner.method(e.func.name)
            if (
                method is not None
                and method is not function
                and any(_calls(inner, path) for inner in _above(method, None))
            ):
                return True
    return False


def _above(function: FunctionInfo, pos: int | None) -> Iterator[ir.Expr]:
    for s, _ in statements(function.node.body):
        for e in expressions(own_expressions(s)):
            if pos is None or e.pos < pos:
                yield e


def _calls(e: ir.Expr, path: str) -> bool:
    """Whether an expression calls the module, or, of the object itself, one of its layers."""
    if not isinstance(e, ir.Call):
        return False
    name = dotted_name(e.func)
    return name == path or ("." not in path and name.startswith(f"{path}.") and not name.endswith((".eval", ".train")))


def _asks(e: ir.Expr, path: str) -> bool:
    return any(
        isinstance(one, ir.Attr) and one.name == "training" and dotted_name(one.value) == path
        for one in expressions([e])
    )


def _made_for_evaluation(owner: ClassInfo, name: str) -> bool:
    """Whether a constructor puts the layer, or the whole module, to evaluation."""
    for method in owner.methods():
        if method.node.name not in CONSTRUCTORS:
            continue
        for s, _ in statements(method.node.body):
            for e in expressions(own_expressions(s)):
                if isinstance(e, ir.Call) and isinstance(e.func, ir.Attr) and e.func.name == "eval":
                    target = dotted_name(e.func.value)
                    stored = isinstance(s, ir.Assign) and any(
                        isinstance(t, ir.Attr) and t.name == name for t in s.targets
                    )
                    if stored or target.partition(".")[2] in (name, ""):
                        return True
    return False
