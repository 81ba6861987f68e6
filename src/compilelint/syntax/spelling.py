"""Expressions as text again, short enough for a title: `scores.max() > 0`, `self.mask`, `onehot[e]`.

The text is made from the IR, so what it keeps not (quotes, spaces, how a number was written) reads as a formatter would
write it. Does not belong here: what an expression means.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, get_args

from compilelint.syntax import ir
from compilelint.syntax.facts import top_level
from compilelint.syntax.places import unpack

LONGEST = 40
"""Characters that a title has for an expression; what is longer ends in an ellipsis."""
_CUT = "…"
_DEEPEST = 8  # levels that are written out; more would not fit

# How tightly operators bind, as Python's grammar has it.
_BINDING = {"or": 1, "and": 2, "not": 3, "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9}
_COMPARES, _FACTOR, _SIGN, _POWER, _ATOM = 4, 10, 11, 12, 13
_BRACKETS = {"list": ("[", "]"), "set": ("{", "}"), "dict": ("{", "}"), "generator": ("(", ")"), "tuple": ("(", ")")}


def node_at(where: object, pos: int) -> ir.Expr | None:
    """The expression that stands at a packed place of a module; None where none begins and ends just there.

    Decorators are not searched: they stand before the place of what they decorate.
    """
    path = path_to(where, pos)
    found: ir.Expr | None = path[-1] if path else None
    return found


def path_to(where: object, pos: int) -> tuple[Any, ...]:
    """The nodes around a packed place, outermost first, and last the expression there; empty where none is."""
    if not isinstance(where, ir.Module):
        return ()
    wanted = unpack(pos)
    begins = wanted[:2]
    nodes: list[tuple[Any, Any]] = [(node, None) for node in _near(top_level(where), begins)]
    while nodes:  # each with the node around and its pair
        pair = nodes.pop()
        node = pair[0]
        if not isinstance(node, _PLACELESS):
            place = unpack(node.pos)  # what has the place was read; the others are passed over
            if place[:2] > wanted[:2] or place[2:] < wanted[2:]:
                continue
            if node.pos == pos and isinstance(node, _EXPRESSIONS):
                return tuple(_outwards(pair))[::-1]
        nodes.extend((part, pair) for part in parts_of(node, begins))
    return ()


_MANY = 16


def _near(nodes: Sequence[Any], begins: tuple[int, int]) -> Sequence[Any]:
    """Of nodes in the order of the text, those that may hold what begins there: the last that begins no later."""
    if len(nodes) <= _MANY or isinstance(nodes[0], _PLACELESS):
        return nodes
    try:
        end = first = bisect_right(nodes, begins, key=_begin)
        while first > 0 and (first == end or _begin(nodes[first - 1]) == _begin(nodes[first])):
            first -= 1  # parts of a text have the place of the whole, before Python 3.12
    except AttributeError:  # names, pairs of a name and a node, keys that are none
        return nodes
    return nodes[first:end]


def _begin(node: Any) -> tuple[int, int]:
    line, column, *_ = unpack(node.pos)
    return line, column


def _outwards(pair: Any) -> Iterator[Any]:
    while pair is not None:
        node, pair = pair
        yield node


def spelled(expr: ir.Expr | None, longest: int = LONGEST) -> str:
    """An expression on one line of at most `longest` characters; "" for None and for what is better left unsaid.

    Where the whole is too long, arguments and indices give way to an ellipsis first, then the end does.
    """
    if expr is None:
        return ""
    text = _text(expr, 0, _DEEPEST, brief=False)
    if len(text) > longest:
        text = _text(expr, 0, _DEEPEST, brief=True)
    if "`" in text or not text.isprintable():
        return ""  # a title sets code between backticks
    return text if len(text) <= longest else text[: longest - 1].rstrip() + _CUT


_PLACELESS = (ir.Clause, ir.Param, ir.Case, ir.Handler)  # without a place of all that is in them
_EXPRESSIONS: tuple[type[Any], ...] = get_args(ir.Expr)


def parts_of(node: Any, begins: tuple[int, int] | None = None) -> Iterator[Any]:
    """The nodes that a node holds, through tuples; with `begins`, of many those that may hold what begins there."""
    found = [getattr(node, name) for name in type(node).__slots__]
    while found:
        value = found.pop()
        if isinstance(value, tuple):
            found.extend(value if begins is None else _near(value, begins))
        elif type(value).__module__ == ir.__name__:
            yield value


def _text(e: ir.Expr | None, outer: int, deep: int, *, brief: bool) -> str:
    """The text of an expression, in parentheses where it binds no tighter than what stands around it."""
    if e is None:
        return ""
    if deep == 0:
        return _CUT
    text, own = _bound(e, deep - 1, brief)
    return f"({text})" if own < outer else text


def _bound(e: ir.Expr, deep: int, brief: bool) -> tuple[str, int]:
    """The text of an expression, and how tightly it binds."""

    def inner(part: ir.Expr | None, outer: int = 0) -> str:
        return _text(part, outer, deep, brief=brief)

    def listed(parts: Iterable[str]) -> str:
        found = list(parts)
        return _CUT if brief and found else ", ".join(found)

    match e:
        case ir.Name():
            return e.id, _ATOM
        case ir.Const():
            return _constant(e.value), _ATOM
        case ir.Attr():
            return f"{inner(e.value, _ATOM)}.{e.name}", _ATOM
        case ir.Call():
            named = (f"{name}={inner(value)}" if name else f"**{inner(value)}" for name, value in e.keywords)
            return f"{inner(e.func, _ATOM)}({listed([*map(inner, e.args), *named])})", _ATOM
        case ir.Index():
            items = e.index.items if isinstance(e.index, ir.Display) and e.index.kind == "tuple" else (e.index,)
            return f"{inner(e.value, _ATOM)}[{', '.join(map(inner, items))}]", _ATOM
        case ir.Slice():
            step = f":{inner(e.step)}" if e.step is not None else ""
            return f"{inner(e.lower)}:{inner(e.upper)}{step}", 0
        case ir.Binary():
            own = _POWER if e.op == "**" else _BINDING.get(e.op, _FACTOR)
            return f"{inner(e.left, own + (e.op == '**'))} {e.op} {inner(e.right, own + (e.op != '**'))}", own
        case ir.Unary():
            own = _BINDING["not"] if e.op == "not" else _SIGN
            return f"{e.op}{' ' if e.op == 'not' else ''}{inner(e.operand, own)}", own
        case ir.BoolOp():
            own = _BINDING[e.op]
            return f" {e.op} ".join(inner(value, own + 1) for value in e.values), own
        case ir.Compare():
            rights = (f" {op} {inner(right, _COMPARES + 1)}" for op, right in zip(e.ops, e.rights, strict=True))
            return inner(e.left, _COMPARES + 1) + "".join(rights), _COMPARES
        case ir.Display():
            opening, closing = _BRACKETS[e.kind]
            comma = "," if e.kind == "tuple" and len(e.items) == 1 and not brief else ""
            return f"{opening}{listed(map(inner, e.items))}{comma}{closing}", _ATOM
        case ir.DictDisplay():
            return f"{{{_CUT if e.keys else ''}}}", _ATOM
    return _wide(e, inner)


_Wide: TypeAlias = "ir.IfExp | ir.Comp | ir.Star | ir.Walrus | ir.Yield | ir.FString | ir.Lambda | ir.Opaque"


def _wide(e: _Wide, inner: Callable[..., str]) -> tuple[str, int]:
    """The same of what binds loosely, and of comprehensions."""
    match e:
        case ir.IfExp():
            return f"{inner(e.then, 1)} if {inner(e.test, 1)} else {inner(e.other)}", 0
        case ir.Comp():
            opening, closing = _BRACKETS[e.kind]
            first = f"{inner(e.element)}: {inner(e.value)}" if e.value is not None else inner(e.element)
            loops = (f" for {inner(clause.target)} in {inner(clause.iterable)}" for clause in e.clauses)
            return f"{opening}{first}{''.join(loops)}{closing}", _ATOM
        case ir.Star():
            return f"*{inner(e.value, _SIGN)}", 0
        case ir.Walrus():
            return f"{e.name} := {inner(e.value)}", 0
        case ir.Yield():
            word = {"yield": "yield", "from": "yield from", "await": "await"}[e.how]
            return f"{word} {inner(e.value)}".rstrip(), 0
        case ir.FString():
            return f'f"{_CUT}"', _ATOM
        case ir.Lambda():
            return f"lambda: {_CUT}", 0
        case ir.Opaque():
            return _CUT, _ATOM


def _constant(value: object) -> str:
    if value is ...:
        return "..."
    if isinstance(value, float):
        short = f"{value:g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
        return short if "e" in short and float(short) == value else repr(value)
    if isinstance(value, str):
        return f'"{repr(value)[1:-1]}"' if '"' not in value and "'" not in value else repr(value)
    return repr(value)
