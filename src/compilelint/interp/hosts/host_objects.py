"""Iterators and queues that a host makes: what they give, and which kind they are once compiled code gets them.

In a region `zip` and `iter` are traced, so that it is enough to know what they give. From outside Dynamo meets the
object itself, and what it does with a `list_iterator` or a `deque` was measured (`torchfacts.kinds`).
"""

from __future__ import annotations

from collections.abc import Sequence as Many
from typing import Final

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.markers import HELD
from compilelint.interp.kinds.items import exact_items
from compilelint.values import BOTTOM, LAZY, Const, Instance, Sequence, Value

_EXPRESSION: Final = "GB0811|generator expression from outside"
_KINDS: Final = {
    "builtins.iter": "list_iterator",
    "builtins.reversed": "reversed",
    "builtins.zip": "zip",
    "builtins.map": "map",
    "builtins.filter": "filter",
    "builtins.enumerate": "enumerate",
    "itertools.chain": "itertools.chain",
    "collections.deque": "collections.deque",
}
_MOST: Final = 64


def made(f: Frame, name: str, args: Args, modelled: Value) -> Value:
    """The object that a host gets from one of these calls, of which a region would get `modelled`."""
    kind = _KINDS.get(name)
    if not f.modes.host or kind is None or not isinstance(modelled, Sequence):
        return modelled
    if kind == "list_iterator" and not _is_list(args.get(0)):
        return modelled  # those of tuples and dicts are traced
    items = _items(f, name, args)
    held = modelled if items is None else Sequence("list", items, BOTTOM)
    return Instance(kind, False, ((HELD, held),))


def _is_list(value: Value | None) -> bool:
    return isinstance(value, Sequence) and value.kind == "list"


def _items(f: Frame, name: str, args: Args) -> tuple[Value, ...] | None:
    given = [exact_items(f, value) for value in args.positional]
    known = [one for one in given if one is not None and len(one) <= _MOST]
    if not known or len(known) < len(given) or args.star is not None or args.keywords:
        return None
    rows: Many[Value]
    if name == "builtins.zip":
        rows = [Sequence("tuple", row, BOTTOM) for row in zip(*known, strict=False)]
    elif name == "itertools.chain":
        rows = [item for one in known for item in one]
    elif len(known) != 1 or name in ("builtins.map", "builtins.filter"):
        return None
    elif name == "builtins.enumerate":
        rows = [Sequence("tuple", (Const(i), item), BOTTOM) for i, item in enumerate(known[0])]
    else:
        rows = known[0][::-1] if name == "builtins.reversed" else known[0]
    return tuple(rows)


def handed_in(f: Frame, value: Value) -> Value:
    """A generator as compiled code meets it that did not make it; anything else is what it was."""
    if isinstance(value, Sequence) and value.kind == "generator":
        return Instance("generator", False, ((HELD, value),))
    if isinstance(value, Sequence) and value.kind == LAZY and not f.interp.facts.traces(_EXPRESSION):
        return Instance("genexpr", False, ((HELD, value),))
    return value
