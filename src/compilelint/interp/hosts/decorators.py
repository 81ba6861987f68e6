"""Decorators as a host meets them: a `def` whose decorator compiles it binds the compiled function."""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.outcomes import finish, judged
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.project.compile_calls import COMPILERS, how_of
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
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
        if not _may_compile(f, function):
            continue
        out = f.interp.call(f, function, Args([value]), decorator.pos)
        if any(isinstance(arm, Compiled) for arm in arms(out)):
            value = out
    return value


def called(f: Frame, made: FunctionRef) -> None:
    """What calling the decorators of a nested function comes to, as far as they are torch's or the library's.

    Measured on torch 2.13 and 2.15: `torch.compile(...)` without the function, `torch.compiler.disable` and
    `functools.lru_cache` end the graph at the `def`, whether the function is called or not; `torch.no_grad()`,
    `torch.vmap` and `functools.wraps` do not. Decorators of the program are followed where the function is called.

    A function that compiles a part of itself is the eager code around it, unless something says that it is compiled.
    """
    code = made.code
    if not isinstance(code, FunctionInfo):
        return
    for decorator in reversed(code.node.decorators):
        if f.state is None:
            return
        if isinstance(decorator, ir.Call) and last_name(decorator.func) == "wraps":
            continue  # the tables ask it of a module, which it changes
        if _is_guessed(f) and _steers_compiling(f, decorator):
            continue
        function = f.eval(decorator)
        if isinstance(function, External):
            outcome = judged(f.interp.facts.callable(function.name), Args([made]))
            if outcome is not None and outcome.breaks:
                finish(f, function.name, None, Args([made]), decorator.pos, outcome, made)


def _is_guessed(f: Frame) -> bool:
    """Whether nothing says that what runs here is compiled: it is a guess of a root, or called by one."""
    return f.context.root_kind in ("all", "glob", "unreached")


def _steers_compiling(f: Frame, decorator: ir.Expr) -> bool:
    callee = f.eval(decorator.func if isinstance(decorator, ir.Call) else decorator)
    if not isinstance(callee, External):
        return False
    return callee.name in COMPILERS or callee.name.startswith(("torch.compiler.", "torch._dynamo."))


def _name_of(function: Value) -> str:
    """The dotted name of a library's function."""
    if isinstance(function, Partial):
        function = function.function
    if isinstance(function, FunctionRef) and isinstance(function.code, FunctionInfo):
        return f"{function.code.module.name}.{function.code.node.qualname}"
    return function.name if isinstance(function, External) else ""


def _may_compile(f: Frame, function: Value) -> bool:
    for arm in arms(function):
        if isinstance(arm, Partial):
            arm = arm.function
        if isinstance(arm, External) and how_of(arm.name, f.interp.program.compilers):
            return True
        if isinstance(arm, FunctionRef) and isinstance(arm.code, FunctionInfo) and arm.code.module.linted:
            return True
    return False


def of_methods(f: Frame, cls: ClassInfo) -> None:
    """The methods of a class that a decorator compiles; a method that a local function stands for is run later."""
    hosts = f.interp.hosts
    hosts.classes.append(cls)
    for decorator in cls.node.decorators:
        function = f.eval(decorator)
        own = f.interp.program.compilers
        if any(how_of(name, own) == "wraps class" for name in map(_name_of, arms(function))) and f.state is not None:
            f.interp.call(f, function, Args([ClassRef(cls)]), decorator.pos)
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
