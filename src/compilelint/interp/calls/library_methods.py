"""Calls of methods and of objects that a library made: of tensors, layers, mappings and classes outside of the program.

Does not belong here: calls of a library's functions (`library`).
"""

from __future__ import annotations

from compilelint.interp.calls import untraced_calls
from compilelint.interp.core import sizes
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.markers import DISABLED, HELD, WRAPPED
from compilelint.interp.core.outcomes import finish, is_skipped, judged
from compilelint.interp.core.perform import Operation, ask
from compilelint.interp.core.refusals import refusal
from compilelint.interp.core.registry import INSTANCE_CALLS, Shape, classes_of, instance_call
from compilelint.interp.devices import capture, placement
from compilelint.interp.effects import container_writes
from compilelint.interp.hosts import compilers, frameworks
from compilelint.interp.kinds import autograd, containers, distributions, jagged_tensors, tensor_classes, tensors
from compilelint.interp.kinds.assignment import rebind
from compilelint.interp.kinds.tensor_as_number import number_read, size_break
from compilelint.interp.models import control_flow, nn_modules, steering
from compilelint.interp.refusals import (
    object_kinds,
    refused_outside,
    refused_shapes,
    refused_tensors,
)
from compilelint.interp.regions import checkpoint_bodies, gradient_hooks, hook_handles, leaving_region, operator_bodies
from compilelint.interp.text.unseen_callees import note_unknown
from compilelint.model import Doubt
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.torchfacts import Fact, Returns, SyntaxForm
from compilelint.values import (
    NONE,
    UNKNOWN,
    Bottom,
    BoundMethod,
    ClassRef,
    Compiled,
    Const,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    OriginKind,
    Partial,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Union,
    Unknown,
    Value,
    arms,
    join_all,
    unhandled,
    usual_of,
)

_MAPPINGS = ("collections.abc.Mapping", "collections.abc.MutableMapping", "typing.Mapping", "typing.MutableMapping")


def call_method(f: Frame, callee: BoundMethod, args: Args, pos: int, node: ir.Call | None) -> Value:
    """A method of a tensor, container, library object or unknown value."""
    receiver, name = callee.receiver, callee.name
    answer = _before_dispatch(f, receiver, name, args, pos, node)
    if answer is not None:
        return answer
    if isinstance(receiver, Union):
        return join_all([call_method(f, BoundMethod(a, name), args, pos, node) for a in receiver.arms if a is not NONE])
    if isinstance(receiver, Tensor):
        return tensor_method(f, receiver, name, args, pos)
    if isinstance(receiver, Unknown):
        note_unknown(f, node, pos)
        return _unknown_method(f, name, args, pos, node)
    if isinstance(receiver, (Sequence, Mapping, Const, Scalar)):
        return containers.container_method(f, receiver, name, args, pos, node)
    if isinstance(receiver, Instance):
        by_framework = frameworks.method(f, receiver, name, args, pos) if f.modes.host else None
        return by_framework or _instance_method(f, receiver, name, args, pos, node)
    if isinstance(receiver, Object):
        return _inherited_method(f, receiver, name, args, pos)
    if isinstance(receiver, ClassRef):
        return _class_method(f, receiver, name, args, pos)
    if isinstance(receiver, (External, FunctionRef, BoundMethod, Partial, Compiled, Bottom)):
        f.interp.escape(f, args, pos)
        return UNKNOWN
    return unhandled(receiver)


def _before_dispatch(f: Frame, receiver: Value, name: str, args: Args, pos: int, node: ir.Call | None) -> Value | None:
    """What a method of this name comes to on whatever has it: None where it depends on the kind of the receiver."""
    if name in capture.DRAWING and isinstance(receiver, (Unknown, Instance)):
        drawn = capture.drawn(f, receiver, args, pos)
        if drawn is not None:
            return drawn
    if name == "compile" and f.modes.silent:
        made = _compiled_in_place(f, receiver, args, pos, node)
        if made is not None:
            return made
    if name in container_writes.CHANGING and node is not None and node.func.__class__ is ir.Attr:
        container_writes.contained(f, node.func.value, name, args.get(0) or UNKNOWN, pos, args.get(0))
        if name != "setdefault":  # which changes nothing where the key is there
            checkpoint_bodies.container_changed(f, node.func.value, receiver, pos)
    return None


def _inherited_method(f: Frame, receiver: Object, name: str, args: Args, pos: int) -> Value:
    """A method that an object of the program has from a class of a library."""
    cls = receiver.cls if isinstance(receiver.cls, ClassInfo) else None
    if f.modes.host and name == "__init__":
        frameworks.initialised(f, receiver, args, pos)
    if cls is not None and name == "__call__" and cls.descends_from(control_flow.OWN_OPERATOR):
        return control_flow.own_operator(f, cls.node.name, args, pos)
    found = _of_mapping(f, receiver, name, args, pos) if name == "get" else None
    if found is not None:
        return found
    if distributions.is_distribution(receiver):
        return distributions.method(f, receiver, name, pos) or UNKNOWN
    if name == "_replace" and cls is not None and cls.is_record:
        return steering.with_fields(f, Args([receiver], args.keywords), pos)
    return nn_modules.base_method(f, receiver, name, args, pos)


def _of_mapping(f: Frame, receiver: Object, name: str, args: Args, pos: int) -> Value | None:
    """`mapping.get(key, default)` of a class of the program that inherits it from `collections.abc`."""
    cls = receiver.cls
    if not isinstance(cls, ClassInfo) or cls.method("__getitem__") is None or not cls.descends_from(*_MAPPINGS):
        return None
    key = args.get(0, "key")
    usual = None if key is None else usual_of(key)
    if usual is None:
        return None
    # What stands under the usual key, unless a caller sets another or registers another function under it.
    found = arms(f.interp.call_method(f, receiver, "__getitem__", Args([usual]), pos))
    known = [arm for arm in found if arm is not UNKNOWN]
    return join_all(known) if known else args.get(1, "default") or NONE


def _compiled_in_place(f: Frame, receiver: Value, args: Args, pos: int, node: ir.Call | None) -> Value | None:
    """`module.compile(...)` in a host: the name stands for a compiled module from here on; None for other methods."""
    if isinstance(receiver, Object):
        if not isinstance(receiver.cls, ClassInfo) or not receiver.cls.is_module:
            return None
    elif isinstance(receiver, Instance):
        if not receiver.name.startswith("torch.nn."):
            return None
    elif not (isinstance(receiver, Unknown) and compilers.asks_to_compile(f, args)):
        return None
    made = compilers.compiled_in_place(f, receiver, args, pos)
    if node is not None and isinstance(node.func, ir.Attr) and isinstance(made, Compiled):
        rebind(f, node.func.value, made)
    return NONE


def tensor_method(f: Frame, t: Tensor, name: str, args: Args, pos: int) -> Value:
    """A method of a tensor or, under its name, of an array."""
    full, measured = _measured_method(f, t, name, args)
    if measured is not None and measured.returns is Returns.PYTHON_VALUE and name.startswith(("is_", "has_")):
        return finish(f, full, t, args, pos, measured, Scalar("bool"))
    if name in _NUMBER_METHODS:
        return finish(f, full, t, args, pos, f.interp.facts.syntax(_NUMBER_METHODS[name]), Scalar(name.strip("_")))
    outcome = ask(f, Operation.CALL, name, (t,), pos, args) or _outcome_on_tensor(f, t, name, args, measured)
    if name in _RESHAPES_IN_PLACE or name in ("resize_", "resize_as_"):
        sizes.forgotten(f)
    if f.modes.in_operator and capture.writes(name):
        operator_bodies.written(f, t)
    if name in placement.METHODS:
        placement.method(f, t, name, args, pos)
    elif name == "requires_grad_":
        t, outcome = autograd.switched(f, t, args, outcome)
    capture.called(f, full, t, args, pos)
    result = _method_result(f, t, name, args, pos)
    if outcome is None or not outcome.breaks:
        outcome = jagged_tensors.read_by(f, name, (t,), args.get(0, "dim")) or outcome
    if outcome is None or not outcome.breaks:
        unfit = refused_tensors.sparse_met(f, (t, *args.all())) or refused_shapes.chosen_by(f, name, args)
        outcome = unfit or number_read(f, name, args, True, pos) or outcome
    result = size_break(f, full, name, args, pos, result, outcome)
    return finish(f, full, t, args, pos, outcome, result)


def _measured_method(f: Frame, t: Tensor, name: str, args: Args) -> tuple[str, Fact | None]:
    """The name that a method was measured under, an array's own where there is one, and what was measured."""
    facts = f.interp.facts
    known = facts.callable(f"numpy.ndarray.{name}") if t.array else None
    if known is not None:
        return f"numpy.ndarray.{name}", known
    full = f"{METHOD}{name}"
    return full, judged(facts.callable(full), args, t)


def _outcome_on_tensor(f: Frame, t: Tensor, name: str, args: Args, measured: Fact | None) -> Fact | None:
    """What was measured of a method, as far as it holds for this very tensor."""
    if jagged_tensors.traces(t, name) or (name == "as_subclass" and _is_traced_subclass(args.get(0, "cls"))):
        measured = None
    if name == "to_dense" and t.layout != "sparse":
        measured = None  # nothing to do on a tensor that is dense already
    if name in _RESHAPES_IN_PLACE and _is_input(f, t) and (measured is None or not measured.breaks):
        return f.interp.facts.syntax(SyntaxForm.INPUT_RESHAPED)
    return measured


def _method_result(f: Frame, t: Tensor, name: str, args: Args, pos: int) -> Value:
    """What a method returns."""
    result = gradient_hooks.made(t, name, tensors.method_result(f, t, name, args, pos))
    if name == "requires_grad_" and f.modes.host:
        result = autograd.asked(result, args)
    result = jagged_tensors.kept(name, (t,), result)
    if name == "as_subclass":
        return tensor_classes.made(t, args.get(0, "cls"), result)
    if t.array and name == "astype" and refused_outside.is_object_dtype(args.get(0, "dtype")):
        return refused_outside.boxed()
    return result


def _is_traced_subclass(cls: Value | None) -> bool:
    """Whether it is a tensor class of the program that leaves dispatch alone (torch's own are refused)."""
    if not isinstance(cls, ClassRef) or not isinstance(cls.cls, ClassInfo):
        return False
    return cls.cls.method("__torch_dispatch__") is None


def _is_input(f: Frame, t: Tensor) -> bool:
    """Whether the graph gets the tensor from outside: the caller, a buffer, a global, or a graph before this one."""
    if t.source not in (Source.INPUT, Source.BUFFER) or t.origin is None:
        return False
    if t.source is Source.BUFFER or t.origin.kind in _FROM_OUTSIDE:
        return True
    state = f.state  # what an earlier break made an input is one where that break is certain
    return state is not None and state.broke and not state.skipped and t.origin.kind is OriginKind.RESULT


METHOD = "torch.Tensor."


_FROM_OUTSIDE = (OriginKind.ARGUMENT, OriginKind.HELD, OriginKind.GLOBAL, OriginKind.LEAF)


_NUMBER_METHODS = {"__int__": SyntaxForm.INT, "__float__": SyntaxForm.FLOAT, "__bool__": SyntaxForm.BOOL}
"""What builtins call on a tensor, spelled out."""


_RESHAPES_IN_PLACE = frozenset(
    ["unsqueeze_", "squeeze_", "transpose_", "t_", "swapaxes_", "swapdims_", "set_", "as_strided_", "detach_"]
)


def _unknown_method(f: Frame, name: str, args: Args, pos: int, node: ir.Call | None) -> Value:
    """A method that only tensors have makes its receiver one; anything else stays silent."""
    capture.item_written(f, node, name, pos)
    capture.item_appended(f, node, name, args, pos)
    placement.unknown_moved(f, node, name, args, pos)
    operator_bodies.argument_written(f, node, name)
    if name in hook_handles.REGISTERING:
        cap, f.around.cap = f.around.cap, Doubt.USED_LIKE_A_MODULE.lower(f.around.cap)
        nn_modules.instance_method(f, Instance("torch.nn.Module"), name, args, pos)
        f.around.cap = cap
        return hook_handles.GUESSED
    if name == "requires_grad_":  # modules and tensors alike end the graph where it changes a flag
        cap, f.around.cap = f.around.cap, Doubt.USED_LIKE_A_MODULE.lower(f.around.cap)
        nn_modules.instance_method(f, Instance("torch.nn.Module"), name, args, pos, None)
        f.around.cap = cap
        return UNKNOWN
    if name in _SURE:
        confidence = (Doubt.USED_LIKE_A_TENSOR if name in _STRONG else Doubt.METHOD_OF_OTHERS_TOO).cap
        origin = f.origin(f"only tensors have `.{name}()`", pos)
        return tensor_method(f, Tensor("", None, Source.INPUT, confidence=confidence, origin=origin), name, args, pos)
    f.interp.escape(f, args, pos)
    return UNKNOWN


_STRONG = frozenset(
    """
    item nonzero masked_select unsqueeze permute masked_fill expand_as view_as softmax type_as
    """.split()
)


_SURE = _STRONG | frozenset(
    {"detach", "transpose", "contiguous", "argmax", "argmin", "tolist", "any", "all", "squeeze", "cumsum"}
)


_QUIET_LOGGER = frozenset(
    {"isEnabledFor", "getEffectiveLevel", "setLevel", "addHandler", "removeHandler", "hasHandlers"}
)


def _instance_method(f: Frame, receiver: Instance, name: str, args: Args, pos: int, node: ir.Call | None) -> Value:
    facts = f.interp.facts
    full = f"{receiver.name}.{name}"
    if receiver.name == "torch.autograd.function.FunctionCtx":
        marks = name == "mark_dirty"
        broke = f.state is not None and f.state.broke and not f.state.skipped
        if marks and f.state is not None and (broke or not receiver.inside):
            return finish(f, full, receiver, args, pos, refusal(f, "GB2019"), NONE)  # the context is one from outside
        outcome = (
            facts.syntax(SyntaxForm.FUNCTION_MARK_DIRTY)
            if marks
            else ask(f, Operation.CALL, full, (receiver,), pos, args)
        )
        if (
            outcome is not None
            and marks
            and f.function is not None
            and nn_modules.returns_what_it_marks(f.function.node)
        ):
            cap, f.around.cap = f.around.cap, Doubt.NO_GRADIENT_ONLY.lower(f.around.cap)
            finish(f, full, receiver, args, pos, outcome, NONE)
            f.around.cap = cap
            return NONE
        return finish(f, full, receiver, args, pos, outcome, NONE)
    if receiver.name == hook_handles.HANDLE:
        hook_handles.used(f, receiver, f"handle.{name}()", pos)
        return UNKNOWN
    if receiver.name == "logging.Logger":
        outcome = facts.callable(full)
        if outcome is None and name not in _QUIET_LOGGER:
            outcome = facts.callable("logging.Logger.warning")  # monkeypatched loggers: any method of a Logger is one
        return finish(f, full, receiver, args, pos, outcome, NONE)
    if receiver.name == "torch.Generator":
        result = receiver if name == "manual_seed" else UNKNOWN  # which gives the generator back
        return finish(f, full, receiver, args, pos, facts.callable(full) or generator_method(f), result)
    if receiver.name.startswith("torch.nn."):
        return nn_modules.instance_method(f, receiver, name, args, pos, node)
    if distributions.is_distribution(receiver):
        drawn = distributions.method(f, receiver, name, pos)
        return finish(f, full, receiver, args, pos, judged(facts.callable(full), args, receiver), drawn or UNKNOWN)
    outcome = ask(f, Operation.CALL, full, (receiver,), pos, args) or judged(facts.callable(full), args, receiver)
    if (outcome is None or not outcome.breaks) and receiver.name.startswith("torch.optim."):
        outcome = facts.callable(f"torch.optim.Optimizer.{name}")
    if receiver.name.startswith("ctypes.") or _is_unlisted(receiver, name, args):
        outcome = facts.skipped_call()
    if outcome is None:
        outcome = object_kinds.fact_on(f, receiver, f".{name}()")
    if outcome is None and receiver.inside and is_skipped(f, receiver.name):
        outcome = facts.skipped_call()
    f.interp.escape(f, args, pos)
    return finish(f, full, receiver, args, pos, outcome, UNKNOWN)


def generator_method(f: Frame) -> Fact | None:
    """What calling a method of a `torch.Generator` does that no fact lists."""
    return refusal(f, "GB7650")


def _is_unlisted(receiver: Instance, name: str, args: Args) -> bool:
    """Methods that no table holds: of a GradScaler, and an ExitStack's, given a context manager of a library.

    Measured on torch 2.13: a stack enters what generators and the program's own classes make.
    """
    if receiver.name == "contextlib.ExitStack" and name == "enter_context":
        given = args.get(0)
        return isinstance(given, Instance) and given.name != leaving_region.MANAGER
    return receiver.name.endswith(".GradScaler")


def _class_method(f: Frame, receiver: ClassRef, name: str, args: Args, pos: int) -> Value:
    cls = receiver.cls
    if isinstance(cls, ClassInfo) and cls.is_autograd_function and name == "apply":
        return nn_modules.apply_function(f, cls, args, pos)
    f.interp.escape(f, args, pos)
    return UNKNOWN


NUMPY_CALLABLES = frozenset({"numpy.vectorize", "numpy.poly1d"})
"""Classes of NumPy whose objects are called."""


@instance_call(DISABLED)
def _call_disabled(f: Frame, callee: Instance, args: Args, pos: int) -> Value:
    function = dict(callee.state)["function"]
    return untraced_calls.call_disabled(f, lambda: f.interp.call(f, function, args, pos), args, pos)


def call_instance(f: Frame, callee: Instance, args: Args, pos: int) -> Value:
    """Calling an instance of a library class: a layer, mostly."""
    facts = f.interp.facts
    own = INSTANCE_CALLS.get(callee.name)
    if own is not None:
        return own(f, callee, args, pos)
    outcome = facts.layer(callee.name)
    if callee.name in NUMPY_CALLABLES:
        outcome = refusal(f, "GB0008")
    elif callee.name == "builtins.type":
        outcome = refusal(f, "GB0147|class of any object")
    if outcome is None:
        outcome = object_kinds.fact_on(f, callee, object_kinds.call_of(args.positional))
    if outcome is None and callee.inside and (callee.name.startswith("numpy.") or is_skipped(f, callee.name)):
        outcome = facts.callable(callee.name)  # an object that the library made is called as little as it was made
    if outcome is not None and outcome.forms:
        settings = {k: v for k, v in callee.state if k not in (HELD, WRAPPED)}
        outcome = outcome.for_call(
            Shape(Args(args.positional, {**settings, **args.keywords}, args.star, args.double_star))
        )
    classes = classes_of(callee.name)
    if classes is not None:
        result = classes.called(f, callee, args, pos)
    else:
        made = nn_modules.call_layer(f, callee, args, pos)
        result = jagged_tensors.layer_result(callee.name, args.get(0, "input"), made)
    called = "__call__" if callee.name in (*NUMPY_CALLABLES, "builtins.type") else "forward"
    return finish(f, f"{callee.name}.{called}", callee, args, pos, outcome, result)
