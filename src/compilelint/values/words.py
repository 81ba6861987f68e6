"""Beliefs in words: what tests state, `compilelint dev reveal` prints, and people read.

`?` unknown, `None` `3` `'a'` constants, `int` and `int shape` / `float data` numbers with what they depend on,
`tensor` or `array` with dtype class (`bool`, `int`, `float`, `complex`), rank (`2-d`), source (`input`, `parameter`,
`buffer`, `literal`, `computed`), and confidence below certain. `tuple(int, tensor input)` has known items,
`list[tensor input]` any number; `dict(k: int, ...: ?)`; `object Out(logits: tensor input)`, `instance torch.nn.Linear`,
`library torch.relu`, `class C`, `function f`, `method f of object C`, `partial(function f, 1)`; arms are joined by
` | ` in ASCII order.
"""

from __future__ import annotations

from compilelint.model import Confidence
from compilelint.values import (
    BoundMethod,
    ClassRef,
    Const,
    Dependence,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Origin,
    Partial,
    Scalar,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
)


def describe(value: Value, placed: bool = False, whole: bool = False) -> str:
    """A value in the words of this module's docstring; `placed` adds layout and device of tensors.

    `whole` names all that is known of a tensor, and says `?` for what is not; of numbers, which size they are.
    """

    def inner(v: Value) -> str:
        return describe(v, placed, whole)

    def inside(pairs: tuple[tuple[str, Value], ...]) -> str:
        return f"({', '.join(f'{k}: {inner(v)}' for k, v in pairs)})" if pairs else ""

    if isinstance(value, Unknown):
        return "?"
    if isinstance(value, Const):
        return repr(value.value)
    if isinstance(value, Scalar):
        words = [value.kind, "" if value.dependence is Dependence.STATIC else value.dependence.name.lower()]
        return " ".join(w for w in [*words, f"= {value.number}" if whole and value.number is not None else ""] if w)
    if isinstance(value, Tensor):
        return _tensor_whole(value) if whole else _tensor(value, placed)
    if isinstance(value, Sequence):
        if value.items is None:
            return f"{value.kind}[{inner(value.element)}]"
        return f"{value.kind}({', '.join(inner(v) for v in value.items)})"
    if isinstance(value, Mapping):
        entries = [f"{k}: {inner(v)}" for k, v in value.entries] + [f"{k}?: {inner(v)}" for k, v in value.maybe]
        return f"dict({', '.join(entries if value.exact else [*entries, f'...: {inner(value.element)}'])})"
    if isinstance(value, Object):
        return f"object {_bare(value.cls.qualified_name)}{inside(value.fields)}"
    if isinstance(value, Instance):
        return f"instance {value.name}"
    if isinstance(value, External):
        return f"library {value.name}"
    if isinstance(value, ClassRef):
        return f"class {_bare(value.cls.qualified_name)}"
    if isinstance(value, FunctionRef):
        name = _bare(value.code.qualified_name)
        return f"function {name}" if value.receiver is None else f"method {name} of {inner(value.receiver)}"
    if isinstance(value, BoundMethod):
        return f"method {value.name} of {inner(value.receiver)}"
    if isinstance(value, Partial):
        given = [inner(a) for a in value.args] + [f"{k}={inner(v)}" for k, v in value.keywords]
        return f"partial({', '.join([inner(value.function), *given])})"
    if isinstance(value, Union):
        return " | ".join(sorted(inner(a) for a in value.arms))
    return "never"


def _tensor(t: Tensor, placed: bool) -> str:
    words = ["array" if t.array else "tensor", t.dtype, "" if t.rank is None else f"{t.rank}-d", t.source.name.lower()]
    if placed:
        words += [str(t.layout), t.device]
    if t.confidence is not Confidence.CERTAIN:
        words.append(t.confidence.label)
    return " ".join(w for w in words if w)


def _tensor_whole(t: Tensor) -> str:
    rank = "?-d" if t.rank is None else f"{t.rank}-d"
    sizes = "" if not t.sizes else " [" + ", ".join("?" if one is None else str(one) for one in t.sizes) + "]"
    words = ["array" if t.array else "tensor", t.dtype or "?", rank + sizes, t.source.name.lower()]
    return " ".join([*words, str(t.layout) or "?", t.device or "?", t.confidence.label])


def reason(value: Value) -> str:
    """Why a value is believed, from the last step back: "result of `torch.norm`, from argument `x`"; empty if plain."""
    origin = getattr(value, "origin", None)
    steps: list[str] = []
    while isinstance(origin, Origin) and len(steps) < _STEPS:
        steps.append(origin.how)
        origin = origin.parent
    return ", from ".join(steps)


_STEPS = 4


def _bare(qualified: str) -> str:
    return qualified.rpartition(".")[2]
