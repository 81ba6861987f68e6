"""Idioms of constructs that Dynamo does not trace, each with what it does trace in their place."""

from __future__ import annotations

from compilelint.checks.idioms.idiom import Idiom, Place
from compilelint.checks.written import operands
from compilelint.events import Call, Enter
from compilelint.syntax import ir
from compilelint.values import Const, Sequence, tensor_arm

QUERIES = frozenset({"torch.Tensor.is_inference", "torch.is_inference", "torch.is_inference_mode_enabled"})
_LOCKS = frozenset({"threading.Lock", "threading.RLock", "threading.Condition", "threading.Semaphore"})


def _is_lock(place: Place) -> bool:
    return isinstance(place.event, Enter) and (place.event.name in _LOCKS or place.event.name.startswith("_thread."))


def _is_constant(place: Place) -> bool:
    """A call that gets constants alone, so that it gives the same in each call of the function."""
    event = place.event
    plain = all(isinstance(one, (Const, Sequence)) and tensor_arm(one) is None for one in operands(event))
    return isinstance(event, Call) and event.receiver is None and plain


def _is_replaced(place: Place) -> bool:
    """`self.weight = nn.Parameter(value)`: an attribute gets another parameter, for its value."""
    above = place.above
    is_bound = isinstance(above, ir.Assign) and any(isinstance(target, ir.Attr) for target in above.targets)
    return place.name == "torch.nn.Parameter" and is_bound


IDIOMS = (
    Idiom(
        "parameter-replaced",
        ("CL605",),
        "build it in `__init__`, and write new values into it: `with torch.no_grad(): self.weight.copy_(value)`",
        _is_replaced,
    ),
    Idiom(
        "lengths-packed",
        ("CL603",),
        "keep the sequences padded and mask what is behind the lengths (`torch.arange(t) < lengths[:, None]`), or "
        "pack and run the layer outside the compiled function",
        lambda place: place.operation in ("pack_padded_sequence", "pad_packed_sequence"),
    ),
    Idiom(
        "numpy-constant",
        ("CL617",),
        "call it once, before the compiled call, and keep the result: `self.register_buffer(name, "
        "torch.as_tensor(array))` in `__init__`",
        _is_constant,
    ),
    Idiom(
        "written-in-a-loop",
        ("CL205",),
        "keep the loop in Python and compile what it calls (`model.compile()`), or write once, after the compiled call",
        lambda place: any(isinstance(node, (ir.For, ir.While)) for node in place.path),
    ),
    Idiom(
        "inference-asked",
        ("CL505",),
        "ask before the compiled call, and pass the answer in as a bool: this is a question, and switches nothing",
        lambda place: place.name in QUERIES,
    ),
    Idiom(
        "random-filled",
        ("CL690",),
        "draw with `torch.randint(low, high, size)`, which is traced, and cast it",
        lambda place: place.name == "torch.Tensor.random_",
    ),
    Idiom(
        "scripted-type-test",
        ("CL601",),
        "use `isinstance(x, list)`: the items need no test where nothing is scripted",
        lambda place: place.name == "torch.jit.isinstance",
    ),
    Idiom(
        "lock-held",
        ("CL602",),
        "take the lock around the compiled call: a lock inside breaks wherever it is made",
        _is_lock,
    ),
)
