"""`torch.nn`: constructing layers, calling them, what every `nn.Module` and `autograd.Function` inherits."""

from __future__ import annotations

from dataclasses import replace

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.dtypes import dtype_class
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.markers import HELD
from compilelint.interp.core.outcomes import finish
from compilelint.interp.core.refusals import refusal
from compilelint.interp.devices import capture, placement
from compilelint.interp.effects import attribute_writes
from compilelint.interp.kinds import autograd, special_methods
from compilelint.interp.kinds.assignment import rebind
from compilelint.interp.kinds.items import exact_items, iterate
from compilelint.interp.refusals import refused_classes
from compilelint.interp.regions import custom_functions, hook_handles
from compilelint.interp.text.usage import names_used
from compilelint.model import Doubt
from compilelint.model.sizes import Sizes
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name, statements_of
from compilelint.torchfacts import Fact, Reason, SyntaxForm
from compilelint.values import (
    BOTTOM,
    LAZY,
    NONE,
    UNKNOWN,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Origin,
    OriginKind,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Value,
    arms,
    join,
    join_all,
    resumed,
    tensor_arm,
)

_AROUND_DATA = "GB0229"  # "Unexpected type of data placeholder op for parameter construction"
_RECURRENT = ("torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN")
_KEEPS_RANK = tuple(
    """
    Dropout LayerNorm BatchNorm GroupNorm RMSNorm InstanceNorm ReLU GELU SiLU Tanh Sigmoid Softmax LogSoftmax
    ELU LeakyReLU Linear Identity Mish Hardswish SELU Softplus Conv
    """.split()
)


def construct(f: Frame, name: str, args: Args) -> Value:
    """`nn.X(...)`: a layer, a parameter, or a container with what it holds."""
    short = name.rpartition(".")[2]
    if short in ("Parameter", "Buffer", "UninitializedParameter"):
        data = tensor_arm(args.get(0, "data") or UNKNOWN) or Tensor("float")
        source = Source.BUFFER if short == "Buffer" else Source.PARAMETER
        dtype = data.dtype if short == "Buffer" else "float"
        origin = f.origin(f"`nn.{short}`", 0, kind=OriginKind.OWNED)
        if data.origin is not None:  # named after what it was made from
            kind = data.origin.kind if short == "Buffer" else OriginKind.OWNED
            origin = Origin(data.origin.what if short == "Buffer" else data.origin.how, data.origin.place, None, kind)
        made = data.but(source=source, dtype=dtype, device="", origin=origin)  # it moves with its module
        if short == "Buffer":
            f.buffers.append(made)
            f.interp.buffers[id(made)] = made
        return made
    if short in ("ModuleList", "ParameterList"):
        first = args.get(0)
        if first is None:
            return Instance(name, f.modes.inside, ((HELD, Sequence("list", (), BOTTOM)),))
        exact = exact_items(f, first)
        items = Sequence("list", exact, BOTTOM) if exact is not None else Sequence("list", None, iterate(f, first, 0))
        return Instance(name, f.modes.inside, ((HELD, items),))
    if short == "Sequential":
        layers = tuple(args.positional)
        items = (
            Sequence("list", layers, BOTTOM)
            if args.star is None
            else Sequence("list", None, join_all([*layers, args.star]))
        )
        if len(layers) == 1 and isinstance(layers[0], Mapping):
            items = Sequence("list", tuple([v for _, v in layers[0].entries]), BOTTOM)
        return Instance(name, f.modes.inside, ((HELD, items),))
    if short in ("ModuleDict", "ParameterDict"):
        first = args.get(0)
        items_map = first if isinstance(first, Mapping) else Mapping((), UNKNOWN)
        return Instance(name, f.modes.inside, ((HELD, items_map),))
    settings = tuple(
        [
            (k, v)
            for k, v in args.keywords.items()
            if k in ("momentum", "bidirectional", "batch_first", "return_indices", "inplace")
        ]
    )
    return Instance(name, f.modes.inside, settings)


def construction_outcome(f: Frame, name: str, args: Args, outcome: Fact | None) -> Fact | None:
    """Parameters made in the region: one around a tensor computed there, or around `x.data`, cannot be lifted out."""
    if name == "torch.nn.Parameter":
        data = tensor_arm(args.get(0, "data") or UNKNOWN)
        if data is None or data.source >= Source.LITERAL:
            return f.interp.facts.callable("torch.nn.Linear")
        if data.origin is not None and data.origin.what == ".data" and data.origin.kind is OriginKind.ATTRIBUTE:
            return refusal(f, _AROUND_DATA) or outcome
    return outcome


def call_layer(f: Frame, layer: Instance, args: Args, pos: int) -> Value:
    """What a library layer returns."""
    name = layer.name
    short = name.rpartition(".")[2]
    first = tensor_arm(args.get(0, "input") or UNKNOWN)
    if name == "torch.nn.Sequential":
        return _run_sequential(f, layer, args, pos)
    capture.layer_called(f, layer, first, pos)
    origin = f.origin(f"nn.{short}", pos, None if first is None else first.origin, OriginKind.LAYER)
    out = Tensor("float", None, Source.COMPUTED, origin=origin)
    if short == "Identity":
        return args.get(0, "input") or UNKNOWN
    if first is not None and short.startswith(_KEEPS_RANK):
        out = out.but(rank=first.rank, sizes=_sizes_after(short, first))
    as_given = short.startswith("Conv") and first is not None and first.layout in ("", "contiguous")
    if as_given or short in ("Linear", "Embedding", "LayerNorm"):  # images in another memory format are asked for so
        out = out.but(layout="contiguous", sizes=out.sizes)
    if short == "Embedding" and first is not None and first.rank is not None:
        out = out.but(rank=first.rank + 1)
    if name in _RECURRENT:
        state = Sequence("tuple", (out, out), BOTTOM) if short == "LSTM" else out
        return Sequence("tuple", (out, state), BOTTOM)
    if short == "LSTMCell":
        return Sequence("tuple", (out, out), BOTTOM)
    if short == "MultiheadAttention":
        return Sequence("tuple", (out, join_all([out, NONE])), BOTTOM)
    if short.endswith("Loss"):
        return out.but(rank=0)
    if name.startswith("torch.nn.") and short[:1].isupper():
        return out
    return UNKNOWN


def _sizes_after(short: str, first: Tensor) -> Sizes | None:
    """The sizes of a layer's output of as many dimensions: `Linear` has the last, of images only the batch stays."""
    if not first.sizes:
        return None
    if short.startswith("Linear"):
        sizes: Sizes = (*first.sizes[:-1], None)
    elif short.startswith("Conv"):
        batched = short[-2:-1].isdigit() and len(first.sizes) == int(short[-2]) + 2
        sizes = (first.sizes[0] if batched else None, *[None] * (len(first.sizes) - 1))
    else:
        sizes = first.sizes
    return sizes if any(sizes) else None


def _run_sequential(f: Frame, layer: Instance, args: Args, pos: int) -> Value:
    items = dict(layer.state).get(HELD)
    value = args.get(0, "input") or UNKNOWN
    if isinstance(items, Sequence):
        layers = items.items if items.items is not None else (items.element, items.element)
        for one in layers:
            given, value = tensor_arm(value), f.interp.call(f, one, Args([value]), pos)
            if value is UNKNOWN and given is not None and f.state is not None:
                sure = Doubt.LAYER_NOT_KNOWN.lower(given.confidence)
                value = Tensor("", None, Source.COMPUTED, confidence=sure, origin=f.origin("a layer", pos))
        return value
    return UNKNOWN


# ------------------------------------------------------ what modules inherit

_CONVERTS = frozenset({"half", "bfloat16", "double"})  # parameters are float32 unless they were converted


def grown(f: Frame, holder: Instance, name: str, args: Args, pos: int) -> Instance | None:
    """A container of modules after `append` and its like; None for other methods."""
    items = dict(holder.state).get(HELD)
    added = args.get(1) if name in ("insert", "add_module", "register_module") else args.get(0)
    if not isinstance(items, Sequence) or added is None or name not in ("append", "extend", "insert", "add_module"):
        return None
    if name == "extend":
        added = iterate(f, added, pos)
    if name == "append" and items.items is not None and not f.around.loops and len(items.items) < 16:
        more = Sequence("list", (*items.items, added), BOTTOM)
    else:
        more = Sequence("list", None, join_all([items.element, *(items.items or ()), added]))
    return Instance(holder.name, holder.inside, ((HELD, more),))


def instance_method(
    f: Frame, receiver: Instance, name: str, args: Args, pos: int, node: ir.Call | None = None
) -> Value:
    """A method of a library module (`self.proj.to(x.dtype)`), or of a container (`self.layers.append(m)`)."""
    outcome = f.interp.facts.callable(f"torch.nn.Module.{name}")
    if name in f.interp.facts.results.return_module:
        outcome = None if receiver.inside else _self_changed(f, name, args, pos)
    result: Value = UNKNOWN
    items = dict(receiver.state).get(HELD)
    more = grown(f, receiver, name, args, pos)
    if more is not None and node is not None and isinstance(node.func, ir.Attr):
        rebind(f, node.func.value, more)
        return more
    if name in f.interp.facts.results.return_module:
        result = receiver
    elif name in hook_handles.REGISTERING:
        result = Instance(hook_handles.HANDLE)
    elif name == "forward":
        return f.interp.call(f, receiver, args, pos)
    elif name in ("named_parameters", "named_buffers"):
        pair = Sequence("tuple", (Scalar("str"), _new_parameter(f, pos)), BOTTOM)
        result = Sequence(LAZY, None, pair)
    elif name in ("parameters", "buffers"):
        result = Sequence(LAZY, None, _new_parameter(f, pos))
    elif name == "values" and isinstance(items, Sequence):
        result = Sequence("iterator", None, iterate(f, items, pos))
    elif name in _SUBMODULES and isinstance(items, (Sequence, Mapping)):
        one = _held(items) if isinstance(items, Mapping) else iterate(f, items, pos)
        named = name.startswith("named")
        result = Sequence(LAZY, None, Sequence("tuple", (Scalar("str"), one), BOTTOM) if named else one)
    elif name in ("values", "items", "keys") and isinstance(items, Mapping):
        element = _held(items)
        pairs: Value = Sequence("tuple", (Scalar("str"), element), BOTTOM)
        result = Sequence("iterator", None, {"values": element, "items": pairs, "keys": Scalar("str")}[name])
    f.emit(
        events.Call(
            f.site(pos), outcome, f"torch.nn.Module.{name}", receiver, tuple(args.positional), args.keywords, result
        )
    )
    f.broken_by(outcome)
    return result


def _held(items: Mapping) -> Value:
    return join_all([*items.rest, *[v for _, v in items.entries]])


def _self_changed(f: Frame, name: str, args: Args, pos: int) -> Fact | None:
    """What ends the graph when a module from outside is moved, converted or frozen; traced moves cost time only.

    Measured: a conversion builds new parameters, on the host as on a device, and that is not traced; a move, or a
    conversion to the dtype that the parameters have, is.
    """
    if name == "requires_grad_":
        return autograd.module_switched(f, args)
    if name in _CONVERTS or (name == "to" and any(_is_dtype(v) for v in args.all())):
        built = f.interp.facts.callable("torch.nn.Linear")
        if built is None or not built.breaks:
            return None
        return replace(built, verdict=replace(built.verdict, reason=Reason.MODULE_STATE), forms=())
    if name in ("to", "cuda", "cpu"):
        placement.module_moved(f, name, args, pos)
    return None


def _is_dtype(value: Value) -> bool:
    """Whether a value names a dtype other than the usual one; `x.dtype` is mostly what the module has."""
    return (
        isinstance(value, External)
        and bool(dtype_class(value.name))
        and value.name not in ("torch.float32", "torch.float")
    )


def _new_parameter(f: Frame, pos: int) -> Tensor:
    return Tensor(
        "float", None, Source.PARAMETER, origin=f.origin("a parameter of the module", pos, kind=OriginKind.OWNED)
    )


def base_method(f: Frame, obj: Object, name: str, args: Args, pos: int) -> Value:
    """A method that an object of the program inherits from a library class."""
    cls = obj.cls
    if not isinstance(cls, ClassInfo):
        return UNKNOWN
    if name in special_methods.STORING:
        special_methods.stored_by_name(f, name, args, pos)
    if cls.is_module:
        if name in ("register_buffer", "register_parameter", "add_module", "register_module"):
            attribute_writes.registered(f, obj, args.get(0, "name"), args.get(1, "tensor"), pos)
            return _register(f, name, args)
        if name == "__init__":
            again = refused_classes.built_again(f)
            return NONE if again is None else finish(f, "torch.nn.Module.__init__", obj, args, pos, again, NONE)
        if name == "__call__":
            return f.interp.call_method(f, obj, "forward", args, pos)
        if f.modes.host and name in _SUBMODULES:
            return _submodules(f, obj, cls, name, pos)
        return (
            instance_method(f, Instance("torch.nn.Module"), name, args, pos)
            if name not in f.interp.facts.results.return_module
            else _module_moved(f, obj, name, args, pos)
        )
    base = next(iter(cls.external_bases), "")
    if name == "__init__" and base.startswith("builtins.") and base.endswith(("Error", "Exception")):
        if f.owner is cls:
            outcome = f.interp.facts.syntax(SyntaxForm.EXCEPTION_INIT)
            f.emit(events.Syntax(f.site(pos), outcome, SyntaxForm.EXCEPTION_INIT.value))
            f.broken_by(outcome)
        return NONE
    full = f"{base}.{name}"
    outcome = f.interp.facts.callable(full)
    if base.startswith("unittest.") and name.startswith(("assert", "fail")):
        outcome = refusal(f, "GB0008")
    f.emit(events.Call(f.site(pos), outcome, full, obj, tuple(args.positional), args.keywords, UNKNOWN))
    f.broken_by(outcome)
    return UNKNOWN


_SUBMODULES = frozenset({"children", "modules", "named_children", "named_modules"})


def _submodules(f: Frame, obj: Object, cls: ClassInfo, name: str, pos: int) -> Value:
    """The modules that an object of the program holds, as its class stores them; one level, and what lists hold."""
    found: list[Value] = [obj] if name.endswith("modules") else []
    names = {attribute: None for c in cls.mro if isinstance(c, ClassInfo) for attribute in c.stored_in}
    for attribute in names:
        for arm in arms(f.interp.attribute(f, obj, attribute, pos)):
            if isinstance(arm, Object) and isinstance(arm.cls, ClassInfo) and arm.cls.is_module:
                found.append(arm)
            elif isinstance(arm, Instance) and arm.name.startswith("torch.nn."):
                found.append(arm)
                if name.endswith("modules") and HELD in dict(arm.state):
                    found.append(iterate(f, arm, pos))
    element = join_all(found) if found else UNKNOWN
    if name.startswith("named"):
        element = Sequence("tuple", (Scalar("str"), element), BOTTOM)
    return Sequence("iterator", None, element)


def _module_moved(f: Frame, obj: Object, name: str, args: Args, pos: int) -> Value:
    instance_method(f, Instance("torch.nn.Module", obj.inside), name, args, pos)
    return obj


def _register(f: Frame, how: str, args: Args) -> Value:
    """`self.register_buffer("x", t)` stores an attribute; in a region as well as in `__init__` it traces."""
    name, value = args.get(0, "name"), args.get(1, "tensor")
    if value is None:
        value = args.keywords.get("param") or args.keywords.get("module") or UNKNOWN
    if isinstance(name, Const) and isinstance(name.value, str) and f.state is not None:
        tensor = tensor_arm(value)
        if how == "register_buffer":
            source = Source.BUFFER
            known = tensor if tensor is not None else Tensor()
            origin = known.origin or f.origin(f"buffer `{name.value}`", 0)
            kept: Value = known.but(source=source, device="", origin=origin)  # it moves with its module
            value = kept if tensor is not None or value is UNKNOWN else value
            if isinstance(value, Tensor) is False and value is not NONE and tensor is not None:
                value = join_all([kept, NONE])
        old = f.effects.writes.get(name.value)
        f.effects.writes[name.value] = value if old is None else join(old, value)
        f.state.paths[f"{f.self_name}.{name.value}"] = value
    return NONE


# --------------------------------------------------------- autograd.Function


def returns_what_it_marks(forward: ir.Function) -> bool:
    """Whether each argument of `ctx.mark_dirty(x)` is returned under its own name; the result of `x.add_(1)` is not it.

    Measured on torch 2.13 and 2.15: then the function is traced, if the input needs a gradient.
    """
    marked: set[str] = set()
    returned: list[set[str]] = []
    for s in statements_of(forward.body):
        if isinstance(s, ir.ExprStmt) and isinstance(s.value, ir.Call) and last_name(s.value) == "mark_dirty":
            marked |= {a.id if isinstance(a, ir.Name) else "" for a in s.value.args}
        elif isinstance(s, ir.Return):
            parts = s.value.items if isinstance(s.value, ir.Display) else (s.value,)
            returned.append({part.id for part in parts if isinstance(part, ir.Name)})
    return bool(marked) and bool(returned) and all(marked <= names for names in returned)


def apply_function(f: Frame, cls: ClassInfo, args: Args, pos: int) -> Value:
    """`F.apply(x)`: `forward` runs in the region, with a context first unless there is a `setup_context`."""
    forward = cls.method("forward")
    refused = custom_functions.refused(f, cls)
    if forward is None and refused is None:
        return UNKNOWN
    if forward is None:
        return finish(f, "torch.autograd.Function.apply", ClassRef(cls), args, pos, refused, UNKNOWN)
    context = Instance("torch.autograd.function.FunctionCtx", inside=True)
    given = args.positional if cls.method("setup_context") is not None else [context, *args.positional]
    receiver = ClassRef(cls) if forward.decorated("classmethod") else None
    outcome = f.interp.facts.callable("torch.autograd.Function.apply")
    syntax = f.interp.facts.syntax
    breaking = syntax(SyntaxForm.FUNCTION_SAME_TENSOR_TWICE)
    before = cap = f.around.cap
    if cls.own("jvp") is not None:
        outcome = syntax(SyntaxForm.FUNCTION_JVP)
    elif cls.own("vjp") is not None:
        outcome = syntax(SyntaxForm.FUNCTION_VJP)
    elif receiver is not None:
        outcome = syntax(SyntaxForm.FUNCTION_CLASS_METHODS)
    elif "mark_dirty" in names_used(forward) or args.keywords:
        outcome = breaking  # measured: neither is traced
        if not args.keywords and returns_what_it_marks(forward.node):
            cap = Doubt.NO_GRADIENT_ONLY.lower(cap)
    if refused is not None and (outcome is None or not outcome.breaks):
        outcome = refused
    given_tensors = [a for a in args.positional if isinstance(a, Tensor)]
    if len({id(a) for a in given_tensors}) < len(given_tensors):
        outcome = f.interp.facts.syntax(SyntaxForm.FUNCTION_SAME_TENSOR_TWICE)
    result = f.interp.call(
        f, FunctionRef(forward, receiver), Args(list(given), args.keywords, args.star, args.double_star), pos
    )
    f.around.cap = cap
    f.emit(
        events.Call(
            f.site(pos),
            outcome,
            "torch.autograd.Function.apply",
            ClassRef(cls),
            tuple(args.positional),
            args.keywords,
            result,
        )
    )
    f.broken_by(outcome)
    f.around.cap = before
    if outcome is not None and outcome.breaks and (outcome is refused or receiver or cls.own("jvp") or cls.own("vjp")):
        _run_by_torch(f, FunctionRef(forward, receiver), cls, args, pos)
    _trace_backward(f, cls, args, pos)
    if result is UNKNOWN:
        return Tensor(
            confidence=Doubt.OUTPUT_OF_AUTOGRAD_FUNCTION.cap, origin=f.origin(f"output of `{cls.node.name}.apply`", pos)
        )
    return result


@if_judged
def _run_by_torch(f: Frame, forward: FunctionRef, cls: ClassInfo, args: Args, pos: int) -> None:
    """Where `apply` is not traced torch calls `forward`, a frame of its own that gets its context from outside."""
    before = f.state
    if before is None or cls.method("setup_context") is not None:
        return
    context = Instance("torch.autograd.function.FunctionCtx")
    f.interp.call(f, forward, Args([context, *map(resumed, args.positional)], args.keywords), pos)
    f.doomed = False
    f.state = f.state or before


def _trace_backward(f: Frame, cls: ClassInfo, args: Args, pos: int) -> None:
    """Dynamo traces `backward` with `apply`, where an argument needs a gradient: a graph that ends there ends here."""
    backward = cls.own("backward")
    before = f.state
    if backward is None or f.modes.silent or before is None or not any(map(_needs_gradient, args.all())):
        return
    origin = f.origin("the gradient", pos, kind=OriginKind.GRADIENT)
    gradient = Tensor("", None, Source.INPUT, origin=origin)
    context = Instance("torch.autograd.function.FunctionCtx", inside=True)
    f.interp.call(f, FunctionRef(backward), Args([context, gradient]), pos)
    f.doomed = False
    f.state = f.state or before


def _needs_gradient(value: Value) -> bool:
    """Whether a parameter is among the arguments; of inputs nothing is known."""
    return any(isinstance(arm, Tensor) and arm.source is Source.PARAMETER for arm in arms(value))
