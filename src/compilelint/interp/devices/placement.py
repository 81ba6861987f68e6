"""Where tensors lie: moves between devices, tensors of two devices joined, views and writes that a layout forbids.

Emits `events.Placed`, and only in linted files, for nothing emitted here ends a graph. A device is known where the
source shows it: a tensor made without `device=` lies on the host, a parameter or buffer where its module is. Does not
belong here: what a finding says, and how much it matters.
"""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.origin_steps import MADE, OUTLIVES, VIEWS, first, steps_back
from compilelint.interp.devices.views import view_of
from compilelint.interp.text.copies_needed import needed_on_host
from compilelint.model import Confidence, Doubt, weakest
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.values import (
    UNKNOWN,
    BoundMethod,
    Const,
    External,
    Instance,
    Origin,
    OriginKind,
    Permuted,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Value,
    arms,
    tensor_arm,
)

_WRITES = frozenset(
    """
    add_ sub_ mul_ div_ copy_ clamp_ clip_ relu_ exp_ sqrt_ pow_ neg_ abs_ tanh_ sigmoid_ lerp_ addcmul_ addcdiv_ floor_
    """.split()
)
METHODS = _WRITES | frozenset(
    "to cpu cuda type_as view fill_ zero_ new_tensor contiguous half bfloat16 float double matmul bmm mm".split()
)
_MULTIPLIES = frozenset({"matmul", "bmm", "mm", "linear", "einsum", "baddbmm"})
_JOINS = frozenset({"cat", "stack", "concat", "where", "add", "sub", "mul", "div", "maximum", "minimum", *_MULTIPLIES})
_READS = frozenset({"tensor", "as_tensor", "new_tensor"})
FUNCTIONS = _JOINS | _READS
_RANDOM = frozenset({"rand", "randn", "randint", "normal", "randn_like", "rand_like", "bernoulli", "multinomial"})
_MULTIPLE = frozenset({"chunk", "split", "unbind", "tensor_split", "hsplit", "vsplit", "dsplit"})
_NARROW = frozenset({"torch.float16", "torch.half", "torch.bfloat16"})
_MOVES = frozenset({"to", "cpu", "cuda", "half", "float", "double", "bfloat16", "type", "_apply"})
"""Methods that are there to move a module."""
_NEW_MEMORY = (OriginKind.MADE, OriginKind.EMPTY)
_NEW = 2  # steps from one of several views to the memory that it lies in
_TRAINED = (OriginKind.OWNED, OriginKind.LAYER)  # where gradients begin, and what passes them on


@if_judged
def method(f: Frame, t: Tensor, name: str, args: Args, pos: int) -> None:
    """`t.name(...)`, before it is done."""
    if not f.context.linted:
        return
    if name in _WRITES or name in ("fill_", "zero_"):
        written(f, t, f".{name}()", pos)
    elif name == "view":
        _viewed(f, t, args, pos)
    elif name == "new_tensor":
        _read_into(f, name, args, pos)
    elif name in _MULTIPLIES:
        _multiplied(f, name, [t, *args.positional], pos)
    elif name == "contiguous":
        if "memory_format" in args.keywords:
            _reordered(f, t, name, args, pos)
    else:
        target = _target(t, name, args)
        if target is not None:
            _moved(f, t, name, args, target, pos)
        _converted_back(f, t, name, args, pos)
        if "memory_format" in args.keywords:
            _reordered(f, t, name, args, pos)


@if_judged
def function(f: Frame, op: str, args: Args, pos: int) -> None:
    """`torch.op(...)`."""
    if not f.context.linted:
        return
    if op in _READS:
        _read_into(f, op, args, pos)
    elif op in _JOINS:
        _joined_all(f, op, args, pos)
        if op in _MULTIPLIES:
            _multiplied(f, op, args.positional, pos)
    device = args.keywords.get("device")
    if device is not None:
        _literal(f, op, device, None, pos)
    given = args.keywords.get("out")
    for out in given.items or () if isinstance(given, Sequence) else (given,):
        if isinstance(out, Tensor) and _filled(f, op, out, pos):
            return


def _filled(f: Frame, op: str, out: Tensor, pos: int) -> bool:
    """Whether a tensor that `out=` names, one of several perhaps, is one that a graph does not write into; reported."""
    how: events.Placement = "out"
    detail = ""
    if out.origin is not None and out.origin.kind is OriginKind.EMPTY:
        how, detail = "out-empty", out.origin.what
    elif out.layout == "expanded" or isinstance(out.layout, Permuted):
        detail = "expanded" if out.layout == "expanded" else "permuted"
    if detail:
        _emit(f, how, op, out, detail, Doubt.LAYOUT_FOLLOWED.cap, pos)
    return bool(detail)


# --------------------------------------------------------------------- devices


def _target(t: Tensor, name: str, args: Args) -> str | None:
    """The device a conversion goes to: "" for one that is not known, None where it stays."""
    if name in ("cpu", "cuda"):
        return name
    if name == "type_as":
        other = tensor_arm(args.get(0, "other") or t)
        return None if other is None else other.device
    if name != "to":
        return None
    for key, value in [*((None, v) for v in args.positional), *args.keywords.items()]:
        if key not in (None, "device", "other"):
            continue
        tensor = tensor_arm(value)
        if tensor is not None:
            return tensor.device
        named = _device_name(value)
        if named is not None:
            return named
        if key == "device" or any(_may_be_device(one) for one in arms(value)):
            return ""
    return None


def _device_name(value: Value) -> str | None:
    """The device that a value names: "" for one not known, None for what is no device."""
    if isinstance(value, Const) and isinstance(value.value, str):
        return value.value.partition(":")[0]
    if isinstance(value, Instance) and value.name == "torch.device":
        return next((_device_name(v) or "" for _, v in value.state), "")
    return None


def _may_be_device(value: Value) -> bool:
    """Whether it names a device, or comes of a misunderstood `y.device`."""
    return _device_name(value) is not None or (isinstance(value, BoundMethod) and value.name == "device")


@if_judged
def unknown_moved(f: Frame, node: ir.Call | None, name: str, args: Args, pos: int) -> None:
    """`ids.cpu()`, where CUDA graphs are recorded, of what is not known: models are not moved to the host there."""
    context = f.context
    if name not in ("cpu", "to") or not context.linted or not context.config.records_cuda_graphs:
        return
    if context.root_kind == "unreached" or node is None or not isinstance(node.func, ir.Attr):
        return
    if name == "cpu" and args.all():
        return
    if name == "cpu" or any(_device_name(value) == "cpu" for value in args.all()):
        origin = f.origin(dotted_name(node.func.value) or "what is copied", pos)
        receiver = Tensor("", None, Source.INPUT, confidence=Doubt.USED_LIKE_A_TENSOR.cap, origin=origin)
        needed = needed_on_host(f.function, context.root_kind, node.pos)
        sure = (Doubt.COPY_IS_NEEDED if needed else Doubt.DEVICE_FOLLOWED).cap
        _emit(f, "to-host", f".{name}()", receiver, "", sure, pos)


@if_judged
def module_moved(f: Frame, name: str, args: Args, pos: int) -> None:
    """`module.to(...)`, `.cuda()`, `.cpu()` on a module that lives outside the region."""
    if not f.context.linted or (f.function is not None and f.function.node.name in _MOVES):
        return
    named = name if name != "to" else next((d for v in args.all() if (d := _device_name(v)) is not None), "")
    how: events.Placement = "module-to-host" if named == "cpu" else "module-moved"
    _emit(f, how, f".{name}()", Tensor(), named, _doubted(f, Doubt.DEVICE_FOLLOWED.cap), pos)


def _moved(f: Frame, t: Tensor, name: str, args: Args, target: str, pos: int) -> None:
    asynchronous = args.keywords.get("non_blocking")
    if target == "cpu":
        if t.device == "cpu" or t.array or (t.origin is not None and _came_to_host(t.origin)):
            return
        waits = not (isinstance(asynchronous, Const) and asynchronous.value is True)
        given = t.origin is not None and t.origin.kind in (OriginKind.ARGUMENT, OriginKind.GRADIENT)
        # A CUDA graph ends here wherever the argument lies: what follows runs on the host.
        recording = f.context.config.records_cuda_graphs
        sure = (Doubt.DEVICE_OF_AN_ARGUMENT if given and not recording else Doubt.DEVICE_FOLLOWED).cap
        if needed_on_host(f.function, f.context.root_kind, pos):
            sure = Doubt.COPY_IS_NEEDED.cap
        if not waits:
            _emit(f, "async-host", f".{name}()", t, "", _doubted(f, sure), pos)
        if waits or recording:
            _emit(f, "to-host", f".{name}()", t, "", _doubted(f, sure), pos)
    elif t.device == "cpu":
        _from_host(f, t, name, pos)
    elif t.array:
        return
    else:
        device = args.get(0, "device")
        _literal(f, name, Const("cuda") if name == "cuda" else device, t, pos)


def _from_host(f: Frame, t: Tensor, name: str, pos: int) -> None:
    """A tensor that lies on the host goes to another device: why it lies there decides what that costs."""
    drawn = False
    for step in steps_back(t.origin):
        drawn = drawn or (step.kind is OriginKind.RESULT and step.what.rpartition(".")[2] in _RANDOM)
        if _came_to_host(step):
            _emit(f, "round-trip", f".{name}()", t, step.how, _doubted(f, Doubt.DEVICE_FOLLOWED.cap), pos)
            return
        if step.kind in OUTLIVES:
            _emit(f, "host-kept", f".{name}()", t, step.how, _doubted(f, Doubt.DEVICE_FOLLOWED.cap), pos)
            return
        if step.kind in MADE and step.parent is None:
            random = step.what in _RANDOM or drawn
            sure = _doubted(f, Doubt.DEVICE_FOLLOWED.cap) if random else Doubt.CONSTANT_MAY_BE_FOLDED.cap
            _emit(f, "host-random" if random else "host-built", f".{name}()", t, step.what, sure, pos)
            return


def _came_to_host(step: Origin) -> bool:
    """Whether this step copied a tensor to the host."""
    moved = step.kind is OriginKind.RESULT and step.what == ".cpu"
    return moved or step.kind is OriginKind.TO_HOST or (step.kind is OriginKind.ATTRIBUTE and step.what == ".numpy()")


def _literal(f: Frame, name: str, device: Value | None, t: Tensor | None, pos: int) -> None:
    """A device that the source names: `device="cuda"`."""
    named = None if not isinstance(device, Const) else _device_name(device)
    if named in ("cuda", "xpu", "mps", "npu", "hpu"):
        _emit(f, "literal", name, t or Tensor(), named, _doubted(f, Doubt.DEVICE_FOLLOWED.cap), pos, _peer(f, t))


def _peer(f: Frame, moved: Tensor | None) -> str:
    """A parameter that holds a tensor at this point, and not the one that is moved; empty where there is none."""
    if f.function is None or f.state is None:
        return ""
    for parameter in f.function.node.params:
        value = f.state.names.get(parameter.name)
        if not isinstance(value, Tensor) or value is moved or value.array or value.device == "cpu":
            continue
        if value.confidence >= Confidence.LIKELY:
            return parameter.name
    return ""


def _read_into(f: Frame, op: str, args: Args, pos: int) -> None:
    """`torch.tensor([a.mean(), b.max()])`: every tensor in the list is read by the host."""
    data = args.get(0, "data")
    if not isinstance(data, Sequence) or data.kind not in ("list", "tuple"):
        return
    held = [v for v in (data.items if data.items is not None else (data.element,)) if isinstance(v, Tensor)]
    held = [v for v in held if not v.array and v.device != "cpu"]
    if held:
        sure = _doubted(f, Doubt.DEVICE_FOLLOWED.lower(held[0].confidence))
        count = str(len(held)) if data.items is not None else ""
        _emit(f, "read-into-tensor", op, held[0], count, sure, pos)


@if_judged
def joined(f: Frame, op: str, pair: tuple[Tensor, Tensor], pos: int) -> None:
    """`a op b` of tensors whose devices are not known to be one."""
    if not f.context.linted:
        return
    for host, other in (pair, pair[::-1]):
        if host.device != "cpu" or other.device == "cpu" or host.rank == 0 or other.rank == 0 or host.array:
            continue
        made = first(host.origin, *MADE)
        stays = first(host.origin, *OUTLIVES, OriginKind.ITEM) or any(map(_came_to_host, steps_back(host.origin)))
        placed = first(other.origin, *_TRAINED)
        stays = stays or any(map(_came_to_host, steps_back(other.origin)))
        if made is None or made.parent is not None or stays or placed is None or host.rank is None:
            continue
        _emit(f, "mismatch", op, host, made.how, _doubted(f, Doubt.DEVICE_FOLLOWED.cap), pos)
        return


def _joined_all(f: Frame, op: str, args: Args, pos: int) -> None:
    values = args.positional
    if values and isinstance(values[0], Sequence) and values[0].items is not None:
        values = list(values[0].items)
    found = [v for v in values if isinstance(v, Tensor)]
    for i, one in enumerate(found):
        for other in found[i + 1 :]:
            if one.device != other.device:
                joined(f, op, (one, other), pos)
                return


# ---------------------------------------------------------------------- dtypes


def _converted_back(f: Frame, t: Tensor, name: str, args: Args, pos: int) -> None:
    """`x.float().to(dtype)`: up and down again with nothing computed in between."""
    if t.origin is None or name in ("float", "double", "cpu", "cuda") or not _result_of(t.origin, ".float", ".double"):
        return
    before = t.origin.parent
    narrow = name in ("half", "bfloat16") or any(isinstance(v, External) and v.name in _NARROW for v in args.all())
    if before is not None and narrow:
        _emit(f, "dtype-round-trip", f".{name}()", t, t.origin.what, Doubt.CONVERSION_MAY_BE_MEANT.cap, pos)


# --------------------------------------------------------------------- layouts


def _viewed(f: Frame, t: Tensor, args: Args, pos: int) -> None:
    sizes = args.positional
    if len(sizes) == 1 and isinstance(sizes[0], Sequence):
        if sizes[0].items is None:
            return
        sizes = list(sizes[0].items)
    plain = all(isinstance(v, (Const, Scalar)) or (v is UNKNOWN and len(sizes) > 1) for v in sizes)
    if args.star is not None or not sizes or not plain:
        return
    if view_of("view", t, args, 0).raises:
        _emit(f, "view", ".view()", t, str(len(sizes)), Doubt.LAYOUT_FOLLOWED.cap, pos)


@if_judged
def written(f: Frame, t: Tensor, name: str, pos: int) -> None:
    """An in-place write to `t`."""
    if not f.context.linted or t.origin is None:
        return
    last = t.origin
    if last.kind is OriginKind.ATTRIBUTE and last.what == ".data":
        # Parameters are clipped and loaded through `.data` before they are used.
        if first(last, OriginKind.OWNED) is None and _may_train(f, t) and not _is_handed(f, last):
            _emit(f, "data", name, t, "", _training(f, t), pos)
    elif t.layout == "expanded" and _result_of(last, ".expand", ".expand_as"):
        if name == "[...] =":
            _emit(f, "expanded-item", name, t, last.how, Doubt.LAYOUT_FOLLOWED.cap, pos)
        elif name not in (".fill_()", ".zero_()"):
            _emit(f, "expanded", name, t, last.how, Doubt.LAYOUT_FOLLOWED.cap, pos)
    elif not t.array and _is_one_of_several(last) and _may_train(f, t):
        _emit(f, "multi-view", name, t, last.how, _training(f, t), pos)


def _is_one_of_several(step: Origin) -> bool:
    return step.kind is OriginKind.RESULT and step.what.rpartition(".")[2] in _MULTIPLE


def _may_train(f: Frame, t: Tensor) -> bool:
    """Whether a gradient can go through `t` at all.

    None does through integers, nor through new memory, nor in the methods of an autograd function, nor in a function
    without gradients. Measured on 2.13 and 2.15: such a write into one of several views raises nothing; one in a
    `with torch.no_grad():` does, where the views were made before it.
    """
    if t.dtype not in ("float", "complex", "") or (f.owner is not None and f.owner.is_autograd_function):
        return False
    if f.function is not None and f.function.decorated("no_grad", "inference_mode"):
        return False
    steps = list(steps_back(t.origin))
    return not (len(steps) <= _NEW and steps[-1].kind in _NEW_MEMORY)


def _is_handed(f: Frame, step: Origin) -> bool:
    """Whether it is given to a function that is a guess: an optimizer's step, what merges or loads weights."""
    computed = (one for one in steps_back(step) if one.kind in (OriginKind.RESULT, OriginKind.LAYER))
    return f.context.root_kind == "unreached" and all(one.what in VIEWS for one in computed)


def _training(f: Frame, t: Tensor) -> Confidence:
    """How likely a gradient goes through `t`: what comes out of a layer, in a forward."""
    grows = first(t.origin, *_TRAINED)
    function = f.function
    if grows is None or t.confidence < Confidence.LIKELY or f.context.root_kind == "unreached":
        return Doubt.GRADIENT_NOT_SEEN.cap
    quiet = function is not None and function.decorated("no_grad", "inference_mode")
    return (Doubt.GRADIENT_NOT_SEEN if quiet or "with" in f.around.blocks else Doubt.GRADIENT_LIKELY).cap


def _multiplied(f: Frame, op: str, values: list[Value], pos: int) -> None:
    """A copy into contiguous memory, made for a matrix product that takes any strides."""
    for value in values:
        if isinstance(value, Tensor) and value.origin is not None and _result_of(value.origin, ".contiguous"):
            before = value.origin.parent
            if before is None:
                continue
            turned = before.kind is OriginKind.ATTRIBUTE and before.what in (".T", ".mT")
            if turned or _result_of(before, ".transpose", ".permute"):
                _emit(f, "contiguous", op, value, before.how, Doubt.COPY_MAY_PAY.cap, pos)
                return


def _reordered(f: Frame, t: Tensor, name: str, args: Args, pos: int) -> None:
    wanted = args.keywords["memory_format"]
    if f.around.dropped == pos:
        return  # nothing uses the copy, and no compiler makes it
    if isinstance(wanted, External) and wanted.name.endswith(("channels_last", "channels_last_3d")):
        _emit(f, "memory-format", f".{name}()", t, wanted.name, Doubt.COPY_MAY_PAY.cap, pos)


# --------------------------------------------------------------------- emitting


def _emit(
    f: Frame, how: events.Placement, name: str, t: Tensor, detail: str, sure: Confidence, pos: int, peer: str = ""
) -> None:
    f.emit(events.Placed(f.site(pos), None, how, name, t, detail, weakest(sure, t.confidence), peer))


def _doubted(f: Frame, sure: Confidence) -> Confidence:
    """What nothing compiled reaches is host code as often as not, and there a move is the point; so under a test."""
    if f.context.root_kind == "unreached":
        sure = Doubt.NOT_KNOWN_TO_BE_COMPILED.lower(sure)
    return Doubt.MOVE_BEHIND_A_TEST.lower(sure) if f.around.conditional else sure


def _result_of(step: Origin, *operations: str) -> bool:
    return step.kind is OriginKind.RESULT and step.what in operations
