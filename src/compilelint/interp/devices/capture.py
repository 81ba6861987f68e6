"""What a CUDA graph cannot hold, where the mode of the root records one.

Inductor leaves what runs on the host, copies between devices and what a capture refuses out of the recording, and
records nothing of a graph that writes to its inputs. All of it was recorded on a GPU (`benchmarks/cudagraphs`), so were
the forms that are fine: constants made in the region, which Inductor makes on the device; a mask that a single number
is stored under; writes to parameters and buffers; state that is only written.
Copies between devices are `events.Placed`. Does not belong here: what a finding says.
"""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged_else_false
from compilelint.interp.core.origin_steps import MADE, OUTLIVES, first, of_an_argument, steps_back
from compilelint.interp.core.outcomes import BETWEEN_GRAPHS, DRAWN_BETWEEN
from compilelint.interp.devices import host_constants
from compilelint.interp.devices.kept_results import is_computed
from compilelint.interp.devices.rebinding_in_branches import perhaps_new
from compilelint.interp.effects.state_slots import doubted
from compilelint.interp.text import held_items, optional_arguments
from compilelint.interp.text.copies_needed import ASKED
from compilelint.interp.text.lazily_filled_state import handed_back
from compilelint.interp.text.passed_values import keeps_its_place, made_by_caller
from compilelint.interp.text.usage import expressions_of
from compilelint.model import Confidence, Doubt, weakest
from compilelint.project.classes import FunctionInfo
from compilelint.survey.dtype_tests import dtype_asked_for
from compilelint.survey.operator_kernels import Operator, operator_of, registration
from compilelint.syntax import ir, places
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import dotted_name
from compilelint.torchfacts import captures
from compilelint.values import (
    UNKNOWN,
    Const,
    Instance,
    OriginKind,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Unknown,
    Value,
    is_drawn,
    tensor_arm,
    type_name,
)

_RANDOM = frozenset({"rand", "randn", "randint", "normal", "randperm", "bernoulli", "multinomial"})
_NO_DATA = frozenset({"requires_grad_", "retain_grad_", "share_memory_", "rename_", "is_shared_", "detach_"})
_METADATA = frozenset({"unsqueeze_", "squeeze_", "transpose_", "t_", "swapaxes_", "swapdims_", "set_"})
_MOVES = frozenset({"to", "cuda", "cpu", "type_as", "copy_", "is_same_size", "equal", "allclose", "set_", "new_tensor"})
DRAWING = frozenset({"uniform", "gauss", "normalvariate", "betavariate", "beta", "normal", "random"})
_OF_A_DISTRIBUTION = 2  # parameters, before the size
_REUSED = frozenset({"exp", "sigmoid"})  # too dear for Inductor to compute again in each kernel
_NAMESPACE = "torch.ops."
_OPERATORS = frozenset({"torch.cond", "torch.ops.higher_order.cond", "torch.while_loop"})
_LOOPS = ("._higher_order_ops.while_loop.while_loop", "._higher_order_ops.cond.cond")


def called(f: Frame, name: str, receiver: Tensor | None, args: Args, pos: int) -> None:
    """A function of torch, a layer or a method of a tensor is called."""
    if name.startswith(_NAMESPACE) and _recorded_here(f):  # a library hides operators of its own
        _operator_called(f, name, f.interp.kernels.operator("::".join(name.split(".")[2:4])), args, pos)
    if not _recording(f):
        return
    last = name.rpartition(".")[2]
    if name.startswith(_NAMESPACE):
        pass
    elif captures.refused(name):
        _emit(f, "refused", name, receiver or args.get(0, "input"), Doubt.RECORDED_ON_ONE_DEVICE.cap, pos)
    elif (name in _OPERATORS or name.endswith(_LOOPS)) and not _known_test(args):
        _emit(f, "control-flow", name, None, Confidence.CERTAIN, pos)
    elif receiver is not None and writes(last):
        written(f, receiver, name, pos)
    elif writes(last) and last.startswith("_foreach_"):
        one = args.get(0, "self")
        if isinstance(one, Sequence):
            one = one.element if one.items is None else next(iter(one.items), None)
        written(f, one, name, pos)
    elif _is_true(args.keywords.get("inplace")):
        written(f, args.get(0, "input"), name, pos)
    written(f, args.keywords.get("out"), name, pos)
    if last not in _MOVES:
        _met(f, name, receiver, args, pos)
        host = receiver or tensor_arm(args.get(0, "input") or UNKNOWN)
        if host is not None:
            worked(f, name, host, pos)


def worked(f: Frame, name: str, host: Tensor, pos: int) -> None:
    """An operation on a constant that the region makes, which Inductor leaves on the host."""
    if _recording(f) and host_constants.computed(host, name.rpartition(".")[2]):
        _emit(f, "host-work", name, host, Doubt.RECORDED_ON_ONE_DEVICE.lower(host.confidence), pos)


def _met(f: Frame, name: str, receiver: Tensor | None, args: Args, pos: int) -> None:
    """A number on the host among the tensors that an operation takes: `x.clamp(self.low, self.high)`."""
    given = [v for v in (receiver, *args.all()) if isinstance(v, Tensor)]
    if len(given) > 1 and any(tensor.device != "cpu" and not tensor.array for tensor in given):
        host = next((one for one in given if _is_host_number(one)), None)
        if host is not None:
            _emit(f, "host-number", name, host, Doubt.DEVICE_FOLLOWED.lower(host.confidence), pos)


def drawn(f: Frame, receiver: Unknown | Instance, args: Args, pos: int) -> Value | None:
    """`rng.uniform(0.5, 2.0)` of a generator that the program made: a float that differs from call to call."""
    known = isinstance(receiver, Instance) and not receiver.name.startswith(("random.Random", "numpy.random."))
    plain = all(isinstance(value, (Const, Scalar)) for value in args.positional)
    if known or not plain or args.keywords or args.star or len(args.positional) > _OF_A_DISTRIBUTION:
        return None
    return Scalar("float", origin=f.origin(DRAWN_BETWEEN, pos)) if _recording(f) else None


def function_called(f: Frame, code: FunctionInfo, args: Args, pos: int) -> None:
    """A function that Dynamo does not enter is called: a custom operator may read the host, or write its arguments."""
    if _recording(f):
        registered = registration(code)
        if registered is not None:
            name = code.node.name
            _operator_called(f, name, operator_of(code.module, code.node, registered), args, pos)


def _operator_called(f: Frame, name: str, operator: Operator | None, args: Args, pos: int) -> None:
    if operator is None:
        return
    for place, parameter in operator.writes if _recording(f) else ():
        written(f, args.get(place, parameter), name, pos)
    read = operator.read
    if read is not None:
        how: events.UnrecordedHow = "tagged" if read.tagged else "refused"
        unless = "" if f.function is None else dtype_asked_for(f.function)
        _emit(f, how, name, args.get(0), Doubt.RECORDED_ON_ONE_DEVICE.cap, pos, unless)


def layer_called(f: Frame, layer: Instance, first: Tensor | None, pos: int) -> None:
    """A layer of torch is called; `nn.ReLU(inplace=True)` writes what it is given."""
    if first is not None and _recording(f) and _is_true(dict(layer.state).get("inplace")):
        written(f, first, layer.name, pos)


def written(f: Frame, value: Value | None, name: str, pos: int) -> None:
    """`value` is written in place."""
    if not _recording(f) or value is None:
        return
    tensor = tensor_arm(value)
    sure = None if tensor is None or tensor.array else of_an_argument(tensor)
    argument = None if tensor is None or sure is None else first(tensor.origin, OriginKind.ARGUMENT)
    if argument is not None and made_by_caller(f, argument):
        return
    if tensor is not None and keeps_its_place(tensor):
        return
    if tensor is not None and sure is not None:
        sure = Doubt.NEW_ON_SOME_WAYS.lower(sure) if perhaps_new(f.function, pos) else sure
        _emit(f, "input-written", name, tensor, weakest(sure, tensor.confidence), pos)


def item_written(f: Frame, node: ir.Call | None, name: str, pos: int) -> None:
    """`cache["k"].index_copy_(...)` of an argument of the root of which nothing else is known."""
    if not writes(name) or not _recording(f) or f.function is None or f.context.caller is not None:
        return
    results = f.interp.facts.results
    if name in results.of_modules or not results.shapes_of(f"torch.Tensor.{name}"):
        return
    if node is None or not isinstance(node.func, ir.Attr):
        return
    held_by = held_items.holder(f.function, node.func.value)
    if held_by:
        origin = f.origin(f"`{held_by}`", f.function.node.head, kind=OriginKind.ARGUMENT)
        sure = Doubt.USED_LIKE_A_TENSOR.cap
        written(f, Tensor("", None, Source.INPUT, confidence=sure, origin=origin), f".{name}", pos)


def item_appended(f: Frame, node: ir.Call | None, name: str, args: Args, pos: int) -> None:
    """`losses.append(loss)`, of a list that the caller holds: it keeps a result of the graph for the next call."""
    if name not in ("append", "extend", "insert") or not _recording(f) or f.function is None:
        return
    if f.context.caller is not None or node is None or not isinstance(node.func, ir.Attr):
        return
    held_by = held_items.holder(f.function, node.func.value)
    result = next((v for v in args.all() if is_computed(v)), None)
    if held_by and result is not None:
        _emit(f, "kept-output", held_by, result, Doubt.RECORDED_ON_ONE_DEVICE.cap, pos)


def item_rebound(f: Frame, target: ir.Index, value: Value) -> None:
    """`cache["k"] = torch.cat([cache["k"], k])` of an argument: it keeps a result for the next call, which reads it."""
    if not _recording(f) or f.function is None or f.context.caller is not None or not is_computed(value):
        return
    held_by = held_items.holder_of_name(f.function, target.value.id) if isinstance(target.value, ir.Name) else ""
    if held_by and _read_before(f.function.node, target):
        doubt = Doubt.HANDED_BACK if held_by in fact(f.function.node, handed_back) else Doubt.RECORDED_ON_ONE_DEVICE
        _emit(f, "kept-output", held_by, value, doubt.cap, target.pos)


def _read_before(function: ir.Function, target: ir.Index) -> bool:
    """Whether the item that is stored is looked at in or above that statement."""
    line, held, key = places.line_of(target.pos), _name_or_key(target.value), _name_or_key(target.index)
    above = (
        one
        for one in expressions_of(function.body)
        if isinstance(one, ir.Index) and one.pos != target.pos and places.line_of(one.pos) <= line
    )
    return key is not None and any(_name_or_key(one.value) == held and _name_or_key(one.index) == key for one in above)


def _name_or_key(expr: ir.Expr) -> tuple[str, object] | None:
    if isinstance(expr, ir.Name):
        return "name", expr.id
    return ("key", expr.value) if isinstance(expr, ir.Const) else None


def stored(f: Frame, tensor: Tensor, index: Value, value: Value, target: ir.Index) -> None:
    """`tensor[index] = value`."""
    pos = target.pos
    if not _recording(f) or type_name(index) == "str":
        return  # a dict of tensors that was taken for one
    if _is_number_index(index) and _may_be_list(f, tensor):
        tensor = tensor.but(confidence=Doubt.ITEMS_BY_NUMBER.lower(tensor.confidence))
    written(f, tensor, "[...] =", pos)
    parts = _parts(index)
    masks = [part for part in map(tensor_arm, parts) if part is not None and part.dtype == "bool"]
    sliced = index is not UNKNOWN and any(not _is_number_index(p) for p in parts if tensor_arm(p) is None)
    if not masks and _reads_like_a_mask(target.index):
        known = tensor_arm(index)
        if index is UNKNOWN or (known is not None and known.dtype == ""):
            sure = Doubt.USED_LIKE_A_TENSOR.cap if known is None else known.confidence
            masks = [Tensor("bool", None, Source.INPUT, confidence=sure)]
    if masks and (sliced or not _is_one_number(value) or _stores_rows(f.around.rhs)):
        _emit(f, "mask-write", "[...] =", masks[0], Doubt.RECORDED_ON_ONE_DEVICE.lower(masks[0].confidence), pos)
    indexed(f, tensor, index, pos)


def _may_be_list(f: Frame, tensor: Tensor) -> bool:
    """Whether only the name of an argument that a caller passes, or what is annotated, says that it is a tensor."""
    origin = tensor.origin
    if origin is None or tensor.confidence is Confidence.CERTAIN:
        return False
    named = origin.kind is OriginKind.ARGUMENT and origin.what.endswith("a tensor by its name")
    return (named and f.context.caller is not None) or (
        origin.kind is OriginKind.PLAIN and origin.what.startswith("annotated") and tensor.source is Source.INPUT
    )


def _stores_rows(written: ir.Expr | ir.AugAssign | None) -> bool:
    """Whether what is stored under a mask was taken out by one: `y[mask] += 1.0`, `y[mask] = x[mask]`."""
    if isinstance(written, ir.AugAssign):
        return True
    return isinstance(written, ir.Index) and _reads_like_a_mask(written.index)


def _reads_like_a_mask(index: ir.Expr) -> bool:
    """Whether an index of which nothing is known is a comparison, `~kept`, `m.bool()`, or named a mask."""
    if isinstance(index, ir.Compare):
        return True
    if isinstance(index, ir.Unary):
        return index.op == "~"
    name = dotted_name(index.func if isinstance(index, ir.Call) else index).rpartition(".")[2]
    return name == "bool" if isinstance(index, ir.Call) else name == "mask" or name.endswith("_mask")


def indexed(f: Frame, tensor: Tensor, index: Value, pos: int) -> None:
    """`tensor[index]`: an index on the host is copied, or made in every call."""
    if not _recording(f):
        return
    for part in map(tensor_arm, _parts(index)):
        if part is None or part.device != "cpu" or tensor.device == "cpu" or part.rank == 0 or part.array:
            continue
        made = first(part.origin, *MADE)
        # Inductor makes other constants on the device; what is drawn on the host stays there.
        if _came_to_host(part) or (made is not None and (made.what == "tensor" or made.what in _RANDOM)):
            _emit(f, "host-index", "[...]", part, Doubt.DEVICE_FOLLOWED.lower(part.confidence), pos)
            return


def joined(f: Frame, op: str, one: Value, other: Value, pos: int) -> None:
    """`one op other`; what is not known is taken for a tensor, for a host number meets no other kind in a graph."""
    if not _recording(f):
        return
    for host, tensor in ((one, other), (other, one)):
        if not isinstance(tensor, (Tensor, Unknown)):
            continue
        if isinstance(tensor, Tensor) and (tensor.device == "cpu" or tensor.array):
            continue
        if is_drawn(host):
            _emit(f, "drawn-number", op, host, Doubt.RECORDED_ON_ONE_DEVICE.cap, pos)
        elif isinstance(host, Scalar) and isinstance(tensor, Tensor):
            if host.origin is not None and host.origin.what in (BETWEEN_GRAPHS, DRAWN_BETWEEN):
                read = host.origin.parent is not None and f.context.root_kind not in ASKED
                doubt = Doubt.READ_IS_REPORTED if read else Doubt.RECORDED_ON_ONE_DEVICE
                _emit(f, "number-between", op, host, doubt.lower(tensor.confidence), pos)
        elif isinstance(host, Tensor) and _is_host_number(host):
            _emit(f, "host-number", op, host, Doubt.DEVICE_FOLLOWED.lower(host.confidence), pos)


def _is_host_number(host: Tensor) -> bool:
    """Whether a 0-d tensor stays on the host: one that is kept there, drawn there, copied or computed there."""
    if host.device != "cpu" or host.array or host.rank not in (0, None):
        return False
    kept = first(host.origin, *OUTLIVES) is not None
    if kept and first(host.origin, OriginKind.ITEM) is not None:
        return _is_copied_item(host)
    if host.rank is None:
        return False
    kept = kept or host.source is Source.INPUT or _came_to_host(host)
    made = first(host.origin, *MADE)
    random = made is not None and made.what in _RANDOM
    return kept or random


def _is_copied_item(host: Tensor) -> bool:
    """Whether `self.table[3]` of a table on the host is copied in every call; of more dimensions eager code refuses it.

    The kernel on the device reads what is computed from it by a few operations, as measured by compiling them.
    """
    done = []
    for step in steps_back(host.origin):
        if step.kind is OriginKind.ITEM:
            break
        done.append(step.what.rpartition(".")[2])
    return not done or any(name in _REUSED for name in done)


# --------------------------------------------------------------------- asking


def _recording(f: Frame) -> bool:
    return f.context.config.mode is not None and f.context.linted and _recorded_here(f)


@if_judged_else_false
def _recorded_here(f: Frame) -> bool:
    """Whether what runs here is recorded, be it of the project or of a library."""
    context = f.context
    if context.config.mode is None:
        return False
    return context.config.records_cuda_graphs and context.root_kind != "unreached"


def writes(name: str) -> bool:
    """Whether a method or function writes the data of its first tensor, by its name."""
    return name.endswith("_") and not name.endswith("__") and name not in _NO_DATA and name not in _METADATA


def _known_test(args: Args) -> bool:
    """A condition that is no tensor is decided while tracing."""
    test = args.get(0, "pred")
    return isinstance(test, (Const, Scalar)) and not is_drawn(test)


def _parts(index: Value) -> tuple[Value, ...]:
    if isinstance(index, Sequence) and index.kind == "tuple" and index.items is not None:
        return index.items
    return (index,)


def _is_number_index(part: Value) -> bool:
    return isinstance(part, (Const, Scalar)) and not (isinstance(part, Const) and part.value in (None, Ellipsis))


def _is_one_number(value: Value) -> bool:
    """A Python number or a 0-d tensor; what is not known counts as one."""
    tensor = tensor_arm(value)
    return tensor is None or tensor.rank is None or tensor.rank == 0


def _is_true(value: Value | None) -> bool:
    return isinstance(value, Const) and value.value is True


def _came_to_host(tensor: Tensor) -> bool:
    return any(
        step.kind is OriginKind.TO_HOST or (step.kind is OriginKind.RESULT and step.what == ".cpu")
        for step in steps_back(tensor.origin)
    )


def _emit(
    f: Frame, how: events.UnrecordedHow, name: str, value: Value | None, sure: Confidence, pos: int, unless: str = ""
) -> None:
    given = optional_arguments.given(f)
    if f.around.tests and doubted(f, built=True):
        sure = Doubt.DEFAULTS_SAY_OTHERWISE.lower(sure)
    f.emit(events.Unrecorded(f.site(pos), None, how, name, value or Instance(name), sure, given, unless))
