"""One call in many ways: other numbers, other sizes, other plain arguments, and those left out that may be.

Tensors are found inside lists, tuples and dicts too. Every function yields what a way is called and a function that
makes the changed call from a fresh one; what a model makes of it (often an error) is what the exercises compare.
"""

from __future__ import annotations

import ast
import copy
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any

import torch

from compilelint.dynamic.worker.inputs import Call

Change = Callable[[Call], Call]
_Way = Callable[[torch.Tensor], Any]
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)

_MOST_TENSORS = 6  # arguments that are varied each by itself
_MOST_WORDS = 6  # strings that a parameter is compared with
_MOST_DEFAULTS = 8  # parameters that a call leaves out
_FAR = 10**6  # beyond every vocabulary, class and step that a small model has
_IGNORED = -100  # what torch's losses leave out unless they are asked to leave out another


def values(call: Call) -> Iterator[tuple[str, Change]]:
    """The same shapes with other numbers in them: in all arguments, then in each by itself."""
    ways: tuple[tuple[str, _Way], ...] = (
        ("zeros", torch.zeros_like),
        ("ones", torch.ones_like),
        ("negated", _negated),
        ("reversed", lambda one: one.flip(-1) if one.dim() else one),
        ("small positive values", lambda one: one.abs() / 1000 if one.is_floating_point() else one),
        ("one number that is none", _with_nan),
        ("1000 times larger", lambda one: one * 1000 if one.is_floating_point() else one),
        ("large negative values", lambda one: one.abs() * -1000 if one.is_floating_point() else one),
    )
    count = len(tensors_of(call))
    for name, way in ways:
        yield f"{name} for all inputs", partial(mapped, way, None)
    for place in range(count if 1 < count <= _MOST_TENSORS else 0):
        for name, way in ways[:3]:
            yield f"{name} for input {place}", partial(mapped, way, place)


def infinite(call: Call) -> Iterator[tuple[str, Change]]:
    """The first number of every input infinite, and the last one negatively so: what overflowed is that."""

    def way(one: torch.Tensor) -> torch.Tensor:
        if not one.is_floating_point() or not one.numel():
            return one
        changed = _with_first(float("inf"), one)
        changed[(-1,) * one.dim()] = -float("inf") if one.numel() > 1 else float("inf")
        return changed

    if any(one.is_floating_point() for one in tensors_of(call)):
        yield "infinite numbers for all inputs", partial(mapped, way, None)


def edges(call: Call) -> Iterator[tuple[str, Change]]:
    """Whole numbers beyond their range, one at a time, and plain numbers at and beside their ends."""
    for place, one in enumerate(tensors_of(call)[:_MOST_TENSORS]):
        if one.dtype in (torch.int32, torch.int64) and one.numel():
            for number, name in ((_FAR, "a number far too large"), (-1, "-1"), (_IGNORED, str(_IGNORED))):
                yield f"{name} in input {place}", partial(mapped, partial(_with_first, number), place)
    plain = [(place, one) for place, one in enumerate(call[0])] + list(call[1].items())
    for key, value in plain:
        for other in _other_numbers(value):
            yield f"{other!r} for {_called(key)}", partial(_replaced, key, other)


def _other_numbers(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return list(dict.fromkeys(one for one in (0, 1, -1, value - 1, value + 1, -value) if one != value))
    if isinstance(value, float) and math.isinf(value):
        return [0.0, -value]
    if isinstance(value, float) and math.isfinite(value):
        return list(dict.fromkeys(one for one in (0.0, 1.0, -value, 2 * value) if one != value))
    return []


def shapes(call: Call) -> Iterator[tuple[str, Change]]:
    """Other sizes: one item, none, the second dimension cut to one and by one and to none, the last cut by one."""
    tensors = [one for one in tensors_of(call) if one.dim()]
    sizes = {one.shape[0] for one in tensors}
    if len(sizes) == 1:
        yield "a batch of one", partial(mapped, lambda one: one[:1] if one.dim() else one, None)
        yield "an empty batch", partial(mapped, lambda one: one[:0] if one.dim() else one, None)
    lengths = {one.shape[1] for one in tensors if one.dim() > 1}
    if len(lengths) == 1:
        length = lengths.pop()
        for wanted in dict.fromkeys((1, max(length - 1, 1), 0)):
            if wanted != length:
                yield f"a second dimension of {wanted}", partial(mapped, partial(_cut, 1, wanted), None)
    widths = {one.shape[-1] for one in tensors if one.dim() > 2}
    if len(widths) == 1 and (width := widths.pop()) > 1:
        yield f"a last dimension of {width - 1}", partial(mapped, partial(_cut_last, width - 1), None)


def optional(called: Any, call: Call) -> Iterator[tuple[str, Change]]:
    """Without each argument of a call that has a default; those by position get it in their place."""
    known = parameters_of(called)
    for name in call[1]:
        if name in known and known[name].default is not inspect.Parameter.empty:
            yield f"without {name}", partial(_left_out, name)
    for place, (name, parameter) in zip(range(len(call[0])), known.items(), strict=False):
        if parameter.default is not inspect.Parameter.empty:
            yield f"without {name}", partial(_replaced, place, parameter.default)


def defaults(called: Any, call: Call) -> Iterator[tuple[str, Change]]:
    """With other numbers for the parameters that a call leaves at their numbers, or at None where numbers may stand."""
    known = parameters_of(called)
    given = {*list(known)[: len(call[0])], *call[1]}
    left = [(name, one) for name, one in known.items() if name not in given and one.kind in _NAMED]
    numbers = [(name, found) for name, one in left if (found := _numbers_for(one))]
    for name, others in numbers[:_MOST_DEFAULTS]:
        for other in others:
            yield f"{other!r} for {name}, which was left out", partial(_replaced, name, other)


def _numbers_for(parameter: inspect.Parameter) -> list[Any]:
    if parameter.default is not None:
        return _other_numbers(parameter.default)
    words = set(re.findall(r"\w+", str(parameter.annotation)))
    return [-1, 1] if "int" in words else [-1.0, 1.0] if "float" in words else []


def plain_numbers(call: Call) -> Iterator[tuple[str, Change]]:
    """A Python number in the place of each tensor without dimensions, as callers pass the one or the other."""
    found: list[int] = [place for place, one in enumerate(tensors_of(call)[:_MOST_TENSORS]) if not one.dim()]
    for place in found:
        yield f"a Python number for input {place}", partial(mapped, torch.Tensor.item, place)


Word = tuple[int | str, str, str]
"""An argument by its place or name, the name of its parameter, and another string for it."""


def other_words(called: Any, call: Call) -> list[Word]:
    """Other strings for the parameters that the code beside it compares with strings, whatever they are in the call."""
    known = parameters_of(called)
    compared = _compared_words(getattr(inspect.unwrap(called), "__module__", None) or "")
    given = {**dict(zip(known, call[0], strict=False)), **call[1]}
    found: list[Word] = []
    for place, (name, parameter) in enumerate(known.items()):
        value = given.get(name, parameter.default)
        if name in compared:
            key = place if place < len(call[0]) else name
            found += [(key, name, other) for other in compared[name] if other != value]
    return found


def words(others: Iterable[Word]) -> Iterator[tuple[str, Change]]:
    """A call with each of these strings. A changed copy gets those of the original, whatever its own text compares."""
    for key, name, other in others:
        yield f"{other!r} for {name}", partial(_replaced, key, other)


def nans(call: Call) -> Iterator[tuple[str, Change]]:
    """One number that is none in each tensor by itself, with the other tensors as they are and negated.

    A NaN in one may hide what another's does, and which way a condition of the others goes is their numbers' chance.
    """
    tensors = tensors_of(call)[:_MOST_TENSORS]
    for place, one in enumerate(tensors if len(tensors) > 1 else ()):
        if one.is_floating_point():
            name = f"one number that is none for input {place}"
            yield name, partial(mapped, _with_nan, place)
            yield f"{name}, the others negated", partial(_with_nan_among_negated, place)


def _with_nan_among_negated(place: int, call: Call) -> Call:
    for other in range(len(tensors_of(call))):
        call = mapped(_with_nan if other == place else _negated, other, call)
    return call


def single_numbers(call: Call, number: torch.Tensor) -> Call:
    """The call with a number in the place of each tensor of one number that has its kind."""

    def way(one: torch.Tensor) -> torch.Tensor:
        alike = one.numel() == 1 and one.is_floating_point() == number.is_floating_point()
        return torch.full_like(one, number.item()) if alike and one.dtype is not torch.bool else one

    return mapped(way, None, call)


# ------------------------------------------------------------------------ ways


def _with_nan(one: torch.Tensor) -> torch.Tensor:
    return _with_first(float("nan"), one) if one.is_floating_point() and one.numel() else one


def _with_first(number: float, one: torch.Tensor) -> torch.Tensor:
    changed = one.clone()
    changed[(0,) * one.dim()] = number
    return changed


def _negated(one: torch.Tensor) -> torch.Tensor:
    if one.dtype is torch.bool:
        return ~one
    return -one if one.is_floating_point() or one.is_complex() else one.max() - one if one.numel() else one


def _cut(dim: int, length: int, one: torch.Tensor) -> torch.Tensor:
    return one.narrow(dim, 0, min(length, one.shape[dim])).clone() if one.dim() > dim else one


def _cut_last(length: int, one: torch.Tensor) -> torch.Tensor:
    return one[..., :length].clone() if one.dim() > 2 else one


# ------------------------------------------------------------------------ calls


def parameters_of(called: Any) -> dict[str, inspect.Parameter]:
    """The parameters of a function by name; none where it does not say."""
    try:
        return dict(inspect.signature(called).parameters)
    except (TypeError, ValueError):
        return {}


@cache
def _compared_words(module: str) -> dict[str, list[str]]:
    """By name, the strings that the text of a module compares something of that name with."""
    found: dict[str, list[str]] = {}
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError, SyntaxError):
        return found
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.left, (ast.Name, ast.Attribute)):
            name = node.left.id if isinstance(node.left, ast.Name) else node.left.attr
            for one in ast.walk(node.comparators[0]):
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    known = found.setdefault(name, [])
                    if one.value not in known and len(known) < _MOST_WORDS:
                        known.append(one.value)
    return found


def sized_inputs(called: Any, call: Call) -> Iterator[int]:
    """The places, among the tensors of a call, of those whose sizes the code beside it compares, by their names."""
    asked = _compared_sizes(getattr(inspect.unwrap(called), "__module__", None) or "")
    place = 0
    for name, value in [*zip(parameters_of(called), call[0], strict=False), *call[1].items()]:
        if isinstance(value, torch.Tensor) and name in asked:
            yield place
        place += len(tensors_of(((value,), {})))


@cache
def _compared_sizes(module: str) -> frozenset[str]:
    """The names whose `shape` or `size` stands in a comparison in the text of a module that is not torch's own."""
    if module.partition(".")[0] == "torch":
        return frozenset()
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError, SyntaxError):
        return frozenset()
    return frozenset(
        one.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute) and one.attr in ("shape", "size") and isinstance(one.value, ast.Name)
    )


def _called(key: int | str) -> str:
    return f"argument {key}" if isinstance(key, int) else key


def _replaced(key: int | str, value: Any, call: Call) -> Call:
    args, named = call
    if isinstance(key, int):
        return (*args[:key], value, *args[key + 1 :]), named
    return args, {**named, key: value}


def _left_out(name: str, call: Call) -> Call:
    args, named = call
    return args, {other: value for other, value in named.items() if other != name}


def tensors_of(call: Call) -> list[torch.Tensor]:
    """The tensors of a call, also inside its lists, tuples and dicts, in the order in which `mapped` meets them."""
    found: list[torch.Tensor] = []

    def keep(one: torch.Tensor) -> torch.Tensor:
        found.append(one)
        return one

    mapped(keep, None, call)
    return found


def _is_the_same(made: torch.Tensor, value: torch.Tensor) -> bool:
    """Whether a call that writes the one would change the other."""
    alike = made.device == value.device and made.layout is value.layout is torch.strided
    return alike and bool(made.untyped_storage().data_ptr() == value.untyped_storage().data_ptr())


def _of_array(value: Any) -> torch.Tensor | None:
    """A copy of an array of NumPy as a tensor; None for all else, and for arrays of what no tensor holds."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(value, numpy.ndarray):
        return None
    try:
        return torch.from_numpy(value.copy())
    except TypeError:
        return None


def _fits_an_array(made: Any) -> bool:
    return type(made) is torch.Tensor and made.dtype is not torch.bfloat16 and made.device.type == "cpu"


def mapped(way: _Way, only: int | None, call: Call) -> Call:
    """The call with its tensors changed, or only the one at a place among them."""
    place = -1

    def one(value: Any) -> Any:
        nonlocal place
        if isinstance(value, torch.Tensor):
            place += 1
            if only not in (None, place):
                return value
            made = way(value)
            return made.clone() if isinstance(made, torch.Tensor) and _is_the_same(made, value) else made
        if (numbers := _of_array(value)) is not None:
            made = one(numbers)
            return made.numpy() if _fits_an_array(made) else value
        if type(value) in (list, tuple):
            return type(value)(one(inside) for inside in value)
        if type(value) is dict:
            return {name: one(inside) for name, inside in value.items()}
        return copy.deepcopy(value)

    args = tuple(one(value) for value in call[0])
    return args, {name: one(value) for name, value in call[1].items()}
