"""Builtins over containers and iterators: `list`, `zip`, `sorted`, `max`, `any` and their kin."""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.registry import model
from compilelint.interp.kinds import drawn_numbers
from compilelint.interp.kinds.builtins_on_tensors import builtin_on_tensor, compare_keys
from compilelint.interp.kinds.items import exact_items, iterate
from compilelint.model import Doubt
from compilelint.torchfacts import SyntaxForm
from compilelint.values import (
    BOTTOM,
    INT,
    LAZY,
    NONE,
    REBUILT,
    UNKNOWN,
    Const,
    Dependence,
    Mapping,
    OriginKind,
    Scalar,
    Sequence,
    SequenceKind,
    Source,
    Tensor,
    Value,
    arms,
    is_drawn,
    join_all,
    tensor_arm,
    type_name,
)


def _register_collector(kind: SequenceKind) -> None:
    @model(f"builtins.{kind}")
    def build(f: Frame, args: Args, pos: int) -> Value:
        value = args.get(0)
        if value is None:
            return Sequence(kind, (), BOTTOM) if kind != "set" else Sequence(kind, None, BOTTOM)
        exact = exact_items(f, value)
        if exact is not None and kind in ("list", "tuple"):
            return Sequence(kind, exact, BOTTOM)
        return Sequence(kind, None, iterate(f, value, pos))


_register_collector("list")
_register_collector("tuple")
_register_collector("set")
_register_collector("frozenset")


@model("collections.deque")
def deque_(f: Frame, args: Args, pos: int) -> Value:
    value = args.get(0)
    if value is None:
        return Sequence("list", (), BOTTOM)
    exact = exact_items(f, value) if args.get(1, "maxlen") is None else None
    return Sequence("list", None, iterate(f, value, pos)) if exact is None else Sequence("list", exact, BOTTOM)


@model("builtins.dict", "collections.OrderedDict")
def dict_(f: Frame, args: Args, pos: int) -> Value:
    base = args.get(0)
    entries: dict[object, Value] = {}
    element: Value = BOTTOM
    exact = args.double_star is None
    if isinstance(base, Mapping):
        entries.update(base.entries)
        element, exact = join_all(base.rest), base.exact and exact
    elif base is not None:
        exact = False
        pair = iterate(f, base, pos)
        element = (
            pair.items[1] if isinstance(pair, Sequence) and pair.items is not None and len(pair.items) == 2 else UNKNOWN
        )
    entries.update(args.keywords)
    return Mapping(tuple(entries.items()), join_all([element, args.double_star or BOTTOM]), exact)


@model("collections.defaultdict")
def defaultdict_(f: Frame, args: Args, pos: int) -> Value:
    return Mapping((), UNKNOWN)


@model("builtins.zip")
def zip_(f: Frame, args: Args, pos: int) -> Value:
    if args.star is not None:
        return Sequence(REBUILT, None, Sequence("tuple", None, iterate(f, args.star, pos)))
    return Sequence(REBUILT, None, Sequence("tuple", tuple([iterate(f, v, pos) for v in args.positional]), BOTTOM))


@model("builtins.enumerate")
def enumerate_(f: Frame, args: Args, pos: int) -> Value:
    return Sequence(LAZY, None, Sequence("tuple", (INT, iterate(f, args.get(0) or UNKNOWN, pos)), BOTTOM))


@model("builtins.reversed", "builtins.iter", "itertools.cycle", "itertools.islice")
def same_items(f: Frame, args: Args, pos: int) -> Value:
    value = args.get(0) or UNKNOWN
    return Sequence("iterator", None, iterate(f, value, pos))


@model("builtins.slice")
def slice_object(f: Frame, args: Args, pos: int) -> Value:
    """`slice(n)`, `slice(start, stop, step)`: as a slice that is written with colons."""
    if args.star is not None or not 1 <= len(args.positional) <= 3:
        return UNKNOWN
    given = [NONE, *args.positional] if len(args.positional) == 1 else args.positional
    return Sequence("slice", (*given, *[NONE] * (3 - len(given))), BOTTOM)


@model("itertools.chain")
def chain(f: Frame, args: Args, pos: int) -> Value:
    return Sequence("iterator", None, join_all([iterate(f, v, pos) for v in args.positional]))


@model("itertools.tee")
def tee(f: Frame, args: Args, pos: int) -> Value:
    return Sequence("tuple", None, Sequence("iterator", None, iterate(f, args.get(0) or UNKNOWN, pos)))


@model("itertools.product")
def product(f: Frame, args: Args, pos: int) -> Value:
    return Sequence("iterator", None, Sequence("tuple", tuple([iterate(f, v, pos) for v in args.positional]), BOTTOM))


_ITERTOOLS = """
repeat accumulate batched chain.from_iterable combinations combinations_with_replacement compress dropwhile
filterfalse groupby pairwise permutations starmap takewhile zip_longest
""".split()


@model(*[f"itertools.{n}" for n in _ITERTOOLS])
def made_here(f: Frame, args: Args, pos: int) -> Value:
    """Iterators made in the region: they trace, whatever they give."""
    return Sequence("iterator", None, UNKNOWN)


@model("itertools.count")
def count(f: Frame, args: Args, pos: int) -> Value:
    """The one iterator that Dynamo advances even if it was made outside."""
    return Sequence("count", None, UNKNOWN)


@model("builtins.next")
def next_(f: Frame, args: Args, pos: int) -> Value:
    """Iterators made in the region trace; what is known of none was handed in, if it is an iterator at all."""
    if args.get(0) is UNKNOWN:
        outcome = f.interp.facts.syntax(SyntaxForm.NEXT_OF_OUTSIDE)
        cap, f.around.cap = f.around.cap, Doubt.UNKNOWN_ITERATOR.lower(f.around.cap)
        f.emit(events.Syntax(f.site(pos), outcome, SyntaxForm.NEXT_OF_OUTSIDE.value))
        f.around.cap = cap
        if outcome is not None and f.context.config.breaks(outcome):
            f.left(sure=False, splits=not outcome.skips_frame)  # it may be an iterator made inside
        return UNKNOWN
    return join_all([iterate(f, args.get(0) or UNKNOWN, pos), args.get(1) or BOTTOM])


@model("builtins.sorted")
def sorted_(f: Frame, args: Args, pos: int) -> Value:
    element = iterate(f, args.get(0) or UNKNOWN, pos)
    compare_keys(f, element, args, "builtins.sorted", pos)
    return Sequence("list", None, element)


@model("builtins.map")
def map_(f: Frame, args: Args, pos: int) -> Value:
    function = args.get(0)
    if function is None:
        return UNKNOWN
    items = [iterate(f, v, pos) for v in args.positional[1:]]
    blocks = f.around.blocks
    f.around.blocks = (*blocks, "comprehension")
    element = f.interp.call(f, function, Args(items), pos)
    f.around.blocks = blocks
    return Sequence(REBUILT, None, element)


@model("builtins.filter")
def filter_(f: Frame, args: Args, pos: int) -> Value:
    function, items = args.get(0), args.get(1)
    element = iterate(f, items or UNKNOWN, pos)
    if function is not None and function is not NONE:
        tested = f.interp.call(f, function, Args([element]), pos)
        f.interp.test(f, tested, "comprehension", pos)
    return Sequence(REBUILT, None, element)


@model("functools.reduce")
def reduce_(f: Frame, args: Args, pos: int) -> Value:
    element = iterate(f, args.get(1) or UNKNOWN, pos)
    return f.interp.call(f, args.get(0) or UNKNOWN, Args([element, element]), pos)


@model("builtins.sum")
def sum_(f: Frame, args: Args, pos: int) -> Value:
    element = iterate(f, args.get(0) or UNKNOWN, pos)
    tensor = tensor_arm(element)
    if tensor is not None:
        return tensor.but(
            source=Source.COMPUTED, sizes=None, origin=f.origin("sum", pos, tensor.origin, OriginKind.RESULT)
        )
    start = args.get(1, "start")
    return _flags_as_ints(join_all([element, start or BOTTOM]))


def _flags_as_ints(value: Value) -> Value:
    found = [Scalar("int") if isinstance(a, Const) and type(a.value) in (bool, int) else a for a in arms(value)]
    return join_all(found) if found else UNKNOWN


@model("builtins.max", "builtins.min")
def extremum(f: Frame, args: Args, pos: int) -> Value:
    """Over tensors it stays in the graph and gives a tensor, whatever the other operands are."""
    values = args.positional
    if len(values) == 1 and args.star is None:
        values = [iterate(f, values[0], pos)]
    elif args.star is not None:
        values = [*values, args.star]
    tensor = next((t for t in (tensor_arm(v) for v in values) if t is not None), None)
    key = args.keywords.get("key")
    if key is not None and key is not NONE and values:
        compared = tensor_arm(f.interp.call(f, key, Args([values[0]]), pos)) or tensor
        if compared is not None:  # with a key, tensors among the items are enough, whatever the key makes of them
            builtin_on_tensor(f, SyntaxForm.SORTED, "builtins.max", compared, args, pos, UNKNOWN)
        return join_all(values)
    if tensor is not None:
        certain = all(isinstance(v, (Tensor, Const, Scalar)) for v in values)
        made = tensor.but(
            source=Source.COMPUTED,
            rank=0 if tensor.rank == 0 else None,
            origin=f.origin("max`/`min", pos, tensor.origin, OriginKind.RESULT),
        )
        if certain:
            return made
        return join_all(
            [
                made.but(confidence=Doubt.EXTREMUM_OF_MIXED.lower(made.confidence)),
                *[a for v in values for a in arms(v) if isinstance(a, (Scalar, Const))],
            ]
        )
    folded = [a for v in values for a in arms(v)]
    dependence = max((a.dependence for a in folded), default=Dependence.STATIC)
    if folded and all(isinstance(a, (Const, Scalar)) for a in folded):
        return join_all([Scalar(type_name(a), dependence) for a in folded])
    return join_all(values) if values else UNKNOWN


@model("builtins.any", "builtins.all")
def any_(f: Frame, args: Args, pos: int) -> Value:
    """Builtin `any`/`all` over tensors tests each of them: a jump an item."""
    value = args.get(0) or UNKNOWN
    element = value if isinstance(value, Tensor) and value.rank == 1 else iterate(f, value, pos)
    tensor = tensor_arm(element)
    if tensor is not None:
        return builtin_on_tensor(f, SyntaxForm.ANY, "builtins.any", tensor, args, pos, Scalar("bool"))
    return Scalar("bool")


@model("builtins.divmod")
def divmod_(f: Frame, args: Args, pos: int) -> Value:
    """Of a tensor, Dynamo's own version raises: measured, the same failure as a property read through `super()`."""
    tensor = next((t for t in (tensor_arm(v) for v in args.positional) if t is not None), None)
    if tensor is not None:
        part = tensor.but(source=Source.COMPUTED)
        pair = Sequence("tuple", (part, part), BOTTOM)
        return builtin_on_tensor(f, SyntaxForm.SUPER_PROPERTY, "builtins.divmod", tensor, args, pos, pair)
    return Sequence("tuple", (INT, INT), BOTTOM)


@model("builtins.round")
def round_(f: Frame, args: Args, pos: int) -> Value:
    """A whole number without digits asked for."""
    value = args.get(0) or UNKNOWN
    if is_drawn(value):
        return drawn_numbers.converted(f, "round", args, Scalar("int"), pos)
    if len(args.positional) == 1 and isinstance(value, (Const, Scalar)):
        return Scalar("int", value.dependence)
    return abs_(f, args, pos)


@model("builtins.abs")
def abs_(f: Frame, args: Args, pos: int) -> Value:
    value = args.get(0) or UNKNOWN
    tensor = tensor_arm(value)
    if tensor is not None:
        return tensor.but(source=Source.COMPUTED)
    return value if isinstance(value, Scalar) else Scalar(type_name(value)) if isinstance(value, Const) else UNKNOWN


@model("builtins.pow")
def pow_(f: Frame, args: Args, pos: int) -> Value:
    if any(map(is_drawn, args.positional)) and all(tensor_arm(v) is None for v in args.positional):
        return drawn_numbers.converted(f, "pow", args, UNKNOWN, pos)
    return UNKNOWN
