"""Compile calls of the host program: what `torch.compile` and its like make of what they are given."""

from __future__ import annotations

from typing import Any

from compilelint.host.protocol import Machine
from compilelint.host.recorded import records
from compilelint.host.values import (
    UNKNOWN,
    Bound,
    Class,
    Compilation,
    Env,
    External,
    Function,
    Lib,
    Partial,
    Tensor,
    Thing,
    Value,
    Wrapper,
)
from compilelint.project.compile_calls import how_of

_MARKS = {
    "torch._dynamo.mark_dynamic": "dynamic",
    "torch._dynamo.maybe_mark_dynamic": "maybe",
    "torch._dynamo.mark_unbacked": "unbacked",
    "torch._dynamo.decorators.mark_dynamic": "dynamic",
    "torch._dynamo.decorators.maybe_mark_dynamic": "maybe",
}
_STANCE = "torch.compiler.set_stance"
_RESETS = ("torch._dynamo.reset", "torch.compiler.reset")


def external(m: Machine, env: Env, name: str, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
    """A library's function that compiles, or that speaks to the compiler; UNKNOWN for any other."""
    how = how_of(name, m.program.compilers)
    if how == "wraps":
        return _wraps(m, env, name, args, keywords, pos)
    if how == "optimizes":
        given = {key: value for key, value in keywords.items() if key in ("dynamic", "disable")}
        if args:
            given["backend"] = args[0]
        return Partial(External("torch.compile"), [], given)
    if name in _MARKS and args and isinstance(args[0], Tensor):
        dims = args[1] if len(args) > 1 else keywords.get("index")
        for d in dims if isinstance(dims, (list, tuple)) else [dims]:
            if isinstance(d, int):
                args[0].marks[d] = _MARKS[name]
                m.regions.marked(m, env, args[0], d, pos)
        return None
    if name == "torch.compiler.cudagraph_mark_step_begin":
        m.regions.step_marked()
        return None
    if name == _STANCE:
        stance = args[0] if args else keywords.get("stance")
        m.regions.stance = stance if isinstance(stance, str) else "default"
        return None
    if name in _RESETS:
        m.regions.by_code.clear()
        return None
    return m.regions.library_called(m, env, name, args, keywords, pos)


def _wraps(m: Machine, env: Env, name: str, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
    model = args[0] if args else keywords.get("model")
    if model is None:
        return Partial(External(name), [], keywords)
    options = {key: value for key, value in keywords.items() if key != "model"}
    if options.get("disable") is True:
        return model
    if isinstance(model, Wrapper) and not model.of_module:  # compiled twice: the inner call is what is called
        return model
    if isinstance(model, Wrapper):
        m.regions.used(m, "again", env, pos, "", "", model.compilation)
        return Wrapper(model.target, _compilation(m, env, pos, options))
    compilation = _compilation(m, env, pos, options)
    if not isinstance(model, (Thing, Function, Lib, Partial, Class, Bound)):
        m.regions.escapes(model)
        if not compilation.records:
            return UNKNOWN
        model = Lib("", [], {})  # a model of a library, whose results have an owner all the same
    made = Wrapper(model, compilation)
    made.compilation.guessed = m.guessed > 0
    m.regions.compilations.append(made)
    return made


def in_place(m: Machine, env: Env, module: Any, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
    """`module.compile(...)`."""
    if keywords.get("disable") is True or not isinstance(module, (Thing, Lib)):
        return None
    compilation = _compilation(m, env, pos, keywords)
    compilation.in_place, compilation.guessed = True, m.guessed > 0
    if isinstance(module, Lib) and module.is_module:
        compilation.disabled = True  # Dynamo does not start in frames of `torch.nn`
    module.compiled = compilation
    m.regions.in_place.append((module, compilation))
    return None


def _compilation(m: Machine, env: Env, pos: int, options: dict[str, Value]) -> Compilation:
    made = Compilation(env, pos, env.module.ir.location(pos))
    made.backend = options.get("backend", "inductor")
    dynamic = options.get("dynamic")
    symbols = m.regions.settings.get("assume_static_by_default") is False  # from the first call on
    made.dynamic = dynamic if isinstance(dynamic, bool) else symbols or None
    made.fullgraph = options.get("fullgraph") is True
    made.mode = options.get("mode")
    made.records = records(made.mode, options.get("options"))
    return made
