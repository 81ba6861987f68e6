"""Python's own callables that Dynamo refuses for what they are given, beside those of `refused_calls`.

Most of these calls raise without compilation too, so that they only matter where the program catches the error: Dynamo
ends the frame at the call, where Python goes on in the handler. Read in `torch/_dynamo/variables` (builtin, functions,
iter, user_defined), run on torch 2.13 and 2.15, each beside forms that are traced.
"""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.refusals.refused_calls import holds_tensor, refuses
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.values import (
    BOTTOM,
    LAZY,
    NONE,
    REBUILT,
    ClassRef,
    Const,
    FunctionRef,
    Mapping,
    Object,
    Scalar,
    Sequence,
    Tensor,
    Value,
    arms,
    tensor_arm,
)


@refuses("functools.partial")
def _nothing_to_call(f: Frame, args: Args) -> str:
    return "" if args.positional or args.double_star is not None else "GB0260"


@refuses("operator.truth")
def _truth_of(f: Frame, args: Args) -> str:
    """The function that an `if` has built in."""
    value = args.get(0)
    return "" if value is None or tensor_arm(value) is None else "GB0059|truth by name"


@refuses("collections.deque")
def _of_rows(f: Frame, args: Args) -> str:
    known = len(args.positional) <= 2 and args.keywords.keys() <= {"iterable", "maxlen"}
    return "" if known else "GB0258"


@refuses("itertools.product")
def _crossed(f: Frame, args: Args) -> str:
    return "GB0268" if args.keywords.keys() - {"repeat"} else ""


@refuses("itertools.zip_longest")
def _padded(f: Frame, args: Args) -> str:
    if not args.keywords.keys() - {"fillvalue"}:
        return ""
    return "GB7312|zip_longest"


@refuses("builtins.dict.fromkeys", "collections.OrderedDict.fromkeys")
def _keyed(f: Frame, args: Args) -> str:
    """Keys that have no hash."""
    keys = args.get(0)
    items = keys.items if isinstance(keys, Sequence) else None
    return "GB0183" if items and any(_has_no_hash(one) for one in items) else ""


def _has_no_hash(value: Value) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, Sequence) and value.kind in ("list", "set"))


@refuses("builtins.super")
def _unbound(f: Frame, args: Args) -> str:
    """`super(C)` without an object."""
    if len(args.positional) != 1:
        return ""
    return "GB0193|super(C)"


@refuses("builtins.isinstance", "builtins.issubclass")
def _asked(f: Frame, args: Args) -> str:
    if len(args.positional) != 2:
        return "GB0193"
    kinds = args.positional[1]
    asked = kinds.items or () if isinstance(kinds, Sequence) else (kinds,)
    of_tensor = tensor_arm(args.positional[0]) is args.positional[0]
    return "GB2736" if of_tensor and any(map(_answers_itself, asked)) else ""


def _answers_itself(kind: Value) -> bool:
    """Whether the metaclass that a class names writes `__instancecheck__`."""
    cls = kind.cls if isinstance(kind, ClassRef) else None
    named = dict(cls.node.keywords).get("metaclass") if isinstance(cls, ClassInfo) else None
    if not isinstance(cls, ClassInfo) or not isinstance(named, ir.Name):
        return False
    found = next((b for b in cls.module.bindings.get(named.id, ()) if isinstance(b, ir.Class)), None)
    return found is not None and any(isinstance(s, ir.Function) and s.name == "__instancecheck__" for s in found.body)


@refuses("builtins.enumerate")
def _without_items(f: Frame, args: Args) -> str:
    return "GB0193" if not args.all() else ""


@refuses("builtins.sorted")
def _sorted(f: Frame, args: Args) -> str:
    """Objects of the program are compared by their own `__lt__`, unless a key says by what else."""
    if not args.all():
        return "GB0193"
    key = args.keywords.get("key", NONE)
    return "GB0207" if key is NONE and any(map(_is_of_the_program, _items(args.get(0)))) else ""


@refuses("builtins.max", "builtins.min")
def _extremum(f: Frame, args: Args) -> str:
    """A key or a default is understood for containers of constants; without one, numbers of any iterator are, pairs and

    lists of containers alone, and objects of the program nowhere."""
    one = args.positional[0] if len(args.positional) == 1 else None
    items = args.positional if one is None else _items(one)
    if not items or any(tensor_arm(item) is not None for item in items):
        return ""
    kind = one.kind if isinstance(one, Sequence) else ""
    lazy = kind in _ITERATORS
    if args.keywords.keys() & {"key", "default"}:
        objects = "key" in args.keywords and any(map(_is_of_the_program, items))
        return "GB0193|extremum by key" if lazy or objects else ""
    if any(map(_is_of_the_program, items)):
        return "GB0059|extremum"
    # `dict.items()` is an iterator as well, and its pairs are constants where the dictionary is one.
    pairs = lazy and kind != "iterator" and all(isinstance(item, Sequence) for item in items)
    return "GB0059|extremum" if pairs else ""


_ITERATORS = frozenset({"iterator", "generator", LAZY, REBUILT})


@refuses("math.prod", "math.fsum")
def _folded(f: Frame, args: Args) -> str:
    one = args.get(0)
    lazy = isinstance(one, Sequence) and one.kind in ("generator", LAZY, REBUILT)
    return "GB0055|math of an iterator" if lazy else ""


def _items(value: Value | None) -> list[Value]:
    """What a container or an iterator gives, in kinds; empty where it is not known."""
    if not isinstance(value, Sequence):
        return []
    kinds = value.items if value.items is not None else arms(value.element)
    return [one for one in kinds if one is not BOTTOM]


def _is_of_the_program(value: Value) -> bool:
    return isinstance(value, Object) and isinstance(value.cls, ClassInfo)


@refuses("builtins.AssertionError")
def _failed(f: Frame, args: Args) -> str:
    """An assertion says why it failed in a text."""
    others = [one for one in args.positional if _is_no_text(one)]
    return "GB0171" if others else ""


def _is_no_text(value: Value) -> bool:
    if isinstance(value, Const):
        return not isinstance(value.value, str)
    number = isinstance(value, Scalar) and value.kind in ("int", "float", "bool")
    return number or isinstance(value, (Sequence, Mapping, Tensor, Object))


@refuses("types.FunctionType.__get__")
def _bound(f: Frame, args: Args) -> str:
    """A method is made of functions that a module holds, not of those that the frame makes."""
    made_here = isinstance(args.get(0), FunctionRef) and _is_nested(args.positional[0])
    return "GB9277" if made_here or args.keywords or len(args.positional) not in (2, 3) else ""


@refuses("torch._dynamo.nonstrict_trace")
def _left_out(f: Frame, args: Args) -> str:
    return "GB0078" if args.positional and _is_nested(args.positional[0]) else ""


def _is_nested(value: Value) -> bool:
    return isinstance(value, FunctionRef) and isinstance(value.closure, Frame)


@refuses("builtins.repr", "builtins.str")
def _shown(f: Frame, args: Args) -> str:
    """A nested function is shown after it was built again, which takes constants in its cells."""
    value = args.get(0)
    if not isinstance(value, FunctionRef) or not isinstance(value.closure, Frame):
        return ""
    return "GB1584" if holds_tensor(value, value.closure) else ""


@refuses("builtins.property")
def _property_made(f: Frame, args: Args) -> str:
    return "GB0059" if args.positional else ""


@refuses("typing.cast")
def _cast(f: Frame, args: Args) -> str:
    return "GB7312|typing.cast" if len(args.positional) > 2 else ""


@refuses("builtins.UnboundLocalError")
def _missing_local(f: Frame, args: Args) -> str:
    return "GB0273|ImportError" if args.keywords else ""


@refuses("traceback.print_exc")
def _printed(f: Frame, args: Args) -> str:
    return "GB9625" if "except" in f.around.blocks else ""


@refuses("torch._dynamo.step_unsupported")
def _stopped(f: Frame, args: Args) -> str:
    return "GB0275"


def gives_containers(args: Args) -> bool:
    """Whether a function under `assume_constant_result` is given a tensor in a container: it runs while Dynamo

    traces, on real tensors, and those in containers are not looked up."""
    return any(_contains_tensor(value) for value in args.all())


def _contains_tensor(value: Value) -> bool:
    items = (value.items or ()) if isinstance(value, Sequence) else ()
    if isinstance(value, Mapping):
        items = tuple([one for _, one in value.entries])
    return any(tensor_arm(one) is one or _contains_tensor(one) for one in items)
