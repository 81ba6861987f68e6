"""Nested tensors of the jagged layout: what makes one, what keeps the layout, and what reads how long its rows are.

Measured on torch 2.13 and 2.15. A jagged tensor is traced with the number of all rows as one symbol; the length of each
is data. `unbind`, an item of the first dimension and attention read the lengths on the host, which ends the graph
("Data dependent operator", `aten._local_scalar_dense`); iterating and unpacking cost the frame.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.refusals import refusal
from compilelint.torchfacts import Capture, Fact
from compilelint.values import NONE, Const, External, Scalar, Sequence, Tensor, Value

JAGGED: Final = "jagged"
_FROM_ROWS: Final = frozenset({"torch.nested.nested_tensor", "torch.nested.as_nested_tensor"})
_FROM_OFFSETS: Final = "torch.nested.nested_tensor_from_jagged"
_ITEM: Final = "GB0033|row of a jagged tensor"  # "Data dependent operator"
_ROWS: Final = "GB0033|iteration over a jagged tensor"
_READ_BY_NAME: Final = frozenset({"unbind", "scaled_dot_product_attention"})

# Operations of which one result or each is jagged where their tensor is. `sum(-1)` is, `sum(1)` is not: left out.
_KEEPING: Final = frozenset(
    """
    abs neg exp log sqrt rsqrt sin cos tanh sigmoid square sign floor round reciprocal log1p expm1 erf isnan
    relu gelu silu leaky_relu dropout softmax log_softmax
    add sub mul div true_divide pow clamp clip masked_fill where eq ne lt le gt ge fill_ add_ sub_ mul_ div_
    linear layer_norm rms_norm embedding matmul cat concat chunk split
    contiguous clone detach float half double bool long int bfloat16 cpu cuda to type type_as
    flatten unflatten view reshape permute unsqueeze squeeze expand broadcast_to narrow
    zeros_like ones_like empty_like full_like rand_like randn_like
    scaled_dot_product_attention requires_grad_
    """.split()
)
_TRACED: Final = frozenset({"to_padded_tensor", "values", "offsets", "lengths"})
_TURNING: Final = frozenset({"transpose", "swapaxes", "swapdims", "movedim", "moveaxis"})
_LAYERS: Final = frozenset(
    "Linear LayerNorm RMSNorm Embedding Dropout ReLU GELU SiLU Sigmoid Tanh LeakyReLU Softmax ELU Softplus".split()
)


def asks_for_jagged(args: Args) -> bool:
    """Whether `layout=torch.jagged` stands among the arguments."""
    layout = args.keywords.get("layout")
    return isinstance(layout, External) and layout.name == "torch.jagged"


def is_jagged(value: Value | None) -> bool:
    """Whether it is a tensor known to be jagged."""
    return isinstance(value, Tensor) and value.layout == JAGGED


def traces(t: Tensor, method: str) -> bool:
    """Whether the method is traced on this tensor, although it is not on one of the strided layout or a sparse one."""
    return is_jagged(t) and method in _TRACED


def made(name: str, args: Args, result: Value) -> Value:
    """What a function of torch gives: `result`, jagged where it makes such a tensor or keeps what it is given."""
    if name == _FROM_OFFSETS or (name in _FROM_ROWS and asks_for_jagged(args)):
        return _jagged(result if isinstance(result, Tensor) else Tensor())
    return kept(name.rpartition(".")[2], (*args.all(), *_items(args.get(0))), result)


def kept(op: str, given: Iterable[Value], result: Value) -> Value:
    """What an operation (bare name) on these values gives: `result`, jagged where one of them is and `op` keeps it."""
    if not any(map(is_jagged, given)):
        return result
    return _jagged(result) if op in _KEEPING or op in _TURNING else _plain(result)


def layer_result(name: str, first: Value | None, result: Value) -> Value:
    """What a layer (`torch.nn.Linear`) gives for its input."""
    return _jagged(result) if is_jagged(first) and name.rpartition(".")[2] in _LAYERS else result


@if_judged
def read_by(f: Frame, op: str, given: Iterable[Value], dim: Value | None) -> Fact | None:
    """The fact on an operation (bare name) on these values, in this dimension, that reads the lengths of rows."""
    if not any(map(is_jagged, given)):
        return None
    reads = op in _READ_BY_NAME or (op == "select" and _is_zero(dim))
    return _read(f, _ITEM) if reads else None


def item(f: Frame, tensor: Tensor, parts: tuple[Value, ...], result: Tensor, pos: int) -> Tensor:
    """`tensor[...]`: a row is read from the host, a part of the last dimensions stays jagged."""
    if not is_jagged(tensor):
        return result
    first = parts[0] if parts else NONE
    if isinstance(first, Const) and first.value is Ellipsis:
        return result.but(layout=JAGGED, rank=None, sizes=None)
    row = isinstance(first, Const) and type(first.value) is int
    if row or (isinstance(first, Scalar) and first.kind == "int"):
        _emit(f, tensor, "an item of a jagged tensor", _ITEM, pos)
    return result


def iterated(f: Frame, tensor: Tensor, row: Tensor, pos: int) -> Tensor:
    """What one pass of a loop over the tensor gets: `row`, which is dense where the tensor is jagged."""
    if not is_jagged(tensor):
        return row
    if pos:
        _emit(f, tensor, "iteration over a jagged tensor", _ROWS, pos)
    return row.but(layout="")


def _emit(f: Frame, tensor: Tensor, form: str, key: str, pos: int) -> None:
    fact = None if f.modes.silent or f.state is None else _read(f, key)
    if fact is not None:
        f.emit(events.Syntax(f.site(pos), fact, form, (tensor,)))
        f.broken_by(fact, splits=not fact.verdict.skips_frame)


def _read(f: Frame, key: str) -> Fact | None:
    # Where scalars are captured, the lengths become symbols.
    return None if Capture.SCALAR in f.context.config.captures else refusal(f, key)


def _jagged(value: Value) -> Value:
    return _each(value, JAGGED)


def _plain(value: Value) -> Value:
    """A result that is not known to be jagged: nothing is known of how it lies."""
    return _each(value, "")


def _each(value: Value, layout: str) -> Value:
    if isinstance(value, Tensor):
        return value.but(layout="jagged" if layout else "", rank=None, sizes=None)
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple([_each(one, layout) for one in value.items])
        return Sequence(value.kind, items, _each(value.element, layout))
    return value


def _items(value: Value | None) -> tuple[Value, ...]:
    """The tensors in a list: of `torch.cat([x, y])`."""
    return (value.items or (value.element,)) if isinstance(value, Sequence) else ()


def _is_zero(value: Value | None) -> bool:
    return isinstance(value, Const) and value.value == 0
