"""Decorators as a host meets them: a `def` whose decorator compiles it binds the compiled function."""

from __future__ import annotations

from compilelint.interp.compilers import COMPILERS
from compilelint.interp.frame import Args, Frame
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.values import ClassRef, Compiled, External, FunctionRef, Object, Partial, Value, arms


def decorated(f: Frame, made: FunctionRef) -> Value:
    """What a name is bound to once its decorators have been called, as far as they compile; else the function."""
    code = made.code
    if not isinstance(code, FunctionInfo) or not code.node.decorators:
        return made
    value: Value = made
    for decorator in reversed(code.node.decorators):
        if f.state is None:
            break
        function = f.eval(decorator)
        if not _may_compile(function):
            continue
        out = f.interp.call(f, function, Args([value]), decorator.pos)
        if any(isinstance(arm, Compiled) for arm in arms(out)):
            value = out
    return value


def _may_compile(function: Value) -> bool:
    for arm in arms(function):
        if isinstance(arm, Partial):
            arm = arm.function
        if isinstance(arm, External) and arm.name in COMPILERS:
            return True
        if isinstance(arm, FunctionRef) and isinstance(arm.code, FunctionInfo) and arm.code.module.linted:
            return True
    return False


def of_methods(f: Frame, cls: ClassInfo) -> None:
    """The methods of a class that a decorator compiles; a method that a local function stands for is run later."""
    hosts = f.interp.hosts
    hosts.classes.append(cls)
    for s in cls.node.body:
        if isinstance(s, (ir.Assign, ir.AnnAssign, ir.ExprStmt)) and s.value is not None and f.state is not None:
            f.eval(s.value)
    for method in cls.methods():
        if method.node.decorators and f.state is not None:
            receiver: Value | None = Object(cls)
            if method.decorated("staticmethod"):
                receiver = None
            elif method.decorated("classmethod"):
                receiver = ClassRef(cls)
            found = decorated(f, FunctionRef(method, receiver, cls.closure))
            if not isinstance(found, FunctionRef):
                hosts.methods[id(method.node)] = found


def bases_of(f: Frame, n: ir.Class) -> tuple[ClassInfo | str | None, ...]:
    """The bases of a local class that the frame knows: classes of the program, and library classes by name."""
    out: list[ClassInfo | str | None] = []
    for expr in n.bases:
        value = f.eval(expr.value if isinstance(expr, ir.Index) else expr)
        if isinstance(value, ClassRef) and isinstance(value.cls, ClassInfo):
            out.append(value.cls)
        else:
            out.append(value.name if isinstance(value, External) else None)
    return tuple(out)
