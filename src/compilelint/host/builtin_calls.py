"""What Python's builtins, `itertools`, `random` and `copy` give for what is known."""

from __future__ import annotations

import builtins

from compilelint.host import operators, tensors
from compilelint.host.iterating import SOME_TEXT, Given, Some, items_of
from compilelint.host.protocol import Machine
from compilelint.host.signals import MOST_ITEMS
from compilelint.host.values import (
    UNKNOWN,
    Class,
    Drawn,
    Env,
    External,
    Function,
    Lib,
    NamePart,
    Partial,
    Parts,
    Sym,
    Tensor,
    Thing,
    Value,
    Wrapper,
    is_plain,
)
from compilelint.project.compile_calls import how_of
from compilelint.syntax import ir

_GOES_OVER = frozenset("enumerate zip list tuple set sorted reversed iter frozenset map".split())


def builtin(
    m: Machine, env: Env, short: str, args: list[Value], keywords: dict[str, Value], pos: int, node: ir.Call | None
) -> Value:
    """A builtin function, called."""
    first = args[0] if args else None
    if short in _GOES_OVER:
        for one in args:
            m.regions.special(m, env, one, "__iter__", pos)
    if short == "range":
        return _range(m, args)
    if short in ("isinstance", "issubclass", "type", "hasattr", "getattr", "callable", "setattr"):
        return _reflected(m, env, short, args, pos, node)
    if short == "len" and args:
        return _length(m, env, first, pos)
    if short == "enumerate" and args:
        return _enumerated(m, args)
    if short == "zip":
        columns = [items_of(m, one, MOST_ITEMS) for one in args]
        if None in columns:
            return Some(tuple([next(iter(m.iterate(one, 1)[0]), UNKNOWN) for one in args]))
        return list(zip(*[c or [] for c in columns], strict=False))
    if short in ("list", "tuple", "set", "sorted", "reversed", "iter", "frozenset"):
        return _collected(m, short, args)
    if short == "dict":
        return _dict(m, args, keywords)
    if short == "map" and len(args) == 2:
        items = items_of(m, args[1], MOST_ITEMS // 20)
        return UNKNOWN if items is None else [m.call(env, first, [one], {}, pos) for one in items]
    if short == "next":
        return _next(m, args)
    if short == "int" and isinstance(first, NamePart):
        m.regions.name_converted(m, env, first, pos)
    if short in ("min", "max", "sum", "abs", "int", "float", "bool", "str", "round"):
        return _number(m, short, args)
    if short == "vars" and isinstance(first, Thing):
        return first.attrs
    if short in ("print", "open", "vars", "id", "input", "repr", "any", "all", "format"):
        return None if short == "print" else UNKNOWN
    if short == "object":
        return Lib("builtins.object", [], {})
    return Lib(f"builtins.{short}", args, keywords) if short[:1].isupper() else UNKNOWN


def _range(m: Machine, args: list[Value]) -> Value:
    if not args or not all(isinstance(a, int) for a in args) or (len(args) > 2 and args[2] == 0):
        return UNKNOWN
    for a in args if m.region is not None else ():
        if m.region is not None and isinstance(a, Sym):
            m.region.specialized(a, "count")
    return range(*map(int, args))


def _enumerated(m: Machine, args: list[Value]) -> Value:
    first = args[0]
    items = items_of(m, first, MOST_ITEMS)
    if items is None:
        return Some((UNKNOWN, next(iter(m.iterate(first, 1)[0]), UNKNOWN)))
    start = args[1] if len(args) > 1 and isinstance(args[1], int) else 0
    return [(start + i, one) for i, one in enumerate(items)]


def _dict(m: Machine, args: list[Value], keywords: dict[str, Value]) -> Value:
    first = args[0] if args else None
    if isinstance(first, dict):
        return {**first, **keywords}
    pairs = None if first is None else items_of(m, first, MOST_ITEMS)
    if args and pairs is None:
        return UNKNOWN
    made: dict[Value, Value] = {}
    for pair in pairs or ():
        if isinstance(pair, (tuple, list)) and len(pair) == 2 and operators.hashable(pair[0]):
            made[pair[0]] = pair[1]
    return {**made, **keywords}


def _collected(m: Machine, short: str, args: list[Value]) -> Value:
    if not args:
        return () if short == "tuple" else set() if short in ("set", "frozenset") else []
    items = items_of(m, args[0], MOST_ITEMS)
    if items is None:
        return args[0] if isinstance(args[0], Some) else UNKNOWN
    if isinstance(args[0], Parts) and short == "list":
        return args[0]
    if short == "tuple":
        return tuple(items)
    if short in ("set", "frozenset"):
        return set(items) if all(map(operators.hashable, items)) else UNKNOWN
    if short == "sorted":
        kinds = {type(one) for one in items}
        return sorted(items) if len(kinds) <= 1 and all(map(is_plain, items)) and None not in items else list(items)
    return items[::-1] if short == "reversed" else Given(items) if short == "iter" else items


def _next(m: Machine, args: list[Value]) -> Value:
    first = args[0] if args else None
    if isinstance(first, list):  # generators and iterators are run to their end when they are made
        return first.pop(0) if first else UNKNOWN
    if isinstance(first, Lib):
        items = items_of(m, first, 1)
        return items[0] if items else UNKNOWN
    return UNKNOWN


def _number(m: Machine, short: str, args: list[Value]) -> Value:
    first = args[0] if args else None
    if isinstance(first, Tensor):
        return Drawn("float" if short == "float" else "int")
    if isinstance(first, Drawn):
        return Drawn("float" if short == "float" else "int") if short != "str" else UNKNOWN
    values = args if len(args) > 1 else items_of(m, first, MOST_ITEMS) if short in ("min", "max", "sum") else args
    if short == "sum" and values and all(isinstance(one, Tensor) for one in values):
        shape = values[0].shape
        for one in values[1:]:
            shape = tensors.broadcast(shape, one.shape)
        return tensors.combined(values, shape, m.gradients)
    if not values or not all(is_plain(one) and one is not None for one in values):
        return Drawn() if values and any(isinstance(one, Drawn) for one in values) else UNKNOWN
    if short == "str":
        return str(first)[:MOST_ITEMS] if isinstance(first, (str, bool, int)) else SOME_TEXT
    if short in ("int", "float") and isinstance(first, str) and len(first) > 20:
        return UNKNOWN
    try:
        result = (
            getattr(builtins, short)(values) if short in ("min", "max", "sum") else getattr(builtins, short)(*values)
        )
    except (TypeError, ValueError, ArithmeticError):
        return UNKNOWN
    source = operators.source_of(*values)
    return Sym(result, source) if source and type(result) is int else result


def _length(m: Machine, env: Env, value: Value, pos: int) -> Value:
    count = m.counted(value)
    if count is not None and m.region is None:
        return count
    if isinstance(value, (list, tuple, str, dict, set, range)):
        if m.region is not None and isinstance(value, (list, tuple, dict)):
            m.region.gone_over(value, list(value))
        return len(value)
    if isinstance(value, Tensor) and value.shape:
        return value.shape[0] if value.shape[0] is not None else UNKNOWN
    if isinstance(value, Lib) and value.items is not None:
        return len(value.items)
    if isinstance(value, Thing):
        return m.call_method(env, value, "__len__", [], {}, pos)
    return UNKNOWN


def _reflected(m: Machine, env: Env, short: str, args: list[Value], pos: int, node: ir.Call | None) -> Value:
    first = args[0] if args else None
    if short == "type" and len(args) == 3:
        return _class_made(args)
    if short == "type" and len(args) == 1:
        return m.regions.type_of(m, first)
    if short in ("isinstance", "issubclass") and len(args) == 2:
        return m.regions.tests_type(m, env, short, first, args[1], pos, node)
    if short == "callable":
        return True if isinstance(first, (Function, Class, Wrapper, Partial)) else UNKNOWN
    if len(args) >= 2 and isinstance(args[1], str):
        if short == "setattr" and len(args) == 3:
            m.set_attribute(env, first, args[1], args[2], pos)
            return None
        if short == "hasattr":
            return _has(m, first, args[1])
        if short == "getattr":
            if len(args) == 3 and _has(m, first, args[1]) is False:
                return args[2]
            return m.attribute(env, first, args[1], pos)
    return UNKNOWN


def _class_made(args: list[Value]) -> Value:
    """`type(name, bases, members)`, of one base that is a class of the program."""
    name, bases, members = args
    base = next((one for one in bases if isinstance(one, Class)), None) if isinstance(bases, tuple) else None
    if base is None or not isinstance(members, dict):
        return UNKNOWN
    made = Class(base.info, base.env, name if isinstance(name, str) else "?")
    made.attrs = {**({} if not base.name else base.attrs), **{k: v for k, v in members.items() if isinstance(k, str)}}
    return made


def _has(m: Machine, value: Value, name: str) -> Value:
    if isinstance(value, External) and how_of(f"{value.name}.{name}", m.program.compilers):
        return True  # `hasattr(torch, "compile")`
    if isinstance(value, Wrapper):
        return True if name == "_orig_mod" and value.of_module else _has(m, value.target, name)
    if isinstance(value, Thing):
        if name in value.attrs or value.cls.find(name) is not None:
            return True
        return UNKNOWN if value.cls.external_bases and name != "_orig_mod" else False
    return UNKNOWN


_FLOATS_DRAWN = {
    **dict.fromkeys(("random", "rand", "randn", "standard_normal", "random_sample"), 0),
    **dict.fromkeys(("exponential", "expovariate"), 1),
    **dict.fromkeys(("uniform", "gauss", "normal", "normalvariate", "betavariate", "beta", "lognormal"), 2),
    **dict.fromkeys(("gamma", "gammavariate", "lognormvariate", "laplace", "triangular"), 2),
}
"""Functions that draw a float, with how many parameters the distribution has."""


def drawn(short: str, args: list[Value]) -> Value:
    """A number of `random` or NumPy, another one each time."""
    if short in ("randint", "randrange", "integers"):
        return Drawn()
    if short in _FLOATS_DRAWN:  # with a size behind the parameters of the distribution it is an array
        return Drawn("float") if len(args) <= _FLOATS_DRAWN[short] else UNKNOWN
    if short == "choice" and args and isinstance(args[0], (list, tuple, range)) and len(args[0]) > 1:
        return Drawn() if all(isinstance(one, int) for one in args[0]) else UNKNOWN
    return UNKNOWN


def from_itertools(m: Machine, short: str, args: list[Value]) -> Value:
    """What a function of `itertools` gives."""
    columns = [items_of(m, one, MOST_ITEMS) for one in args]
    if short == "count":
        return list(range(16))
    if short in ("islice",) and columns and columns[0] is not None and all(isinstance(a, int) for a in args[1:]):
        return columns[0][slice(*args[1:])]
    if any(c is None for c in columns):
        return UNKNOWN
    known = [c or [] for c in columns]
    if short == "chain":
        return [one for c in known for one in c]
    if short == "product" and len(known) == 2:
        return [(a, b) for a in known[0][:32] for b in known[1][:32]]
    if short == "cycle" and known:
        return (known[0] * 8)[:64]
    if short == "repeat" and args:
        return [args[0]] * 16
    return UNKNOWN


def copied(value: Value, deep: bool, seen: dict[int, Value]) -> Value:
    """A copy, deep or not; `seen` are the objects that were copied already."""
    if id(value) in seen:
        return seen[id(value)]
    if isinstance(value, Thing):
        made = Thing(value.cls)
        seen[id(value)] = made
        made.compiled, made.made = value.compiled, value.made
        made.attrs = {k: copied(v, True, seen) if deep else v for k, v in value.attrs.items()}
        return made
    if isinstance(value, Wrapper) and deep:
        return Wrapper(copied(value.target, True, seen), value.compilation)
    if isinstance(value, list):
        return [copied(v, deep, seen) for v in value]
    if isinstance(value, dict):
        return {k: copied(v, deep, seen) for k, v in value.items()}
    if isinstance(value, Lib) and deep:
        twin = Lib(value.name, value.args, value.keywords)
        seen[id(value)] = twin
        twin.attrs, twin.items = copied(value.attrs, True, seen), copied(value.items, True, seen)
        return twin
    if isinstance(value, Tensor):
        made_tensor = value.but(param=value.param, graph=None if deep else value.graph)
        seen[id(value)] = made_tensor
        return made_tensor
    return value
