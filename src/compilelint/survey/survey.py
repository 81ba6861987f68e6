"""The survey: what stands outside compiled regions and decides whether compiling works at all.

A walk over the IR of the linted files, without interpretation: switches of torch, calls of `torch.compile`, and what
becomes of their results here; operators, native code and lost state have files of their own. Guarantee: nothing is
said of a name that might mean something else. Does not belong here: what happens inside a region (`interp`).
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import Event, Setting
from compilelint.project.classes import ModuleInfo
from compilelint.project.index import Program
from compilelint.survey.around import around
from compilelint.survey.compile_uses import compiles
from compilelint.survey.custom_operators import operators
from compilelint.survey.lifetimes import lifetimes
from compilelint.survey.lost_state import dropped
from compilelint.survey.optimized_modules import uses_of, wrappers_in
from compilelint.survey.scopes import Scope, Spot, argument, scopes, spots, text_of
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.values import UNKNOWN, Const, Value

_CONFIGS = ("torch._dynamo.config.", "torch.compiler.config.")
_ENVIRONMENT = frozenset({"TORCHDYNAMO_DISABLE", "TORCH_COMPILE_DISABLE", "TORCHDYNAMO_SUPPRESS_ERRORS"})


def survey(program: Program, modules: list[ModuleInfo]) -> Iterator[Event]:
    """The events of the files given, file by file; all but those of operators."""
    for module in modules:
        found = scopes(program, module)
        seen = {scope: list(spots(scope)) for scope in found}
        wrappers = [wrapper for scope in found for wrapper in wrappers_in(scope, seen[scope])]
        for scope in found:
            for spot in seen[scope]:
                yield from _settings(spot)
                yield from compiles(spot)
            yield from uses_of(wrappers, seen[scope])
            yield from lifetimes([one for one in wrappers if one.scope is scope], seen[scope])
        yield from around(seen)
        yield from dropped(found, seen)


def survey_operators(program: Program, modules: list[ModuleInfo]) -> Iterator[Event]:
    """The events of operators, which are compared across all files given."""
    read = [scopes(program, module) for module in modules]
    yield from operators(read, {scope: list(spots(scope)) for found in read for scope in found})


# -------------------------------------------------------------------- settings


def _settings(spot: Spot) -> Iterator[Event]:
    """`torch._dynamo.config.X = v`, `config.patch(X=v)`, writes of torch's environment variables, stances."""
    expr, scope, statement = spot.expr, spot.scope, spot.statement
    if isinstance(statement, ir.Assign) and expr in statement.targets:
        if isinstance(expr, ir.Attr):
            name = _dotted(scope, expr)
            if name.startswith(_CONFIGS):
                yield Setting(spot.site(), None, name, _shown_value(statement.value))
        elif isinstance(expr, ir.Index) and scope.name(expr.value) == "os.environ":
            key = text_of(expr.index)
            if key in _ENVIRONMENT:
                yield Setting(spot.site(), None, f"os.environ.{key}", _shown_value(statement.value))
    elif isinstance(expr, ir.Call):
        yield from _setting_calls(spot, expr)


def _setting_calls(spot: Spot, call: ir.Call) -> Iterator[Event]:
    last = last_name(call.func)
    if last == "patch" and isinstance(call.func, ir.Attr):
        base = _dotted(spot.scope, call.func.value) + "."
        if base in _CONFIGS:
            for name, value in _patched(call):
                yield Setting(spot.site(value), None, base + name, _shown_value(value))
    elif last in ("setdefault", "putenv"):
        key, set_to = text_of(argument(call, 0)), argument(call, 1)
        known = spot.scope.name(call.func) in ("os.environ.setdefault", "os.putenv")
        if known and key in _ENVIRONMENT and set_to is not None:
            yield Setting(spot.site(), None, f"os.environ.{key}", _shown_value(set_to))
    elif last == "set_stance" and spot.scope.name(call.func) == "torch.compiler.set_stance":
        stance = argument(call, 0, "stance")
        yield Setting(
            spot.site(), None, "torch.compiler.set_stance", UNKNOWN if stance is None else _shown_value(stance)
        )


def _patched(call: ir.Call) -> Iterator[tuple[str, ir.Expr]]:
    """Names and values of `patch(a=1)`, `patch("a", 1)` and `patch({"a": 1})`."""
    yield from ((name, value) for name, value in call.keywords if name is not None)
    first = argument(call, 0)
    if isinstance(first, ir.Const) and len(call.args) == 2:
        yield str(first.value), call.args[1]
    elif isinstance(first, ir.DictDisplay):
        for key, value in zip(first.keys, first.values, strict=True):
            if isinstance(key, ir.Const):
                yield str(key.value), value


def _dotted(scope: Scope, expr: ir.Expr) -> str:
    """The dotted name of an attribute of a library module, although no such module is loaded."""
    if isinstance(expr, ir.Attr):
        base = scope.name(expr.value)
        return f"{base}.{expr.name}" if base else ""
    return scope.name(expr)


def _shown_value(expr: ir.Expr) -> Value:
    return Const(expr.value) if isinstance(expr, ir.Const) else UNKNOWN
