"""How the dtype class and rank of a result may follow from the arguments: the language of measured results.

A rule is a word, such as `promoted` or `reduced 1`. Nothing here knows the name of an operation; what a rule cannot say
for certain arguments it leaves open (`""`, None).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from compilelint.model.sizes import Size, Sizes

Kind = Literal["tensor", "int", "bool", "float", "complex", "text", "none", "dtype", "sequence", "unknown"]

_CLASSES = ("bool", "int", "float", "complex")
DIMENSION = ("dim", "axis", "dims", "dim0")
KEEP = ("keepdim", "keepdims")


class Argument(NamedTuple):
    """An argument as far as results depend on it.

    `dtype` is a dtype class (`bool`, `int`, `float`, `complex`, `""` unknown) of a tensor or a `torch.dtype`; `rank` is
    a tensor's; `value` is that of a literal; `items` are those of a list or tuple, None where they are not known, and
    then `element` stands for each. `order` is how a tensor lies in memory: empty if contiguous, else which dimension of
    the contiguous tensor each is ("10"), "?" where it is neither, None unknown. `sizes` are a tensor's, `number` is
    that of an integer that was computed from sizes.
    """

    kind: Kind
    dtype: str = ""
    rank: int | None = None
    value: int | bool | str | None = None
    items: tuple[Argument, ...] | None = None
    element: Argument | None = None
    order: str | None = ""
    sizes: Sizes | None = None
    number: Size | None = None


class Arguments(NamedTuple):
    """All arguments of a call; a method's receiver is the first positional one. `open` says that stars hide some."""

    positional: Sequence[Argument]
    keywords: Mapping[str, Argument]
    open: bool = False


# ------------------------------------------------------------------ dtype rules


def tensors_of(call: Arguments) -> list[Argument]:
    """The tensors among the arguments, those of lists included, in order."""
    found: list[Argument] = []
    for one in (*call.positional, *call.keywords.values()):
        if one.kind == "tensor":
            found.append(one)
        elif one.kind == "sequence":
            inside = one.items if one.items is not None else (one.element,)
            found += [item for item in inside if item is not None and item.kind == "tensor"]
    return found


def nth(call: Arguments, n: int) -> Argument | None:
    """The tensor at a place among those that are passed; None where something unknown stands before it.

    Of tensors that are passed by name the order is not known, unless there is only one.
    """
    found: list[Argument] = []
    for one in call.positional:
        if one.kind == "tensor":
            found.append(one)
        elif one.kind == "sequence" and one.items is None:
            found += [one.element] if one.element is not None and one.element.kind == "tensor" else []
            return found[n] if len(found) > n else None
        elif one.kind == "sequence":
            found += [item for item in one.items or () if item.kind == "tensor"]
        if len(found) > n or one.kind == "unknown":
            return found[n] if len(found) > n else None
    named = [one for one in call.keywords.values() if one.kind in ("tensor", "unknown")]
    return named[0] if len(named) == 1 and len(found) == n and named[0].kind == "tensor" else None


def _highest(classes: Sequence[str]) -> str:
    """The class that all are promoted to; empty where one is not known, unless nothing is above what is."""
    if "complex" in classes:
        return "complex"
    return "" if not classes or "" in classes else max(classes, key=_CLASSES.index)


def _class(call: Arguments, n: int = 0) -> str:
    found = nth(call, n)
    return "" if found is None else found.dtype


def hidden(call: Arguments) -> bool:
    """Whether there may be more tensors than are known."""
    return call.open or any(
        one.kind == "unknown" or (one.kind == "sequence" and one.items is None and one.element is None)
        for one in (*call.positional, *call.keywords.values())
    )


def _promoted(call: Arguments) -> str:
    if hidden(call):
        return ""
    classes = [one.dtype for one in tensors_of(call)]
    for one in (*call.positional, *call.keywords.values()):
        if one.kind in _CLASSES:
            classes.append(one.kind)
    return _highest(classes)


def _floating(dtype: str) -> str:
    return "float" if dtype in ("bool", "int") else dtype


def _counted(dtype: str) -> str:
    return "int" if dtype == "bool" else dtype


def _real(dtype: str) -> str:
    return "float" if dtype == "complex" else dtype


def _of_number(call: Arguments, at: int) -> str:
    """The class of a Python number, of those in a list, or of a tensor, at a place among the positional arguments."""
    if len(call.positional) <= at:
        return ""
    one = call.positional[at]
    if one.kind == "sequence":
        if not one.items:
            return "" if one.items is None else "float"
        return _highest([_of_number(Arguments((item,), {}), 0) for item in one.items])
    return one.kind if one.kind in _CLASSES else one.dtype if one.kind == "tensor" else ""


DTYPES: Mapping[str, Callable[[Arguments], str]] = {
    **{f"={name}": lambda call, name=name: name for name in _CLASSES},  # type: ignore[misc]
    "same": _class,
    "second": lambda call: _class(call, 1),
    "third": lambda call: _class(call, 2),
    "counted": lambda call: _counted(_class(call)),
    "floating": lambda call: _floating(_class(call)),
    "real": lambda call: _real(_class(call)),
    "promoted": _promoted,
    "promoted counted": lambda call: _counted(_promoted(call)),
    "promoted floating": lambda call: _floating(_promoted(call)),
    "promoted tensors": lambda call: "" if hidden(call) else _highest([one.dtype for one in tensors_of(call)]),
    "promoted rest": lambda call: _promoted(call._replace(positional=call.positional[1:])),
    "asked": lambda call: next((one.dtype for one in call.positional if one.kind == "dtype"), ""),
    "number 0": lambda call: _of_number(call, 0),
    "number 1": lambda call: _of_number(call, 1),
    "numbers": lambda call: _highest([_of_number(call, at) for at in range(len(call.positional))]),
}
"""How the dtype class of a result may follow from the arguments; the rule that says most for least stands first.

Besides these there are tables: `bool:int float:float` gives the class of the result for that of the first tensor.
"""


@functools.cache
def _by_table(rule: str) -> Mapping[str, str]:
    pairs = [entry.partition(":") for entry in rule.split()]
    return {key: value for key, _, value in pairs}


def dtype_by(rule: str, call: Arguments) -> str:
    """The dtype class that a rule gives; a `dtype` argument decides by itself. Empty where it is not known."""
    wanted = call.keywords.get("dtype")
    if wanted is not None and wanted.kind != "none":
        return wanted.dtype if wanted.kind == "dtype" else ""
    if ":" in rule:
        return _by_table(rule).get(_class(call), "")
    return DTYPES[rule](call) if rule else ""


# ------------------------------------------------------------------- rank rules


def _rank(call: Arguments, n: int = 0) -> int | None:
    found = nth(call, n)
    return None if found is None else found.rank


def _changed(by: int) -> Callable[[Arguments], int | None]:
    def rank(call: Arguments) -> int | None:
        now = _rank(call)
        return None if now is None else max(now + by, 0)

    return rank


def _broadcast(call: Arguments) -> int | None:
    ranks = [one.rank for one in tensors_of(call)]
    if not ranks or None in ranks or hidden(call):
        return None
    return max(rank for rank in ranks if rank is not None)


def _broadcast_less(call: Arguments) -> int | None:
    """As `cosine_similarity`: what both are broadcast to, one dimension taken away."""
    rank = _broadcast(call)
    return None if rank is None else max(rank - 1, 0)


def _product(call: Arguments) -> int | None:
    """As `matmul`: a vector loses its dimension to the other side."""
    a, b = _rank(call), _rank(call, 1)
    if a is None or b is None:
        return None
    return max(max(a, b) - (a == 1) - (b == 1), 0)


def dimension_of(call: Arguments, at: int) -> Argument | None:
    """The argument that says which dimension is meant: a named one, else that at a place; None if it is left out."""
    named = next((call.keywords[name] for name in DIMENSION if name in call.keywords), None)
    return named if named is not None else call.positional[at] if len(call.positional) > at else None


def _reduced(at: int, absent: Literal["all", "last", "pair"]) -> Callable[[Arguments], int | None]:
    """A rule for what takes dimensions away: those at place `at` or named; all, or the last, where none are given."""

    def rank(call: Arguments) -> int | None:
        now, dimension = _rank(call), dimension_of(call, at)
        keep = next((call.keywords[name] for name in KEEP if name in call.keywords), None)
        if keep is None and len(call.positional) > at + 1:
            keep = call.positional[at + 1]
        unclear = (keep is not None and keep.kind != "bool") or (dimension is not None and dimension.kind == "unknown")
        if unclear or call.open:
            return None
        if keep is not None and keep.value is not False:
            return now if keep.value is True else None
        whole = dimension is None or dimension.kind == "none"
        if (whole and absent == "all") or (dimension is not None and dimension.items == ()):
            return 0
        if now is None or (dimension is not None and dimension.kind == "sequence" and dimension.items is None):
            return None
        if whole:
            return max(now - (2 if absent == "pair" else 1), 0)
        return max(now - len((dimension and dimension.items) or (0,)), 0)

    return rank


def _sizes(at: int) -> Callable[[Arguments], int | None]:
    """A rule for what takes sizes: as one list at place `at`, or as all arguments from there on."""

    def rank(call: Arguments) -> int | None:
        named = next((call.keywords[name] for name in ("size", "shape") if name in call.keywords), None)
        given = [named] if named is not None else call.positional[at:]
        if len(given) >= 1 and given[0].kind == "sequence":
            return None if given[0].items is None else len(given[0].items)
        if not given or any(one.kind not in ("int", "tensor") for one in given):
            return None
        return len(given)

    return rank


def _depth(call: Arguments) -> int | None:
    """How deep a literal nests: `[[1, 2]]` is 2, a number 0; a tensor in its place has its own rank."""
    if not call.positional:
        return None
    one, depth = call.positional[0], 0
    while one.kind == "sequence":
        if not one.items:
            return None if one.items is None else depth + 1
        one, depth = one.items[0], depth + 1
    if one.kind == "tensor":
        return None if one.rank is None else one.rank + depth
    return depth if one.kind in _CLASSES else None


def _at_least(n: int) -> Callable[[Arguments], int | None]:
    def rank(call: Arguments) -> int | None:
        now = _rank(call)
        return None if now is None else max(now, n)

    return rank


def _tiled(at: int) -> Callable[[Arguments], int | None]:
    """As `tile`: of as many dimensions as there are repetitions, and never fewer than before."""
    count = _sizes(at)

    def rank(call: Arguments) -> int | None:
        now, times = _rank(call), count(call)
        return None if now is None or times is None else max(now, times)

    return rank


def _flat_without(at: int) -> Callable[[Arguments], int | None]:
    """As `repeat_interleave`: flattened where no dimension is given."""

    def rank(call: Arguments) -> int | None:
        dimension = dimension_of(call, at)
        if dimension is None or dimension.kind == "none":
            return None if call.open else 1
        return _rank(call) if dimension.kind == "int" else None

    return rank


def _loss(otherwise: Callable[[Arguments], int | None]) -> Callable[[Arguments], int | None]:
    """0 as long as `reduction` is not "none"; the legacy flags leave it open."""

    def rank(call: Arguments) -> int | None:
        reduction = call.keywords.get("reduction")
        if call.open or not call.keywords.keys().isdisjoint(("reduce", "size_average")):
            return None
        if reduction is None:
            return 0
        return None if not isinstance(reduction.value, str) else 0 if reduction.value != "none" else otherwise(call)

    return rank


def _quantile(call: Arguments) -> int | None:
    """A dimension in front for a list of wanted fractions, and what is left of the reduced tensor."""
    wanted = call.positional[1] if len(call.positional) > 1 else call.keywords.get("q")
    left = _reduced(2, "all")(call._replace(positional=[*call.positional[:1], Argument("float"), *call.positional[2:]]))
    front = 0 if wanted is not None and wanted.kind == "float" else wanted.rank if wanted is not None else None
    return None if left is None or front is None else left + front


def _inner(call: Arguments) -> int | None:
    """As `inner`: both lose their last dimension; a number only scales."""
    a, b = _rank(call), _rank(call, 1)
    if a is None or b is None:
        return None
    return max(a, b) if 0 in (a, b) else a + b - 2


def _contracted(call: Arguments) -> int | None:
    """As `tensordot`: both lose so many dimensions, two if it is not said."""
    a, b = _rank(call), _rank(call, 1)
    dims = call.keywords.get("dims", call.positional[2] if len(call.positional) > 2 else Argument("int", value=2))
    count = dims.value if dims.kind == "int" else None
    if dims.items is not None and len(dims.items) == _PAIR and dims.items[0].items is not None:
        count = len(dims.items[0].items)
    return None if a is None or b is None or not isinstance(count, int) else max(a + b - 2 * count, 0)


_PAIR = 2


def _flattened(call: Arguments) -> int | None:
    """As `flatten`: the dimensions from the first to the last named become one."""
    now = _rank(call)
    ends = []
    for at, name, default in ((1, "start_dim", 0), (2, "end_dim", -1)):
        default_ = Argument("int", value=default)
        one = call.keywords.get(name, call.positional[at] if len(call.positional) > at else default_)
        ends.append(one.value if one.kind == "int" else None)
    if ends == [0, -1] and not call.open:
        return 1
    if now is None or call.open or not all(isinstance(end, int) for end in ends):
        return None
    first, last = (int(end) % max(now, 1) for end in ends if end is not None)
    return max(now - (last - first), 1)


def _unflattened(call: Arguments) -> int | None:
    """As `unflatten`: one dimension becomes as many as there are sizes."""
    now = _rank(call)
    sizes = call.keywords.get("sizes", call.positional[2] if len(call.positional) > 2 else None)
    return None if now is None or sizes is None or sizes.items is None else now - 1 + len(sizes.items)


def _equation(call: Arguments) -> int | None:
    """As `einsum`: the letters behind the arrow; without one those that stand once."""
    text = call.positional[0].value if call.positional else None
    if not isinstance(text, str) or "." in text:
        return None
    left, arrow, right = text.replace(" ", "").partition("->")
    letters = left.replace(",", "")
    return len(right) if arrow else sum(letters.count(one) == 1 for one in set(letters))


def _product_order(call: Arguments) -> str | None:
    """How the result of `einsum` with two operands lies: as the batched product computes it, then permuted.

    Dimensions of both operands come first, then the others in the order of the result. It is not known where these
    take turns between the operands, where nothing is contracted, and where one operand is summed alone.
    """
    text = call.positional[0].value if call.positional else None
    if not isinstance(text, str) or "." in text:
        return None
    sides, _, out = text.replace(" ", "").partition("->")
    left, comma, right = sides.partition(",")
    contracted = {one for one in left if one in right and one not in out}
    repeated = any(len(set(one)) < len(one) for one in (left, right, out))
    alone = set(left + right) - contracted - set(out)
    if not comma or "," in right or not contracted or not out or repeated or alone:
        return None
    both = [one for one in out if one in left and one in right]
    lefts, rights = ([one for one in out if one in side and one not in both] for side in (left, right))
    others = [one for one in out if one not in both]
    if others not in (lefts + rights, rights + lefts):
        return None
    lying = [*both, *others]
    order = "".join(str(lying.index(one)) for one in out)
    return "" if order == "".join(map(str, range(len(out)))) else order


RANKS: Mapping[str, Callable[[Arguments], int | None]] = {
    "same": _rank,
    **{f"={n}": lambda call, n=n: n for n in range(5)},  # type: ignore[misc]
    "broadcast": _broadcast,
    "second": lambda call: _rank(call, 1),
    "third": lambda call: _rank(call, 2),
    "more": _changed(1),
    "fewer": _changed(-1),
    "second more": lambda call: None if (rank := _rank(call, 1)) is None else rank + 1,
    "product": _product,
    **{f"reduced {at}": _reduced(at, "all") for at in (1, 2, 3)},
    **{f"reduced last {at}": _reduced(at, "last") for at in (1, 2, 3)},
    **{f"reduced pair {at}": _reduced(at, "pair") for at in (1, 2)},
    "quantile": _quantile,
    **{f"sizes {at}": _sizes(at) for at in (0, 1, 2)},
    "depth": _depth,
    **{f"at least {n}": _at_least(n) for n in (1, 2, 3)},
    "tiled 1": _tiled(1),
    **{f"flat without {at}": _flat_without(at) for at in (1, 2)},
    "flattened": _flattened,
    "unflattened": _unflattened,
    "loss same": _loss(_rank),
    "loss broadcast": _loss(_broadcast),
    "loss second": _loss(lambda call: _rank(call, 1)),
    "loss fewer": _loss(_changed(-1)),
    "inner": _inner,
    "contracted": _contracted,
    "equation": _equation,
    "broadcast less": _broadcast_less,
}
"""How the rank of a result may follow from the arguments; the rule that says most for least stands first.

Besides these there are tables: `0:0 1:0 2:2` gives the rank of the result for that of the first tensor.
"""


def rank_by(rule: str, call: Arguments) -> int | None:
    """The rank that a rule gives, None where it is not known."""
    if ":" in rule:
        now = _by_table(rule).get(str(_rank(call)))
        return None if now is None else int(now)
    return RANKS[rule](call) if rule else None


# ----------------------------------------------------------------- layout rules


LAYOUTS = ("contiguous", "same", "kept", "equation")
"""How a result may lie in memory: always contiguous, as the first tensor, contiguous if all tensors are."""


def layout_by(rule: str, call: Arguments, rank: int | None) -> str | None:
    """The order in memory that a rule gives a result of `rank` dimensions, None where it is not known."""
    if rule == "contiguous":
        return ""
    if rule == "equation":
        return _product_order(call)
    if rule == "kept":
        return None if hidden(call) or any(one.order != "" for one in tensors_of(call)) else ""
    first = nth(call, 0) if rule and not hidden(call) else None
    if first is None or first.order in (None, "?"):
        return None
    alike = all(one.order == first.order and (first.order == "" or one.rank == first.rank) for one in tensors_of(call))
    if alike and (first.order == "" or rank == first.rank):
        return first.order
    return None
