"""Classes that code runs on when they are made: decorators, `__init_subclass__`, and what these leave of the text.

A function that receives a class may put other methods on it, or give back another class. Such functions are run here,
once a class, as Python runs them; what they store stands in the place of what the class body says. Functions that
cannot change a class by their text (they register it, or write its docstring) are not run. Does not belong here:
decorators of functions (`interpreter.wrapper_of`), and what a class that was not changed holds (`objects`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from compilelint.interp.core.args import Args
from compilelint.interp.core.changed_classes import Standing
from compilelint.interp.core.engine import Engine
from compilelint.interp.text.usage import expressions_of
from compilelint.model import Confidence, Doubt, weakest
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.project.roots import Entry
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import statements_of
from compilelint.values import (
    UNKNOWN,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Value,
    arms,
    join,
    join_all,
)

if TYPE_CHECKING:
    from compilelint.interp.core.frame import Frame

_DEEP = 3  # functions that hand a class on to functions
# What is stored on classes without changing what they do.
_ABOUT = frozenset(
    "__doc__ __name__ __qualname__ __module__ __signature__ __annotations__ __wrapped__ __text_signature__".split()
)
# Packages whose decorators of classes keep the methods as they are written.
_KEEPING = frozenset(
    "torch builtins dataclasses functools enum typing typing_extensions attr attrs abc contextlib warnings".split()
)
_HOOK = "__init_subclass__"


def finished(interp: Engine[Frame], cls: ClassInfo) -> Value:
    """What the name of a class is bound to once its decorators have run."""
    return ClassRef(_standing(interp, cls).cls) if cls.is_reworked else ClassRef(cls)


def member(interp: Engine[Frame], cls: ClassInfo, name: str) -> Value | None:
    """What was put in the place of a member, on a class or one that it descends from; None where the text counts."""
    changed = cls.reworked
    if not changed:
        return None
    for c in cls.mro:
        if isinstance(c, ClassInfo):
            put = _members(interp, c).get(name) if c in changed else None
            if put is not None:
                return put
            if name in c.members:
                return None
    return None


def own(interp: Engine[Frame], cls: ClassInfo, name: str) -> Value | None:
    """What was put on this very class under a name."""
    return _members(interp, cls).get(name) if cls.is_reworked else None


def storing(interp: Engine[Frame], cls: ClassInfo, name: str) -> Iterator[FunctionRef]:
    """The functions put on this very class that store an attribute on their first parameter."""
    if not cls.is_reworked:
        return
    for put in _members(interp, cls).values():
        for arm in arms(put):
            if isinstance(arm, FunctionRef) and isinstance(arm.code, FunctionInfo) and name in arm.code.node.stores:
                yield arm


def bound(put: Value, receiver: Value) -> Value:
    """A member that was put on a class, as an attribute of an instance."""
    found: list[Value] = []
    for arm in arms(put):
        is_method = isinstance(arm, FunctionRef) and arm.receiver is None and isinstance(arm.code, FunctionInfo)
        if isinstance(arm, FunctionRef) and is_method:
            found.append(FunctionRef(arm.code, receiver, arm.closure))
        else:
            found.append(arm)
    return join_all(found)


def lowered(interp: Engine[Frame], cls: ClassInfo, sure: Confidence) -> Confidence:
    """What may be claimed of a method of a class, at most."""
    return weakest(sure, _standing(interp, cls).sure) if cls.is_reworked and id(cls) not in interp.reworking else sure


def entry(interp: Engine[Frame], cls: ClassInfo, name: str) -> Entry | None:
    """What calling an instance of the finished class enters; None where that is what the class body says."""
    if not cls.is_reworked and not cls.reworked:
        return None
    standing = _standing(interp, cls) if cls.is_reworked else Standing(cls)
    stands = standing.cls
    put = member(interp, stands, name)
    functions = [arm for arm in arms(put) if isinstance(arm, FunctionRef)] if put is not None else []
    found = functions[0] if functions else None
    if put is None and stands is not cls:
        owner = stands.find(name)
        code = None if owner is None else owner[0].own(name)
        if owner is not None and code is not None and owner[0] is not cls:
            found = FunctionRef(code, None, owner[0].closure)
    if found is None or not isinstance(found.code, FunctionInfo):
        return None if standing.sure is Confidence.CERTAIN else Entry(None, Object(cls), None, standing.sure)
    return Entry(found.code, Object(stands), found.closure, standing.sure)


# ------------------------------------------------------- while decorators run


def stored(f: Frame, owner: Value, name: str, value: Value) -> None:
    """Something is stored on a class whose decorators are at work."""
    put = f.interp.reworking.get(id(owner.cls)) if isinstance(owner, ClassRef) else None
    if put is None or not isinstance(owner, ClassRef) or not isinstance(owner.cls, ClassInfo) or name in _ABOUT:
        return
    if f.around.conditional:
        before = put.get(name) or _written(f, owner.cls, name)
        value = value if before is None else join(before, value)
    put[name] = value


def _written(f: Frame, cls: ClassInfo, name: str) -> Value | None:
    found = cls.find(name)
    if found is None:
        return None
    return join_all([f.interp.program.bound(found[0].module, b, name, found[0]) for b in found[1]])


def has(interp: Engine[Frame], value: Value | None, name: Value | None) -> bool | None:
    """Whether a class whose decorators are at work has an attribute; None for other values, or where it may have."""
    if not isinstance(value, ClassRef) or id(value.cls) not in interp.reworking or not isinstance(name, Const):
        return None
    cls = value.cls
    assert isinstance(cls, ClassInfo)
    if name.value in interp.reworking[id(cls)] or cls.find(str(name.value)) is not None:
        return True
    of_torch = all(base.startswith(("torch.nn.Module", "builtins.object")) for base in cls.external_bases)
    return False if of_torch and not str(name.value).startswith("__") else None


def is_given(interp: Engine[Frame], args: Args) -> bool:
    """Whether a call hands over a class whose decorators are at work."""
    return any(isinstance(value, ClassRef) and id(value.cls) in interp.reworking for value in args.all())


def class_made(f: Frame, n: ir.Class, bases: tuple[ClassInfo | str | None, ...] | None) -> ClassInfo:
    """The class of a statement within a decorator: each class that is decorated has one of its own."""
    made = f.interp.program.class_info(f.module, n, f, bases, apart=str(f.serial))
    f.interp.reworking.setdefault(id(made), {})
    return made


def _members(interp: Engine[Frame], cls: ClassInfo) -> dict[str, Value]:
    at_work = interp.reworking.get(id(cls))
    return _standing(interp, cls).members if at_work is None else at_work


def _standing(interp: Engine[Frame], cls: ClassInfo) -> Standing:
    known = interp.standing.get(id(cls))
    if known is not None:
        return known
    at_work = interp.reworking.get(id(cls))
    if at_work is not None:  # asked for by its own decorator
        return Standing(cls, at_work)
    before = set(interp.reworking)
    interp.reworking[id(cls)] = {}
    try:
        made, sure = _run(interp, cls)
    finally:
        put = {key: interp.reworking.pop(key) for key in [*interp.reworking] if key not in before}
    if made is not cls:
        interp.standing[id(made)] = Standing(made, put.get(id(made), {}), sure)
    standing = interp.standing[id(cls)] = Standing(made, put[id(cls)], sure)
    return standing


def _run(interp: Engine[Frame], cls: ClassInfo) -> tuple[ClassInfo, Confidence]:
    """Run what receives the class; what it becomes, and how sure that is."""
    _run_hook(interp, cls)
    made, sure = cls, Confidence.CERTAIN
    for decorator in reversed(cls.node.decorators):
        result = _decorated(interp, cls, made, decorator)
        classes = {id(arm.cls): arm.cls for arm in arms(result) if isinstance(arm, ClassRef)}
        others = [one for one in classes.values() if one is not made and isinstance(one, ClassInfo)]
        if len(others) == 1 and len(classes) == 1:
            made = others[0]
        elif others or not classes or any(not isinstance(arm, ClassRef) for arm in arms(result)):
            sure = Doubt.CLASS_CHANGED_UNSEEN.lower(sure)
    return made, sure


def _run_hook(interp: Engine[Frame], cls: ClassInfo) -> None:
    """Run `__init_subclass__` of a class that it descends from, where that may change it."""
    frame = interp.around(cls)
    hook = next((c for c in cls.mro[1:] if isinstance(c, ClassInfo) and _HOOK in c.members), None)
    code = None if hook is None else hook.own(_HOOK)
    if hook is not None and code is not None and may_change(interp, code):
        keywords = {key: frame.eval(value) for key, value in cls.node.keywords if key is not None}
        interp.call(frame, FunctionRef(code, ClassRef(cls), hook.closure), Args([], keywords), cls.node.head)


def _decorated(interp: Engine[Frame], cls: ClassInfo, made: ClassInfo, decorator: ir.Expr) -> Value:
    """What a decorator gives back for what the ones before it made: the same where it cannot change it, else unknown
    where it is not followed."""
    frame = interp.around(cls)
    callee = frame.eval(decorator.func if isinstance(decorator, ir.Call) else decorator)
    followed = [_code_of(arm) for arm in arms(callee)]
    if all(isinstance(arm, External) and arm.name.partition(".")[0] in _KEEPING for arm in arms(callee)):
        return ClassRef(made)
    if any(code is None for code in followed):
        return UNKNOWN
    if not any(may_change(interp, code) for code in followed if code is not None):
        return ClassRef(made)
    function = frame.eval(decorator) if isinstance(decorator, ir.Call) else callee
    return interp.call(frame, function, Args([ClassRef(made)]), decorator.pos)


def _code_of(callee: Value) -> FunctionInfo | None:
    """The function of the program that a call of a decorator enters; None where it is not followed."""
    if isinstance(callee, FunctionRef):
        return callee.code if isinstance(callee.code, FunctionInfo) else None
    cls = callee.cls if isinstance(callee, (Object, ClassRef)) else None
    return cls.method("__call__") if isinstance(cls, ClassInfo) else None


# ------------------------------------------------------- what the text allows


def may_change(interp: Engine[Frame], code: FunctionInfo, depth: int = 0) -> bool:
    """Whether a function, or one that it hands a parameter on to, may change a class that it is given."""
    changes, handed_on = interp.answer(_changes, code)
    if changes or depth >= _DEEP:
        return changes
    for callee in handed_on:
        found = interp.program.resolve(code.module, callee)
        inner = None if found is None else _code_of(found)
        if inner is not None and inner is not code and may_change(interp, inner, depth + 1):
            return True
    return False


def _changes(code: FunctionInfo) -> tuple[bool, tuple[ir.Expr, ...]]:
    return fact(code.node, _changes_in)


def _changes_in(node: ir.Function) -> tuple[bool, tuple[ir.Expr, ...]]:
    """Whether a body stores on a parameter or derives from one, and the callees that it hands one on to."""
    params: set[str] = set()
    handed_on: list[ir.Expr] = []
    for body, names in _bodies(node):
        params |= names
        for s in statements_of(body):
            if isinstance(s, ir.Class) and any(_is_one(base, params) for base in s.bases):
                return True, ()
            if isinstance(s, ir.Assign) and any(_stores_on(target, params) for target in s.targets):
                return True, ()
        for e in expressions_of(body):
            if not isinstance(e, ir.Call) or not any(_is_one(arg, params) for arg in e.args):
                continue
            if isinstance(e.func, ir.Name) and e.func.id == "setattr" and not _names_what_is_about(e):
                return True, ()
            if isinstance(e.func, ir.Name) and e.func.id == "type" and len(e.args) > 1:
                return True, ()
            handed_on.append(e.func)
    return False, tuple(handed_on)


def _bodies(node: ir.Function) -> Iterable[tuple[ir.Body, set[str]]]:
    """The body of a function and those of functions within, with their parameters."""
    waiting: list[ir.Function | ir.Class] = [node]
    while waiting:
        one = waiting.pop()
        yield one.body, {p.name for p in one.params} if isinstance(one, ir.Function) else set()
        waiting += [s for s in statements_of(one.body) if isinstance(s, (ir.Function, ir.Class))]


def _is_one(e: ir.Expr, names: set[str]) -> bool:
    return isinstance(e, ir.Name) and e.id in names


def _stores_on(target: ir.Expr, names: set[str]) -> bool:
    return isinstance(target, ir.Attr) and _is_one(target.value, names) and target.name not in _ABOUT


def _names_what_is_about(e: ir.Call) -> bool:
    name = e.args[1] if len(e.args) > 1 else None
    return isinstance(name, ir.Const) and name.value in _ABOUT
