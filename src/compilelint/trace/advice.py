"""What to write against a recompile: the line ready to paste, made from the guard that failed.

Only what a guard says is used: which value, which dimension, and what it was. Of several lines that would do, the
one that changes least comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from compilelint.model.patterns import late_pattern
from compilelint.trace.cause import Cause, Kind
from compilelint.trace.guards import Failure, spoken_source

_EXPRESSION = late_pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\]|\['[\w.-]+'\])*")
_NUMBER = late_pattern(r"-?\d{1,18}$")
_FLOAT = late_pattern(r"-?\d+\.\d+(?:e[+-]?\d+)?$")


class Advice(NamedTuple):
    """`text` says what to do; `paste` is code or a shell line to paste, empty where there is none."""

    text: str
    paste: str = ""


def advice_for(cause: Cause) -> tuple[Advice, ...]:
    """What to write against a cause; empty where its rule or Dynamo's hints say it better."""
    failure = cause.failure
    if failure is None or cause.kind not in (Kind.RECOMPILE, Kind.LIMIT):
        return ()
    make = _OF_KIND.get(failure.kind)
    return tuple(make(failure, cause)) if make is not None else ()


def _expression(failure: Failure) -> str:
    """How the code writes the value, where that can be read from the source."""
    return _written(failure.source)


def _written(source: str) -> str:
    spoken = spoken_source(source)
    return spoken if _EXPRESSION.fullmatch(spoken) and "___" not in spoken else ""


def _marks(sizes: Sequence[tuple[str, int]], alone: bool) -> list[Advice]:
    """The lines that mark sizes as dynamic: all that vary together, since torch refuses one that equals a fixed one."""
    names = [_written(source) for source, _ in sizes]
    if not all(names):
        return []
    marks = [(name, dimension) for name, (_, dimension) in zip(names, sizes, strict=True)]
    said = " and ".join(f"dimension {dimension} of `{name}`" for name, dimension in marks)
    too = ", with each tensor of the same size," if alone else ", which vary together," if len(marks) > 1 else ""
    paste = "; ".join(f"torch._dynamo.mark_dynamic({name}, {dimension})" for name, dimension in marks)
    return [Advice(f"mark {said}{too} as dynamic before the first call", paste)]


def _source_setting(sources: Iterable[str]) -> list[Advice]:
    named = [one for one in sources if one]
    if not named or any("___" in one or '"' in one or "," in one for one in named):
        return []
    text = "or, without touching the code, let torch treat it as dynamic from the first call (torch 2.7 and later)"
    return [Advice(text, f'TORCH_COMPILE_DYNAMIC_SOURCES="{",".join(named)}"')]


def _size(failure: Failure, cause: Cause) -> list[Advice]:
    name = _expression(failure)
    found = []
    if cause.of_parameter:
        text = (
            "parameters differ in size too: modules of several widths share this code; each width needs a graph, or set"
        )
        found.append(Advice(text, "torch._dynamo.config.force_parameter_static_shapes = False"))
    sizes = [(failure.source, failure.dimension), *(cause.together or ())]
    if cause.resumed:
        text = "this frame begins behind a graph break: without the break, only the inputs of the whole need be dynamic"
        found.append(Advice(text))
    elif name and failure.dimension >= 0 and not cause.of_parameter:
        found += _marks(sizes, cause.together is None)
    if not cause.of_parameter:
        found += _source_setting(dict.fromkeys(source for source, _ in sizes))
    if failure.actual in ("0", "1") or failure.expected in ("0", "1"):
        text = "sizes 0 and 1 are always compiled apart; pad to 2, or accept one more graph"
        found.append(Advice(text))
    return found


def _value(failure: Failure, cause: Cause) -> list[Advice]:
    name, value = _expression(failure), failure.expected
    own = failure.source.startswith("L['self']")
    if "___stack" in failure.source or "___" in spoken_source(failure.source)[:3]:
        text = "a Python value that is made before a graph break enters the next graph as a constant; keep it a tensor"
        return [Advice(text)]
    if _NUMBER.match(value) and own and name:
        return [
            Advice(
                f"`{name}` is an integer that the module keeps: keep it in a tensor (`register_buffer`), or set",
                "torch._dynamo.config.allow_unspec_int_on_nn_module = True",
            ),
        ]
    if _FLOAT.match(value) and own and name:
        text = f"`{name}` differs between instances that share this code, or changes; keep it in a tensor"
        return [
            Advice(text, f'self.register_buffer("{name.removeprefix("self.")}", torch.tensor({value}))')
            if name.removeprefix("self.").isidentifier()
            else Advice(text)
        ]
    if _NUMBER.match(value) and name:
        text = (
            f"`{name}` is a Python number: compile with `dynamic=True`, or pass it as a tensor, unless it bounds a "
            "slice, picks a row or counts a loop"
        )
        return [Advice(text, f"{name} = torch.tensor({name})"), *_source_setting([failure.source])]
    if _FLOAT.match(value) and name:
        return [Advice(f"`{name}` is a Python number: pass it as a tensor", f"{name} = torch.tensor({name})")]
    return []


def _length(failure: Failure, cause: Cause) -> list[Advice]:
    name = spoken_source(failure.source)
    return [Advice(f"`{name}` has another length: stack its tensors into one, or give it the same length each call")]


def _dtype(failure: Failure, cause: Cause) -> list[Advice]:
    name = spoken_source(failure.source)
    return [Advice(f"`{name}` comes as {failure.expected} and as {failure.actual}: convert it before the call")]


def _grad(failure: Failure, cause: Cause) -> list[Advice]:
    name = spoken_source(failure.source)
    return [Advice(f"`{name}` is given with and without `requires_grad`: call it the same way, or expect two graphs")]


def _stride(failure: Failure, cause: Cause) -> list[Advice]:
    name = _expression(failure)
    text = f"`{spoken_source(failure.source)}` comes in another memory layout"
    return [Advice(f"{text}: make it contiguous before the call", f"{name} = {name}.contiguous()")] if name else []


def _rank(failure: Failure, cause: Cause) -> list[Advice]:
    name = spoken_source(failure.source)
    return [
        Advice(f"`{name}` has {failure.expected} and {failure.actual} dimensions: each number needs a graph of its own")
    ]


def _state(failure: Failure, cause: Cause) -> list[Advice]:
    changed = failure.actual.strip() or "grad mode, autocast, deterministic or default dtype"
    return [Advice(f"global state differs between calls ({changed}): enter it once, outside of the compiled function")]


def _identity(failure: Failure, cause: Cause) -> list[Advice]:
    name = spoken_source(failure.source)
    if failure.expected in ("None", "not None", "True", "False"):
        return [Advice(f"`{name}` is sometimes given and sometimes not: each of the two needs a graph")]
    return [Advice(f"`{name}` is another object in each call: make it once, and pass the same one")]


_OF_KIND = {
    "size": _size,
    "value": _value,
    "length": _length,
    "dtype": _dtype,
    "requires-grad": _grad,
    "dispatch-keys": _grad,
    "stride": _stride,
    "rank": _rank,
    "global-state": _state,
    "identity": _identity,
}
