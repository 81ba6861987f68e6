"""What a call of a torch operation returns: how many values, and the dtype class and rank of each tensor.

A rule says of one result how its dtype and its rank follow from the arguments (`result_rules`). Which operation follows
which rule is measured, never written by hand: `torchfacts.generate.results` finds rules among real calls, and
`result_tables` ships them. Nothing here knows the name of an operation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from compilelint.model.sizes import Sizes
from compilelint.model.slotted import dataclass
from compilelint.torchfacts.result_rules import (
    DIMENSION,
    DTYPES,
    KEEP,
    LAYOUTS,
    RANKS,
    Argument,
    Arguments,
    dtype_by,
    hidden,
    layout_by,
    rank_by,
    tensors_of,
)
from compilelint.torchfacts.size_rules import SIZES, sizes_by

ALL = "all "


class TensorResult(NamedTuple):
    """One returned tensor: dtype class (`""` unknown), rank (None unknown), order in memory, sizes as an argument."""

    dtype: str
    rank: int | None
    order: str | None = None
    sizes: Sizes | None = None


Part = tuple[str, str, str, str]
"""Rules of one returned tensor: of its dtype class, rank, layout and sizes."""

OPEN: Part = ("", "", "", "")


Shape = Literal["one", "tuple", "many", "each", "python"]


@dataclass(frozen=True, slots=True)
class ResultRule:
    """What one form of a call returns.

    `shape` is `one` tensor, a `tuple` of as many as there are `parts`, `many` (a tuple of unknown length, `parts` holds
    the rule of each), `each` (one for every tensor among the arguments, and by rules on that one alone; `all` before a
    rule says that it is one on all arguments), or `python` (no tensor). A part is (dtype rule, rank rule, layout rule,
    size rule), each empty where nothing holds for every measured call. `fields` are the names of a named tuple,
    and the type of a Python value where it is always one of `bool`, `int`, `float` and `str`.
    """

    shape: Shape
    parts: tuple[Part, ...] = ()
    fields: tuple[str, ...] = ()

    def results(self, call: Arguments) -> tuple[TensorResult, ...] | None:
        """The tensors that this call returns, one for each part; of `many` what is true of each.

        None for `each` of arguments that are not all known.
        """
        if self.shape != "each":
            return tuple(_result(part, call, call) for part in self.parts)
        given = None if hidden(call) else tensors_of(call)
        return None if given is None else tuple(_result(self.parts[0], Arguments([one], {}), call) for one in given)


def _result(part: Part, own: Arguments, call: Arguments) -> TensorResult:
    dtype, rank, layout, size = part
    dimensions = rank_by(rank.removeprefix(ALL), call if rank.startswith(ALL) else own)
    order, sizes = layout_by(layout, own, dimensions), sizes_by(size, own, dimensions)
    return TensorResult(dtype_by(dtype, own), dimensions, order, sizes)


def forms_of(call: Arguments) -> tuple[str, ...]:
    """The forms of an operation that a call is one of, from coarse to fine; none where that is left open.

    A coarse form separates what mostly decides the kind of result in torch: whether there is a second argument
    (`max(x)`), whether it is a tensor (`max(x, y)`), one of no dimension that torch may read as a number (`index`,
    `scalar`), or something else (`max(x, 0)`), and which flags are on (`unique(x, return_counts=True)`). A fine one,
    headed by `:`, names the kind of each argument behind the first. `list>` and its like before a form say that the
    first argument is no tensor.
    """
    if call.open:
        return ()
    flags = []
    for name, value in sorted(call.keywords.items()):
        if name in KEEP or name in _WHERE:
            continue
        if value.kind == "unknown" or (value.kind == "bool" and value.value is None):
            return ()
        if value.value is True:
            flags.append(name)
    rest = [_kind(one) for one in call.positional[1:]]
    second = next((_kind(call.keywords[name]) for name in (*DIMENSION, "other") if name in call.keywords), None)
    if second is None and rest:
        second = rest[0]
    if second == "unknown":
        return ()
    kind = "" if second is None or second == "none" else second if second in _TENSORS else "given"
    first = _FIRST.get(call.positional[0].kind, "") if call.positional else "nothing>"
    coarse = first + (" ".join([kind, *flags]) if flags else kind)
    if "unknown" in rest:
        return (coarse,)
    left_out = (*KEEP, *_WHERE, "dtype")
    named = [f"{name}={_kind(value)}" for name, value in sorted(call.keywords.items()) if name not in left_out]
    return coarse, f"{first}:" + " ".join([*rest, *named, *flags])


_WHERE = ("device", "generator", "non_blocking", "pin_memory", "requires_grad")  # say where and how, not what
_TENSORS = ("tensor", "index", "scalar", "dtype")
_FIRST: Mapping[str, str] = {
    "sequence": "list>",
    **dict.fromkeys(("bool", "int", "float", "complex"), "number>"),
    "text": "text>",
    "none": "none>",
}


def _kind(one: Argument) -> str:
    """The kind of an argument: of tensors too whether torch may read it as an integer, or as another number."""
    if one.kind != "tensor" or one.rank != 0:
        return one.kind
    return "index" if one.dtype == "int" else "scalar"


# ------------------------------------------------------------------------ text


_SHAPES: Mapping[str, Shape] = {"one": "one", "tuple": "tuple", "many": "many", "each": "each", "python": "python"}


def parsed(text: str) -> ResultRule:
    """The rule that the data file spells `one;same,reduced 1`. Raises KeyError or ValueError where it is none."""
    head, *parts = text.split(";")
    word, *fields = head.split()
    shape = _SHAPES[word]
    split = tuple(_part(part) for part in parts)
    return ResultRule(shape, split, tuple(fields))


def _part(text: str) -> Part:
    dtype, rank, layout, *rest = text.split(",")
    (size,) = rest or ("",)
    for rule, known in ((dtype, DTYPES), (rank.removeprefix(ALL), RANKS), (layout, LAYOUTS), (size, SIZES)):
        if rule and ":" not in rule and rule not in known:
            raise ValueError(f"{rule!r} is not a rule of results")
    return dtype, rank, layout, size


def found_in(known: Mapping[str, ResultRule], name: str, call: Arguments) -> ResultRule | None:
    """The rule of a call of `name`, among those of `name` or `name|form`: that of the finest form; None without."""
    whole = known.get(name)
    if whole is not None:
        return whole
    forms = forms_of(call)
    first_known = not call.positional or call.positional[0].kind != "unknown"
    if forms and first_known:
        return next((known[key] for key in (f"{name}|{form}" for form in reversed(forms)) if key in known), None)
    found = [one for _, one in possible(known, name, call)]
    if len(set(found)) == 1:
        return found[0]
    dtypes = {rule.parts[0][0] if rule.shape == "one" else "" for rule in found}
    return ResultRule("one", ((dtypes.pop(), "", "", ""),)) if len(dtypes) == 1 and "" not in dtypes else None


def possible(known: Mapping[str, ResultRule], name: str, call: Arguments) -> list[tuple[str, ResultRule]]:
    """The coarse forms that a call may have of which not all arguments are known, with their rules.

    A dtype is written where it is passed, so that what is not known is none; and what is not known is something.
    """
    forms = forms_of(call)[:1] or ("given", "tensor", "index", "scalar")
    firsts = ("",) if call.positional and call.positional[0].kind != "unknown" else ("", "list>", "number>")
    keys = [first + form for first in firsts for form in forms]
    return [(key, known[f"{name}|{key}"]) for key in keys if f"{name}|{key}" in known]
