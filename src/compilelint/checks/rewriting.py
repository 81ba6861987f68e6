"""Which rewrite may remove a break, and what the engine knows that decides whether it is legal.

Plain data only: the layer `fixes` looks at the syntax, and only where a fix is wanted. Does not belong here: edits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compilelint.events import Attribute, Branch, Call, Enter, Event, Index, Syntax
from compilelint.model import Belief, Doubt, FactName, Known, Rewrite, RewriteName
from compilelint.torchfacts import Capture, Fact, Reason, SyntaxForm
from compilelint.torchfacts.hosted import HOST_FUNCTIONS
from compilelint.values import Const, Mapping, Sequence, Tensor, Value, tensor_arm

_OUTPUT = frozenset({Reason.PRINT, Reason.LOGGER, Reason.WARNING})
_SHAPES = frozenset({Reason.DYNAMIC_SHAPE})
_SWITCHES: dict[Capture, FactName] = {
    Capture.SCALAR: "capture_scalar_outputs",
    Capture.DYNAMIC_SHAPE: "capture_dynamic_output_shape_ops",
}
_CTC_LOSSES = frozenset({"torch.nn.functional.ctc_loss", "torch.ctc_loss", "torch.nn.CTCLoss.forward"})
_SIZES = frozenset({"size", SyntaxForm.SLICE_SCALAR.value})

_NAMED: dict[str, RewriteName] = {
    "gc.collect": "host-effect",
    "sys.stderr.flush": "host-effect",
    "sys.stderr.write": "host-effect",
    "sys.stdout.flush": "host-effect",
    "sys.stdout.write": "host-effect",
    "time.monotonic": "clock",
    "time.monotonic_ns": "clock",
    "time.perf_counter": "clock",
    "time.perf_counter_ns": "clock",
    "time.process_time": "clock",
    "time.process_time_ns": "clock",
    "time.time": "clock",
    "time.time_ns": "clock",
    "torch.Tensor.random_": "random-filled",
    "torch.autograd.Variable": "variable",
    "torch.jit.isinstance": "scripted-type-test",
    **dict.fromkeys(_CTC_LOSSES, "ctc-loss"),
}
"""The rewrite for the calls of one function."""

_OF_CONSTANTS: dict[str, RewriteName] = {
    "ctypes": "constant-call",
    "os.getenv": "constant-call",
    "os.path": "constant-call",
    "shutil.which": "constant-call",
}
"""The rewrite for the calls of a function, or into a library, with constants alone, all known while tracing."""


def rewrite_for(event: Event, broken: Fact) -> Rewrite | None:
    """The rewrite for a break in a linted file; None where none is known, or the break lies elsewhere."""
    found = None if event.site.inner is not None else _found(event, broken)
    if found is None or not isinstance(event, Branch):
        return found
    return replace(found, held=tuple(_beliefs(event)))


def _beliefs(event: Branch) -> Iterator[Belief]:
    """What is believed of the names of the frame that hold tensors; sure is what holds one and nothing else."""
    for name, value in event.held:
        arm = tensor_arm(value)
        if arm is None or arm.array:
            continue
        sure = arm.confidence if isinstance(value, Tensor) else Doubt.ONE_OF_SEVERAL.lower(arm.confidence)
        yield Belief(name, arm.dtype, arm.rank, sure)


def _found(event: Event, broken: Fact) -> Rewrite | None:
    if isinstance(event, Branch):
        return Rewrite("branch", tuple(_about(event.condition)))
    reason = broken.reason or Reason.OTHER
    if reason in _OUTPUT and isinstance(event, Call):
        return Rewrite("output")
    if isinstance(event, Syntax) and event.form == SyntaxForm.MODULE_SET_BUFFER.value:
        return Rewrite("buffer")
    if reason is Reason.REQUIRES_GRAD_WRITE and isinstance(event, Call):
        return Rewrite("requires-grad-asked")
    if reason is Reason.REQUIRES_GRAD_WRITE and _is_store(event):
        return Rewrite("requires-grad")
    if isinstance(event, Enter) and event.name == "torch.backends.cudnn.flags":
        return Rewrite("cudnn-flags")
    if isinstance(event, Enter) and not event.inside:
        return Rewrite("outside-context")
    if isinstance(event, Call):
        return _of_call(event, broken, reason)
    if isinstance(event, Index):
        return _of_index(event, broken, reason)
    if isinstance(event, Syntax) and event.form != SyntaxForm.IN.value and broken.cured_by:
        return Rewrite("host-read", _switches(broken))
    return None


def _is_store(event: Event) -> bool:
    return isinstance(event, Attribute) and event.store


def _of_call(event: Call, broken: Fact, reason: Reason) -> Rewrite | None:
    if event.name in ("copy.copy", "copy.deepcopy") and len(event.args) == 1:
        plain = event.name == "copy.copy" and _is_builtin_container(event.args[0])
        return Rewrite("copy", (("plain", plain), *_about(event.args[0])))
    if event.name == "builtins.bool" and len(event.args) == 1:
        return Rewrite("branch", tuple(_about(event.args[0])))
    named = _by_name(event)
    if named is not None:
        return Rewrite(named)
    hosted = HOST_FUNCTIONS.get(event.name)
    if hosted is not None:
        return Rewrite("host-function", (("function", hosted.name),))
    if reason is Reason.MODULE_STATE and event.name.endswith("_hook"):
        return Rewrite("first-call")
    if reason is Reason.PARAMETER_CONSTRUCTION:
        return Rewrite("construction")
    if reason is Reason.PYTHON_RANDOM and event.name.startswith("numpy."):
        return Rewrite("host-random")
    if reason is Reason.HOST_READ:
        known = () if event.receiver is None else tuple(_about(event.receiver))
        return Rewrite("host-read", (*known, *(_switches(broken) or _switch_of_a_list(event))))
    counted = event.name.endswith((".one_hot", ".repeat_interleave"))
    return Rewrite("dynamic-shape", _switches(broken)) if broken.cured_by or counted else None


def _by_name(event: Call) -> RewriteName | None:
    """The rewrite for what is called, or for its library where every argument is a constant."""
    if event.args and all(isinstance(one, Const) for one in event.args):
        parts = event.name.split(".")
        for end in range(len(parts), 0, -1):
            if (found := _OF_CONSTANTS.get(".".join(parts[:end]))) is not None:
                return found
    return _NAMED.get(event.name)


def _of_index(event: Index, broken: Fact, reason: Reason) -> Rewrite | None:
    index = tuple(_about(event.index))
    of = tensor_arm(event.value)
    picked: list[Known] = [("of_tensor", isinstance(event.value, Tensor))]
    if of is not None and of.rank is not None:
        picked.append(("of_rank", of.rank))
    name: RewriteName = "mask" if reason in _SHAPES else "scalar-index"
    switches = _switches(broken)
    if name == "scalar-index" and event.how in _SIZES:
        switches = switches or ((_SWITCHES[Capture.SCALAR], True),)
    if event.how and event.how != SyntaxForm.INDEX_SCALAR.value and name == "scalar-index":
        return Rewrite("dynamic-shape", switches) if switches else None
    return Rewrite(name, (*index, *picked, *switches))


def _about(value: Value) -> Iterator[Known]:
    """What is known of the tensor that decides: dtype, rank, and whether it is a tensor on every path."""
    arm = tensor_arm(value)
    if arm is None:
        return
    if arm.dtype:
        yield "dtype", arm.dtype
    if arm.rank is not None:
        yield "rank", arm.rank
    if arm.array:
        yield "array", True
    yield "always", isinstance(value, Tensor)


def _switches(broken: Fact) -> tuple[Known, ...]:
    """The configuration flags that remove the break, all of them being needed."""
    return tuple((_SWITCHES[capture], True) for capture in Capture if capture in broken.cured_by)


def _switch_of_a_list(event: Call) -> tuple[Known, ...]:
    """`.tolist()` of integers is captured, that of floats is not; an unknown dtype is tried."""
    arm = None if event.receiver is None else tensor_arm(event.receiver)
    integers = event.name.endswith(".tolist") and arm is not None and arm.dtype in ("", "int") and not arm.array
    return ((_SWITCHES[Capture.SCALAR], True),) if integers else ()


def _is_builtin_container(value: Value) -> bool:
    """A dict, list or set as Python makes it: a class of one's own may copy as it likes."""
    return isinstance(value, Mapping) or (isinstance(value, Sequence) and value.kind in ("list", "set"))
