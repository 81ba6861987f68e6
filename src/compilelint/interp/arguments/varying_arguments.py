"""What a root's callers may vary so that its guards fail: numbers, texts, None, sizes, and the number of a layer.

Whether they do vary, the code does not say, so all of this is merely possible, but for arguments that a loop around
the calls of the compiled object was seen to change. Arguments are asked about where the
boundary of the compiled region is known (compiled explicitly, or every function a root), since only there are they
guarded; sizes and layer numbers everywhere. Does not belong here: state that the code changes itself (`changes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Literal

from compilelint.events import GuardedInput, InputGuard
from compilelint.interp.core.compile_calls import Changing
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.slots import Use
from compilelint.project.classes import FunctionInfo
from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import Dependence, Scalar, Value

_NOTHING: Mapping[str, Changing] = MappingProxyType({})
_BOUNDARIES = frozenset({"explicit", "all"})
_NUMBERS = frozenset({"int", "float"})


@if_judged
def tested(f: Frame, test: ir.Expr, value: Value, body: ir.Body) -> None:
    """An undecided `if` on a number that follows from sizes; one that only raises has one side that goes on."""
    if not isinstance(value, Scalar) or value.dependence is not Dependence.SHAPE:
        return
    if body and not isinstance(body[-1], ir.Raise):
        f.emit(InputGuard(f.site(test.pos), None, "size", "", ""))


def emit(
    f: Frame,
    code: FunctionInfo,
    use: Use | None,
    changed: Mapping[str, Changing] = _NOTHING,
    settled: frozenset[str] = frozenset(),
) -> None:
    """Emit the arguments of a root that its tests and loops depend on, and of layer numbers that it reads.

    `changed` are the parameters that loops around the calls of the compiled object change, `settled` those that all
    its calls pass alike: their guards hold.
    """
    if use is not None:
        owner = code.owner
        for slot, site in use.numbered.items():
            if owner is not None and slot[0] == id(owner) and owner.is_module:
                name = f"self.{slot[-1]}"
                f.interp.emit(InputGuard(site, None, "layer", name, f"{name} == 0"))
    if f.context.root_kind not in _BOUNDARIES or not f.context.linted:
        return
    kinds = {p.name: kind for p in code.node.params if p.name not in settled and (kind := _argument_kind(p))}
    for name, change in changed.items():
        if change.how == "longer":
            f.interp.emit(InputGuard(f.site(code.node.pos), None, "longer", name, f"tensor '{name}' size", change.loop))
        else:
            kinds[name] = change.how
    if not kinds:
        return
    said: set[str] = set()
    for name, how, expr in _deciding(code, kinds):
        if name not in said:
            said.add(name)
            guard = f"{name} is None" if how == "optional" else f"{name} == ..."
            loop = changed[name].loop if name in changed else None
            count = changed[name].count if name in changed else None
            f.interp.emit(InputGuard(f.site(expr.pos), None, how, name, guard, loop, count))


def _argument_kind(p: ir.Param) -> GuardedInput | Literal[""]:
    """`number`, `text`, `optional` or empty, by annotation and default."""
    annotation = p.annotation
    text = dotted_name(annotation) if isinstance(annotation, (ir.Name, ir.Attr)) else ""
    if text in _NUMBERS:
        return "number"
    if text == "str":
        return "text"
    default = p.default
    if isinstance(default, ir.Const):
        if default.value is None and (annotation is None or _mentions_tensor(annotation)):
            return "optional"
        if annotation is None and type(default.value) in (int, float):
            return "number"
        if annotation is None and isinstance(default.value, str):
            return "text"
    return ""


def _mentions_tensor(annotation: ir.Expr) -> bool:
    return any(isinstance(e, (ir.Name, ir.Attr)) and last_name(e) == "Tensor" for e in expressions([annotation]))


def _deciding(code: FunctionInfo, kinds: dict[str, GuardedInput]) -> Iterator[tuple[str, GuardedInput, ir.Expr]]:
    """Where a parameter decides which code runs, or how often."""
    rebound: set[str] = set()
    for s, _ in statements(code.node.body):
        tests = [test for test, _ in s.arms] if isinstance(s, ir.If) else [s.test] if isinstance(s, ir.While) else []
        raises = isinstance(s, ir.If) and all(body and isinstance(body[-1], ir.Raise) for _, body in s.arms)
        for e in expressions(own_expressions(s)):
            if isinstance(e, ir.IfExp):
                tests.append(e.test)
            if isinstance(e, ir.Call) and isinstance(e.func, ir.Name) and e.func.id == "range":
                for one in expressions(list(e.args)):
                    if isinstance(one, ir.Name) and kinds.get(one.id) == "number" and one.id not in rebound:
                        yield one.id, "number", one
        for test in () if raises else tests:
            for name, how in _asked(test, kinds):
                if name not in rebound:
                    yield name, how, test
        if isinstance(s, ir.Assign):
            rebound.update(t.id for t in s.targets if isinstance(t, ir.Name))


def _asked(test: ir.Expr, kinds: dict[str, GuardedInput]) -> Iterator[tuple[str, GuardedInput]]:
    for e in expressions([test]):
        if isinstance(e, ir.Compare) and len(e.ops) == 1:
            is_none = isinstance(e.rights[0], ir.Const) and e.rights[0].value is None
            for side in (e.left, e.rights[0]):
                if isinstance(side, ir.Name) and side.id in kinds:
                    how = kinds[side.id]
                    if (how == "optional") is is_none:
                        yield side.id, how
    if isinstance(test, ir.Name) and kinds.get(test.id) in ("number", "text"):
        yield test.id, kinds[test.id]
