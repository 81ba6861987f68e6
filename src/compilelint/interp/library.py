"""Calls that leave the program: library functions, methods of library values, layers, context managers.

`torchfacts` says what Dynamo does there, `models` what comes back; this file joins the two and emits the event.
"""

from __future__ import annotations

from compilelint.interp import (
    addresses,
    bare_kinds,
    bodies,
    check_messages,
    compilers,
    contents,
    frameworks,
    gradient_hooks,
    hashed_keys,
    hook_handles,
    host_objects,
    iterator_objects,
    jagged_tensors,
    leaving_region,
    object_kinds,
    operator_bodies,
    operators_of_program,
    refused_arguments,
    refused_calls,
    refused_objects,
    refused_outside,
    refused_shapes,
    refused_super,
    refused_tensors,
    sizes,
    special_methods,
    switched_state,
    tensor_classes,
    untraced_calls,
)
from compilelint.interp.frame import Args, Frame
from compilelint.interp.items import HELD, WRAPPED
from compilelint.interp.models import (
    autograd,
    capture,
    containers,
    control_flow,
    iteration,
    nn_modules,
    numpy,
    placement,
    python,
    steering,
    tensors,
    transforms,
)
from compilelint.interp.models.call_arguments import first_tensor
from compilelint.interp.models.operations import op_result
from compilelint.interp.models.registry import MODELS, Shape
from compilelint.interp.outcomes import finish, is_skipped, judged
from compilelint.interp.refusals import refusal
from compilelint.interp.storing import rebind
from compilelint.interp.tensor_as_number import number_read, only_numbers, size_break
from compilelint.model import Doubt
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.torchfacts import Fact, Reason, Returns, SyntaxForm
from compilelint.torchfacts.kinds import MAKE
from compilelint.values import (
    INT,
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
    tensor_arm,
    unhandled,
    usual_of,
)

# Namespaces whose functions take and return tensors.
_TENSOR_SPACES = ("torch.", "torch.nn.functional.", "torch.linalg.", "torch.fft.", "torch.special.", "torch._C._nn.")


_QUIET_LOGGER = frozenset(
    {"isEnabledFor", "getEffectiveLevel", "setLevel", "addHandler", "removeHandler", "hasHandlers"}
)


_TENSOR_TYPES = frozenset(
    {"Tensor", "FloatTensor", "LongTensor", "IntTensor", "BoolTensor", "DoubleTensor", "HalfTensor", "ByteTensor"}
)


_NUMPY_SIZES = {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (16, 32, 64)}
_NUMPY_NUMBERS = frozenset(f"numpy.{kind}{bits}" for kind, sizes in _NUMPY_SIZES.items() for bits in sizes)
_TENSOR_RESULTS = (Returns.UNKNOWN, Returns.TENSOR, Returns.DYNAMIC_SHAPE)


def call_external(f: Frame, name: str, args: Args, pos: int, node: ir.Call | None = None) -> Value:
    """A library function or class, by canonical name."""
    facts = f.interp.facts
    if f.silent:
        made = compilers.compile_call(f, name, args, pos)
        if made is not None:
            return made
    special = _refused_or_address(f, name, args, pos, node)
    if special is not None:
        return special
    switched_state.called(f, name, args, node, pos)
    if object_kinds.called(f, name, args.positional, pos):
        return _PLAIN_RESULTS.get(name, UNKNOWN)
    if refused_objects.is_method_of_alias(name) and not f.silent:
        return finish(f, name, None, args, pos, refusal(f, "GB0116"), UNKNOWN)
    made = refused_outside.proxy(f, name, node) or bare_kinds.kind_made(f, name)
    if made is not None:
        return finish(f, name, None, args, pos, judged(facts.callable(name), args), made)
    model = MODELS.get(name)
    if model is not None:
        if name == "builtins.next" and node is not None and node.args:
            contents.advanced(f, node.args[0], args.get(0) or UNKNOWN, pos)
            bodies.container_changed(f, node.args[0], args.get(0) or UNKNOWN, pos)
            if args.get(0) is UNKNOWN and not contents.handed_in(f, node.args[0]):
                args = Args([Sequence("iterator", None, UNKNOWN), *args.positional[1:]], args.keywords)
        modelled = host_objects.made(f, name, args, model(f, args, pos))
        if name == "copy.copy" and f.state is not None:
            return _copied(f, name, args, pos, modelled)
        if name in python.OWN_EVENTS or f.state is None:
            return modelled
        return finish(f, name, None, args, pos, judged(facts.callable(name), args), modelled)
    unbound = tensor_arm(args.positional[0]) if name.startswith(_METHOD) and args.positional else None
    if unbound is not None and not name.startswith(f"{_METHOD}_"):  # `_make_subclass` and the like belong to the class
        rest = Args(args.positional[1:], args.keywords, args.star, args.double_star)
        return _tensor_method(f, unbound, name.removeprefix(_METHOD), rest, pos)
    if name.startswith("torch."):
        return _call_torch(f, name, args, pos)
    top = name.partition(".")[0]
    outcome = judged(facts.callable(name), args)
    if _makes_context_manager(f, name):
        return finish(f, name, None, args, pos, outcome, Instance(name, inside=not f.silent))
    if name in numpy.DRAWS:
        return finish(f, name, None, args, pos, *numpy.drawn(f, name, args, pos))
    if f.host and name in _NUMPY_NUMBERS:
        return Instance(name)  # a number like Python's own to Dynamo, and no array
    if name in _NUMPY_CALLABLES:
        return finish(f, name, None, args, pos, outcome, Instance(name, inside=not f.silent))
    if top == "numpy":
        of_numpy = refused_outside.made(f, name, args) or numpy.result(f, name, args, pos)
        return finish(f, name, None, args, pos, outcome, of_numpy)
    if outcome is None and is_skipped(f, name):
        outcome = facts.skipped_call()
    f.interp.escape(f, args, pos)
    result: Value = UNKNOWN
    if outcome is not None and outcome.returns is Returns.NONE:
        result = NONE
    elif facts.puts_package_in_graph(name) and first_tensor(args) is not None:
        first = first_tensor(args)
        result = Tensor("" if first is None else first.dtype, origin=f.origin(name, pos, kind=OriginKind.RESULT))
    elif name.startswith(transforms.PREFIX) and name[name.rfind(".") + 1 :][:1].isupper():
        result = transforms.made(f, name, args)
    elif name[name.rfind(".") + 1 :][:1].isupper() or name in facts.kinds:
        result = Instance(name, not f.silent, _wrapped(args) if f.host else ())
        if outcome is None and name in facts.kinds:
            outcome = facts.on_kind(name, MAKE, inside=True)
    return finish(f, name, None, args, pos, outcome, result)


_PLAIN_RESULTS = {
    **dict.fromkeys(("builtins.len", "builtins.hash", "builtins.int"), INT),
    **dict.fromkeys(("builtins.str", "builtins.repr"), Scalar("str")),
    "builtins.bool": Scalar("bool"),
    "builtins.float": Scalar("float"),
}


def _refused_or_address(f: Frame, name: str, args: Args, pos: int, node: ir.Call | None) -> Value | None:
    """A call that these arguments keep out of the graph, and numbers that only the running process has."""
    first = args.get(0)
    storing = name in ("builtins.setattr", "builtins.delattr")
    if storing and special_methods.stored_through(f, name.removeprefix("builtins."), args, pos):
        return NONE
    if name in ("builtins.repr", "builtins.str"):
        iterator_objects.shown(f, name.removeprefix("builtins."), first, pos)
    if name == "builtins.hash":
        hashed_keys.hashed(f, first, pos)
    if name in ("builtins.id", "builtins.hash"):
        return addresses.asked(f, name, args, node)
    if name in addresses.NUMBERS and first is not None and addresses.is_address(first):
        return addresses.converted(f, name, first, pos)
    if name == "builtins.int" and first is not None and addresses.is_data_pointer(first):
        return addresses.pointer_converted(f, first, pos)
    if name in ("builtins.hasattr", "builtins.getattr"):
        asked = refused_super.asked_by_name(f, name.removeprefix("builtins."), node)
        if asked is not None:
            return finish(f, name, None, args, pos, asked, UNKNOWN)
    outcome = refused_calls.by_function(f, name, args) or refused_arguments.by_function(f, name, args, node)
    if outcome is None:
        return None
    left: Value = Instance(refused_outside.GROUPS) if name == refused_outside.GROUPS else UNKNOWN
    return finish(f, name, None, args, pos, outcome, left)


def _wrapped(args: Args) -> tuple[tuple[str, Value], ...]:
    """What an object of a class that is not followed may call: the first function or module that it is made of."""
    for value in (*args.positional, *args.keywords.values()):
        is_module = isinstance(value, Object) and isinstance(value.cls, ClassInfo) and value.cls.is_module
        if is_module or isinstance(value, (FunctionRef, Compiled, Partial)):
            return ((WRAPPED, value),)
    return ()


def _copied(f: Frame, name: str, args: Args, pos: int, result: Value) -> Value:
    """`copy.copy` of anything but a tensor is skipped; of a tensor it is a call that returns no tensor.

    What is copied so is mostly a container: that nothing is known of it does not make it a number.
    """
    fact = f.interp.facts.callable(name)
    outcome = None if fact is None else fact.for_call(Shape(args))
    if outcome is not None and not outcome.breaks:
        outcome = outcome.worst
    return finish(f, name, None, args, pos, outcome, result)


def _call_torch(f: Frame, name: str, args: Args, pos: int) -> Value:
    space, _, op = name.rpartition(".")
    outcome = _outcome_of_function(f, name, args)
    if name.startswith("torch.ops."):
        outcome = operators_of_program.called(f, name) or outcome
    if op in placement.FUNCTIONS or args.keywords:
        placement.function(f, op, args, pos)
    capture.called(f, name, None, args, pos)
    first = first_tensor(args) if f.in_operator and capture.writes(op) else None
    if first is not None:
        operator_bodies.written(f, first)
    if _makes_context_manager(f, name):
        return finish(f, name, None, args, pos, outcome, Instance(name, inside=not f.silent))
    if name in (leaving_region.COUNTER, refused_objects.ATTENTION):
        return finish(f, name, None, args, pos, outcome, Instance(name, inside=not f.silent))
    if name == "torch.jit.trace" and not f.silent:
        outcome = f.interp.facts.callable("torch.compiler.disable")  # which it stands under
    if name in _TORCHSCRIPT and not isinstance(args.get(0), FunctionRef):
        script = Instance(_TORCHSCRIPT[name], inside=not f.silent)
        return finish(f, name, None, args, pos, outcome, script)
    if name in _SAME_AS:
        return finish(f, name, None, args, pos, _read_of(f, name, args), NONE)
    if jagged_tensors.asks_for_jagged(args):
        outcome = None  # the jagged layout traces; the strided one of old does not
    if op in _TENSOR_TYPES and space in ("torch", "torch.cuda"):
        made = op_result(f, "tensor", args, pos, None, "torch.tensor")
        return finish(f, name, None, args, pos, outcome, made or UNKNOWN)
    if space.startswith("torch.nn") and op[:1].isupper():
        made = nn_modules.construct(f, name, args)
        return finish(f, name, None, args, pos, nn_modules.construction_outcome(f, name, args, outcome), made)
    result = refused_tensors.made(f, name, _result_of_function(f, name, args, pos, outcome), pos)
    result = jagged_tensors.made(name, args, result)
    result = refused_outside.made(f, name, args) or result
    f.interp.escape(f, args, pos)
    if outcome is None or not outcome.breaks:
        lengths = jagged_tensors.read_by(f, op, args.all(), args.get(1, "dim"))
        unfit = refused_tensors.met(f, op, args) or refused_shapes.met(f, op, args.positional)
        unfit = unfit or refused_shapes.written(f, args, result) or refused_shapes.chosen_by(f, op, args)
        outcome = lengths or unfit or number_read(f, op, args, False, pos) or outcome
    result = size_break(f, name, op, args, pos, result, outcome)
    return finish(f, name, None, args, pos, outcome, result)


def _outcome_of_function(f: Frame, name: str, args: Args) -> Fact | None:
    """What Dynamo does at a call of a torch function, as far as the arguments alone decide it."""
    facts = f.interp.facts
    outcome = autograd.of_function(name, args, judged(facts.callable(name), args))
    if "requires_grad" in args.keywords and name.endswith("_like") and (outcome is None or not outcome.breaks):
        outcome = judged(facts.callable("torch.zeros"), Args([], args.keywords))
    if name.startswith("torch._check"):
        return check_messages.unreadable(f, args) or outcome
    if outcome is None:
        return _unlisted_outcome(f, name)
    if outcome.breaks and only_numbers(args) and f.interp.breaks_on_data_only(outcome):
        return None
    if outcome.reason is Reason.ASSERT_ON_DATA and not _asserts_data(args):
        return None  # a compare of sizes or settings
    return outcome


def _unlisted_outcome(f: Frame, name: str) -> Fact | None:
    """Of a torch function that no table holds: a method of the generator, or one of a part that Dynamo keeps out of."""
    if name.startswith("torch.default_generator."):
        return _generator_method(f)
    is_class = name[name.rfind(".") + 1 :][:1].isupper()
    if is_class or not f.interp.facts.keeps_out_of(name):
        return None
    return f.interp.facts.of_entry("GB0007", Reason.SKIPPED_CALLABLE, measured=())  # of the most, not of each


def _generator_method(f: Frame) -> Fact | None:
    return f.interp.facts.of_entry("GB7650", Reason.GENERATOR_OBJECT, measured=("2.13", "2.15"))


def _result_of_function(f: Frame, name: str, args: Args, pos: int, outcome: Fact | None) -> Value:
    """What a torch function returns: by what was measured of it, by its model, or by its name."""
    op = name.rpartition(".")[2]
    result = _modelled_result(f, name, args, pos, outcome)
    if outcome is not None and outcome.returns is Returns.PYTHON_VALUE:
        return Scalar("bool") if op.startswith(("is_", "equal", "allclose", "can_")) else UNKNOWN
    return result


def _modelled_result(f: Frame, name: str, args: Args, pos: int, outcome: Fact | None) -> Value:
    space, _, op = name.rpartition(".")
    makes_object = op[:1].isupper()
    if f"{space}." in _TENSOR_SPACES:
        found = op_result(f, op, args, pos, None, name)
        if found is not None:
            return autograd.made(found, args)
        returns_tensor = outcome is not None and outcome.returns in _TENSOR_RESULTS
        if returns_tensor and not makes_object and first_tensor(args) is not None:
            origin = f.origin(name, pos, kind=OriginKind.RESULT)
            return Tensor(origin=origin, confidence=Doubt.RESULT_NOT_MODELLED.cap)
    elif space == "torch.autocast_mode":
        makes_object = True
    return Instance(name, inside=not f.silent) if makes_object else UNKNOWN


def _asserts_data(args: Args) -> bool:
    return tensor_arm(args.get(0) or args.keywords.get("condition") or UNKNOWN) is not None


# What gives a module of TorchScript, and as which it is judged.
_TORCHSCRIPT = {
    "torch.jit.script": "torch.jit.script",
    "torch.jit.trace": "torch.jit.trace",
    "torch.jit.freeze": "torch.jit.script",
    "torch.jit.load": "torch.jit.script",
    "torch.jit.optimize_for_inference": "torch.jit.script",
}

# Private functions that do to their argument what a measured one does.
_SAME_AS = {"torch._check_tensor_all": "torch.Tensor.item", "torch._check_tensor_all_with": "torch.Tensor.item"}


def _read_of(f: Frame, name: str, args: Args) -> Fact | None:
    return f.interp.facts.callable(_SAME_AS[name]) if first_tensor(args) is not None else None


def _makes_context_manager(f: Frame, name: str) -> bool:
    return name not in ("torch.device", "torch.compile") and f.interp.facts.context_manager(name) is not None


# --------------------------------------------------------------------- methods


_MAPPINGS = ("collections.abc.Mapping", "collections.abc.MutableMapping", "typing.Mapping", "typing.MutableMapping")


def call_method(f: Frame, callee: BoundMethod, args: Args, pos: int, node: ir.Call | None) -> Value:
    """A method of a tensor, container, library object or unknown value."""
    receiver, name = callee.receiver, callee.name
    if name in capture.DRAWING and isinstance(receiver, (Unknown, Instance)):
        drawn = capture.drawn(f, receiver, args, pos)
        if drawn is not None:
            return drawn
    if name == "compile" and f.silent:
        made = _compiled_in_place(f, receiver, args, pos, node)
        if made is not None:
            return made
    if name in contents.CHANGING and node is not None and node.func.__class__ is ir.Attr:
        contents.contained(f, node.func.value, name, args.get(0) or UNKNOWN, pos, args.get(0))
        if name != "setdefault":  # which changes nothing where the key is there
            bodies.container_changed(f, node.func.value, receiver, pos)
    if isinstance(receiver, Union):
        return join_all([call_method(f, BoundMethod(a, name), args, pos, node) for a in receiver.arms if a is not NONE])
    if isinstance(receiver, Tensor):
        return _tensor_method(f, receiver, name, args, pos)
    if isinstance(receiver, Unknown):
        capture.item_written(f, node, name, pos)
        capture.item_appended(f, node, name, args, pos)
        placement.unknown_moved(f, node, name, args, pos)
        operator_bodies.argument_written(f, node, name)
        return _unknown_method(f, name, args, pos)
    if isinstance(receiver, (Sequence, Mapping, Const, Scalar)):
        return containers.container_method(f, receiver, name, args, pos, node)
    if isinstance(receiver, Instance):
        by_framework = frameworks.method(f, receiver, name, args, pos) if f.host else None
        if by_framework is not None:
            return by_framework
        return _instance_method(f, receiver, name, args, pos, node)
    if isinstance(receiver, Object):
        if f.host and name == "__init__":
            frameworks.initialised(f, receiver, args, pos)
        own = receiver.cls if name == "__call__" and isinstance(receiver.cls, ClassInfo) else None
        if own is not None and own.descends_from(control_flow.OWN_OPERATOR):
            return control_flow.own_operator(f, own.node.name, args, pos)
        found = _of_mapping(f, receiver, name, args, pos) if name == "get" else None
        if found is not None:
            return found
        if name == "_replace" and isinstance(receiver.cls, ClassInfo) and receiver.cls.is_record:
            return steering.with_fields(f, Args([receiver], args.keywords), pos)
        return nn_modules.base_method(f, receiver, name, args, pos)
    if isinstance(receiver, ClassRef):
        return _class_method(f, receiver, name, args, pos)
    if isinstance(receiver, (External, FunctionRef, BoundMethod, Partial, Compiled, Bottom)):
        f.interp.escape(f, args, pos)
        return UNKNOWN
    return unhandled(receiver)


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


def _tensor_method(f: Frame, t: Tensor, name: str, args: Args, pos: int) -> Value:
    full = f"torch.Tensor.{name}"
    outcome = judged(f.interp.facts.callable(full), args, t)
    known = f.interp.facts.callable(f"numpy.ndarray.{name}") if t.array else None
    if known is not None:
        full, outcome = f"numpy.ndarray.{name}", known
    if outcome is not None and outcome.returns is Returns.PYTHON_VALUE and name.startswith(("is_", "has_")):
        return finish(f, full, t, args, pos, outcome, Scalar("bool"))
    if name in _NUMBER_METHODS:
        return finish(f, full, t, args, pos, f.interp.facts.syntax(_NUMBER_METHODS[name]), Scalar(name.strip("_")))
    if name == "as_subclass" and _is_traced_subclass(args.get(0, "cls")):
        outcome = None
    if name == "to_dense" and t.layout != "sparse":
        outcome = None  # nothing to do on a tensor that is dense already
    if jagged_tensors.traces(t, name):
        outcome = None
    if name in _RESHAPES_IN_PLACE and _is_input(f, t) and (outcome is None or not outcome.breaks):
        outcome = f.interp.facts.syntax(SyntaxForm.INPUT_RESHAPED)
    outcome = (
        refused_calls.by_method(f, t.array, name, args) or refused_arguments.by_method(f, t, name, args) or outcome
    )
    if name in _RESHAPES_IN_PLACE or name in ("resize_", "resize_as_"):
        sizes.forgotten(f)
    if f.in_operator and capture.writes(name):
        operator_bodies.written(f, t)
    if name in placement.METHODS:
        placement.method(f, t, name, args, pos)
    elif name == "requires_grad_":
        t, outcome = autograd.switched(f, t, args, outcome)
    capture.called(f, full, t, args, pos)
    result = gradient_hooks.made(t, name, tensors.method_result(f, t, name, args, pos))
    if name == "requires_grad_" and f.host:
        result = autograd.asked(result, args)
    result = jagged_tensors.kept(name, (t,), result)
    if name == "as_subclass":
        result = tensor_classes.made(t, args.get(0, "cls"), result)
    if t.array and name == "astype" and refused_outside.is_object_dtype(args.get(0, "dtype")):
        result = refused_outside.boxed()
    if outcome is None or not outcome.breaks:
        outcome = jagged_tensors.read_by(f, name, (t,), args.get(0, "dim")) or outcome
    if outcome is None or not outcome.breaks:
        unfit = refused_tensors.sparse_met(f, (t, *args.all())) or refused_shapes.chosen_by(f, name, args)
        outcome = unfit or number_read(f, name, args, True, pos) or outcome
    result = size_break(f, full, name, args, pos, result, outcome)
    return finish(f, full, t, args, pos, outcome, result)


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


_METHOD = "torch.Tensor."
_FROM_OUTSIDE = (OriginKind.ARGUMENT, OriginKind.HELD, OriginKind.GLOBAL, OriginKind.LEAF)
_NUMBER_METHODS = {"__int__": SyntaxForm.INT, "__float__": SyntaxForm.FLOAT, "__bool__": SyntaxForm.BOOL}
"""What builtins call on a tensor, spelled out."""
_RESHAPES_IN_PLACE = frozenset(
    ["unsqueeze_", "squeeze_", "transpose_", "t_", "swapaxes_", "swapdims_", "set_", "as_strided_", "detach_"]
)


def _unknown_method(f: Frame, name: str, args: Args, pos: int) -> Value:
    """A method that only tensors have makes its receiver one; anything else stays silent."""
    if name in hook_handles.REGISTERING:
        cap, f.cap = f.cap, Doubt.USED_LIKE_A_MODULE.lower(f.cap)
        nn_modules.instance_method(f, Instance("torch.nn.Module"), name, args, pos)
        f.cap = cap
        return hook_handles.GUESSED
    if name in _SURE:
        confidence = (Doubt.USED_LIKE_A_TENSOR if name in _STRONG else Doubt.METHOD_OF_OTHERS_TOO).cap
        origin = f.origin(f"only tensors have `.{name}()`", pos)
        return _tensor_method(f, Tensor("", None, Source.INPUT, confidence=confidence, origin=origin), name, args, pos)
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


def _instance_method(f: Frame, receiver: Instance, name: str, args: Args, pos: int, node: ir.Call | None) -> Value:
    facts = f.interp.facts
    full = f"{receiver.name}.{name}"
    if receiver.name == "torch.autograd.function.FunctionCtx":
        marks = name == "mark_dirty"
        broke = f.state is not None and f.state.broke and not f.state.skipped
        if marks and f.state is not None and (broke or not receiver.inside):
            return finish(f, full, receiver, args, pos, refusal(f, "GB2019"), NONE)  # the context is one from outside
        outcome = facts.syntax(SyntaxForm.FUNCTION_MARK_DIRTY) if marks else refused_arguments.context_method(f, name)
        if (
            outcome is not None
            and marks
            and f.function is not None
            and nn_modules.returns_what_it_marks(f.function.node)
        ):
            cap, f.cap = f.cap, Doubt.NO_GRADIENT_ONLY.lower(f.cap)
            finish(f, full, receiver, args, pos, outcome, NONE)
            f.cap = cap
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
        return finish(f, full, receiver, args, pos, facts.callable(full) or _generator_method(f), UNKNOWN)
    if receiver.name.startswith("torch.nn."):
        return nn_modules.instance_method(f, receiver, name, args, pos, node)
    outcome = refused_calls.by_object(f, full, args) or judged(facts.callable(full), args, receiver)
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


_NUMPY_CALLABLES = frozenset({"numpy.vectorize", "numpy.poly1d"})
"""Classes of NumPy whose objects are called."""


def call_instance(f: Frame, callee: Instance, args: Args, pos: int) -> Value:
    """Calling an instance of a library class: a layer, mostly."""
    facts = f.interp.facts
    if callee.name == steering.TRANSFORM:
        return steering.call_transformed(f, callee, args, pos)
    if callee.name == control_flow.REGION:
        return control_flow.call_region(f, callee, args, pos)
    if callee.name == steering.DISABLED:
        function = dict(callee.state)["function"]
        return untraced_calls.call_disabled(f, lambda: f.interp.call(f, function, args, pos), args, pos)
    outcome = facts.layer(callee.name)
    if callee.name in _NUMPY_CALLABLES:
        outcome = refusal(f, "GB0008")
    elif callee.name == "builtins.type":
        outcome = refusal(f, "GB0147")
    if outcome is None:
        outcome = object_kinds.fact_on(f, callee, object_kinds.call_of(args.positional))
    if outcome is None and callee.inside and (callee.name.startswith("numpy.") or is_skipped(f, callee.name)):
        outcome = facts.callable(callee.name)  # an object that the library made is called as little as it was made
    if outcome is not None and outcome.forms:
        settings = {k: v for k, v in callee.state if k not in (HELD, WRAPPED)}
        outcome = outcome.for_call(
            Shape(Args(args.positional, {**settings, **args.keywords}, args.star, args.double_star))
        )
    if callee.name.startswith(transforms.PREFIX):
        result = transforms.called(f, callee, args, pos)
    else:
        made = nn_modules.call_layer(f, callee, args, pos)
        result = jagged_tensors.layer_result(callee.name, args.get(0, "input"), made)
    called = "__call__" if callee.name in (*_NUMPY_CALLABLES, "builtins.type") else "forward"
    return finish(f, f"{callee.name}.{called}", callee, args, pos, outcome, result)


# Imported for the models they register.
_REGISTERED = (control_flow, iteration, steering)
