"""The forms of a compile call without interpretation: direct, by `partial`, by a decorator, in place.

An expression compiles what it is called with if it is `torch.compile`, a `functools.partial` of it, what
`torch.compile(mode=...)` or `torch._dynamo.optimize(...)` gives, or a name bound once to one of these.
"""

from __future__ import annotations

from compilelint.project.classes import ClassInfo
from compilelint.project.compile_calls import KEYWORDS, imports_torch
from compilelint.survey.made import class_made, made_from
from compilelint.survey.scopes import Scope, argument
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.values import ClassRef

_COMPILE = "torch.compile"
_OPTIMIZE = "torch._dynamo.optimize"
_PARTIAL = "functools.partial"
_MOST_NAMES = 4  # a partial of a partial of a partial is as far as names are followed

Keywords = tuple[tuple[str | None, ir.Expr], ...]


def compiled_by(scope: Scope, call: ir.Call) -> ir.Call | None:
    """The call of `torch.compile` that a call comes to, with all keywords it gets; None if it compiles nothing."""
    keywords = compiler(scope, call.func)
    if keywords is None or argument(call, 0, "model") is None:
        return None
    whole = ir.Call(call.pos, call.func, call.args, (*keywords, *call.keywords))
    return None if _disabled(whole.keywords) else whole


def compiler(scope: Scope, expr: ir.Expr, names: int = _MOST_NAMES) -> Keywords | None:
    """The keywords that an expression compiles with what it is called with; None if it does not compile."""
    if isinstance(expr, ir.Call):
        return _made_by(scope, expr, names)
    if scope.name(expr) == _COMPILE:
        return ()
    made = made_from(scope, expr)
    return _made_by(scope, made, names - 1) if made is not None and names else None


def _made_by(scope: Scope, call: ir.Call, names: int) -> Keywords | None:
    """The same of what a call gives: a partial, or a decorator."""
    if any(isinstance(one, ir.Star) for one in call.args):
        return None
    name = scope.name(call.func)
    if name == _OPTIMIZE:
        return call.keywords
    if name == _PARTIAL:
        inner = compiler(scope, call.args[0], names) if len(call.args) == 1 else None
    else:
        inner = None if call.args else compiler(scope, call.func, names)
    if inner is None or any(key == "model" for key, _ in call.keywords):
        return None
    return (*inner, *call.keywords)


def _disabled(keywords: Keywords) -> bool:
    return any(key == "disable" and isinstance(value, ir.Const) and value.value is True for key, value in keywords)


def decorator_of(scope: Scope, function: ir.Function) -> ir.Call | None:
    """The decorator that compiles a function which a scope defines, as the call that it comes to."""
    for one in function.decorators:
        keywords = compiler(scope, one)
        if keywords is not None and not _disabled(keywords):
            return ir.Call(one.pos, one, (), keywords)
    return None


def compiled_in_place(scope: Scope, call: ir.Call) -> str:
    """What `model.compile()` compiles, as written; empty where the object is no module, or may well be none."""
    func = call.func
    if not isinstance(func, ir.Attr) or func.name != "compile" or call.args or _disabled(call.keywords):
        return ""
    key = dotted_name(func.value)
    if not key or any(name not in KEYWORDS for name, _ in call.keywords):
        return ""
    return key if _may_be_module(scope, func.value, bool(call.keywords)) else ""


def _may_be_module(scope: Scope, model: ir.Expr, asked: bool) -> bool:
    """Whether an object is a module as far as its name says: made as one, or unknown in a file that imports torch."""
    if class_made(scope, model) is not None:
        return True
    if scope.meaning(model) is not None:
        return False  # a module of Python, a class, a function
    made = made_from(scope, model)
    meaning = None if made is None else scope.meaning(made.func)
    if isinstance(meaning, ClassRef) and isinstance(meaning.cls, ClassInfo):
        return meaning.cls.is_module
    name = "" if made is None else scope.name(made.func)
    if name.startswith("torch.nn."):
        return False  # a bare library layer, of which older versions of torch compile nothing: CL806 says so
    if name and not name.startswith("torch."):
        return asked  # models of other libraries have a `compile` too
    return asked or imports_torch(scope.module)
