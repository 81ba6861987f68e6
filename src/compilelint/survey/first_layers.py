"""What the first layer of a model takes, read from its constructor: an image, ids, features, a sequence or a signal.

Nothing is run: numbers are literals, defaults of parameters, constants and what is multiplied of them. Where a linear
layer behind convolutions fixes the size of an image, the usual sizes are tried on paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from compilelint.model.slotted import dataclass
from compilelint.project.classes import ClassInfo
from compilelint.project.index import Program
from compilelint.survey.scopes import Scope, expressions, own_expressions, scopes, statements
from compilelint.syntax import ir
from compilelint.values import ClassRef

_MOST_LAYERS = 400
_DEEPEST = 6
_SEQUENCE = 8
_SIZES = (28, 32, 64, 224)
_USUAL = {1: 64, 2: 64, 3: 16}

Numbers = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Guess:
    """An input as targets have it (`2x3x64x64`, `2x8:int64<100`), and the layer that it was guessed from."""

    text: str
    layer: str


class _Layer(NamedTuple):
    """A layer of torch: its class, and those of its first arguments that are numbers by what they are called."""

    name: str
    numbers: Numbers


def first_input(program: Program, cls: ClassInfo) -> Guess | None:
    """What the model's one input may be; None where the first layer with a shape has none that can be read."""
    layers: list[_Layer] = []
    for layer in _layers(program, cls, {}, 0):
        layers.append(layer)
        if len(layers) == _MOST_LAYERS:
            break
    for at, (name, numbers) in enumerate(layers):
        text = _input(name, numbers, layers[at:])
        if text:
            return Guess(text, f"{name}({numbers[_ARGUMENTS[name][0]]}, ...)")
        if name in _ARGUMENTS and name not in _SHAPELESS:
            return None
    return None


# Arguments by position; the first is what the layer takes.
_CONVOLUTION = ("in_channels", "out_channels", "kernel_size", "stride", "padding")
_ARGUMENTS: dict[str, tuple[str, ...]] = {
    **{f"Conv{rank}d": _CONVOLUTION for rank in (1, 2, 3)},
    **{f"ConvTranspose{rank}d": _CONVOLUTION for rank in (1, 2, 3)},
    **dict.fromkeys(("LSTM", "GRU", "RNN"), ("input_size",)),
    "Linear": ("in_features",),
    "Embedding": ("num_embeddings",),
    "TransformerEncoderLayer": ("d_model",),
    "TransformerDecoderLayer": ("d_model",),
    "MultiheadAttention": ("embed_dim",),
    "MaxPool2d": ("kernel_size", "stride"),
    "AvgPool2d": ("kernel_size", "stride"),
    "AdaptiveAvgPool2d": ("output_size",),
    "AdaptiveMaxPool2d": ("output_size",),
}
_SHAPELESS = frozenset({"MaxPool2d", "AvgPool2d", "AdaptiveAvgPool2d", "AdaptiveMaxPool2d"})


def _input(name: str, numbers: Numbers, layers: list[_Layer]) -> str:
    """The input of a layer as a text; empty where its size is not known."""
    size = numbers.get(_ARGUMENTS[name][0], 0)
    if size < 1 or name in _SHAPELESS:
        return ""
    if name.startswith("Conv"):
        rank = int(name[-2])
        if name.startswith("ConvTranspose"):
            side = 1 if size > 64 and numbers.get("stride", 1) == 1 else 8  # a vector of noise, or an image to enlarge
        else:
            side = _side(layers) if rank == 2 else _USUAL[rank]
        return "x".join(map(str, (2, size, *(side,) * rank)))
    if name == "Embedding":
        return f"2x{_SEQUENCE}:int64<{size}"
    return f"2x{size}" if name == "Linear" else f"2x{_SEQUENCE}x{size}"


# ------------------------------------------------------------------ image sizes


def _side(layers: list[_Layer]) -> int:
    """A side of an image that the first linear layer fits, where it takes the whole of what convolutions give."""
    convolutions = [one.numbers for one in layers if one.name == "Conv2d"]
    linear = next((one.numbers.get("in_features", 0) for one in layers if one.name == "Linear"), 0)
    channels = convolutions[-1].get("out_channels", 0)
    adaptive = any(one.name.startswith("Adaptive") for one in layers)
    if adaptive or not channels or linear <= channels or linear % channels:
        return _USUAL[2]
    wanted = linear // channels
    for side in _SIZES:
        for pooled in _poolings(len(convolutions)):
            if _after(side, convolutions, pooled) ** 2 == wanted:
                return side
    return _USUAL[2]


def _poolings(count: int) -> Iterator[frozenset[int]]:
    """The convolutions that a pooling by two usually stands behind: each, the last, every second, none."""
    yield frozenset(range(count))
    yield frozenset({count - 1})
    yield frozenset(range(1, count, 2))
    yield frozenset()


def _after(side: int, convolutions: list[Numbers], pooled: Iterable[int]) -> int:
    """The side of what the convolutions and poolings give."""
    for at, one in enumerate(convolutions):
        kernel, stride = one.get("kernel_size", 3), max(one.get("stride", 1), 1)
        side = (side + 2 * one.get("padding", 0) - kernel) // stride + 1
        side //= 2 if at in pooled else 1
    return max(side, 0)


# ----------------------------------------------------------------------- layers


def _layers(program: Program, cls: ClassInfo, given: Numbers, depth: int) -> Iterator[_Layer]:
    """The layers of torch that a constructor makes, those of the project's own modules in their place."""
    method = cls.method("__init__")
    if method is None or depth > _DEEPEST:
        return
    scope = next((one for one in scopes(program, method.module) if one.function is method), None)
    if scope is None:
        return
    numbers = {**_defaults(scope, method.node.params), **given}
    calls = [
        expr
        for statement, _ in statements(scope.body)
        for expr in expressions(own_expressions(statement))
        if isinstance(expr, ir.Call)
    ]
    for call in sorted(calls, key=lambda one: one.pos):
        meaning = scope.meaning(call.func)
        if isinstance(meaning, ClassRef) and isinstance(meaning.cls, ClassInfo):
            inner = meaning.cls
            constructor = inner.method("__init__")
            if inner.is_module and inner is not cls and constructor is not None:
                names = tuple(p.name for p in constructor.node.params[1:] if p.kind in ("positional", "either"))
                yield from _layers(program, inner, _arguments(scope, call, names, numbers), depth + 1)
            continue
        home, _, name = scope.name(call.func).rpartition(".")
        if home.startswith("torch.nn") and name in _ARGUMENTS:
            yield _Layer(name, _arguments(scope, call, _ARGUMENTS[name], numbers))


def _defaults(scope: Scope, params: Iterable[ir.Param]) -> dict[str, int]:
    found = {p.name: _number(scope, p.default, {}, 0) for p in params if p.default is not None}
    return {name: value for name, value in found.items() if value is not None}


def _arguments(scope: Scope, call: ir.Call, names: tuple[str, ...], numbers: Numbers) -> dict[str, int]:
    """The arguments of a call that are numbers, by the names of its parameters, in their order."""
    said = dict(zip(names, call.args, strict=False))
    said.update((name, value) for name, value in call.keywords if name in names)
    found = {name: _number(scope, said[name], numbers, 0) for name in names if name in said}
    return {name: value for name, value in found.items() if value is not None}


def _number(scope: Scope, expr: ir.Expr, numbers: Numbers, depth: int) -> int | None:
    """What an expression is, where its text says so."""
    if isinstance(expr, ir.Const):
        return expr.value if type(expr.value) is int else None
    if depth > _DEEPEST:
        return None
    if isinstance(expr, ir.Name):
        if expr.id in numbers:
            return numbers[expr.id]
        assigned = scope.assigned(expr.id)
        return _number(scope, assigned[0], numbers, depth + 1) if len(assigned) == 1 else None
    if isinstance(expr, ir.Attr) and isinstance(expr.value, ir.Name) and expr.value.id == "self":
        return numbers.get(expr.name)  # `self.width = width`, as most write it
    if isinstance(expr, ir.Binary):
        left = _number(scope, expr.left, numbers, depth + 1)
        right = _number(scope, expr.right, numbers, depth + 1)
        if left is None or right is None:
            return None
        if expr.op == "*":
            return left * right
        if expr.op in ("+", "-"):
            return left + right if expr.op == "+" else left - right
        return left // right if expr.op == "//" and right else None
    return None
