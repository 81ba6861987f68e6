"""`torchvision.transforms` where torchvision is not installed: what they hold, call, and give back."""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.markers import HELD
from compilelint.interp.core.registry import CLASSES, Classes
from compilelint.interp.kinds.call_arguments import first_tensor
from compilelint.interp.kinds.items import exact_items, iterate
from compilelint.values import (
    BOTTOM,
    UNKNOWN,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    OriginKind,
    Partial,
    Sequence,
    Source,
    Value,
)

PREFIX = "torchvision.transforms."
_HOLDING = frozenset({"Compose", "RandomApply", "RandomChoice", "RandomOrder"})
_SEVERAL = frozenset({"FiveCrop", "TenCrop"})


def made(f: Frame, name: str, args: Args) -> Value:
    """`T.ColorJitter(0.4)`, `T.Compose([...])`: a transform with those that it holds."""
    short = name.rpartition(".")[2]
    state: tuple[tuple[str, Value], ...] = ()
    if short in _HOLDING:
        inner = args.get(0, "transforms") or UNKNOWN
        exact = exact_items(f, inner)
        held = Sequence("list", exact, BOTTOM) if exact is not None else Sequence("list", None, iterate(f, inner, 0))
        state = ((HELD, held),)
    elif short == "Lambda":
        function = args.get(0, "lambd")
        state = (("function", function),) if isinstance(function, (FunctionRef, Object, Partial)) else ()
    return Instance(name, f.modes.inside, state)


def called(f: Frame, transform: Instance, args: Args, pos: int) -> Value:
    """Run what it holds, one after the other; a tensor comes back as a tensor."""
    state = dict(transform.state)
    function, held = state.get("function"), state.get(HELD)
    if function is not None:
        return f.interp.call(f, function, args, pos)
    if isinstance(held, Sequence):
        value = args.get(0) or UNKNOWN
        for one in held.items if held.items is not None else (held.element,):
            value = f.interp.call(f, one, Args([value]), pos)
        return value
    first = first_tensor(args)
    short = transform.name.rpartition(".")[2]
    if first is None or isinstance(args.get(0), Mapping):
        return UNKNOWN
    origin = f.origin(f"`{short}`", pos, first.origin, OriginKind.RESULT)
    out = first.but(source=Source.COMPUTED, rank=None, origin=origin)
    return Sequence("tuple", None, out) if short in _SEVERAL else out


CLASSES[PREFIX] = Classes(made, called)
