"""Methods of lists, dicts, sets, strings and numbers."""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.effects import mapping_proxies
from compilelint.interp.effects.container_writes import handed_in
from compilelint.interp.kinds.assignment import outer_container, rebind
from compilelint.interp.kinds.builtins_on_tensors import compare_keys
from compilelint.interp.kinds.items import doubted, exact_items, iterate, mixed_bag
from compilelint.interp.refusals import refused_objects, refused_outside
from compilelint.interp.regions import hook_handles, leaving_region
from compilelint.model import Doubt
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.torchfacts import SyntaxForm
from compilelint.values import (
    BOTTOM,
    INT,
    NONE,
    UNKNOWN,
    Const,
    Dependence,
    Mapping,
    Scalar,
    Sequence,
    Value,
    is_known_key,
    join_all,
    key_of,
    tensor_arm,
    value_of,
)

_GROWING = frozenset(
    """
    append extend insert add update setdefault pop popitem popleft clear remove discard appendleft sort reverse
    """.split()
)


def container_method(f: Frame, receiver: Value, name: str, args: Args, pos: int, node: ir.Call | None) -> Value:
    """Methods of containers, strings and numbers; a change is bound back to the name that held the container."""
    if isinstance(receiver, Mapping):
        result, updated = _mapping_method(f, receiver, name, args, pos)
    elif isinstance(receiver, Sequence):
        result, updated = _sequence_method(f, receiver, name, args, pos)
        if name == "send" and receiver.kind == "generator" and not f.modes.silent:
            refused_objects.sent(f, node, args, pos)
        if name in ("index", "remove"):
            _searched(f, receiver, args, pos)
    else:
        if name == "format" and any(tensor_arm(v) is not None for v in args.all()):
            return Scalar("str", Dependence.DATA)  # clean while the text is not looked at
        return _joined(receiver, args) if name == "join" and f.modes.silent else _text_method(receiver, name)
    if node is not None and isinstance(node.func, ir.Attr):
        target = node.func.value
        if name == "keys" and f.modes.silent and isinstance(receiver, Mapping):
            result = refused_outside.keys(f, node) or result
        mapping_proxies.written(f, receiver, bool(outer_container(f, target)), name)
        if f.takes_rest(target) and not isinstance(args.get(0), Const):
            result = doubted(result, Doubt.ANY_ARGUMENT)
        if updated is not None:
            rebind(f, target, updated)
        if name in _GROWING:
            for value in args.all():
                hook_handles.contained(f, value)
            outer = outer_container(f, target)
            if outer or (isinstance(target, ir.Name) and f.context.caller is None and handed_in(f, target)):
                leaving_region.kept(f, args.all())
            if outer:
                f.emit(events.Mutation(f.site(pos), None, outer, dotted_name(target), name, args.get(0) or UNKNOWN))
    return result


def _searched(f: Frame, receiver: Sequence, args: Args, pos: int) -> None:
    """`list.index(tensor)`: what is searched for is compared with each item in turn, and each result is tested."""
    sought = tensor_arm(args.get(0) or UNKNOWN)
    if sought is not None and receiver.kind in ("list", "tuple") and receiver.items != ():
        outcome = f.interp.facts.syntax(SyntaxForm.IF)
        f.emit(events.Branch(f.site(pos), outcome, "search", sought))
        f.broken_by(outcome, sought.confidence)


def softened(value: Const) -> Value:
    """A constant known by type only."""
    return Scalar(type(value.value).__name__)


def _mapping_method(f: Frame, m: Mapping, name: str, args: Args, pos: int) -> tuple[Value, Value | None]:
    any_value = mixed_bag([*m.rest, *[v for _, v in m.entries]])
    if name == "keys":
        return Sequence("iterator", None, iterate(f, m, pos)), None
    if name == "values":
        return Sequence("iterator", None, any_value), None
    if name == "items":
        keys = iterate(f, m, pos)
        return Sequence(
            "iterator", None, Sequence("tuple", (UNKNOWN if keys is BOTTOM else keys, any_value), BOTTOM)
        ), None
    if name == "setdefault":
        return _with_default(m, args, any_value)
    if name in ("get", "pop"):
        key, default = args.get(0), args.get(1)
        found = m.get(key_of(key)) if key is not None and is_known_key(key) else None
        if found is not None:
            return found, None
        maybe = m.held(key_of(key)) if key is not None and is_known_key(key) else None
        if maybe is not None:
            return join_all([maybe, default or (NONE if name == "get" else BOTTOM)]), None
        if isinstance(key, Const):
            fallback = default if default is not None else (NONE if name == "get" else BOTTOM)
            if m.exact:
                return fallback, None
            if isinstance(fallback, Const) and fallback.value is not None:
                return join_all([softened(fallback), UNKNOWN]), None  # of the default's type, if of any that we know
            return join_all([mixed_bag([m.element]), fallback]), None  # what other names hold proves little of this one
        return join_all([any_value, default or (NONE if name == "get" else BOTTOM)]), None
    if name == "copy":
        return m, None
    if name == "update":
        other = args.get(0)
        entries = dict(m.entries)
        element, exact = m.element, m.exact
        if isinstance(other, Mapping):
            entries.update(other.entries)
            element, exact = join_all([element, *other.rest]), exact and other.exact
        elif other is not None:
            element, exact = UNKNOWN, False
        entries.update(args.keywords)
        may_be = tuple([(k, v) for k, v in m.maybe if k not in entries])
        return NONE, Mapping(tuple(entries.items()), element, exact, may_be)
    return UNKNOWN, None


def _with_default(m: Mapping, args: Args, any_value: Value) -> tuple[Value, Value | None]:
    """`m.setdefault(key, default)`: what lies there then, and the dict with it."""
    key, default = args.get(0), args.get(1) or NONE
    if key is None or not is_known_key(key):
        return join_all([any_value, default]), Mapping(m.entries, join_all([m.element, default]), False, m.maybe)
    name = key_of(key)
    found = m.get(name)
    if found is not None:
        return found, None
    others = [m.held(name) or (BOTTOM if m.exact else m.element)]
    held = join_all([*others, default])
    rest = tuple([(k, v) for k, v in m.maybe if k != name])
    return held, Mapping((*m.entries, (name, held)), m.element, m.exact, rest)


def _sequence_method(f: Frame, s: Sequence, name: str, args: Args, pos: int) -> tuple[Value, Value | None]:
    element = s.element if s.items is None else join_all(s.items)
    first = args.get(0)
    if name in ("append", "add", "appendleft") and first is not None:
        return NONE, _grown(f, s, element, first)
    if name == "insert" and args.get(1) is not None:
        return NONE, Sequence(s.kind, None, join_all([element, args.get(1) or UNKNOWN]))
    if name in ("extend", "update") and first is not None:
        exact = exact_items(f, first)
        if s.items is not None and exact is not None and not f.around.loops and len(s.items) + len(exact) <= 16:
            return NONE, Sequence(s.kind, s.items + exact, BOTTOM)
        return NONE, Sequence(s.kind, None, join_all([element, iterate(f, first, pos)]))
    if name == "pop":
        return (element if element is not BOTTOM else UNKNOWN), Sequence(s.kind, None, element)
    if name == "sort":
        compare_keys(f, element, args, "builtins.list.sort", pos)
        return NONE, None
    if name in ("copy", "reverse", "numel"):
        return (s if name == "copy" else INT if name == "numel" else NONE), None
    if name in ("index", "count"):
        tensor = tensor_arm(element)
        if tensor is not None and first is not None and tensor_arm(first) is not None:
            return INT, None
        return INT, None
    if name in ("union", "intersection", "difference"):
        return Sequence("set", None, element), None
    return UNKNOWN, None


def _grown(f: Frame, s: Sequence, element: Value, item: Value) -> Value:
    if s.items is not None and not f.around.loops and len(s.items) < 16:
        return Sequence(s.kind, (*s.items, item), BOTTOM)
    return Sequence(s.kind, None, join_all([element, item]))


_TEXT = frozenset(
    """
    join format upper lower strip lstrip rstrip replace removeprefix removesuffix title
    """.split()
)


_MOST_TEXT = 4096  # characters of a constant that is put together from others


def _joined(receiver: Value, args: Args) -> Value:
    """`"|".join(TABLE)` of texts that are all known."""
    given = args.get(0)
    items: tuple[Value, ...] | None = None
    if isinstance(given, Mapping) and given.exact:
        items = tuple([value_of(k) for k, _ in given.entries])
    elif isinstance(given, Sequence):
        items = given.items
    texts = [i.value for i in items or () if isinstance(i, Const) and isinstance(i.value, str)]
    if (
        items is None
        or len(texts) < len(items)
        or not isinstance(receiver, Const)
        or not isinstance(receiver.value, str)
    ):
        return Scalar("str")
    if sum(map(len, texts)) + len(texts) * len(receiver.value) > _MOST_TEXT:
        return Scalar("str")
    return Const(receiver.value.join(texts))


def _text_method(receiver: Value, name: str) -> Value:
    if name in _TEXT:
        return Scalar("str")
    if name in ("split", "rsplit", "splitlines", "partition", "rpartition"):
        return Sequence("list", None, Scalar("str"))
    if name in ("startswith", "endswith", "isdigit", "is_integer"):
        return Scalar("bool")
    if name in ("bit_length", "find", "index", "count"):
        return INT
    return UNKNOWN
