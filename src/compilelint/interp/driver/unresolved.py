"""Compile calls of which it is not known what they compile: those that no host met, and why in words.

The words come from the source around the call: where the name that is compiled comes from. They are a hint to the
reader, not a proof, so they say only what stands there: a parameter, the result of a call, an attribute, a loop.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from compilelint.interp.driver.hosting import words_of
from compilelint.project.classes import ModuleInfo
from compilelint.project.compile_calls import KEYWORDS, CompileCall, how_of, imports_torch
from compilelint.project.index import Program
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import dotted_name, last_name, statements_of
from compilelint.values import External, Unknown

IN_PLACE = "torch.nn.Module.compile"
_UNMET = "no code that runs reaches it"
_GIVEN = ("model", "mod", "f", "fn")  # keywords for what is compiled


def unmet(program: Program, hosting: Iterable[ModuleInfo], known: Container[tuple[int, int]]) -> Iterator[CompileCall]:
    """Compile calls and decorators that no host has reached: dead code, or beyond the bounds.

    `known` holds the places that hosts have evaluated: the module's IR by identity, and the position in it.
    """
    for module in hosting:
        in_place = imports_torch(module)
        for s, _ in _statements(module.ir.body):
            for how, pos in (*_calls(program, module, s, in_place), *_decorators(program, module, s)):
                if (id(module.ir), pos) not in known:
                    yield CompileCall(module.ir.location(pos), how, (), _UNMET)


def _calls(program: Program, module: ModuleInfo, s: ir.Stmt, in_place: bool) -> Iterator[tuple[str, int]]:
    for call in expressions(own_expressions(s)):
        if not isinstance(call, ir.Call) or last_name(call.func) not in words_of(program):
            continue
        if call.args or any(name in _GIVEN for name, _ in call.keywords):
            name = _compiler(program, module, call.func)
            if name and _compiles(name):
                yield name, call.pos
        elif in_place and _is_in_place(program, module, call):
            yield IN_PLACE, call.pos


def _decorators(program: Program, module: ModuleInfo, s: ir.Stmt) -> Iterator[tuple[str, int]]:
    for decorator in s.decorators if isinstance(s, (ir.Function, ir.Class)) else ():
        asked = decorator.func if isinstance(decorator, ir.Call) else decorator
        if isinstance(decorator, ir.Call) and decorator.args and last_name(asked) == "partial":
            asked = decorator.args[0]
        elif isinstance(decorator, ir.Call) and decorator.args and "optimize" not in last_name(asked):
            continue  # the decorator is made of what it is given: a call like any other
        name = _compiler(program, module, asked)
        if name and not name.startswith("torch.onnx."):
            yield name, decorator.pos


def _compiler(program: Program, module: ModuleInfo, func: ir.Expr) -> str:
    """The canonical name of what compiles; empty for anything else."""
    meaning = program.resolve(module, func)
    return meaning.name if isinstance(meaning, External) and how_of(meaning.name, program.compilers) else ""


def _is_in_place(program: Program, module: ModuleInfo, call: ir.Call) -> bool:
    """Whether it reads like `model.compile(...)` on something that only a run would know."""
    func = call.func
    if not isinstance(func, ir.Attr) or func.name != "compile" or any(n not in KEYWORDS for n, _ in call.keywords if n):
        return False
    return isinstance(program.resolve(module, func.value) or Unknown(), Unknown)


def _compiles(name: str) -> bool:
    """Whether the first argument is what is compiled, not a backend."""
    return "optimize" not in name and not name.startswith("torch.onnx.")


# ------------------------------------------------------------------- reasons


def reason(module: ModuleInfo, pos: int) -> str:
    """Why it is not known what the compile call at a place is given, as far as the source around it says."""
    call, around = fact(module.ir, _calls_placed).get(pos, (None, ()))
    given = None if call is None else _given(call)
    return _of(given, around, pos) if given is not None else _PLAIN


def _calls_placed(module: ir.Module) -> dict[int, tuple[ir.Call, tuple[ir.Function, ...]]]:
    """The calls of a file, the first at each place, with the functions around them."""
    found: dict[int, tuple[ir.Call, tuple[ir.Function, ...]]] = {}
    for s, around in _statements(module.body):
        for call in expressions(own_expressions(s)):
            if isinstance(call, ir.Call):
                found.setdefault(call.pos, (call, around))
    return found


_PLAIN = "its argument is unknown"


def _given(call: ir.Call) -> ir.Expr | None:
    """The expression for what is compiled."""
    if call.args:
        return call.args[0]
    for name, value in call.keywords:
        if name in _GIVEN:
            return value
    func = call.func
    return func.value if isinstance(func, ir.Attr) and func.name == "compile" else None


def _of(given: ir.Expr, around: tuple[ir.Function, ...], pos: int) -> str:
    """A sentence on one expression in functions, the innermost last."""
    if isinstance(given, ir.Name):
        for function in reversed(around):
            found = _in_function(given.id, function, pos)
            if found:
                return found
        return f"what `{given.id}` holds is not known"
    if isinstance(given, ir.Attr):
        dotted = dotted_name(given)
        return f"what `{dotted}` holds is not known" if dotted else f"what `.{given.name}` holds is not known"
    if isinstance(given, ir.Call):
        return f"what {_shown(given)} returns is not known"
    return _PLAIN


def _in_function(name: str, function: ir.Function, pos: int) -> str:
    """Where a name of a function comes from before a place: its last binding in the text; empty if it has none."""
    last: ir.Stmt | None = None
    for s in statements_of(function.body):
        if s.pos >= pos or _holds(s, pos):
            break
        if any(_binds(target, name) for target in _targets(s)):
            last = s
    if isinstance(last, ir.For):
        return f"what `{name}` runs over is not known"
    if isinstance(last, (ir.Assign, ir.AnnAssign)) and isinstance(last.value, ir.Call):
        return f"`{name}` comes from {_shown(last.value)}, and what that returns is not known"
    if last is not None:
        return f"what `{name}` holds is not known"
    if any(p.name == name for p in function.params):
        return f"`{name}` is a parameter of `{function.name}`, and what callers pass is not known"
    return ""


def _holds(s: ir.Stmt, pos: int) -> bool:
    return any(e.pos == pos for e in expressions(own_expressions(s)))


def _targets(s: ir.Stmt) -> tuple[ir.Expr, ...]:
    if isinstance(s, ir.Assign):
        return s.targets
    if isinstance(s, (ir.AnnAssign, ir.For)):
        return (s.target,)
    if isinstance(s, ir.With):
        return tuple([target for _, target in s.items if target is not None])
    return ()


def _binds(target: ir.Expr, name: str) -> bool:
    if isinstance(target, ir.Display):
        return any(_binds(one, name) for one in target.items)
    return isinstance(target, ir.Name) and target.id == name


def _shown(call: ir.Call) -> str:
    """A call as a reader finds it: ``build(...)`` in backticks, or in words where the callee is no dotted name."""
    name = dotted_name(call.func)
    if name:
        return f"`{name}(...)`"
    return f"a call of `.{last_name(call.func)}`" if last_name(call.func) else "a call"


def _statements(body: ir.Body) -> Iterator[tuple[ir.Stmt, tuple[ir.Function, ...]]]:
    """Every statement with the functions around it, nested functions and classes included."""
    bodies: list[tuple[ir.Body, tuple[ir.Function, ...]]] = [(body, ())]
    while bodies:
        inside, around = bodies.pop()
        for s in statements_of(inside):
            yield s, around
            if isinstance(s, ir.Function):
                bodies.append((s.body, (*around, s)))
            elif isinstance(s, ir.Class):
                bodies.append((s.body, around))
