"""Idioms of reading tensor data into Python: where the number goes decides what may stand in its place."""

from __future__ import annotations

from compilelint.checks.idioms.idiom import Idiom, Place, nodes
from compilelint.checks.written import operands
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.values import OriginKind, tensor_arm

_READS = ("CL102",)
_SIZED = frozenset("arange empty eye expand full linspace new_empty new_full new_ones new_zeros ones range".split())
_SIZED |= frozenset("repeat reshape unflatten view zeros narrow".split())
_SAID = frozenset("print warning warn info debug error critical exception log".split())
_NUMBERS = frozenset({"item", "tolist", "int", "float"})
_CUT = frozenset({"split", "split_with_sizes", "tensor_split"})
_CASTS = {
    "int": "keep it as a tensor (`.to(torch.int64)` casts), or take it from a shape instead of data",
    "float": "keep it as a tensor: `.detach().float()` casts without reading",
    "complex": "keep it as a tensor: `torch.complex(x.detach(), zero)` builds one without reading",
}


def _is_size(place: Place) -> bool:
    """The number is a size of a new tensor, or an end of `range`."""
    return any(name in _SIZED and (first or name != "full") for name, first in place.callers)


def _is_said(place: Place) -> bool:
    """The number becomes a part of a text, or is printed."""
    return place.is_within(ir.FString) or any(name in _SAID for name, _ in place.callers)


def _is_given_back(place: Place) -> bool:
    """The number is returned as it is, or put into a container that lives on: it is what is reported."""
    above = place.above
    if place.operation not in _NUMBERS:
        return False
    if isinstance(above, ir.Return):
        return True
    appended = isinstance(above, ir.Call) and last_name(above) == "append"
    return appended or isinstance(above, ir.DictDisplay)


def _is_cut(place: Place) -> bool:
    """A list of lengths that a tensor is split by."""
    return place.operation == "tolist" and any(name in _CUT for name, _ in place.callers)


def _has_weights(place: Place) -> bool:
    """A loop of the function multiplies each part by a weight of its number: `part @ self.w[i]`."""
    body = () if place.function is None else place.function.body
    return any(isinstance(one, ir.Binary) and one.op == "@" and isinstance(one.right, ir.Index) for one in nodes(body))


def _is_looped(place: Place) -> bool:
    """A list that a loop goes through."""
    above = place.above
    return place.operation == "tolist" and isinstance(above, (ir.For, ir.Clause))


def _is_worded(place: Place) -> bool:
    """A list of numbers that become words: `" ".join(words[i] for i in ids.tolist())`, `tokenizer.decode(...)`."""
    makers = [last_name(one) for one in place.path[:-1] if isinstance(one, ir.Call)]
    within = any(name == "join" or name.endswith("decode") for name in makers)
    return place.operation == "tolist" and within


def _is_array(place: Place) -> bool:
    return any(arm.array for value in operands(place.event) if (arm := tensor_arm(value)) is not None)


def _is_array_of_data(place: Place) -> bool:
    """The array was a tensor before: what NumPy or SciPy does with it is an algorithm of the host."""
    return _is_array(place) and any(
        origin.kind is OriginKind.ATTRIBUTE and origin.what == ".numpy()" for origin in place.origins()
    )


def _is_position(place: Place) -> bool:
    """`(schedule == t).nonzero().item()`: where one value stands, as a number."""
    if place.operation == "nonzero":
        return any(isinstance(one, ir.Attr) and one.name == "item" for one in place.path[-5:-1])
    asked = place.asked
    asked = asked.value if isinstance(asked, ir.Index) else asked
    return place.operation == "item" and isinstance(asked, ir.Call) and last_name(asked) == "nonzero"


def _called(last: str) -> Idiom:
    return Idiom(f"cast-by-{last}", _READS, _CASTS[last], lambda place: place.operation == last)


FIRST = (
    Idiom(
        "algorithm-of-the-host",
        _READS,
        "make the function that works on arrays an operator (`torch.library.custom_op` with `register_fake`), or call "
        "it outside the compiled function and pass its result in as a tensor",
        _is_array_of_data,
    ),
    Idiom(
        "numpy-number",
        _READS,
        "make it a Python number before the compiled region (`self.size = int(np.prod(sizes))`): Dynamo traces NumPy "
        "numbers as tensors",
        _is_array,
    ),
    Idiom(
        "position-read",
        ("CL102", "CL120"),
        "count the position on the host and pass it in (a scheduler's `set_begin_index(0)` before the loop), or pick "
        "without reading: `table.index_select(0, (schedule == t).int().argmax().reshape(1))`",
        _is_position,
    ),
    Idiom(
        "function-of-math",
        _READS,
        "use the function of the same name in `torch` on `x.detach()`, which keeps a tensor",
        lambda place: place.name.startswith("math."),
    ),
)
"""What is read decides, wherever the number goes."""

IDIOMS = (
    Idiom(
        "split-for-experts",
        _READS,
        "multiply all segments at once: `torch.nn.functional.grouped_mm(x, weights, offs=ends)` in bfloat16, with "
        "`ends` as `counts.cumsum(0, dtype=torch.int32)`, or number the rows (`torch.bucketize`) and gather a weight "
        "for each",
        lambda place: _is_cut(place) and _has_weights(place),
    ),
    Idiom(
        "split-by-data",
        _READS,
        "number the rows by segment (`torch.bucketize(arange, ends, right=True)`), and mask or `index_add_` by that "
        "number, or pad the segments to one length",
        _is_cut,
    ),
    Idiom(
        "size-by-data",
        _READS,
        "take the size from a shape, or pass it in as a Python int; a 0-d tensor breaks as a size too",
        _is_size,
    ),
    Idiom(
        "worded-by-data",
        _READS,
        "make texts outside: compile the module inside that works on tensors (`policy.model.compile()`), not what "
        "prepares texts around it",
        _is_worded,
        unproven="it is about what is compiled, not about the statement",
    ),
    Idiom("said-by-data", _READS, "return the tensor, and write the text after the compiled call", _is_said),
    Idiom(
        "reported-number",
        _READS,
        "give back the tensor (`loss.detach()`), and read it after the compiled call",
        _is_given_back,
    ),
    Idiom(
        "list-looped",
        _READS,
        "loop over `range(t.shape[0])` and take `t[i]`, or write it as one operation on the tensor",
        _is_looped,
    ),
    Idiom(
        "cut-by-data",
        _READS,
        "keep all of it and mask (`torch.where(torch.arange(n) >= first, x, 0)`), or cut before the compiled call; a "
        "slice by a 0-d tensor breaks too",
        lambda place: place.operation == "item" and place.is_cut_by,
    ),
    Idiom("list-kept", _READS, "keep the tensor, and index it as a tensor", lambda p: p.operation == "tolist"),
    Idiom(
        "number-kept",
        _READS,
        "keep it as a 0-d tensor (`x.detach()` against a gradient): arithmetic, `torch.where`, `index_select` "
        "and `torch.full` take one",
        lambda place: place.operation == "item",
    ),
    *map(_called, _CASTS),
    Idiom(
        "range-of-data",
        _READS,
        "loop over `tensor.shape[0]` with a mask, or pass the length as a Python int",
        lambda place: place.operation == "range",
    ),
    Idiom(
        "asked-nonzero",
        _READS,
        "keep the condition as a tensor and choose with `torch.where`",
        lambda place: place.operation == "is_nonzero",
    ),
    Idiom(
        "drawn-into-bounds",
        _READS,
        "initialize the tensor outside the compiled region",
        lambda place: place.operation == "trunc_normal_",
    ),
    Idiom(
        "read-otherwise",
        _READS,
        "keep the value as a tensor, or read it once outside the compiled region",
        lambda place: True,
        unproven="what is read, and what for, is not known",
    ),
)
