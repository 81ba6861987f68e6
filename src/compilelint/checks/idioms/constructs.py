"""Idioms of constructs that Dynamo does not trace, each with what it does trace in their place."""

from __future__ import annotations

from compilelint.checks.idioms.idiom import Idiom, Place
from compilelint.events import Enter

QUERIES = frozenset({"torch.Tensor.is_inference", "torch.is_inference", "torch.is_inference_mode_enabled"})
_LOCKS = frozenset({"threading.Lock", "threading.RLock", "threading.Condition", "threading.Semaphore"})


def _is_lock(place: Place) -> bool:
    return isinstance(place.event, Enter) and (place.event.name in _LOCKS or place.event.name.startswith("_thread."))


IDIOMS = (
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
