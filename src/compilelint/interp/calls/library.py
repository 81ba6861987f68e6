"""Calls that leave the program: library functions, methods of library values, layers, context managers.

`torchfacts` says what Dynamo does there, `models` what comes back; this file joins the two and emits the event.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from compilelint.interp import models, refusals
from compilelint.interp.calls.library_methods import METHOD, NUMPY_CALLABLES, generator_method, tensor_method
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.markers import WRAPPED
from compilelint.interp.core.outcomes import finish, is_skipped, judged
from compilelint.interp.core.perform import Operation, perform
from compilelint.interp.core.refusals import refusal
from compilelint.interp.core.registry import MODELS, Shape, classes_of
from compilelint.interp.devices import capture, placement
from compilelint.interp.effects import container_writes, switched_state
from compilelint.interp.hosts import compilers, host_objects
from compilelint.interp.kinds import (
    autograd,
    bare_kinds,
    jagged_tensors,
)
from compilelint.interp.kinds.call_arguments import first_tensor
from compilelint.interp.kinds.operations import op_result
from compilelint.interp.kinds.tensor_as_number import number_read, only_numbers, read_by_math, size_break
from compilelint.interp.models import nn_modules, numpy, python
from compilelint.interp.refusals import (
    check_messages,
    object_kinds,
    operators_of_program,
    refused_objects,
    refused_outside,
    refused_shapes,
    refused_tensors,
)
from compilelint.interp.regions import checkpoint_bodies, leaving_region, operator_bodies
from compilelint.model import Doubt
from compilelint.model.slotted import dataclass
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.torchfacts import Fact, Reason, Returns
from compilelint.torchfacts.kinds import MAKE
from compilelint.values import (
    INT,
    NONE,
    UNKNOWN,
    Compiled,
    External,
    FunctionRef,
    Instance,
    Object,
    OriginKind,
    Partial,
    Scalar,
    Sequence,
    Tensor,
    Value,
    tensor_arm,
)

# Namespaces whose functions take and return tensors.
_TENSOR_SPACES = ("torch.", "torch.nn.functional.", "torch.linalg.", "torch.fft.", "torch.special.", "torch._C._nn.")


_TENSOR_TYPES = frozenset(
    {"Tensor", "FloatTensor", "LongTensor", "IntTensor", "BoolTensor", "DoubleTensor", "HalfTensor", "ByteTensor"}
)


_NUMPY_SIZES = {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (16, 32, 64)}
_NUMPY_NUMBERS = frozenset(f"numpy.{kind}{bits}" for kind, sizes in _NUMPY_SIZES.items() for bits in sizes)
_TENSOR_RESULTS = (Returns.UNKNOWN, Returns.TENSOR, Returns.DYNAMIC_SHAPE)


@dataclass(slots=True)
class LibraryCall:
    """A call of a library's function or class, by canonical name; `node` is the call as written, if it is."""

    frame: Frame
    name: str
    args: Args
    pos: int
    node: ir.Call | None

    def finish(self, outcome: Fact | None, result: Value) -> Value:
        """Emit the call with what Dynamo does there, and resume behind it."""
        return finish(self.frame, self.name, None, self.args, self.pos, outcome, result)

    def judged(self) -> Fact | None:
        """What Dynamo does at the call, by its name and arguments."""
        return judged(self.frame.interp.facts.callable(self.name), self.args)

    @property
    def makes_object(self) -> bool:
        """Whether the name is spelled like a class."""
        return self.name[self.name.rfind(".") + 1 :][:1].isupper()


def call_external(f: Frame, name: str, args: Args, pos: int, node: ir.Call | None = None) -> Value:
    """A library function or class, by canonical name: the first step that knows the call answers."""
    call = LibraryCall(f, name, args, pos, node)
    for step in _STEPS:
        answer = step(call)
        if answer is not None:
            return answer
    return _unknown_call(call)


def _compile_call(call: LibraryCall) -> Value | None:
    f = call.frame
    return compilers.compile_call(f, call.name, call.args, call.pos) if f.modes.silent else None


def _refused_arguments(call: LibraryCall) -> Value | None:
    operands = (External(call.name),)
    return perform(call.frame, Operation.CALL, call.name, operands, call.pos, call.node, call.args)


def _switched_state(call: LibraryCall) -> None:
    switched_state.called(call.frame, call.name, call.args, call.node, call.pos)


def _measured_on_kind(call: LibraryCall) -> Value | None:
    if object_kinds.called(call.frame, call.name, call.args.positional, call.pos):
        return _PLAIN_RESULTS.get(call.name, UNKNOWN)
    return None


def _method_of_alias(call: LibraryCall) -> Value | None:
    if refused_objects.is_method_of_alias(call.name) and not call.frame.modes.silent:
        return call.finish(refusal(call.frame, "GB0116"), UNKNOWN)
    return None


def _kind_without_model(call: LibraryCall) -> Value | None:
    made = refused_outside.proxy(call.frame, call.name, call.node) or bare_kinds.kind_made(call.frame, call.name)
    return None if made is None else call.finish(call.judged(), made)


def _modelled(call: LibraryCall) -> Value | None:
    model = MODELS.get(call.name)
    if model is None:
        return None
    f, name, args, pos = call.frame, call.name, call.args, call.pos
    if name == "builtins.next" and call.node is not None and call.node.args:
        args = call.args = _advanced(f, call.node.args[0], args, pos)
    modelled = host_objects.made(f, name, args, model(f, args, pos))
    if name == "copy.copy" and f.state is not None:
        return _copied(f, name, args, pos, modelled)
    if name in python.OWN_EVENTS or f.state is None:
        return modelled
    return call.finish(read_by_math(f, name, args) or call.judged(), modelled)


def _advanced(f: Frame, iterator: ir.Expr, args: Args, pos: int) -> Args:
    """`next(it)` leaves its iterator changed; the arguments, an iterator made here where that may be."""
    container_writes.advanced(f, iterator, args.get(0) or UNKNOWN, pos)
    checkpoint_bodies.container_changed(f, iterator, args.get(0) or UNKNOWN, pos)
    if args.get(0) is UNKNOWN and not container_writes.handed_in(f, iterator):
        return Args([Sequence("iterator", None, UNKNOWN), *args.positional[1:]], args.keywords)
    return args


def _unbound_tensor_method(call: LibraryCall) -> Value | None:
    """`torch.Tensor.add(x, y)`."""
    name, args = call.name, call.args
    unbound = tensor_arm(args.positional[0]) if name.startswith(METHOD) and args.positional else None
    if unbound is None or name.startswith(f"{METHOD}_"):  # `_make_subclass` and the like belong to the class
        return None
    rest = Args(args.positional[1:], args.keywords, args.star, args.double_star)
    return tensor_method(call.frame, unbound, name.removeprefix(METHOD), rest, call.pos)


def _torch_function(call: LibraryCall) -> Value | None:
    return _call_torch(call.frame, call.name, call.args, call.pos) if call.name.startswith("torch.") else None


def _context_manager(call: LibraryCall) -> Value | None:
    if not _makes_context_manager(call.frame, call.name):
        return None
    return call.finish(call.judged(), Instance(call.name, inside=call.frame.modes.inside))


def _numpy_function(call: LibraryCall) -> Value | None:
    f, name, args, pos = call.frame, call.name, call.args, call.pos
    if name.partition(".")[0] != "numpy":
        return None
    if name in numpy.DRAWS:
        return call.finish(*numpy.drawn(f, name, args, pos))
    if f.modes.host and name in _NUMPY_NUMBERS:
        return Instance(name)  # a number like Python's own to Dynamo, and no array
    outcome = call.judged()
    if name in NUMPY_CALLABLES:
        return call.finish(outcome, Instance(name, inside=f.modes.inside))
    return call.finish(outcome, refused_outside.made(f, name, args) or numpy.result(f, name, args, pos))


_STEPS: tuple[Callable[[LibraryCall], Value | None], ...] = (
    _compile_call,
    _refused_arguments,
    _switched_state,
    _measured_on_kind,
    _method_of_alias,
    _kind_without_model,
    _modelled,
    _unbound_tensor_method,
    _torch_function,
    _context_manager,
    _numpy_function,
)


def _unknown_call(call: LibraryCall) -> Value:
    """A call of which no model knows the result: what facts and the name say of it."""
    f, name, args = call.frame, call.name, call.args
    facts = f.interp.facts
    outcome = call.judged()
    if outcome is None and is_skipped(f, name):
        outcome = facts.skipped_call()
    f.interp.escape(f, args, call.pos)
    classes = classes_of(name) if call.makes_object else None
    result: Value = UNKNOWN
    if outcome is not None and outcome.returns is Returns.NONE:
        result = NONE
    elif facts.puts_package_in_graph(name) and (first := first_tensor(args)) is not None:
        result = Tensor(first.dtype, origin=f.origin(name, call.pos, kind=OriginKind.RESULT))
    elif classes is not None:
        result = classes.made(f, name, args)
    elif call.makes_object or name in facts.kinds:
        fields = tuple(args.keywords.items()) if name in _NAMESPACES else ()
        result = Instance(name, f.modes.inside, _wrapped(args) if f.modes.host else fields)
        if outcome is None and name in facts.kinds:
            outcome = facts.on_kind(name, MAKE, inside=True)
    return call.finish(outcome, result)


_PLAIN_RESULTS = {
    **dict.fromkeys(("builtins.len", "builtins.hash", "builtins.int"), INT),
    **dict.fromkeys(("builtins.str", "builtins.repr"), Scalar("str")),
    "builtins.bool": Scalar("bool"),
    "builtins.float": Scalar("float"),
}


_NAMESPACES = frozenset({"types.SimpleNamespace", "argparse.Namespace"})


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
    first = first_tensor(args) if f.modes.in_operator and capture.writes(op) else None
    if first is not None:
        operator_bodies.written(f, first)
    if _makes_context_manager(f, name):
        return finish(f, name, None, args, pos, outcome, Instance(name, inside=f.modes.inside))
    if name in (leaving_region.COUNTER, refused_objects.ATTENTION):
        return finish(f, name, None, args, pos, outcome, Instance(name, inside=f.modes.inside))
    if name == "torch.jit.trace" and not f.modes.silent:
        outcome = f.interp.facts.callable("torch.compiler.disable")  # which it stands under
    if name in _TORCHSCRIPT and not isinstance(args.get(0), FunctionRef):
        script = Instance(_TORCHSCRIPT[name], inside=f.modes.inside)
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
    outcome = autograd.of_function(f, name, args, judged(facts.callable(name), args))
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
        return generator_method(f)
    is_class = name[name.rfind(".") + 1 :][:1].isupper()
    if is_class or not f.interp.facts.keeps_out_of(name):
        return None
    fact = refusal(f, "GB0007")
    return None if fact is None else replace(fact, assumed=True)  # of the most, not of each


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
    return Instance(name, inside=f.modes.inside) if makes_object else UNKNOWN


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


models.load_all()
refusals.load_all()
