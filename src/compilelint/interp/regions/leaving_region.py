"""What leaves the region and cannot: generators and context managers that are returned, a region that is a generator.

Measured on torch 2.13 and 2.15. Dynamo rebuilds what a compiled function returns. It cannot rebuild a generator
expression, an `enumerate` or what walks the parts of a module, a context manager made by `contextlib.contextmanager`,
the address of something made inside, a method of an object made inside (up to 2.14 those of library classes are), the
context of an autograd function, what preserves a version counter: then nothing of the frame is compiled. The same
holds at the end of the frame where one was stored outside of it. `zip`, `map`, `iter`, `itertools.count`
and generators of the program's own functions are rebuilt. A generator function is refused before it is traced.

What one traced function hands to another never leaves, so all of this is true of functions that only Python calls:
events are kept until it is known that no traced code calls them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from compilelint import events
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.refusals import refusal
from compilelint.interp.refusals import object_kinds
from compilelint.interp.refusals.addresses import ADDRESS
from compilelint.interp.regions.gradient_hooks import RETURNED, is_handle
from compilelint.project.classes import FunctionInfo
from compilelint.torchfacts import Fact, SyntaxForm
from compilelint.values import (
    LAZY,
    BoundMethod,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Sequence,
    Tensor,
    Value,
    arms,
)

MANAGER: Final = "contextlib._GeneratorContextManager"
"""What a function under `contextlib.contextmanager` gives."""

BODY: Final = "<body>"  # where its state keeps the generator
_GENERATOR: Final = "GB0003"  # "Attempt to trace generator"
_LAZY: Final = "GB8335"  # "Generator reconstruction with mutations"
_CONTEXT: Final = "GB2533"  # "reconstructing @contextmanager object"
_ADDRESS: Final = "GB4501"  # "Reconstruction of FakeIdVariable"
_CONTEXT_OF_FUNCTION: Final = "GB0019"  # "AutogradFunctionContextVariable escaped Dynamo-traced region"
COUNTER: Final = "torch.autograd._unsafe_preserve_version_counter"
_VERSIONS: Final = "GB0209"  # "torch.autograd._unsafe_preserve_version_counter escaped from compiled region"
_METHOD: Final = "GB0092"  # "Reconstruction failure"
_MANAGER: Final = "GB0092|method of a manager made inside"
_STRANDED: Final = {
    "torch.autograd.function.FunctionCtx": _CONTEXT_OF_FUNCTION,
    COUNTER: _VERSIONS,
}
_DEPTH = 2


def manager(f: Frame, code: FunctionInfo, result: Value) -> Value:
    """What a call of a function gives, which `contextlib.contextmanager` may decorate; `result` is its own."""
    if f.modes.silent or not code.decorated("contextmanager"):
        return result
    body = isinstance(result, Sequence) and code.node.is_generator
    return Instance(MANAGER, inside=True, state=((BODY, result),) if body else ())


def root(f: Frame, code: FunctionInfo) -> None:
    """A root is about to run: note that it is a generator function."""
    explicit = f.context.root_kind in ("explicit", "all", "glob")
    method = code.owner is not None and code.owner.is_module and code.node.name == "forward"
    if code.node.is_generator and explicit and not method and not code.node.decorators:
        _keep(f, code, _GENERATOR, SyntaxForm.GENERATOR_COMPILED.value, code.node.head)


@if_judged
def returned(f: Frame, value: Value, pos: int) -> None:
    """`return value`: note what of it cannot be rebuilt, if the frame is a root."""
    if f.context.caller is not None or f.function is None or f.state is None:
        return
    owner = f.function.owner
    if owner is not None and owner.is_autograd_function:
        return  # torch calls it, in a region of its own
    if f.effects.stranded:
        _keep(f, f.function, f.effects.stranded, "what was kept outside", pos)
        return
    parts = _parts(value, _DEPTH)
    if not any(isinstance(part, Tensor) for part in parts):
        return  # without a tensor beside it, the frame has no graph to be lost, for all we know
    for part in parts:
        if isinstance(part, Sequence) and part.kind == LAZY:
            _keep(f, f.function, _LAZY, SyntaxForm.GENERATOR_RETURNED.value, pos)
        elif isinstance(part, Instance) and part.name == MANAGER:
            _keep(f, f.function, _CONTEXT, "a context manager that is returned", pos)
        elif is_handle(part):
            _keep(f, f.function, RETURNED, "the handle of a hook that is returned", pos)
        elif part is ADDRESS:
            _keep(f, f.function, _ADDRESS, "an address that is returned", pos)
        elif _stranded(f, part):
            _keep(f, f.function, _stranded(f, part), f"{_words(part)} that is returned", pos)
        elif isinstance(part, Instance):
            fact = object_kinds.fact_on(f, part, "return")
            if fact is not None and fact.breaks:
                _kept(f, f.function, fact, f"{object_kinds.short(part)} that is returned", pos)


def kept(f: Frame, values: Iterable[Value]) -> None:
    """Values are stored where they outlive the region: in a global, a container or an object from outside."""
    if not f.modes.silent and not f.around.conditional:
        f.effects.stranded = f.effects.stranded or next(filter(None, (_stranded(f, value) for value in values)), "")


def _stranded(f: Frame, value: Value) -> str:
    """The id with which Dynamo fails to rebuild a value outside; empty where it does not."""
    if isinstance(value, Instance) and value.inside:
        return _STRANDED.get(value.name, "")
    if value is ADDRESS:
        return _ADDRESS
    if isinstance(value, FunctionRef):
        return _METHOD if isinstance(value.receiver, Object) and value.receiver.inside else ""
    manager = isinstance(value, BoundMethod) and value.name in ("__enter__", "__exit__")
    if not manager or not isinstance(value, BoundMethod) or not isinstance(value.receiver, Instance):
        return ""
    return _MANAGER if value.receiver.inside and not f.interp.facts.traces(_MANAGER) else ""


def _words(part: Value) -> str:
    return object_kinds.short(part) if isinstance(part, Instance) else "a method of what is made here"


def _parts(value: Value, depth: int) -> list[Value]:
    if depth and isinstance(value, Sequence) and value.kind in ("tuple", "list") and value.items is not None:
        return [part for item in value.items for part in _parts(item, depth - 1)]
    if depth and isinstance(value, Mapping):
        return [part for _, item in value.entries for part in _parts(item, depth - 1)]
    return list(arms(value)) if len(arms(value)) == 1 else []


def _keep(f: Frame, code: FunctionInfo, gb_id: str, form: str, pos: int) -> None:
    fact = refusal(f, gb_id)
    if fact is not None:
        _kept(f, code, fact, form, pos)


def _kept(f: Frame, code: FunctionInfo, fact: Fact, form: str, pos: int) -> None:
    if f.context.linted:
        f.interp.leaves(code, events.Syntax(f.site(pos), fact, form))
