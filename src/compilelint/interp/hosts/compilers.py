"""What hands something to TorchDynamo: the library callables that compile what they are given, and how they are asked.

Recognised by meaning: whatever name or attribute an expression goes by, what it evaluates to is one of these. Each
gives the configuration that its keywords ask for. In a compiled region a compile call is what it wraps (`steering`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from compilelint.events import RECORDING_MODES, DynamoConfig
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.hosts import frameworks, host
from compilelint.interp.regions.compiled_inside import asked
from compilelint.project.classes import ClassInfo
from compilelint.project.compile_calls import KEYWORDS, REPEATED_BLOCKS, how_of, imports_torch
from compilelint.values import (
    NONE,
    UNKNOWN,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Partial,
    Sequence,
    Tensor,
    Value,
    arms,
)

_COMPILE = "torch.compile"
_OPTIMIZE = "torch._dynamo.optimize"

Compiler = Callable[[Frame, str, Args, int], Value]


def compile_call(f: Frame, name: str, args: Args, pos: int) -> Value | None:
    """The result of calling a library callable as a host, if it compiles what it is given; None for any other."""
    how = how_of(name, f.interp.program.compilers)
    return _BY_HOW[how](f, name, args, pos) if how else frameworks.constructed(f, name, args, pos)


def _torch_compile(f: Frame, name: str, args: Args, pos: int) -> Value:
    """`torch.compile(model, ...)`, or without a model a decorator."""
    model = args.get(0, "model")
    if model is None or model is NONE:
        if args.star is not None:
            return host.compiled(f, UNKNOWN, f.interp.config, pos, _COMPILE)
        return Partial(External(name), (), tuple(args.keywords.items()))
    if _said(args, "disable") is True:
        return model
    return host.compiled(f, model, configured(f.interp.config, args), pos, name, asked(args))


def _class_compiled(f: Frame, name: str, args: Args, pos: int) -> Value:
    """`@support_torch_compile` on a class: its `forward` is one graph, whatever its sizes."""
    given = args.get(0, "cls")
    if given is None or given is NONE:
        return Partial(External(name), (), tuple(args.keywords.items()))
    for arm in arms(given):
        cls = arm.cls if isinstance(arm, ClassRef) else None
        forward = cls.method("forward") if isinstance(cls, ClassInfo) else None
        if isinstance(cls, ClassInfo) and forward is not None:
            config = replace(f.interp.config, fullgraph=True, dynamic=True)
            host.compiled(f, FunctionRef(forward, Object(cls)), config, pos, name)
    return given


def _blocks_compiled(f: Frame, name: str, args: Args, pos: int) -> Value:
    """`compile_regions(model)`: its blocks one by one, the model where it has none."""
    model = args.get(0, "module") or UNKNOWN
    classes = {cls for arm in arms(model) if isinstance(arm, Object) for cls in frameworks.blocks_of(f, arm)}
    config = configured(f.interp.config, args)
    if not classes:
        return host.compiled(f, model, config, pos, name)
    for cls in classes:
        host.compiled(f, Object(cls), config, pos, name)
    return model


def _parts_compiled(f: Frame, name: str, args: Args, pos: int) -> Value:
    """`set_torch_compile_wrapper(model, backend=..., keys=[...])`: parts that the texts name, once they are called."""
    return host.compiled(f, UNKNOWN, configured(f.interp.config, args), pos, name)


def repeated_blocks_compiled(f: Frame, model: Value, args: Args, pos: int) -> Value:
    """`model.compile_repeated_blocks(...)`: each module of a class that `_repeated_blocks` names; gives nothing."""
    named = [cls for arm in arms(model) if isinstance(arm, Object) for cls in frameworks.repeated_classes(f, arm)]
    config = configured(f.interp.config, args)
    for cls in named:
        host.compiled(f, Object(cls), config, pos, REPEATED_BLOCKS)
    if not named:
        host.compiled(f, UNKNOWN, config, pos, REPEATED_BLOCKS)
    return NONE


def _optimize(f: Frame, name: str, args: Args, pos: int) -> Value:
    """`torch._dynamo.optimize(backend, nopython=...)`: a decorator; `optimize_assert` stops at breaks."""
    given = {key: value for key, value in args.keywords.items() if key in ("dynamic", "disable")}
    nopython = args.keywords.get("nopython")
    given["fullgraph"] = Const(True) if name.endswith("_assert") else nopython or Const(False)
    return Partial(External(_COMPILE), (), tuple(given.items()))


def _export(f: Frame, name: str, args: Args, pos: int) -> Value:
    """`torch.export.export(mod, args, kwargs)`: one graph or an error, for the arguments that it is given."""
    model = args.get(0, "mod") or args.keywords.get("f") or UNKNOWN
    config = replace(f.interp.config, fullgraph=True, export=True)
    made = host.compiled(f, model, config, pos, name)
    given = args.get(1, "args")
    keywords = args.get(2, "kwargs")
    if isinstance(given, Sequence) and given.items is not None:
        named = {}
        if isinstance(keywords, Mapping):
            named = {key: value for key, value in keywords.entries if isinstance(key, str)}
        f.interp.call(f, made, Args(list(given.items), named), pos)
    return Instance("torch.export.ExportedProgram")


def _onnx(f: Frame, name: str, args: Args, pos: int) -> Value:
    """`torch.onnx.export(..., dynamo=True)` goes through `torch.export`."""
    if _said(args, "dynamo") is True:
        _export(f, name, Args(args.positional, {"mod": args.keywords.get("model", UNKNOWN), **args.keywords}), pos)
    return UNKNOWN


def _later(f: Frame, name: str, args: Args, pos: int) -> Value:
    """`torch._dynamo.explain(f)(x)` and `torch._dynamo.export(f)(x)`: the second call traces."""
    model = args.get(0, "f") or UNKNOWN
    config = f.interp.config
    if name.endswith("export"):
        config = replace(config, fullgraph=True, export=True)
    made = host.compiled(f, model, config, pos, name)
    if len(args.positional) > 1:
        f.interp.call(f, made, Args(args.positional[1:], args.keywords), pos)
    return made


def _standard_test(f: Frame, name: str, args: Args, pos: int) -> Value:
    """`torch._dynamo.testing.standard_test(self, fn, nargs)`: compiles in one graph and calls with tensors."""
    config = replace(f.interp.config, fullgraph=True)
    made = host.compiled(f, args.get(1, "fn") or UNKNOWN, config, pos, _OPTIMIZE + "_assert")
    count = args.get(2, "nargs")
    if isinstance(count, Const) and type(count.value) is int:
        f.interp.call(f, made, Args([Tensor("float", 2) for _ in range(min(count.value, 16))]), pos)
    return NONE


_BY_HOW: dict[str, Compiler] = {
    "wraps": _torch_compile,
    "wraps blocks": _blocks_compiled,
    "wraps class": _class_compiled,
    "wraps parts": _parts_compiled,
    "optimizes": _optimize,
    "exports": _export,
    "exports onnx": _onnx,
    "traces later": _later,
    "tests": _standard_test,
}


def compiled_in_place(f: Frame, module: Value, args: Args, pos: int) -> Value:
    """`module.compile(...)`: the module's `__call__` compiles from here on; the compiled module."""
    if _said(args, "disable") is True:
        return module
    return host.compiled(f, module, configured(f.interp.config, args), pos, "torch.nn.Module.compile")


def asks_to_compile(f: Frame, args: Args) -> bool:
    """Whether a `.compile()` on something unknown reads like that of a module: keywords of `torch.compile` or none."""
    if args.positional or not all(key in KEYWORDS for key in args.keywords):
        return False
    return bool(args.keywords) or imports_torch(f.module)


# ------------------------------------------------------------- configuration


def configured(default: DynamoConfig, args: Args) -> DynamoConfig:
    """The configuration that the keywords of `torch.compile(...)` ask for."""
    fullgraph = _said(args, "fullgraph", default.fullgraph)
    dynamic = _said(args, "dynamic", default.dynamic)
    return DynamoConfig(
        fullgraph is True,
        default.export,
        default.captures,
        dynamic if isinstance(dynamic, bool) else None,
        _mode(args, default.mode),
        default.switches,
    )


def _mode(args: Args, default: str | None) -> str | None:
    """The mode that takes effect: modes are Inductor's, and one of its options asks for CUDA graphs without a mode."""
    mode = _said(args, "mode", default)
    if mode in RECORDING_MODES and _said(args, "backend") in (None, "inductor") and not _other_backend(args):
        return str(mode)
    options = args.keywords.get("options")
    recorded = options.get("triton.cudagraphs") if isinstance(options, Mapping) else None
    if isinstance(recorded, Const) and recorded.value is True:
        return "reduce-overhead"
    return mode if isinstance(mode, str) and mode not in RECORDING_MODES else None


def _other_backend(args: Args) -> bool:
    backend = args.keywords.get("backend")
    return backend is not None and not isinstance(backend, Const)


def _said(args: Args, name: str, default: object = None) -> object:
    """The constant that a keyword holds, else the default."""
    value = args.keywords.get(name)
    return value.value if isinstance(value, Const) else default
