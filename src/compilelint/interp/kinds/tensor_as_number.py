"""A tensor where an operation wants a number or a size: Dynamo must read its data for that."""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.outcomes import judged
from compilelint.interp.kinds.drawn_numbers import as_tensor
from compilelint.model import Confidence, Doubt
from compilelint.torchfacts import Fact, SyntaxForm
from compilelint.torchfacts.number_parameters import takes_number
from compilelint.values import NONE, Const, Scalar, Sequence, Source, Tensor, Value, is_drawn, resumed


def number_read(f: Frame, op: str, args: Args, method: bool, pos: int) -> Fact | None:
    """The fact for an operation that is handed a 0-d tensor computed in the region where it takes a number only."""
    values: list[tuple[int | str, Value]] = [*enumerate(args.positional, method), *args.keywords.items()]
    if op in ("clamp", "clip", "clamp_", "clip_"):
        bounds = [v for where, v in values if where not in (0, "input") and v is not NONE]
        mixed = any(isinstance(v, (Const, Scalar)) and not is_drawn(v) for v in bounds)
        asked = bounds if mixed else []
    else:
        asked = [part for where, v in values if takes_number(op, where) for part in _parts(v)]
    for value in asked:
        tensor = as_tensor(f, value, pos)
        # A number is 0-d, so a computed tensor of unknown rank is one here.
        scalar = tensor is not None and tensor.source is Source.COMPUTED and tensor.rank in (0, None)
        likely = tensor is not None and not tensor.array and tensor.confidence >= Confidence.LIKELY
        if tensor is not None and scalar and (likely or tensor.confidence == Confidence.CERTAIN):
            # What `topk` was measured to do with such a tensor, they all do.
            return judged(f.interp.facts.callable("torch.Tensor.topk"), Args([Tensor("int", 0, Source.COMPUTED)]))
    return None


def _parts(value: Value) -> tuple[Value, ...]:
    """The numbers of `shifts=(n, 1)`, or the one number."""
    return value.items if isinstance(value, Sequence) and value.kind in ("tuple", "list") and value.items else (value,)


def read_by_math(f: Frame, name: str, args: Args) -> Fact | None:
    """The fact for a function of `math` that is handed a tensor: what was measured of `math.sqrt` holds for all.

    Run under torch 2.13 for 20 of them; `math.trunc` asks the tensor itself, and `math.prod` takes tensors in a list.
    """
    given: list[Value] = [one for one in args.positional if isinstance(one, Tensor) and not one.array]
    if not name.startswith("math.") or name == "math.trunc" or not given:
        return None
    return judged(f.interp.facts.callable("math.sqrt"), Args(given[:1]))


_SIZED = frozenset(
    """
    arange zeros ones empty full rand randn randint eye linspace new_zeros new_ones new_full new_empty repeat
    expand view reshape permute narrow tile unflatten split interpolate pad one_hot
    """.split()
)
_TAKES_TENSOR_FIRST = frozenset(
    [
        "repeat",
        "expand",
        "view",
        "reshape",
        "permute",
        "narrow",
        "tile",
        "unflatten",
        "split",
        "interpolate",
        "pad",
        "one_hot",
    ]
)


def size_break(f: Frame, name: str, op: str, args: Args, pos: int, result: Value, outcome: Fact | None) -> Value:
    """A 0-d tensor computed in the region, used as a size: Dynamo must read it (an input or a literal it need not)."""
    if op not in _SIZED or (outcome is not None and f.context.config.breaks(outcome)):
        return result
    values = args.all() if op != "linspace" else [v for v in (args.get(2, "steps"),) if v is not None]
    if "Tensor" not in name and op in _TAKES_TENSOR_FIRST:
        values = values[1:]
    for value in values:
        for part in (
            (value.items or (value.element,))
            if isinstance(value, Sequence) and value.kind in ("tuple", "list")
            else (value,)
        ):
            tensor = as_tensor(f, part, pos)
            if tensor is None or tensor.source is not Source.COMPUTED or tensor.rank not in (0, None):
                continue  # a size is 0-d, so a computed tensor of unknown rank is one here
            if tensor.dtype not in ("float", "bool") and _is_size(op, part, args):
                if tensor.rank is None:
                    tensor = tensor.but(confidence=Doubt.RANK_UNKNOWN.lower(tensor.confidence))
                form = SyntaxForm.INDEX_SCALAR
                broken = f.interp.facts.syntax(form)
                f.emit(events.Index(f.site(pos), broken, tensor, part, False, "size"))
                f.broken_by(broken, tensor.confidence)
                return resumed(result)
    return result


def _is_size(op: str, part: Value, args: Args) -> bool:
    """Whether the argument is a size: the fill value of `full` and the tensor of `F.pad` are not."""
    if op in ("full", "new_full"):
        return part is not args.get(1, "fill_value")
    return True


def only_numbers(args: Args) -> bool:
    """Whether there are arguments and all of them are plain Python values."""
    values = args.all()
    return bool(values) and all(isinstance(v, (Const, Scalar)) for v in values)
