"""How the sizes of a result may follow from the arguments: further words of the language of measured results.

A rule is silent (None) where it cannot know; inside its answer a size is None that it cannot know. Sizes that are
symbols are taken to be above one. Nothing here knows the name of an operation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from compilelint.model.sizes import ONE, Size, Sizes, constant, over, plus, product
from compilelint.torchfacts.result_rules import KEEP, Argument, Arguments, dimension_of, hidden, nth, tensors_of

Rule = Callable[[Arguments], "Sizes | None"]

_INFERRED = -1  # as a size: what the others leave


def number_of(one: Argument | None) -> Size | None:
    """The size that an argument is."""
    if one is None or one.kind != "int":
        return None
    if one.number is not None:
        return one.number
    return constant(one.value) if isinstance(one.value, int) else None


def broadcast(a: Sizes, b: Sizes) -> Sizes:
    """What tensors of these sizes are broadcast to: a size of one gives way, and so does what is not known."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    shorter = (ONE,) * (len(longer) - len(shorter)) + shorter
    return tuple(_met(one, other) for one, other in zip(longer, shorter, strict=True))


def _met(a: Size | None, b: Size | None) -> Size | None:
    if a == b or b == ONE:
        return a
    if a == ONE:
        return b
    if a is None or b is None:
        return a or b  # which is above one, so that the other is the same, or one
    return a if b.number is None and a.number is not None else b if a.number is None and b.number is not None else None


def _of(n: int) -> Rule:
    def sizes(call: Arguments) -> Sizes | None:
        return _each_of(nth(call, n))

    return sizes


def _each_of(one: Argument | None) -> Sizes | None:
    """The sizes of a tensor of known rank, none of which needs to be known."""
    if one is None or one.sizes is not None:
        return None if one is None else one.sizes
    return None if one.rank is None else (None,) * one.rank


def _alike(call: Arguments) -> Sizes | None:
    """The sizes that all tensors have."""
    found = {one.sizes for one in tensors_of(call)}
    return None if hidden(call) or len(found) != 1 else found.pop()


def _broadcast(call: Arguments) -> Sizes | None:
    found = list(map(_each_of, tensors_of(call)))
    if hidden(call) or not found:
        return None
    made: Sizes = ()
    for one in found:
        if one is None:
            return None
        made = broadcast(made, one)
    return made


def _product(call: Arguments) -> Sizes | None:
    """As `matmul`: batches are broadcast, a vector loses its dimension."""
    a, b = (_each_of(nth(call, n)) for n in (0, 1))
    if not a or not b:
        return None
    return (*broadcast(a[:-2], b[:-2]), *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def _linear(call: Arguments) -> Sizes | None:
    """As `linear`: the last size is the first of the second tensor."""
    a, b = (_each_of(nth(call, n)) for n in (0, 1))
    return None if not a or not b else (*a[:-1], *b[:-1])


def _attended(call: Arguments) -> Sizes | None:
    """As `scaled_dot_product_attention`: batches are broadcast, the last size is that of the third tensor."""
    a, b, c = (_each_of(nth(call, n)) for n in (0, 1, 2))
    if not a or not b or not c:
        return None
    return (*broadcast(broadcast(a[:-2], b[:-2]), c[:-2]), *a[-2:-1], c[-1])


def _dimensions(one: Argument | None, rank: int) -> set[int] | None:
    """The dimensions that an argument names, counted from the front."""
    given = () if one is None else one.items if one.kind == "sequence" else (one,)
    if given is None or any(type(item.value) is not int or not -rank <= item.value < rank for item in given):
        return None
    return {int(item.value) % rank for item in given if item.value is not None}


def _reduced(at: int, absent: Literal["all", "last", "pair"]) -> Rule:
    """As the rules of ranks of that name: what is kept has size one."""

    def sizes(call: Arguments) -> Sizes | None:
        now, dimension = _of(0)(call), dimension_of(call, at)
        keep = next((call.keywords[name] for name in KEEP if name in call.keywords), None)
        if keep is None and len(call.positional) > at + 1:
            keep = call.positional[at + 1]
        if call.open or now is None or (keep is not None and not isinstance(keep.value, bool)):
            return None
        rank = len(now)
        if dimension is None or dimension.kind == "none" or dimension.items == ():
            whole = absent == "all" or (dimension is not None and dimension.items == ())
            gone = set(range(rank)) if whole else set(range(rank)[-2 if absent == "pair" else -1 :])
        else:
            named = _dimensions(dimension, rank)
            if named is None:
                return None
            gone = named
        if keep is not None and keep.value:
            return tuple(ONE if d in gone else size for d, size in enumerate(now))
        return tuple(size for d, size in enumerate(now) if d not in gone)

    return sizes


def given_sizes(call: Arguments, at: int) -> list[Argument] | None:
    """The arguments that are sizes: one list at place `at` or named, or all from there on; None if not all are seen."""
    named = next((call.keywords[name] for name in ("size", "shape", "sizes") if name in call.keywords), None)
    given = [named] if named is not None else list(call.positional[at:])
    if len(given) == 1 and given[0].kind == "sequence":
        return None if given[0].items is None else list(given[0].items)
    return given if given and not call.open else None


def _sizes(at: int) -> Rule:
    def sizes(call: Arguments) -> Sizes | None:
        given = given_sizes(call, at)
        if given is None or any(one.kind != "int" for one in given):
            return None
        return tuple(map(number_of, given))

    return sizes


def _viewed(call: Arguments) -> Sizes | None:
    """As `view`: the one size that is not known is what the others leave."""
    given, now = given_sizes(call, 1), _of(0)(call)
    if given is None or any(one.kind not in ("int", "unknown") or one.value == 0 for one in given):
        return None  # of a size of zero nothing is left
    return left_over(tuple(map(number_of, given)), None if now is None else product(now))


def left_over(wanted: Sizes, whole: Size | None) -> Sizes:
    """Sizes of which one may be unknown, with what the others leave of the whole in its place."""
    missing = [d for d, size in enumerate(wanted) if size is None]
    if len(missing) != 1 or whole is None:
        return wanted
    rest = over(whole, product(size for size in wanted if size is not None))
    return tuple(rest if d == missing[0] else size for d, size in enumerate(wanted))


def _expanded(call: Arguments) -> Sizes | None:
    """As `expand`: -1 leaves a size as it is."""
    given, now = given_sizes(call, 1), _of(0)(call)
    if given is None or any(one.kind != "int" for one in given):
        return None
    front = len(given) - len(now or ())
    kept = (None,) * front + (now or ())
    return tuple(kept[d] if one.value == _INFERRED else number_of(one) for d, one in enumerate(given))


def _flattened(call: Arguments) -> Sizes | None:
    now = _of(0)(call)
    ends = []
    for at, name, default in ((1, "start_dim", 0), (2, "end_dim", -1)):
        one = call.keywords.get(
            name, call.positional[at] if len(call.positional) > at else Argument("int", value=default)
        )
        ends.append(one.value if one.kind == "int" else None)
    if now is None or call.open or any(type(end) is not int for end in ends):
        return None
    if not now:
        return (ONE,)
    first, last = (int(end) % len(now) for end in ends if end is not None)
    return (*now[:first], product(now[first : last + 1]), *now[last + 1 :])


def _unflattened(call: Arguments) -> Sizes | None:
    now, at = _of(0)(call), dimension_of(call, 1)
    given = call.keywords.get("sizes", call.positional[2] if len(call.positional) > 2 else None)
    if now is None or given is None or given.items is None:
        return None
    where = _dimensions(at, len(now))
    if where is None or len(where) != 1 or any(one.kind not in ("int", "unknown") for one in given.items):
        return None
    d = where.pop()
    return (*now[:d], *left_over(tuple(map(number_of, given.items)), now[d]), *now[d + 1 :])


def _inserted(call: Arguments) -> Sizes | None:
    """As `unsqueeze`: a dimension of one."""
    now, at = _of(0)(call), dimension_of(call, 1)
    where = None if now is None else _dimensions(at, len(now) + 1)
    if now is None or where is None or len(where) != 1:
        return None
    d = where.pop()
    return (*now[:d], ONE, *now[d:])


def _removed(call: Arguments) -> Sizes | None:
    """As `select`, and each part of `unbind`: one dimension is gone, the first if it is not said."""
    now, at = _of(0)(call), dimension_of(call, 1)
    where = None if now is None else _dimensions(Argument("int", value=0) if at is None else at, len(now))
    if now is None or where is None or len(where) != 1:
        return None
    d = where.pop()
    return (*now[:d], *now[d + 1 :])


def _cut(call: Arguments) -> Sizes | None:
    """As each part of `chunk`: so many of equal size; the dimension at place 2, the first if it is not said."""
    now, at = _of(0)(call), dimension_of(call, 2)
    count = call.keywords.get("chunks", call.positional[1] if len(call.positional) > 1 else None)
    where = None if now is None else _dimensions(Argument("int", value=0) if at is None else at, len(now))
    if now is None or where is None or len(where) != 1:
        return None
    d = where.pop()
    part = over(now[d], number_of(count))
    if part is not None and not part.factors and part.under != 1:
        return None
    return (*now[:d], part, *now[d + 1 :])


def _parts(call: Arguments) -> Sizes | None:
    """As each part of `split`: of the size that is given, which goes out even; the dimension at place 2."""
    now, at = _of(0)(call), dimension_of(call, 2)
    size = call.positional[1] if len(call.positional) > 1 else None
    where = None if now is None else _dimensions(Argument("int", value=0) if at is None else at, len(now))
    if now is None or where is None or len(where) != 1:
        return None
    d = where.pop()
    count = over(now[d], number_of(size))
    known = None if count is None or (not count.factors and count.under != 1) else number_of(size)
    return (*now[:d], known, *now[d + 1 :])


def _joined(call: Arguments) -> Sizes | None:
    """As `cat`: the sizes along one dimension are added up."""
    given, at = call.positional[0] if call.positional else None, dimension_of(call, 1)
    found = [sizes for one in (given and given.items) or () if (sizes := _each_of(one)) is not None]
    if given is None or not given.items or call.open or len(found) != len(given.items):
        return None
    rank = len(found[0])
    where = _dimensions(Argument("int", value=0) if at is None else at, rank)
    if where is None or len(where) != 1 or any(len(one) != rank for one in found):
        return None
    d = where.pop()
    whole: Size | None = found[0][d]
    for one in found[1:]:
        whole = plus(whole, one[d])
    others = tuple(next((one[i] for one in found if one[i] is not None), None) for i in range(rank))
    return (*others[:d], whole, *others[d + 1 :])


def _stacked(call: Arguments) -> Sizes | None:
    """As `stack`: a dimension of as many as there are tensors, which are alike."""
    given, at = call.positional[0] if call.positional else None, dimension_of(call, 1)
    if given is None or not given.items or call.open:
        return None
    sizes = _each_of(given.items[0])
    where = None if sizes is None else _dimensions(Argument("int", value=0) if at is None else at, len(sizes) + 1)
    if sizes is None or where is None or len(where) != 1:
        return None
    d = where.pop()
    return (*sizes[:d], constant(len(given.items)), *sizes[d:])


def _equation(call: Arguments) -> Sizes | None:
    """As `einsum`: each letter is a size."""
    text = call.positional[0].value if call.positional else None
    if not isinstance(text, str) or "." in text or "->" not in text or hidden(call):
        return None
    left, _, right = text.replace(" ", "").partition("->")
    letters: dict[str, Size | None] = {}
    for side, one in zip(left.split(","), tensors_of(call), strict=False):
        if one.sizes is None or len(one.sizes) != len(side):
            continue
        for letter, size in zip(side, one.sizes, strict=True):
            if letters.get(letter) in (None, ONE):
                letters[letter] = size
    return tuple(letters.get(letter) for letter in right)


SIZES: Mapping[str, Rule] = {
    "alike": _alike,
    "broadcast": _broadcast,
    "same": _of(0),
    "second": _of(1),
    "third": _of(2),
    "attended": _attended,
    "product": _product,
    "linear": _linear,
    **{f"reduced {at}": _reduced(at, "all") for at in (1, 2, 3)},
    **{f"reduced last {at}": _reduced(at, "last") for at in (1, 2, 3)},
    **{f"reduced pair {at}": _reduced(at, "pair") for at in (1, 2)},
    **{f"sizes {at}": _sizes(at) for at in (0, 1, 2)},
    "viewed": _viewed,
    "expanded": _expanded,
    "flattened": _flattened,
    "unflattened": _unflattened,
    "inserted": _inserted,
    "removed": _removed,
    "cut": _cut,
    "parts": _parts,
    "joined": _joined,
    "stacked": _stacked,
    "equation": _equation,
}
"""How the sizes of a result may follow from the arguments; the rule that says most for least stands first."""


_OF_TENSORS = frozenset({"alike", "broadcast", "same", "second", "third", "product", "linear", "attended"})
"""Rules that know nothing where no size of a tensor is known: most operations, of most tensors."""


def sizes_by(rule: str, call: Arguments, rank: int | None) -> Sizes | None:
    """The sizes that a rule gives a result of `rank` dimensions, None where it is not known."""
    if rank == 0:
        return ()
    if rule in _OF_TENSORS and not any(one.sizes for one in tensors_of(call)):
        return None
    found = SIZES[rule](call) if rule else None
    return None if found is None or not any(found) or rank not in (None, len(found)) else found
