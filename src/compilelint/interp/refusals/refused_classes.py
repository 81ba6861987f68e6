"""Classes of the program that Dynamo refuses to make objects of, or to read attributes through.

Measured on torch 2.13 and 2.15: a `TypedDict` with optional keys, and no other, ends the graph where it is made; an
attribute that only a `__getattr__` answers which is no function; a method found through a metaclass that writes
`__getattribute__` (up to 2.14); `__name__` and `__subclasses__` of an autograd function; `super().__init__()` of a
module outside its constructor.
"""

from __future__ import annotations

from compilelint.interp.core.class_members import member_value
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.perform import Operation, Use, rule
from compilelint.interp.core.refusals import refusal, refused
from compilelint.interp.refusals.caught_errors import is_caught
from compilelint.interp.text.host_work import own_calls
from compilelint.project.classes import CONSTRUCTORS, Assigned, ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import last_name
from compilelint.torchfacts import Fact
from compilelint.values import BoundMethod, ClassRef, FunctionRef, Object, Value

_OPTIONAL_KEYS = "GB0257"  # "TypedDict with optional keys"
_ABSTRACT = "GB2404"  # "Unsupported object.__new__ user-defined class construction"
_NO_FUNCTION = "GB0256"  # "User-defined object with non-function __getattr__"
_METACLASS = "GB5458"  # "Custom metaclass with __getattribute__"
_LEFT_OPEN = {
    "contextlib.AbstractContextManager": ("__exit__",),
    "collections.abc.Callable": ("__call__",),
    "collections.abc.Iterable": ("__iter__",),
    "collections.abc.Iterator": ("__next__",),
    "collections.abc.Mapping": ("__getitem__", "__iter__", "__len__"),
    "collections.abc.MutableMapping": ("__getitem__", "__setitem__", "__delitem__", "__iter__", "__len__"),
    "collections.abc.Sequence": ("__getitem__", "__len__"),
    "collections.abc.Sized": ("__len__",),
}
"""What abstract classes of the standard library leave to their subclasses."""
_UNINITIALISED = "GB0119"  # "Uninitialized nn.Module"
_NO_STATIC = "GB0140"  # "Unsupported autograd.Function method"
_AGAIN = "GB0162"  # "Unsupported super().__init__() call"
_OF_FUNCTION = {"__name__": "GB4841|Function.__name__", "__subclasses__": "GB0140", "mro": "GB0140"}


@rule(Operation.CALL, ClassRef)
def made(use: Use) -> None:
    """An object of the class is made."""
    f, (ref,), pos = use.frame, use.operands, use.pos
    cls = ref.cls if isinstance(ref, ClassRef) else None
    if not isinstance(cls, ClassInfo):
        return
    if (
        not f.modes.silent
        and cls.descends_from("typing.TypedDict", "typing_extensions.TypedDict")
        and _has_optional_keys(cls)
    ):
        refused(f, _OPTIONAL_KEYS, f"{cls.node.name}()", (ClassRef(cls),), pos)
    elif is_caught(f) and _is_unfinished(cls):
        refused(f, _ABSTRACT, f"{cls.node.name}()", (ClassRef(cls),), pos)


@rule(Operation.GET_ATTRIBUTE, Object)
def uninitialised(use: Use) -> None:
    """An attribute of a module whose constructor does not call that of `torch.nn.Module`."""
    f, name, (obj,), pos = use.frame, use.name, use.operands, use.pos
    cls = obj.cls if isinstance(obj, Object) else None
    if (
        f.modes.silent
        or f.modes.host
        or not isinstance(obj, Object)
        or obj.inside
        or not isinstance(cls, ClassInfo)
        or not cls.is_module
        or name[:2] == "__"
    ):
        return
    init = cls.method("__init__")
    if init is None or any(base != "torch.nn.Module" for base in cls.external_bases):
        return
    if fact(init.node, _initialises):
        return
    refused(f, _UNINITIALISED, f"{cls.node.name}.{name}", (obj,), pos)


def _initialises(init: ir.Function) -> bool:
    """Whether a constructor may call that of a base, or only raises."""
    calls = {last_name(one.func) for one in fact(init, own_calls)[0]}
    return bool(calls & {"__init__", "super", "__setstate__"}) or any(isinstance(s, ir.Raise) for s in init.body)


def _is_unfinished(cls: ClassInfo) -> bool:
    """Whether objects of the class cannot be made, as methods are left to subclasses."""
    wanted = {name for base in cls.external_bases for name in _LEFT_OPEN.get(base, ())}
    if any(cls.find(name) is None for name in wanted):
        return True
    metaclasses = [dict(c.node.keywords).get("metaclass") for c in cls.mro if isinstance(c, ClassInfo)]
    by_meta = any(one is not None and last_name(one) == "ABCMeta" for one in metaclasses)
    if not (by_meta or cls.descends_from("abc.ABC")):
        return False
    return any(_is_abstract(cls, name) for name in _members(cls))


def _members(cls: ClassInfo) -> set[str]:
    return {name for c in cls.mro if isinstance(c, ClassInfo) for name in c.members}


def _is_abstract(cls: ClassInfo, name: str) -> bool:
    """Whether the class leaves a method to its subclasses; making one of it raises, which the program catches."""
    method = cls.method(name)
    return method is not None and method.decorated("abstractmethod")


def _has_optional_keys(cls: ClassInfo) -> bool:
    for c in cls.mro:
        if isinstance(c, ClassInfo):
            given = dict(c.node.keywords).get("total")
            if isinstance(given, ir.Const) and given.value is False and c.annotations:
                return True
            if any(last_name(_base(annotation)) == "NotRequired" for annotation in c.annotations.values()):
                return True
    return False


def _base(annotation: ir.Expr) -> ir.Expr:
    return annotation.value if isinstance(annotation, ir.Index) else annotation


def missing(f: Frame, obj: Object, name: str, pos: int) -> bool:
    """Whether reading an attribute that nothing stores ends the graph, as `__getattr__` is an object that is called."""
    cls = obj.cls
    found = cls.find("__getattr__") if isinstance(cls, ClassInfo) and not name.startswith("__") else None
    if found is None or found[0].own("__getattr__") is not None or not isinstance(found[1][-1], Assigned):
        return False
    value = member_value(f, found[0], found[1], "__getattr__")
    if not isinstance(value, (Object, BoundMethod)):
        return False
    refused(f, _NO_FUNCTION, f".{name}", (obj,), pos)
    return True


@if_judged
def read(f: Frame, cls: ClassInfo, name: str, found: Value | None, pos: int) -> None:
    """`Class.name` is read; `found` is what the class or a base of the program binds, None if nothing."""
    if found is None and cls.is_autograd_function and name in _OF_FUNCTION:
        refused(f, _OF_FUNCTION[name], f"{cls.node.name}.{name}", (ClassRef(cls),), pos)
    elif isinstance(found, FunctionRef) and cls.is_autograd_function and _is_bound(found, name):
        refused(f, _NO_STATIC, f"{cls.node.name}.{name}", (ClassRef(cls),), pos)
    elif isinstance(found, FunctionRef) and _watches(f, cls):
        refused(f, _METACLASS, f"{cls.node.name}.{name}", (ClassRef(cls),), pos)


def _is_bound(found: FunctionRef, name: str) -> bool:
    """Whether a method of an autograd function is one of objects: Dynamo has `apply`, `backward` and static ones."""
    code = found.code
    of_class = isinstance(code, FunctionInfo) and code.decorated("staticmethod", "classmethod", "once_differentiable")
    return isinstance(code, FunctionInfo) and not of_class and name not in ("apply", "backward", "setup_context")


def _watches(f: Frame, cls: ClassInfo) -> bool:
    """Whether the metaclass, where the class itself names it, writes `__getattribute__`."""
    named = dict(cls.node.keywords).get("metaclass")
    if not isinstance(named, ir.Name):
        return False
    value = f.interp.program.global_value(cls.module, named.id)
    return (
        isinstance(value, ClassRef)
        and isinstance(value.cls, ClassInfo)
        and value.cls.method("__getattribute__") is not None
    )


def built_again(f: Frame) -> Fact | None:
    """The fact on `super().__init__()` of a module, where the frame is no constructor and none calls it."""
    context = f.context
    while context is not None:
        if context.function.rpartition(".")[2] in CONSTRUCTORS:
            return None
        if context.caller is None:
            break
        context = context.caller
    return None if f.modes.silent else refusal(f, _AGAIN)
