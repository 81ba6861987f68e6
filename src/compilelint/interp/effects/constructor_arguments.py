"""What the constructor of a class is given where the program makes objects of it: `RandomApply(T.ColorJitter(0.8))`.

A wrapper stores what it is given, and calls it in `forward`; its own text does not say what that is. Asked where an
attribute is a parameter of the constructor and nothing more is known: calls in the module that defines the class, and
of those arguments the layers, transforms and functions, which are what is called. Does not belong here: calls in other
files, whose objects may have nothing to do with what is compiled.
"""

from __future__ import annotations

from compilelint.interp.core.frame import Frame
from compilelint.interp.text.host_work import calls_of, own_calls
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import statements_of
from compilelint.values import UNKNOWN, Const, FunctionRef, Instance, Value, join_all

_MOST = 8  # calls that are looked at
_DEEP = 3  # constructors that hand an argument on


def given(f: Frame, cls: ClassInfo, name: str) -> Value:
    """What `self.name = name` of the constructor may hold; unknown where the program does not show it."""
    init = cls.own("__init__")
    position = None if init is None else _position(init, name)
    if init is None or position is None or cls.stored_later(name) or f.interp.constructing > 2:
        return UNKNOWN
    f.interp.constructing += 1
    try:
        found = [_evaluated(f, cls, e) for e in _arguments(cls, init, position)[:_MOST]]
    finally:
        f.interp.constructing -= 1
    return join_all(found) if found else UNKNOWN


def number_given(cls: ClassInfo, name: str) -> Value:
    """The number that an attribute starts with, where the constructor keeps an argument in it.

    Calls in the module say which; unknown where there is none, or one gives something else than a number.
    """
    init = cls.own("__init__")
    position = None if init is None else _position(init, name)
    if init is None or position is None:
        return UNKNOWN
    given = _arguments(cls, init, position)
    numbers = [Const(e.value) for e in given if isinstance(e, ir.Const) and type(e.value) in (int, float)]
    return join_all(numbers) if given and len(numbers) == len(given) else UNKNOWN


def _position(init: FunctionInfo, name: str) -> int | None:
    """Which parameter an attribute keeps as it is, `self` not counted; None where it keeps none, or one by default."""
    for s in init.node.body:
        for target, value in _pairs(s):
            if isinstance(target, ir.Attr) and target.name == name and isinstance(value, ir.Name):
                names = [p.name for p in init.node.params if p.kind in ("positional", "either") and p.default is None]
                return names.index(value.id) - 1 if value.id in names[1:] else None
    return None


def _pairs(s: ir.Stmt) -> list[tuple[ir.Expr, ir.Expr]]:
    """The targets of an assignment with what each gets: `self.a, self.b = a, b` as two."""
    if not isinstance(s, ir.Assign):
        return []
    target, value = s.targets[0], s.value
    if isinstance(target, ir.Display) and isinstance(value, ir.Display) and len(target.items) == len(value.items):
        return list(zip(target.items, value.items, strict=True))
    return [(target, value)]


def _arguments(cls: ClassInfo, init: FunctionInfo, position: int) -> list[ir.Expr]:
    name = init.node.params[position + 1].name
    found: list[ir.Expr] = []
    for e in fact(cls.module.ir, _calls_by_name).get(cls.node.name, ()):
        keyword = dict(e.keywords).get(name)
        if keyword is not None:
            found.append(keyword)
        elif len(e.args) > position and not any(isinstance(a, ir.Star) for a in e.args):
            found.append(e.args[position])
    return found


def _calls_by_name(module: ir.Module) -> dict[str, list[ir.Call]]:
    """The calls in a module whose callee is a plain name, by that name, in the order of the bodies."""
    found: dict[str, list[ir.Call]] = {}
    calls = [call for s in statements_of(module.body) for call in calls_of(s)]
    todo = list(module.body)
    while todo:
        s = todo.pop()
        if isinstance(s, ir.Function):
            calls += fact(s, own_calls)[0]
        elif isinstance(s, ir.Class):
            todo.extend(s.body)
    for call in calls:
        if isinstance(call.func, ir.Name):
            found.setdefault(call.func.id, []).append(call)
    return found


def _evaluated(f: Frame, cls: ClassInfo, expr: ir.Expr) -> Value:
    """An argument at module level, where locals of the call mean nothing; only what can be called counts."""
    if not isinstance(expr, (ir.Call, ir.Attr)):
        return UNKNOWN
    value = f.interp.at_module_level(cls.module, expr)
    return value if isinstance(value, (Instance, FunctionRef)) else UNKNOWN


def said_of(module: ir.Module, cls: ir.Class, name: str, depth: int = 0) -> ir.Expr | None:
    """The annotation of what the constructor is given for a parameter, where the module that makes objects has one.

    `self.experts = Experts(config)` in a constructor whose own `config: Config` says what it is; through constructors
    that say nothing either.
    """
    init = next((s for s in cls.body if isinstance(s, ir.Function) and s.name == "__init__"), None)
    names = [] if init is None else [p.name for p in init.params if p.kind in ("positional", "either")]
    if name not in names or depth > _DEEP:
        return None
    for maker, owner, call in fact(module, _constructions).get(cls.name, ()):
        given = _given_for(call, name, names.index(name) - 1)
        passed = next((p for p in maker.params if isinstance(given, ir.Name) and p.name == given.id), None)
        if passed is not None and passed.annotation is not None:
            return passed.annotation
        if passed is not None and owner is not None and owner is not cls and maker.name == "__init__":
            found = said_of(module, owner, passed.name, depth + 1)
            if found is not None:
                return found
    return None


def _constructions(module: ir.Module) -> dict[str, list[tuple[ir.Function, ir.Class | None, ir.Call]]]:
    """The calls of plain names in functions and methods of a module, by that name."""
    found: dict[str, list[tuple[ir.Function, ir.Class | None, ir.Call]]] = {}
    for s in module.body:
        for one in s.body if isinstance(s, ir.Class) else (s,):
            if isinstance(one, ir.Function):
                for call in fact(one, own_calls)[0]:
                    if isinstance(call.func, ir.Name):
                        found.setdefault(call.func.id, []).append((one, s if isinstance(s, ir.Class) else None, call))
    return found


def _given_for(call: ir.Call, name: str, position: int) -> ir.Expr | None:
    keyword = dict(call.keywords).get(name)
    if keyword is not None:
        return keyword
    plain = len(call.args) > position >= 0 and not any(isinstance(a, ir.Star) for a in call.args)
    return call.args[position] if plain else None
