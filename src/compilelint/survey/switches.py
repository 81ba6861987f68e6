"""Switches of torch in the source: configurations, environment variables, stances; and those that come too late.

A variable that torch has read before is no switch any more: it says so with the place that read it. Does not belong
here: what a switch means for a region (`interp`), or what is said of it (`checks`).
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from compilelint.events import Event, Setting
from compilelint.model import Location
from compilelint.project.classes import ModuleInfo
from compilelint.project.file_kinds import is_benchmark, is_test
from compilelint.survey.compile_uses import WRAPPING
from compilelint.survey.compiled_objects import Seen
from compilelint.survey.scopes import Scope, Spot, argument, statements, text_of
from compilelint.syntax import ir, places
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.torchfacts.switches import FUNCTION_SETTINGS
from compilelint.values import UNKNOWN, Const

_CONFIGS = ("torch._dynamo.config.", "torch.compiler.config.", "torch._inductor.config.")

# When torch reads each variable, seen with an `os.environ` that notes its readers, torch 2.13 and 2.15: the first while
# `import torch` runs, the second when `torch._dynamo` is loaded, which the first `torch.compile` does. Left out are
# those that are read again later (TORCHDYNAMO_DISABLE, TORCHINDUCTOR_CACHE_DIR, TORCH_COMPILE_DEBUG).
_READ_BY_TORCH = frozenset(
    """
    TORCH_LOGS TORCH_LOGS_OUT TORCH_LOGS_FORMAT TORCH_TRACE TORCHINDUCTOR_FORCE_DISABLE_CACHES
    TORCH_COMPILE_FORCE_DISABLE_CACHES
    """.split()
)
_READ_BY_DYNAMO = frozenset(
    """
    TORCHDYNAMO_SUPPRESS_ERRORS TORCH_COMPILE_DISABLE TORCHDYNAMO_VERBOSE TORCHINDUCTOR_FX_GRAPH_CACHE
    TORCHINDUCTOR_AUTOGRAD_CACHE TORCHINDUCTOR_MAX_AUTOTUNE TORCHINDUCTOR_MAX_AUTOTUNE_POINTWISE
    TORCHINDUCTOR_MAX_AUTOTUNE_GEMM TORCHINDUCTOR_MAX_AUTOTUNE_GEMM_BACKENDS TORCHINDUCTOR_COMPILE_THREADS
    """.split()
)
_SWITCHES = _READ_BY_TORCH | _READ_BY_DYNAMO | {"TORCHDYNAMO_DISABLE"}
_KERNELS = frozenset(
    {"torch.nn.attention.flex_attention.flex_attention", "torch.nn.attention.flex_attention.create_block_mask"}
)
_LOADS_TORCH = frozenset({"torch", "torchvision", "torchaudio"})
_LOADS_DYNAMO = ("torch._dynamo", "torch._inductor")
# Code that starts other processes sets the variable for them, and they read it in time.
_OF_LOGGERS = frozenset("debug info warning warn error exception critical log".split())
_STARTS_PROCESSES = frozenset({"subprocess", "multiprocessing", "torch.multiprocessing", "ray", "concurrent.futures"})


def switches(seen: Seen) -> Iterator[Event]:
    """All switches that one file sets, whose scopes `seen` holds, the module's own first."""
    found = [event for spots in seen.values() for spot in spots for event in _settings(spot, seen)]
    each_size = bool(found) and _compiles_each_size(seen)
    yield from (replace(event, each_size=each_size) for event in found)


def _settings(spot: Spot, seen: Seen) -> Iterator[Setting]:
    """`torch._dynamo.config.X = v`, `config.patch(X=v)`, writes of torch's environment variables, stances."""
    expr, scope, statement = spot.expr, spot.scope, spot.statement
    if isinstance(statement, ir.Assign) and expr in statement.targets:
        if isinstance(expr, ir.Attr):
            name = _dotted(scope, expr)
            if name.startswith(_CONFIGS):
                yield _switch(spot, name, statement.value)
        elif isinstance(expr, ir.Index) and scope.name(expr.value) == "os.environ":
            key = text_of(expr.index)
            if key in _SWITCHES:
                yield _variable(spot, key, statement.value, seen)
    elif isinstance(statement, ir.AugAssign) and expr is statement.target and isinstance(expr, ir.Attr):
        name = _dotted(scope, expr)
        if name.startswith(_CONFIGS):
            yield _switch(spot, name, statement.value)
    elif isinstance(expr, ir.Call):
        yield from _setting_calls(spot, expr, seen)


def _setting_calls(spot: Spot, call: ir.Call, seen: Seen) -> Iterator[Setting]:
    last = last_name(call.func)
    if last == "patch" and isinstance(call.func, ir.Attr):
        base = _dotted(spot.scope, call.func.value) + "."
        if base in _CONFIGS:
            for name, value in _patched(call):
                yield _switch(spot, base + name, value, value)
    elif last in ("add", "update") and isinstance(call.func, ir.Attr) and call.args:
        name = _dotted(spot.scope, call.func.value)
        if name.startswith(_CONFIGS):
            yield _switch(spot, name, call.args[0])
    elif last in ("setdefault", "putenv"):
        key, set_to = text_of(argument(call, 0)), argument(call, 1)
        known = spot.scope.name(call.func) in ("os.environ.setdefault", "os.putenv")
        if known and key in _SWITCHES and set_to is not None:
            yield _variable(spot, key, set_to, seen)
    elif last == "set_stance" and spot.scope.name(call.func) == "torch.compiler.set_stance":
        stance = argument(call, 0, "stance")
        yield _switch(spot, "torch.compiler.set_stance", stance)


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


def _switch(
    spot: Spot, name: str, value: ir.Expr | None, at: ir.Expr | None = None, read: Location | None = None
) -> Setting:
    path = spot.scope.module.ir.path
    shown = Const(value.value) if isinstance(value, ir.Const) else UNKNOWN
    trial = is_test(path) or is_benchmark(path)
    guarded = spot.inside(ir.Try, ir.If) is not None
    functions = tuple(_functions(spot.scope, value)) if name.rpartition(".")[2] in FUNCTION_SETTINGS else ()
    return Setting(spot.site(at), None, name, shown, read, trial, _passes(spot), guarded=guarded, functions=functions)


def _functions(scope: Scope, value: ir.Expr | None) -> Iterator[str]:
    """The canonical names of the functions that a setting is given, of methods of a logger those of its class."""
    if isinstance(value, ir.Display):
        for item in value.items:
            yield from _functions(scope, item)
    elif isinstance(value, ir.Call) and last_name(value.func) in ("set", "frozenset") and value.args:
        yield from _functions(scope, value.args[0])
    elif value is not None and scope.name(value):
        yield scope.name(value)
    elif isinstance(value, ir.Attr) and value.name in _OF_LOGGERS:
        yield f"logging.Logger.{value.name}"
    elif isinstance(value, ir.Name) and hasattr(builtins, value.id) and not scope.bindings(value.id):
        yield f"builtins.{value.id}"


def _passes(spot: Spot) -> bool:
    """Whether a switch is thrown by a `with`, or by a decorator, and so thrown back."""
    s = spot.statement
    if isinstance(s, ir.With):
        return any(item is spot.expr for item, _ in s.items)
    return isinstance(s, (ir.Function, ir.Class))


def _compiles_each_size(seen: Seen) -> bool:
    """Whether a file compiles attention kernels or their masks with `dynamic=False`: kernels for one size each."""
    return any(
        isinstance(spot.expr, ir.Call)
        and bool(spot.expr.args)
        and scope.name(spot.expr.args[0]) in _KERNELS
        and any(key == "dynamic" and isinstance(v, ir.Const) and v.value is False for key, v in spot.expr.keywords)
        for scope, spots in seen.items()
        for spot in spots
    )


# ------------------------------------------------------------------- too late


def _variable(spot: Spot, key: str, value: ir.Expr, seen: Seen) -> Setting:
    """A variable that is set, with the place in the file by which torch has read it, if there is one."""
    read = None
    if not _starts_processes(spot.scope.module):
        if key in _READ_BY_TORCH:
            read = _import_before(spot, _loads_torch)
        elif key in _READ_BY_DYNAMO:
            read = _import_before(spot, _loads_dynamo) or _compiles_before(spot, seen)
    return _switch(spot, f"os.environ.{key}", value, read=read)


def _imported(s: ir.Stmt) -> Sequence[str]:
    """The modules that a statement imports by their absolute names."""
    if isinstance(s, ir.Import):
        return [name for name, _ in s.names]
    if isinstance(s, ir.ImportFrom) and not s.level:
        return [s.module, *(f"{s.module}.{name}" for name, _ in s.names)]
    return []


def _loads_torch(name: str) -> bool:
    return name.partition(".")[0] in _LOADS_TORCH


def _loads_dynamo(name: str) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in _LOADS_DYNAMO)


def _starts_processes(module: ModuleInfo) -> bool:
    return any(name in _STARTS_PROCESSES for s, _ in statements(module.ir.body) for name in _imported(s))


def _import_before(spot: Spot, loads: Callable[[str], bool]) -> Location | None:
    """The first import that always ran before a spot and loads what is asked for."""
    for body in _bodies(spot):
        for s in body:
            if places.line_of(s.pos) < places.line_of(spot.expr.pos) and any(map(loads, _imported(s))):
                return spot.scope.module.ir.location(s.pos)
    return None


def _bodies(spot: Spot) -> Iterator[ir.Body]:
    """The bodies whose own statements ran before a spot, if they stand before it: its module's, its function's."""
    yield spot.scope.module.ir.body
    if spot.scope.function is not None:
        yield spot.scope.body


def _compiles_before(spot: Spot, seen: Seen) -> Location | None:
    """The first `torch.compile` of the module's own statements, or of the same function, before a spot."""
    for scope, spots in seen.items():
        if scope.function is not None and scope is not spot.scope:
            continue
        for one in spots:
            early = not one.blocks and places.line_of(one.expr.pos) < places.line_of(spot.expr.pos)
            if early and dotted_name(one.expr) and scope.name(one.expr) in WRAPPING:
                return scope.module.ir.location(one.expr.pos)
    return None
